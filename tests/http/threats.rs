//! `/v1/threats`: all that threatens in a position, from the rules alone.

use serde_json::{Value, json};

use crate::client::{Client, shared, sorted, texts};

const RULES: [&str; 4] = ["freestyle", "standard", "renju", "caro"];

#[track_caller]
fn threats(client: &Client, position: Value) -> Value {
    let told = client
        .computed("/v1/threats", &json!({"position": position}))
        .ok();
    let list = told["threats"].as_array().unwrap();
    let forks = told["forks"].as_array().unwrap();
    assert!(list.len() <= 200 && forks.len() <= 100);
    let is_cut = told["threat_count"] != list.len() || told["fork_count"] != forks.len();
    assert_eq!(told["truncated"] == true, is_cut);
    told
}

/// The threats of a kind, each with its colour, cells, gains and defence in words.
fn of_kind(told: &Value, kind: &str) -> Vec<String> {
    let list = told["threats"].as_array().unwrap().iter();
    let own = list.filter(|threat| threat["kind"] == kind);
    own.map(|threat| {
        let [cells, gain, defence] =
            ["cells", "gain", "defence"].map(|member| texts(&threat[member]).join(" "));
        let color = threat["color"].as_str().unwrap();
        format!("{color} {cells} + {gain} - {defence}")
    })
    .collect()
}

/// What a stone of a colour would make on a cell.
fn prospect<'a>(told: &'a Value, cell: &str, color: &str) -> Option<&'a str> {
    let mut list = told["overlay"].as_array().unwrap().iter();
    list.find(|sight| sight["cell"] == cell)?[color].as_str()
}

#[test]
fn an_empty_board_threatens_nothing() {
    let server = shared();
    for rule in RULES {
        let told = threats(&server, json!({"rule": rule, "moves": ""}));
        assert_eq!(told["to_move"], "black");
        for list in ["threats", "forks", "overlay", "win_now"] {
            assert_eq!(told[list], json!([]), "{list}");
        }
        assert_eq!(told["threat_count"], 0);
        for member in ["must_defend", "must_defend_next", "truncated"] {
            assert!(told.get(member).is_none(), "{member}");
        }
    }
}

#[test]
fn a_four_has_to_be_answered_and_an_own_one_wins() {
    let server = shared();
    let moves = "h8h12h9a1h10c1h11";
    for rule in RULES {
        let told = threats(&server, json!({"rule": rule, "moves": moves}));
        assert_eq!(told["to_move"], "white");
        assert_eq!(told["win_now"], json!([]));
        assert_eq!(prospect(&told, "h7", "black"), Some("five"));
        // In caro the five on h7 can also be shut in, from h6.
        let (four, must) = if rule == "caro" {
            ("black h8 h9 h10 h11 + h7 - h6 h7", json!(["h7", "h6"]))
        } else {
            ("black h8 h9 h10 h11 + h7 - h7", json!(["h7"]))
        };
        assert_eq!(of_kind(&told, "four"), [four], "{rule}");
        assert_eq!(told["must_defend"], must, "{rule}");
        let later = threats(
            &server,
            json!({"rule": rule, "moves": format!("{moves}e1")}),
        );
        assert_eq!(later["win_now"], json!(["h7"]));
        assert!(later.get("must_defend").is_none());
    }
}

#[test]
fn an_open_three_is_told_with_its_gains_and_all_its_defence() {
    let server = shared();
    let position = json!({"rule": "freestyle", "moves": "h8a1i8c1j8"});
    let told = threats(&server, position);
    assert_eq!(
        of_kind(&told, "open_three"),
        ["black h8 i8 j8 + g8 k8 - g8 k8"]
    );
    assert_eq!(sorted(&told["must_defend_next"]), ["g8", "k8"]);
    assert_eq!(prospect(&told, "g8", "black"), Some("open_four"));
    assert_eq!(prospect(&told, "f8", "black"), Some("four"));
    assert_eq!(prospect(&told, "h9", "black"), Some("two"));
    assert_eq!(prospect(&told, "o15", "black"), None);
}

#[test]
fn what_the_rule_does_not_count_is_no_threat() {
    let server = shared();
    let board = |row: &str| {
        let empty = ".".repeat(row.len());
        let mut rows = vec![empty; row.len()];
        rows[0] = row.to_owned();
        json!(rows)
    };
    for (row, with, without) in [
        (
            "xxxx.xx",
            &["freestyle"][..],
            &["standard", "renju", "caro"][..],
        ),
        ("oooo.oo", &["freestyle", "renju"], &["standard", "caro"]),
        ("oxxxx.o", &["freestyle", "standard", "renju"], &["caro"]),
    ] {
        let fours = |rule: &str| {
            let position = json!({"rule": rule, "board": board(row), "setup": true});
            let told = threats(&server, position);
            of_kind(&told, "four").len()
        };
        assert!(with.iter().all(|rule| fours(rule) == 1), "{row}");
        assert!(without.iter().all(|rule| fours(rule) == 0), "{row}");
    }
}

#[test]
fn what_renju_forbids_to_black_is_neither_a_fork_nor_a_defence() {
    let server = shared();
    let moves = "h7a1h9c1g8e1i8g1";
    let told = |rule: &str| threats(&server, json!({"rule": rule, "moves": moves}));
    let (renju, standard) = (told("renju"), told("standard"));
    assert_eq!(prospect(&renju, "h8", "black"), Some("forbidden"));
    assert_eq!(prospect(&standard, "h8", "black"), Some("open_three"));
    let fork_at = |told: &Value, cell: &str| {
        let mut forks = told["forks"].as_array().unwrap().iter();
        forks.find(|fork| fork["cell"] == cell).cloned()
    };
    assert_eq!(fork_at(&renju, "h8"), None);
    let fork = fork_at(&standard, "h8").unwrap();
    assert_eq!(fork["color"], "black");
    assert_eq!(fork["kind"], "double_three");
    let made = fork["threats"].as_array().unwrap();
    assert_eq!(made.len(), 2);
    assert!(made.iter().all(|made| made["kind"] == "open_three"));
    // White's four needs h8, where Black may not play.
    let lost = json!({"rule": "renju", "moves": "c8d8h9e8h10f8i9g8j10a1"});
    let told = threats(&server, lost);
    assert_eq!(
        of_kind(&told, "four"),
        ["white d8 e8 f8 g8 + h8 - "],
        "{told}"
    );
    assert_eq!(told["must_defend"], json!([]));
}

#[test]
fn a_finished_game_has_its_last_threats_and_nothing_to_do() {
    let server = shared();
    let told = threats(&server, json!({"moves": "h8a1h9c1h10e1h12g1h11"}));
    assert!(told.get("to_move").is_none());
    assert_eq!(told["result"]["winner"], "black");
    assert_eq!(of_kind(&told, "five"), ["black h8 h9 h10 h11 h12 +  - "]);
    for list in ["win_now", "forks", "overlay"] {
        assert_eq!(told[list], json!([]), "{list}");
    }
    assert!(told.get("must_defend").is_none());
}

#[test]
fn the_strongest_threats_are_told_first() {
    let server = shared();
    let board = [
        ".........",
        "..xxx....",
        ".........",
        "..oooo...",
        ".........",
        "...x.xx..",
        ".........",
        "..o......",
        "..o......",
    ];
    let told = threats(&server, json!({"board": board, "setup": true}));
    let order = [
        "five",
        "open_four",
        "four",
        "broken_four",
        "open_three",
        "broken_three",
        "two",
    ];
    let kinds = told["threats"].as_array().unwrap().iter();
    let ranks: Vec<_> = kinds
        .map(|threat| order.iter().position(|kind| threat["kind"] == *kind))
        .collect();
    assert!(ranks.is_sorted(), "{told}");
    assert!(ranks.len() >= 3 && !ranks.contains(&None), "{told}");
}

#[test]
fn an_answer_on_the_fullest_boards_stays_small() {
    let server = shared();
    // Pairs of stones three rows and three columns apart: hundreds of threats, and forks on most cells.
    let row = |number: usize| -> String {
        let square = |column: usize| column % 3 < 2 && number.is_multiple_of(3);
        (0..25).map(|c| if square(c) { 'x' } else { '.' }).collect()
    };
    let board: Vec<_> = (0..25).map(row).collect();
    for rule in RULES {
        let position = json!({"rule": rule, "board": board, "setup": true});
        let answer = server.threats(&json!({"position": position}));
        let told = answer.ok();
        assert!(answer.body.len() < 100_000, "{}", answer.body.len());
        let [threats, forks] =
            [("threats", "threat_count"), ("forks", "fork_count")].map(|(list, count)| {
                let listed = told[list].as_array().unwrap().len() as u64;
                (listed, told[count].as_u64().unwrap())
            });
        assert_eq!(threats.0, threats.1.min(200));
        assert_eq!(forks.0, forks.1.min(100));
        assert_eq!(
            told["truncated"] == true,
            threats.0 < threats.1 || forks.0 < forks.1
        );
        if rule == "freestyle" {
            assert!(threats.1 > 200 && forks.1 > 100, "{threats:?} {forks:?}");
        }
    }
}

#[test]
fn the_limits_are_told() {
    let limits = shared().meta().ok()["limits"].clone();
    assert_eq!(limits["threats_listed"], 200);
    assert_eq!(limits["forks_listed"], 100);
}

#[test]
fn a_linked_answer_has_a_tag_and_may_be_kept() {
    let server = shared();
    let target = "/v1/threats?moves=h8i9&rule=renju";
    let answer = server.get(target);
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let tag = answer.header("etag").unwrap();
    assert!(!tag.starts_with("W/"));
    let again = server.get_with(target, &[("if-none-match", tag)]);
    assert_eq!(again.status, 304);
}
