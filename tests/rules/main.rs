//! The rules core from outside: pictures with their answers, positions from many sources, counts that
//! leave no gap. Written from the rules, not from the code.

mod data;
mod forbidden;
mod lines;
#[path = "../oracle/mod.rs"]
mod oracle;
mod passes;
mod perft;
mod records;
mod wins;

use tengen::board::{Board, BoardSize, Cell, Color};
use tengen::record::notation::read_moves;
use tengen::record::{Ply, Record, Replay};
use tengen::rules::{DrawReason, Position, Rule, Status, WinReason};

use oracle::{Written, bridge};

/// Sizes with a first and a last of each kind: the smallest, the usual ones, an even one, the largest.
const SIZES: [usize; 5] = [5, 15, 19, 20, 25];

fn cell(name: &str) -> Cell {
    name.parse().expect("the test names a cell")
}

/// The cells of `names`, separated by blanks.
fn cells(names: &str) -> Vec<Cell> {
    names.split_whitespace().map(cell).collect()
}

/// A board of a size with black and white stones on the named cells.
fn board(lines: usize, black: &str, white: &str) -> Board {
    let mut board = Board::new(bridge::size(lines));
    for (names, color) in [(black, Color::Black), (white, Color::White)] {
        for cell in cells(names) {
            board.put(cell, color);
        }
    }
    board
}

fn position(rule: Rule, board: &Board, to_move: Color) -> Position {
    Position::from_board(rule, board.clone(), to_move)
        .unwrap_or_else(|error| panic!("{rule}: {error}{board:?}"))
}

fn record(rule: Rule, size: BoardSize, moves: &str) -> Record {
    let plies = read_moves(moves, 20).unwrap_or_else(|faults| panic!("{moves}: {faults:?}"));
    Record::new(rule, size, plies)
}

/// The replay of moves on the usual board; the oracle must say the same of them.
fn replay(rule: Rule, moves: &str) -> Replay {
    let record = record(rule, BoardSize::DEFAULT, moves);
    let replay = record.replay();
    let written: Vec<Written> = record.plies().iter().map(written).collect();
    let game = oracle::replay(rule.name(), 15, &written);
    assert_eq!(
        bridge::violations_of(&replay),
        game.violations,
        "{rule} {moves}"
    );
    assert_eq!(bridge::end_of(&replay), game.end, "{rule} {moves}");
    assert_eq!(
        bridge::grid_of(replay.position().board()),
        game.grid,
        "{rule} {moves}"
    );
    replay
}

/// A ply of a board of fifteen lines by its row from the top and its column.
fn written(ply: &Ply) -> Written {
    let name = ply.to_string();
    let row = name[1..].parse::<i32>().ok().map(|number| 15 - number);
    let written = row.map(|row| (row, i32::from(name.as_bytes()[0] - b'a')));
    assert_eq!(bridge::ply(written, BoardSize::DEFAULT), *ply, "{name}");
    written
}

fn stones(cells: impl IntoIterator<Item = Cell>) -> Vec<Ply> {
    cells.into_iter().map(Ply::Stone).collect()
}

/// The fault of each ply that has one, as `3 occupied`.
fn faults(replay: &Replay) -> Vec<String> {
    bridge::violations_of(replay)
        .into_iter()
        .map(|(ply, fault)| format!("{ply} {fault}"))
        .collect()
}

const fn won(winner: Color, by: WinReason) -> Status {
    Status::Won { winner, by }
}

const BOARD_FULL: Status = Status::Drawn {
    by: DrawReason::BoardFull,
};
