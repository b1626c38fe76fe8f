//! Passes: renju has them after the third ply, two in a row are a draw; the other rules have none.

use tengen::board::{BoardSize, Color};
use tengen::rules::{DrawReason, PlayError, Position, Rule, Status};

use crate::{cell, faults, replay};

const PASSES: Status = Status::Drawn {
    by: DrawReason::Passes,
};

#[test]
fn a_pass_in_the_first_three_plies_is_a_fault_and_the_legal_part_ends_before_it() {
    for (moves, ply) in [("passh8h9", 1), ("h8passh9", 2), ("h8h9pass", 3)] {
        let replay = replay(Rule::Renju, moves);
        assert_eq!(
            faults(&replay),
            [format!("{ply} pass_not_allowed")],
            "{moves}"
        );
        assert_eq!(replay.plies(), ply - 1);
        assert_eq!(replay.position().status(), Status::Ongoing);
        assert_eq!(replay.ended_at(), None);
    }
}

#[test]
fn under_other_rules_every_pass_is_a_fault() {
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
        let replay = replay(rule, "h8h9passpassi9passpass");
        let told = ["3", "4", "6", "7"].map(|ply| format!("{ply} pass_not_allowed"));
        assert_eq!(faults(&replay), told, "{rule}");
        assert_eq!(replay.position().status(), Status::Ongoing);
        let mut position = Position::new(rule, BoardSize::DEFAULT);
        assert_eq!(position.pass(50), Err(PlayError::PassNotAllowed));
        assert_eq!(position, Position::new(rule, BoardSize::DEFAULT));
    }
}

#[test]
fn a_pass_hands_the_turn_over_and_places_nothing() {
    let replay = replay(Rule::Renju, "h8h9i8passj10");
    assert!(replay.is_legal());
    let board = replay.position().board();
    assert_eq!(board.stones()[Color::Black], 3);
    assert_eq!(board.stones()[Color::White], 1);
    assert_eq!(replay.position().to_move(), Color::White);
    assert_eq!(replay.position().status(), Status::Ongoing);
}

#[test]
fn two_passes_in_a_row_are_a_draw_and_nothing_may_follow() {
    for (moves, ended_at) in [
        ("h8h9i8passpass", 5),
        ("h8h9i8i9passpass", 6),
        ("h8h9i8passj8passpass", 7),
    ] {
        let ended = replay(Rule::Renju, moves);
        assert!(ended.is_legal(), "{moves}");
        assert_eq!(ended.position().status(), PASSES, "{moves}");
        assert_eq!(ended.ended_at(), Some(ended_at));
        assert_eq!(ended.position().legal_cells().count(), 0);
        for more in ["pass", "a1", "h8", "z99"] {
            let longer = replay(Rule::Renju, &format!("{moves}{more}"));
            assert_eq!(
                faults(&longer),
                [format!("{} after_game_end", ended_at + 1)],
                "{more}"
            );
            assert_eq!(longer.position().status(), PASSES);
            assert_eq!(longer.position().board(), ended.position().board());
        }
    }
}

#[test]
fn passes_with_a_stone_or_a_fault_between_are_no_draw() {
    for moves in [
        "h8h9i8passj8passk8pass",
        "h8h9i8passh8pass",
        "h8h9i8passz1pass",
    ] {
        let replay = replay(Rule::Renju, moves);
        assert_eq!(replay.position().status(), Status::Ongoing, "{moves}");
        let after_end = faults(&replay)
            .iter()
            .any(|fault| fault.contains("after_game_end"));
        assert!(!after_end, "{moves}");
    }
    // The draw beyond a fault is seen where plies go on after it.
    let beyond = replay(Rule::Renju, "h8h9i8passh8passpassa1");
    assert_eq!(faults(&beyond), ["5 occupied", "8 after_game_end"]);
    assert_eq!(beyond.position().status(), Status::Ongoing);
}

#[test]
fn a_faulty_pass_does_not_count_as_the_first_of_two() {
    let replay = replay(Rule::Renju, "h8h9passpassa1");
    assert_eq!(faults(&replay), ["3 pass_not_allowed"]);
}

#[test]
fn the_position_takes_the_ply_number_from_the_caller() {
    let mut position = Position::new(Rule::Renju, BoardSize::DEFAULT);
    for name in ["h8", "h9", "i8"] {
        position.play(cell(name)).expect("the stones are legal");
    }
    assert_eq!(position.pass(3), Err(PlayError::PassNotAllowed));
    assert_eq!(position.pass(4), Ok(()));
    assert_eq!(position.to_move(), Color::Black);
    assert_eq!(position.pass(5), Ok(()));
    assert_eq!(position.status(), PASSES);
    assert_eq!(position.pass(6), Err(PlayError::GameOver));
    assert_eq!(position.play(cell("a1")), Err(PlayError::GameOver));
}
