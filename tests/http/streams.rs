//! What every stream keeps to, octet by octet as it comes from the socket: the first event at once, heartbeats in silence,
//! one last event, whole chunks, and readers that take nothing for a while.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::analyses::{narrow, running};
use crate::client::{Client, Server, request};

const SSE: &str = "text/event-stream";
const NDJSON: &str = "application/x-ndjson";

/// The longest silence that a stream may keep.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// The requests that are answered by events, each with so many milliseconds for a search.
fn streams(form: &str, time_ms: u64) -> Vec<(String, Vec<u8>)> {
    let body = json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": time_ms}}).to_string();
    let sent = [("Content-Type", "application/json"), ("Accept", form)];
    let posted = ["/v1/analyses", "/v1/reviews"].map(|path| {
        let octets = request("POST", path.as_bytes(), &sent, body.as_bytes());
        (format!("POST {path} as {form}"), octets)
    });
    let target = format!("/v1/analyses?moves=h8i9&time_ms={time_ms}");
    let got = request("GET", target.as_bytes(), &[("Accept", form)], b"");
    let mut all = Vec::from(posted);
    all.push((format!("GET {target} as {form}"), got));
    all
}

/// The octets of an answer, with the time of each piece that came.
struct Raw {
    stream: TcpStream,
    octets: Vec<u8>,
}

impl Raw {
    fn ask(client: &Client, octets: &[u8]) -> Raw {
        let mut stream = client.connect();
        stream.write_all(octets).unwrap();
        Raw {
            stream,
            octets: Vec::new(),
        }
    }

    /// Reads on until a text has come for so many times.
    #[track_caller]
    fn until(&mut self, text: &str, times: usize) {
        let mut piece = [0; 4096];
        while self.text().matches(text).count() < times {
            let length = self.stream.read(&mut piece).unwrap();
            assert_ne!(length, 0, "the end without {text:?}: {}", self.text());
            self.octets.extend_from_slice(&piece[..length]);
        }
    }

    /// Reads up to the end of the connection, so many octets at once, and gives what the chunks hold.
    fn rest(mut self, at_once: usize) -> String {
        let mut piece = vec![0; at_once];
        loop {
            let length = self.stream.read(&mut piece).unwrap();
            if length == 0 {
                break;
            }
            self.octets.extend_from_slice(&piece[..length]);
        }
        unchunked(&self.octets)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.octets).into_owned()
    }
}

/// What the chunks of an answer hold, if they are whole and the last is the empty one (RFC 9112, 7.1).
#[track_caller]
fn unchunked(answer: &[u8]) -> String {
    let text = std::str::from_utf8(answer).unwrap();
    let (head, mut rest) = text.split_once("\r\n\r\n").unwrap();
    assert!(
        head.to_lowercase().contains("transfer-encoding: chunked"),
        "{head}"
    );
    let mut body = String::new();
    loop {
        let (length, chunk) = rest.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let (data, after) = chunk.split_at(length);
        body.push_str(data);
        rest = after.strip_prefix("\r\n").unwrap();
        if length == 0 {
            assert_eq!(rest, "", "octets after the end");
            return body;
        }
    }
}

/// The events of a body, whatever is between them.
fn events(body: &str) -> Vec<Value> {
    let lines = body
        .lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// One first event, one last event, and all numbered without a gap.
#[track_caller]
fn assert_sound(what: &str, events: &[Value], last: &str) {
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds.first(), Some(&Some("accepted")), "{what}: {kinds:?}");
    assert_eq!(kinds.last(), Some(&Some(last)), "{what}: {kinds:?}");
    let ends = kinds
        .iter()
        .filter(|kind| matches!(kind, Some("done" | "error")));
    assert_eq!(ends.count(), 1, "{what}: {kinds:?}");
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], index + 1, "{what}");
    }
}

#[test]
fn a_stream_that_waits_speaks_at_once_and_never_keeps_silent_for_long() {
    let server = narrow("8");
    let endless = request("GET", b"/v1/analyses?moves=a1&time_ms=30000", &[], b"");
    let _busy = Raw::ask(&server, &endless);
    server.until("the only thread is taken", |client| running(client) == 1.0);
    let mut waiting = Vec::new();
    for (form, beat) in [(SSE, "\r\n:\n\n"), (NDJSON, "\r\n\n\r\n")] {
        for (what, octets) in streams(form, 100) {
            let asked = Instant::now();
            let mut raw = Raw::ask(&server, &octets);
            raw.until("\"accepted\"", 1);
            assert!(asked.elapsed() < Duration::from_secs(2), "{what}");
            let head = raw.text().to_lowercase();
            for header in ["x-accel-buffering: no", "cache-control: no-store", form] {
                assert!(head.contains(header), "{what}: {header}");
            }
            waiting.push((what, beat, raw, Instant::now()));
        }
    }
    for (what, beat, raw, accepted) in &mut waiting {
        raw.until(beat, 1);
        let silence = accepted.elapsed();
        assert!(silence < LONGEST_SILENCE, "{what}: {silence:?}");
    }
    // They may not wait for ever: the end is told as an event, since the head with its status is long gone.
    for (what, _, raw, _) in waiting {
        let events = events(&raw.rest(4096));
        assert_sound(&what, &events, "error");
        let problem = &events.last().unwrap()["data"];
        assert_eq!(problem["code"], "engine_queue_full", "{what}");
        assert_eq!(problem["status"], 503, "{what}");
    }
}

#[test]
fn a_reader_that_pauses_and_reads_octet_by_octet_gets_whole_chunks_and_the_end() {
    let server = Server::start();
    for form in [SSE, NDJSON] {
        let open = streams(form, 300);
        let asked: Vec<_> = open
            .iter()
            .map(|(what, octets)| (what, Raw::ask(&server, octets)))
            .collect();
        thread::sleep(Duration::from_millis(1_500));
        for (what, raw) in asked {
            assert_sound(what, &events(&raw.rest(1)), "done");
        }
    }
}

/// A line of JSON with a game that has as much text as one may.
fn long_line(number: usize) -> String {
    let text = "x".repeat(190);
    let tags: Vec<_> = (0..20).map(|tag| format!("{text}{tag}")).collect();
    let game = json!({
        "rule": "freestyle", "size": 15, "moves": "h8 i9 j7", "result": "draw", "termination": "other",
        "players": {"black": format!("Ann {number}"), "white": "Bob"}, "event": text, "site": text, "tags": tags,
    });
    game.to_string() + "\n"
}

#[test]
fn readers_that_take_nothing_hold_nobody_up_and_lose_nothing() {
    const GAMES: usize = 1_400;
    let server = Server::start();
    let file: String = (0..GAMES).map(long_line).collect();
    let kept = server.send(
        "POST",
        "/v1/game-imports",
        &[("content-type", NDJSON)],
        file.as_bytes(),
    );
    assert_eq!(kept.ok()["counts"]["stored"], GAMES);
    // More octets than the system holds for a reader, and more readers than the store has connections.
    let all = request("GET", b"/v1/games", &[("Accept", NDJSON)], b"");
    let idle: Vec<_> = (0..6)
        .map(|_| {
            let mut raw = Raw::ask(&server, &all);
            raw.until("\r\n\r\n", 1);
            raw
        })
        .collect();
    thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    server.games("player=Bob&limit=1").ok();
    let body = json!({
        "position": {"moves": ["h8"]}, "result": "black", "termination": "resignation",
    });
    assert_eq!(server.keep_game(&body).status, 201);
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    for raw in idle {
        let games = raw.rest(1 << 16).lines().count();
        // The game that was added meanwhile may be among them or not.
        assert!([GAMES, GAMES + 1].contains(&games), "{games}");
    }
}

#[test]
fn the_stream_of_a_job_speaks_at_once_and_never_keeps_silent_for_long() {
    let server = Server::start_with(&["--job-workers", "0"]);
    let body = json!({"kind": "analysis", "input": {"position": {"moves": "h8i9"}}});
    let job = server.post("/v1/jobs", &body).json_of(202);
    let path = format!("/v1/jobs/{}", job["id"].as_str().unwrap());
    let target = format!("{path}/events");
    let mut waiting = Vec::new();
    for (form, beat) in [(SSE, "\r\n:\n\n"), (NDJSON, "\r\n\n\r\n")] {
        let asked = Instant::now();
        let octets = request("GET", target.as_bytes(), &[("Accept", form)], b"");
        let mut raw = Raw::ask(&server, &octets);
        raw.until("\"accepted\"", 1);
        assert!(asked.elapsed() < Duration::from_secs(2), "{form}");
        waiting.push((form, beat, raw, Instant::now()));
    }
    for (form, beat, raw, accepted) in &mut waiting {
        raw.until(beat, 1);
        assert!(accepted.elapsed() < LONGEST_SILENCE, "{form}");
    }
    server
        .send("POST", &format!("{path}/cancellation"), &[], b"")
        .ok();
    for (form, _, raw, _) in waiting {
        let events = events(&raw.rest(4096));
        assert_sound(form, &events, "done");
        assert_eq!(events.last().unwrap()["data"]["state"], "cancelled");
    }
}
