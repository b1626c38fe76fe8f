//! Records: what replays tell of stones that cannot be, undo, notation, and games that share nothing.

use tengen::board::{BoardSize, Color};
use tengen::record::notation::read_moves;
use tengen::record::{GameResult, Ply, Record, Replay, Termination};
use tengen::rules::{Rule, Status, WinReason};

use crate::oracle::bridge;
use crate::{SIZES, cell, faults, record, replay, won};

#[test]
fn case_14_a_stone_on_a_stone_is_a_fault_and_the_turn_stays() {
    for rule in Rule::ALL {
        let replay = replay(rule, "h8h8");
        assert_eq!(faults(&replay), ["2 occupied"], "{rule}");
        assert_eq!(replay.position().to_move(), Color::White);
        assert_eq!(replay.position().board().stones().black, 1);
        assert_eq!(replay.position().board().stones().white, 0);
        assert_eq!(replay.plies(), 1);
        assert_eq!(replay.position().status(), Status::Ongoing);
    }
}

#[test]
fn an_occupied_cell_is_a_fault_whoever_holds_it() {
    for rule in Rule::ALL {
        assert_eq!(faults(&replay(rule, "h8i9h8")), ["3 occupied"], "one's own");
        assert_eq!(
            faults(&replay(rule, "h8i9i9")),
            ["3 occupied"],
            "the enemy's"
        );
        assert_eq!(
            faults(&replay(rule, "h8h8h8h8")),
            ["2 occupied", "3 occupied", "4 occupied"]
        );
    }
}

#[test]
fn all_faults_are_told_at_once_and_colours_go_by_ply_numbers() {
    // The second ply is at fault; the third is Black's all the same.
    let faulty = replay(Rule::Freestyle, "h8h8i8p1j8pass");
    assert_eq!(
        faults(&faulty),
        ["2 occupied", "4 off_board", "6 pass_not_allowed"]
    );
    assert_eq!(faulty.plies(), 1);
    // Black's five beyond the fault ends the game there, though not the legal part.
    let beyond = replay(Rule::Freestyle, "h8h8i8a1j8a2k8a3l8a4h8");
    assert_eq!(
        faults(&beyond),
        ["2 occupied", "10 after_game_end", "11 after_game_end"]
    );
    assert_eq!(beyond.position().status(), Status::Ongoing);
    assert_eq!(beyond.ended_at(), None);
    // A stone left out frees nothing: the cell of a faulty ply stays empty for later ones.
    assert_eq!(
        faults(&replay(Rule::Renju, "h8h9passi9")),
        ["3 pass_not_allowed"]
    );
}

#[test]
fn cells_beyond_the_edge_are_off_the_board_on_every_size() {
    for lines in SIZES {
        let size = bridge::size(lines);
        let last = i32::try_from(lines).expect("a board is small");
        for (row, column) in [
            (-1, 0),
            (0, -1),
            (last, 0),
            (0, last),
            (last, last),
            (-1, -1),
            (i32::MIN, 0),
            (0, i32::MAX),
        ] {
            let plies = vec![
                Ply::Stone(cell("a1")),
                Ply::stone_at_row(row.into(), column.into(), size),
            ];
            let replay = Record::new(Rule::Freestyle, size, plies).replay();
            assert_eq!(
                faults(&replay),
                ["2 off_board"],
                "({row}, {column}) on {lines} lines"
            );
            assert_eq!(replay.plies(), 1);
            assert_eq!(replay.position().to_move(), Color::White);
        }
        for (row, column) in [(0, 0), (0, last - 1), (last - 1, 0), (last - 1, last - 1)] {
            let plies = vec![Ply::stone_at_row(row.into(), column.into(), size)];
            assert!(Record::new(Rule::Caro, size, plies).replay().is_legal());
        }
    }
}

#[test]
fn a_fault_outside_after_the_end_is_told_as_after_the_end() {
    for more in ["h8", "p1", "z99", "pass", "a15"] {
        let replay = replay(Rule::Standard, &format!("h8a1h9c1h10e1h12g1h11{more}"));
        assert_eq!(faults(&replay), ["10 after_game_end"], "{more}");
    }
}

#[test]
fn a_win_after_undo_is_found_as_without() {
    for rule in Rule::ALL {
        let won_game = record(rule, BoardSize::DEFAULT, "h8a1h9c1h10e1h12g1h11");
        for plies in 0..9 {
            let undone = won_game.prefix(plies);
            assert_eq!(undone.plies(), &won_game.plies()[..plies]);
            let replay = undone.replay();
            assert_eq!(
                replay.position().status(),
                Status::Ongoing,
                "{rule} {plies}"
            );
            assert_eq!(replay.position().winning_lines(), []);
            // Played again to the end, it is the same game.
            let rest = &won_game.plies()[plies..];
            let again = Record::new(rule, undone.size(), [undone.plies(), rest].concat());
            assert_eq!(again.replay(), won_game.replay());
        }
        assert_eq!(won_game.prefix(9), won_game);
        assert_eq!(won_game.prefix(usize::MAX), won_game);
        // Undone and played elsewhere: no win; then the winning stone after all.
        let other = record(rule, BoardSize::DEFAULT, "h8a1h9c1h10e1h12g1h13i1h11");
        let overline = other.replay();
        let expected = match rule {
            Rule::Freestyle => won(Color::Black, WinReason::Overline),
            Rule::Standard | Rule::Caro => Status::Ongoing,
            Rule::Renju => {
                let kind = tengen::rules::forbidden::Kind::Overline;
                won(Color::White, WinReason::Forbidden(kind))
            }
        };
        assert_eq!(overline.position().status(), expected);
    }
}

#[test]
fn a_new_game_after_a_finished_one_shares_nothing_with_it() {
    for rule in Rule::ALL {
        let finished = replay(rule, "h8a1h9c1h10e1h12g1h11");
        assert_eq!(
            finished.position().status(),
            won(Color::Black, WinReason::Five)
        );
        let fresh = replay(rule, "");
        assert_eq!(fresh.position().status(), Status::Ongoing);
        assert_eq!(fresh.position().to_move(), Color::Black);
        assert_eq!(fresh.position().board().stones().black, 0);
        assert_eq!(fresh.position().legal_cells().count(), 225);
        // The same cells may be used again, by the other side too.
        let second = replay(rule, "a1h8c1h9e1h10g1h12o15h11");
        assert_eq!(
            second.position().status(),
            won(Color::White, WinReason::Five)
        );
        assert_eq!(finished, replay(rule, "h8a1h9c1h10e1h12g1h11"));
    }
}

#[test]
fn a_replay_shows_every_prefix_of_the_legal_part_once() {
    let record = record(Rule::Renju, BoardSize::DEFAULT, "h8a1i8h8h9");
    let mut shown = Vec::new();
    let last = Replay::with_each(&record, |replay| shown.push(replay.clone()));
    assert_eq!(last.plies(), 3);
    assert_eq!(shown.len(), 4);
    for (plies, replay) in shown.iter().enumerate() {
        assert_eq!(*replay, record.prefix(plies).replay());
    }
}

#[test]
fn a_replay_tells_how_the_stones_ended_the_game() {
    for (rule, moves, ending) in [
        (
            Rule::Freestyle,
            "h8a1h9c1h10e1h12g1h11",
            Some((GameResult::Win(Color::Black), Termination::Five)),
        ),
        (
            Rule::Freestyle,
            "c8a1d8c1e8e1g8g1h8i1f8",
            Some((GameResult::Win(Color::Black), Termination::Overline)),
        ),
        (
            Rule::Renju,
            "c8a1d8c1e8e1g8g1h8i1f8",
            Some((GameResult::Win(Color::White), Termination::Forbidden)),
        ),
        (
            Rule::Renju,
            "h8h9i8passpass",
            Some((GameResult::Draw, Termination::Passes)),
        ),
        (Rule::Standard, "c8a1d8c1e8e1g8g1h8i1f8", None),
        (Rule::Caro, "", None),
    ] {
        assert_eq!(replay(rule, moves).ending(), ending, "{rule} {moves}");
    }
}

#[test]
fn case_22_all_spellings_give_the_same_moves() {
    let expected = ["h8", "i9", "j10"].map(|name| Ply::Stone(cell(name)));
    for text in [
        "h8 i9 j10",
        "H8I9J10",
        "h8i9j10",
        "h8,i9,j10",
        "1. h8 i9 2. j10",
        "1.h8 i9 2.j10",
        "h8;i9;j10",
        "h8\ti9\nj10",
        "  h8, I9 ,j10  ",
        "1. h8 1... i9 2. j10",
        "h8\r\ni9\r\nj10\r\n",
    ] {
        assert_eq!(
            read_moves(text, 20).as_deref(),
            Ok(&expected[..]),
            "{text:?}"
        );
    }
}

#[test]
fn the_letter_i_is_a_column_and_rows_count_from_the_bottom() {
    let plies = read_moves("i9j9a1o15", 20).expect("four moves");
    let named = [(6, 8), (6, 9), (14, 0), (0, 14)]
        .map(|(row, column)| Ply::stone_at_row(row, column, BoardSize::DEFAULT));
    assert_eq!(plies, named);
}
