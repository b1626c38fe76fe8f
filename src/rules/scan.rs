use crate::board::{Board, ByColor, Color, Direction};
use crate::rules::{Rule, Run, WinLine};

/// Every winning line of both colours on a board without history: the whole board is looked at. Lines
/// come by direction, in the order of [`Direction::ALL`], as around a stone.
pub fn scan(board: &Board, rule: Rule) -> ByColor<Vec<WinLine>> {
    let mut lines = ByColor::<Vec<WinLine>>::default();
    for (cell, color) in board.occupied() {
        for direction in Direction::ALL {
            let run = Run::through(board, cell, color, direction);
            // Each run is told once, at its first stone.
            if run.behind == 0 && run.is(rule.five(color), color) {
                lines[color].push(WinLine {
                    direction,
                    first: cell,
                    length: run.length,
                });
            }
        }
    }
    for color in Color::ALL {
        lines[color].sort_by_key(|line| line.direction);
    }
    lines
}
