//! How positions are folded for the explorer, and what it tells.
//!
//! Positions that are rotations or reflections of each other, or are reached in another order, are one. A
//! move from such a position is told in the orientation of its least key; where a position is its own
//! image, moves that are images of each other are one too.

use crate::board::{Board, BoardSize, Cell, Color, Key, Symmetry, mix};
use crate::record::{GameResult, Ply, Record};
use crate::rules::Rule;
use crate::store::{Game, encoding};

/// How many plies of each game the explorer knows.
pub const INDEXED_PLIES: usize = 16;

/// A position with its images folded into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    /// The rule and the least key of the eight images.
    pub(super) key: i64,
    size: BoardSize,
    /// What leads to the image with the least key; several where the position is its own image.
    symmetries: Vec<Symmetry>,
}

/// A ply from a folded position, in the orientation of its least key, as a number of `encoding.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FoldedMove(pub(super) u16);

impl Folded {
    /// Folds a position.
    pub fn of(rule: Rule, board: &Board, to_move: Color) -> Folded {
        let mut images = Images::new(rule, board.size());
        for (cell, color) in board.occupied() {
            images.put(cell, color);
        }
        if to_move == Color::White {
            images.pass_turn();
        }
        images.folded()
    }

    /// Where a ply of the position goes.
    pub(super) fn fold(&self, ply: Ply) -> Option<FoldedMove> {
        let images = self.symmetries.iter().map(|symmetry| match ply {
            Ply::Stone(cell) => Ply::Stone(symmetry.apply(cell, self.size)),
            other => other,
        });
        images
            .map(encoding::number_of)
            .min()
            .flatten()
            .map(FoldedMove)
    }

    /// The plies of the position that fold to a move, the least cell first; a pass is one.
    pub(super) fn unfold(&self, FoldedMove(number): FoldedMove) -> Vec<Ply> {
        let cell = match encoding::ply_of(number) {
            Some(Ply::Stone(cell)) if self.size.contains(cell) => cell,
            Some(Ply::Pass) => return vec![Ply::Pass],
            _ => return Vec::new(),
        };
        let mut cells: Vec<Cell> = self
            .symmetries
            .iter()
            .map(|symmetry| symmetry.inverse().apply(cell, self.size))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells.into_iter().map(Ply::Stone).collect()
    }
}

/// The keys of the eight images of a position, kept while stones are put.
struct Images {
    rule: Rule,
    size: BoardSize,
    keys: [Key; 8],
}

impl Images {
    fn new(rule: Rule, size: BoardSize) -> Images {
        Images {
            rule,
            size,
            keys: [Key::empty(size); 8],
        }
    }

    fn put(&mut self, cell: Cell, color: Color) {
        for (key, symmetry) in self.keys.iter_mut().zip(Symmetry::ALL) {
            *key = key.with_stone(symmetry.apply(cell, self.size), color);
        }
    }

    fn pass_turn(&mut self) {
        for key in &mut self.keys {
            *key = key.with_turn_passed();
        }
    }

    fn least(&self) -> Key {
        *self.keys.iter().min().expect("there are eight images")
    }

    fn folded(&self) -> Folded {
        let least = self.least();
        let leads_there = self.keys.iter().zip(Symmetry::ALL);
        Folded {
            key: i64::from(least) ^ rule_key(self.rule),
            size: self.size,
            symmetries: leads_there
                .filter(|(key, _)| **key == least)
                .map(|(_, symmetry)| symmetry)
                .collect(),
        }
    }
}

/// Equal stones under another rule are another position. Kept in databases: it must not change.
fn rule_key(rule: Rule) -> i64 {
    let number = match rule {
        Rule::Freestyle => 1,
        Rule::Standard => 2,
        Rule::Renju => 3,
        Rule::Caro => 4,
    };
    mix(1_000_000 + number).cast_signed()
}

/// What the explorer keeps of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trace {
    /// Each position of the first plies with the move that was played there.
    pub steps: Vec<(i64, FoldedMove)>,
    /// The least key of the last position's images.
    pub symmetry_key: i64,
}

impl Trace {
    /// The trace of a record that the rules have checked.
    pub fn of(record: &Record) -> Trace {
        let mut images = Images::new(record.rule(), record.size());
        let mut steps = Vec::with_capacity(INDEXED_PLIES.min(record.plies().len()));
        let mut color = Color::Black;
        for (index, ply) in record.plies().iter().enumerate() {
            if index < INDEXED_PLIES {
                let folded = images.folded();
                steps.extend(folded.fold(*ply).map(|step| (folded.key, step)));
            }
            if let Ply::Stone(cell) = ply {
                images.put(*cell, color);
            }
            images.pass_turn();
            color = !color;
        }
        Trace {
            steps,
            symmetry_key: images.least().into(),
        }
    }
}

/// A month of the calendar, from January of year 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(pub(super) i64);

impl Month {
    /// The month of games without a date, before every other.
    pub(super) const UNKNOWN: Month = Month(0);

    /// A month from its year, 0 to 9999, and its number, 1 to 12.
    pub fn new(year: u16, month: u8) -> Option<Month> {
        let is_month = year <= 9999 && (1..=12).contains(&month);
        is_month.then(|| Month(i64::from(year) * 12 + i64::from(month)))
    }
}

/// What is asked of the explorer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplorerQuery {
    /// From which position.
    pub position: Folded,
    /// Only games of this month and later.
    pub since: Option<Month>,
    /// Only games of this month and earlier.
    pub until: Option<Month>,
    /// Only games of this player.
    pub player: Option<String>,
    /// The player's colour, if it matters.
    pub color: Option<Color>,
    /// Only games with this result.
    pub result: Option<GameResult>,
    /// How many games to name of each kind.
    pub games: u32,
}

/// How games came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that Black won.
    pub black: u64,
    /// Games that White won.
    pub white: u64,
    /// Games that nobody won.
    pub draw: u64,
}

impl Tally {
    /// All games.
    pub const fn games(self) -> u64 {
        self.black + self.white + self.draw
    }

    /// Counts another tally in.
    pub(super) fn add(&mut self, other: Tally) {
        self.black += other.black;
        self.white += other.white;
        self.draw += other.draw;
    }

    /// Only the games with a result, if one is asked for.
    pub(super) fn only(self, result: Option<GameResult>) -> Tally {
        let mut only = Tally::default();
        match result {
            None => return self,
            Some(GameResult::Win(Color::Black)) => only.black = self.black,
            Some(GameResult::Win(Color::White)) => only.white = self.white,
            Some(GameResult::Draw) => only.draw = self.draw,
        }
        only
    }
}

/// A move that was played from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The move, and those that are the same by symmetry; never empty.
    pub plies: Vec<Ply>,
    /// How the games with it came out.
    pub tally: Tally,
}

/// What the explorer tells of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// The moves, the most played first.
    pub moves: Vec<PlayedMove>,
    /// The newest games, by when they were kept; they are looked for among the last thousand from the position.
    pub recent: Vec<Game>,
    /// Of the newest games, those whose players are rated highest.
    pub top: Vec<Game>,
    /// Whether a player has more games here than were looked at; then the oldest are not counted.
    pub is_cut: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::notation::read_moves;

    fn record(moves: &str) -> Record {
        let plies = read_moves(moves, 60).expect("all are moves");
        Record::new(Rule::Freestyle, BoardSize::DEFAULT, plies)
    }

    fn turned(record: &Record, symmetry: Symmetry) -> Record {
        let turn = |ply: &Ply| match ply {
            Ply::Stone(cell) => Ply::Stone(symmetry.apply(*cell, record.size())),
            other => *other,
        };
        let plies = record.plies().iter().map(turn).collect();
        Record::new(record.rule(), record.size(), plies)
    }

    #[test]
    fn the_eight_images_of_a_game_leave_one_trace() {
        let game = record("h8i9j7g9h9h10h7k6a1o15b2");
        for symmetry in Symmetry::ALL {
            assert_eq!(Trace::of(&turned(&game, symmetry)), Trace::of(&game));
        }
    }

    #[test]
    fn another_order_of_the_stones_leads_to_the_same_position() {
        let one = Trace::of(&record("h8i9j7g9a1"));
        let other = Trace::of(&record("j7g9h8i9a1"));
        assert_eq!(one.steps[4], other.steps[4]);
        assert_ne!(one.steps[2], other.steps[2]);
    }

    #[test]
    fn a_trace_agrees_with_each_of_its_positions_folded_alone() {
        let game = record("h8h9h10i9i10g7f6");
        let trace = Trace::of(&game);
        for (ply, (key, step)) in trace.steps.iter().enumerate() {
            let replay = game.prefix(ply).replay();
            let position = replay.position();
            let folded = Folded::of(position.rule(), position.board(), position.to_move());
            assert_eq!(folded.key, *key);
            assert_eq!(folded.fold(game.plies()[ply]), Some(*step));
            assert!(folded.unfold(*step).contains(&game.plies()[ply]));
        }
        let last = game.replay();
        let (least, _) = Key::least(last.position().board(), last.position().to_move());
        assert_eq!(trace.symmetry_key, i64::from(least));
    }

    #[test]
    fn moves_that_are_images_of_each_other_are_one() {
        let empty = Folded::of(Rule::Renju, &Board::new(BoardSize::DEFAULT), Color::Black);
        let corner = empty.fold("a1".parse().map(Ply::Stone).expect("a cell"));
        let names = |step| {
            let plies = empty.unfold(step);
            plies.iter().map(Ply::to_string).collect::<Vec<_>>()
        };
        let mut corners = names(corner.expect("on the board"));
        corners.sort_unstable();
        assert_eq!(corners, ["a1", "a15", "o1", "o15"]);
        assert_eq!(names(FoldedMove(7 * 25 + 7)), ["h8"]);
        assert_eq!(empty.unfold(FoldedMove(0xffff)), [Ply::Pass]);
    }

    #[test]
    fn rules_sizes_and_turns_are_different_positions() {
        let size = BoardSize::DEFAULT;
        let board = Board::new(size);
        let mut keys: Vec<i64> = Rule::ALL
            .into_iter()
            .flat_map(|rule| {
                [Color::Black, Color::White].map(|turn| Folded::of(rule, &board, turn).key)
            })
            .collect();
        let larger = Board::new(BoardSize::try_from(19).expect("a size"));
        keys.push(Folded::of(Rule::Renju, &larger, Color::Black).key);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 9);
    }

    #[test]
    fn the_keys_that_databases_hold_do_not_change() {
        let trace = Trace::of(&record("h8i9j7"));
        let steps: Vec<(i64, u16)> = trace
            .steps
            .iter()
            .map(|(key, step)| (*key, step.0))
            .collect();
        let expected = [
            (8_888_374_675_327_983_155, 182),
            (1_412_892_481_607_280_154, 156),
            (-2_679_125_982_165_996_013, 131),
        ];
        assert_eq!(steps, expected);
        assert_eq!(trace.symmetry_key, 1_112_414_786_221_975_064);
    }
}
