//! `/v1/jobs`: long work, done beside the requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client, Server};
use crate::proofs::assert_certified;

const NDJSON: (&str, &str) = ("accept", "application/x-ndjson");
/// Longer than any test waits.
const LONG: u64 = 300_000;
/// So many nodes that a review takes some seconds.
const SLOW: u64 = if cfg!(debug_assertions) {
    15_000
} else {
    200_000
};

fn analysis(moves: &str, limits: Value) -> Value {
    json!({"kind": "analysis", "input": {"position": {"moves": moves}, "limits": limits}})
}

fn review(nodes: u64) -> Value {
    json!({"kind": "review", "input": {"position": {"size": 9, "moves": "e5e6d5d6c5c6b5b6a1a6"}, "limits": {"nodes": nodes}}})
}

#[track_caller]
fn id_of(job: &Value) -> String {
    job["id"].as_str().unwrap().to_owned()
}

/// Takes a job that is new; its name.
#[track_caller]
fn take(client: &Client, body: &Value) -> String {
    let answer = client.post("/v1/jobs", body);
    let id = id_of(&answer.json_of(202));
    assert_eq!(
        answer.header("location"),
        Some(format!("/v1/jobs/{id}").as_str())
    );
    id
}

fn job(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/jobs/{id}")).ok()
}

/// Waits until a job is in a state.
#[track_caller]
fn until(client: &Client, id: &str, state: &str) -> Value {
    client.until(&format!("{id} is {state}: {}", job(client, id)), |client| {
        job(client, id)["state"] == state
    });
    job(client, id)
}

fn cancel(client: &Client, id: &str) -> Answer {
    client.send("POST", &format!("/v1/jobs/{id}/cancellation"), &[], b"")
}

/// The events of a job after one of them, up to the end.
#[track_caller]
fn events_after(client: &Client, id: &str, after: u64) -> Vec<Value> {
    let after = after.to_string();
    let headers = [NDJSON, ("last-event-id", after.as_str())];
    let answer = client.get_with(&format!("/v1/jobs/{id}/events"), &headers);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let lines = answer.text().lines().filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// All events of a job: numbered without gaps, the first is that it is taken, and only the last one an end.
#[track_caller]
fn events(client: &Client, id: &str) -> Vec<Value> {
    let events = events_after(client, id, 0);
    for (number, event) in (1..).zip(&events) {
        assert_eq!(event["seq"], number, "{events:?}");
        let is_last = ["done", "error"].contains(&event["type"].as_str().unwrap());
        assert_eq!(is_last, number == events.len(), "{events:?}");
    }
    assert_eq!(events[0]["type"], "accepted");
    events
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| event["type"].as_str().unwrap());
    kinds.collect()
}

#[test]
fn an_analysis_comes_to_the_answer_of_its_endpoint() {
    let server = Server::start();
    let body = analysis("h8i9j7", json!({"nodes": 3_000}));
    let id = take(&server, &body);
    let done = until(&server, &id, "done");
    let expected = server.post("/v1/analyses", &body["input"]).ok();
    assert_eq!(done["result"], expected);
    assert_eq!(
        (&done["kind"], &done["attempts"]),
        (&json!("analysis"), &json!(1))
    );
    for name in ["created_at", "started_at", "finished_at"] {
        assert!(done[name].as_str().unwrap().ends_with('Z'), "{done}");
    }
    assert!(done.get("partial").is_none() && done.get("queue_position").is_none());
    assert!(done["progress"]["depth"].as_u64().unwrap() > 0);
    let events = events(&server, &id);
    let count = events.len();
    assert_eq!(events[0]["data"]["position"], expected["position"]);
    assert!(
        kinds(&events)[1..count - 2]
            .iter()
            .all(|kind| *kind == "progress")
    );
    assert_eq!(events[count - 2]["data"], expected);
    assert_eq!(events[count - 1]["data"], json!({"state": "done"}));
    let tag = server
        .get(&format!("/v1/jobs/{id}"))
        .header("etag")
        .unwrap()
        .to_owned();
    let known = server.get_with(&format!("/v1/jobs/{id}"), &[("if-none-match", &tag)]);
    assert_eq!(known.status, 304);
}

#[test]
fn an_equal_request_gets_the_same_job() {
    let server = Server::start();
    let body = analysis("h8i9", json!({"nodes": 500, "depth": 3}));
    let id = take(&server, &body);
    until(&server, &id, "done");
    let turned = br#"{"input":{"limits":{"depth":3,"nodes":500}, "position":{"moves":"h8i9"}},"kind":"analysis"}"#;
    let answer = server.send(
        "POST",
        "/v1/jobs",
        &[("content-type", "application/json")],
        turned,
    );
    let again = answer.json_of(200);
    assert_eq!(again["id"], id);
    assert!(again["result"].is_object());
    let other = analysis("h8i9", json!({"nodes": 501, "depth": 3}));
    assert_ne!(take(&server, &other), id);
}

#[test]
fn a_review_tells_each_ply_and_comes_to_the_answer_of_its_endpoint() {
    let server = Server::start();
    let body = review(300);
    let id = take(&server, &body);
    let done = until(&server, &id, "done");
    let expected = server.review(&body["input"]).ok();
    assert_eq!(done["result"], expected);
    let events = events(&server, &id);
    let plies: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "ply")
        .map(|event| event["data"].clone())
        .collect();
    assert_eq!(json!(plies), expected["plies"]);
    assert_eq!(done["progress"]["plies"], plies.len());
}

#[test]
fn a_proof_comes_to_the_answer_of_its_endpoint_and_its_certificate_is_kept() {
    let server = Server::start();
    let position = json!({"moves": "h8a1h9c1h10e1h11"});
    let input = json!({"position": position, "attacker": "black", "class": "fours", "limits": {"nodes": 2_000}});
    let id = take(&server, &json!({"kind": "proof", "input": input}));
    let done = until(&server, &id, "done");
    assert_eq!(done["result"]["outcome"], "win");
    let kept = server.get(done["result"]["certificate"]["href"].as_str().unwrap());
    let checked = server.post("/v1/proof-checks", &kept.ok()).ok();
    assert_eq!(checked["valid"], true);
    assert_eq!(done["result"], server.post("/v1/proofs", &input).ok());
    let events = events(&server, &id);
    assert_eq!(kinds(&events), ["accepted", "result", "done"]);
    assert_eq!(events[0]["data"]["position"], done["result"]["position"]);
}

#[test]
fn what_a_job_calls_proven_has_a_certificate() {
    let server = Server::start();
    // Black has an open three and plays fours to the end.
    let asked = analysis("e5e6d5d6c5c6b5b6", json!({"nodes": 5_000}));
    let reviewed = json!({"kind": "review", "input": {
        "position": {"size": 9, "moves": "e5e6d5d6c5c6b5b6a1a6"}, "limits": {"nodes": 300},
    }});
    let mut proven = 0;
    for body in [asked, reviewed] {
        let id = take(&server, &body);
        until(&server, &id, "done");
        for event in events(&server, &id) {
            proven += assert_certified(&server, &event);
        }
    }
    assert!(proven > 4, "{proven}");
}

#[test]
fn an_import_keeps_its_games_and_a_second_one_finds_them() {
    let server = Server::start();
    let text = "(;GM[4]FF[4]SZ[15]PB[Ada]RE[B+R];B[hh];W[ig];B[ji])(;GM[4]SZ[15];B[hh])";
    let body = json!({"kind": "import", "input": {"text": text}});
    let id = take(&server, &body);
    let done = until(&server, &id, "done");
    assert_eq!(done["result"]["counts"]["stored"], 1, "{done}");
    assert_eq!(done["result"]["counts"]["refused"], 1);
    assert_eq!(
        server.games("player=Ada").ok()["games"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let second = take(&server, &body);
    assert_ne!(second, id, "what it does is not done by having been done");
    let done = until(&server, &second, "done");
    assert_eq!(done["result"]["counts"]["known"], 1, "{done}");
    let octets = json!({"kind": "import", "input": {"octets": "aDggaTkK", "format": "moves", "dry_run": true, "size": 9}});
    let done = until(&server, &take(&server, &octets), "done");
    assert_eq!(done["result"]["dry_run"], true);
    assert_eq!(done["result"]["format"], "moves");
}

#[test]
fn a_stream_is_taken_up_behind_any_event() {
    let server = Server::start();
    let id = take(&server, &review(300));
    // Followed from the beginning on, while the work goes on.
    let all = events(&server, &id);
    for after in [1, 2, all.len() - 1] {
        let rest = events_after(&server, &id, u64::try_from(after).unwrap());
        assert_eq!(rest, all[after..]);
    }
    let target = format!("/v1/jobs/{id}/events");
    let had = server.get_with(&target, &[("last-event-id", &all.len().to_string())]);
    assert_eq!((had.status, had.body.len()), (204, 0));
    let lines = server.get(&target);
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    let asked = [("accept", "text/event-stream"), ("last-event-id", "2")];
    let sse = server.get_with(&target, &asked);
    assert_eq!(sse.header("content-type"), Some("text/event-stream"));
    let blocks: Vec<_> = sse
        .text()
        .split("\n\n")
        .filter(|block| block.starts_with("id: "))
        .collect();
    assert_eq!(blocks.len(), all.len() - 2);
    for (event, block) in all[2..].iter().zip(blocks) {
        let (id, data) = block.split_once('\n').unwrap();
        assert_eq!(id, format!("id: {}", event["seq"]));
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(data, *event);
    }
    for wrong in ["x", "-1", "1.5"] {
        let refused = server.get_with(&target, &[("last-event-id", wrong)]);
        assert_eq!(
            refused.faults(422, "invalid_field"),
            [("Last-Event-ID".to_owned(), "invalid_field".to_owned())]
        );
    }
}

#[test]
fn a_cancelled_job_keeps_what_it_has_found() {
    let server = Server::start();
    let body = analysis("h8i9j7", json!({"time_ms": LONG}));
    let id = take(&server, &body);
    server.until("something is found", |client| {
        job(client, &id).get("partial").is_some()
    });
    assert_eq!(job(&server, &id)["state"], "running");
    let answer = cancel(&server, &id);
    assert!([200, 202].contains(&answer.status), "{}", answer.text());
    let cancelled = until(&server, &id, "cancelled");
    let lines = cancelled["partial"]["lines"].as_array().unwrap();
    assert!(!lines.is_empty() && cancelled["partial"]["depth"].as_u64() > Some(0));
    assert!(cancelled.get("result").is_none() && cancelled.get("problem").is_none());
    assert!(cancelled["finished_at"].is_string());
    let all = events(&server, &id);
    assert_eq!(all.last().unwrap()["data"], json!({"state": "cancelled"}));
    server.until("its search has stopped", |client| {
        client.metric("searches_running") == 0.0
    });
    // To cancel twice does no harm, and an equal request begins anew.
    assert_eq!(cancel(&server, &id).json_of(200), cancelled);
    assert_ne!(take(&server, &body), id);
    // What is done stays done.
    let quick = take(&server, &analysis("h8", json!({"nodes": 10})));
    cancel(
        &server,
        &id_of(&server.post("/v1/jobs", &body).json_of(202)),
    );
    let done = until(&server, &quick, "done");
    assert_eq!(cancel(&server, &quick).json_of(200), done);
}

#[test]
fn jobs_are_counted_in_the_metrics() {
    let server = Server::start();
    let count = |end: &str| server.metric(&format!("jobs_total{{end=\"{end}\"}}"));
    assert_eq!(server.metric("jobs_running"), 0.0);
    take(&server, &analysis("h8", json!({"nodes": 5})));
    // The count follows the state.
    server.until("a job is counted as done", |_| count("done") == 1.0);
    let id = take(&server, &analysis("h8", json!({"time_ms": LONG})));
    server.until("a job is worked on", |_| {
        server.metric("jobs_running") == 1.0
    });
    cancel(&server, &id);
    server.until("a job is counted as cancelled", |_| {
        count("cancelled") == 1.0 && server.metric("jobs_running") == 0.0
    });
    assert_eq!((count("done"), count("failed")), (1.0, 0.0));
}

#[test]
fn jobs_wait_in_their_order_and_a_waiting_one_is_cancelled_at_once() {
    let server = Server::start_with(&["--job-workers", "0", "--job-queue", "3"]);
    let take = |number: u64| take(&server, &analysis("h8", json!({"nodes": number})));
    let ids = [1, 2, 3].map(take);
    let places = || {
        ids.each_ref()
            .map(|id| job(&server, id)["queue_position"].as_u64())
    };
    assert_eq!(places(), [Some(1), Some(2), Some(3)]);
    let full = server.post("/v1/jobs", &analysis("h8", json!({"nodes": 4})));
    full.problem(503, "engine_queue_full");
    assert!(full.header("retry-after").is_some());
    // Who asks for one that is there is not refused.
    let again = server.post("/v1/jobs", &analysis("h8", json!({"nodes": 2})));
    assert_eq!(again.json_of(202)["id"], ids[1]);
    assert_eq!(cancel(&server, &ids[0]).json_of(200)["state"], "cancelled");
    assert_eq!(places(), [None, Some(1), Some(2)]);
    assert_eq!(kinds(&events(&server, &ids[0])), ["accepted", "done"]);
    take(4);
}

#[test]
fn a_hint_and_an_analysis_never_wait_behind_jobs() {
    for threads in ["1", "2"] {
        let server = Server::start_with(&["--search-threads", threads, "--job-workers", "3"]);
        let ids: Vec<_> = ["h8", "h8i9", "h8i9j7", "h8i9j7g9"]
            .map(|moves| take(&server, &analysis(moves, json!({"time_ms": LONG}))))
            .into();
        server.until("a job searches", |client| {
            client.metric("searches_running") == 1.0
        });
        let begun = Instant::now();
        for number in 0..5 {
            let hint = server.get(&format!("/v1/hints?moves=h8i9&nodes={}", 100 + number));
            hint.ok();
            // What was searched for was not kept waiting for a job, however slow the machine is.
            let timing = hint.header("server-timing").unwrap();
            let queue = timing.split("dur=").nth(1).unwrap();
            let waited: f64 = queue.split(',').next().unwrap().parse().unwrap();
            assert!(waited < 3_000.0, "{timing}");
            server
                .get(&format!("/v1/analyses?moves=h8i9&nodes={}", 100 + number))
                .ok();
        }
        assert!(begun.elapsed() < Duration::from_millis(LONG / 10));
        // And the jobs go on: none has failed, three are worked on, one waits.
        let states: Vec<_> = ids
            .iter()
            .map(|id| job(&server, id)["state"].clone())
            .collect();
        assert_eq!(states, ["running", "running", "running", "queued"]);
        server.until("a job searches again", |client| {
            client.metric("searches_running") == 1.0
        });
    }
}

#[test]
fn a_job_goes_on_when_the_server_is_stopped_and_started_again() {
    let server = Server::start();
    let directory = server.directory();
    let slow = review(SLOW);
    let id = take(&server, &slow);
    server.until("two plies are judged", |client| {
        job(client, &id)["progress"]["plies"].as_u64() >= Some(2)
    });
    server.stop();
    let server = Server::start_in(Arc::clone(&directory), &[]);
    let all = events(&server, &id);
    let done = job(&server, &id);
    assert_eq!(done["state"], "done", "{done}");
    assert_eq!(done["attempts"], 1, "it was given back");
    let plies: Vec<_> = all
        .iter()
        .filter(|event| event["type"] == "ply")
        .map(|event| event["data"]["ply"].as_u64().unwrap())
        .collect();
    assert_eq!(plies, (1..=10).collect::<Vec<_>>(), "each is told once");
    assert_eq!(done["result"], server.review(&slow["input"]).ok());
}

#[test]
fn a_stream_ends_with_its_server_and_goes_on_at_the_next_one() {
    let server = Server::start();
    let directory = server.directory();
    let id = take(&server, &analysis("h8i9j7", json!({"time_ms": LONG})));
    let target = format!("/v1/jobs/{id}/events");
    let followed = std::thread::scope(|scope| {
        let following = scope.spawn(|| server.get_with(&target, &[NDJSON]));
        server.until("something is found", |client| {
            job(client, &id).get("partial").is_some()
        });
        server.signal("TERM");
        following.join().unwrap()
    });
    let lines: Vec<Value> = followed
        .text()
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!kinds(&lines).contains(&"done"), "{lines:?}");
    assert_eq!(server.wait(Duration::from_secs(20)).code(), Some(0));
    let server = Server::start_in(directory, &[]);
    until(&server, &id, "running");
    cancel(&server, &id);
    until(&server, &id, "cancelled");
    let had = lines.len();
    let rest = events_after(&server, &id, u64::try_from(had).unwrap());
    assert_eq!([lines, rest].concat(), events(&server, &id));
}

#[test]
fn a_job_that_cannot_be_done_tells_its_problem() {
    let server = Server::start_with(&["--job-workers", "0"]);
    let directory = server.directory();
    let body = analysis("h8", json!({"time_ms": 60_000}));
    let id = take(&server, &body);
    server.stop();
    // A server that allows less has taken it over.
    let server = Server::start_in(directory, &["--job-analysis-time-ms", "1000"]);
    let failed = until(&server, &id, "failed");
    let problem = &failed["problem"];
    assert_eq!(problem["code"], "limit_out_of_range");
    assert_eq!(problem["request_id"], id);
    let all = events(&server, &id);
    assert_eq!(kinds(&all), ["accepted", "error"]);
    assert_eq!(all[1]["data"], *problem);
}

#[test]
fn what_the_rules_do_not_allow_is_told_at_once_at_its_place() {
    let server = Server::start_with(&["--job-workers", "0"]);
    for (input, pointer) in [
        (
            json!({"position": {"moves": ["h8", "h8"]}}),
            "/input/position/moves/1",
        ),
        (
            json!({"position": {"moves": "h8"}, "only_moves": ["h8"]}),
            "/input/only_moves/0",
        ),
    ] {
        let refused = server.post("/v1/jobs", &json!({"kind": "analysis", "input": input}));
        assert_eq!(
            refused.faults(422, "illegal_move"),
            [(pointer.to_owned(), "occupied".to_owned())]
        );
    }
}

#[test]
fn a_review_that_is_too_long_to_wait_for_is_a_job() {
    let server = Server::start_with(&["--job-workers", "0"]);
    let input = json!({"position": {"moves": "h8i9j7"}, "limits": {"time_ms": 29_000}});
    server.review(&input).problem(422, "use_job");
    take(&server, &json!({"kind": "review", "input": input}));
    take(&server, &analysis("h8", json!({"time_ms": 600_000})));
}
