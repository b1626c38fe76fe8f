//! `/v1/defences`: what can be done about a forced win that threatens.

use serde_json::{Value, json};

use crate::client::{Client, shared};

fn moves_of(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| item.as_str().or(item["move"].as_str()).unwrap().to_owned())
        .collect()
}

/// Every legal move is in one of the lists, and each is where it belongs.
fn assert_right(server: &Client, position: &Value, answer: &Value) {
    let legal = server.legal_moves(&json!({"position": position})).ok();
    let mut all: Vec<String> = ["refutes", "fails", "unknown"]
        .iter()
        .flat_map(|list| moves_of(&answer[list]))
        .filter(|played| played != "pass")
        .collect();
    all.sort_unstable();
    let mut expected = moves_of(&legal["legal"]);
    expected.sort_unstable();
    assert_eq!(all, expected);
    for fail in answer["fails"].as_array().unwrap() {
        let certificate = server.proof_of(&fail["certificate"]);
        assert_eq!(certificate["to_move"], certificate["attacker"]);
    }
    let class = &answer["class"];
    for played in moves_of(&answer["refutes"]) {
        let moves = format!("{}{played}", position["moves"].as_str().unwrap());
        let body = json!({"position": {"rule": position["rule"], "size": position["size"], "moves": moves}, "class": class, "limits": {"nodes": 100_000}});
        let after = server.prove(&body).ok();
        assert_eq!(after["outcome"], "no_win_in_class", "{played}: {after}");
    }
}

#[test]
fn all_defences_against_a_threat_are_listed() {
    let server = shared();
    for (rule, moves, refutes) in [
        // An open three with room: its ends.
        ("freestyle", "e3a1e4g1e5", &["e2", "e6"][..]),
        ("standard", "e3a1e4g1e5", &["e2", "e6"]),
        // With less room on one side the far end on the other too.
        ("freestyle", "e2a1e3g1e4", &["e1", "e5", "e6"]),
        // In caro a stone farther out shuts the fives of an open four in.
        ("caro", "e3a1e4g1e5", &["e1", "e2", "e6", "e7"]),
    ] {
        let position = json!({"rule": rule, "size": 9, "moves": moves});
        let body = json!({"position": position, "limits": {"nodes": 100_000}});
        let answer = server.computed("/v1/defences", &body).ok();
        assert_eq!(answer["outcome"], "defended", "{answer}");
        assert_eq!(answer["unknown"], json!([]));
        assert_eq!(answer["threat"]["plies"], 3);
        server.proof_of(&answer["threat"]["certificate"]);
        assert_eq!(moves_of(&answer["refutes"]), *refutes, "{rule} {moves}");
        assert_right(&server, &position, &answer);
    }
}

#[test]
fn where_nothing_helps_and_where_nothing_is_needed_is_told() {
    let server = shared();
    let ask = |moves: &str, limits: Value| {
        let position = json!({"rule": "freestyle", "size": 9, "moves": moves});
        let body = json!({"position": position, "limits": limits});
        (position, server.defences(&body).ok())
    };
    let (position, none) = ask("e4a1e5c1e6g1e7", json!({"nodes": 100_000}));
    assert_eq!(none["outcome"], "none", "{none}");
    assert_eq!(none["refutes"], json!([]));
    assert_right(&server, &position, &none);
    let (_, quiet) = ask("e5a1", json!({"nodes": 10_000}));
    assert_eq!(quiet["outcome"], "none_needed");
    assert!(quiet.get("threat").is_none());
    let (position, cut) = ask("e3a1e4g1e5", json!({"nodes": 2}));
    assert_eq!(cut["stop_reason"], "nodes", "{cut}");
    if cut.get("threat").is_some() {
        assert_right(&server, &position, &cut);
    }
}
