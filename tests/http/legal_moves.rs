//! `/v1/legal-moves`: where the side to move may play, and why not elsewhere.

use serde_json::{Value, json};

use crate::client::{Client, shared, sorted, texts};

/// What takes no record that breaks the rules.
const STRICT: [&str; 7] = [
    "/v1/legal-moves",
    "/v1/threats",
    "/v1/hints",
    "/v1/analyses",
    "/v1/boards.svg",
    "/v1/boards.png",
    "/v1/boards.txt",
];

#[track_caller]
fn legal_moves(client: &Client, position: Value) -> Value {
    let answer = client.computed("/v1/legal-moves", &json!({"position": position}));
    let told = answer.ok();
    let legal = texts(&told["legal"]);
    assert_eq!(told["count"], legal.len(), "{told}");
    let mut distinct = legal.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), legal.len(), "a cell is told twice: {told}");
    told
}

/// The forbidden cells, sorted.
#[track_caller]
fn forbidden(told: &Value) -> Vec<&str> {
    let list = told["forbidden"].as_array().unwrap().iter();
    let mut cells: Vec<_> = list.map(|cell| cell["cell"].as_str().unwrap()).collect();
    cells.sort_unstable();
    cells
}

#[test]
fn every_empty_cell_is_legal_where_nothing_is_forbidden() {
    let server = shared();
    for rule in ["freestyle", "standard", "renju", "caro"] {
        for size in [5, 15, 19, 20, 25] {
            let empty = legal_moves(&server, json!({"rule": rule, "size": size, "moves": ""}));
            assert_eq!(empty["count"], size * size);
            assert_eq!(empty["to_move"], "black");
            assert_eq!(empty["forbidden"], json!([]));
            let moves = "c3d4e5";
            let later = legal_moves(&server, json!({"rule": rule, "size": size, "moves": moves}));
            assert_eq!(later["count"], size * size - 3);
            assert_eq!(later["to_move"], "white");
            assert_eq!(later["result"], json!({"status": "ongoing"}));
            for taken in ["c3", "d4", "e5"] {
                assert!(!texts(&later["legal"]).contains(&taken));
            }
        }
    }
    let small = legal_moves(&server, json!({"size": 5, "moves": "c3"}));
    assert_eq!(
        sorted(&small["legal"]),
        [
            "a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "b5", "c1", "c2", "c4", "c5",
            "d1", "d2", "d3", "d4", "d5", "e1", "e2", "e3", "e4", "e5"
        ]
    );
}

#[test]
fn a_double_three_is_forbidden_to_black_alone() {
    let server = shared();
    let told = legal_moves(
        &server,
        json!({"rule": "renju", "moves": "h7a1h9c1g8e1i8g1"}),
    );
    assert_eq!(forbidden(&told), ["h8"]);
    assert_eq!(told["forbidden"][0]["kinds"], json!(["double_three"]));
    let evidence = &told["forbidden"][0]["evidence"];
    assert_eq!(evidence["verdict"], "double_three");
    assert_eq!(evidence["threes"].as_array().unwrap().len(), 2);
    assert!(!texts(&told["legal"]).contains(&"h8"));
    assert_eq!(told["count"], 225 - 8 - 1);

    let whites = legal_moves(&server, json!({"rule": "renju", "moves": "h7a1h9c1g8e1i8"}));
    assert_eq!(whites["to_move"], "white");
    assert_eq!(whites["forbidden"], json!([]));
    assert!(texts(&whites["legal"]).contains(&"h8"));
    for rule in ["freestyle", "standard", "caro"] {
        let told = legal_moves(&server, json!({"rule": rule, "moves": "h7a1h9c1g8e1i8g1"}));
        assert_eq!(told["forbidden"], json!([]));
        assert_eq!(told["count"], 225 - 8);
    }
    // White's e8 and k8 leave the row no straight four.
    let closed = legal_moves(
        &server,
        json!({"rule": "renju", "moves": "h7e8h9k8g8e1i8g1"}),
    );
    assert_eq!(closed["forbidden"], json!([]));
}

#[test]
fn the_evidence_says_why_a_three_does_not_count() {
    // h8 makes three threes. The one in the row could become a straight four only on f8 or j8, and
    // both of these are overlines: it does not count, the two others do.
    let server = shared();
    let board = [
        "...............",
        "...............",
        ".....o.........",
        ".....x.........",
        ".....x.........",
        ".....x.........",
        ".....x.xxx.....",
        "......x.x......",
        ".....xxx.x.....",
        ".........x.....",
        ".........x.....",
        ".........x.....",
        ".........o.....",
        "...............",
        "...............",
    ];
    let position = json!({"rule": "renju", "board": board, "to_move": "black", "setup": true});
    let told = legal_moves(&server, position);
    let list = told["forbidden"].as_array().unwrap();
    let item = |cell: &str| {
        list.iter()
            .find(|item| item["cell"] == cell)
            .unwrap_or_else(|| panic!("{cell} is forbidden: {told}"))
    };
    for cell in ["f8", "j8"] {
        assert_eq!(item(cell)["kinds"][0], "overline");
        assert_eq!(item(cell)["evidence"]["verdict"], "overline");
    }
    assert_eq!(item("h8")["kinds"], json!(["double_three"]));
    let threes = item("h8")["evidence"]["threes"].as_array().unwrap();
    let mut counts: Vec<_> = threes
        .iter()
        .map(|three| {
            (
                three["direction"].as_str().unwrap(),
                three["counts"] == true,
            )
        })
        .collect();
    counts.sort_unstable();
    assert_eq!(
        counts,
        [
            ("antidiagonal", true),
            ("horizontal", false),
            ("vertical", true)
        ]
    );
    let row = threes
        .iter()
        .find(|three| three["direction"] == "horizontal")
        .unwrap();
    let cells = row["straight_four_cells"].as_array().unwrap();
    let mut names: Vec<_> = cells.iter().map(|cell| cell["cell"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, [Some("f8"), Some("j8")]);
    for cell in cells {
        assert_eq!(cell["legal"], false, "{cell}");
        assert_eq!(cell["evidence"]["verdict"], "overline", "{cell}");
    }
}

#[test]
fn a_double_four_tells_its_fours_and_where_they_become_five() {
    let server = shared();
    let told = legal_moves(
        &server,
        json!({"rule": "renju", "moves": "f8a1g8c1j8e1h5g1h6i1h7k1"}),
    );
    assert_eq!(forbidden(&told), ["h8"]);
    assert_eq!(told["forbidden"][0]["kinds"], json!(["double_four"]));
    let evidence = &told["forbidden"][0]["evidence"];
    assert_eq!(evidence["verdict"], "double_four");
    let fours = evidence["fours"].as_array().unwrap();
    let mut five_cells: Vec<_> = fours
        .iter()
        .map(|four| sorted(&four["five_cells"]))
        .collect();
    five_cells.sort_unstable();
    assert_eq!(five_cells, [vec!["h4", "h9"], vec!["i8"]]);
}

#[test]
fn two_fours_in_one_row_are_a_double_four() {
    // d8 . f8 . h8 . j8: g8 makes one four with d8 and another with j8.
    let server = shared();
    let told = legal_moves(
        &server,
        json!({"rule": "renju", "moves": "d8a1f8c1h8e1j8g1"}),
    );
    assert_eq!(forbidden(&told), ["g8"]);
    assert_eq!(told["forbidden"][0]["kinds"], json!(["double_four"]));
    let fours = told["forbidden"][0]["evidence"]["fours"]
        .as_array()
        .unwrap();
    assert!(fours.iter().all(|four| four["direction"] == "horizontal"));
    let mut told: Vec<_> = fours
        .iter()
        .map(|four| (sorted(&four["cells"]), texts(&four["five_cells"])))
        .collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            (vec!["d8", "f8", "g8", "h8"], vec!["e8"]),
            (vec!["f8", "g8", "h8", "j8"], vec!["i8"]),
        ]
    );
}

#[test]
fn an_overline_with_two_fours_tells_both_kinds_the_overline_first() {
    let server = shared();
    let moves = "a8o1b8m1c8k1e8i1f8o3d5m3d6k3d7i3a5o5b6m5c7k5";
    let told = legal_moves(&server, json!({"rule": "renju", "moves": moves}));
    let d8 = told["forbidden"]
        .as_array()
        .unwrap()
        .iter()
        .find(|cell| cell["cell"] == "d8")
        .unwrap_or_else(|| panic!("d8 is forbidden: {told}"));
    assert_eq!(d8["kinds"], json!(["overline", "double_four"]));
    assert_eq!(
        sorted(&d8["evidence"]["overlines"][0]["cells"]),
        ["a8", "b8", "c8", "d8", "e8", "f8"]
    );
    assert_eq!(d8["evidence"]["fours"].as_array().unwrap().len(), 2);
}

#[test]
fn legal_and_forbidden_cells_and_stones_make_up_the_board() {
    let server = shared();
    let moves = "h8h9g7i7g9f8i9j10f7e6g8g6h7j7g10f9";
    for plies in 0..=16 {
        let record = server
            .replay(&json!({"position": {"rule": "renju", "moves": moves}, "ply": plies}))
            .ok();
        assert_eq!(record["legal"], true, "{record}");
        let told = legal_moves(
            &server,
            json!({"rule": "renju", "moves": record["position"]["moves"]}),
        );
        let mut cells = sorted(&told["legal"]);
        cells.extend(forbidden(&told));
        cells.extend(texts(&record["position"]["moves"]));
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), 225, "after {plies} plies: {told}");
    }
}

#[test]
fn a_finished_game_has_no_legal_cell_and_no_turn() {
    let server = shared();
    let told = legal_moves(&server, json!({"moves": "h8a1h9c1h10e1h12g1h11"}));
    assert_eq!(told["count"], 0);
    assert_eq!(told["legal"], json!([]));
    assert_eq!(told["forbidden"], json!([]));
    assert!(told.get("to_move").is_none());
    assert_eq!(told["result"]["winner"], "black");
    assert_eq!(told["result"]["at_ply"], 9);
    let board = ["xxxxx", ".....", "..o..", ".oo..", "...o."];
    let told = legal_moves(&server, json!({"board": board}));
    assert_eq!(told["count"], 0);
    assert_eq!(told["result"]["winner"], "black");
}

#[test]
fn an_illegal_record_is_refused_with_each_fault_at_its_place() {
    let server = shared();
    let moves = ["h8", "i9", "j10", "h8", "p16", "pass", "a0"];
    let expected = [
        (3, "occupied"),
        (4, "off_board"),
        (5, "pass_not_allowed"),
        (6, "off_board"),
    ];
    let at = |place: &dyn Fn(usize) -> String| -> Vec<(String, String)> {
        let faults = expected.iter();
        faults
            .map(|(index, code)| (place(*index), (*code).to_owned()))
            .collect()
    };
    for path in STRICT {
        let listed = server.post(path, &json!({"position": {"moves": moves}}));
        assert_eq!(
            listed.faults(422, "illegal_move"),
            at(&|index| format!("/position/moves/{index}"))
        );
        let text = server.post(path, &json!({"position": {"moves": moves.concat()}}));
        assert_eq!(
            text.faults(422, "illegal_move"),
            at(&|_| "/position/moves".into())
        );
        let got = server.get(&format!("{path}?moves={}", moves.concat()));
        assert_eq!(got.faults(422, "illegal_move"), at(&|_| "moves".into()));
        assert!(got.header("etag").is_none(), "an error is not to be kept");
    }
}

#[test]
fn a_record_that_goes_on_behind_its_end_is_refused() {
    let server = shared();
    for path in STRICT {
        let moves = json!([
            "h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11", "o1"
        ]);
        let answer = server.post(path, &json!({"position": {"moves": moves}}));
        assert_eq!(
            answer.faults(422, "illegal_move"),
            [("/position/moves/9".into(), "after_game_end".into())]
        );
        let forbidden = [
            ("h7a1h9c1g8e1i8g1h8", "forbidden_double_three"),
            ("f8a1g8c1j8e1h5g1h6i1h7k1h8", "forbidden_double_four"),
            ("c8a1d8c1e8e1g8g1h8i1f8", "forbidden_overline"),
        ];
        for (moves, code) in forbidden {
            let position = json!({"rule": "renju", "moves": moves});
            let answer = server.post(path, &json!({"position": position}));
            assert_eq!(
                answer.faults(422, "illegal_move"),
                [("/position/moves".into(), code.into())]
            );
        }
    }
}

#[test]
fn of_many_violations_twenty_are_told() {
    let server = shared();
    let moves = vec!["h8"; 40];
    let faults = server
        .legal_moves(&json!({"position": {"moves": moves}}))
        .faults(422, "illegal_move");
    let expected: Vec<_> = (1..=20)
        .map(|index| (format!("/position/moves/{index}"), "occupied".to_owned()))
        .collect();
    assert_eq!(faults, expected);
}
