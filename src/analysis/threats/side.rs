use std::cmp::Reverse;

use crate::analysis::making::may_play;
use crate::analysis::threats::ThreatKind;
use crate::board::{Board, Cell, Color, Direction};
use crate::rules::{Five, Lane, Rule, Run, wins};

/// Stones of a colour in one line, and where one more makes the next step of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What they are.
    pub kind: ThreatKind,
    /// The line.
    pub direction: Direction,
    /// The stones, in order along the line.
    pub cells: Vec<Cell>,
    /// The empty cells where one more stone makes the next step: of a four a five, of a three an open
    /// four, of a two a three. In order along the line; none of a five.
    pub gain: Vec<Cell>,
}

/// How weak the patterns may be that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// Twos and what is stronger.
    Two,
    /// Threes and what is stronger.
    Three,
}

/// A colour under a rule: what its stones make. The boards it is shown are as they were when it is done.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// The rule.
    pub rule: Rule,
    /// The colour.
    pub color: Color,
}

/// How far from a gain a stone can matter: a row of five through the gain, and the cell behind its end.
const REACH: i8 = 5;

impl Side {
    const fn five(self) -> Five {
        self.rule.five(self.color)
    }

    /// Does a stone win on an empty cell?
    pub fn wins(self, board: &Board, cell: Cell) -> bool {
        wins(board, cell, self.color, self.rule)
    }

    /// May a stone be played on an empty cell?
    pub fn may_play(self, board: &Board, cell: Cell) -> bool {
        may_play(board, cell, self.color, self.rule)
    }

    /// May a stone be played here for what it makes short of a five? One that wins makes a five and
    /// nothing else, as renju has it for threes.
    fn builds(self, board: &Board, cell: Cell) -> bool {
        !self.wins(board, cell) && self.may_play(board, cell)
    }

    /// May a stone be played here, and does it make an open four?
    pub fn opens_four(self, board: &Board, cell: Cell) -> bool {
        let mut directions = Direction::ALL.into_iter();
        directions.any(|direction| self.makes_open_four(board, cell, direction))
            && self.builds(board, cell)
    }

    /// The patterns of a whole board in one direction.
    pub fn patterns(self, board: &mut Board, direction: Direction) -> Vec<Pattern> {
        let empty: Vec<Cell> = board
            .size()
            .cells()
            .filter(|cell| board.is_empty(*cell))
            .collect();
        self.patterns_by(board, direction, &empty, Least::Two)
    }

    /// The patterns in one direction to which a stone on the board belongs.
    pub fn patterns_through(
        self,
        board: &mut Board,
        stone: Cell,
        direction: Direction,
        least: Least,
    ) -> Vec<Pattern> {
        let stones = match least {
            Least::Two => 2,
            Least::Three => 3,
        };
        if fullest_row(Lane::around(board, stone, self.color, direction)) < stones {
            return Vec::new();
        }
        let near = empty_near(board, stone, direction, REACH);
        let mut patterns = self.patterns_by(board, direction, &near, least);
        patterns.retain(|pattern| pattern.cells.contains(&stone));
        patterns
    }

    /// The patterns in one direction that gain on some of these empty cells.
    fn patterns_by(
        self,
        board: &mut Board,
        direction: Direction,
        gains: &[Cell],
        least: Least,
    ) -> Vec<Pattern> {
        let mut rows: Vec<(Vec<Cell>, Vec<Cell>)> = Vec::new();
        for gain in gains {
            for cells in self.rows_by(board, *gain, direction, least) {
                // The same stones are one pattern, however many cells they gain on.
                match rows.iter_mut().find(|(stones, _)| *stones == cells) {
                    Some((_, gains)) => gains.push(*gain),
                    None => rows.push((cells, vec![*gain])),
                }
            }
        }
        rows.sort_by_key(|(cells, _)| Reverse(cells.len()));
        let mut patterns: Vec<Pattern> = Vec::new();
        for (cells, mut gain) in rows {
            let is_part = |longer: &Pattern| {
                longer.cells.len() > cells.len()
                    && cells.iter().all(|cell| longer.cells.contains(cell))
            };
            if patterns.iter().any(is_part) {
                continue;
            }
            gain.sort_by_key(along);
            let kind = self.kind(board, direction, &cells, &gain);
            patterns.push(Pattern {
                kind,
                direction,
                cells,
                gain,
            });
        }
        patterns
    }

    fn kind(
        self,
        board: &Board,
        direction: Direction,
        cells: &[Cell],
        gain: &[Cell],
    ) -> ThreatKind {
        let is_unbroken = is_unbroken(cells);
        match (cells.len(), gain.len()) {
            (2, _) => ThreatKind::Two,
            (3, _) if is_unbroken => ThreatKind::OpenThree,
            (3, _) => ThreatKind::BrokenThree,
            (_, 2) if !self.is_stoppable(board, direction, cells) => ThreatKind::OpenFour,
            (_, _) if is_unbroken => ThreatKind::Four,
            (_, _) => ThreatKind::BrokenFour,
        }
    }

    /// Is there a stone that takes both fives from four in a row? Only in caro, where a five can be shut in.
    fn is_stoppable(self, board: &Board, direction: Direction, cells: &[Cell]) -> bool {
        cells.first().is_some_and(|first| {
            Lane::around(board, *first, self.color, direction).can_be_stopped(self.five())
        })
    }

    /// The stones, row by row, of which a stone on an empty cell makes the next step in one direction.
    fn rows_by(
        self,
        board: &mut Board,
        gain: Cell,
        direction: Direction,
        least: Least,
    ) -> Vec<Vec<Cell>> {
        let lane = Lane::around(board, gain, self.color, direction);
        match fullest_row(lane) {
            5 => self.fours_by(board, gain, direction),
            4 => {
                let mut rows: Vec<_> = self.three_by(board, gain, direction).into_iter().collect();
                if least == Least::Two {
                    rows.extend(self.twos_by(board, gain, direction, lane));
                }
                rows
            }
            3 if least == Least::Two => self.twos_by(board, gain, direction, lane),
            _ => Vec::new(),
        }
    }

    /// Does a stone on this cell make a winning row of stones that hold none yet?
    fn completes(self, board: &Board, cell: Cell, direction: Direction) -> bool {
        let run = Run::through(board, cell, self.color, direction);
        board.is_empty(cell)
            && run.is(self.five(), self.color)
            && arms(run).iter().all(|arm| *arm < 5)
    }

    /// The fours that a stone on a cell makes a five: on each side of it the row of four, where there is
    /// one, else all stones that it joins.
    fn fours_by(self, board: &Board, gain: Cell, direction: Direction) -> Vec<Vec<Cell>> {
        if !self.completes(board, gain, direction) {
            return Vec::new();
        }
        let [behind, ahead] = arms(Run::through(board, gain, self.color, direction));
        let cells = |from: i8, to: i8| -> Vec<Cell> {
            let steps = (from..=to).filter(|steps| *steps != 0);
            steps
                .filter_map(|steps| direction.walk(gain, steps))
                .collect()
        };
        match (behind, ahead) {
            (4, 4) => vec![cells(-4, -1), cells(1, 4)],
            (4, _) => vec![cells(-4, -1)],
            (_, 4) => vec![cells(1, 4)],
            (_, _) => vec![cells(-behind, ahead)],
        }
    }

    /// The three that a stone on a cell makes an open four, if it may be played.
    fn three_by(self, board: &Board, gain: Cell, direction: Direction) -> Option<Vec<Cell>> {
        if !self.makes_open_four(board, gain, direction) || !self.builds(board, gain) {
            return None;
        }
        let [behind, ahead] = arms(Run::through(board, gain, self.color, direction));
        let steps = (-behind..=ahead).filter(|steps| *steps != 0);
        let cells = steps.filter_map(|steps| direction.walk(gain, steps));
        Some(cells.collect())
    }

    /// The pairs of which a stone on a cell makes a three, if it may be played and makes no four there.
    fn twos_by(
        self,
        board: &mut Board,
        gain: Cell,
        direction: Direction,
        lane: Lane,
    ) -> Vec<Vec<Cell>> {
        let opening = lane.straight_four_cells(self.five());
        if opening == 0 || !self.builds(board, gain) {
            return Vec::new();
        }
        let threes: Vec<Vec<Cell>> = with_stone(board, gain, self.color, |board| {
            let mut fives = lane.cells(gain, direction, lane.completions(self.five()));
            let makes_four = fives.any(|five| {
                let mut fours = self.fours_by(board, five, direction).into_iter();
                fours.any(|four| four.contains(&gain))
            });
            if makes_four {
                return Vec::new();
            }
            lane.cells(gain, direction, opening)
                .filter_map(|next| self.three_by(board, next, direction))
                .collect()
        });
        let mut pairs: Vec<Vec<Cell>> = Vec::new();
        for mut pair in threes {
            pair.retain(|cell| *cell != gain);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        pairs
    }

    /// Does a stone on this cell make, along a direction, four in an unbroken row that no one stone stops?
    fn makes_open_four(self, board: &Board, cell: Cell, direction: Direction) -> bool {
        let (lane, five) = (
            Lane::around(board, cell, self.color, direction),
            self.five(),
        );
        // Two cells complete it, and still it is one four: it is straight.
        lane.completions(five).count_ones() > 1
            && lane.fours(five) == 1
            && !lane.can_be_stopped(five)
            && !self.joins_a_five(board, cell, direction)
    }

    /// Would a stone at an end of the row through a cell also join a five that stands already? Only where
    /// the game is over.
    fn joins_a_five(self, board: &Board, cell: Cell, direction: Direction) -> bool {
        let [behind, ahead] = arms(Run::through(board, cell, self.color, direction));
        let beyond = |steps: i8| {
            let end = direction.walk(cell, steps);
            end.map(|end| arms(Run::through(board, end, self.color, direction)))
        };
        beyond(-behind - 1).is_some_and(|[behind, _]| behind >= 5)
            || beyond(ahead + 1).is_some_and(|[_, ahead]| ahead >= 5)
    }

    /// The empty cells of the pattern's line, in reach of its gains, where a stone of the other side may
    /// be played and leaves it no gain.
    pub fn defence(self, board: &mut Board, pattern: &Pattern) -> Vec<Cell> {
        let other = Side {
            color: !self.color,
            ..self
        };
        let near = pattern
            .gain
            .iter()
            .flat_map(|gain| empty_near(board, *gain, pattern.direction, REACH));
        let mut cells: Vec<Cell> = near.chain(pattern.gain.iter().copied()).collect();
        cells.sort_by_key(along);
        cells.dedup();
        cells.retain(|cell| {
            let is_stopped = with_stone(board, *cell, other.color, |board| {
                !self.has_gain(board, pattern)
            });
            is_stopped && other.may_play(board, *cell)
        });
        cells
    }

    /// Has a pattern, on a board with other stones than the one it was found on, a gain left?
    fn has_gain(self, board: &mut Board, pattern: &Pattern) -> bool {
        let direction = pattern.direction;
        if pattern.kind.is_four() {
            let mut gains = pattern.gain.iter();
            return gains.any(|gain| self.completes(board, *gain, direction));
        }
        // A cell that was forbidden may be allowed now, so the gains are looked for anew.
        let near = pattern
            .cells
            .first()
            .map(|first| empty_near(board, *first, direction, REACH));
        let mut near = near.unwrap_or_default().into_iter();
        near.any(|gain| {
            self.rows_by(board, gain, direction, Least::Two)
                .contains(&pattern.cells)
        })
    }
}

/// Where a cell lies on its line, in whichever direction that goes.
fn along(cell: &Cell) -> (u8, u8) {
    (cell.column(), cell.height())
}

/// The number of stones behind and ahead of the cell that a run goes through.
fn arms(run: Run) -> [i8; 2] {
    [run.behind, run.length - 1 - run.behind]
}

/// The most own stones in a row of five through the middle that could still be filled.
fn fullest_row(lane: Lane) -> u32 {
    lane.open_rows().max().unwrap_or(0)
}

/// Do cells of a line, in order, follow each other without a gap?
fn is_unbroken(cells: &[Cell]) -> bool {
    let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
        return false;
    };
    let columns = first.column().abs_diff(last.column());
    let rows = first.height().abs_diff(last.height());
    usize::from(columns.max(rows)) + 1 == cells.len()
}

/// The empty cells of a line at most so many steps from a cell, the cell itself left out.
fn empty_near(board: &Board, cell: Cell, direction: Direction, steps: i8) -> Vec<Cell> {
    let others = (-steps..=steps).filter(|step| *step != 0);
    others
        .filter_map(|step| direction.walk(cell, step))
        .filter(|cell| board.is_empty(*cell))
        .collect()
}

/// Looks at a board with one more stone on it.
pub fn with_stone<T>(
    board: &mut Board,
    cell: Cell,
    color: Color,
    look: impl FnOnce(&mut Board) -> T,
) -> T {
    board.put(cell, color);
    let seen = look(board);
    board.take(cell);
    seen
}
