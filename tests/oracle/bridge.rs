//! From the library's values to the oracle's plain ones.

use tengen::board::{Board, BoardSize, Cell, Color, Square};
use tengen::record::{Ply, Replay};
use tengen::rules::WinLine;

use super::{BLACK, EMPTY, End, Grid, Place, WHITE, Written};

pub(crate) fn size(lines: usize) -> BoardSize {
    i64::try_from(lines)
        .ok()
        .and_then(|lines| BoardSize::try_from(lines).ok())
        .expect("the size is supported")
}

pub(crate) fn color_of(color: Color) -> u8 {
    match color {
        Color::Black => BLACK,
        Color::White => WHITE,
    }
}

pub(crate) fn grid_of(board: &Board) -> Grid {
    let lines = board.size().lines();
    let square = |row, column| match board.at(cell((row, column), board.size())) {
        Square::Stone(color) => color_of(color),
        Square::Empty => EMPTY,
        Square::Outside => panic!("a cell of the board lies outside it"),
    };
    (0..usize::from(lines))
        .map(|row| {
            (0..usize::from(lines))
                .map(|column| square(row, column))
                .collect()
        })
        .collect()
}

pub(crate) fn board_of(grid: &Grid) -> Board {
    let mut board = Board::new(size(grid.len()));
    for (row, squares) in grid.iter().enumerate() {
        for (column, square) in squares.iter().enumerate() {
            let color = match *square {
                BLACK => Color::Black,
                WHITE => Color::White,
                _ => continue,
            };
            board.put(cell((row, column), board.size()), color);
        }
    }
    board
}

pub(crate) fn cell((row, column): Place, size: BoardSize) -> Cell {
    let [row, column] = [row, column].map(|line| u8::try_from(line).expect("a line is small"));
    Cell::from_row(row, column, size).expect("the place is on the board")
}

pub(crate) fn place(cell: Cell, size: BoardSize) -> Place {
    let row = cell.row(size).expect("the cell is on the board");
    (usize::from(row), usize::from(cell.column()))
}

pub(crate) fn places(cells: impl IntoIterator<Item = Cell>, size: BoardSize) -> Vec<Place> {
    let mut places: Vec<Place> = cells.into_iter().map(|cell| place(cell, size)).collect();
    places.sort_unstable();
    places
}

/// The cells of each line, sorted.
pub(crate) fn rows_of(
    lines: impl IntoIterator<Item = WinLine>,
    size: BoardSize,
) -> Vec<Vec<Place>> {
    let mut rows: Vec<Vec<Place>> = lines
        .into_iter()
        .map(|line| places(line.cells(), size))
        .collect();
    rows.sort_unstable();
    rows
}

/// A record's ply as it would be written for the library.
pub(crate) fn ply(written: Written, size: BoardSize) -> Ply {
    written.map_or(Ply::Pass, |(row, column)| {
        Ply::stone_at_row(row.into(), column.into(), size)
    })
}

/// How the legal part of a record ended.
pub(crate) fn end_of(replay: &Replay) -> Option<End> {
    replay.ending().map(|(result, termination)| {
        let winner = match result {
            tengen::record::GameResult::Win(color) => Some(color_of(color)),
            tengen::record::GameResult::Draw => None,
        };
        (winner, termination.name())
    })
}

/// The number of each ply at fault, with the fault's name.
pub(crate) fn violations_of(replay: &Replay) -> Vec<(usize, &'static str)> {
    replay
        .violations()
        .iter()
        .map(|violation| (violation.ply, violation.fault.name()))
        .collect()
}
