//! Renju's restrictions on Black: overline, double four and double three, with the recursive
//! definition of a three, and the evidence for each verdict.
//!
//! Source: the International Rules of Renju (RIF, 1996/1998), sections 3 and 9. A three counts only
//! if a cell that makes it a straight four may itself be played, *without making a five elsewhere*:
//! judged by the same rules with the first stone on the board.

use std::fmt;

use crate::board::{Board, Cell, Color, Direction};
use crate::rules::{Five, Lane, Run};

/// What a black stone on an empty cell would be in renju.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Black may play here.
    Legal,
    /// Black wins here: five beats every restriction.
    Five,
    /// Black may not play here. The kind is the first that applies, in the order of [`Kind`].
    Forbidden(Kind),
}

/// The restrictions, the one that is told first when several apply at the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Six or more in a row.
    Overline,
    /// Two fours, in two lines or in one.
    DoubleFour,
    /// Two threes that count.
    DoubleThree,
}

impl Kind {
    /// All three.
    pub const ALL: [Kind; 3] = [Kind::Overline, Kind::DoubleFour, Kind::DoubleThree];

    /// The name in snake case, as `double_four`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Overline => "overline",
            Kind::DoubleFour => "double_four",
            Kind::DoubleThree => "double_three",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a black stone makes on a cell: the reasons for a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What the stone would be.
    pub verdict: Verdict,
    /// Rows of five, which win.
    pub fives: Vec<Row>,
    /// Rows of six or more.
    pub overlines: Vec<Row>,
    /// The fours, with the cells that make them a five.
    pub fours: Vec<Four>,
    /// The threes in lines without a four, those that do not count among them.
    pub threes: Vec<Three>,
    /// Were the threes left out, because the whole evidence would be too large? The verdict stands all the same.
    pub is_cut: bool,
}

/// An unbroken row of stones, the new one among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it runs.
    pub direction: Direction,
    /// Its cells.
    pub cells: Vec<Cell>,
}

/// Four stones that one more makes a five of exactly five.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Four {
    /// Where it runs.
    pub direction: Direction,
    /// Its four stones, the new one among them.
    pub stones: Vec<Cell>,
    /// The cells that complete it: two for a straight four, else one.
    pub five_cells: Vec<Cell>,
}

/// Three stones that one more would make a straight four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Three {
    /// Where it runs.
    pub direction: Direction,
    /// Its three stones, the new one among them.
    pub stones: Vec<Cell>,
    /// The cells that would make it straight, each with its own judgement.
    pub straight_four_cells: Vec<Extension>,
}

/// A cell that would make a three a straight four, judged with the three's new stone on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The cell.
    pub cell: Cell,
    /// What Black would make there, and so why the cell may or may not be played.
    pub evidence: Evidence,
}

impl Three {
    /// Does the three count: may one of its straight-four cells be played, and without making a five?
    pub fn counts(&self) -> bool {
        self.straight_four_cells
            .iter()
            .any(|extension| extension.evidence.verdict == Verdict::Legal)
    }
}

impl Evidence {
    /// The number of cells it tells of, its own counted.
    pub fn cells_told(&self) -> usize {
        let below = self
            .threes
            .iter()
            .flat_map(|three| &three.straight_four_cells);
        1 + below
            .map(|extension| extension.evidence.cells_told())
            .sum::<usize>()
    }

    /// The restrictions that apply, first told first; none where the stone makes a five.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let breaks = |kind| match kind {
            Kind::Overline => !self.overlines.is_empty(),
            Kind::DoubleFour => self.fours.len() > 1,
            Kind::DoubleThree => {
                self.threes.iter().filter(|three| three.counts()).count() > 1
                    || self.verdict == Verdict::Forbidden(kind)
            }
        };
        Kind::ALL
            .into_iter()
            .filter(move |kind| self.fives.is_empty() && breaks(*kind))
    }
}

/// What a black stone on an empty cell would be. No allocation; the recursion for threes works on one copy of the board.
///
/// ```
/// use tengen::board::Board;
/// use tengen::rules::forbidden::{Kind, Verdict, verdict};
///
/// let board: Board = ".......\n...x...\n...x...\n.xx....\n.......\n.......\n.......".parse()?;
/// assert_eq!(verdict(&board, "d4".parse()?), Verdict::Forbidden(Kind::DoubleThree));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verdict(board: &Board, cell: Cell) -> Verdict {
    let lanes = Lanes::around(board, cell);
    lanes
        .verdict_without_threes(board, cell)
        .unwrap_or_else(|| {
            let mut copy = board.clone();
            lanes.verdict_of_threes(&mut copy, cell)
        })
}

/// The most cells that the evidence for one cell tells of. Real games stay far below: 59 is the most on
/// the boards under `tests/data`. Boards made for it would need millions.
pub const MOST_TOLD: usize = 128;

/// The reasons for the verdict on a cell, recursively: whole, or as many levels of it as stay within
/// [`MOST_TOLD`] cells.
pub fn evidence(board: &Board, cell: Cell) -> Evidence {
    evidence_within(board, cell, MOST_TOLD)
}

/// The same, with a bound of one's own. The first level is told in any case: at most thirteen cells.
pub fn evidence_within(board: &Board, cell: Cell, most_told: usize) -> Evidence {
    let mut board = board.clone();
    let most_told = most_told.max(13);
    let mut to_depth = |depth| gather(&mut board, cell, depth, &mut { most_told });
    to_depth(usize::MAX)
        .or_else(|| (1..).map_while(to_depth).last())
        .expect("the first level has at most twelve cells")
}

/// The four lines through a cell as Black sees them.
struct Lanes([Lane; 4]);

impl Lanes {
    fn around(board: &Board, cell: Cell) -> Lanes {
        Lanes(Direction::ALL.map(|direction| Lane::around(board, cell, Color::Black, direction)))
    }

    /// The verdict, unless it depends on which threes count.
    fn verdict_without_threes(&self, board: &Board, cell: Cell) -> Option<Verdict> {
        let lengths = Direction::ALL
            .map(|direction| Run::through(board, cell, Color::Black, direction).length);
        if lengths.contains(&5) {
            return Some(Verdict::Five);
        }
        if lengths.iter().any(|length| *length > 5) {
            return Some(Verdict::Forbidden(Kind::Overline));
        }
        let fours: u32 = self.0.iter().map(|lane| lane.fours(Five::Exactly)).sum();
        if fours > 1 {
            return Some(Verdict::Forbidden(Kind::DoubleFour));
        }
        let maybe_threes = self
            .0
            .iter()
            .filter(|lane| three_cells(**lane) != 0)
            .count();
        (maybe_threes < 2).then_some(Verdict::Legal)
    }

    /// The verdict where nothing but a double three can forbid the cell.
    fn verdict_of_threes(&self, board: &mut Board, cell: Cell) -> Verdict {
        let mut threes = 0;
        for (lane, direction) in self.0.iter().zip(Direction::ALL) {
            let counts = with_stone(board, cell, |board| {
                lane.cells(cell, direction, three_cells(*lane))
                    .any(|next| judge(board, next) == Verdict::Legal)
            });
            threes += u8::from(counts);
            if threes == 2 {
                return Verdict::Forbidden(Kind::DoubleThree);
            }
        }
        Verdict::Legal
    }
}

fn judge(board: &mut Board, cell: Cell) -> Verdict {
    let lanes = Lanes::around(board, cell);
    lanes
        .verdict_without_threes(board, cell)
        .unwrap_or_else(|| lanes.verdict_of_threes(board, cell))
}

/// The straight-four cells of a lane; none where the lane has a four, which is no three.
fn three_cells(lane: Lane) -> u16 {
    if lane.fours(Five::Exactly) == 0 {
        lane.straight_four_cells(Five::Exactly)
    } else {
        0
    }
}

fn with_stone<T>(board: &mut Board, cell: Cell, look: impl FnOnce(&mut Board) -> T) -> T {
    board.put(cell, Color::Black);
    let seen = look(board);
    board.take(cell);
    seen
}

/// The evidence for a cell down to some depth of threes; nothing if it tells of more cells than are left.
fn gather(board: &mut Board, cell: Cell, depth: usize, left: &mut usize) -> Option<Evidence> {
    *left = left.checked_sub(1)?;
    let mut evidence = Evidence {
        verdict: Verdict::Legal,
        fives: Vec::new(),
        overlines: Vec::new(),
        fours: Vec::new(),
        threes: Vec::new(),
        is_cut: false,
    };
    for direction in Direction::ALL {
        let run = Run::through(board, cell, Color::Black, direction);
        if run.length >= 5 {
            let row = row_of(cell, direction, run);
            match run.length {
                5 => evidence.fives.push(row),
                _ => evidence.overlines.push(row),
            }
            continue;
        }
        let lane = Lane::around(board, cell, Color::Black, direction);
        let fours = lane.four_shapes(Five::Exactly).map(|(stones, ends)| Four {
            direction,
            stones: lane.cells(cell, direction, stones).collect(),
            five_cells: lane.cells(cell, direction, ends).collect(),
        });
        evidence.fours.extend(fours);
        if three_cells(lane) == 0 {
            continue;
        }
        match depth.checked_sub(1) {
            None => evidence.is_cut = true,
            Some(depth) => {
                let three = gather_three(board, cell, direction, lane, depth, left)?;
                evidence.threes.push(three);
            }
        }
    }
    evidence.verdict = if evidence.is_cut {
        judge(board, cell)
    } else {
        verdict_of(&evidence)
    };
    Some(evidence)
}

/// What follows from evidence that is whole.
fn verdict_of(evidence: &Evidence) -> Verdict {
    if evidence.fives.is_empty() {
        evidence
            .kinds()
            .next()
            .map_or(Verdict::Legal, Verdict::Forbidden)
    } else {
        Verdict::Five
    }
}

fn gather_three(
    board: &mut Board,
    cell: Cell,
    direction: Direction,
    lane: Lane,
    depth: usize,
    left: &mut usize,
) -> Option<Three> {
    let cells = three_cells(lane);
    // All cells of a line straighten the same three, so any of them tells its stones.
    let one_of_them = cells & cells.wrapping_neg();
    let straight_four_cells = with_stone(board, cell, |board| {
        lane.cells(cell, direction, cells)
            .map(|next| {
                let evidence = gather(board, next, depth, left)?;
                Some(Extension {
                    cell: next,
                    evidence,
                })
            })
            .collect::<Option<Vec<_>>>()
    })?;
    let stones = lane.three_stones(one_of_them, Five::Exactly);
    Some(Three {
        direction,
        stones: lane.cells(cell, direction, stones).collect(),
        straight_four_cells,
    })
}

fn row_of(cell: Cell, direction: Direction, run: Run) -> Row {
    let cells = (-run.behind..run.length - run.behind)
        .filter_map(|step| direction.walk(cell, step))
        .collect();
    Row { direction, cells }
}
