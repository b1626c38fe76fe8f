//! `/v1/hints`: the move to play.

use serde_json::{Value, json};

use crate::client::{Client, Server, bounded, encode, query_of, shared, texts};

const RULES: [&str; 4] = ["freestyle", "standard", "renju", "caro"];

/// Enough for everything that these tests ask for.
const NODES: u64 = 1_000;

/// Asks for hints by POST and GET alike, with a bound on the search.
#[track_caller]
fn hints(client: &Client, body: &Value) -> Value {
    let asked = bounded(body.clone(), NODES);
    client.computed("/v1/hints", &asked).ok()
}

/// The best move and what is told of it.
#[track_caller]
fn best(client: &Client, position: Value) -> (String, Value) {
    let told = hints(client, &json!({"position": position}));
    let list = told["hints"].as_array().unwrap();
    assert_eq!(list.len(), 1, "one move when no count is asked for: {told}");
    assert!(told.get("no_move").is_none(), "{told}");
    (
        list[0]["move"].as_str().unwrap().to_owned(),
        list[0].clone(),
    )
}

/// Numbers that look random and are the same every time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(bound).unwrap()).unwrap()
    }
}

#[test]
fn a_hint_says_where_and_what_comes_of_it() {
    let server = shared();
    let told = hints(
        &server,
        &json!({"position": {"rule": "renju", "moves": "h8i9"}}),
    );
    assert_eq!(
        told["position"],
        json!({"rule": "renju", "size": 15, "moves": ["h8", "i9"]})
    );
    assert_eq!(told["to_move"], "black");
    let hint = &told["hints"][0];
    let cell = hint["move"].as_str().unwrap();
    let column = u64::from(cell.as_bytes()[0] - b'a');
    let row = 15 - cell[1..].parse::<u64>().unwrap();
    assert_eq!(hint["row"], row);
    assert_eq!(hint["col"], column);
    assert!(hint["score"].is_i64());
    let chance = hint["win_prob"].as_f64().unwrap();
    assert!(0.0 < chance && chance < 1.0, "nothing is proven: {chance}");
    assert_eq!(hint["verdict"], "unknown");
    assert_eq!(hint["pv"][0], cell);
    assert!(told["stop_reason"].is_string());
    assert!(told["depth"].is_u64());
    assert!(told["nodes"].is_u64());
    assert!(
        told.get("elapsed_ms").is_none(),
        "it is not the same each time"
    );
    assert!(!hint["reason"]["code"].as_str().unwrap().is_empty());
    assert!(!hint["reason"]["text"].as_str().unwrap().is_empty());
    assert_eq!(hint["result_after"], json!({"status": "ongoing"}));
}

#[test]
fn the_side_that_can_win_wins_rather_than_stops_a_four() {
    let server = shared();
    for rule in RULES {
        let (cell, hint) = best(&server, json!({"rule": rule, "moves": "a1a3b1b3c1c3d1d3"}));
        assert_eq!(cell, "e1", "{rule}");
        let after = &hint["result_after"];
        assert_eq!(after["status"], "won");
        assert_eq!(after["winner"], "black");
        assert_eq!(after["reason"], "five");
        assert_eq!(after["at_ply"], 9);
        assert_eq!(texts(&after["lines"][0]["cells"]).len(), 5);
        let (cell, hint) = best(
            &server,
            json!({"rule": rule, "moves": "a1a3b1b3c1c3d1d3h8"}),
        );
        assert_eq!(cell, "e3", "{rule}");
        assert_eq!(hint["result_after"]["winner"], "white");
    }
}

#[test]
fn what_only_looks_like_a_win_is_not_taken_for_one() {
    let server = shared();
    // x x x . x x: the gap makes six, which wins in freestyle only; for Black it is forbidden in renju.
    let moves = "c8a1d8c1e8e1g8g1h8i1";
    let (cell, hint) = best(&server, json!({"rule": "freestyle", "moves": moves}));
    assert_eq!(cell, "f8");
    assert_eq!(hint["result_after"]["reason"], "overline");
    for rule in ["standard", "renju", "caro"] {
        let (_, hint) = best(&server, json!({"rule": rule, "moves": moves}));
        assert_eq!(hint["result_after"]["status"], "ongoing", "{rule}");
    }
    let (cell, _) = best(&server, json!({"rule": "renju", "moves": moves}));
    assert_ne!(cell, "f8");
}

#[test]
fn a_four_is_stopped() {
    let server = shared();
    for rule in RULES {
        let (cell, hint) = best(&server, json!({"rule": rule, "moves": "h8h12h9a1h10c1h11"}));
        // In caro a white stone on h6 stops it as well: the five would be shut in.
        let stops: &[&str] = if rule == "caro" {
            &["h7", "h6"]
        } else {
            &["h7"]
        };
        assert!(stops.contains(&cell.as_str()), "{rule}: {cell}");
        assert!(texts(&hint["reason"]["cells"]).contains(&"h7"));
        let (cell, _) = best(
            &server,
            json!({"rule": rule, "moves": "h8h12h9a1h10c1h11e1"}),
        );
        assert_eq!(cell, "h7", "{rule}: Black's own four wins there");
    }
}

#[test]
fn the_only_cell_that_stops_a_hidden_four_is_found() {
    let server = shared();
    let moves = "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10";
    let (cell, hint) = best(&server, json!({"rule": "freestyle", "moves": moves}));
    assert_eq!(cell, "e7");
    assert_eq!(texts(&hint["reason"]["cells"]), ["e7"]);
}

#[test]
fn an_open_three_is_stopped_beside_it() {
    let server = shared();
    let mut board = vec![".".repeat(15); 15];
    for (row, squares) in [
        (4, "...........x..."),
        (7, ".......ooo....."),
        (9, ".........x....."),
        (10, "......x........"),
    ] {
        board[row] = squares.to_owned();
    }
    let (cell, _) = best(&server, json!({"rule": "freestyle", "board": board}));
    assert!(["g8", "k8"].contains(&cell.as_str()), "{cell}");
}

#[test]
fn a_far_away_stone_is_no_obstacle() {
    let server = shared();
    for rule in RULES {
        let (cell, _) = best(&server, json!({"rule": rule, "moves": "h8a1"}));
        let played = json!({"position": {"rule": rule, "moves": format!("h8a1{cell}")}});
        assert_eq!(server.replay(&played).ok()["legal"], true);
    }
}

#[test]
fn as_many_moves_are_named_as_are_asked_for_and_there_are() {
    let server = shared();
    for count in 1..=10 {
        let told = hints(
            &server,
            &json!({"position": {"moves": "h8i9"}, "count": count}),
        );
        let list = told["hints"].as_array().unwrap();
        assert_eq!(list.len(), count);
        let mut moves: Vec<_> = list.iter().map(|hint| hint["move"].as_str()).collect();
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), count, "each move once: {told}");
    }
    // Two cells are left.
    let board = ["xxoox", "ooxxo", "xxoox", "ooxxo", "xxo.."];
    let told = hints(&server, &json!({"position": {"board": board}, "count": 10}));
    assert_eq!(told["hints"].as_array().unwrap().len(), 2, "{told}");
}

#[test]
fn equal_questions_get_the_same_octets() {
    let server = shared();
    let other = Server::start_with(&["--search-threads", "1"]);
    for (rule, level) in RULES.into_iter().zip([10, 10, 1, 5]) {
        let position = json!({"rule": rule, "moves": "h8i9j7g7h6"});
        let asked = json!({"position": position, "count": 3, "level": level, "seed": 7});
        let asked = bounded(asked, NODES);
        let first = server.computed("/v1/hints", &asked);
        assert_eq!(server.hint(&asked).text(), first.text());
        assert_eq!(
            other.hint(&asked).text(),
            first.text(),
            "from another server"
        );
    }
}

#[test]
fn an_answer_that_follows_from_the_question_is_tagged_and_known_again() {
    let server = shared();
    for limit in ["nodes=1000", "depth=2", "nodes=1000&depth=2"] {
        let target = format!("/v1/hints?moves=h8i9&{limit}");
        let answer = server.get(&target);
        let etag = answer.header("etag").expect("it has a tag");
        assert!(!etag.starts_with("W/"));
        assert!(
            answer
                .header("server-timing")
                .unwrap()
                .contains("search;dur=")
        );
        let again = server.get_with(&target, &[("if-none-match", etag)]);
        assert_eq!(again.status, 304);
        assert!(
            again.header("server-timing").is_none(),
            "nothing was searched"
        );
    }
}

#[test]
fn an_answer_that_depends_on_the_clock_is_not_kept() {
    let server = shared();
    for limits in [
        "",
        "&time_ms=20",
        "&time_ms=20&nodes=100000000",
        "&time_ms=20&depth=1",
    ] {
        let target = format!("/v1/hints?moves=h8i9{limits}");
        let answer = server.get(&target);
        assert!(answer.header("etag").is_none(), "{limits}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{limits}");
        assert!(answer.ok()["elapsed_ms"].is_u64(), "{limits}");
    }
    let posted = server.hint(&json!({"position": {"moves": "h8i9"}}));
    assert_eq!(posted.header("cache-control"), Some("no-store"));
    assert!(posted.ok()["elapsed_ms"].is_u64());
}

#[test]
fn a_search_that_the_clock_cuts_off_after_all_says_so() {
    let server = Server::start_with(&["--hint-time-ms", "50"]);
    let answer = server.get("/v1/hints?moves=h8i9&nodes=1000000000");
    assert!(answer.header("etag").is_none());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let told = answer.ok();
    assert_eq!(told["stop_reason"], "time");
    assert!(told["elapsed_ms"].as_u64().unwrap() >= 40, "{told}");
}

#[test]
fn a_hint_takes_the_time_it_is_given() {
    let server = shared();
    for time_ms in [1, 100, 300] {
        let told = server
            .hint(&json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": time_ms}}))
            .ok();
        assert_eq!(told["stop_reason"], "time", "{told}");
        // What the engine itself keeps to; how long the machine takes to answer is another matter.
        let elapsed = told["elapsed_ms"].as_u64().unwrap();
        assert!(elapsed < time_ms + 500, "{elapsed} of {time_ms}");
    }
}

/// Every name of a cell in a JSON value.
fn cells_in(value: &Value) -> usize {
    match value {
        Value::String(text) => usize::from(
            text.split([' ', '.', ','])
                .any(|word| word.len() < 4 && word.parse::<tengen::board::Cell>().is_ok()),
        ),
        Value::Array(items) => items.iter().map(cells_in).sum(),
        Value::Object(members) => members.values().map(cells_in).sum(),
        _ => 0,
    }
}

#[test]
fn no_more_of_a_hint_is_told_than_asked_for() {
    let server = shared();
    // A four to stop, and a win.
    for (moves, best) in [("h8h12h9a1h10c1h11", "h7"), ("a1a3b1b3c1c3d1d3", "e1")] {
        let ask = |reveal: &str| {
            let asked = json!({"position": {"moves": moves}, "reveal": reveal});
            hints(&server, &asked)["hints"][0].clone()
        };
        let line = ask("line");
        let without = json!({"position": {"moves": moves}});
        assert_eq!(hints(&server, &without)["hints"][0], line, "the default");
        assert_eq!(line["move"], best);
        assert_eq!(line["pv"][0], best);

        let only_move = ask("move");
        assert_eq!(only_move["move"], best);
        assert_eq!(only_move["reason"], line["reason"]);
        assert_eq!(only_move["result_after"], line["result_after"]);
        assert!(only_move.get("pv").is_none());

        let area = ask("area");
        let cells = texts(&area["area"]);
        assert!(cells.contains(&best), "{area}");
        assert!((9..=25).contains(&cells.len()));
        let mut rest = area.clone();
        rest["area"] = json!([]);
        assert_eq!(cells_in(&rest), 0, "{area}");

        let kind = ask("kind");
        assert!(kind.get("area").is_none());
        assert_eq!(cells_in(&kind), 0, "{kind}");
        for hint in [only_move, area, kind] {
            assert_eq!(hint["reason"]["code"], line["reason"]["code"]);
            for member in ["score", "win_prob", "verdict"] {
                assert_eq!(hint[member], line[member]);
            }
        }
    }
}

#[test]
fn every_level_plays_a_legal_move_and_equal_seeds_equal_ones() {
    let server = shared();
    for level in 1..=10 {
        for seed in [0, 1, 9_007_199_254_740_991_u64] {
            let position = json!({"rule": "renju", "moves": "h7 a1 h9 c1 g8 e1 i8 g1"});
            let asked = json!({"position": position, "level": level, "seed": seed});
            let told = hints(&server, &asked);
            assert_eq!(hints(&server, &asked), told);
            let cell = told["hints"][0]["move"].as_str().unwrap();
            assert_ne!(cell, "h8", "it is forbidden");
            let moves = format!("h7 a1 h9 c1 g8 e1 i8 g1 {cell}");
            let replayed = server.replay(&json!({"position": {"rule": "renju", "moves": moves}}));
            assert_eq!(replayed.ok()["legal"], true);
        }
    }
}

#[test]
fn every_stone_of_a_line_may_be_played() {
    let server = shared();
    for rule in RULES {
        let moves = "h8i9j7g7h6h7i6g8";
        let told = hints(
            &server,
            &json!({"position": {"rule": rule, "moves": moves}, "count": 5}),
        );
        for hint in told["hints"].as_array().unwrap() {
            let line = texts(&hint["pv"]).concat();
            let played = json!({"position": {"rule": rule, "moves": format!("{moves}{line}")}});
            assert_eq!(server.replay(&played).ok()["legal"], true, "{rule} {line}");
        }
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let server = shared();
    let won = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}, "count": 3});
    let told = hints(&server, &won);
    assert_eq!(told["hints"], json!([]));
    assert!(told.get("to_move").is_none());
    assert_eq!(told["no_move"]["code"], "game_over");
    assert_eq!(told["no_move"]["result"]["winner"], "black");
    assert_eq!(told["no_move"]["result"]["at_ply"], 9);

    let passed = json!({"position": {"rule": "renju", "moves": "h8 a1 c1 pass pass"}});
    let told = hints(&server, &passed);
    assert_eq!(told["no_move"]["code"], "game_over");
    assert_eq!(told["no_move"]["result"]["reason"], "passes");

    for board in [
        ["xxxxx", ".....", "..o..", ".oo..", "...o."],
        ["xxoox", "ooxxo", "xxoox", "ooxxo", "xxoox"],
    ] {
        let told = hints(&server, &json!({"position": {"board": board}}));
        assert_eq!(told["hints"], json!([]));
        assert_eq!(told["no_move"]["code"], "game_over");
        assert!(told.get("to_move").is_none());
    }
}

#[test]
fn a_game_whose_cells_are_all_forbidden_goes_on_without_a_move() {
    let server = shared();
    let board = ["xxx.xx", "ooxxoo", "xxooxx", "ooxxoo", "xxooxx", "ooxxoo"];
    let position = json!({"rule": "renju", "board": board, "to_move": "black", "setup": true});
    let told = hints(&server, &json!({"position": position}));
    assert_eq!(told["hints"], json!([]));
    assert_eq!(told["no_move"]["code"], "no_legal_cell");
    assert_eq!(told["no_move"]["result"], json!({"status": "ongoing"}));
    assert_eq!(told["to_move"], "black");
    let legal = server
        .computed("/v1/legal-moves", &json!({"position": position}))
        .ok();
    assert_eq!(legal["count"], 0);
    assert_eq!(legal["forbidden"][0]["cell"], "d6");
    // White may play there, and under another rule Black may.
    for (rule, to_move) in [("renju", "white"), ("standard", "black")] {
        let position = json!({"rule": rule, "board": board, "to_move": to_move, "setup": true});
        let told = hints(&server, &json!({"position": position}));
        assert_eq!(told["hints"][0]["move"], "d6");
    }
}

/// A game being played over HTTP.
struct Playout<'a> {
    client: &'a Client,
    rule: &'a str,
    size: usize,
    moves: Vec<String>,
}

impl Playout<'_> {
    fn position(&self) -> Value {
        json!({"rule": self.rule, "size": self.size, "moves": self.moves})
    }

    fn legal_cells(&self) -> Vec<String> {
        let answer = self
            .client
            .legal_moves(&json!({"position": self.position()}));
        let told = answer.ok();
        texts(&told["legal"])
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    fn hints(&self, count: usize) -> Value {
        let asked = json!({"position": self.position(), "count": count});
        self.client.hint(&bounded(asked, 100)).ok()
    }

    /// The record with one more move, replayed.
    fn replay_with(&self, cell: &str) -> Value {
        let mut moves = self.moves.clone();
        moves.push(cell.to_owned());
        let position = json!({"rule": self.rule, "size": self.size, "moves": moves});
        self.client.replay(&json!({"position": position})).ok()
    }

    /// The cells on which the other side would win if it were its turn.
    fn threats(&self, legal_after: &Value) -> Vec<String> {
        let rows: Vec<_> = texts(&legal_after["board"])
            .iter()
            .map(|row| row.as_bytes().to_vec())
            .collect();
        let enemy = if self.moves.len().is_multiple_of(2) {
            b'o'
        } else {
            b'x'
        };
        let mut threats = Vec::new();
        for row in 0..self.size {
            for column in 0..self.size {
                if rows[row][column] != b'.' {
                    continue;
                }
                let mut filled = rows.clone();
                filled[row][column] = enemy;
                let board: Vec<_> = filled
                    .into_iter()
                    .map(|row| String::from_utf8(row).unwrap())
                    .collect();
                let position = json!({"rule": self.rule, "board": board, "setup": true});
                let told = self.client.replay(&json!({"position": position})).ok();
                if told["result"]["status"] == "won" {
                    let letter = char::from(b'a' + u8::try_from(column).unwrap());
                    threats.push(format!("{letter}{}", self.size - row));
                }
            }
        }
        threats
    }
}

#[test]
fn every_suggested_move_is_legal_and_comes_out_as_told() {
    let server = shared();
    let mut dice = Dice(2026);
    for rule in RULES {
        for size in [5, 15, 19, 20, 25] {
            let mut playout = Playout {
                client: &server,
                rule,
                size,
                moves: Vec::new(),
            };
            for _ in 0..30 {
                let told = playout.hints(10);
                let suggested = told["hints"].as_array().unwrap();
                let legal = playout.legal_cells();
                let Some(first) = suggested.first() else {
                    assert_eq!(legal.len(), 0, "{rule} {size} {:?}", playout.moves);
                    break;
                };
                assert_eq!(suggested.len(), legal.len().min(10));
                for hint in suggested {
                    let cell = hint["move"].as_str().unwrap();
                    assert!(
                        legal.iter().any(|legal| legal == cell),
                        "{rule} {size} {:?}: {cell}",
                        playout.moves
                    );
                }
                let best = first["move"].as_str().unwrap().to_owned();
                let after = playout.replay_with(&best);
                assert_eq!(after["legal"], true);
                assert_eq!(after["result"], first["result_after"]);
                // One half of the moves are any, so that all kinds of positions come up.
                let next = if dice.below(2) == 0 {
                    best
                } else {
                    legal[dice.below(legal.len())].clone()
                };
                playout.moves.push(next);
            }
        }
    }
}

#[test]
fn a_win_is_never_missed_and_a_single_threat_never_left() {
    let server = shared();
    let mut dice = Dice(1);
    let (mut wins, mut stops) = (0, 0);
    for rule in RULES {
        for _ in 0..2 {
            let mut playout = Playout {
                client: &server,
                rule,
                size: 7,
                moves: Vec::new(),
            };
            for ply in 0..14 {
                let told = playout.hints(8);
                let suggested = told["hints"].as_array().unwrap();
                let Some(first) = suggested.first() else {
                    break;
                };
                if ply >= 7 {
                    let legal = playout.legal_cells();
                    let winning: Vec<_> = legal
                        .iter()
                        .filter(|cell| playout.replay_with(cell)["result"]["status"] == "won")
                        .collect();
                    let best = first["move"].as_str().unwrap();
                    let at = format!("{rule} {:?}: {best}", playout.moves);
                    if winning.is_empty() {
                        let now = server.replay(&json!({"position": playout.position()})).ok();
                        let threats = playout.threats(&now);
                        if threats.len() == 1 && legal.contains(&threats[0]) {
                            stops += 1;
                            let after = playout.replay_with(best);
                            assert_eq!(playout.threats(&after), [""; 0], "{at}");
                        }
                    } else {
                        wins += 1;
                        assert!(winning.iter().any(|cell| *cell == best), "{at}");
                        assert_eq!(first["result_after"]["status"], "won", "{at}");
                    }
                }
                // Not the best, so that fours come up and are overlooked.
                let next = &suggested[dice.below(suggested.len())]["move"];
                playout.moves.push(next.as_str().unwrap().to_owned());
            }
        }
    }
    assert!(
        wins > 0 && stops > 0,
        "the positions test nothing: {wins} {stops}"
    );
}

#[test]
fn the_limits_are_names_of_their_own_in_a_query() {
    let server = shared();
    let body = json!({
        "position": {"moves": "h8"},
        "count": 2,
        "limits": {"nodes": 500, "depth": 3},
        "level": 9,
        "seed": 3,
        "reveal": "move",
    });
    let posted = server.hint(&body);
    assert_eq!(query_of(&body).matches('=').count(), 7);
    let got = server.get(&format!(
        "/v1/hints?moves={}&count=2&nodes=500&depth=3&level=9&seed=3&reveal=move",
        encode("h8")
    ));
    assert_eq!(got.text(), posted.text());
    assert_eq!(posted.ok()["hints"].as_array().unwrap().len(), 2);
}
