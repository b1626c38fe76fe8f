//! Forced wins: `/v1/proofs`, the certificates under it, and those of verdicts.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::client::{Client, shared};

/// The puzzles of a file in the test data.
fn puzzles(name: &str) -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/puzzles");
    let text = fs::read_to_string(directory.join(name)).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The position of a puzzle that is told by its moves.
fn position_of(puzzle: &Value) -> Value {
    json!({"rule": puzzle["rule"], "size": puzzle["size"], "moves": puzzle["moves"]})
}

#[test]
fn wins_by_fours_are_shown_with_the_fewest_stones_and_a_certificate() {
    let server = shared();
    let all = puzzles("own_vcf.jsonl");
    for puzzle in all.iter().step_by(all.len() / 24) {
        let body = json!({"position": position_of(puzzle), "class": "fours", "shortest": true, "limits": {"nodes": 200_000}});
        let answer = server.computed("/v1/proofs", &body).ok();
        assert_eq!(answer["outcome"], "win", "{answer}");
        assert_eq!(answer["attacker"], puzzle["to_move"]);
        assert_eq!(answer["to_move"], puzzle["to_move"]);
        let stones = puzzle["length"].as_u64().unwrap();
        assert_eq!(answer["plies"], 2 * stones - 1, "{answer}");
        assert_eq!(answer["is_shortest"], true);
        let firsts = puzzle["all_vcf_first_moves"].as_array().unwrap();
        let first = &answer["first_moves"][0];
        assert!(firsts.contains(first), "{answer}");
        let certificate = server.proof_of(&answer["certificate"]);
        assert_eq!(certificate["nodes"][0]["m"], *first);
        assert!(answer.get("elapsed_ms").is_none() && answer.get("stop_reason").is_none());
    }
}

#[test]
fn that_there_is_no_win_by_fours_is_shown_too() {
    let server = shared();
    let all = puzzles("own_no_vcf.jsonl");
    for puzzle in all.iter().step_by(all.len() / 12) {
        let body = json!({"position": position_of(puzzle), "class": "fours", "limits": {"nodes": 1_000_000}});
        let answer = server.prove(&body).ok();
        assert_eq!(answer["outcome"], "no_win_in_class", "{answer}");
        for absent in ["plies", "first_moves", "certificate", "stop_reason"] {
            assert!(answer.get(absent).is_none(), "{answer}");
        }
    }
}

#[test]
fn a_limit_that_runs_out_is_told() {
    let puzzle = &puzzles("own_vcf.jsonl")[1];
    let ask = |limits: Value| {
        let body = json!({"position": position_of(puzzle), "limits": limits});
        shared().prove(&body).ok()
    };
    let stopped = ask(json!({"nodes": 2}));
    assert_eq!(stopped["outcome"], "unknown");
    assert_eq!(stopped["stop_reason"], "nodes");
    let shallow = ask(json!({"depth": 1, "nodes": 100_000}));
    assert_eq!(shallow["stop_reason"], "depth");
    let over = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}});
    let over = shared().prove(&over).ok();
    assert_eq!(over["stop_reason"], "game_over");
    assert!(over.get("to_move").is_none());
}

#[test]
fn a_loss_is_shown_against_every_reply() {
    let server = shared();
    // White cannot stop an open four, nor two open threes; it can stop one.
    for (moves, class, outcome) in [
        ("h8a1h9c1h10e1h11", "fours", "win"),
        ("h8a1h9c1h10", "fours", "no_win_in_class"),
        ("h8a1h9c1h10b2g8o15f8", "fours", "win"),
        ("h8i9", "fours", "no_win_in_class"),
    ] {
        let to_move_loses = json!({"position": {"moves": moves}, "class": class, "attacker": "black", "limits": {"nodes": 100_000}});
        let answer = server.prove(&to_move_loses).ok();
        if moves == "h8i9" {
            // Black is to move there: an own win is asked for.
            assert_eq!(answer["to_move"], "black");
        } else {
            assert_eq!(answer["to_move"], "white", "{answer}");
        }
        assert_eq!(answer["outcome"], outcome, "{moves}: {answer}");
        if outcome == "win" {
            assert_eq!(answer["first_moves"], json!([]));
            let certificate = server.proof_of(&answer["certificate"]);
            assert_eq!(certificate["to_move"], "white");
            assert_eq!(certificate["attacker"], "black");
            assert!(certificate["nodes"][0].get("m").is_none());
        }
    }
}

#[test]
fn the_shortest_win_is_shown_on_request() {
    let puzzle = &puzzles("own_vcf.jsonl")[2];
    let ask = |shortest: bool| {
        let body = json!({"position": position_of(puzzle), "shortest": shortest, "limits": {"nodes": 2_000_000}});
        shared().prove(&body).ok()
    };
    let (any, shortest) = (ask(false), ask(true));
    assert_eq!(shortest["is_shortest"], true, "{shortest}");
    assert!(shortest["plies"].as_u64() <= any["plies"].as_u64());
    shared().proof_of(&shortest["certificate"]);
}

#[test]
fn a_certificate_is_served_as_it_is_named_and_for_ever() {
    let server = shared();
    let body = json!({"position": {"moves": "h8a1h9c1h10e1h11g1"}, "limits": {"nodes": 1_000}});
    let link = server.prove(&body).ok()["certificate"].clone();
    let (id, href) = (link["id"].as_str().unwrap(), link["href"].as_str().unwrap());
    let served = server.get(href);
    served.ok();
    assert_eq!(format!("{:x}", Sha256::digest(&served.body)), id);
    let tag = format!("\"{id}\"");
    assert_eq!(served.header("etag"), Some(tag.as_str()));
    let kept = served.header("cache-control");
    assert_eq!(kept, Some("public, max-age=31536000, immutable"));
    let again = server.get_with(href, &[("if-none-match", &tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("cache-control"), kept);
    // Names that nothing has, and such that nothing can have.
    let upper = id.to_uppercase();
    let unknown = format!("{}{}", &id[1..], &id[..1]);
    for name in [&id[1..], &upper, &unknown, "x", "%00", "..%2Fgames"] {
        let answer = server.get_with(&format!("/v1/proofs/{name}"), &[("if-none-match", "*")]);
        answer.problem(404, "proof_not_found");
    }
}

/// Every verdict in an answer that is proven has a certificate that is a proof; gives how many there are. Where
/// the game is over nothing is left to be proven.
pub fn assert_certified(server: &Client, answer: &Value) -> usize {
    match answer {
        Value::Object(members) => {
            let own = match members.get("verdict").and_then(Value::as_str) {
                Some("proven_win" | "proven_loss") => {
                    if members["plies_to_end"] == 0 {
                        assert!(!members.contains_key("certificate"), "{answer}");
                        0
                    } else {
                        server.proof_of(&members["certificate"]);
                        assert!(members["win_prob"] == 0.0 || members["win_prob"] == 1.0);
                        1
                    }
                }
                Some(_) => {
                    assert!(!members.contains_key("certificate"), "{answer}");
                    let chance = members["win_prob"].as_f64().unwrap();
                    assert!(chance > 0.0 && chance < 1.0, "{answer}");
                    0
                }
                None => 0,
            };
            own + members
                .values()
                .map(|value| assert_certified(server, value))
                .sum::<usize>()
        }
        Value::Array(items) => items
            .iter()
            .map(|item| assert_certified(server, item))
            .sum(),
        _ => 0,
    }
}

#[test]
fn every_verdict_in_hints_and_analyses_has_a_certificate() {
    let server = shared();
    let all = puzzles("own_vcf.jsonl");
    let mut proven = 0;
    for puzzle in all.iter().step_by(all.len() / 20) {
        let position = position_of(puzzle);
        let limits = json!({"nodes": 3_000});
        let hints = json!({"position": position, "count": 4, "limits": limits});
        let hints = server.computed("/v1/hints", &hints).ok();
        proven += assert_certified(&server, &hints);
        let analysis =
            json!({"position": position, "multi_pv": 6, "pov": "white", "limits": limits});
        proven += assert_certified(&server, &server.analyse(&analysis).ok());
    }
    assert!(proven > 30, "the test has seen {proven} verdicts");
}

#[test]
fn what_is_proven_on_the_way_has_a_certificate_too() {
    let server = shared();
    let mut proven = 0;
    // White has a four, so all moves but one lose at once.
    let body = json!({"position": {"moves": "h8h12h9a1h10c1h11"}, "multi_pv": 5, "limits": {"nodes": 20_000}});
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/x-ndjson"),
    ];
    let told = server.send(
        "POST",
        "/v1/analyses",
        &headers,
        body.to_string().as_bytes(),
    );
    for event in told.text().lines().filter(|line| !line.is_empty()) {
        let event: Value = serde_json::from_str(event).unwrap();
        proven += assert_certified(&server, &event["data"]);
    }
    assert!(proven > 3, "{}", told.text());
}

#[test]
fn every_verdict_of_a_review_has_a_certificate() {
    let server = shared();
    let mut proven = 0;
    for moves in [
        "e5e6d5d6c5c6b5b6a1a6",
        "h8a1h9c1h10e1h11g1h12",
        "h8i9j7h7i8j8g8k8h9h10i10",
    ] {
        let body = json!({"position": {"moves": moves}, "limits": {"nodes": 500}});
        proven += assert_certified(&server, &server.review(&body).ok());
    }
    assert!(proven > 10, "the test has seen {proven} verdicts");
}

#[test]
fn a_win_that_begins_quietly_is_shown_where_threats_show_none_with_as_many_positions() {
    let server = shared();
    let moves = "c7g7i7m7o7r7f8d8l8j8e9o8k9r8o9f10r9l10d10o10j10r10g11c11o11i11r11m11p11q11p9q9q10o12p12p8s8t7m10p13i9l9g9s11t12f9";
    let position = json!({"size": 20, "moves": moves});
    let ask = |class: &str| {
        let limits = json!({"nodes": 120_000});
        let body = json!({"position": position, "class": class, "limits": limits});
        server.post("/v1/proofs", &body).ok()
    };
    let by_threats = ask("threats");
    assert_eq!(by_threats["outcome"], "unknown", "{by_threats}");
    let won = ask("any");
    assert_eq!(won["outcome"], "win", "{won}");
    assert_eq!(won["class"], "any");
    assert!(won["nodes"].as_u64().unwrap() <= 121_000, "{won}");
    let certificate = server.proof_of(&won["certificate"]);
    assert_eq!(certificate["attacker"], "black");
    // Nothing says that there is none with fewer stones.
    assert_eq!(won["is_shortest"], false);
}
