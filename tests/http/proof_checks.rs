//! `/v1/proof-checks`: certificates played out.

use serde_json::{Value, json};

use crate::client::shared;

fn certificate(nodes: Value) -> Value {
    json!({
        "version": 1, "rule": "freestyle", "size": 7,
        "black": ["b5", "c5", "d5"], "white": ["b2", "d2"],
        "to_move": "black", "attacker": "black", "nodes": nodes,
    })
}

#[test]
fn a_proof_is_told_as_one_and_any_other_certificate_where_it_fails() {
    let server = shared();
    let good = certificate(json!([{"m": "e5", "r": {"a5": 1}, "o": 2}, {"m": "f5"}, {"m": "a5"}]));
    let checked = server.check_proof(&good).ok();
    assert_eq!(checked["valid"], true, "{checked}");
    assert_eq!(checked["plies"], 3);
    assert_eq!(checked["nodes"], 3);
    assert!(checked["positions"].as_u64().unwrap() > 40);
    assert_eq!(checked["id"].as_str().unwrap().len(), 64);
    assert!(checked.get("refuted").is_none());
    let bad = certificate(json!([{"m": "e5", "o": 1}, {"m": "a5"}]));
    let checked = server.check_proof(&bad).ok();
    assert_eq!(checked["valid"], false);
    let refuted = &checked["refuted"];
    assert_eq!(refuted["code"], "illegal_stone", "{refuted}");
    assert_eq!(refuted["line"], json!(["e5", "a5", "a5"]));
    assert_eq!((&refuted["node"], &refuted["ply"]), (&json!(1), &json!(3)));
    assert!(checked.get("plies").is_none());
    for (nodes, code) in [
        (json!([{"m": "e5"}]), "no_win"),
        (json!([{"m": "b5"}]), "illegal_stone"),
        (
            json!([{"m": "e5", "r": {"a5": 1}}, {"m": "f5"}]),
            "unanswered",
        ),
        (
            json!([{"m": "e5", "r": {"a5": 2, "b5": 1}, "o": 3}, {"m": "g7"}, {"m": "f5"}, {"m": "a5"}]),
            "idle_reply",
        ),
    ] {
        let checked = server.check_proof(&certificate(nodes.clone())).ok();
        assert_eq!(checked["refuted"]["code"], code, "{nodes} {checked}");
    }
}

#[test]
fn what_is_no_json_or_too_long_is_refused() {
    let server = shared();
    let json = [("content-type", "application/json")];
    let post = |body: &[u8]| server.send("POST", "/v1/proof-checks", &json, body);
    post(b"{").problem(400, "malformed_json");
    post(b"").problem(400, "malformed_json");
    post(b"{\"version\":1}x").problem(400, "malformed_json");
    post(b"\"\xff\"").problem(400, "malformed_json");
    let most = server.meta().ok()["limits"]["proof_bytes"]
        .as_u64()
        .unwrap();
    let most = usize::try_from(most).unwrap();
    let text = certificate(json!([{"m": "e5", "r": {"a5": 1}, "o": 2}, {"m": "f5"}, {"m": "a5"}]));
    let mut body = text.to_string().into_bytes();
    body.resize(most, b' ');
    post(&body).ok();
    body.push(b' ');
    post(&body).problem(413, "body_too_large");
    let plain = [("content-type", "text/plain")];
    let answer = server.send("POST", "/v1/proof-checks", &plain, b"{}");
    answer.problem(415, "unsupported_media_type");
    server
        .send("POST", "/v1/proof-checks?x=1", &json, b"{}")
        .problem(400, "unknown_query_parameter");
}
