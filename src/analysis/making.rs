use crate::board::{Board, Cell, Color, Direction};
use crate::rules::{Lane, Rule, forbidden, wins};

/// The strongest thing that a stone makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// A row that wins.
    Five,
    /// An unbroken four that no one stone stops.
    OpenFour,
    /// Two fours that no one stone stops.
    DoubleFour,
    /// A four and an open three.
    FourThree,
    /// Two open threes.
    DoubleThree,
    /// A four.
    Four,
    /// An open three: one more stone makes it an open four.
    OpenThree,
}

impl Shape {
    /// Does it threaten two things at once, none of them alone being one?
    pub fn is_fork(self) -> bool {
        matches!(
            self,
            Shape::DoubleFour | Shape::FourThree | Shape::DoubleThree
        )
    }
}

/// What a stone makes, with the cells where its side goes on to win or to make an open four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Making {
    /// What it makes.
    pub shape: Shape,
    /// Where its side goes on.
    pub next: Vec<Cell>,
}

impl Making {
    /// What a stone of a colour makes on an empty cell; none if it is nothing of note or the stone is
    /// forbidden there.
    pub fn of(board: &Board, cell: Cell, color: Color, rule: Rule) -> Option<Making> {
        let making = |shape, next| Some(Making { shape, next });
        if wins(board, cell, color, rule) {
            return making(Shape::Five, vec![cell]);
        }
        let mut after = board.clone();
        after.put(cell, color);
        let fours = Fours::of(board, cell, color, rule);
        let threes = open_threes(&after, cell, color, rule);
        let lines = [fours.lines, threes.len()];
        // Judged last: in renju it is much the dearest question.
        if lines == [0, 0] || !may_play(board, cell, color, rule) {
            return None;
        }
        if fours.cells.len() > 1 && !can_be_stopped(&mut after, &fours.cells, cell, color, rule) {
            let shape = if fours.is_straight {
                Shape::OpenFour
            } else {
                Shape::DoubleFour
            };
            return making(shape, fours.cells);
        }
        let three_cells = threes.into_iter().flatten();
        match lines {
            [0, 1] => making(Shape::OpenThree, three_cells.collect()),
            [0, _] => making(Shape::DoubleThree, three_cells.collect()),
            [_, 0] => making(Shape::Four, fours.cells),
            [_, _] => making(
                Shape::FourThree,
                fours.cells.into_iter().chain(three_cells).collect(),
            ),
        }
    }
}

/// The fours through a stone.
struct Fours {
    /// The cells that make a five of one of them.
    cells: Vec<Cell>,
    /// In how many lines they lie.
    lines: usize,
    /// Is one of them unbroken, with both its ends free?
    is_straight: bool,
}

impl Fours {
    fn of(board: &Board, cell: Cell, color: Color, rule: Rule) -> Fours {
        let five = rule.five(color);
        let mut fours = Fours {
            cells: Vec::new(),
            lines: 0,
            is_straight: false,
        };
        for direction in Direction::ALL {
            let lane = Lane::around(board, cell, color, direction);
            let completions = lane.completions(five);
            if completions != 0 {
                fours.lines += 1;
                fours.is_straight |= completions.count_ones() > 1 && lane.fours(five) == 1;
                fours.cells.extend(lane.cells(cell, direction, completions));
            }
        }
        fours
    }
}

/// For each line in which a stone that is on the board makes an open three: the cells that make it an
/// open four.
fn open_threes(after: &Board, cell: Cell, color: Color, rule: Rule) -> Vec<Vec<Cell>> {
    let five = rule.five(color);
    let threes = Direction::ALL.into_iter().filter_map(|direction| {
        let lane = Lane::around(after, cell, color, direction);
        if lane.completions(five) != 0 {
            return None;
        }
        let cells = lane.cells(cell, direction, lane.straight_four_cells(five));
        let cells: Vec<_> = cells
            .filter(|next| makes_open_four(after, *next, color, rule))
            .collect();
        (!cells.is_empty()).then_some(cells)
    });
    threes.collect()
}

/// Would a stone here make an unbroken four that no one stone stops, and may it be played?
fn makes_open_four(board: &Board, cell: Cell, color: Color, rule: Rule) -> bool {
    let fours = Fours::of(board, cell, color, rule);
    if !fours.is_straight || !may_play(board, cell, color, rule) {
        return false;
    }
    let mut after = board.clone();
    after.put(cell, color);
    !can_be_stopped(&mut after, &fours.cells, cell, color, rule)
}

/// Is there a stone of the other side that leaves none of these cells winning? (In caro a five can also
/// be stopped by shutting it in, so it need not be on one of the cells.)
fn can_be_stopped(
    after: &mut Board,
    winning: &[Cell],
    through: Cell,
    color: Color,
    rule: Rule,
) -> bool {
    let size = after.size();
    let replies = Direction::ALL
        .into_iter()
        .flat_map(|direction| (-6..=6).filter_map(move |steps| direction.walk(through, steps)));
    let replies: Vec<_> = replies
        .filter(|reply| size.contains(*reply) && after.is_empty(*reply))
        .collect();
    replies.into_iter().any(|reply| {
        after.put(reply, !color);
        let is_stopped = winning
            .iter()
            .all(|cell| *cell == reply || !wins(after, *cell, color, rule));
        after.take(reply);
        is_stopped
    })
}

/// May a stone of a colour be played on an empty cell?
pub(super) fn may_play(board: &Board, cell: Cell, color: Color, rule: Rule) -> bool {
    rule != Rule::Renju
        || color == Color::White
        || !matches!(
            forbidden::verdict(board, cell),
            forbidden::Verdict::Forbidden(_)
        )
}
