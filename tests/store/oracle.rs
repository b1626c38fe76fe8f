//! What the explorer should tell, counted slowly from its definition: of every game, every position of its first 16
//! plies is turned in all eight ways and laid over the one that is asked for.

use std::collections::{BTreeMap, BTreeSet};

use tengen::board::Color;
use tengen::record::{GameResult, Ply, Record};
use tengen::store::Game;
use time::OffsetDateTime;

/// Column and height from 0; nothing for a pass.
type Move = Option<(i32, i32)>;
/// Who has a stone where.
type Stones = BTreeMap<(i32, i32), Color>;

/// Games won by Black, by White and by nobody, for each set of moves that are the same by symmetry.
pub type Counts = BTreeMap<BTreeSet<String>, [u64; 3]>;

const INDEXED: usize = 16;

/// The eight ways to turn a square board of so many lines.
pub fn turned(way: usize, lines: i32, (x, y): (i32, i32)) -> (i32, i32) {
    let last = lines - 1;
    let (x, y) = if way & 1 == 0 { (x, y) } else { (last - x, y) };
    let (x, y) = if way & 2 == 0 { (x, y) } else { (x, last - y) };
    if way & 4 == 0 { (x, y) } else { (y, x) }
}

fn moves_of(record: &Record) -> Vec<Move> {
    let plies = record.plies().iter().map(|ply| match ply {
        Ply::Stone(cell) => Some((i32::from(cell.column()), i32::from(cell.height()))),
        _ => None,
    });
    plies.collect()
}

fn stones_of(moves: &[Move]) -> Stones {
    let mut stones = Stones::new();
    for (index, played) in moves.iter().enumerate() {
        if let Some(place) = played {
            stones.insert(*place, [Color::Black, Color::White][index % 2]);
        }
    }
    stones
}

fn lines_of(record: &Record) -> i32 {
    i32::from(record.size().lines())
}

/// A record turned as a whole.
pub fn turned_record(record: &Record, way: usize) -> Record {
    let plies = moves_of(record).into_iter().map(|played| match played {
        Some(place) => {
            let (x, y) = turned(way, lines_of(record), place);
            Ply::stone_at(x.into(), y.into())
        }
        None => Ply::Pass,
    });
    Record::new(record.rule(), record.size(), plies.collect())
}

fn written(played: Move) -> String {
    match played {
        Some((x, y)) => Ply::stone_at(x.into(), y.into()).to_string(),
        None => "pass".into(),
    }
}

/// The moves that a game played from a position that is given by a record, in the position's own orientation: all
/// that are the same by symmetry. Nothing where the game did not come there.
pub fn played(game: &Record, asked: &Record) -> Option<BTreeSet<String>> {
    if (game.rule(), game.size()) != (asked.rule(), asked.size()) {
        return None;
    }
    let goal = moves_of(asked);
    let stones = stones_of(&goal);
    let moves = moves_of(game);
    for (ply, next) in moves.iter().enumerate().take(INDEXED) {
        if ply % 2 != goal.len() % 2 {
            continue;
        }
        let here = stones_of(&moves[..ply]);
        let mut same = BTreeSet::new();
        for way in 0..8 {
            let turn = |place| turned(way, lines_of(game), place);
            let there: Stones = here
                .iter()
                .map(|(place, color)| (turn(*place), *color))
                .collect();
            if there == stones {
                same.insert(written(next.map(turn)));
            }
        }
        if !same.is_empty() {
            return Some(same);
        }
    }
    None
}

/// Which games count.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub player: Option<&'static str>,
    pub color: Option<Color>,
    pub result: Option<GameResult>,
    /// Year and month, both included.
    pub since: Option<(i32, u8)>,
    pub until: Option<(i32, u8)>,
}

impl Asked {
    pub fn fits(&self, game: &Game) -> bool {
        let players = &game.game.text.players;
        let is = |told: &Option<String>| told.as_deref() == self.player;
        let by_player = self.player.is_none()
            || match self.color {
                Some(color) => is(&players[color]),
                None => is(&players.black) || is(&players.white),
            };
        let month = |at: OffsetDateTime| (at.year(), u8::from(at.month()));
        let in_time = match game.game.text.played_at.map(month) {
            None => self.since.is_none() && self.until.is_none(),
            Some(month) => {
                self.since.is_none_or(|since| since <= month)
                    && self.until.is_none_or(|until| month <= until)
            }
        };
        by_player && in_time && self.result.is_none_or(|result| result == game.game.result)
    }
}

/// What was played from a position, and the games, the last that came first.
pub fn explored<'a>(
    games: &'a [Game],
    position: &Record,
    asked: &Asked,
) -> (Counts, Vec<&'a Game>) {
    let mut counts = Counts::new();
    let mut there = Vec::new();
    for game in games.iter().rev().filter(|game| asked.fits(game)) {
        let Some(moves) = played(&game.game.record, position) else {
            continue;
        };
        let column = match game.game.result {
            GameResult::Win(Color::Black) => 0,
            GameResult::Win(Color::White) => 1,
            GameResult::Draw => 2,
        };
        counts.entry(moves).or_default()[column] += 1;
        there.push(game);
    }
    (counts, there)
}
