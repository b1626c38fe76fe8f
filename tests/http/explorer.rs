//! `/v1/explorer`: what it tells is what a count of the games one by one gives.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::client::{Client, Server, assert_refused, encode, shared, sorted, texts};
use crate::collection::{Cell, Chance, Game, PLAYERS, keep_many, name, names, rated, turned};

/// How many plies of a game are counted.
const INDEXED: usize = 16;

/// Games that Black won, that White won and that nobody won.
type Tally = [u64; 3];

/// The games with each move, by all forms of the move.
type Moves = BTreeMap<Vec<String>, Tally>;

/// Stones with their colours: black ones have the even places in a game.
fn stones(cells: &[Cell]) -> BTreeSet<(Cell, bool)> {
    let colored = cells.iter().enumerate();
    colored.map(|(ply, cell)| (*cell, ply % 2 == 0)).collect()
}

/// The forms of the move that a game goes on with from a position, if it comes through it, by trying all symmetries at
/// every ply.
fn forms(game: &Game, asked: &[Cell]) -> Option<Vec<String>> {
    let ply = asked.len();
    if ply >= INDEXED || ply >= game.cells.len() {
        return None;
    }
    let asked = stones(asked);
    let turn = |symmetry| {
        let cells = game.cells.iter();
        let cells: Vec<_> = cells
            .map(|cell| turned(symmetry, *cell, game.size))
            .collect();
        (stones(&cells[..ply]) == asked).then(|| name(cells[ply]))
    };
    let forms: BTreeSet<String> = (0..8).filter_map(turn).collect();
    (!forms.is_empty()).then(|| forms.into_iter().collect())
}

fn count(moves: &mut Moves, forms: Vec<String>, result: &str) {
    let tally = moves.entry(forms).or_default();
    tally[["black", "white", "draw"]
        .iter()
        .position(|name| *name == result)
        .unwrap()] += 1;
}

/// The games through a position, the newest first, and their moves.
fn counted<'a>(
    games: &'a [Game],
    (rule, size, asked): (&str, u8, &[Cell]),
    fits: &dyn Fn(&Game) -> bool,
) -> (Moves, Vec<&'a str>) {
    let (mut moves, mut through) = (Moves::new(), Vec::new());
    let games = games.iter().rev();
    for game in games.filter(|game| game.rule == rule && game.size == size && fits(game)) {
        if let Some(forms) = forms(game, asked) {
            count(&mut moves, forms, game.result);
            through.push(game.id.as_str());
        }
    }
    (moves, through)
}

#[track_caller]
fn tally_of(value: &Value) -> Tally {
    let tally = ["black", "white", "draw"].map(|name| value[name].as_u64().unwrap());
    assert_eq!(value["games"].as_u64(), Some(tally.iter().sum()), "{value}");
    tally
}

/// The moves of an answer, whose parts must agree with each other.
#[track_caller]
fn moves_of(answer: &Value) -> Moves {
    let totals = tally_of(&answer["totals"]);
    let all: u64 = totals.iter().sum();
    let (mut moves, mut sum, mut before) = (Moves::new(), Tally::default(), u64::MAX);
    for played in answer["moves"].as_array().unwrap() {
        let tally = tally_of(played);
        let games: u64 = tally.iter().sum();
        assert!(
            0 < games && games <= before,
            "the most played first: {answer}"
        );
        before = games;
        let share = games as f64 / all as f64;
        assert!(
            (played["share"].as_f64().unwrap() - share).abs() < 1e-12,
            "{answer}"
        );
        let mut forms = vec![played["move"].as_str().unwrap().to_owned()];
        forms.extend(texts(&played["equivalents"]).into_iter().map(String::from));
        forms.sort_unstable();
        assert!(moves.insert(forms, tally).is_none(), "told twice: {answer}");
        for (sum, one) in sum.iter_mut().zip(tally) {
            *sum += one;
        }
    }
    assert_eq!(sum, totals, "{answer}");
    moves
}

#[track_caller]
fn ids(games: &Value) -> Vec<&str> {
    let games = games.as_array().unwrap().iter();
    games.map(|game| game["id"].as_str().unwrap()).collect()
}

fn explore(client: &Client, query: &str) -> Value {
    client.get(&format!("/v1/explorer?{query}")).ok()
}

/// A position as rows for a query.
fn rows(cells: &[Cell], size: u8) -> String {
    let stones = stones(cells);
    let letter = |cell| match (
        stones.contains(&(cell, true)),
        stones.contains(&(cell, false)),
    ) {
        (true, _) => 'x',
        (_, true) => 'o',
        _ => '.',
    };
    let rows = (0..size)
        .rev()
        .map(|row| (0..size).map(|column| letter((column, row))).collect());
    rows.collect::<Vec<String>>().join("/")
}

/// Keeps a short game that Black won by resignation.
#[track_caller]
fn keep(client: &Client, rule: &str, size: u8, moves: &str, round: usize) -> String {
    let game = json!({
        "position": {"rule": rule, "size": size, "moves": moves},
        "result": "black", "termination": "resignation", "round": round.to_string(),
    });
    let kept = client.keep_game(&game).json_of(201);
    kept["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_told_is_what_a_count_of_the_games_one_by_one_gives() {
    let server = Server::start();
    let games = keep_many(&server, 200);
    let mut chance = Chance::new(7);
    let mut asked: Vec<(&str, u8, Vec<Cell>)> = Vec::new();
    for rule in ["freestyle", "standard", "renju", "caro"] {
        asked.extend([7, 15].map(|size| (rule, size, Vec::new())));
    }
    for game in games.iter().step_by(9) {
        for ply in 1..=game.cells.len() {
            let symmetry = chance.below(8);
            let cells = game.cells[..ply].iter();
            let cells = cells.map(|cell| turned(symmetry, *cell, game.size));
            asked.push((game.rule, game.size, cells.collect()));
        }
    }
    let (mut told, mut folded, mut symmetric) = (0, 0, 0);
    for (rule, size, cells) in &asked {
        let what = format!("rule={rule}&size={size}&moves={}", names(cells));
        let answer = explore(&server, &what);
        let (moves, through) = counted(&games, (*rule, *size, &cells[..]), &|_| true);
        assert_eq!(moves_of(&answer), moves, "{what}");
        let newest: Vec<_> = through.iter().take(5).copied().collect();
        assert_eq!(ids(&answer["recent_games"]), newest, "{what}");
        assert_eq!(
            answer["position"]["moves"].as_array().unwrap().len(),
            cells.len()
        );
        // And as a board without history.
        let board = format!("rule={rule}&board={}", rows(cells, *size));
        let answer = explore(&server, &board);
        assert_eq!(moves_of(&answer), moves, "{board}");
        told += moves.len();
        folded += usize::from(through.len() > 1 && cells.len() > 2);
        symmetric += moves.keys().filter(|forms| forms.len() > 1).count();
    }
    // The games are such that there is something to tell.
    assert!(
        told > 200 && folded > 10 && symmetric > 100,
        "{told} {folded} {symmetric}"
    );
}

#[test]
fn filters_choose_games_alone_and_together() {
    let server = Server::start();
    let games = keep_many(&server, 150);
    type Fits = dyn Fn(&Game) -> bool;
    let within = |since: &'static str, until: &'static str| -> Box<Fits> {
        Box::new(move |game| {
            game.month()
                .is_some_and(|month| since <= month && month <= until)
        })
    };
    let [ada, _, bob, slash, _] = PLAYERS;
    let plays = |game: &Game, name| game.black == Some(name) || game.white == Some(name);
    let table: Vec<(String, Box<Fits>)> = vec![
        ("since=2026-01".into(), within("2026-01", "9999-12")),
        ("since=0000-01".into(), within("0000-01", "9999-12")),
        ("until=9999-12".into(), within("0000-01", "9999-12")),
        ("until=2025-12".into(), within("0000-01", "2025-12")),
        ("until=2026-12".into(), within("0000-01", "2026-12")),
        (
            "since=2026-01&until=2026-12".into(),
            within("2026-01", "2026-12"),
        ),
        (
            "since=2026-02&until=2026-02".into(),
            within("2026-02", "2026-02"),
        ),
        (
            "since=2030-01&until=2030-01".into(),
            within("2030-01", "2030-01"),
        ),
        (
            "result=black".into(),
            Box::new(|game| game.result == "black"),
        ),
        (
            "result=white".into(),
            Box::new(|game| game.result == "white"),
        ),
        ("result=draw".into(), Box::new(|game| game.result == "draw")),
        (
            format!("player={ada}"),
            Box::new(move |game| plays(game, ada)),
        ),
        (
            format!("player={}", encode(bob)),
            Box::new(move |game| plays(game, bob)),
        ),
        (
            format!("player={}&color=black", encode(slash)),
            Box::new(move |game| game.black == Some(slash)),
        ),
        (
            format!("player={}&color=white", encode(slash)),
            Box::new(move |game| game.white == Some(slash)),
        ),
        ("player=Nobody".into(), Box::new(|_| false)),
        ("player=ada".into(), Box::new(|_| false)),
        ("player=Ad".into(), Box::new(|_| false)),
        (
            "since=2026-01&result=black".into(),
            Box::new(move |game| game.result == "black" && within("2026-01", "9999-12")(game)),
        ),
        (
            format!("player={ada}&color=black&result=black&since=2025-12&until=2026-02"),
            Box::new(move |game| {
                game.black == Some(ada)
                    && game.result == "black"
                    && within("2025-12", "2026-02")(game)
            }),
        ),
    ];
    let middle: &[Cell] = &[(3, 3)];
    let mut found = 0;
    for (filter, fits) in &table {
        for cells in [&[][..], middle] {
            let query = format!("size=7&moves={}&games=20&{filter}", names(cells));
            let answer = explore(&server, &query);
            let (moves, through) = counted(&games, ("freestyle", 7, cells), fits);
            assert_eq!(moves_of(&answer), moves, "{query}");
            let newest: Vec<_> = through.iter().take(20).copied().collect();
            assert_eq!(ids(&answer["recent_games"]), newest, "{query}");
            found += usize::from(!moves.is_empty());
        }
    }
    assert!(found >= 26, "only {found} of the questions have an answer");
}

#[test]
fn the_eight_orientations_of_a_game_are_one() {
    let server = Server::start();
    let cells: Vec<Cell> = [
        (7, 7),
        (8, 8),
        (9, 6),
        (6, 8),
        (1, 1),
        (13, 2),
        (3, 11),
        (12, 12),
        (0, 5),
        (14, 7),
        (2, 13),
        (5, 0),
        (10, 14),
        (0, 10),
        (14, 3),
        (4, 4),
        (11, 9),
        (9, 12),
    ]
    .into();
    let turn = |symmetry| -> Vec<Cell> {
        cells
            .iter()
            .map(|cell| turned(symmetry, *cell, 15))
            .collect()
    };
    for symmetry in 0..8 {
        keep(&server, "freestyle", 15, &names(&turn(symmetry)), symmetry);
    }
    for symmetry in 0..8 {
        let cells = turn(symmetry);
        for ply in 0..=cells.len() {
            let answer = explore(&server, &format!("moves={}&games=20", names(&cells[..ply])));
            assert_eq!(answer["indexed_to_ply"], INDEXED);
            let moves = answer["moves"].as_array().unwrap();
            let (played, recent) = (
                moves.len(),
                answer["recent_games"].as_array().unwrap().len(),
            );
            if ply >= INDEXED {
                assert_eq!((played, recent), (0, 0), "behind what is counted: {answer}");
                assert_eq!(
                    answer["totals"],
                    json!({"games": 0, "black": 0, "white": 0, "draw": 0})
                );
                continue;
            }
            assert_eq!((played, recent), (1, 8), "{symmetry} {ply}: {answer}");
            assert_eq!(moves[0]["games"], 8);
            let mut forms = texts(&moves[0]["equivalents"]);
            forms.push(moves[0]["move"].as_str().unwrap());
            let next = name(cells[ply]);
            assert!(
                forms.contains(&next.as_str()),
                "{symmetry} {ply}: {next} {forms:?}"
            );
            if ply >= 3 {
                assert_eq!(forms, [next], "three such stones have no symmetry");
            }
        }
    }
    // The keys say the same: equal for all, or of this orientation.
    let answers: Vec<_> = (0..8)
        .map(|symmetry| explore(&server, &format!("moves={}", names(&turn(symmetry)[..5]))))
        .collect();
    let key = |answer: &Value, name: &str| answer[name].as_str().unwrap().to_owned();
    for name in ["position_key", "symmetry_key"] {
        let keys: BTreeSet<_> = answers.iter().map(|answer| key(answer, name)).collect();
        assert_eq!(keys.len(), if name == "symmetry_key" { 1 } else { 8 });
    }
    let replay = server
        .replay(&json!({"position": {"moves": names(&cells[..5])}}))
        .ok();
    for name in ["position_key", "symmetry_key"] {
        assert_eq!(answers[0][name], replay[name]);
    }
}

#[test]
fn another_order_of_the_same_stones_is_the_same_position() {
    let server = Server::start();
    keep(&server, "freestyle", 15, "h8i9j7g9a1", 0);
    keep(&server, "freestyle", 15, "j7g9h8i9b2", 1);
    keep(&server, "freestyle", 15, "j7i9h8g9a1", 2);
    // The same cells with the colours changed are another one.
    keep(&server, "freestyle", 15, "i9h8g9j7c3", 3);
    for moves in ["h8i9j7g9", "j7i9h8g9", "h8g9j7i9"] {
        let answer = explore(&server, &format!("moves={moves}"));
        let expected = Moves::from([
            (vec!["a1".into()], [2, 0, 0]),
            (vec!["b2".into()], [1, 0, 0]),
        ]);
        assert_eq!(moves_of(&answer), expected, "{moves}");
    }
}

#[test]
fn moves_are_told_in_the_orientation_that_is_asked_for() {
    let server = Server::start();
    keep(&server, "freestyle", 15, "h8h9i10", 0);
    for (moves, first, others) in [
        // Nothing lies on the board: the middle is alone, and a stone beside it has four forms.
        ("", "h8", vec![]),
        ("h8", "h7", vec!["g8", "i8", "h9"]),
        // Two stones in a column have a mirror, whichever way they lie.
        ("h8h9", "g10", vec!["i10"]),
        ("h8i8", "j7", vec!["j9"]),
        ("h8g8", "f7", vec!["f9"]),
        ("h8h7", "g6", vec!["i6"]),
    ] {
        let answer = explore(&server, &format!("moves={moves}"));
        let played = &answer["moves"][0];
        assert_eq!(answer["moves"].as_array().unwrap().len(), 1);
        assert_eq!(played["move"], first, "{moves}: {answer}");
        assert_eq!(texts(&played["equivalents"]), others, "{moves}");
        assert_eq!(played["share"], 1.0);
    }
    // Each form of the move leads to the same place.
    for moves in ["h8h9i10", "h8h9g10", "h8i8j7", "h8g8f9"] {
        let answer = explore(&server, &format!("moves={moves}"));
        assert_eq!(answer["totals"]["games"], 0, "the game has ended here");
        assert_eq!(answer["recent_games"], json!([]));
    }
}

#[test]
fn rules_sizes_and_turns_are_kept_apart() {
    let server = Server::start();
    keep(&server, "freestyle", 15, "h8i9j7", 0);
    keep(&server, "renju", 15, "h8i9j7", 1);
    keep(&server, "freestyle", 16, "h8i9j7", 2);
    for (query, games) in [
        ("moves=h8i9", 1),
        ("rule=renju&moves=h8i9", 1),
        ("size=16&moves=h8i9", 1),
        ("size=19&moves=h8i9", 0),
        ("rule=caro&moves=h8i9", 0),
        ("rule=standard&moves=", 0),
        ("moves=", 1),
    ] {
        assert_eq!(explore(&server, query)["totals"]["games"], games, "{query}");
    }
    let one = rows(&[(7, 7), (8, 8)], 15);
    assert_eq!(
        explore(&server, &format!("board={one}"))["totals"]["games"],
        1
    );
    let turn = format!("board={one}&to_move=white&setup=true");
    assert_eq!(explore(&server, &turn)["totals"]["games"], 0);
}

#[test]
fn the_opening_is_named_when_the_moves_begin_with_one() {
    let server = shared();
    for (query, opening) in [
        ("moves=h8i9j7", Some(("I4", "Suigetsu"))),
        ("moves=h8g7f9", Some(("I4", "Suigetsu"))),
        ("moves=h8h9i9a1", Some(("D4", "Kagetsu"))),
        ("rule=renju&moves=h8i8i9", Some(("D4", "Kagetsu"))),
        ("moves=h8i9", None),
        ("moves=h8j10i9", None),
        ("size=19&moves=h8i9j7", None),
        ("moves=", None),
    ] {
        let answer = explore(&server, query);
        let told = opening.map(|(short, name)| json!({"abbreviation": short, "name": name}));
        assert_eq!(answer.get("opening"), told.as_ref(), "{query}");
    }
    // A board does not tell in which order the stones came.
    let board = rows(&[(7, 7), (8, 8), (9, 6)], 15);
    assert!(
        explore(&server, &format!("board={board}"))
            .get("opening")
            .is_none()
    );
}

#[test]
fn a_pass_is_a_move_too() {
    let server = Server::start();
    keep(&server, "renju", 15, "h8 i9 j7 pass g9", 0);
    let answer = explore(&server, "rule=renju&moves=h8i9j7");
    assert_eq!(answer["moves"][0]["move"], "pass");
    assert_eq!(answer["moves"][0]["equivalents"], json!([]));
    let answer = explore(
        &server,
        &format!("rule=renju&moves={}", encode("h8 i9 j7 pass")),
    );
    assert_eq!(answer["moves"][0]["move"], "g9");
    // Without the pass it is White's turn.
    let board = rows(&[(7, 7), (8, 8), (9, 6)], 15);
    let passed = format!("rule=renju&board={board}&to_move=black&setup=true");
    assert_eq!(explore(&server, &passed)["moves"][0]["move"], "g9");
}

#[test]
fn as_many_games_are_named_as_asked_for() {
    let server = Server::start();
    let kept: Vec<_> = (0..25)
        .map(|round| keep(&server, "freestyle", 15, "h8i9", round))
        .collect();
    for (query, count) in [("", 5), ("&games=0", 0), ("&games=1", 1), ("&games=20", 20)] {
        let answer = explore(&server, &format!("moves=h8{query}"));
        let newest: Vec<_> = kept.iter().rev().take(count).map(String::as_str).collect();
        assert_eq!(ids(&answer["recent_games"]), newest, "{query}");
        assert_eq!(answer["top_games"], json!([]), "nobody is rated");
        assert_eq!(answer["totals"]["games"], 25);
        assert!(answer.get("is_cut").is_none());
    }
}

#[test]
fn the_limits_are_those_that_the_service_tells() {
    let server = shared();
    let limits = server.meta().ok()["limits"].clone();
    let most = limits["explorer_games"].as_u64().unwrap();
    let answer = explore(&server, &format!("moves=h8&games={most}"));
    assert_eq!(answer["indexed_to_ply"], limits["explorer_plies"]);
    let beyond = server.get(&format!("/v1/explorer?moves=h8&games={}", most + 1));
    beyond.problem(422, "limit_out_of_range");
    assert_eq!(limits["explorer_games_default"], 5);
}

#[test]
fn top_games_are_those_of_the_highest_rated_players() {
    let server = Server::start();
    let games = keep_many(&server, 120);
    let server = rated(server);
    let players = server.get("/v1/players").ok();
    let ratings: BTreeMap<&str, f64> = players["players"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|player| {
            Some((
                player["name"].as_str()?,
                player["rating"]["value"].as_f64()?,
            ))
        })
        .collect();
    assert_eq!(ratings.len(), PLAYERS.len());
    let together = |game: &Game| Some(ratings[game.black?] + ratings[game.white?]);
    let through = |game: &&Game| {
        game.rule == "freestyle" && game.size == 7 && forms(game, &[(3, 3)]).is_some()
    };
    let mut best: Vec<f64> = games.iter().filter(through).filter_map(together).collect();
    best.sort_by(|one, other| other.total_cmp(one));
    assert!(best.len() > 10);
    let answer = explore(&server, "size=7&moves=d4&games=10");
    let told: Vec<f64> = ids(&answer["top_games"])
        .into_iter()
        .map(|id| {
            let game = games
                .iter()
                .filter(through)
                .find(|game| game.id == id)
                .unwrap();
            together(game).unwrap()
        })
        .collect();
    assert_eq!(told.len(), 10);
    for (told, best) in told.iter().zip(best) {
        // Ratings are told in hundredths.
        assert!((told - best).abs() < 0.03, "{told} {best}");
    }
}

#[test]
fn a_named_game_is_told_in_short() {
    let server = Server::start();
    let game = json!({
        "position": {"moves": "h8a1h9c1h10e1h12g1h11"}, "players": {"black": "Ada"},
        "played_at": "2026-11-30T19:00:00+01:00",
    });
    let kept = server.keep_game(&game).json_of(201);
    let answer = explore(&server, "moves=h8");
    let short = json!([{
        "id": kept["id"], "players": {"black": "Ada"}, "result": "black", "termination": "five", "plies": 9,
        "played_at": "2026-11-30T18:00:00Z",
    }]);
    assert_eq!(answer["recent_games"], short);
    // The game is over: nothing was played from its last position.
    let answer = explore(&server, "moves=h8a1h9c1h10e1h12g1h11");
    assert_eq!(answer["moves"], json!([]));
}

#[test]
fn an_illegal_record_is_refused_at_its_place() {
    let server = shared();
    for (query, code) in [
        ("moves=h8h8", "occupied"),
        ("moves=h8p16", "off_board"),
        ("moves=h8a1h9c1h10e1h12g1h11o1", "after_game_end"),
        ("moves=h8i9j7pass", "pass_not_allowed"),
        (
            "rule=renju&moves=h7a1h9c1g8e1i8g1h8",
            "forbidden_double_three",
        ),
    ] {
        let answer = server.get(&format!("/v1/explorer?{query}"));
        let expected = [("moves".to_owned(), code.to_owned())];
        assert_eq!(answer.faults(422, "illegal_move"), expected, "{query}");
    }
}

#[test]
fn wrong_questions_are_refused_at_their_place() {
    let server = shared();
    let long = format!("moves=h8&player={}", "x".repeat(201));
    let wrong = [
        ("", 422, "missing_field", "moves"),
        ("moves=8h", 422, "unreadable_notation", "moves"),
        ("moves=h8&board=.....", 422, "ambiguous_source", "board"),
        ("moves=h8&rule=go", 422, "unsupported_rule", "rule"),
        ("moves=h8&size=4", 422, "unsupported_size", "size"),
        ("moves=h8&since=", 422, "invalid_field", "since"),
        ("moves=h8&since=2026", 422, "invalid_field", "since"),
        ("moves=h8&since=2026-13", 422, "invalid_field", "since"),
        ("moves=h8&since=2026-00", 422, "invalid_field", "since"),
        ("moves=h8&until=2026-1", 422, "invalid_field", "until"),
        ("moves=h8&until=2026-11-30", 422, "invalid_field", "until"),
        ("moves=h8&until=-1-01", 422, "invalid_field", "until"),
        (
            "moves=h8&since=2026-02&until=2026-01",
            422,
            "invalid_field",
            "until",
        ),
        ("moves=h8&player=", 422, "invalid_field", "player"),
        ("moves=h8&player=+", 422, "invalid_field", "player"),
        ("moves=h8&player=a%0Ab", 422, "invalid_field", "player"),
        (&long, 422, "limit_out_of_range", "player"),
        ("moves=h8&color=black", 422, "invalid_field", "color"),
        (
            "moves=h8&player=A&color=Black",
            422,
            "invalid_field",
            "color",
        ),
        (
            "moves=h8&player=A&color=both",
            422,
            "invalid_field",
            "color",
        ),
        ("moves=h8&result=win", 422, "invalid_field", "result"),
        ("moves=h8&result=", 422, "invalid_field", "result"),
        ("moves=h8&games=-1", 422, "limit_out_of_range", "games"),
        ("moves=h8&games=21", 422, "limit_out_of_range", "games"),
        ("moves=h8&games=5.0", 422, "invalid_field", "games"),
        ("moves=h8&games=", 422, "invalid_field", "games"),
        ("moves=h8&games=1&games=1", 422, "invalid_field", "games"),
        ("moves=h8&since=%ff", 422, "invalid_field", "since"),
        ("moves=h8&limit=5", 400, "unknown_query_parameter", "limit"),
        (
            "moves=h8&position=1",
            400,
            "unknown_query_parameter",
            "position",
        ),
    ];
    assert_refused(&server, "/v1/explorer", &wrong);
    let query = "since=x&until=y&player=%20&color=red&result=z&games=99&size=3&moves=h8";
    let problem = server.get(&format!("/v1/explorer?{query}")).json();
    let errors = problem["errors"].as_array().unwrap().iter();
    let places = Value::from_iter(errors.map(|error| error["pointer"].clone()));
    let all = [
        "color", "games", "player", "result", "since", "size", "until",
    ];
    assert_eq!(sorted(&places), all, "all faults at once");
}

#[test]
fn the_documented_answer_is_given() {
    let server = Server::start();
    let players = json!({"black": "Ada", "white": "Grace"});
    for (moves, end) in [
        ("h8a1h9c1h10e1h12g1h11", None),
        ("h8i9j7g9", Some(("white", "resignation"))),
    ] {
        let mut game = json!({"position": {"moves": moves}, "players": players, "played_at": "2026-11-30T18:00:00Z"});
        if let Some((result, termination)) = end {
            game["result"] = json!(result);
            game["termination"] = json!(termination);
        }
        server.keep_game(&game).json_of(201);
    }
    let server = rated(server);
    let mut told = explore(&server, "moves=h8&games=1");
    let document = serde_json::to_value(tengen::api::document()).unwrap();
    let shown = &document["paths"]["/v1/explorer"]["get"]["responses"]["200"]["content"]["application/json"]
        ["example"];
    for list in ["top_games", "recent_games"] {
        told[list][0]["id"] = shown[list][0]["id"].clone();
    }
    assert_eq!(&told, shown, "{told:#}");
}
