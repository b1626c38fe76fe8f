//! `POST /v1/batches`: many computations in one request.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client, Server, faults_of, request, shared};

/// The items of a batch that is read.
#[track_caller]
fn items(answer: &Answer) -> Vec<Value> {
    answer.json_of(207)["items"].as_array().unwrap().clone()
}

fn ask(client: &Client, items: Value) -> Vec<Value> {
    self::items(&client.post("/v1/batches", &json!({ "items": items })))
}

#[test]
fn each_item_is_answered_as_its_endpoint_answers() {
    let server = shared();
    let position = json!({"rule": "standard", "moves": "h8h12h9a1h10c1h11"});
    let limits = json!({"nodes": 300});
    let kinds = [
        ("replay", "/v1/replays", json!({"position": position})),
        (
            "legal_moves",
            "/v1/legal-moves",
            json!({"position": position}),
        ),
        ("threats", "/v1/threats", json!({"position": position})),
        (
            "hint",
            "/v1/hints",
            json!({"position": position, "limits": limits, "count": 2}),
        ),
        (
            "analysis",
            "/v1/analyses",
            json!({"position": position, "limits": limits}),
        ),
        (
            "review",
            "/v1/reviews",
            json!({"position": position, "limits": {"nodes": 50}}),
        ),
        (
            "proof",
            "/v1/proofs",
            json!({"position": position, "attacker": "black", "class": "fours", "limits": {"nodes": 2_000}}),
        ),
        (
            "defences",
            "/v1/defences",
            json!({"position": position, "limits": {"nodes": 2_000}}),
        ),
    ];
    let asked: Vec<_> = kinds
        .iter()
        .map(|(kind, _, body)| json!({"kind": kind, "body": body}))
        .collect();
    let answers = ask(&server, json!(asked));
    assert_eq!(answers.len(), kinds.len());
    for ((kind, path, body), answer) in kinds.iter().zip(&answers) {
        assert_eq!(answer["status"], 200, "{kind}: {answer}");
        assert_eq!(answer["body"], server.post(path, body).ok(), "{kind}");
    }
}

#[test]
fn a_bad_item_spoils_no_other_and_is_told_at_its_place() {
    let server = shared();
    let good = json!({"kind": "replay", "body": {"position": {"moves": "h8"}}});
    let text = format!(
        "{{\"items\":[{}]}}",
        [
            good.to_string().as_str(),
            "5",
            "null",
            "{}",
            r#"{"kind":"chess","body":{}}"#,
            r#"{"kind":"hint","body":{"position":{"moves":["h8","?"]},"count":0}}"#,
            r#"{"kind":"hint","body":{"position":{"moves":["h8","h8"]}}}"#,
            r#"{"kind":"replay","body":{"position":{"moves":"h8","moves":"h8"}}}"#,
            r#"{"kind":"replay","body":null,"extra":1}"#,
            r#"{"kind":"analysis","body":{"position":{"moves":"h8"},"only_moves":["h8"]}}"#,
            good.to_string().as_str(),
        ]
        .join(",")
    );
    let headers = [("Content-Type", "application/json")];
    let answer = server.raw(&request("POST", b"/v1/batches", &headers, text.as_bytes()));
    let items = items(&answer);
    let expected: [&[(&str, &str)]; 11] = [
        &[],
        &[("/items/1", "invalid_field")],
        &[("/items/2", "invalid_field")],
        &[
            ("/items/3/kind", "missing_field"),
            ("/items/3/body", "missing_field"),
        ],
        &[("/items/4/kind", "invalid_field")],
        &[
            ("/items/5/body/count", "limit_out_of_range"),
            ("/items/5/body/position/moves/1", "unreadable_notation"),
        ],
        &[("/items/6/body/position/moves/1", "occupied")],
        &[("/items/7/body/position/moves", "invalid_field")],
        &[("/items/8/extra", "unknown_field")],
        &[("/items/9/body/only_moves/0", "occupied")],
        &[],
    ];
    assert_eq!(items.len(), expected.len());
    for (item, expected) in items.iter().zip(expected) {
        if expected.is_empty() {
            assert_eq!(item["status"], 200, "{item}");
            continue;
        }
        assert_eq!(item["status"], 422, "{item}");
        assert_eq!(item["body"]["status"], 422);
        assert_eq!(
            item["body"]["request_id"].as_str(),
            answer.header("x-request-id")
        );
        let faults = faults_of(&item["body"]);
        let faults: Vec<_> = faults
            .iter()
            .map(|(pointer, code)| (pointer.as_str(), code.as_str()))
            .collect();
        assert_eq!(faults, expected, "{item}");
    }
}

#[test]
fn the_searches_of_a_batch_share_one_budget() {
    let server = Server::start();
    let search = |time_ms: u32| json!({"kind": "hint", "body": {"position": {"moves": "h8i9j7"}, "limits": {"time_ms": time_ms}}});
    let replay = json!({"kind": "replay", "body": {"position": {"moves": "h8"}}});
    let asked = [search(1), search(9_000), search(1), replay, search(1)];
    let body = json!({"items": asked, "time_ms": 1_500});
    let answer = server.post("/v1/batches", &body);
    let items = items(&answer);
    let told: Vec<_> = items
        .iter()
        .map(|item| (item["status"].as_u64(), item["body"]["code"].as_str()))
        .collect();
    let spent = (Some(429), Some("engine_budget_exhausted"));
    let good = (Some(200), None);
    assert_eq!(told, [good, good, spent, good, spent]);
    let took = |item: &Value| item["body"]["elapsed_ms"].as_u64().unwrap();
    assert_eq!(items[1]["body"]["stop_reason"], "time");
    assert!(took(&items[0]) + took(&items[1]) < 4_000, "{items:?}");
}

#[test]
fn a_batch_holds_up_no_hint_and_stops_with_its_caller() {
    let server = Server::start_with(&["--search-threads", "2"]);
    let long = json!({"kind": "analysis", "body": {"position": {"moves": "h8i9j7"}, "limits": {"time_ms": 9_000}}});
    let text = json!({"items": vec![long; 5], "time_ms": 40_000}).to_string();
    let headers = [("Content-Type", "application/json")];
    let mut stream = server.connect();
    std::io::Write::write_all(
        &mut stream,
        &request("POST", b"/v1/batches", &headers, text.as_bytes()),
    )
    .unwrap();
    server.until("the batch searches", |client| {
        client.metric("searches_running") == 1.0
    });
    let begun = Instant::now();
    server.get("/v1/hints?moves=h8i9&nodes=100").ok();
    assert!(begun.elapsed() < Duration::from_secs(3));
    drop(stream);
    server.until("the batch is stopped", |client| {
        client.metric("searches_running") == 0.0
    });
    thread::sleep(Duration::from_millis(50));
    assert_eq!(server.metric("searches_running"), 0.0);
}
