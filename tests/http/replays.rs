//! `/v1/replays`: what the rules say of a record.

use serde_json::{Value, json};

use crate::client::{Client, faults_of, query_of, request, shared, sorted, texts};

const RULES: [&str; 4] = ["freestyle", "standard", "renju", "caro"];

/// A record under a rule on 15×15, replayed by POST and GET alike.
#[track_caller]
fn replayed(client: &Client, rule: &str, moves: &str) -> Value {
    let body = json!({"position": {"rule": rule, "moves": moves}});
    client.computed("/v1/replays", &body).ok()
}

/// The violations as (ply, move, code).
#[track_caller]
fn violations(replay: &Value) -> Vec<(u64, &str, &str)> {
    let list = replay["violations"].as_array().unwrap().iter();
    list.map(|violation| {
        (
            violation["ply"].as_u64().unwrap(),
            violation["move"].as_str().unwrap(),
            violation["code"].as_str().unwrap(),
        )
    })
    .collect()
}

/// The number of stones on the board of an answer.
fn stones(replay: &Value) -> usize {
    let rows = texts(&replay["board"]).concat();
    rows.chars().filter(|square| *square != '.').count()
}

/// What stands on a cell of the board of an answer.
#[track_caller]
fn square(replay: &Value, cell: &str) -> char {
    let rows = texts(&replay["board"]);
    let column = usize::from(cell.as_bytes()[0] - b'a');
    let row = rows.len() - cell[1..].parse::<usize>().unwrap();
    rows[row].chars().nth(column).unwrap()
}

#[track_caller]
fn assert_ongoing(replay: &Value, to_move: &str) {
    assert_eq!(replay["legal"], true, "{replay}");
    assert_eq!(replay["violations"], json!([]), "{replay}");
    assert_eq!(replay["result"], json!({"status": "ongoing"}), "{replay}");
    assert_eq!(replay["to_move"], to_move, "{replay}");
}

/// The game is won by exactly one row, at the last ply of the legal part.
#[track_caller]
fn assert_won(replay: &Value, winner: &str, reason: &str, direction: &str, cells: &[&str]) {
    let result = &replay["result"];
    assert_eq!(result["status"], "won", "{replay}");
    assert_eq!(result["winner"], winner, "{replay}");
    assert_eq!(result["reason"], reason, "{replay}");
    let lines = result["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 1, "{replay}");
    assert_eq!(lines[0]["direction"], direction, "{replay}");
    let mut cells = cells.to_vec();
    cells.sort_unstable();
    assert_eq!(sorted(&lines[0]["cells"]), cells, "{replay}");
    assert_eq!(result["at_ply"], replay["plies"], "{replay}");
    assert!(
        replay.get("to_move").is_none(),
        "the game is over: {replay}"
    );
}

#[test]
fn every_spelling_of_a_record_is_the_same_record() {
    let server = shared();
    let expected = server.replay(&json!({"position": {"moves": ["h8", "i9", "j10"]}}));
    assert_eq!(
        expected.ok()["position"],
        json!({"rule": "freestyle", "size": 15, "moves": ["h8", "i9", "j10"]})
    );
    for moves in [
        json!("h8i9j10"),
        json!("h8 i9 j10"),
        json!("H8I9J10"),
        json!("h8,i9,j10"),
        json!("1. h8 i9 2. j10"),
        json!(["H8", "I9", "J10"]),
        json!([{"row": 7, "col": 7}, {"row": 6, "col": 8}, {"row": 5, "col": 9}]),
        json!(["h8", {"col": 8, "row": 6}, "J10"]),
    ] {
        let answer = server.replay(&json!({"position": {"moves": moves}}));
        assert_eq!(answer.text(), expected.text(), "{moves}");
    }
    let spelled_out = json!({"position": {"rule": "freestyle", "size": 15, "moves": "h8i9j10"}});
    assert_eq!(server.replay(&spelled_out).text(), expected.text());
}

#[test]
fn rows_and_columns_count_from_the_top_left_on_every_size() {
    let server = shared();
    for size in 5..=25 {
        let last = size - 1;
        let corners =
            json!([{"row": 0, "col": 0}, {"row": last, "col": 0}, {"row": last, "col": last}]);
        let replay = server
            .replay(&json!({"position": {"size": size, "moves": corners}}))
            .ok();
        let right = char::from(b'a' + u8::try_from(last).unwrap());
        assert_eq!(
            texts(&replay["position"]["moves"]),
            [format!("a{size}"), "a1".into(), format!("{right}1")],
        );
        let rows = texts(&replay["board"]);
        assert_eq!(rows.len(), size);
        assert!(rows[0].starts_with('x'), "size {size}: {rows:?}");
        assert!(rows[last].starts_with('o') && rows[last].ends_with('x'));
    }
}

#[test]
fn an_empty_record_is_a_new_game() {
    let server = shared();
    for moves in [json!(""), json!([])] {
        let replay = server
            .computed("/v1/replays", &json!({"position": {"moves": moves}}))
            .ok();
        assert_ongoing(&replay, "black");
        assert_eq!(replay["plies"], 0);
        assert_eq!(texts(&replay["board"]), ["..............."; 15]);
    }
}

#[test]
fn a_five_in_the_lower_right_corner_wins() {
    let server = shared();
    for rule in RULES {
        let replay = replayed(&server, rule, "o1a1n1c1m1e1l1g1k1");
        assert_eq!(replay["legal"], true);
        let cells = ["k1", "l1", "m1", "n1", "o1"];
        assert_won(&replay, "black", "five", "horizontal", &cells);
        assert_eq!(replay["plies"], 9);
    }
}

#[test]
fn the_fifth_stone_ends_the_game_and_a_tenth_ply_is_too_late() {
    let server = shared();
    let cells = ["h8", "h9", "h10", "h11", "h12"];
    for rule in RULES {
        let won = replayed(&server, rule, "h8a1h9c1h10e1h12g1h11");
        assert_eq!(won["legal"], true);
        assert_won(&won, "black", "five", "vertical", &cells);

        let beyond = replayed(&server, rule, "h8a1h9c1h10e1h12g1h11 h13 a1");
        assert_eq!(beyond["legal"], false);
        assert_eq!(
            violations(&beyond),
            [(10, "h13", "after_game_end"), (11, "a1", "after_game_end")]
        );
        assert_won(&beyond, "black", "five", "vertical", &cells);
        assert_eq!(beyond["plies"], 9);
        assert_eq!(stones(&beyond), 9);
    }
}

#[test]
fn six_in_a_row_win_only_where_the_rule_says_so() {
    let server = shared();
    let moves = "c8a1d8c1e8e1g8g1h8i1f8";
    let six = ["c8", "d8", "e8", "f8", "g8", "h8"];

    let freestyle = replayed(&server, "freestyle", moves);
    assert_eq!(freestyle["legal"], true);
    assert_won(&freestyle, "black", "overline", "horizontal", &six);

    for rule in ["standard", "caro"] {
        assert_ongoing(&replayed(&server, rule, moves), "white");
    }

    let renju = replayed(&server, "renju", moves);
    assert_eq!(violations(&renju), [(11, "f8", "forbidden_overline")]);
    assert_eq!(renju["legal"], false);
    assert_eq!(renju["result"]["status"], "won");
    assert_eq!(renju["result"]["winner"], "white");
    assert_eq!(renju["result"]["reason"], "forbidden");
    assert_eq!(renju["result"]["at_ply"], 11);
    let evidence = &renju["violations"][0]["evidence"];
    assert_eq!(evidence["verdict"], "overline");
    assert_eq!(sorted(&evidence["overlines"][0]["cells"]), six);
}

#[test]
fn whites_six_win_in_renju_and_freestyle_alone() {
    let server = shared();
    let moves = "a1c8c1d8e1e8g1g8i1h8k1f8";
    let six = ["c8", "d8", "e8", "f8", "g8", "h8"];
    for rule in ["renju", "freestyle"] {
        let replay = replayed(&server, rule, moves);
        assert_won(&replay, "white", "overline", "horizontal", &six);
    }
    for rule in ["standard", "caro"] {
        assert_ongoing(&replayed(&server, rule, moves), "black");
    }
}

#[test]
fn caro_does_not_count_a_five_shut_in_at_both_ends() {
    let server = shared();
    // Black d8 to h8; White at c8 and i8, at c8 alone, at the edge and beyond it.
    let shut_in = "d8c8e8i8f8a1g8c1h8";
    assert_ongoing(&replayed(&server, "caro", shut_in), "white");
    for rule in ["freestyle", "standard", "renju"] {
        let cells = ["d8", "e8", "f8", "g8", "h8"];
        assert_won(
            &replayed(&server, rule, shut_in),
            "black",
            "five",
            "horizontal",
            &cells,
        );
    }
    let one_end = replayed(&server, "caro", "d8c8e8a3f8a1g8c1h8");
    assert_won(
        &one_end,
        "black",
        "five",
        "horizontal",
        &["d8", "e8", "f8", "g8", "h8"],
    );
    let at_the_edge = replayed(&server, "caro", "a8f8b8a3c8a1d8c1e8");
    assert_won(
        &at_the_edge,
        "black",
        "five",
        "horizontal",
        &["a8", "b8", "c8", "d8", "e8"],
    );
    let white = replayed(&server, "caro", "c8d8i8e8a1f8c1g8e1h8");
    assert_ongoing(&white, "black");
}

#[test]
fn a_row_that_ends_in_the_last_row_or_column_wins() {
    let server = shared();
    let table: [(&str, &str, &[&str]); 5] = [
        (
            "l5a1m4c1n3e1o2g1k6",
            "diagonal",
            &["k6", "l5", "m4", "n3", "o2"],
        ),
        (
            "k1a2l2c2m3e2n4g2o5",
            "antidiagonal",
            &["k1", "l2", "m3", "n4", "o5"],
        ),
        (
            "o11a1o12c1o13e1o14g1o15",
            "vertical",
            &["o11", "o12", "o13", "o14", "o15"],
        ),
        (
            "a15a1b15c1c15e1d15g1e15",
            "horizontal",
            &["a15", "b15", "c15", "d15", "e15"],
        ),
        (
            "a5a1b4c1c3g1d2e2e1",
            "diagonal",
            &["a5", "b4", "c3", "d2", "e1"],
        ),
    ];
    for rule in RULES {
        for (moves, direction, cells) in table {
            assert_won(
                &replayed(&server, rule, moves),
                "black",
                "five",
                direction,
                cells,
            );
        }
    }
}

#[test]
fn no_row_wraps_around_the_edge() {
    let server = shared();
    for rule in RULES {
        for moves in [
            "a15h8b15h9c15h10d15i8e14",
            "l8a2m8c4n8e2o8g4a7",
            "l8a2m8c4n8e2o8g4a9",
            "n8a2o8c4a7e2b7g4c7",
            "h1a2h2c4h3e2h4g4i15",
            "m3a2n2c4o1e2a15g4b14",
        ] {
            assert_ongoing(&replayed(&server, rule, moves), "white");
        }
    }
}

#[test]
fn a_three_whose_straight_four_cell_makes_a_five_elsewhere_counts_as_the_rif_text_says() {
    // Of Black's two threes on h8 one could become a straight four only where that makes a five too.
    let server = shared();
    let replay = replayed(&server, "renju", "g4g3g5a1g6c1g7e1f8i1i8k1h9m1h10o1h8");
    assert_ongoing(&replay, "white");
    let board = [
        "...............",
        "...............",
        "...............",
        "...............",
        "...............",
        ".......x.......",
        ".......x.......",
        ".....x..x......",
        "......x........",
        "......x........",
        "......x........",
        "......x........",
        "......o........",
        "...............",
        "...............",
    ];
    let asked =
        json!({"position": {"rule": "renju", "board": board, "to_move": "black", "setup": true}});
    let legal = server.computed("/v1/legal-moves", &asked).ok();
    assert!(texts(&legal["legal"]).contains(&"h8"));
}

#[test]
fn a_double_three_is_a_violation_and_a_loss_with_its_evidence() {
    let server = shared();
    let replay = replayed(&server, "renju", "h7a1h9c1g8e1i8g1h8");
    assert_eq!(replay["legal"], false);
    assert_eq!(violations(&replay), [(9, "h8", "forbidden_double_three")]);
    let result = &replay["result"];
    assert_eq!(result["status"], "won");
    assert_eq!(result["winner"], "white");
    assert_eq!(result["reason"], "forbidden");
    assert_eq!(result["at_ply"], 9);
    assert_eq!(replay["plies"], 9);
    assert!(replay.get("to_move").is_none());
    assert_eq!(square(&replay, "h8"), 'x', "the stone stands");

    let evidence = &replay["violations"][0]["evidence"];
    assert_eq!(evidence["verdict"], "double_three");
    let mut threes: Vec<_> = evidence["threes"].as_array().unwrap().iter().collect();
    threes.sort_by_key(|three| three["direction"].as_str());
    assert_eq!(threes.len(), 2);
    let expected = [
        ("horizontal", ["g8", "h8", "i8"], ["f8", "j8"]),
        ("vertical", ["h7", "h8", "h9"], ["h10", "h6"]),
    ];
    for (three, (direction, cells, fours)) in threes.iter().zip(expected) {
        assert_eq!(three["direction"], direction);
        assert_eq!(sorted(&three["cells"]), cells);
        assert_eq!(three["counts"], true);
        let mut found = Vec::new();
        for cell in three["straight_four_cells"].as_array().unwrap() {
            assert_eq!(cell["legal"], true, "{cell}");
            assert_eq!(cell["evidence"]["verdict"], "legal", "{cell}");
            found.push(cell["cell"].as_str().unwrap());
        }
        found.sort_unstable();
        assert_eq!(found, fours);
    }

    let later = replayed(&server, "renju", "h7a1h9c1g8e1i8g1h8i1");
    assert_eq!(
        violations(&later),
        [
            (9, "h8", "forbidden_double_three"),
            (10, "i1", "after_game_end")
        ]
    );
    for rule in ["freestyle", "standard", "caro"] {
        assert_ongoing(&replayed(&server, rule, "h7a1h9c1g8e1i8g1h8"), "white");
    }
}

#[test]
fn a_three_without_room_for_a_straight_four_does_not_count() {
    let server = shared();
    let replay = replayed(&server, "renju", "h7e8h9k8g8e1i8g1h8");
    assert_ongoing(&replay, "white");
}

#[test]
fn three_and_a_gap_and_one_is_a_four_and_no_three() {
    let server = shared();
    // Row 8 becomes f8 g8 h8 . j8: i8 makes a five.
    assert_ongoing(&replayed(&server, "renju", "f8a1g8c1j8e1h8"), "white");
    let five = replayed(&server, "renju", "f8a1g8c1j8e1h8g1i8");
    assert_won(
        &five,
        "black",
        "five",
        "horizontal",
        &["f8", "g8", "h8", "i8", "j8"],
    );
    // With a real three it is four and three, which is legal; with another four a double four.
    assert_ongoing(
        &replayed(&server, "renju", "f8a1g8c1j8e1h7g1h9i1h8"),
        "white",
    );
    let double = replayed(&server, "renju", "f8a1g8c1j8e1h5g1h6i1h7k1h8");
    assert_eq!(violations(&double), [(13, "h8", "forbidden_double_four")]);
    let evidence = &double["violations"][0]["evidence"];
    assert_eq!(evidence["verdict"], "double_four");
    let mut fours: Vec<_> = evidence["fours"].as_array().unwrap().iter().collect();
    fours.sort_by_key(|four| four["direction"].as_str());
    assert_eq!(fours.len(), 2);
    assert_eq!(sorted(&fours[0]["cells"]), ["f8", "g8", "h8", "j8"]);
    assert_eq!(texts(&fours[0]["five_cells"]), ["i8"]);
    assert_eq!(sorted(&fours[1]["cells"]), ["h5", "h6", "h7", "h8"]);
    assert_eq!(sorted(&fours[1]["five_cells"]), ["h4", "h9"]);
}

#[test]
fn a_five_wins_whatever_else_the_stone_makes() {
    let server = shared();
    let replay = replayed(&server, "renju", "d8a1e8c1f8e1g8g1h9i1h10k1i7m1j6o1h8");
    assert_eq!(replay["legal"], true);
    assert_won(
        &replay,
        "black",
        "five",
        "horizontal",
        &["d8", "e8", "f8", "g8", "h8"],
    );
}

#[test]
fn all_winning_rows_of_a_stone_are_told() {
    let server = shared();
    let replay = replayed(
        &server,
        "freestyle",
        "d8a1e8c1f8e1g8g1h9i1h10k1h11m1h12o1h8",
    );
    let lines = replay["result"]["lines"].as_array().unwrap();
    let mut directions: Vec<_> = lines
        .iter()
        .map(|line| line["direction"].as_str())
        .collect();
    directions.sort_unstable();
    assert_eq!(directions, [Some("horizontal"), Some("vertical")]);
    assert!(
        lines
            .iter()
            .all(|line| texts(&line["cells"]).contains(&"h8"))
    );
}

#[test]
fn an_occupied_cell_leaves_the_turn_where_it_was() {
    let server = shared();
    for rule in RULES {
        let replay = replayed(&server, rule, "h8h8");
        assert_eq!(replay["legal"], false);
        assert_eq!(violations(&replay), [(2, "h8", "occupied")]);
        assert_eq!(replay["to_move"], "white");
        assert_eq!(replay["plies"], 1);
        assert_eq!(replay["result"], json!({"status": "ongoing"}));
        assert_eq!(stones(&replay), 1);
        assert_eq!(square(&replay, "h8"), 'x');
    }
}

#[test]
fn every_violation_is_told_and_the_state_is_that_before_the_first() {
    let server = shared();
    let moves = [
        "h8", "h8", "p16", "i9", "z1", "h8", "pass", "a0", "h99", "j10",
    ];
    let asked = json!({"position": {"rule": "freestyle", "moves": moves}});
    let replay = server.computed("/v1/replays", &asked).ok();
    assert_eq!(
        violations(&replay),
        [
            (2, "h8", "occupied"),
            (3, "p16", "off_board"),
            (5, "z1", "off_board"),
            (6, "h8", "occupied"),
            (7, "pass", "pass_not_allowed"),
            (8, "a0", "off_board"),
            (9, "h99", "off_board"),
        ]
    );
    assert_eq!(replay["legal"], false);
    assert_eq!(replay["plies"], 1);
    assert_eq!(replay["to_move"], "white");
    assert_eq!(stones(&replay), 1);
    assert_eq!(
        texts(&replay["position"]["moves"]),
        moves,
        "the whole record is echoed"
    );
    for violation in replay["violations"].as_array().unwrap() {
        assert!(
            violation.get("evidence").is_none(),
            "only a forbidden cell has evidence"
        );
    }
}

#[test]
fn a_row_or_column_off_the_board_is_a_violation_however_far() {
    let server = shared();
    for (row, col) in [
        (-1_i64, 7_i64),
        (7, -1),
        (15, 7),
        (7, 15),
        (25, 25),
        (i64::MAX, 0),
        (0, i64::MIN),
    ] {
        let asked = json!({"position": {"moves": ["h8", {"row": row, "col": col}, "i9"]}});
        let replay = server.replay(&asked).ok();
        let told = violations(&replay);
        assert_eq!(told.len(), 1, "{row} {col}: {replay}");
        assert_eq!((told[0].0, told[0].2), (2, "off_board"));
    }
    // A cell of the largest board is off every smaller one.
    let small = server
        .replay(&json!({"position": {"size": 5, "moves": "f1"}}))
        .ok();
    assert_eq!(violations(&small), [(1, "f1", "off_board")]);
}

#[test]
fn more_than_twenty_violations_are_all_told() {
    let server = shared();
    let replay = replayed(&server, "freestyle", &format!("h8{}", "h8".repeat(30)));
    let expected: Vec<_> = (2..=31).map(|ply| (ply, "h8", "occupied")).collect();
    assert_eq!(violations(&replay), expected);
}

#[test]
fn behind_a_violation_the_colours_go_by_ply_and_the_end_of_the_game_is_seen() {
    let server = shared();
    // Ply 2 is refused; the stones of plies 1, 3, 5, 7 and 9 are Black's all the same and make five.
    let replay = replayed(&server, "freestyle", "a1a1b1h8c1i8d1j8e1k8");
    assert_eq!(
        violations(&replay),
        [(2, "a1", "occupied"), (10, "k8", "after_game_end")]
    );
    assert_eq!(replay["plies"], 1);
    assert_eq!(replay["result"], json!({"status": "ongoing"}));
    // Once the game is over there, that alone is told of a ply.
    let replay = replayed(&server, "freestyle", "a1a1b1h8c1i8d1j8e1 a1 z1 pass");
    assert_eq!(
        violations(&replay)[1..],
        [
            (10, "a1", "after_game_end"),
            (11, "z1", "after_game_end"),
            (12, "pass", "after_game_end"),
        ]
    );
}

#[test]
fn two_passes_in_a_row_are_a_draw_in_renju() {
    let server = shared();
    let replay = replayed(&server, "renju", "h8 a1 c1 pass pass");
    assert_eq!(replay["legal"], true);
    assert_eq!(
        replay["result"],
        json!({"status": "drawn", "reason": "passes", "at_ply": 5})
    );
    assert!(replay.get("to_move").is_none());
    assert_eq!(stones(&replay), 3);
    let after = replayed(&server, "renju", "h8 a1 c1 pass pass e1");
    assert_eq!(violations(&after), [(6, "e1", "after_game_end")]);

    let once = replayed(&server, "renju", "h8 a1 c1 pass");
    assert_ongoing(&once, "black");
    assert_eq!(once["plies"], 4);
    assert_eq!(
        texts(&once["position"]["moves"]),
        ["h8", "a1", "c1", "pass"]
    );
    assert_ongoing(
        &replayed(&server, "renju", "h8 a1 c1 pass e1 pass g1"),
        "white",
    );
}

#[test]
fn a_pass_before_the_fourth_ply_or_under_another_rule_is_a_violation() {
    let server = shared();
    for plies in 0..3 {
        let record = ["h8", "a1", "c1"][..plies].concat() + "pass";
        let replay = replayed(&server, "renju", &record);
        let ply = u64::try_from(plies + 1).unwrap();
        assert_eq!(violations(&replay), [(ply, "pass", "pass_not_allowed")]);
    }
    for rule in ["freestyle", "standard", "caro"] {
        let replay = replayed(&server, rule, "h8 a1 c1 pass pass");
        assert_eq!(
            violations(&replay),
            [
                (4, "pass", "pass_not_allowed"),
                (5, "pass", "pass_not_allowed")
            ]
        );
        assert_eq!(replay["to_move"], "white");
    }
}

#[test]
fn a_full_board_without_a_five_is_a_draw() {
    let server = shared();
    let rows = ["xxoox", "ooxxo", "xxoox", "ooxxo", "xxoox"];
    let mut cells = [Vec::new(), Vec::new()];
    for (row, squares) in rows.iter().enumerate() {
        for (column, square) in (b'a'..).zip(squares.bytes()) {
            let cell = format!("{}{}", char::from(column), 5 - row);
            cells[usize::from(square == b'o')].push(cell);
        }
    }
    let moves: Vec<_> = (0..25).map(|ply| cells[ply % 2][ply / 2].clone()).collect();
    for rule in RULES {
        let asked = json!({"position": {"rule": rule, "size": 5, "moves": moves}});
        let replay = server.computed("/v1/replays", &asked).ok();
        assert_eq!(replay["legal"], true);
        assert_eq!(
            replay["result"],
            json!({"status": "drawn", "reason": "board_full", "at_ply": 25})
        );
        assert!(replay.get("to_move").is_none());
        assert_eq!(texts(&replay["board"]), rows);
        let open = json!({"position": {"rule": rule, "size": 5, "moves": moves[..24]}});
        assert_ongoing(&server.computed("/v1/replays", &open).ok(), "black");
    }
}

#[test]
fn undo_equals_the_shorter_record() {
    let server = shared();
    let moves = ["h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11"];
    for rule in RULES {
        for ply in 0..=moves.len() {
            let undone = json!({"position": {"rule": rule, "moves": moves}, "ply": ply});
            let shorter = json!({"position": {"rule": rule, "moves": moves[..ply]}});
            assert_eq!(
                server.computed("/v1/replays", &undone).text(),
                server.computed("/v1/replays", &shorter).text(),
                "{rule} {ply}"
            );
        }
    }
    // Also where the longer record is not legal.
    let undone = json!({"position": {"moves": "h8h8i9"}, "ply": 1});
    assert_ongoing(&server.computed("/v1/replays", &undone).ok(), "white");
    let beyond = json!({"position": {"moves": moves}, "ply": 10});
    let problem = server.replay(&beyond).problem(422, "limit_out_of_range");
    assert_eq!(
        faults_of(&problem),
        [("/ply".into(), "limit_out_of_range".into())]
    );
}

#[test]
fn a_win_taken_back_and_played_again_is_the_same_win() {
    let server = shared();
    let won = replayed(&server, "standard", "h8a1h9c1h10e1h12g1h11");
    assert_ongoing(
        &replayed(&server, "standard", "h8a1h9c1h10e1h12g1"),
        "black",
    );
    assert_ongoing(
        &replayed(&server, "standard", "h8a1h9c1h10e1h12g1i8"),
        "white",
    );
    assert_eq!(replayed(&server, "standard", "h8a1h9c1h10e1h12g1h11"), won);
    assert_won(
        &won,
        "black",
        "five",
        "vertical",
        &["h8", "h9", "h10", "h11", "h12"],
    );
}

#[test]
fn a_new_game_after_a_finished_one_shares_nothing_with_it() {
    let server = shared();
    for rule in RULES {
        let before = replayed(&server, rule, "h11");
        assert_eq!(
            replayed(&server, rule, "h8a1h9c1h10e1h12g1h11")["result"]["status"],
            "won"
        );
        let after = replayed(&server, rule, "h11");
        assert_eq!(after, before);
        assert_ongoing(&after, "white");
        assert_eq!(stones(&after), 1);
    }
}

#[test]
fn states_show_the_game_after_every_ply() {
    let server = shared();
    let moves = ["h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11"];
    let asked = json!({"position": {"moves": moves}, "include": "states"});
    let replay = server.computed("/v1/replays", &asked).ok();
    let states = replay["states"].as_array().unwrap();
    assert_eq!(states.len(), moves.len() + 1);
    for (ply, state) in states.iter().enumerate() {
        let alone = server
            .replay(&json!({"position": {"moves": moves[..ply]}}))
            .ok();
        for member in ["plies", "to_move", "board", "result", "position_key"] {
            assert_eq!(state.get(member), alone.get(member), "{member} of {ply}");
        }
    }
    // An illegal record has the states of its legal part.
    let asked = json!({"position": {"moves": "h8i9h8j10"}, "include": "states"});
    let replay = server.computed("/v1/replays", &asked).ok();
    assert_eq!(replay["states"].as_array().unwrap().len(), 3);
    // A forbidden stone belongs to it.
    let asked = json!({"position": {"rule": "renju", "moves": "h7a1h9c1g8e1i8g1h8i1"}, "include": "states"});
    let replay = server.computed("/v1/replays", &asked).ok();
    let states = replay["states"].as_array().unwrap();
    assert_eq!(states.len(), 10);
    assert_eq!(states[9]["result"]["reason"], "forbidden");
    assert!(replay.get("states").is_some());
    let without = server.replay(&json!({"position": {"moves": "h8"}})).ok();
    assert!(without.get("states").is_none());
}

#[test]
fn states_go_only_as_far_as_the_asked_ply() {
    let server = shared();
    let asked = json!({"position": {"moves": "h8i9j10"}, "ply": 2, "include": "states"});
    let replay = server.computed("/v1/replays", &asked).ok();
    assert_eq!(replay["states"].as_array().unwrap().len(), 3);
    assert_eq!(replay["plies"], 2);
}

#[test]
fn a_board_of_letters_and_a_matrix_are_the_same_board() {
    let server = shared();
    let rows = json!([".....", ".xo..", "..x..", "...o.", "....."]);
    let matrix = json!([
        [0, 0, 0, 0, 0],
        [0, 1, 2, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 2, 0],
        [0, 0, 0, 0, 0]
    ]);
    for rule in RULES {
        let letters = json!({"position": {"rule": rule, "board": rows}});
        let letters = server.computed("/v1/replays", &letters);
        let numbers = server.replay(&json!({"position": {"rule": rule, "board": matrix}}));
        assert_eq!(numbers.text(), letters.text());
        let replay = letters.ok();
        assert_ongoing(&replay, "black");
        assert_eq!(
            replay["position"],
            json!({"rule": rule, "size": 5, "board": rows, "to_move": "black"})
        );
        assert_eq!(replay["board"], rows);
    }
    let sized = json!({"position": {"rule": "caro", "size": 5, "board": rows}});
    server.computed("/v1/replays", &sized).ok();
}

#[test]
fn whose_turn_it_is_on_a_board_follows_from_its_stones() {
    let server = shared();
    let to_move = |board: Value, more: Value| {
        let mut position = json!({"board": board});
        for (name, value) in more.as_object().unwrap() {
            position[name.as_str()] = value.clone();
        }
        let answer = server.replay(&json!({"position": position}));
        if answer.status != 200 {
            answer.problem(422, "illegal_position");
            return None;
        }
        Some(answer.ok()["to_move"].as_str().unwrap().to_owned())
    };
    let even = json!([".....", ".xo..", ".....", ".....", "....."]);
    let ahead = json!([".....", ".xo..", "..x..", ".....", "....."]);
    let strange = json!([".....", ".xo..", "..o..", ".....", "....."]);
    assert_eq!(to_move(even.clone(), json!({})).as_deref(), Some("black"));
    assert_eq!(to_move(ahead.clone(), json!({})).as_deref(), Some("white"));
    assert_eq!(
        to_move(ahead, json!({"to_move": "white"})).as_deref(),
        Some("white")
    );
    assert_eq!(to_move(strange.clone(), json!({})), None);
    assert_eq!(to_move(even.clone(), json!({"to_move": "white"})), None);
    for color in ["black", "white"] {
        for board in [&even, &strange] {
            let more = json!({"to_move": color, "setup": true});
            assert_eq!(to_move(board.clone(), more).as_deref(), Some(color));
        }
    }
    assert_eq!(to_move(strange, json!({"setup": false})), None);
}

#[test]
fn a_board_is_scanned_whole_under_its_rule() {
    let server = shared();
    let winner = |rule: &str, row: &str, more: Value| {
        let size = row.len();
        let mut board = vec![".".repeat(size); size];
        board[size - 1] = row.to_owned();
        let mut position = json!({"rule": rule, "board": board, "setup": true});
        for (name, value) in more.as_object().unwrap() {
            position[name.as_str()] = value.clone();
        }
        let replay = server
            .computed("/v1/replays", &json!({"position": position}))
            .ok();
        let result = &replay["result"];
        assert_eq!(
            replay.get("to_move").is_some(),
            result["status"] == "ongoing"
        );
        assert!(
            result.get("at_ply").is_none(),
            "a board has no plies: {result}"
        );
        result["winner"].as_str().map(str::to_owned)
    };
    let table = [
        ("freestyle", "xxxxx..", Some("black")),
        ("freestyle", "xxxxxx.", Some("black")),
        ("freestyle", "xxxx.x.", None),
        ("standard", ".ooooo.", Some("white")),
        ("standard", "oooooo.", None),
        ("renju", "xxxxx..", Some("black")),
        ("renju", "oooooo.", Some("white")),
        ("caro", "oxxxxxo", None),
        ("caro", "xxxxxo.", Some("black")),
        ("caro", "xxxxxx.", None),
    ];
    for (rule, row, expected) in table {
        for to_move in ["black", "white"] {
            let found = winner(rule, row, json!({"to_move": to_move}));
            assert_eq!(found.as_deref(), expected, "{rule} {row}");
        }
    }
}

#[test]
fn a_board_on_which_both_have_won_is_no_position() {
    let server = shared();
    let board = ["xxxxx", ".....", "ooooo", ".....", "....."];
    for path in ["/v1/replays", "/v1/legal-moves", "/v1/threats", "/v1/hints"] {
        let answer = server.post(path, &json!({"position": {"board": board, "setup": true}}));
        let faults = answer.faults(422, "illegal_position");
        assert_eq!(faults, [("/position/board".into(), "two_winners".into())]);
    }
    // In a record the second five is only a ply too late.
    let replay = replayed(&server, "freestyle", "a1a3b1b3c1c3d1d3e1e3");
    assert_eq!(violations(&replay), [(10, "e3", "after_game_end")]);
    assert_won(
        &replay,
        "black",
        "five",
        "horizontal",
        &["a1", "b1", "c1", "d1", "e1"],
    );
}

#[test]
fn keys_tell_positions_apart_and_symmetric_ones_together() {
    let server = shared();
    let keys = |moves: &str| {
        let replay = replayed(&server, "freestyle", moves);
        let key = |name: &str| replay[name].as_str().unwrap().to_owned();
        (key("position_key"), key("symmetry_key"))
    };
    let original = keys("h8j9k4");
    assert_eq!(keys("k4j9h8"), original, "the same stones in another order");
    assert_ne!(keys("h8j9k5"), original);
    assert_ne!(keys("h8j9k5").1, original.1);
    assert_ne!(keys("h8j9").0, original.0);
    // The seven other views of it, by hand: a quarter turn takes (column, row) to (row, 16 - column).
    let mut cells = [(8, 8), (10, 9), (11, 4)];
    let mut seen = vec![original.0.clone()];
    for turn in 1..8 {
        for (column, row) in &mut cells {
            (*column, *row) = (*row, 16 - *column);
            if turn == 4 {
                *column = 16 - *column;
            }
        }
        let letters = "abcdefghijklmno".as_bytes();
        let moves: String = cells
            .iter()
            .map(|(column, row)| format!("{}{row}", char::from(letters[column - 1])))
            .collect();
        let turned = keys(&moves);
        assert_eq!(turned.1, original.1, "{moves}");
        assert!(!seen.contains(&turned.0), "{moves} is another position");
        seen.push(turned.0);
    }
}

#[test]
fn whose_turn_it_is_belongs_to_the_key() {
    let server = shared();
    let key = |to_move: &str| {
        let board = [".....", ".....", "..x..", ".....", "....."];
        let position = json!({"board": board, "to_move": to_move, "setup": true});
        let replay = server.replay(&json!({"position": position})).ok();
        replay["position_key"].as_str().unwrap().to_owned()
    };
    assert_ne!(key("black"), key("white"));
}

#[test]
fn a_get_may_spell_its_query_in_any_encoding() {
    let server = shared();
    let expected = replayed(&server, "renju", "h8i9j7");
    for query in [
        "rule=renju&moves=h8i9j7",
        "moves=h8+i9+j7&rule=renju",
        "moves=h8%20i9%20j7&rule=renju",
        "&moves=1.+h8+i9+2.+j7&&rule=renju&",
        "moves=%68%38i9j7&%72ule=renju",
        "moves=h8,i9,j7&rule=renju&size=15",
    ] {
        let answer = server.get(&format!("/v1/replays?{query}"));
        assert_eq!(answer.ok(), expected, "{query}");
    }
    let raw = request("GET", b"/v1/replays?rule=renju&moves=H8I9J7", &[], b"");
    assert_eq!(server.raw(&raw).ok(), expected);
    assert_eq!(
        query_of(&json!({"position": {"moves": ["h8", "i9"], "size": 15}, "ply": 1})),
        "moves=h8i9&size=15&ply=1",
        "what the twins of these tests are asked with"
    );
}

#[test]
fn what_is_echoed_can_be_sent_again() {
    let server = shared();
    for position in [
        json!({"moves": "H8 i9"}),
        json!({"rule": "renju", "moves": "h8 i9 j7 pass pass"}),
        json!({"board": ["xxx..", ".....", ".....", ".....", "....."], "setup": true}),
        json!({"board": ["xo...", ".....", ".....", ".....", "....."], "to_move": "white", "setup": true}),
        json!({"board": ["xo...", ".....", ".....", ".....", "....."]}),
    ] {
        let first = server.replay(&json!({"position": position})).ok();
        let again = server
            .replay(&json!({"position": first["position"].clone()}))
            .ok();
        assert_eq!(again, first);
    }
}
