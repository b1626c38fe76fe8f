//! `/v1/reviews` and `/v1/games/{id}/review`: games judged ply by ply, at once, in events or as a chart.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::analyses::{Events, SOON, kinds, narrow, running};
use crate::client::{Answer, Client, Server, bounded, request, shared, texts};

/// Black has an open four and plays elsewhere; White, who had nothing left, makes five.
const MISSED: &str = "e5e6d5d6c5c6b5b6a1a6";

/// White lets Black make a four and an open three.
const FOUR_THREE: &str = "h8g8i8a1j8a3k9a5k10a7k8";

fn missed() -> Value {
    bounded(json!({"position": {"size": 9, "moves": MISSED}}), 300)
}

fn ply(review: &Value, number: usize) -> &Value {
    &review["plies"][number - 1]
}

/// What holds for every review.
#[track_caller]
fn assert_sound(review: &Value, plies: usize) {
    let told = review["plies"].as_array().unwrap();
    assert_eq!(told.len(), plies);
    let number = |value: &Value| value.as_f64().unwrap();
    for (index, ply) in told.iter().enumerate() {
        assert_eq!(ply["ply"], index + 1);
        assert_eq!(ply["color"], ["black", "white"][index % 2]);
        for chance in [
            &ply["before"]["win_prob"],
            &ply["after"]["win_prob"],
            &ply["loss"],
        ] {
            assert!((0.0..=1.0).contains(&number(chance)), "{ply}");
        }
        assert!((0.0..=100.0).contains(&number(&ply["accuracy"])), "{ply}");
        let is_forced = texts(&ply["tags"]).contains(&"forced_loss");
        assert!(!is_forced || ply.get("judgement").is_none(), "{ply}");
        if let Some(better) = ply.get("better") {
            assert_eq!(better["move"], better["pv"][0]);
            assert_ne!(better["move"], ply["move"]);
        }
    }
    let chances = review["black_win_probs"].as_array().unwrap();
    assert_eq!(chances.len(), plies + 1);
    for side in ["black", "white"] {
        let player = &review["players"][side];
        let judged = told
            .iter()
            .filter(|ply| ply["color"] == side && ply.get("judgement").is_some());
        let counts = player["judgements"].as_object().unwrap();
        let sum: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(sum, judged.count() as u64);
        assert_eq!(player.get("accuracy").is_some(), sum > 0);
    }
    let summary = review["summary"].as_str().unwrap();
    let sentences = summary.matches(". ").count() + 1;
    assert!((2..=5).contains(&sentences), "{summary}");
}

#[test]
fn a_missed_five_and_what_came_of_it_are_told() {
    let server = shared();
    let review = server.review(&missed()).ok();
    assert_sound(&review, 10);
    let missed = ply(&review, 9);
    assert_eq!(missed["move"], "a1");
    assert_eq!(missed["before"]["verdict"], "proven_win");
    assert_eq!(missed["before"]["plies_to_end"], 1);
    assert_eq!(missed["before"]["win_prob"], 1.0);
    assert_eq!(missed["after"]["win_prob"], 0.0);
    assert_eq!(missed["loss"], 1.0);
    assert_eq!(missed["judgement"], "blunder");
    assert_eq!(texts(&missed["tags"]), ["missed_win", "allowed_win"]);
    let better = missed["better"]["move"].as_str().unwrap();
    assert!(["a5", "f5"].contains(&better), "{missed}");
    assert_eq!(missed["better"]["reason"]["code"], "win_now");

    // Against an open four every move loses: nothing is judged.
    let lost = ply(&review, 8);
    assert_eq!(lost["before"]["verdict"], "proven_loss");
    assert_eq!(texts(&lost["tags"]), ["forced_loss"]);
    assert!(lost.get("judgement").is_none(), "{lost}");

    let won = ply(&review, 10);
    assert_eq!(won["judgement"], "best");
    assert_eq!(won["after"]["win_prob"], 1.0);
    assert_eq!(won["after"]["plies_to_end"], 0);
    assert_eq!(review["result"]["winner"], "white");
    assert_eq!(review["result"]["at_ply"], 10);
    assert_eq!(review["turning_points"][0]["ply"], 9);
    assert_eq!(review["turning_points"][0]["move"], "a1");
    let summary = review["summary"].as_str().unwrap();
    assert!(summary.starts_with("White won with ply 10."), "{summary}");
    assert!(summary.contains("Black's a1 at ply 9"), "{summary}");
}

#[test]
fn a_four_three_that_was_allowed_is_told_and_made() {
    let server = shared();
    let asked = bounded(json!({"position": {"moves": FOUR_THREE}}), 1_000);
    let review = server.review(&asked).ok();
    assert_sound(&review, 11);
    let allowed = ply(&review, 10);
    assert!(
        texts(&allowed["tags"]).contains(&"allowed_win"),
        "{allowed}"
    );
    assert_eq!(allowed["after"]["verdict"], "proven_loss");
    let made = ply(&review, 11);
    assert!(texts(&made["tags"]).contains(&"double_threat"), "{made}");
    assert_eq!(made["before"]["verdict"], "proven_win");
}

#[test]
fn a_stone_that_alone_stops_a_four_is_the_only_move() {
    let server = shared();
    let asked = bounded(json!({"position": {"moves": "h8h12h9a1h10c1h11h7"}}), 500);
    let review = server.review(&asked).ok();
    assert_sound(&review, 8);
    let stopped = ply(&review, 8);
    assert!(texts(&stopped["tags"]).contains(&"only_move"), "{stopped}");
    assert_eq!(stopped["judgement"], "best");
}

#[test]
fn a_slower_win_is_late_and_the_faster_one_told() {
    let server = shared();
    // Black has an open four, which White cannot stop, and plays elsewhere first.
    let asked = bounded(json!({"position": {"moves": "h8a1h9c1h10e1h11g1a15"}}), 500);
    let review = server.review(&asked).ok();
    let late = ply(&review, 9);
    assert_eq!(texts(&late["tags"]), ["late_win"], "{late}");
    assert_eq!(late["better"]["reason"]["code"], "win_now");
}

#[test]
fn equal_questions_get_equal_answers_and_what_is_left_is_passed_on() {
    let server = shared();
    for rule in ["freestyle", "standard", "renju", "caro"] {
        let asked = json!({"position": {"rule": rule, "moves": "h8i9j7g9h6"}});
        let asked = bounded(asked, 400);
        let first = server.review(&asked);
        let review = first.ok();
        assert_sound(&review, 5);
        assert_eq!(server.review(&asked).text(), first.text());
        assert!(review.get("elapsed_ms").is_none());
        assert!(first.header("cache-control").is_none());
        assert!(
            first
                .header("server-timing")
                .unwrap()
                .contains("search;dur=")
        );
        for number in 1..5 {
            let left = ply(&review, number)["after"]["score"].as_i64().unwrap();
            let begun = ply(&review, number + 1)["before"]["score"]
                .as_i64()
                .unwrap();
            assert_eq!(left, -begun, "{rule}, ply {number}");
        }
    }
    let timed = json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": 5}});
    let timed = server.review(&timed);
    assert_eq!(timed.header("cache-control"), Some("no-store"));
    assert!(timed.ok()["elapsed_ms"].is_number());
}

#[test]
fn it_is_told_for_whom_it_is_asked() {
    let server = shared();
    let of = |pov: &str| {
        let mut asked = missed();
        asked["pov"] = json!(pov);
        let review = server.review(&asked).ok();
        assert_eq!(review["pov"], pov);
        review
    };
    let (own, black, white) = (of("to_move"), of("black"), of("white"));
    for number in 1..=10 {
        let chance = |review: &Value| ply(review, number)["after"]["win_prob"].as_f64().unwrap();
        assert!(
            (chance(&black) + chance(&white) - 1.0).abs() < 1e-9,
            "{number}"
        );
        let its = if number % 2 == 1 { &black } else { &white };
        assert_eq!(ply(&own, number), ply(its, number));
    }
}

#[test]
fn a_game_without_plies_has_a_review() {
    let server = shared();
    let review = server
        .review(&bounded(json!({"position": {"moves": ""}}), 50))
        .ok();
    assert_sound(&review, 0);
    assert_eq!(review["result"]["status"], "ongoing");
}

#[test]
fn a_board_and_a_game_that_breaks_the_rules_are_refused_at_their_places() {
    let server = shared();
    let board = json!({"position": {"board": [".....", ".....", "..x..", ".....", "....."]}});
    assert_eq!(
        server.review(&board).faults(422, "missing_field"),
        [("/position/moves".to_owned(), "missing_field".to_owned())]
    );
    for form in ["application/json", "text/event-stream", "image/svg+xml"] {
        let broken = json!({"position": {"moves": ["h8", "i9", "h8"]}});
        let answer = ask(&server, form, &broken);
        assert_eq!(
            answer.faults(422, "illegal_move"),
            [("/position/moves/2".to_owned(), "occupied".to_owned())]
        );
    }
}

/// Asks for a review in a form.
fn ask(client: &Client, form: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("accept", form)];
    client.send("POST", "/v1/reviews", &headers, body.to_string().as_bytes())
}

/// Asks for a review in events, and reads the head of the answer.
fn open(client: &Client, form: &str, body: &Value) -> Events {
    let mut stream = client.connect();
    let headers = [("Content-Type", "application/json"), ("Accept", form)];
    let body = body.to_string();
    let octets = request("POST", b"/v1/reviews", &headers, body.as_bytes());
    stream.write_all(&octets).unwrap();
    Events::read_head(stream)
}

#[test]
fn events_tell_each_ply_once_in_order_and_end_with_the_answer() {
    let server = shared();
    let answer = server.review(&missed()).ok();
    for form in ["text/event-stream", "application/x-ndjson"] {
        let events = open(&server, form, &missed()).rest();
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event["seq"], index + 1);
        }
        let told = kinds(&events);
        assert_eq!(told[0], "accepted");
        assert_eq!(events[0]["data"]["plies"], 10);
        assert_eq!(told[1..11], ["ply"; 10]);
        assert_eq!(told[11..], ["result", "done"]);
        for (index, event) in events[1..11].iter().enumerate() {
            assert_eq!(event["data"], answer["plies"][index]);
        }
        assert_eq!(events[11]["data"], answer);
    }
}

#[test]
fn plies_are_told_while_later_ones_are_searched() {
    let server = shared();
    let asked = json!({"position": {"moves": "h8i9j7g9h6"}, "limits": {"time_ms": 700}});
    let started = Instant::now();
    let mut events = open(&server, "application/x-ndjson", &asked);
    assert_eq!(events.next().unwrap()["type"], "accepted");
    assert_eq!(events.next().unwrap()["type"], "ply");
    // Six positions take longer.
    assert!(
        started.elapsed() < Duration::from_millis(3_500),
        "{:?}",
        started.elapsed()
    );
}

/// A review that runs long.
fn long() -> Value {
    json!({"position": {"moves": "h8i9j7"}, "limits": {"time_ms": 10_000}})
}

#[test]
fn a_review_ends_when_its_caller_is_gone() {
    let server = narrow("1");
    let forms = [
        "text/event-stream",
        "application/x-ndjson",
        "application/json",
        "image/svg+xml",
    ];
    for form in forms {
        let mut stream = server.connect();
        let headers = [("Content-Type", "application/json"), ("Accept", form)];
        let body = long().to_string();
        let octets = request("POST", b"/v1/reviews", &headers, body.as_bytes());
        stream.write_all(&octets).unwrap();
        server.until("it runs", |client| running(client) == 1.0);
        drop(stream);
        let gone = Instant::now();
        server.until("it has stopped", |client| running(client) == 0.0);
        assert!(gone.elapsed() < SOON, "{form}: {:?}", gone.elapsed());
    }
    assert_eq!(server.metric("searches_total{end=\"cancelled\"}"), 4.0);
    assert_eq!(
        server.metric("searches_waiting"),
        0.0,
        "nothing more is searched"
    );
}

#[test]
fn a_hint_goes_between_the_plies_of_a_review() {
    let server = narrow("4");
    let asked = json!({"position": {"moves": "h8i9j7g9h6"}, "limits": {"time_ms": 1_000}});
    let events = open(&server, "application/x-ndjson", &asked);
    server.until("it runs", |client| running(client) == 1.0);
    let finished = |client: &Client| client.metric("searches_total{end=\"finished\"}");
    server
        .hint(&bounded(json!({"position": {"moves": "h8"}}), 10))
        .ok();
    // Six positions and the hint; not all of them before it.
    assert!(finished(&server) < 7.0);
    let events = thread::spawn(move || events.rest()).join().unwrap();
    assert_eq!(kinds(&events).last(), Some(&"done"));
    assert_eq!(finished(&server), 7.0);
}

#[test]
fn a_full_queue_is_told_before_the_first_event() {
    let server = narrow("1");
    let first = open(&server, "application/x-ndjson", &long());
    server.until("it runs", |client| running(client) == 1.0);
    let second = open(&server, "application/x-ndjson", &long());
    server.until("one waits", |client| {
        client.metric("searches_waiting") == 1.0
    });
    for form in ["application/json", "text/event-stream", "image/svg+xml"] {
        ask(&server, form, &long()).problem(503, "engine_queue_full");
    }
    drop((first, second));
}

#[test]
fn what_takes_too_long_together_is_work_for_a_job() {
    let server = shared();
    let asked = json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": 20_001}});
    let fault = |pointer: &str| [(pointer.to_owned(), "use_job".to_owned())];
    assert_eq!(
        server.review(&asked).faults(422, "use_job"),
        fault("/limits/time_ms")
    );
    let narrow = Server::start_with(&["--review-time-ms", "300"]);
    assert_eq!(narrow.meta().ok()["limits"]["review_time_ms"], 300);
    let ask = |time_ms: u64| {
        let body = json!({"position": {"moves": "h8i9"}, "limits": {"time_ms": time_ms}});
        narrow.review(&body)
    };
    assert_sound(&ask(100).ok(), 2);
    assert_eq!(ask(101).faults(422, "use_job"), fault("/limits/time_ms"));
    // Without a time of the caller's each search has its share.
    let started = Instant::now();
    let body = json!({"position": {"moves": "h8i9j7g9h6k5f8"}});
    assert_sound(&narrow.review(&body).ok(), 7);
    let deep = json!({"position": {"moves": "h8i9"}, "limits": {"depth": 100}});
    let cut = narrow.review(&deep);
    assert_eq!(cut.header("cache-control"), Some("no-store"));
    assert!(cut.ok()["elapsed_ms"].is_number());
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

/// A finished game is kept; its id.
fn keep(server: &Server, body: &Value) -> String {
    let kept = server.keep_game(body).json_of(201);
    kept["id"].as_str().unwrap().to_owned()
}

fn named_game() -> Value {
    json!({"position": {"size": 9, "moves": MISSED}, "players": {"black": "Ada & <Co>", "white": "Grace"}})
}

#[test]
fn a_kept_game_is_reviewed_as_its_moves_are() {
    let server = Server::start();
    let id = keep(&server, &named_game());
    let path = format!("/v1/games/{id}/review");
    let target = format!("{path}?nodes=300");
    let got = server.get(&target);
    assert_eq!(got.ok(), server.review(&missed()).ok());
    let etag = got.header("etag").unwrap();
    assert!(
        got.header("vary")
            .unwrap()
            .to_lowercase()
            .contains("accept,")
    );

    // What the caller has is known before any search.
    let finished = || server.metric("searches_total{end=\"finished\"}");
    let before = finished();
    let known = server.get_with(&target, &[("if-none-match", etag)]);
    assert_eq!((known.status, known.body.len()), (304, 0));
    assert_eq!(finished().total_cmp(&before), std::cmp::Ordering::Equal);
    for other in [format!("{path}?nodes=301"), format!("{target}&pov=black")] {
        assert_ne!(server.get(&other).header("etag"), Some(etag), "{other}");
    }
    let timed = server.get(&format!("{path}?time_ms=5"));
    assert!(timed.header("etag").is_none());
    assert_eq!(timed.header("cache-control"), Some("no-store"));

    let events = [("accept", "text/event-stream"), ("last-event-id", "end")];
    assert_eq!(server.get_with(&target, &events).status, 204);
    let streamed = server.get_with(&target, &events[..1]);
    assert!(streamed.text().contains("\"type\":\"ply\""));
    assert!(streamed.text().trim_end().contains("id: end\n"));

    let slow = server.get(&format!("{path}?time_ms=30000"));
    assert_eq!(
        slow.faults(422, "use_job"),
        [("time_ms".to_owned(), "use_job".to_owned())]
    );
    let nobody = "/v1/games/019357a4-6c00-7000-8000-000000000000/review?nodes=1";
    server.get(nobody).problem(404, "game_not_found");
}

#[test]
fn a_game_that_a_forbidden_stone_ended_is_reviewed_with_it() {
    let server = Server::start();
    let position = json!({"rule": "renju", "moves": "h7a1h9c1g8e1i8g1h8"});
    let id = keep(&server, &json!({"position": position}));
    let review = server.get(&format!("/v1/games/{id}/review?nodes=200")).ok();
    assert_sound(&review, 9);
    assert_eq!(review["result"]["reason"], "forbidden");
    let last = ply(&review, 9);
    assert_eq!(last["after"]["win_prob"], 0.0);
    assert_eq!(last["judgement"], "blunder");
}

#[test]
fn a_review_is_drawn_as_a_chart() {
    let server = Server::start();
    let id = keep(&server, &named_game());
    let target = format!("/v1/games/{id}/review?nodes=300");
    let svg = [("accept", "image/svg+xml")];
    let drawn = server.get_with(&target, &svg);
    assert_eq!(drawn.status, 200);
    assert_eq!(drawn.header("content-type"), Some("image/svg+xml"));
    assert_eq!(drawn.header("x-content-type-options"), Some("nosniff"));
    assert!(
        drawn
            .header("content-security-policy")
            .unwrap()
            .contains("default-src 'none'")
    );
    let document = roxmltree::Document::parse(drawn.text()).unwrap();
    let texts: Vec<_> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    assert!(texts.concat().contains("Ada & <Co>"), "{texts:?}");
    let circles = document
        .descendants()
        .filter(|node| node.has_tag_name("circle"));
    let review = server.get(&target).ok();
    assert_eq!(
        circles.count(),
        review["turning_points"].as_array().unwrap().len()
    );

    let plain = ask(&server, "image/svg+xml", &missed());
    assert_eq!(plain.status, 200);
    let mut dark = missed();
    dark["theme"] = json!("dark");
    assert_ne!(ask(&server, "image/svg+xml", &dark).text(), plain.text());
    assert_ne!(server.get(&target).header("etag"), drawn.header("etag"));
    assert_eq!(server.get_with(&target, &svg).text(), drawn.text());
}
