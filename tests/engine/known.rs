//! Positions whose answers are known: mistakes that other programs have made, and the ends of the rules.

use std::time::Duration;

use tengen::board::{Board, BoardSize, Cell, Color};
use tengen::engine::{Limits, Memory, Options, Outcome, Score, StopReason, Verdict};
use tengen::rules::{Position, Rule, Status};

use crate::{nodes, search, stones};

fn played(rule: Rule, moves: &str) -> Position {
    let mut position = Position::new(rule, BoardSize::DEFAULT);
    for (cell, _) in stones(moves) {
        position.play(cell).expect("the moves are legal");
    }
    position
}

fn drawn(rule: Rule, diagram: &str, to_move: Color) -> Position {
    let board: Board = diagram.parse().expect("the board is well drawn");
    Position::from_board(rule, board, to_move).expect("it is a position")
}

/// Black and white stones on 15×15.
fn set_up(rule: Rule, black: &str, white: &str, to_move: Color) -> Position {
    let mut board = Board::new(BoardSize::DEFAULT);
    for (names, color) in [(black, Color::Black), (white, Color::White)] {
        for (cell, _) in stones(names) {
            board.put(cell, color);
        }
    }
    Position::from_board(rule, board, to_move).expect("it is a position")
}

fn ask(position: &Position, limits: Limits) -> Outcome {
    search(
        position,
        &mut Memory::with_mebibytes(1),
        limits,
        &Options::default(),
    )
}

fn ask_for(position: &Position, options: &Options) -> Outcome {
    search(
        position,
        &mut Memory::with_mebibytes(1),
        nodes(200),
        options,
    )
}

fn cell(name: &str) -> Cell {
    name.parse().expect("the test names a cell")
}

/// Every number of nodes up to some: a search that has hardly begun must not be foolish either.
fn few_and_more() -> impl Iterator<Item = Limits> {
    [0, 1, 2, 10, 100, 1_000].into_iter().map(nodes)
}

#[test]
fn a_four_is_stopped() {
    // Case 10: a program played elsewhere.
    let position = played(
        Rule::Freestyle,
        "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10",
    );
    assert_eq!(position.to_move(), Color::Black);
    for limits in few_and_more() {
        let outcome = ask(&position, limits);
        assert_eq!(outcome.lines[0].moves[0], cell("e7"), "{limits:?}");
    }
}

#[test]
fn an_open_three_is_stopped_at_its_ends() {
    // Case 11: f8 or l8 still allow an open four on the other side.
    let position = set_up(Rule::Freestyle, "j6l11g5", "h8i8j8", Color::Black);
    for limits in [nodes(100), nodes(1_000), nodes(5_000)] {
        let outcome = ask(&position, limits);
        let first = outcome.lines[0].moves[0];
        assert!(
            [cell("g8"), cell("k8")].contains(&first),
            "{first} with {limits:?}"
        );
    }
}

#[test]
fn a_stone_far_from_all_others_is_answered() {
    // Case 12: a program found no cell near both stones, and said nothing.
    let position = played(Rule::Freestyle, "h8a1");
    let limits = Limits {
        time: Some(Duration::from_millis(50)),
        ..Limits::default()
    };
    let outcome = ask(&position, limits);
    assert_eq!(position.check(outcome.lines[0].moves[0]), Ok(()));
    assert_eq!(outcome.stop, StopReason::Time);
}

#[test]
fn two_fives_of_the_other_side_are_a_loss() {
    // Case 13: Black, who was thought to win always, is lost.
    let moves = "h8i9i7g9j7k7j8i8h6g5j9j6j10j11l10k9i10k10k8l7l9i6l12l11h5h4i5g7g6i4j5e7d8f8h10h11k11f6i3f7f10g10g11f5";
    let position = played(Rule::Freestyle, moves);
    assert_eq!(position.to_move(), Color::Black);
    for limits in few_and_more() {
        let outcome = ask(&position, limits);
        assert_eq!(outcome.lines[0].verdict, Verdict::ProvenLoss, "{limits:?}");
    }
    let outcome = ask(&position, nodes(1_000));
    assert_eq!(outcome.lines[0].score, Score::loss_in(2));
    assert_eq!(outcome.stop, StopReason::Decided);
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let won = played(Rule::Freestyle, "h8a1h9c1h10e1h12g1h11");
    assert!(matches!(won.status(), Status::Won { .. }));
    let full = drawn(
        Rule::Standard,
        "xxoox\nooxxo\nxxoox\nooxxo\nxxoox",
        Color::White,
    );
    assert!(matches!(full.status(), Status::Drawn { .. }));
    for position in [won, full] {
        let outcome = ask(&position, nodes(100));
        assert_eq!(
            (outcome.lines, outcome.depth, outcome.stop),
            (Vec::new(), 0, StopReason::Decided)
        );
    }
}

/// Black would make seven in the last cell.
const ONE_LEFT: &str = "xxooxxo\nooxxoox\nxxooxxo\nxxx.xxx\nxxooxxo\nooxxoox\nxxooxxo";

#[test]
fn black_has_no_move_where_only_forbidden_cells_are_left() {
    let position = drawn(Rule::Renju, ONE_LEFT, Color::Black);
    assert_eq!(
        (position.status(), position.legal_cells().count()),
        (Status::Ongoing, 0)
    );
    assert_eq!(ask(&position, nodes(100)).lines, []);
}

#[test]
fn the_last_cell_is_played_as_a_draw() {
    for (rule, to_move) in [
        (Rule::Renju, Color::White),
        (Rule::Standard, Color::Black),
        (Rule::Standard, Color::White),
        (Rule::Caro, Color::Black),
    ] {
        let outcome = ask(&drawn(rule, ONE_LEFT, to_move), nodes(100));
        let line = &outcome.lines[0];
        assert_eq!(
            (&line.moves[..], line.verdict),
            (&[cell("d4")][..], Verdict::ProvenDraw),
            "{rule}"
        );
        assert_eq!(line.score, Score::ZERO, "{rule}");
    }
    let won = ask(&drawn(Rule::Freestyle, ONE_LEFT, Color::Black), nodes(100));
    assert_eq!(
        (won.lines[0].verdict, won.lines[0].score),
        (Verdict::ProvenWin, Score::win_in(1))
    );
}

#[test]
fn a_forbidden_cell_is_for_white_alone() {
    let (black, white) = ("h9h10f8g8", "a1c1a3c3");
    let only = Options {
        only: vec![cell("h8")],
        ..Options::default()
    };
    let as_black = set_up(Rule::Renju, black, white, Color::Black);
    assert!(as_black.check(cell("h8")).is_err());
    assert_eq!(ask_for(&as_black, &only).lines, []);
    let as_white = set_up(Rule::Renju, black, white, Color::White);
    assert_eq!(ask_for(&as_white, &only).lines[0].moves[0], cell("h8"));
    // Its own five is there, at a double three of Black's.
    let winning = set_up(Rule::Renju, black, "a1c1i7j6k5l4", Color::White);
    let fives = ["h8", "m3"].map(cell);
    assert!(fives.contains(&ask_for(&winning, &Options::default()).lines[0].moves[0]));
    let one_five = set_up(
        Rule::Renju,
        &format!("{black}m3"),
        "a1c1i7j6k5l4",
        Color::White,
    );
    let outcome = ask_for(&one_five, &Options::default());
    assert_eq!(
        (outcome.lines[0].moves[0], outcome.lines[0].verdict),
        (cell("h8"), Verdict::ProvenWin)
    );
    // And Black, who may not stop it, has lost whatever is played.
    let lost = set_up(
        Rule::Renju,
        &format!("{black}m3"),
        "a1c1i7j6k5l4",
        Color::Black,
    );
    let outcome = ask_for(
        &lost,
        &Options {
            lines: 300,
            ..Options::default()
        },
    );
    assert!(
        outcome
            .lines
            .iter()
            .all(|line| line.verdict == Verdict::ProvenLoss)
    );
}

#[test]
fn a_win_by_a_forbidden_answer_is_found_and_proven() {
    // l4 makes a four that only h8 stops, which is a double three.
    let position = set_up(Rule::Renju, "h9h10f8g8g9", "a1c1i7j6k5", Color::White);
    let outcome = ask(&position, nodes(1_000));
    assert_eq!(
        (outcome.lines[0].moves[0], outcome.lines[0].verdict),
        (cell("l4"), Verdict::ProvenWin)
    );
    assert_eq!(outcome.lines[0].score, Score::win_in(3));
    let mut after = position.clone();
    for stone in &outcome.lines[0].moves {
        assert_eq!(after.play(*stone), Ok(()));
    }
    assert!(matches!(
        after.status(),
        Status::Won {
            winner: Color::White,
            ..
        }
    ));
}

#[test]
fn six_is_not_taken_for_five_where_it_is_none() {
    // Between three and two stones a stone makes six, which wins under freestyle alone.
    for (rule, wins) in [
        (Rule::Freestyle, true),
        (Rule::Standard, false),
        (Rule::Renju, false),
        (Rule::Caro, false),
    ] {
        let position = set_up(rule, "c8d8e8g8h8", "a1c1e1g1i1", Color::Black);
        let outcome = ask(&position, nodes(300));
        let first = &outcome.lines[0];
        assert_eq!(first.score == Score::win_in(1), wins, "{rule}");
        assert_eq!(first.moves[0] == cell("f8"), wins, "{rule}");
    }
}

#[test]
fn a_five_that_is_shut_in_is_none_in_caro() {
    let shut_in = set_up(Rule::Caro, "d8e8f8g8", "c8i8a1c1", Color::Black);
    assert_ne!(ask(&shut_in, nodes(300)).lines[0].score, Score::win_in(1));
    let by_the_edge = set_up(Rule::Caro, "a8b8c8d8", "f8a1c1e1", Color::Black);
    assert_eq!(ask(&by_the_edge, nodes(300)).lines[0].moves, [cell("e8")]);
}

#[test]
fn a_five_is_stopped_in_caro_by_shutting_it_in_too() {
    // h8 makes the five; i8 shuts it in, with c8 at the other end.
    let position = set_up(Rule::Caro, "d8e8f8g8a1", "c8j1l1n1", Color::White);
    let only = Options {
        only: vec![cell("i8"), cell("a9"), cell("o15")],
        ..Options::default()
    };
    for limits in few_and_more() {
        let outcome = search(&position, &mut Memory::with_mebibytes(1), limits, &only);
        assert_eq!(outcome.lines[0].moves[0], cell("i8"), "{limits:?}");
    }
}

#[test]
fn every_empty_board_gets_a_first_stone() {
    for rule in Rule::ALL {
        for lines in 5..=25 {
            let size = BoardSize::try_from(lines).expect("the size is supported");
            let first = ask(&Position::new(rule, size), nodes(30)).lines[0].moves[0];
            assert!(size.contains(first), "{rule} {lines}: {first}");
        }
    }
}

#[test]
fn a_search_with_nothing_to_choose_from_has_no_lines() {
    let position = played(Rule::Freestyle, "h8i9");
    let all: Vec<Cell> = position.legal_cells().collect();
    let none = Options {
        avoid: all,
        ..Options::default()
    };
    assert_eq!(ask_for(&position, &none).lines, []);
    let taken = Options {
        only: vec![cell("h8"), cell("p16")],
        ..Options::default()
    };
    assert_eq!(ask_for(&position, &taken).lines, []);
}

#[test]
fn lines_may_be_asked_for_as_many_as_there_are_cells() {
    let position = played(Rule::Freestyle, "h8i9");
    let outcome = ask_for(
        &position,
        &Options {
            lines: 1_000,
            ..Options::default()
        },
    );
    assert_eq!(outcome.lines.len(), 223);
    let outcome = ask_for(
        &position,
        &Options {
            lines: 0,
            ..Options::default()
        },
    );
    assert_eq!(outcome.lines.len(), 1);
}

#[test]
fn a_search_cut_short_names_the_better_line_first() {
    let position = Position::new(Rule::Standard, BoardSize::DEFAULT);
    for budget in 0..40 {
        let options = Options {
            lines: 2,
            ..Options::default()
        };
        let lines = search(
            &position,
            &mut Memory::with_mebibytes(1),
            nodes(budget),
            &options,
        )
        .lines;
        assert!(
            lines[0].score >= lines[1].score,
            "{budget} nodes: {lines:?}"
        );
    }
}

#[test]
fn the_lines_of_a_finished_depth_come_in_the_order_of_their_scores() {
    let position = set_up(Rule::Freestyle, "l13l12h8i8i6", "j14j10g9l8", Color::White);
    let options = Options {
        lines: 4,
        ..Options::default()
    };
    let limits = Limits {
        depth: Some(2),
        ..Limits::default()
    };
    let lines = search(&position, &mut Memory::with_mebibytes(1), limits, &options).lines;
    assert!(
        lines.is_sorted_by(|one, next| one.score >= next.score),
        "{lines:?}"
    );
}

#[test]
fn a_proven_draw_has_the_score_of_one() {
    // No five fits any more.
    let position = drawn(
        Rule::Freestyle,
        "xxoox\nooxx.\nxxoox\nooxxo\nx.oox",
        Color::Black,
    );
    for limits in few_and_more() {
        let line = &ask(&position, limits).lines[0];
        assert_eq!(
            (line.verdict, line.score),
            (Verdict::ProvenDraw, Score::ZERO),
            "{limits:?}"
        );
    }
}
