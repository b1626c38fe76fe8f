//! The limits that `/v1/meta` tells are the ones that hold: the last good value passes, the next does not.

use std::io::{BufReader, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, Server, read_answer, request, shared};

/// A limit that the service tells.
#[track_caller]
fn limit(client: &Client, name: &str) -> usize {
    let told = client.meta().ok()["limits"][name].as_u64();
    let told = told.unwrap_or_else(|| panic!("{name} is not told"));
    usize::try_from(told).unwrap()
}

/// A body of so many octets, most of them blanks.
fn body_of(octets: usize) -> Vec<u8> {
    let mut body = json!({"position": {"moves": "h8"}})
        .to_string()
        .into_bytes();
    body.resize(octets, b' ');
    body
}

/// A path with a query of so many octets, most of them blanks.
fn target_of(octets: usize) -> String {
    let start = "/v1/replays?moves=h8";
    format!("{start}{}", "+".repeat(octets - start.len()))
}

#[track_caller]
fn assert_body_limit(server: &Server, most: usize) {
    let headers = [("content-type", "application/json")];
    assert_eq!(limit(server, "body_bytes"), most);
    let fits = server.send("POST", "/v1/replays", &headers, &body_of(most));
    assert_eq!(fits.status, 200, "{}", fits.text());
    let longer = server.send("POST", "/v1/replays", &headers, &body_of(most + 1));
    longer.problem(413, "body_too_large");
}

#[track_caller]
fn assert_url_limit(server: &Server, most: usize) {
    assert_eq!(limit(server, "url_bytes"), most);
    assert_eq!(server.get(&target_of(most)).status, 200);
    server
        .get(&target_of(most + 1))
        .problem(414, "uri_too_long");
}

#[track_caller]
fn assert_page_limit(server: &Server, most: usize) {
    assert_eq!(limit(server, "page_items"), most);
    assert_eq!(server.games(&format!("limit={most}")).status, 200);
    let beyond = server.games(&format!("limit={}", most + 1));
    assert_eq!(
        beyond.faults(422, "limit_out_of_range"),
        [("limit".into(), "limit_out_of_range".into())]
    );
}

#[test]
fn a_body_may_be_as_long_as_told_and_no_longer() {
    assert_body_limit(&shared(), 64 * 1024);
}

#[test]
fn a_body_in_chunks_may_not_be_longer_either() {
    let server = shared();
    let head = "POST /v1/replays HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = body_of(limit(&server, "body_bytes") + 1);
    let mut octets = format!("{head}{:x}\r\n", body.len()).into_bytes();
    octets.extend_from_slice(&body);
    octets.extend_from_slice(b"\r\n0\r\n\r\n");
    server.raw(&octets).problem(413, "body_too_large");
}

#[test]
fn a_body_announced_as_too_long_is_refused_before_it_is_sent() {
    let server = shared();
    let head = "POST /v1/replays HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n{";
    let mut stream = server.connect();
    let soon = Duration::from_secs(3);
    stream.set_read_timeout(Some(soon)).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let is_answered = stream.peek(&mut [0]).is_ok();
    assert!(
        is_answered,
        "the server waits for a body that it will refuse"
    );
    read_answer(&mut BufReader::new(stream)).problem(413, "body_too_large");
}

#[test]
fn path_and_query_may_be_as_long_as_told_and_no_longer() {
    let server = shared();
    assert_url_limit(&server, 8_000);
    let long = format!("/{}", "x".repeat(8_000));
    server.get(&long).problem(414, "uri_too_long");
    let raw = request("POST", long.as_bytes(), &[], b"");
    server.raw(&raw).problem(414, "uri_too_long");
}

#[test]
fn the_configured_limits_are_told_and_hold() {
    let server = Server::start_with(&[
        "--body-bytes",
        "1000",
        "--url-bytes",
        "300",
        "--page-items",
        "3",
    ]);
    assert_body_limit(&server, 1000);
    assert_url_limit(&server, 300);
    assert_page_limit(&server, 3);
    for number in 0..5 {
        let game = json!({"position": {"moves": "h8"}, "result": "draw", "termination": "agreement", "round": number.to_string()});
        server.keep_game(&game).json_of(201);
    }
    let page = server.games("").ok();
    assert_eq!(
        page["games"].as_array().unwrap().len(),
        limit(&server, "page_items_default")
    );
    assert_eq!(page["games"].as_array().unwrap().len(), 3);
}

#[test]
fn a_page_may_have_as_many_games_as_told_and_has_the_told_number_by_itself() {
    let server = Server::start();
    assert_page_limit(&server, 200);
    let default = limit(&server, "page_items_default");
    for number in 0..=default {
        let game = json!({"position": {"moves": "h8"}, "result": "draw", "termination": "agreement", "round": number.to_string()});
        server.keep_game(&game).json_of(201);
    }
    assert_eq!(
        server.games("").ok()["games"].as_array().unwrap().len(),
        default
    );
    let all = server.games("limit=200").ok();
    assert_eq!(all["games"].as_array().unwrap().len(), default + 1);
}

#[test]
fn a_record_may_have_as_many_plies_as_told_and_no_more() {
    let server = shared();
    let most = limit(&server, "record_plies");
    // More than any board has cells; most plies are violations, which is no error.
    assert!(most >= 625);
    for path in [
        "/v1/replays",
        "/v1/legal-moves",
        "/v1/threats",
        "/v1/hints",
        "/v1/analyses",
        "/v1/reviews",
        "/v1/boards.svg",
        "/v1/boards.png",
        "/v1/boards.txt",
    ] {
        for (moves, pointer) in [
            (json!("h8".repeat(most + 1)), "/position/moves"),
            (json!(vec!["h8"; most + 1]), "/position/moves"),
        ] {
            let answer = server.post(path, &json!({"position": {"moves": moves}}));
            assert_eq!(
                answer.faults(422, "limit_out_of_range"),
                [(pointer.to_owned(), "limit_out_of_range".to_owned())]
            );
        }
    }
    let replay = server
        .replay(&json!({"position": {"moves": "h8".repeat(most)}}))
        .ok();
    assert_eq!(replay["violations"].as_array().unwrap().len(), most - 1);
}

#[test]
fn a_full_board_of_the_largest_size_fits_into_a_request() {
    let server = shared();
    let size = 25;
    // Pairs of rows of two and two: nowhere five.
    let square = |row: usize, column: usize| (column / 2 + row).is_multiple_of(2);
    let mut cells = [Vec::new(), Vec::new()];
    for row in 0..size {
        for column in 0..size {
            cells[usize::from(!square(row, column))].push(json!({"row": row, "col": column}));
        }
    }
    let (black, white) = (&cells[0], &cells[1]);
    let plies = 2 * black.len().min(white.len());
    let moves: Vec<_> = (0..plies)
        .map(|ply| cells[ply % 2][ply / 2].clone())
        .collect();
    let replay = server
        .replay(&json!({"position": {"size": size, "moves": moves}}))
        .ok();
    assert_eq!(replay["legal"], true, "{replay}");
    assert_eq!(replay["plies"], plies);
    assert!(plies > 600);
}

/// The numbers from 1 to this pass, the next ones do not, in a body and in a query.
#[track_caller]
fn assert_number_limit(server: &Client, path: &str, pointer: &str, most: usize) {
    let name = pointer.rsplit('/').next().unwrap();
    let ask = |number: usize| {
        // A win in one: no search is long here.
        let mut body = json!({"position": {"moves": "a1a3b1b3c1c3d1d3"}, "limits": {"depth": 1}});
        match pointer.strip_prefix("/limits/") {
            Some(name) => body["limits"][name] = json!(number),
            None => body[name] = json!(number),
        }
        server.post(path, &body)
    };
    for number in [1, most] {
        assert_eq!(ask(number).status, 200, "{path} {pointer} {number}");
    }
    for number in [0, most + 1] {
        assert_eq!(
            ask(number).faults(422, "limit_out_of_range"),
            [(pointer.to_owned(), "limit_out_of_range".to_owned())]
        );
        let got = server.get(&format!("{path}?moves=h8&{name}={number}"));
        assert_eq!(
            got.faults(422, "limit_out_of_range"),
            [(name.to_owned(), "limit_out_of_range".to_owned())]
        );
    }
}

#[test]
fn the_limits_of_a_search_are_as_told() {
    let server = shared();
    for (told, path, pointer, most) in [
        ("hint_count", "/v1/hints", "/count", 10),
        ("hint_time_ms", "/v1/hints", "/limits/time_ms", 10_000),
        ("search_nodes", "/v1/hints", "/limits/nodes", 1_000_000_000),
        ("search_depth", "/v1/hints", "/limits/depth", 100),
        ("analysis_lines", "/v1/analyses", "/multi_pv", 20),
        (
            "analysis_time_ms",
            "/v1/analyses",
            "/limits/time_ms",
            30_000,
        ),
        (
            "search_nodes",
            "/v1/analyses",
            "/limits/nodes",
            1_000_000_000,
        ),
        ("search_depth", "/v1/analyses", "/limits/depth", 100),
    ] {
        assert_eq!(limit(&server, told), most, "{told}");
        assert_number_limit(&server, path, pointer, most);
    }
    for path in ["/v1/hints", "/v1/analyses"] {
        assert_number_limit(&server, path, "/level", 10);
    }
}

#[test]
fn a_batch_may_have_as_many_items_and_as_long_ones_as_told() {
    let server = shared();
    let most = limit(&server, "batch_items");
    assert_eq!(most, 100);
    let item = json!({"kind": "replay", "body": {"position": {"moves": "h8"}}});
    let ask =
        |count: usize| server.post("/v1/batches", &json!({"items": vec![item.clone(); count]}));
    let all = ask(most).json_of(207);
    assert_eq!(all["items"].as_array().unwrap().len(), most);
    assert_eq!(
        ask(most + 1).faults(422, "limit_out_of_range"),
        [("/items".to_owned(), "limit_out_of_range".to_owned())]
    );
    // A body in a batch may be as long as one by itself; all of them together may be longer.
    let octets = limit(&server, "body_bytes");
    let long = |octets: usize| {
        let (start, end) = ("{\"position\":{\"moves\":\"h8\"}", "}");
        let blanks = " ".repeat(octets - start.len() - end.len());
        format!("{{\"kind\":\"replay\",\"body\":{start}{blanks}{end}}}")
    };
    let text = format!("{{\"items\":[{},{}]}}", long(octets), long(octets + 1));
    let headers = [("Content-Type", "application/json")];
    let answer = server.send("POST", "/v1/batches", &headers, text.as_bytes());
    let items = answer.json_of(207)["items"].clone();
    assert_eq!(items[0]["status"], 200);
    assert_eq!(items[1]["status"], 413);
    let mut whole = json!({"items": [item]}).to_string().into_bytes();
    whole.resize(limit(&server, "batch_bytes"), b' ');
    let answer = server.send("POST", "/v1/batches", &headers, &whole);
    assert_eq!(answer.status, 207);
    whole.push(b' ');
    let answer = server.send("POST", "/v1/batches", &headers, &whole);
    answer.problem(413, "body_too_large");
    for time_ms in [1, limit(&server, "batch_time_ms")] {
        let body = json!({"items": [item], "time_ms": time_ms});
        server.post("/v1/batches", &body).json_of(207);
    }
    assert_eq!(limit(&server, "batch_time_ms_default"), 10_000);
}

#[test]
fn the_limits_of_jobs_are_told_and_hold() {
    let server = Server::start_with(&[
        "--job-workers",
        "0",
        "--job-queue",
        "3",
        "--job-analysis-time-ms",
        "70000",
        "--job-review-time-ms",
        "80000",
        "--import-bytes",
        "100000",
    ]);
    let meta = server.meta().ok();
    assert_eq!(meta["search"]["job_workers"], 0);
    for (name, most) in [
        ("job_analysis_time_ms", 70_000),
        ("job_review_time_ms", 80_000),
        ("job_bytes", 100_000),
        ("jobs_waiting", 3),
    ] {
        assert_eq!(limit(&server, name), most, "{name}");
    }
    assert!(limit(&server, "jobs_kept") > 0 && limit(&server, "jobs_kept_ms") > 0);
    let ask = |time_ms: u64| {
        let input = json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": time_ms}});
        server.post("/v1/jobs", &json!({"kind": "analysis", "input": input}))
    };
    ask(70_000).json_of(202);
    assert_eq!(
        ask(70_001).faults(422, "limit_out_of_range"),
        [(
            "/input/limits/time_ms".to_owned(),
            "limit_out_of_range".to_owned()
        )]
    );
    // Three positions of a game.
    let ask = |time_ms: u64| {
        let input = json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": time_ms}});
        server.post("/v1/jobs", &json!({"kind": "review", "input": input}))
    };
    ask(26_666).json_of(202);
    ask(26_667).problem(422, "use_job");
    let octets = |octets: usize| {
        let mut body = json!({"kind": "analysis", "input": {"position": {"moves": "h8"}}})
            .to_string()
            .into_bytes();
        body.resize(octets, b' ');
        server.send(
            "POST",
            "/v1/jobs",
            &[("content-type", "application/json")],
            &body,
        )
    };
    octets(100_000).json_of(202);
    octets(100_001).problem(413, "body_too_large");
    // What is no file may be as long as another body.
    let input = json!({"position": {"moves": " ".repeat(70_000)}});
    let answer = server.post("/v1/jobs", &json!({"kind": "analysis", "input": input}));
    answer.problem(413, "body_too_large");
    // Three wait now.
    let full = ask(1).problem(503, "engine_queue_full");
    assert!(full["detail"].as_str().unwrap().contains("jobs"), "{full}");
}

#[test]
fn the_configured_limits_of_searches_are_told_and_hold() {
    let server = Server::start_with(&[
        "--hint-time-ms",
        "40",
        "--analysis-time-ms",
        "60",
        "--search-threads",
        "3",
        "--threads-per-search",
        "2",
        "--search-queue",
        "5",
        "--search-memory-mib",
        "2",
    ]);
    let meta = server.meta().ok();
    let search = &meta["search"];
    assert_eq!(search["threads"], 3);
    assert_eq!(search["threads_per_search"], 2);
    assert_eq!(search["queue"], 5);
    assert_eq!(search["memory_mib"], 2);
    assert!(search["wait_ms"].as_u64().unwrap() > 0);
    // The time without any limit is never longer than the longest.
    assert_eq!(limit(&server, "search_time_ms_default"), 500);
    assert_number_limit(&server, "/v1/hints", "/limits/time_ms", 40);
    assert_number_limit(&server, "/v1/analyses", "/limits/time_ms", 60);
    for (path, most) in [("/v1/hints", 40), ("/v1/analyses", 60)] {
        let told = server.get(&format!("{path}?moves=h8i9")).ok();
        let elapsed = told["elapsed_ms"].as_u64().unwrap();
        assert!(elapsed < most + 300, "{path}: {elapsed}");
    }
}

#[test]
fn a_picture_may_have_as_many_pixels_as_told_and_no_more_or_fewer() {
    let server = shared();
    let (least, most) = (
        limit(&server, "picture_pixels_least"),
        limit(&server, "picture_pixels"),
    );
    assert_eq!((least, most), (64, 4096));
    // The hint on a stone is a fault too, so that nothing is drawn: the largest picture takes its time.
    let faults = |pixels: usize| {
        let target = format!("/v1/boards.png?moves=h8&marks=h8:1&pixels={pixels}");
        let faults = server.get(&target).json()["errors"].clone();
        let faults = faults.as_array().unwrap().clone();
        let names = faults.iter().map(|fault| fault["pointer"].to_string());
        names.collect::<Vec<_>>()
    };
    for good in [least, most] {
        assert_eq!(faults(good), ["\"marks\""], "{good}");
    }
    for bad in [0, least - 1, most + 1] {
        assert_eq!(faults(bad), ["\"pixels\""], "{bad}");
    }
}

#[test]
fn a_picture_may_have_as_many_marks_as_told_and_no_more() {
    let server = shared();
    let most = limit(&server, "picture_marks");
    let ask = |count: usize| {
        let marks = vec![json!({"cell": "a1", "kind": "hint"}); count];
        server.post(
            "/v1/boards.txt",
            &json!({"position": {"moves": "h8"}, "marks": marks}),
        )
    };
    assert_eq!(ask(most).status, 200);
    assert_eq!(
        ask(most + 1).faults(422, "limit_out_of_range"),
        [("/marks".into(), "limit_out_of_range".into())]
    );
    let text = json!({"position": {"moves": "h8"}, "marks": "a1:1 ".repeat(most + 1)});
    assert_eq!(
        server
            .post("/v1/boards.txt", &text)
            .faults(422, "limit_out_of_range"),
        [("/marks".into(), "limit_out_of_range".into())]
    );
}

#[test]
fn a_title_may_be_as_long_as_told_and_no_longer() {
    let server = shared();
    let most = limit(&server, "text_chars");
    for (name, pointer) in [("title", "/title"), ("black", "/players/black")] {
        let ask = |length: usize| {
            let text = "é".repeat(length);
            let mut body = json!({"position": {"moves": "h8"}});
            match name {
                "title" => body["title"] = json!(text),
                name => body["players"] = json!({ name: text }),
            }
            server.post("/v1/boards.txt", &body)
        };
        // All of it is shown.
        assert!(ask(most).text().contains(&"é".repeat(most)), "{name}");
        assert_eq!(
            ask(most + 1).faults(422, "limit_out_of_range"),
            [(pointer.to_owned(), "limit_out_of_range".to_owned())]
        );
    }
}

#[test]
fn a_conversion_may_have_as_many_games_as_told_and_no_more() {
    let server = shared();
    let most = limit(&server, "conversion_games");
    assert_eq!(most, 100);
    let ask = |line: &str, count: usize| {
        let text = format!("h8 i9\n{}", line.repeat(count - 1));
        server.post("/v1/conversions", &json!({"to": "psq", "text": text}))
    };
    assert_eq!(ask("a1 b2\n", most).ok()["games"], most);
    // Bad ones count too, and of many the first twenty are told.
    let told = ask("a1 a1\n", most).ok();
    assert_eq!(told["games"], 1);
    assert_eq!(told["refused_count"], most - 1);
    assert_eq!(told["refused"].as_array().unwrap().len(), 20);
    for line in ["a1 b2\n", "a1 a1\n"] {
        assert_eq!(
            ask(line, most + 1).faults(422, "limit_out_of_range"),
            [("/text".into(), "limit_out_of_range".into())]
        );
    }
}

#[test]
fn the_texts_of_a_game_may_be_as_long_as_told_and_no_longer() {
    let server = Server::start();
    let most = limit(&server, "text_chars");
    let game = |name: &str, text: String| {
        let mut game =
            json!({"position": {"moves": "h8"}, "result": "draw", "termination": "agreement"});
        match name {
            "black" | "white" => game["players"] = json!({ name: text }),
            "tags" => game["tags"] = json!(["a", text]),
            _ => game[name] = json!(text),
        }
        server.keep_game(&game)
    };
    for (name, pointer) in [
        ("black", "/players/black"),
        ("white", "/players/white"),
        ("event", "/event"),
        ("site", "/site"),
        ("round", "/round"),
        ("source", "/source"),
        ("tags", "/tags/1"),
    ] {
        assert_eq!(
            game(name, "é".repeat(most + 1)).faults(422, "limit_out_of_range"),
            [(pointer.to_owned(), "limit_out_of_range".to_owned())]
        );
        // Characters, not octets.
        let fits = game(name, "é".repeat(most));
        assert!(matches!(fits.status, 200 | 201), "{name}: {}", fits.text());
    }
}

#[test]
fn a_game_may_have_as_many_tags_as_told_and_no_more() {
    let server = Server::start();
    let most = limit(&server, "tags");
    let game = |count: usize| {
        let tags: Vec<_> = (0..count).map(|number| number.to_string()).collect();
        let game = json!({"position": {"moves": "h8"}, "result": "draw", "termination": "agreement", "tags": tags});
        server.keep_game(&game)
    };
    assert_eq!(
        game(most + 1).faults(422, "limit_out_of_range"),
        [("/tags".into(), "limit_out_of_range".into())]
    );
    let kept = game(most).json_of(201);
    assert_eq!(kept["tags"].as_array().unwrap().len(), most);
}

#[test]
fn as_many_faults_are_told_at_once_as_told() {
    let server = shared();
    let most = limit(&server, "errors");
    assert_eq!(most, 20);
    for (bad, told) in [
        (most - 1, most - 1),
        (most, most),
        (most + 1, most),
        (100, most),
    ] {
        let moves = vec![json!("nowhere"); bad];
        let answer = server.replay(&json!({"position": {"moves": moves}}));
        let faults = answer.faults(422, "unreadable_notation");
        let expected: Vec<_> = (0..told)
            .map(|index| {
                (
                    format!("/position/moves/{index}"),
                    "unreadable_notation".to_owned(),
                )
            })
            .collect();
        assert_eq!(faults, expected);
        let moves: Vec<Value> = (0..bad).map(|number| json!(number)).collect();
        let answer = server.replay(&json!({"position": {"moves": moves}}));
        assert_eq!(answer.faults(422, "invalid_field").len(), told);
    }
}
