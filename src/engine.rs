//! Suggests a move by looking one stone ahead: what each legal cell makes for its own side, and what it
//! takes from the other.
//!
//! It knows positions and rules, nothing of records, HTTP or the store. It needs no clock: its work is
//! bounded by the cells times the other side's threats, some milliseconds at most. Begin reading with
//! [`suggest`].

use std::cmp::Reverse;

use crate::board::{Board, Cell, Color, Direction};
use crate::rules::{Lane, Position, Rule, forbidden, wins};

/// A move with the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Where to play.
    pub cell: Cell,
    /// Why.
    pub reason: Reason,
    /// The cells that the reason is about: those of the threat that is made or stopped; may be empty.
    pub about: Vec<Cell>,
    /// What the lines through the cell are worth to both sides, in points of the engine's own; only
    /// to be compared within one position.
    pub score: i32,
}

/// Why a move is suggested, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It wins at once.
    WinNow,
    /// It takes a cell with which the other side would win.
    BlockFive,
    /// It makes an open four: two cells that each win.
    MakesOpenFour,
    /// It stops the other side from making an open four.
    BlocksOpenFour,
    /// It builds own lines and hinders the other side's.
    Builds,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 5] = [
        Reason::WinNow,
        Reason::BlockFive,
        Reason::MakesOpenFour,
        Reason::BlocksOpenFour,
        Reason::Builds,
    ];

    /// The name in snake case, as `win_now`.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::WinNow => "win_now",
            Reason::BlockFive => "block_five",
            Reason::MakesOpenFour => "makes_open_four",
            Reason::BlocksOpenFour => "blocks_open_four",
            Reason::Builds => "builds",
        }
    }
}

/// The worth of a row of five that one side can still fill, by its stones with the new one.
const ROW_POINTS: [i32; 6] = [0, 1, 10, 60, 300, 1000];

/// The best legal moves, best first, at most `count`; none when the game is over or no cell is legal.
///
/// Equal positions give equal suggestions.
///
/// ```
/// use tengen::board::BoardSize;
/// use tengen::engine::suggest;
/// use tengen::rules::{Position, Rule};
///
/// let start = Position::new(Rule::Renju, BoardSize::DEFAULT);
/// assert_eq!(suggest(&start, 1)[0].cell.to_string(), "h8");
/// ```
pub fn suggest(position: &Position, count: usize) -> Vec<Suggestion> {
    let threats = Threats::of(position);
    let mut suggestions: Vec<_> = position
        .legal_cells()
        .map(|cell| {
            let (reason, about) = threats.reason_for(position, cell);
            let urgency = (reason, about.left);
            let score = lines_score(position.board(), cell, position.to_move());
            let distance = distance_from_centre(position.board(), cell);
            let suggestion = Suggestion {
                cell,
                reason,
                about: about.cells,
                score,
            };
            ((urgency, Reverse(score), distance), suggestion)
        })
        .collect();
    // A stable sort: equals stay in reading order.
    suggestions.sort_by_key(|(rank, _)| *rank);
    suggestions
        .into_iter()
        .take(count)
        .map(|(_, suggestion)| suggestion)
        .collect()
}

/// What the other side could do with its next stone.
struct Threats {
    fives: Vec<Cell>,
    open_fours: Vec<Cell>,
}

/// The threats that a move leaves to the other side, and the cells a reason is about.
struct About {
    left: usize,
    cells: Vec<Cell>,
}

impl Threats {
    fn of(position: &Position) -> Threats {
        let (board, rule, enemy) = (position.board(), position.rule(), !position.to_move());
        let empty = || board.size().cells().filter(|cell| board.is_empty(*cell));
        Threats {
            fives: empty()
                .filter(|cell| wins(board, *cell, enemy, rule))
                .collect(),
            open_fours: empty()
                .filter(|cell| makes_open_four(board, *cell, enemy, rule))
                .collect(),
        }
    }

    fn reason_for(&self, position: &Position, cell: Cell) -> (Reason, About) {
        let (board, rule, color) = (position.board(), position.rule(), position.to_move());
        let about = |left: usize, cells: &[Cell]| About {
            left,
            cells: cells.to_vec(),
        };
        if wins(board, cell, color, rule) {
            return (Reason::WinNow, about(0, &[cell]));
        }
        let left = left_after(board, cell, color, &self.fives, |board, five| {
            wins(board, five, !color, rule)
        });
        if left < self.fives.len() {
            return (Reason::BlockFive, about(left, &self.fives));
        }
        if !self.fives.is_empty() {
            return (Reason::Builds, about(left, &[]));
        }
        if makes_open_four(board, cell, color, rule) {
            return (
                Reason::MakesOpenFour,
                about(0, &winning_cells(board, cell, color, rule)),
            );
        }
        let left = left_after(board, cell, color, &self.open_fours, |board, four| {
            makes_open_four(board, four, !color, rule)
        });
        if left < self.open_fours.len() {
            return (Reason::BlocksOpenFour, about(left, &self.open_fours));
        }
        (Reason::Builds, about(left, &[]))
    }
}

/// How many of the other side's threats a stone on a cell leaves standing.
fn left_after(
    board: &Board,
    cell: Cell,
    color: Color,
    threats: &[Cell],
    stands: impl Fn(&Board, Cell) -> bool,
) -> usize {
    if threats.is_empty() {
        return 0;
    }
    let mut after = board.clone();
    after.put(cell, color);
    threats
        .iter()
        .filter(|threat| **threat != cell && stands(&after, **threat))
        .count()
}

/// Would a stone here leave its side two cells that each win, and may it be played?
fn makes_open_four(board: &Board, cell: Cell, color: Color, rule: Rule) -> bool {
    let allowed = || {
        rule != Rule::Renju
            || color == Color::White
            || forbidden::verdict(board, cell) == forbidden::Verdict::Legal
    };
    let winning: u32 = Direction::ALL
        .into_iter()
        .map(|direction| Lane::around(board, cell, color, direction))
        .map(|lane| lane.completions(rule.five(color)).count_ones())
        .sum();
    winning > 1 && allowed()
}

/// The cells that would win after a stone on this one, through it.
fn winning_cells(board: &Board, cell: Cell, color: Color, rule: Rule) -> Vec<Cell> {
    let mut cells = Vec::new();
    for direction in Direction::ALL {
        let lane = Lane::around(board, cell, color, direction);
        cells.extend(lane.cells(cell, direction, lane.completions(rule.five(color))));
    }
    cells
}

/// What the rows through a cell are worth: to the side that plays there, and to the other side that
/// then cannot.
fn lines_score(board: &Board, cell: Cell, color: Color) -> i32 {
    let worth = |color| -> i32 {
        Direction::ALL
            .into_iter()
            .flat_map(|direction| Lane::around(board, cell, color, direction).open_rows())
            .filter_map(|stones| ROW_POINTS.get(usize::try_from(stones).ok()?))
            .sum()
    };
    // Own lines weigh a little more: they keep the initiative.
    worth(color) * 5 + worth(!color) * 4
}

fn distance_from_centre(board: &Board, cell: Cell) -> u8 {
    let centre = board.size().centre();
    let columns = cell.column().abs_diff(centre.column());
    let rows = cell.height().abs_diff(centre.height());
    columns.max(rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::BoardSize;
    use crate::rules::Status;

    /// The best move of the side to move on a diagram.
    fn best(rule: Rule, to_move: Color, diagram: &str) -> (String, Reason) {
        let board: Board = diagram.parse().unwrap();
        let position = Position::from_board(rule, board, to_move).unwrap();
        let best = suggest(&position, 1).remove(0);
        (best.cell.to_string(), best.reason)
    }

    #[test]
    fn a_win_goes_before_a_defence() {
        let diagram = "xxxx...\n.......\n.......\n.......\n.......\n.......\noooo...";
        for rule in Rule::ALL {
            assert_eq!(
                best(rule, Color::White, diagram),
                ("e1".into(), Reason::WinNow)
            );
            assert_eq!(
                best(rule, Color::Black, diagram),
                ("e7".into(), Reason::WinNow)
            );
        }
    }

    #[test]
    fn a_five_is_stopped_before_an_open_four_is_made() {
        let diagram = ".......\n.......\n..xxx..\n.......\n.......\n.......\noooo...";
        for rule in Rule::ALL {
            assert_eq!(
                best(rule, Color::Black, diagram),
                ("e1".into(), Reason::BlockFive)
            );
        }
    }

    #[test]
    fn an_overline_is_no_threat_where_it_does_not_win() {
        let diagram = ".......\n.......\n.......\n.......\n.......\n...x...\noo.ooo.";
        assert_eq!(
            best(Rule::Freestyle, Color::Black, diagram),
            ("c1".into(), Reason::BlockFive)
        );
        assert_ne!(
            best(Rule::Standard, Color::Black, diagram).1,
            Reason::BlockFive
        );
    }

    #[test]
    fn caro_stops_a_five_by_shutting_it_in_or_taking_its_cell() {
        let diagram = ".......\n.......\n.......\nxoooo..\n.......\n.......\n......x";
        let (cell, reason) = best(Rule::Caro, Color::Black, diagram);
        assert_eq!(reason, Reason::BlockFive);
        assert!(["f4", "g4"].contains(&cell.as_str()), "{cell}");
    }

    #[test]
    fn an_open_three_is_stopped_where_no_open_four_is_left() {
        // White h8 i8 j8 with f8 g8 k8 l8 empty: only the cells next to the row stop both fours.
        let board: Board = format!(
            "{}{}{}{}{}{}{}",
            "...............\n".repeat(4),
            "...........x...\n",
            "...............\n".repeat(2),
            ".......ooo.....\n",
            "...............\n.........x.....\n......x........\n",
            "...............\n".repeat(3),
            "...............\n"
        )
        .parse()
        .unwrap();
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
            let position = Position::from_board(rule, board.clone(), Color::Black).unwrap();
            let best = suggest(&position, 1).remove(0);
            assert_eq!(best.reason, Reason::BlocksOpenFour);
            assert!(
                ["g8", "k8"].contains(&best.cell.to_string().as_str()),
                "{}",
                best.cell
            );
        }
    }

    #[test]
    fn a_finished_game_has_no_move() {
        let board: Board = "xxxxx\n.....\n.....\n.....\noooo.".parse().unwrap();
        let position = Position::from_board(Rule::Freestyle, board, Color::White).unwrap();
        assert_ne!(position.status(), Status::Ongoing);
        assert_eq!(suggest(&position, 10), []);
    }

    /// A position reached by random legal stones, near each other so that lines arise.
    fn reached() -> impl Strategy<Value = Position> {
        let rule = prop::sample::select(Rule::ALL.to_vec());
        let size = prop::sample::select(vec![5_i64, 7, 15, 20, 25]);
        (rule, size, prop::collection::vec(0..49_u8, 0..45)).prop_map(|(rule, size, picks)| {
            let size = BoardSize::try_from(size).unwrap();
            let mut position = Position::new(rule, size);
            let corner = size.lines().saturating_sub(7) / 2;
            for pick in picks {
                let next = Cell::from_row(corner + pick / 7, corner + pick % 7, size);
                // A stone that is refused is left out; a game that has ended stays as it is.
                let _ = next.map(|cell| position.play(cell));
            }
            position
        })
    }

    proptest! {
        // Each case tries every move of a position.
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_suggested_move_is_legal_and_the_first_wins_if_any_does(position in reached()) {
            let suggestions = suggest(&position, usize::MAX);
            let mut cells: Vec<_> = suggestions.iter().map(|suggestion| suggestion.cell).collect();
            cells.sort();
            let mut legal: Vec<_> = position.legal_cells().collect();
            legal.sort();
            prop_assert_eq!(cells, legal);
            let wins = |cell: &Cell| wins(position.board(), *cell, position.to_move(), position.rule());
            if position.legal_cells().any(|cell| wins(&cell)) {
                prop_assert!(wins(&suggestions[0].cell));
            }
        }

        #[test]
        fn no_five_is_left_that_a_legal_stone_stops(position in reached()) {
            let enemy = !position.to_move();
            let fives_after = |cell: Cell| {
                let mut after = position.clone();
                after.play(cell).unwrap();
                let board = after.board();
                let is_five = |other: &Cell| board.is_empty(*other) && wins(board, *other, enemy, position.rule());
                let count = board.size().cells().filter(is_five).count();
                (after.status() == Status::Ongoing).then_some(count)
            };
            let Some(best) = suggest(&position, 1).first().map(|suggestion| suggestion.cell) else {
                return Ok(());
            };
            // A stone that wins need not stop anything.
            if let Some(left) = fives_after(best) {
                let least = position.legal_cells().filter_map(fives_after).min();
                prop_assert_eq!(Some(left), least, "{} on {}", best, position.board());
            }
        }
    }
}
