//! `/v1/analyses`: what is found in a position, at once or in events.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Server, bounded, request, shared, texts};

const RULES: [&str; 4] = ["freestyle", "standard", "renju", "caro"];

/// Enough for everything that these tests ask for.
const NODES: u64 = 1_000;

/// Longer than any search of these tests may run if it is stopped, shorter than it runs if it is not.
pub const SOON: Duration = Duration::from_secs(5);

/// A position in which no search comes to an end by itself for a long time.
const OPEN: &str = "h8i9";

/// Asks for an analysis by POST and GET alike, with a bound on the search.
#[track_caller]
fn analysis(client: &Client, body: &Value) -> Value {
    let asked = bounded(body.clone(), NODES);
    client.computed("/v1/analyses", &asked).ok()
}

#[track_caller]
fn moves_of(told: &Value) -> Vec<&str> {
    let lines = told["lines"].as_array().unwrap();
    lines
        .iter()
        .map(|line| line["move"].as_str().unwrap())
        .collect()
}

#[test]
fn an_analysis_tells_lines_with_what_follows() {
    let server = shared();
    for rule in RULES {
        let position = json!({"rule": rule, "moves": "h8i9j7"});
        let told = analysis(&server, &json!({"position": position, "multi_pv": 5}));
        assert_eq!(told["position"]["moves"], json!(["h8", "i9", "j7"]));
        assert_eq!(told["to_move"], "white");
        assert_eq!(told["pov"], "to_move");
        assert_eq!(told["must_block"], json!([]));
        assert!(told["stop_reason"].is_string());
        assert!(told.get("no_move").is_none());
        let lines = told["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 5, "{told}");
        let mut moves = moves_of(&told);
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 5, "each move once");
        for line in lines {
            assert_eq!(line["pv"][0], line["move"]);
            let chance = line["win_prob"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&chance), "{line}");
            let played = format!("h8i9j7{}", texts(&line["pv"]).concat());
            let replayed = server.replay(&json!({"position": {"rule": rule, "moves": played}}));
            assert_eq!(replayed.ok()["legal"], true, "{rule} {line}");
        }
    }
}

#[test]
fn the_cell_that_must_be_taken_is_told() {
    let server = shared();
    let moves = "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10";
    let told = analysis(
        &server,
        &json!({"position": {"rule": "freestyle", "moves": moves}}),
    );
    assert_eq!(told["must_block"], json!(["e7"]));
    assert_eq!(moves_of(&told), ["e7"]);
    assert_eq!(told["lines"][0]["reason"]["code"], "block_five");
    assert_eq!(told["lines"][0]["reason"]["cells"], json!(["e7"]));
    // Where one wins oneself, nothing must be stopped.
    let both = json!({"position": {"moves": "a1a3b1b3c1c3d1d3"}});
    let told = analysis(&server, &both);
    assert_eq!(told["must_block"], json!([]));
    assert_eq!(moves_of(&told), ["e1"]);
}

#[test]
fn two_fives_at_once_are_both_told_and_cannot_be_stopped() {
    let server = shared();
    let moves = "h8i9i7g9j7k7j8i8h6g5j9j6j10j11l10k9i10k10k8l7l9i6l12l11h5h4i5g7g6i4j5e7d8f8h10h11k11f6i3f7f10g10g11f5";
    let told = analysis(
        &server,
        &json!({"position": {"rule": "freestyle", "moves": moves}}),
    );
    assert_eq!(told["to_move"], "black");
    let mut must_block = texts(&told["must_block"]);
    must_block.sort_unstable();
    assert_eq!(must_block, ["f4", "f9"]);
    let line = &told["lines"][0];
    assert!(line["win_prob"].as_f64().unwrap() < 0.5, "{line}");
    // Seen by the one who wins it is the other way round.
    let white = json!({"position": {"rule": "freestyle", "moves": moves}, "pov": "white"});
    let white = analysis(&server, &white);
    assert!(
        white["lines"][0]["win_prob"].as_f64().unwrap() > 0.5,
        "{white}"
    );
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
    let position = json!({"rule": "freestyle", "board": board});
    let told = analysis(&server, &json!({"position": position}));
    let best = moves_of(&told)[0];
    assert!(["g8", "k8"].contains(&best), "{told}");
    assert_eq!(told["lines"][0]["reason"]["code"], "blocks_open_three");
    let mut cells = texts(&told["lines"][0]["reason"]["cells"]);
    cells.sort_unstable();
    assert_eq!(cells, ["g8", "k8"]);
}

#[test]
fn a_far_away_stone_is_no_obstacle() {
    let server = shared();
    let asked = json!({"position": {"moves": "h8a1"}, "limits": {"time_ms": 100}});
    let told = server.analyse(&asked).ok();
    let played = format!("h8a1{}", moves_of(&told)[0]);
    let replayed = server.replay(&json!({"position": {"moves": played}}));
    assert_eq!(replayed.ok()["legal"], true);
}

#[test]
fn the_moves_to_choose_from_and_to_leave_out_are_kept_to() {
    let server = shared();
    let position = json!({"moves": "h8i9j7"});
    let only = ["a1", "o15", "h9"];
    let told = analysis(
        &server,
        &json!({"position": position, "multi_pv": 20, "only_moves": only}),
    );
    let mut moves = moves_of(&told);
    moves.sort_unstable();
    assert_eq!(moves, ["a1", "h9", "o15"]);

    let best = analysis(&server, &json!({"position": position}));
    let best = moves_of(&best)[0].to_owned();
    let asked = json!({"position": position, "multi_pv": 20, "avoid_moves": [best]});
    let told = analysis(&server, &asked);
    assert_eq!(told["lines"].as_array().unwrap().len(), 20);
    assert!(!moves_of(&told).contains(&best.as_str()), "{told}");

    let both = json!({"position": position, "only_moves": "a1 o15", "avoid_moves": "o15"});
    assert_eq!(moves_of(&analysis(&server, &both)), ["a1"]);

    let by_row = json!({"position": position, "only_moves": [{"row": 0, "col": 14}], "limits": {"nodes": NODES}});
    assert_eq!(moves_of(&server.analyse(&by_row).ok()), ["o15"]);
}

#[test]
fn a_move_that_may_not_be_played_is_refused_at_its_place() {
    let server = shared();
    let renju = json!({"rule": "renju", "moves": "h7a1h9c1g8e1i8g1"});
    for (member, moves, faults) in [
        ("only_moves", json!(["h9"]), vec![("/0", "occupied")]),
        (
            "only_moves",
            json!(["h8", "h6"]),
            vec![("/0", "forbidden_double_three")],
        ),
        (
            "avoid_moves",
            json!(["h6", "p1"]),
            vec![("/1", "off_board")],
        ),
        (
            "avoid_moves",
            json!(["pass"]),
            vec![("/0", "pass_not_allowed")],
        ),
        (
            "only_moves",
            json!(["z1", "a1", "a2"]),
            vec![("/0", "off_board"), ("/1", "occupied")],
        ),
        (
            "only_moves",
            json!([{"row": 7, "col": 7}]),
            vec![("/0", "forbidden_double_three")],
        ),
        (
            "only_moves",
            json!("h6 h8"),
            vec![("", "forbidden_double_three")],
        ),
    ] {
        let mut body = json!({ "position": renju });
        body[member] = moves;
        let expected: Vec<_> = faults
            .into_iter()
            .map(|(place, code)| (format!("/{member}{place}"), code.to_owned()))
            .collect();
        assert_eq!(
            server.analyse(&body).faults(422, "illegal_move"),
            expected,
            "{body}"
        );
        // What is wrong is told before the first event, too.
        let headers = [
            ("content-type", "application/json"),
            ("accept", "text/event-stream"),
        ];
        let streamed = server.send(
            "POST",
            "/v1/analyses",
            &headers,
            body.to_string().as_bytes(),
        );
        assert_eq!(streamed.faults(422, "illegal_move"), expected);
    }
    let got = server.get("/v1/analyses?moves=h8&only_moves=i9h8&nodes=100");
    assert_eq!(
        got.faults(422, "illegal_move"),
        [("only_moves".to_owned(), "occupied".to_owned())]
    );
}

#[test]
fn what_one_side_gains_the_other_loses() {
    let server = shared();
    for moves in ["h8i9j7", "h8i9j7g7h6", "h8h12h9a1h10c1h11"] {
        let ask = |pov: &str| {
            let asked = json!({"position": {"moves": moves}, "pov": pov});
            let told = analysis(&server, &asked);
            assert_eq!(told["pov"], pov);
            told["lines"][0].clone()
        };
        let (own, black, white) = (ask("to_move"), ask("black"), ask("white"));
        let its = if own == black { white } else { black };
        assert_ne!(own, its, "{moves}");
        assert_eq!(own["move"], its["move"]);
        assert_eq!(
            own["score"].as_i64().unwrap(),
            -its["score"].as_i64().unwrap()
        );
        let sum = own["win_prob"].as_f64().unwrap() + its["win_prob"].as_f64().unwrap();
        assert!((sum - 1.0).abs() < 0.001, "{own} {its}");
    }
}

#[test]
fn where_there_is_no_move_it_says_why() {
    let server = shared();
    let over = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}, "only_moves": "h8"});
    let told = analysis(&server, &over);
    assert_eq!(told["no_move"]["code"], "game_over");
    assert_eq!(told["no_move"]["result"]["winner"], "black");
    for member in ["to_move", "stop_reason", "depth", "nodes", "elapsed_ms"] {
        assert!(told.get(member).is_none(), "{member}: {told}");
    }
    let board = ["xxx.xx", "ooxxoo", "xxooxx", "ooxxoo", "xxooxx", "ooxxoo"];
    let stuck = json!({"position": {"rule": "renju", "board": board, "to_move": "black", "setup": true}, "limits": {"nodes": 1}});
    let told = server.analyse(&stuck).ok();
    assert_eq!(told["no_move"]["code"], "no_legal_cell");
    let none = json!({"position": {"moves": "h8"}, "only_moves": "i9", "avoid_moves": "i9"});
    let told = analysis(&server, &none);
    assert_eq!(told["no_move"]["code"], "none_left");
    assert_eq!(told["lines"], json!([]));
    assert_eq!(told["to_move"], "white");
}

#[test]
fn the_answer_is_tagged_for_its_form_when_it_follows_from_the_question() {
    let server = shared();
    let answer = server.get("/v1/analyses?moves=h8i9&nodes=500");
    assert!(answer.header("etag").is_some());
    let vary = answer.header("vary").unwrap().to_lowercase();
    assert!(
        vary.contains("accept,") && vary.contains("accept-encoding"),
        "{vary}"
    );
    let timed = server.get("/v1/analyses?moves=h8i9&time_ms=10");
    assert!(timed.header("etag").is_none());
    assert_eq!(timed.header("cache-control"), Some("no-store"));
}

/// A stream of events being read.
pub struct Events {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Events {
    /// Asks for an analysis in a form, and reads the head of the answer.
    fn open(server: &Client, form: &str, body: &Value) -> Events {
        let mut stream = server.connect();
        let headers = [("Content-Type", "application/json"), ("Accept", form)];
        let body = body.to_string();
        let octets = request("POST", b"/v1/analyses", &headers, body.as_bytes());
        stream.write_all(&octets).unwrap();
        Events::read_head(stream)
    }

    pub fn read_head(stream: TcpStream) -> Events {
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(stream.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let head = head.to_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        Events { stream, head }
    }

    /// The next event; none at the end of the stream.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let json = line.strip_prefix("data: ").unwrap_or(&line);
            if json.starts_with('{') {
                return Some(serde_json::from_str(json).unwrap());
            }
        }
    }

    pub fn rest(mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

pub fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

#[test]
fn events_tell_the_progress_and_the_answer_and_end() {
    let server = shared();
    for form in ["text/event-stream", "application/x-ndjson"] {
        let body = json!({"position": {"moves": OPEN}, "multi_pv": 2, "limits": {"depth": 3}});
        let events = Events::open(&server, form, &body);
        for header in [
            &format!("content-type: {form}"),
            "x-accel-buffering: no",
            "cache-control: no-store",
        ] {
            assert!(events.head.contains(header), "{header}: {}", events.head);
        }
        let events = events.rest();
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event["seq"], index + 1);
        }
        let told = kinds(&events);
        assert_eq!(told[0], "accepted");
        assert_eq!(events[0]["data"]["position"]["moves"], json!(["h8", "i9"]));
        assert_eq!(told[told.len() - 2..], ["result", "done"]);
        let progress = &told[1..told.len() - 2];
        assert!(progress.iter().all(|kind| *kind == "progress"), "{told:?}");
        let mut depth = 0;
        for event in events.iter().filter(|event| event["type"] == "progress") {
            assert!(event["data"]["depth"].as_u64().unwrap() > depth);
            depth = event["data"]["depth"].as_u64().unwrap();
            assert!(event["data"]["lines"].as_array().unwrap().len() <= 2);
        }
        // The answer is the one that a caller without events gets.
        let answer = server.analyse(&body).ok();
        assert_eq!(events[events.len() - 2]["data"], answer);
    }
}

#[test]
fn the_first_event_comes_at_once_and_progress_with_the_search() {
    let server = shared();
    for coding in ["identity", "gzip"] {
        let started = Instant::now();
        let mut stream = server.connect();
        let headers = [
            ("Accept", "application/x-ndjson"),
            ("Accept-Encoding", coding),
        ];
        let target = format!("/v1/analyses?moves={OPEN}&time_ms=3000");
        stream
            .write_all(&request("GET", target.as_bytes(), &headers, b""))
            .unwrap();
        let mut events = Events::read_head(stream);
        if coding == "gzip" {
            let mut octets = [0; 16];
            events.stream.read_exact(&mut octets).unwrap();
        } else {
            assert_eq!(events.next().unwrap()["type"], "accepted");
            assert_eq!(events.next().unwrap()["type"], "progress");
        }
        assert!(started.elapsed() < Duration::from_millis(2500), "{coding}");
    }
}

#[test]
fn a_finished_game_is_told_in_events_as_well() {
    let server = shared();
    let body = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}});
    let events = Events::open(&server, "text/event-stream", &body).rest();
    assert_eq!(kinds(&events), ["accepted", "result", "done"]);
    assert_eq!(events[1]["data"]["no_move"]["code"], "game_over");
}

#[test]
fn a_browser_that_has_had_the_last_event_is_told_to_come_no_more() {
    let server = shared();
    let ask = |last: &str| {
        let headers = [("accept", "text/event-stream"), ("last-event-id", last)];
        server.get_with("/v1/analyses?moves=h8&depth=1", &headers)
    };
    let answer = ask("end");
    assert_eq!(answer.status, 204);
    assert!(answer.body.is_empty());
    let again = ask("");
    assert_eq!(again.status, 200);
    let last = again.text().trim_end().rsplit("\n\n").next().unwrap();
    assert!(last.starts_with("id: end\n"), "{last}");
}

/// An analysis that runs as long as one may.
fn endless() -> Value {
    json!({"position": {"moves": OPEN}, "limits": {"time_ms": 30_000}})
}

/// A server with one search thread and room for so many to wait.
pub fn narrow(queue: &str) -> Server {
    Server::start_with(&["--search-threads", "1", "--search-queue", queue])
}

pub fn running(client: &Client) -> f64 {
    client.metric("searches_running")
}

#[test]
fn a_search_ends_when_its_caller_is_gone() {
    let server = narrow("1");
    for form in [
        "text/event-stream",
        "application/x-ndjson",
        "application/json",
    ] {
        let mut stream = server.connect();
        let headers = [("Content-Type", "application/json"), ("Accept", form)];
        let body = endless().to_string();
        let octets = request("POST", b"/v1/analyses", &headers, body.as_bytes());
        stream.write_all(&octets).unwrap();
        server.until("it runs", |client| running(client) == 1.0);
        drop(stream);
        let gone = Instant::now();
        server.until("it has stopped", |client| running(client) == 0.0);
        assert!(gone.elapsed() < SOON, "{form}: {:?}", gone.elapsed());
    }
    assert_eq!(server.metric("searches_total{end=\"cancelled\"}"), 3.0);
}

#[test]
fn a_full_queue_is_told_with_a_time_to_come_again() {
    let server = narrow("1");
    let first = Events::open(&server, "application/x-ndjson", &endless());
    server.until("it runs", |client| running(client) == 1.0);
    let mut second = Events::open(&server, "application/x-ndjson", &endless());
    assert_eq!(second.next().unwrap()["type"], "accepted", "it waits");
    for accept in ["application/json", "text/event-stream"] {
        let headers = [("content-type", "application/json"), ("accept", accept)];
        let body = endless().to_string();
        let refused = server.send("POST", "/v1/analyses", &headers, body.as_bytes());
        refused.problem(503, "engine_queue_full");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    assert_eq!(server.metric("searches_waiting"), 1.0);
    assert_eq!(server.metric("searches_total{end=\"refused\"}"), 2.0);
    // Hints have a queue of their own; here it waits for the only thread.
    let hint = thread::scope(|scope| {
        let hint = scope.spawn(|| server.hint(&bounded(json!({"position": {"moves": OPEN}}), 10)));
        server.until("the hint waits", |client| {
            client.metric("searches_waiting") == 2.0
        });
        drop(first);
        hint.join().unwrap()
    });
    hint.ok();
    // And goes before the analysis that came earlier.
    server.until("the analysis runs", |client| running(client) == 1.0);
    assert_eq!(second.next().unwrap()["type"], "progress");
}

#[test]
fn hints_are_not_kept_behind_analyses() {
    let server = Server::start_with(&["--search-threads", "2"]);
    let analyses: Vec<_> = (0..4)
        .map(|_| Events::open(&server, "application/x-ndjson", &endless()))
        .collect();
    server.until("they wait", |client| {
        client.metric("searches_waiting") == 3.0
    });
    let started = Instant::now();
    server
        .hint(&bounded(json!({"position": {"moves": OPEN}}), 10))
        .ok();
    assert!(started.elapsed() < SOON);
    drop(analyses);
}

#[test]
fn the_service_answers_under_a_flood_of_searches() {
    let server = Server::start();
    let flood: Vec<_> = (0..24)
        .map(|_| Events::open(&server, "application/x-ndjson", &endless()))
        .collect();
    server.until("they wait", |client| {
        client.metric("searches_waiting") > 10.0
    });
    let replay = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}});
    let mut took: Vec<_> = (0..20)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(server.get("/healthz").status, 200);
            assert_eq!(server.replay(&replay).status, 200);
            started.elapsed()
        })
        .collect();
    took.sort_unstable();
    // Half of them: a machine that does other things as well may be late now and then.
    assert!(took[10] < Duration::from_millis(500), "{took:?}");
    drop(flood);
    server.until("all have stopped", |client| {
        running(client) == 0.0 && client.metric("searches_waiting") == 0.0
    });
}

#[test]
fn a_server_that_is_told_to_stop_lets_its_searches_end() {
    let server = narrow("1");
    let body = json!({"position": {"moves": OPEN}, "limits": {"time_ms": 1500}});
    let events = Events::open(&server, "application/x-ndjson", &body);
    server.until("it runs", |client| running(client) == 1.0);
    server.signal("TERM");
    let events = events.rest();
    assert_eq!(kinds(&events).last(), Some(&"done"), "{events:?}");
    assert_eq!(server.wait(SOON).code(), Some(0));
}
