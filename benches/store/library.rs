//! Games made from real openings by a seeded generator: equal seeds give equal games.

use tengen::board::{BoardSize, ByColor, Cell, Color};
use tengen::record::notation::read_moves;
use tengen::record::{GameResult, GameText, Ply, Record, Termination};
use tengen::rules::{Rule, Status};
use tengen::store::NewGame;
use time::{Duration, OffsetDateTime};

/// The openings that the games begin with.
const OPENINGS: [(Rule, &str); 4] = [
    (
        Rule::Freestyle,
        include_str!("../../tests/data/openings/freestyle15.txt"),
    ),
    (
        Rule::Standard,
        include_str!("../../tests/data/openings/standard15.txt"),
    ),
    (
        Rule::Renju,
        include_str!("../../tests/data/openings/renju15.txt"),
    ),
    (
        Rule::Caro,
        include_str!("../../tests/data/openings/standard15.txt"),
    ),
];

/// How many players there are; the first have the most games.
pub const PLAYERS: u64 = 20_000;

/// Makes games one after another.
pub struct Library {
    openings: Vec<(Rule, Vec<Ply>)>,
    chance: Chance,
}

impl Library {
    /// Games that follow from a seed.
    pub fn new(seed: u64) -> Library {
        let openings = OPENINGS.iter().flat_map(|(rule, lines)| {
            lines.lines().filter_map(|line| {
                let plies = read_moves(line.trim(), 20).ok()?;
                (!plies.is_empty()).then_some((*rule, plies))
            })
        });
        Library {
            openings: openings.collect(),
            chance: Chance(seed),
        }
    }

    /// The next game: an opening and stones near others, until chance or the rules end it.
    pub fn game(&mut self) -> NewGame {
        let chance = &mut self.chance;
        let (rule, opening) = &self.openings[chance.below_as_index(self.openings.len())];
        // Some follow their opening for a few plies only, so that positions are shared and differ.
        let known = opening.len().min(3 + chance.below_as_index(8));
        let mut plies = opening[..known].to_vec();
        let length = known + 6 + chance.below_as_index(50);
        let replay = Record::new(*rule, BoardSize::DEFAULT, plies.clone()).replay();
        let mut position = replay.into_position();
        while plies.len() < length && position.status() == Status::Ongoing {
            // Near any stone: about the last one there may be no room.
            let stone = match plies[chance.below_as_index(plies.len())] {
                Ply::Stone(cell) => cell,
                _ => BoardSize::DEFAULT.centre(),
            };
            let cell = near(stone, chance);
            if position.play(cell).is_ok() {
                plies.push(Ply::Stone(cell));
            }
        }
        let record = Record::new(*rule, BoardSize::DEFAULT, plies);
        let (result, termination) = match record.replay().ending() {
            Some((result, termination)) => (Some(result), Some(termination)),
            None => claim(chance),
        };
        NewGame::judge(record, result, termination, text(chance)).expect("the game is legal")
    }
}

fn near(cell: Cell, chance: &mut Chance) -> Cell {
    let mut step = |place: u8| {
        let moved = i64::from(place) + chance.below(7).cast_signed() - 3;
        u8::try_from(moved.clamp(0, 14)).expect("a place on the board")
    };
    Cell::new(step(cell.column()), step(cell.height())).expect("a place on the board")
}

fn claim(chance: &mut Chance) -> (Option<GameResult>, Option<Termination>) {
    let (result, termination) = match chance.below(10) {
        0 => (GameResult::Draw, Termination::Agreement),
        1 => (GameResult::Win(Color::White), Termination::Timeout),
        number if number < 6 => (GameResult::Win(Color::Black), Termination::Resignation),
        _ => (GameResult::Win(Color::White), Termination::Resignation),
    };
    (Some(result), Some(termination))
}

fn text(chance: &mut Chance) -> GameText {
    let day = i64::try_from(chance.below(20 * 365)).expect("a small number");
    let begin = OffsetDateTime::from_unix_timestamp(1_000_000_000).expect("a time");
    GameText {
        players: ByColor {
            black: Some(player(chance)),
            white: Some(player(chance)),
        },
        event: Some(format!("Event {}", chance.below(500))),
        site: None,
        round: Some(chance.below(1_000_000).to_string()),
        played_at: (!chance.below(10).is_multiple_of(10)).then(|| begin + Duration::days(day)),
        source: Some(format!("source {}", chance.below(10))),
        tags: vec![format!("tag {}", chance.below(30))],
    }
}

/// A player; the square of chance makes some play far more than others.
pub fn player(chance: &mut Chance) -> String {
    let (one, other) = (chance.below(1_000), chance.below(1_000));
    format!("Player {}", one * other * PLAYERS / 1_000_000)
}

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Chance(pub u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An index below a length.
    pub fn below_as_index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).expect("a length");
        usize::try_from(self.below(length)).expect("below a length")
    }
}
