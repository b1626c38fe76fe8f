//! `/v1/players`: players counted one by one, found by name and listed in every order.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Server, assert_refused, encode, shared};
use crate::collection::{Game, PLAYERS, keep_many, rated};

/// Keeps a game that Black won by resignation.
#[track_caller]
fn keep(client: &Client, black: &str, white: &str, round: usize) {
    let game = json!({
        "position": {"moves": "h8i9"}, "players": {"black": black, "white": white},
        "result": "black", "termination": "resignation", "round": round.to_string(),
        "played_at": "2026-11-30T18:00:00Z",
    });
    client.keep_game(&game).json_of(201);
}

fn player(client: &Client, name: &str) -> Answer {
    client.get(&format!("/v1/players/{}", encode(name)))
}

#[track_caller]
fn names(page: &Value) -> Vec<String> {
    let players = page["players"].as_array().unwrap().iter();
    players
        .map(|player| player["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The names of all pages from a target on.
fn all_pages(client: &Client, target: String) -> Vec<String> {
    let (mut seen, mut target) = (Vec::new(), Some(target));
    while let Some(next) = target {
        let page = client.get(&next);
        let told = page.ok();
        target = page.next_link();
        assert_eq!(target.is_some(), told.get("next_cursor").is_some());
        if let (Some(target), Some(cursor)) = (&target, told["next_cursor"].as_str()) {
            assert!(target.ends_with(&format!("cursor={cursor}")), "{target}");
        }
        seen.extend(names(&told));
    }
    seen
}

/// Wins, losses and draws of a player with a colour.
fn score(games: &[&Game], name: &str, color: &str) -> [u64; 3] {
    let mut score = [0; 3];
    for game in games {
        let player = if color == "black" {
            game.black
        } else {
            game.white
        };
        if player == Some(name) {
            let place = match game.result {
                "draw" => 2,
                winner => usize::from(winner != color),
            };
            score[place] += 1;
        }
    }
    score
}

fn told(value: &Value) -> [u64; 3] {
    ["wins", "losses", "draws"].map(|name| value[name].as_u64().unwrap())
}

#[test]
fn a_player_is_told_as_a_count_of_the_games_one_by_one_gives() {
    let server = Server::start();
    let games = keep_many(&server, 200);
    let list = server.get("/v1/players").ok();
    assert_eq!(list["players"].as_array().unwrap().len(), PLAYERS.len());
    for name in PLAYERS {
        let found = player(&server, name).ok();
        assert_eq!(found["name"], name);
        let listed = list["players"].as_array().unwrap().iter();
        let listed = listed.filter(|player| player["name"] == name);
        assert_eq!(
            listed.collect::<Vec<_>>(),
            [&found],
            "listed as it is told alone"
        );
        let all: Vec<&Game> = games.iter().collect();
        let mut total = [0; 3];
        for color in ["black", "white"] {
            let expected = score(&all, name, color);
            assert_eq!(told(&found["by_color"][color]), expected, "{name} {color}");
            let sum: u64 = expected.iter().sum();
            assert_eq!(found["by_color"][color]["games"], sum);
            for (total, one) in total.iter_mut().zip(expected) {
                *total += one;
            }
        }
        assert_eq!(told(&found), total, "{name}");
        let count: u64 = total.iter().sum();
        assert!(count > 20, "{name} has played");
        assert_eq!(found["games"], count);
        let rate = total[0] as f64 / count as f64;
        assert!(
            (found["win_rate"].as_f64().unwrap() - rate).abs() < 1e-12,
            "{name}"
        );
        let mut by_rule = Vec::new();
        for rule in ["caro", "freestyle", "renju"] {
            let under: Vec<&Game> = games.iter().filter(|game| game.rule == rule).collect();
            for color in ["black", "white"] {
                let [wins, losses, draws] = score(&under, name, color);
                if wins + losses + draws > 0 {
                    by_rule.push(json!({
                        "rule": rule, "color": color, "wins": wins, "losses": losses, "draws": draws,
                    }));
                }
            }
        }
        assert_eq!(found["by_rule"], json!(by_rule), "{name}");
        let own = games
            .iter()
            .filter(|game| [game.black, game.white].contains(&Some(name)));
        // Written so, later times come later as texts too.
        let dates: BTreeSet<&str> = own.filter_map(|game| game.played_at).collect();
        assert_eq!(
            found["first_played"].as_str(),
            dates.first().copied(),
            "{name}"
        );
        assert_eq!(
            found["last_played"].as_str(),
            dates.last().copied(),
            "{name}"
        );
    }
}

#[test]
fn what_is_not_known_of_a_player_is_absent() {
    let server = Server::start();
    let game = json!({"position": {"moves": "h8"}, "players": {"white": "Ada"}, "result": "black", "termination": "timeout"});
    server.keep_game(&game).json_of(201);
    let none = json!({"games": 0, "wins": 0, "losses": 0, "draws": 0});
    let one = json!({"games": 1, "wins": 0, "losses": 1, "draws": 0});
    assert_eq!(
        player(&server, "Ada").ok(),
        json!({
            "name": "Ada", "games": 1, "wins": 0, "losses": 1, "draws": 0, "win_rate": 0.0,
            "by_color": {"black": none, "white": one},
            "by_rule": [{"rule": "freestyle", "color": "white", "wins": 0, "losses": 1, "draws": 0}],
        })
    );
}

#[test]
fn a_player_is_found_by_any_name_percent_encoded() {
    let server = Server::start();
    let names = [
        "A",
        "a b",
        "A/B",
        "A//B",
        "/",
        "100%41",
        "50%",
        "%2F",
        "?#&=;",
        "..",
        ".",
        "+",
        "a+b",
        "Äpfel",
        "中村",
        "😀",
        "\"<>\\",
        "/v1/players",
    ];
    for (round, name) in names.into_iter().enumerate() {
        keep(&server, name, "Nobody", round);
    }
    for name in names {
        let found = player(&server, name).ok();
        assert_eq!(found["name"], name);
        assert_eq!(found["games"], 1);
    }
    let head = server.send("HEAD", "/v1/players/A%2FB", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    // What needs no encoding may go without it.
    assert_eq!(server.get("/v1/players/A").ok()["name"], "A");
    assert_eq!(server.get("/v1/players/a+b").ok()["name"], "a+b");
    for target in [
        "B", "a", "A%20", "%20A", "A%2Fb", "%00", "%ff", "a%2", "Nobod",
    ] {
        server
            .get(&format!("/v1/players/{target}"))
            .problem(404, "player_not_found");
    }
    let long = format!("/v1/players/{}", "x".repeat(300));
    server.get(&long).problem(404, "player_not_found");
    for target in ["/v1/players/", "/v1/players/A/B"] {
        server.get(target).problem(404, "route_not_found");
    }
}

#[test]
fn pages_neither_skip_nor_repeat_in_any_order() {
    let server = Server::start();
    // Many have as many games as others, and are rated alike.
    let mut round = 0;
    for number in 0..24 {
        for _ in 0..=number % 4 {
            keep(
                &server,
                &format!("Player {:02}", number * 7 % 24),
                &format!("Other {}", number % 5),
                round,
            );
            round += 1;
        }
    }
    let server = rated(server);
    for sort in [
        "",
        "&sort=games",
        "&sort=rating",
        "&sort=name",
        "&sort=name&prefix=Player+",
    ] {
        let whole = server.get(&format!("/v1/players?limit=200{sort}"));
        assert!(whole.next_link().is_none());
        let whole = whole.ok();
        let expected = names(&whole);
        assert_eq!(
            expected.len(),
            if sort.contains("prefix") { 24 } else { 29 }
        );
        let of = |pointer: &str| -> Vec<f64> {
            let players = whole["players"].as_array().unwrap().iter();
            players
                .map(|player| player.pointer(pointer).unwrap().as_f64().unwrap())
                .collect()
        };
        match sort {
            "" | "&sort=games" => assert!(of("/games").is_sorted_by(|one, next| one >= next)),
            "&sort=rating" => assert!(of("/rating/value").is_sorted_by(|one, next| one >= next)),
            _ => assert!(expected.is_sorted()),
        }
        for limit in [1, 2, 7, 28, 29] {
            let paged = all_pages(&server, format!("/v1/players?limit={limit}{sort}"));
            assert_eq!(paged, expected, "{limit}{sort}");
        }
    }
    assert_eq!(
        names(&server.get("/v1/players").ok()).len(),
        29,
        "fifty fit on a page"
    );
}

#[test]
fn players_who_come_in_between_do_not_move_a_page() {
    let server = Server::start();
    let (known, more): (Vec<_>, Vec<_>) = (0..12)
        .map(|number| format!("Player {number:02}"))
        .partition(|name| name.ends_with(['0', '2', '4', '6', '8']));
    for (round, name) in known.iter().enumerate() {
        keep(&server, name, "Zed", round);
    }
    for sort in ["name", "games"] {
        let mut target = Some(format!("/v1/players?limit=1&prefix=Player&sort={sort}"));
        let (mut seen, mut round) = (Vec::new(), 0);
        while let Some(next) = target {
            let page = server.get(&next);
            seen.extend(names(&page.ok()));
            target = page.next_link();
            if let Some(name) = more.get(round).filter(|_| sort == "name") {
                keep(&server, name, "Zed", 100 + round);
            }
            round += 1;
        }
        let distinct: BTreeSet<_> = seen.iter().collect();
        assert_eq!(distinct.len(), seen.len(), "{seen:?}");
        assert!(
            known.iter().all(|name| distinct.contains(name)),
            "{sort}: {seen:?}"
        );
    }
}

#[test]
fn a_prefix_chooses_names_that_begin_with_it() {
    let server = Server::start();
    let all = [
        "Ada", "Ada B", "Adam", "ada", "Bob", "A_a", "A%", "Ö", "Öa", "😀",
    ];
    for (round, name) in all.into_iter().enumerate() {
        let game = json!({
            "position": {"moves": "h8"}, "players": {"black": name}, "result": "black", "termination": "timeout",
            "round": round.to_string(),
        });
        server.keep_game(&game).json_of(201);
    }
    for prefix in [
        "A", "Ada", "Ada ", "ada", "A_", "A%", "Ö", "😀", "x", "Bobb", "B",
    ] {
        let mut expected: Vec<_> = all
            .into_iter()
            .filter(|name| name.starts_with(prefix))
            .collect();
        expected.sort_unstable();
        let found = server
            .get(&format!("/v1/players?sort=name&prefix={}", encode(prefix)))
            .ok();
        assert_eq!(names(&found), expected, "{prefix:?}");
    }
    assert_eq!(
        server.get("/v1/players?prefix=x").ok(),
        json!({"players": []})
    );
}

#[test]
fn the_order_by_rating_leaves_out_who_has_none() {
    let server = Server::start();
    keep(&server, "Ada", "Grace", 0);
    let game = json!({"position": {"moves": "h8"}, "players": {"black": "Alone"}, "result": "black", "termination": "timeout"});
    server.keep_game(&game).json_of(201);
    let server = rated(server);
    assert_eq!(
        names(&server.get("/v1/players?sort=rating").ok()),
        ["Ada", "Grace"]
    );
    assert!(player(&server, "Alone").ok().get("rating").is_none());
}

#[test]
fn a_running_server_rates_the_players_by_itself() {
    let server = Server::start();
    keep(&server, "Ada", "Grace", 0);
    server.until("Ada is rated", |client| {
        player(client, "Ada").ok().get("rating").is_some()
    });
    let rating =
        |name: &str, part: &str| player(&server, name).ok()["rating"][part].as_f64().unwrap();
    // One game between beginners with deviation 350 and volatility 0.06, by Glickman's formulas.
    let (ada, grace) = (rating("Ada", "value"), rating("Grace", "value"));
    assert!((ada - 1662.31).abs() < 0.02, "{ada}");
    assert!((ada + grace - 3000.0).abs() < 0.02, "{ada} {grace}");
    for name in ["Ada", "Grace"] {
        let deviation = rating(name, "deviation");
        assert!((deviation - 290.32).abs() < 0.02, "{deviation}");
    }
    assert!(
        !server.log().contains("could not be rated"),
        "{}",
        server.log()
    );
}

#[test]
fn wrong_questions_are_refused_at_their_place() {
    let server = shared();
    let long = format!("prefix={}", "x".repeat(201));
    let wrong = [
        ("prefix=", 422, "invalid_field", "prefix"),
        ("prefix=+", 422, "invalid_field", "prefix"),
        ("prefix=a%00", 422, "invalid_field", "prefix"),
        (&long, 422, "limit_out_of_range", "prefix"),
        ("sort=", 422, "invalid_field", "sort"),
        ("sort=Name", 422, "invalid_field", "sort"),
        ("sort=-games", 422, "invalid_field", "sort"),
        ("limit=0", 422, "limit_out_of_range", "limit"),
        ("limit=201", 422, "limit_out_of_range", "limit"),
        ("limit=-1", 422, "limit_out_of_range", "limit"),
        ("limit=x", 422, "invalid_field", "limit"),
        ("limit=1&limit=1", 422, "invalid_field", "limit"),
        ("name=Ada", 400, "unknown_query_parameter", "name"),
        ("cursor=", 400, "malformed_cursor", "cursor"),
        ("cursor=x", 400, "malformed_cursor", "cursor"),
        ("cursor=0", 400, "malformed_cursor", "cursor"),
        ("cursor=00000000", 400, "malformed_cursor", "cursor"),
        ("cursor=0000000000000001", 400, "malformed_cursor", "cursor"),
        ("cursor=%00", 400, "malformed_cursor", "cursor"),
        (
            "cursor=%C3%A9%C3%A9%C3%A9%C3%A9",
            400,
            "malformed_cursor",
            "cursor",
        ),
    ];
    assert_refused(&server, "/v1/players", &wrong);
    server
        .get("/v1/players/A?x=1")
        .problem(400, "unknown_query_parameter");
}

#[test]
fn a_cursor_is_one_of_its_own_list_alone() {
    let server = Server::start();
    for round in 0..4 {
        keep(&server, &format!("Player {round}"), "Zed", round);
    }
    let server = rated(server);
    let cursor = |target: &str| {
        let page = server.get(target).ok();
        page["next_cursor"].as_str().unwrap().to_owned()
    };
    let cursors = ["games", "rating", "name"]
        .map(|sort| (sort, cursor(&format!("/v1/players?limit=1&sort={sort}"))));
    for (own, cursor) in &cursors {
        for (sort, _) in &cursors {
            let answer = server.get(&format!("/v1/players?sort={sort}&cursor={cursor}"));
            if own == sort {
                assert_eq!(names(&answer.ok()).len(), 4, "{own}");
            } else {
                answer.problem(400, "malformed_cursor");
            }
        }
        for changed in [
            &cursor[1..],
            &cursor[..cursor.len() - 2],
            &cursor.to_uppercase(),
            &format!("{cursor}00"),
        ] {
            if changed != cursor.as_str() {
                server
                    .get(&format!("/v1/players?sort={own}&cursor={changed}"))
                    .problem(400, "malformed_cursor");
            }
        }
        server
            .games(&format!("cursor={cursor}"))
            .problem(400, "malformed_cursor");
    }
    let games = cursor("/v1/games?limit=1");
    server
        .get(&format!("/v1/players?cursor={games}"))
        .problem(400, "malformed_cursor");
    // The faults of all names are told together.
    let answer = server.get("/v1/players?sort=x&limit=0&cursor=y&prefix=");
    let problem = answer.json();
    assert_eq!(problem["errors"].as_array().unwrap().len(), 4, "{problem}");
}

#[test]
fn the_page_limit_is_that_of_the_service() {
    let server = Server::start_with(&["--page-items", "3"]);
    for round in 0..4 {
        keep(&server, &format!("Player {round}"), "Zed", round);
    }
    assert_eq!(names(&server.get("/v1/players").ok()).len(), 3);
    let beyond = server.get("/v1/players?limit=4");
    assert_eq!(
        beyond.faults(422, "limit_out_of_range"),
        [("limit".into(), "limit_out_of_range".into())]
    );
}

/// The four games of the examples in the document.
pub fn keep_the_examples(client: &Client) {
    for (moves, rule, black, end, played_at) in [
        (
            "h8a1h9c1h10e1h12g1h11",
            "freestyle",
            "Ada",
            json!(["black", "five"]),
            "2026-11-05T18:00:00Z",
        ),
        (
            "h8i9j7g9",
            "renju",
            "Ada",
            json!(["black", "resignation"]),
            "2026-11-30T18:00:00Z",
        ),
        (
            "h8i9j8",
            "freestyle",
            "Grace",
            json!(["draw", "agreement"]),
            "2026-11-15T18:00:00Z",
        ),
        (
            "h8h9i9",
            "freestyle",
            "Grace",
            json!(["black", "timeout"]),
            "2026-11-20T18:00:00Z",
        ),
    ] {
        let white = if black == "Ada" { "Grace" } else { "Ada" };
        let game = json!({
            "position": {"rule": rule, "moves": moves}, "players": {"black": black, "white": white},
            "result": end[0], "termination": end[1], "played_at": played_at,
        });
        client.keep_game(&game).json_of(201);
    }
}

#[test]
fn the_documented_answer_is_given() {
    let server = Server::start();
    keep_the_examples(&server);
    let server = rated(server);
    let document = serde_json::to_value(tengen::api::document()).unwrap();
    let shown = &document["paths"]["/v1/players/{name}"]["get"]["responses"]["200"]["content"]["application/json"]
        ["example"];
    let told = player(&server, "Ada").ok();
    assert_eq!(&told, shown, "{told:#}");
}
