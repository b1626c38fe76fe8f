//! Random positions: of games whose stones lie near each other, so that threats arise, and boards that are
//! almost full.

use proptest::prelude::*;

use tengen::board::{Board, Cell, Color, Direction};
use tengen::rules::{Position, Rule, Run, Status, wins};

use crate::oracle::bridge;

/// How a random position comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Stones near other stones.
    Near,
    /// Where a row of the mover's own grows, or an enemy's is stopped; nobody plays a five.
    Rows,
    /// Where only rows of the mover's own grow, so that both sides have fours and threes.
    Threats,
    /// A board set up whole with at most so many cells empty.
    Full,
}

/// A position before it is played out: each number picks a stone.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) rule: Rule,
    pub(crate) lines: usize,
    style: Style,
    /// Is it given as a board, without the game before it?
    is_set_up: bool,
    /// Is it then the other side's turn?
    is_turned: bool,
    picks: Vec<u16>,
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let lines =
        prop_oneof![3 => 5_usize..=9, 3 => Just(15_usize), 1 => 10_usize..=20, 1 => 21_usize..=25];
    let styles = prop_oneof![
        2 => Just(Style::Near),
        3 => Just(Style::Rows),
        4 => Just(Style::Threats),
        2 => Just(Style::Full),
    ];
    let picks = prop_oneof![
        prop::collection::vec(any::<u16>(), 0..12),
        prop::collection::vec(any::<u16>(), 8..60)
    ];
    let rules = prop::sample::select(Rule::ALL.to_vec());
    (rules, lines, styles, any::<bool>(), any::<bool>(), picks).prop_map(
        |(rule, lines, style, is_set_up, is_turned, picks)| Plan {
            rule,
            lines,
            style,
            is_set_up,
            is_turned,
            picks,
        },
    )
}

impl Plan {
    /// The position. That of a full board may be over.
    pub(crate) fn position(&self) -> Position {
        if self.style == Style::Full {
            return self.full();
        }
        let mut position = Position::new(self.rule, bridge::size(self.lines));
        for pick in &self.picks {
            let Some(cell) = self.choose(&position, usize::from(*pick)) else {
                break;
            };
            position.play(cell).expect("a legal cell was chosen");
            assert_eq!(position.status(), Status::Ongoing);
        }
        if !self.is_set_up {
            return position;
        }
        let to_move = if self.is_turned {
            !position.to_move()
        } else {
            position.to_move()
        };
        Position::from_board(self.rule, position.board().clone(), to_move).expect("nobody has won")
    }

    fn choose(&self, position: &Position, pick: usize) -> Option<Cell> {
        let (board, own) = (position.board(), position.to_move());
        let goes_on = |cell: &Cell| {
            let mut after = position.clone();
            after.play(*cell).is_ok() && after.status() == Status::Ongoing
        };
        let near: Vec<Cell> = board
            .size()
            .cells()
            .filter(|cell| board.is_empty(*cell) && is_near(board, *cell))
            .collect();
        if near.is_empty() {
            return Some(board.size().centre()).filter(goes_on);
        }
        let looks = if self.style == Style::Near { 1 } else { 8 };
        let mut seen: Vec<Cell> = (0..looks)
            .map(|look| near[(pick + look * 7919) % near.len()])
            .collect();
        seen.sort_by_key(|cell| {
            let rows = |color| {
                Direction::ALL.map(|direction| Run::through(board, *cell, color, direction).length)
            };
            let longest = |color| rows(color).into_iter().max();
            let is_long =
                |color: Color| rows(color).into_iter().filter(|length| *length > 1).count();
            let stops = self.style == Style::Rows && pick.is_multiple_of(3);
            std::cmp::Reverse((longest(if stops { !own } else { own }), is_long(own)))
        });
        seen.into_iter().chain(near.iter().copied()).find(goes_on)
    }

    /// A board with no five, in stripes that are strewn with faults, but for a few empty cells.
    fn full(&self) -> Position {
        let size = bridge::size(self.lines);
        let mut board = Board::new(size);
        let cells: Vec<Cell> = size.cells().collect();
        let pick = |index: usize| {
            self.picks
                .get(index % self.picks.len().max(1))
                .map_or(0, |pick| usize::from(*pick))
        };
        let empty: Vec<usize> = (0..=pick(0) % 5)
            .map(|index| (pick(index + 1) * (index + 1)) % cells.len())
            .collect();
        for (index, cell) in cells.iter().enumerate() {
            if empty.contains(&index) {
                continue;
            }
            let is_striped = (usize::from(cell.column()) + 2 * usize::from(cell.height())) % 4 < 2;
            let is_fault = pick(index) % 7 == 0;
            let color = if is_striped ^ is_fault {
                Color::Black
            } else {
                Color::White
            };
            // The other colour where this one would win; where both would, nothing.
            let free = [color, !color]
                .into_iter()
                .find(|color| !wins(&board, *cell, *color, self.rule));
            if let Some(color) = free {
                board.put(*cell, color);
            }
        }
        let to_move = if self.is_turned {
            Color::White
        } else {
            Color::Black
        };
        Position::from_board(self.rule, board, to_move).expect("at most one side has a five")
    }
}

/// Is a stone within two steps?
fn is_near(board: &Board, cell: Cell) -> bool {
    let is_close = |other: Cell| {
        cell.column()
            .abs_diff(other.column())
            .max(cell.height().abs_diff(other.height()))
            <= 2
    };
    board.occupied().any(|(other, _)| is_close(other))
}
