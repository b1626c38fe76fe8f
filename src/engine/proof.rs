//! What is proven: checked with the rules alone, stone by stone, whatever the search believes.

use crate::board::{Board, Cell, Color, Direction};
use crate::engine::Verdict;
use crate::engine::cells::Place;
use crate::engine::fours::Fours;
use crate::engine::state::State;
use crate::engine::tree::Tree;
use crate::rules::{Lane, Position, Rule, Status, wins};

/// The most stones of the attacker in a win by fours that is looked for.
const MOST_STONES: i32 = 60;
/// The most nodes that are spent on it, and the part of the nodes allowed.
const MOST_NODES: u32 = 200_000;

/// The main line of a win of the side to move by continuous fours, proven against every answer.
pub(super) fn win_by_fours(position: &Position, tree: &mut Tree<'_>) -> Option<Vec<Place>> {
    let mut budget = tree.clock.tenth_of_nodes().min(MOST_NODES);
    let mut stones = 2;
    while stones <= MOST_STONES && tree.clock.stop().is_none() && budget > 0 {
        let mut fours = Fours {
            memory: tree.memory,
            clock: &mut tree.clock,
            budget,
        };
        if fours.win(&mut tree.state, stones).is_some() {
            fours.budget = MOST_NODES;
            return follow(position, &mut tree.state, &mut fours, stones);
        }
        budget = fours.budget;
        stones += 4;
    }
    None
}

/// Plays the win out by the rules: the line of the longest defence, if every defence loses.
fn follow(
    position: &Position,
    state: &mut State,
    fours: &mut Fours<'_, '_>,
    stones: i32,
) -> Option<Vec<Place>> {
    let own = position.to_move();
    if let Some(five) = winning_cells(position.board(), position.rule(), own).next() {
        return Some(vec![Place::of(five)]);
    }
    let place = fours.first(state, stones)?;
    let mut after = position.clone();
    after.play(place.cell()?).ok()?;
    let rest = state.with_stone(place, |state| answers(&after, state, fours, stones));
    let mut line = vec![place];
    line.extend(rest?);
    Some(line)
}

/// The longest line after a four, if the side to move loses whatever it plays.
fn answers(
    position: &Position,
    state: &mut State,
    fours: &mut Fours<'_, '_>,
    stones: i32,
) -> Option<Vec<Place>> {
    let (board, rule, own) = (position.board(), position.rule(), position.to_move());
    let fives: Vec<Cell> = winning_cells(board, rule, !own).collect();
    let threatens = position.status() == Status::Ongoing && !fives.is_empty();
    if !threatens || winning_cells(board, rule, own).next().is_some() {
        return None;
    }
    let mut longest: Option<Vec<Place>> = None;
    for answer in stops(position, &fives) {
        let mut after = position.clone();
        if after.play(answer).is_err() {
            continue;
        }
        let place = Place::of(answer);
        let rest = state.with_stone(place, |state| follow(&after, state, fours, stones - 1));
        let mut line = vec![place];
        line.extend(rest?);
        if longest
            .as_ref()
            .is_none_or(|known| known.len() < line.len())
        {
            longest = Some(line);
        }
    }
    longest.or_else(|| unstopped(position, &fives))
}

/// Where nothing stops the five, any stone is as good; the five follows. A side without any stone to play
/// has not lost.
fn unstopped(position: &Position, fives: &[Cell]) -> Option<Vec<Place>> {
    let mut playable = fives
        .iter()
        .copied()
        .filter(|five| position.check(*five).is_ok());
    let any = playable.next().or_else(|| position.legal_cells().next())?;
    let five = fives.iter().copied().find(|five| *five != any)?;
    Some(vec![Place::of(any), Place::of(five)])
}

/// The cells where a stone of the side to move could leave the other side no five; whether it may be
/// played there is another matter.
fn stops(position: &Position, fives: &[Cell]) -> Vec<Cell> {
    let (rule, own) = (position.rule(), position.to_move());
    let mut cells: Vec<Cell> = fives.to_vec();
    if rule == Rule::Caro {
        // A five can also be shut in, along its line.
        for five in fives {
            cells.extend(
                position
                    .board()
                    .size()
                    .cells()
                    .filter(|cell| position.board().is_empty(*cell) && is_in_line(*five, *cell)),
            );
        }
        cells.sort();
        cells.dedup();
    }
    cells.retain(|cell| {
        let mut board = position.board().clone();
        board.put(*cell, own);
        winning_cells(&board, rule, !own).next().is_none()
    });
    cells
}

fn is_in_line(one: Cell, other: Cell) -> bool {
    let columns = one.column().abs_diff(other.column());
    let rows = one.height().abs_diff(other.height());
    columns.max(rows) <= 5 && (columns == 0 || rows == 0 || columns == rows)
}

/// The empty cells where a stone of a colour wins.
fn winning_cells(board: &Board, rule: Rule, color: Color) -> impl Iterator<Item = Cell> {
    board
        .size()
        .cells()
        .filter(move |cell| board.is_empty(*cell) && wins(board, *cell, color, rule))
}

/// What the rules alone say of a move that is no proven win.
pub(super) fn verdict(position: &Position, cell: Cell) -> Verdict {
    let mut after = position.clone();
    if after.play(cell).is_err() {
        return Verdict::Unknown;
    }
    match after.status() {
        Status::Won { .. } => Verdict::ProvenWin,
        Status::Drawn { .. } => Verdict::ProvenDraw,
        Status::Ongoing
            if winning_cells(after.board(), after.rule(), after.to_move())
                .next()
                .is_some() =>
        {
            Verdict::ProvenLoss
        }
        Status::Ongoing if !has_room(after.board()) => Verdict::ProvenDraw,
        Status::Ongoing => Verdict::Unknown,
    }
}

/// Can either side still make a five?
fn has_room(board: &Board) -> bool {
    board
        .size()
        .cells()
        .filter(|cell| board.is_empty(*cell))
        .any(|cell| {
            [Color::Black, Color::White].into_iter().any(|color| {
                Direction::ALL.into_iter().any(|direction| {
                    Lane::around(board, cell, color, direction)
                        .open_rows()
                        .next()
                        .is_some()
                })
            })
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::BoardSize;
    use crate::engine::cells::CellSet;
    use crate::engine::pattern::Class;
    use crate::engine::state::Makes;
    use crate::rules::forbidden;

    /// A board of stones near each other: a number picks a cell of the middle and a colour.
    fn boards() -> impl Strategy<Value = (Rule, Board, Color)> {
        let lines = prop::sample::select(vec![5_i64, 8, 15, 25]);
        let picks = prop::collection::vec((0..8_u8, 0..8_u8, any::<bool>()), 0..45);
        let rule = prop::sample::select(Rule::ALL.to_vec());
        (rule, lines, picks, any::<bool>(), any::<bool>()).prop_map(
            |(rule, lines, picks, is_black, is_at_edge)| {
                let size = BoardSize::try_from(lines).expect("the size is supported");
                let shift = if is_at_edge {
                    size.lines().saturating_sub(8)
                } else {
                    0
                };
                let mut board = Board::new(size);
                for (column, height, is_black) in picks {
                    let color = if is_black { Color::Black } else { Color::White };
                    let Some(cell) = Cell::new(column + shift, height + shift) else {
                        continue;
                    };
                    if size.contains(cell)
                        && board.is_empty(cell)
                        && !wins(&board, cell, color, rule)
                    {
                        board.put(cell, color);
                    }
                }
                (
                    rule,
                    board,
                    if is_black { Color::Black } else { Color::White },
                )
            },
        )
    }

    fn set(cells: impl Iterator<Item = Cell>) -> CellSet {
        let mut set = CellSet::EMPTY;
        cells.for_each(|cell| set.toggle(Place::of(cell)));
        set
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn fives_and_forbidden_cells_are_those_of_the_rules((rule, board, to_move) in boards()) {
            let Ok(position) = Position::from_board(rule, board, to_move) else { return Ok(()) };
            let state = State::new(&position);
            let board = position.board();
            for color in [Color::Black, Color::White] {
                prop_assert_eq!(*state.makers(color, Makes::Five), set(winning_cells(board, rule, color)));
                for cell in board.size().cells().filter(|cell| board.is_empty(*cell)) {
                    let is_bound = rule == Rule::Renju && color == Color::Black;
                    let is_legal = !is_bound || !matches!(forbidden::verdict(board, cell), forbidden::Verdict::Forbidden(_));
                    let place = Place::of(cell);
                    prop_assert_eq!(state.allows(color, place), is_legal, "{} {} on\n{}", color, cell, board);
                    prop_assert!(state.class(color, place) != Class::Foul || !is_legal);
                }
            }
        }

        #[test]
        fn what_stops_a_five_is_found_whole((rule, board, to_move) in boards()) {
            let Ok(position) = Position::from_board(rule, board, to_move) else { return Ok(()) };
            let board = position.board();
            if winning_cells(board, rule, !to_move).next().is_none() {
                return Ok(());
            }
            let stops = |cell: &Cell| {
                let mut after = board.clone();
                after.put(*cell, to_move);
                winning_cells(&after, rule, !to_move).next().is_none()
            };
            let right = set(board.size().cells().filter(|cell| board.is_empty(*cell)).filter(stops));
            prop_assert_eq!(State::new(&position).stops(!to_move), right, "on\n{}", board);
        }
    }
}
