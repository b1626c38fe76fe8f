//! `/v1/games`: finished games, kept and found again.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, Server, encode, texts};

/// Black wins with the ninth ply.
const WON: &str = "h8a1h9c1h10e1h12g1h11";

/// A short open game that one side resigned; each number is another game.
fn resigned(number: usize) -> Value {
    json!({
        "position": {"moves": "h8i9"},
        "result": "black",
        "termination": "resignation",
        "round": number.to_string(),
    })
}

/// Keeps a new game and gives its id.
#[track_caller]
fn keep(client: &Client, game: &Value) -> String {
    let kept = client.keep_game(game).json_of(201);
    kept["id"].as_str().unwrap().to_owned()
}

/// The ids on a page.
#[track_caller]
fn ids(page: &Value) -> Vec<String> {
    let games = page["games"].as_array().unwrap().iter();
    games
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_game_is_kept_and_told_as_it_was_given() {
    let server = Server::start();
    let game = json!({
        "position": {"rule": "renju", "size": 15, "moves": WON},
        "players": {"black": "Äpfel & Söhne", "white": "中村"},
        "result": "black",
        "termination": "five",
        "event": "Spring",
        "site": "Kyoto",
        "round": "3",
        "played_at": "2026-11-30T19:00:00+01:00",
        "source": "test",
        "tags": ["one", "two"],
    });
    let answer = server.keep_game(&game);
    let kept = answer.json_of(201);
    let id = kept["id"].as_str().unwrap();
    assert!(
        answer
            .header("location")
            .unwrap()
            .ends_with(&format!("/v1/games/{id}"))
    );
    let etag = answer.header("etag").unwrap();
    assert!(
        etag.starts_with('"') && etag.ends_with('"'),
        "a strong tag: {etag}"
    );
    assert_eq!(
        kept["position"],
        json!({"rule": "renju", "size": 15, "moves": ["h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11"]})
    );
    for member in [
        "players",
        "result",
        "termination",
        "event",
        "site",
        "round",
        "source",
        "tags",
    ] {
        assert_eq!(kept[member], game[member], "{member}");
    }
    assert_eq!(
        kept["played_at"], "2026-11-30T18:00:00Z",
        "times are in UTC"
    );
    assert_eq!(kept["plies"], 9);
    assert!(kept["created_at"].as_str().unwrap().ends_with('Z'));

    let again = server.get(answer.header("location").unwrap());
    assert_eq!(again.ok(), kept);
    assert_eq!(again.header("etag"), Some(etag));
    assert_eq!(server.games("").ok()["games"], json!([kept]));
}

#[test]
fn what_is_not_known_of_a_game_is_absent() {
    let server = Server::start();
    let kept = server
        .keep_game(&json!({"position": {"moves": WON}}))
        .json_of(201);
    assert_eq!(kept["result"], "black", "the stones tell it");
    assert_eq!(kept["termination"], "five");
    for member in ["event", "site", "round", "played_at", "source"] {
        assert!(kept.get(member).is_none(), "{member}: {kept}");
    }
    assert!(kept["players"].get("black").is_none());
    assert_eq!(kept["tags"], json!([]));
    assert!(!kept.to_string().contains("null"));
}

#[test]
fn the_same_record_again_is_the_game_that_is_kept_already() {
    let server = Server::start();
    let first = server.keep_game(&json!({"position": {"moves": WON}}));
    let kept = first.json_of(201);
    let rows_and_columns: Vec<_> = texts(&kept["position"]["moves"])
        .iter()
        .map(|cell| {
            let row = 15 - cell[1..].parse::<u8>().unwrap();
            json!({"row": row, "col": cell.as_bytes()[0] - b'a'})
        })
        .collect();
    for again in [
        json!({"position": {"moves": WON}}),
        json!({"position": {"rule": "freestyle", "size": 15, "moves": WON.to_uppercase()}}),
        json!({"position": {"moves": rows_and_columns}}),
        json!({"position": {"moves": kept["position"]["moves"]}, "result": "black"}),
        json!({"position": {"moves": WON}, "result": "black", "termination": "five"}),
    ] {
        let answer = server.keep_game(&again);
        assert_eq!(answer.ok(), kept, "{again}");
        assert_eq!(answer.header("etag"), first.header("etag"));
    }
    assert_eq!(server.games("").ok()["games"].as_array().unwrap().len(), 1);
    // Another rule, size or player is another game.
    for other in [
        json!({"position": {"rule": "standard", "moves": WON}}),
        json!({"position": {"size": 16, "moves": WON}}),
        json!({"position": {"moves": WON}, "players": {"black": "A"}}),
        json!({"position": {"moves": WON}, "players": {"white": "A"}}),
    ] {
        assert_ne!(keep(&server, &other), kept["id"].as_str().unwrap());
    }
}

#[test]
fn a_game_sent_by_many_at_once_is_kept_once() {
    let server = Server::start();
    let game = json!({"position": {"moves": WON}, "players": {"black": "A", "white": "B"}});
    let answers: Vec<(u16, Value)> = thread::scope(|scope| {
        let senders: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let answer = server.keep_game(&game);
                    (answer.status, answer.json())
                })
            })
            .collect();
        senders
            .into_iter()
            .map(|sender| sender.join().unwrap())
            .collect()
    });
    let made = answers.iter().filter(|(status, _)| *status == 201).count();
    assert_eq!(made, 1, "{answers:?}");
    let known = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(known, 7, "{answers:?}");
    assert!(
        answers.iter().all(|(_, game)| *game == answers[0].1),
        "{answers:?}"
    );
    assert_eq!(server.games("").ok()["games"], json!([answers[0].1]));
}

#[test]
fn different_games_sent_by_many_at_once_are_all_kept() {
    let server = Server::start();
    let mut sent: Vec<String> = thread::scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|sender| {
                let server = &server;
                scope.spawn(move || {
                    let games = (0..10).map(|number| resigned(sender * 10 + number));
                    games.map(|game| keep(server, &game)).collect::<Vec<_>>()
                })
            })
            .collect();
        senders
            .into_iter()
            .flat_map(|sender| sender.join().unwrap())
            .collect()
    });
    let mut listed = ids(&server.games("limit=200").ok());
    listed.sort_unstable();
    sent.sort_unstable();
    assert_eq!(listed, sent);
}

#[test]
fn a_claim_that_the_stones_contradict_is_refused() {
    let server = Server::start();
    let open = "h8i9j7";
    for (moves, result, termination, pointer) in [
        (WON, "white", "five", "/result"),
        (WON, "draw", "five", "/result"),
        (WON, "black", "overline", "/termination"),
        (WON, "black", "resignation", "/termination"),
        (WON, "black", "timeout", "/termination"),
        (open, "black", "five", "/termination"),
        (open, "white", "overline", "/termination"),
        (open, "white", "forbidden", "/termination"),
        (open, "draw", "board_full", "/termination"),
        (open, "draw", "resignation", "/termination"),
        (open, "draw", "timeout", "/termination"),
    ] {
        let game =
            json!({"position": {"moves": moves}, "result": result, "termination": termination});
        let answer = server.keep_game(&game);
        assert_eq!(
            answer.faults(422, "result_mismatch"),
            [(pointer.to_owned(), "result_mismatch".to_owned())],
            "{game}"
        );
    }
    let only_result = json!({"position": {"moves": WON}, "result": "white"});
    server
        .keep_game(&only_result)
        .problem(422, "result_mismatch");
    let only_termination = json!({"position": {"moves": WON}, "termination": "agreement"});
    server
        .keep_game(&only_termination)
        .problem(422, "result_mismatch");
    assert_eq!(
        server.games("").ok()["games"],
        json!([]),
        "nothing was kept"
    );
}

#[test]
fn an_open_board_may_end_in_any_way_off_the_board() {
    let server = Server::start();
    for (result, termination) in [
        ("black", "resignation"),
        ("white", "resignation"),
        ("black", "timeout"),
        ("white", "timeout"),
        ("draw", "agreement"),
        ("black", "other"),
        ("draw", "other"),
    ] {
        let game =
            json!({"position": {"moves": "h8i9j7"}, "result": result, "termination": termination});
        let kept = server.keep_game(&game).json_of(201);
        assert_eq!(kept["result"], result);
        assert_eq!(kept["termination"], termination);
    }
    // Even before the first stone.
    let game = json!({"position": {"moves": []}, "result": "white", "termination": "timeout"});
    assert_eq!(server.keep_game(&game).json_of(201)["plies"], 0);
}

#[test]
fn an_open_board_needs_to_be_told_its_end() {
    let server = Server::start();
    let missing = |pointer: &str| (pointer.to_owned(), "missing_field".to_owned());
    let game = |more: Value| {
        let mut game = json!({"position": {"moves": "h8i9j7"}});
        for (name, value) in more.as_object().unwrap() {
            game[name.as_str()] = value.clone();
        }
        server.keep_game(&game).faults(422, "missing_field")
    };
    assert_eq!(
        game(json!({})),
        [missing("/result"), missing("/termination")]
    );
    assert_eq!(game(json!({"result": "black"})), [missing("/termination")]);
    assert_eq!(
        game(json!({"termination": "timeout"})),
        [missing("/result")]
    );
    assert_eq!(server.games("").ok()["games"], json!([]));
}

#[test]
fn an_illegal_record_is_not_kept() {
    let server = Server::start();
    for (moves, index, code) in [
        (json!(["h8", "h8"]), 1, "occupied"),
        (json!(["h8", "p16"]), 1, "off_board"),
        (json!(["h8", "i9", "j7", "pass"]), 3, "pass_not_allowed"),
        (
            json!([
                "h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11", "o1"
            ]),
            9,
            "after_game_end",
        ),
    ] {
        let game =
            json!({"position": {"moves": moves}, "result": "black", "termination": "resignation"});
        assert_eq!(
            server.keep_game(&game).faults(422, "illegal_move"),
            [(format!("/position/moves/{index}"), code.to_owned())]
        );
    }
    // A forbidden stone that the game went on after.
    let game = json!({"position": {"rule": "renju", "moves": "h7a1h9c1g8e1i8g1h8i1"}});
    let faults = server.keep_game(&game).faults(422, "illegal_move");
    assert_eq!(faults[0].1, "forbidden_double_three");
    assert_eq!(server.games("").ok()["games"], json!([]));
}

#[test]
fn a_forbidden_last_stone_is_a_game_that_white_won() {
    let server = Server::start();
    let position = json!({"rule": "renju", "moves": "h7a1h9c1g8e1i8g1h8"});
    let kept = server
        .keep_game(&json!({"position": position}))
        .json_of(201);
    assert_eq!(kept["result"], "white");
    assert_eq!(kept["termination"], "forbidden");
    assert_eq!(kept["plies"], 9);
    let claimed = json!({"position": position, "result": "white", "termination": "forbidden"});
    assert_eq!(server.keep_game(&claimed).ok()["id"], kept["id"]);
    let wrong = json!({"position": position, "result": "black"});
    server.keep_game(&wrong).problem(422, "result_mismatch");
}

#[test]
fn draws_on_the_board_are_kept_as_such() {
    let server = Server::start();
    let full = "a5c5b5d5e5a4c4b4d4e4a3c3b3d3e3a2c2b2d2e2a1c1b1d1e1";
    let kept = server
        .keep_game(&json!({"position": {"size": 5, "moves": full}}))
        .json_of(201);
    assert_eq!(kept["result"], "draw");
    assert_eq!(kept["termination"], "board_full");
    let passes = json!({"rule": "renju", "moves": "h8 a1 c1 pass pass"});
    let kept = server.keep_game(&json!({"position": passes})).json_of(201);
    assert_eq!(kept["result"], "draw");
    assert_eq!(
        texts(&kept["position"]["moves"]),
        ["h8", "a1", "c1", "pass", "pass"]
    );
}

#[test]
fn a_board_without_history_is_no_game() {
    let server = Server::start();
    let board = ["xxxxx", ".....", "..o..", ".oo..", "...o."];
    let faults = server
        .keep_game(&json!({"position": {"board": board}}))
        .faults(422, "missing_field");
    assert_eq!(faults, [("/position/moves".into(), "missing_field".into())]);
}

#[test]
fn a_game_is_not_sent_again_to_who_has_it() {
    let server = Server::start();
    let kept = server.keep_game(&json!({"position": {"moves": WON}}));
    let target = kept.header("location").unwrap();
    let etag = kept.header("etag").unwrap();
    for tags in [etag, "*", &format!("\"x\", W/{etag}")] {
        let answer = server.get_with(target, &[("if-none-match", tags)]);
        assert_eq!(answer.status, 304, "{tags}");
        assert_eq!(answer.header("etag"), Some(etag));
        assert!(answer.body.is_empty());
    }
    let other = server.get_with(target, &[("if-none-match", "\"x\"")]);
    assert_eq!(other.status, 200);
    let other = keep(&server, &resigned(0));
    assert_ne!(server.game(&other).header("etag"), Some(etag));
}

#[test]
fn an_unknown_game_is_not_found() {
    let server = Server::start();
    keep(&server, &resigned(0));
    for id in [
        "019357a4-6c00-7000-8000-000000000000",
        "1",
        "nothing",
        "%00",
        "%ff",
        "019357a4-6c00-7000-8000-00000000000g",
    ] {
        server.game(id).problem(404, "game_not_found");
    }
}

#[test]
fn the_newest_game_comes_first() {
    let server = Server::start();
    let mut kept: Vec<_> = (0..5)
        .map(|number| keep(&server, &resigned(number)))
        .collect();
    kept.reverse();
    let page = server.games("");
    assert_eq!(ids(&page.ok()), kept);
    assert!(page.header("link").is_none(), "there is no next page");
    assert!(page.ok().get("next_cursor").is_none());
    // Being sent again does not make a game newer.
    server.keep_game(&resigned(1)).ok();
    assert_eq!(ids(&server.games("").ok()), kept);
}

#[test]
fn pages_neither_skip_nor_repeat_while_games_come_in() {
    let server = Server::start();
    let mut kept: Vec<_> = (0..12)
        .map(|number| keep(&server, &resigned(number)))
        .collect();
    kept.reverse();
    for limit in [1, 5, 6, 11, 12] {
        let mut seen = Vec::new();
        let mut target = format!("/v1/games?limit={limit}");
        let mut added = 100 * limit;
        loop {
            let page = server.get(&target);
            let told = page.ok();
            let page_ids = ids(&told);
            assert!(page_ids.len() <= limit);
            seen.extend(page_ids);
            let Some(next) = page.next_link() else {
                assert!(told.get("next_cursor").is_none());
                break;
            };
            let cursor = told["next_cursor"].as_str().unwrap();
            assert!(next.contains(cursor), "{next} goes by {cursor}");
            assert_eq!(
                server
                    .games(&format!("limit={limit}&cursor={cursor}"))
                    .text(),
                server.get(&next).text()
            );
            target = next;
            keep(&server, &resigned(added));
            added += 1;
        }
        let start = seen.len() - 12;
        assert_eq!(seen[start..], kept, "limit {limit}");
        let mut distinct = seen.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), seen.len(), "limit {limit}");
    }
}

#[test]
fn a_page_that_is_just_full_has_no_next_one() {
    let server = Server::start();
    for number in 0..4 {
        keep(&server, &resigned(number));
    }
    let page = server.games("limit=4");
    assert_eq!(ids(&page.ok()).len(), 4);
    assert!(page.next_link().is_none());
    assert!(server.games("limit=3").next_link().is_some());
    let empty = server.games("rule=caro");
    assert_eq!(empty.ok()["games"], json!([]));
    assert!(empty.next_link().is_none());
}

#[test]
fn filters_choose_games_alone_and_together() {
    let server = Server::start();
    let mut kept = Vec::new();
    let players = ["Ann", "Bob & Co", "Ö", "50%"];
    for (number, rule) in ["freestyle", "standard", "renju", "caro"]
        .into_iter()
        .enumerate()
    {
        for (size, result) in [(15, "black"), (19, "white"), (15, "white")] {
            let game = json!({
                "position": {"rule": rule, "size": size, "moves": "h8i9"},
                "players": {"black": players[number], "white": players[(number + 1) % 4]},
                "result": result,
                "termination": "resignation",
            });
            kept.push(server.keep_game(&game).json_of(201));
        }
    }
    kept.reverse();
    type Fits = dyn Fn(&Value) -> bool;
    let plays = |name: &'static str| {
        move |game: &Value| game["players"]["black"] == name || game["players"]["white"] == name
    };
    let table: [(String, Box<Fits>); 10] = [
        (
            "rule=renju".into(),
            Box::new(|game| game["position"]["rule"] == "renju"),
        ),
        (
            "rule=freestyle".into(),
            Box::new(|game| game["position"]["rule"] == "freestyle"),
        ),
        (
            "size=19".into(),
            Box::new(|game| game["position"]["size"] == 19),
        ),
        ("size=20".into(), Box::new(|_| false)),
        (
            "result=white".into(),
            Box::new(|game| game["result"] == "white"),
        ),
        ("result=draw".into(), Box::new(|_| false)),
        (
            format!("player={}", encode("Bob & Co")),
            Box::new(plays("Bob & Co")),
        ),
        (format!("player={}", encode("50%")), Box::new(plays("50%"))),
        ("player=Bob".into(), Box::new(|_| false)),
        (
            format!("player={}&result=white&size=15&rule=renju", encode("Ö")),
            Box::new(move |game| {
                plays("Ö")(game)
                    && game["result"] == "white"
                    && game["position"]["size"] == 15
                    && game["position"]["rule"] == "renju"
            }),
        ),
    ];
    for (query, fits) in &table {
        let expected: Vec<_> = kept.iter().filter(|game| fits(game)).cloned().collect();
        let found = server.games(query).ok();
        assert_eq!(found["games"], json!(expected), "{query}");
        // And page by page.
        let mut paged = Vec::new();
        let mut target = Some(format!("/v1/games?{query}&limit=2"));
        while let Some(next) = target {
            let page = server.get(&next);
            paged.extend(ids(&page.ok()));
            target = page.next_link();
        }
        assert_eq!(paged, ids(&found), "{query}");
    }
    assert_eq!(
        table
            .iter()
            .filter(|(_, fits)| kept.iter().any(fits))
            .count(),
        7
    );
}

#[test]
fn a_cursor_that_was_not_given_is_malformed() {
    let server = Server::start();
    keep(&server, &resigned(0));
    for cursor in [
        "",
        "x",
        "0",
        "-1",
        "0000000000000000",
        "zzzzzzzzzzzzzzzz",
        "00000000000000001",
        "%00",
    ] {
        let answer = server.games(&format!("cursor={cursor}"));
        let faults = answer.faults(400, "malformed_cursor");
        assert_eq!(
            faults,
            [("cursor".into(), "malformed_cursor".into())],
            "{cursor}"
        );
    }
}

#[test]
fn wrong_filters_are_all_told_at_once() {
    let server = Server::start();
    let answer = server.games("rule=go&size=4&result=nobody&limit=0&player=+");
    let first = answer.json()["errors"][0]["code"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut faults = answer.faults(422, &first);
    faults.sort_unstable();
    let expected = [
        ("limit", "limit_out_of_range"),
        ("player", "invalid_field"),
        ("result", "invalid_field"),
        ("rule", "unsupported_rule"),
        ("size", "unsupported_size"),
    ];
    assert_eq!(
        faults,
        expected.map(|(place, code)| (place.to_owned(), code.to_owned()))
    );
}

#[test]
fn games_outlive_the_server_that_kept_them() {
    let server = Server::start();
    let directory = server.directory();
    for number in 0..3 {
        keep(&server, &resigned(number));
    }
    let before = server.games("").ok();
    let cursor = server.games("limit=1").ok()["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    server.stop();

    let server = Server::start_in(directory.clone(), &[]);
    assert_eq!(server.games("").ok(), before);
    let second = &ids(&before)[1];
    assert_eq!(
        ids(&server.games(&format!("limit=1&cursor={cursor}")).ok()),
        std::slice::from_ref(second),
        "the cursor of before"
    );
    keep(&server, &resigned(3));
    assert_eq!(
        server.keep_game(&resigned(0)).status,
        200,
        "known from before"
    );
    let before = server.games("").ok();
    server.kill();

    let server = Server::start_in(directory, &[]);
    assert_eq!(
        server.games("").ok(),
        before,
        "an acknowledged game is on the disk"
    );
    let oldest = ids(&before)[3].clone();
    assert_eq!(server.game(&oldest).ok()["id"], oldest);
}

#[test]
fn what_was_acknowledged_before_a_kill_under_load_is_there_after_it() {
    let server = Server::start();
    let directory = server.directory();
    let mut acknowledged: Vec<String> = thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let mut acknowledged = Vec::new();
            for number in 0.. {
                // The connection breaks when the server dies: then nothing was acknowledged.
                let body = resigned(number).to_string();
                let Some(answer) = server.try_post("/v1/games", &body) else {
                    break;
                };
                acknowledged.push(answer.json_of(201)["id"].as_str().unwrap().to_owned());
            }
            acknowledged
        });
        // However slow the machine is: there is something to be lost.
        server.until("a game is kept", |server| {
            !ids(&server.games("").ok()).is_empty()
        });
        thread::sleep(Duration::from_millis(300));
        server.signal("KILL");
        sender.join().unwrap()
    });
    assert!(!acknowledged.is_empty());
    let server = Server::start_in(directory, &[]);
    let mut listed = Vec::new();
    let mut target = Some("/v1/games?limit=200".to_owned());
    while let Some(next) = target {
        let page = server.get(&next);
        listed.extend(ids(&page.ok()));
        target = page.next_link();
    }
    listed.reverse();
    // The last one may have been kept without the answer getting through.
    listed.truncate(acknowledged.len());
    acknowledged.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, acknowledged);
}

#[test]
fn two_servers_may_keep_games_in_one_file() {
    let one = Server::start();
    let other = Server::start_in(one.directory(), &[]);
    let first = keep(&one, &resigned(0));
    let second = keep(&other, &resigned(1));
    assert_eq!(other.keep_game(&resigned(0)).ok()["id"], first);
    for server in [&one, &other] {
        assert_eq!(ids(&server.games("").ok()), [second.clone(), first.clone()]);
    }
}

#[test]
fn a_time_at_the_beginning_of_all_times_is_not_an_absent_one() {
    let server = Server::start();
    let mut game =
        json!({"position": {"moves": "h8"}, "result": "black", "termination": "timeout"});
    let without = server.keep_game(&game).json_of(201);
    game["played_at"] = json!("1970-01-01T00:00:00Z");
    let with = server.keep_game(&game).json_of(201);
    assert_ne!(with["id"], without["id"]);
    assert_eq!(with["played_at"], "1970-01-01T00:00:00Z");
}

#[test]
fn a_name_of_a_game_has_one_spelling() {
    let server = Server::start();
    let game = json!({"position": {"moves": "h8"}, "result": "black", "termination": "timeout"});
    let id = server.keep_game(&game).json_of(201)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    server.game(&id).ok();
    for other in [id.to_uppercase(), id.replace('-', "")] {
        server.game(&other).problem(404, "game_not_found");
    }
}

#[test]
fn a_wrong_limit_hides_no_wrong_cursor() {
    let answer = Server::start().games("limit=0&cursor=x");
    let faults = answer.faults(422, "limit_out_of_range");
    let told: Vec<_> = faults
        .iter()
        .map(|(pointer, code)| (pointer.as_str(), code.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("limit", "limit_out_of_range"),
            ("cursor", "malformed_cursor")
        ]
    );
}

/// Games that differ in all that can be asked for.
fn library(server: &Server) -> Vec<Value> {
    let mut kept = Vec::new();
    for number in 0..24 {
        let plies = ["h8i9j7g9", "h8h9i9", "a1b2c3d4e5f6", "h8"][number % 4];
        let mut game = json!({
            "position": {"rule": (["renju", "freestyle"][number % 2]), "moves": plies},
            "players": {"black": (["Ann", "Bob"][number / 2 % 2]), "white": (["Bob", "Cy"][number / 3 % 2])},
            "result": (["black", "white"][number % 2]),
            "termination": (["resignation", "timeout"][number / 5 % 2]),
            "event": format!("event {}", number % 3),
            "source": format!("source {}", number % 5),
            "tags": [format!("tag {}", number % 2), "all"],
            "round": number.to_string(),
        });
        if number % 6 != 0 {
            game["played_at"] = json!(format!("2026-11-{:02}T12:00:00Z", 1 + number * 7 % 24));
        }
        kept.push(server.keep_game(&game).json_of(201));
    }
    kept
}

#[test]
fn every_filter_and_every_order_agrees_with_a_walk_over_all_games() {
    let server = Server::start();
    let kept = library(&server);
    type Fits = fn(&Value) -> bool;
    let filters: [(&str, Fits); 14] = [
        ("", |_| true),
        ("black=Ann", |game| game["players"]["black"] == "Ann"),
        ("white=Bob", |game| game["players"]["white"] == "Bob"),
        ("player=Bob", |game| {
            game["players"]["black"] == "Bob" || game["players"]["white"] == "Bob"
        }),
        ("termination=timeout", |game| {
            game["termination"] == "timeout"
        }),
        ("event=event%201&result=white", |game| {
            game["event"] == "event 1" && game["result"] == "white"
        }),
        ("source=source%204", |game| game["source"] == "source 4"),
        ("tag=tag%201&tag=all", |_| unreachable!()),
        ("tag=tag%201", |game| game["tags"][0] == "tag 1"),
        ("played_from=2026-11-10&played_to=2026-11-20", |game| {
            game["played_at"]
                .as_str()
                .is_some_and(|at| ("2026-11-10".."2026-11-21").contains(&at))
        }),
        ("played_to=2026-11-08T12:00:00Z", |game| {
            game["played_at"]
                .as_str()
                .is_some_and(|at| at <= "2026-11-08T12:00:00Z")
        }),
        ("min_plies=3&max_plies=4", |game| {
            game["plies"] == 3 || game["plies"] == 4
        }),
        ("opening=D4", |game| game["opening"]["abbreviation"] == "D4"),
        ("rule=renju&player=Ann&termination=resignation", |game| {
            game["position"]["rule"] == "renju"
                && game["players"]["black"] == "Ann"
                && game["termination"] == "resignation"
        }),
    ];
    type By = fn(&Value) -> String;
    let orders: [(&str, By); 3] = [
        ("created_at", |_| String::new()),
        ("played_at", |game| {
            game["played_at"].as_str().unwrap_or("").to_owned()
        }),
        ("plies", |game| format!("{:04}", game["plies"])),
    ];
    for (query, fits) in filters {
        if query == "tag=tag%201&tag=all" {
            server.games(query).faults(422, "invalid_field");
            continue;
        }
        let mut expected: Vec<&Value> = kept.iter().filter(|game| fits(game)).collect();
        assert!(!expected.is_empty(), "{query}");
        for (order, value) in orders {
            // Kept in the order of arrival, which a stable sort keeps among equals.
            expected.sort_by_key(|game| {
                let number: u32 = game["round"].as_str().unwrap().parse().unwrap();
                (value(game), number)
            });
            for (sort, sorted) in [
                (order.to_owned(), expected.clone()),
                (
                    format!("-{order}"),
                    expected.iter().rev().copied().collect(),
                ),
            ] {
                let mut paged = Vec::new();
                let mut target = Some(format!("/v1/games?{query}&sort={sort}&limit=5"));
                while let Some(next) = target {
                    let page = server.get(&next);
                    paged.extend(ids(&page.ok()));
                    target = page.next_link();
                }
                let ids: Vec<_> = sorted
                    .iter()
                    .map(|game| game["id"].as_str().unwrap())
                    .collect();
                assert_eq!(paged, ids, "{query} {sort}");
            }
        }
    }
}

#[test]
fn a_cursor_belongs_to_the_order_of_its_list() {
    let server = Server::start();
    library(&server);
    let page = server.games("limit=5&sort=plies").ok();
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(
        server.games(&format!("sort=plies&cursor={cursor}")).status,
        200
    );
    for sort in ["-plies", "played_at", "-created_at"] {
        let answer = server.games(&format!("sort={sort}&cursor={cursor}"));
        answer.problem(400, "malformed_cursor");
    }
}

#[test]
fn a_final_position_is_found_in_any_orientation() {
    let server = Server::start();
    let kept = library(&server);
    let replay = server
        .replay(&json!({"position": {"moves": "h8i8i7"}}))
        .ok();
    let key = replay["symmetry_key"].as_str().unwrap();
    let found = server.games(&format!("symmetry_key={key}")).ok();
    let mut expected: Vec<_> = kept.iter().filter(|game| game["plies"] == 3).collect();
    expected.reverse();
    assert_eq!(found["games"], json!(expected));
    server
        .games("symmetry_key=XYZ")
        .faults(422, "invalid_field");
}
