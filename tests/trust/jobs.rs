//! Jobs outlive the servers that work on them, and end once.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::base::{Base, postgres_server};
use crate::client::{Client, Server};
use crate::writers::{at_once, run, serve_with};

/// A lease that is soon over, but not while a busy machine takes its breath.
const LEASE: [&str; 2] = ["--job-lease-ms", "3000"];

const PATIENCE: Duration = Duration::from_secs(150);

/// So many nodes that a review takes some seconds.
const SLOW: u64 = if cfg!(debug_assertions) {
    30_000
} else {
    200_000
};

/// A review of a game of its own for each number.
fn numbered_review(number: usize, nodes: u64) -> Value {
    let last = [
        "a1", "a2", "a3", "a4", "a5", "a7", "a8", "a9", "b1", "b2", "b3", "b4",
    ];
    let moves = format!("e5e6d5d6c5c6b5b6{}", last[number % last.len()]);
    json!({"kind": "review", "input": {"position": {"size": 9, "moves": moves}, "limits": {"nodes": nodes}}})
}

fn take(client: &Client, body: &Value) -> String {
    let job = client.post("/v1/jobs", body).json_of(202);
    job["id"].as_str().unwrap().to_owned()
}

fn job(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/jobs/{id}")).ok()
}

/// Waits for something to become so, long enough for busy machines.
#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a job has ended.
fn until_done(client: &Client, id: &str) -> Value {
    until("it has ended", || {
        let state = job(client, id)["state"].clone();
        !["queued", "running"].contains(&state.as_str().unwrap())
    });
    job(client, id)
}

/// The job is done, each ply was told once, and there is one end.
fn assert_done_once(client: &Client, id: &str) -> Value {
    let done = until_done(client, id);
    assert_eq!(done["state"], "done", "{done}");
    let headers = [("accept", "application/x-ndjson")];
    let answer = client.get_with(&format!("/v1/jobs/{id}/events"), &headers);
    let lines = answer.text().lines().filter(|line| !line.is_empty());
    let events: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (number, event) in (1..).zip(&events) {
        assert_eq!(event["seq"], number, "{events:?}");
    }
    let of = |kind: &str| {
        let found = events.iter().filter(|event| event["type"] == kind);
        found.map(|event| event["data"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        json!(of("ply")),
        done["result"]["plies"],
        "each once, in order"
    );
    for kind in ["accepted", "result", "done"] {
        assert_eq!(of(kind).len(), 1, "{kind}");
    }
    done["result"].clone()
}

#[test]
fn a_job_is_finished_though_its_server_was_killed_in_the_midst_of_it() {
    let base = Base::sqlite();
    let server = serve_with(&base, &LEASE);
    let body = numbered_review(0, SLOW);
    let id = take(&server, &body);
    let waiting = take(&server, &numbered_review(1, 100));
    until("some plies are judged", || {
        job(&server, &id)["progress"]["plies"].as_u64() >= Some(2)
    });
    server.signal("KILL");
    drop(server);
    let server = serve_with(&base, &LEASE);
    let before = job(&server, &id);
    assert!(
        before["partial"]["plies"].as_array().unwrap().len() >= 2,
        "{before}"
    );
    let result = assert_done_once(&server, &id);
    // What was found by two servers is what one finds.
    assert_eq!(result, server.review(&body["input"]).ok());
    assert_eq!(job(&server, &id)["attempts"], 2);
    assert_done_once(&server, &waiting);
    server.stop();
    run(base.remove());
}

#[test]
fn a_job_that_ends_its_server_again_and_again_is_given_up() {
    let base = Base::sqlite();
    let arguments = ["--job-lease-ms", "200"];
    let server = serve_with(&base, &["--job-workers", "0"]);
    let body = json!({"kind": "analysis", "input": {"position": {"moves": "h8"}, "limits": {"time_ms": 600_000}}});
    let id = take(&server, &body);
    server.stop();
    for attempt in 1..=3 {
        let server = serve_with(&base, &arguments);
        until("it is begun", || {
            let job = job(&server, &id);
            job["attempts"] == attempt && job["state"] == "running"
        });
        server.signal("KILL");
    }
    let server = serve_with(&base, &arguments);
    let failed = until_done(&server, &id);
    assert_eq!(failed["state"], "failed");
    assert_eq!(failed["problem"]["code"], "internal_error");
    server.stop();
    run(base.remove());
}

#[test]
fn three_servers_share_jobs_and_end_each_once_though_one_is_killed() {
    let Some(server) = postgres_server() else {
        return;
    };
    let base = run(Base::postgres(server));
    let arguments = [
        &LEASE[..],
        &["--search-threads", "1", "--search-memory-mib", "4"],
    ]
    .concat();
    let mut servers: Vec<Server> = at_once(3, |_| serve_with(&base, &arguments));
    let bodies: Vec<_> = (0..6).map(|number| numbered_review(number, SLOW)).collect();
    let ids: Vec<_> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| take(&servers[number % 3], body))
        .collect();
    // All three work, each on a job of its own.
    until("three jobs are worked on", || {
        let running = ids
            .iter()
            .filter(|id| job(&servers[0], id)["state"] == "running");
        running.count() == 3
    });
    let killed = servers.remove(1);
    killed.signal("KILL");
    drop(killed);
    for id in &ids {
        assert_done_once(&servers[0], id);
        assert_eq!(job(&servers[1], id), job(&servers[0], id));
    }
    let again: Vec<_> = ids
        .iter()
        .map(|id| job(&servers[0], id)["attempts"].clone())
        .collect();
    let taken_over = again.iter().filter(|attempts| **attempts == 2).count();
    assert!(
        taken_over >= 1,
        "one was in the midst of its work: {again:?}"
    );
    let ends = run(base.texts(
        "SELECT CAST(COUNT(*) AS TEXT) FROM job_events WHERE type IN ('done', 'error') GROUP BY job",
    ));
    assert_eq!(ends, ["1"; 6]);
    for server in servers {
        server.stop();
    }
    run(base.remove());
}
