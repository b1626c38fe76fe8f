use crate::board::{Board, ByColor, Direction, Square};
use crate::rules::{Rule, Run, WinLine};

/// Every winning line of both colours on a board without history: the whole board is looked at.
pub fn scan(board: &Board, rule: Rule) -> ByColor<Vec<WinLine>> {
    let mut lines = ByColor::<Vec<WinLine>>::default();
    for (cell, color) in board.occupied() {
        for direction in Direction::ALL {
            let run = Run::through(board, cell, color, direction);
            // Each run is told once, at its first stone.
            if run.behind == 0 && run.is(rule.five(color), color) {
                debug_assert_ne!(run.ends[0], Square::Stone(color));
                lines[color].push(WinLine {
                    direction,
                    first: cell,
                    length: run.length,
                });
            }
        }
    }
    lines
}
