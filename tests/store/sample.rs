//! Games to be kept.

use std::sync::Arc;

use tengen::board::{BoardSize, Color};
use tengen::record::notation::read_moves;
use tengen::record::{GameResult, GameText, Ply, Record, Termination};
use tengen::rules::Rule;
use tengen::store::{Added, Game, NewGame, Order, Selection, Store};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

pub const AT: OffsetDateTime = datetime!(2026-03-01 12:00 UTC);

/// The numbers of a small generator, from a seed (Marsaglia, "Xorshift RNGs", 2003).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % u64::try_from(bound).unwrap()).unwrap()
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

pub fn size(lines: i64) -> BoardSize {
    BoardSize::try_from(lines).unwrap()
}

pub fn record(moves: &str) -> Record {
    let plies = read_moves(moves, 1_000).unwrap();
    Record::new(Rule::Freestyle, BoardSize::DEFAULT, plies)
}

/// A game of the record with its result, ended as the result needs.
pub fn ended(record: Record, result: GameResult, text: GameText) -> NewGame {
    let termination = match result {
        GameResult::Draw => Termination::Agreement,
        GameResult::Win(_) => Termination::Resignation,
    };
    NewGame::judge(record, Some(result), Some(termination), text).unwrap()
}

/// A short game that White resigned; each name is another game.
pub fn game(round: &str) -> NewGame {
    let text = GameText {
        round: Some(round.to_owned()),
        ..GameText::default()
    };
    ended(record("h8i9j7"), GameResult::Win(Color::Black), text)
}

/// A game between two players.
pub fn between(black: &str, white: &str, result: GameResult, round: &str) -> NewGame {
    let mut game = ended(record("h8i9j7"), result, GameText::default());
    game.text.players.black = Some(black.to_owned());
    game.text.players.white = Some(white.to_owned());
    game.text.round = Some(round.to_owned());
    game
}

/// Keeps a game that is new.
pub async fn keep(store: &Arc<dyn Store>, game: NewGame) -> Game {
    match store.add(vec![game], AT).await.unwrap().remove(0) {
        Added::New(game) => game,
        Added::Known(game) => panic!("known: {game:?}"),
    }
}

/// All games of a selection, page by page.
pub async fn listed(store: &Arc<dyn Store>, selection: &Selection, most: u32) -> Vec<Game> {
    let mut games = Vec::new();
    let mut selection = selection.clone();
    loop {
        let page = store.page(&selection, most).await.unwrap();
        assert!(page.games.len() <= usize::try_from(most).unwrap());
        games.extend(page.games);
        if page.next.is_none() {
            return games;
        }
        selection.after = page.next;
    }
}

/// All games in the order in which they came.
pub async fn all(store: &Arc<dyn Store>) -> Vec<Game> {
    let order = Order {
        direction: tengen::store::Direction::Ascending,
        ..Order::default()
    };
    let selection = Selection {
        order,
        ..Selection::default()
    };
    listed(store, &selection, 500).await
}

pub const NAMES: [&str; 5] = ["Ada", "Bob & Co", "Ö", "50%", "Ada2"];
const EVENTS: [&str; 3] = ["Spring", "Fall", "It's"];
const TAGS: [&str; 3] = ["club", "long game", "%"];

/// A random game: few cells near the middle of small and usual boards, so that positions meet again.
pub fn random_game(random: &mut Random, number: usize) -> NewGame {
    let rule = *random.pick(&Rule::ALL);
    let size = size(*random.pick(&[7, 15, 15]));
    let middle = i64::from(size.lines() / 2);
    let mut cells: Vec<(i64, i64)> = (-2..=2)
        .flat_map(|x| (-2..=2).map(move |y| (middle + x, middle + y)))
        .collect();
    let mut plies = Vec::new();
    for _ in 0..random.below(20) {
        let (column, height) = cells.swap_remove(random.below(cells.len()));
        plies.push(Ply::stone_at(column, height));
        if rule == Rule::Renju && plies.len() > 3 && random.below(8) == 0 {
            plies.push(Ply::Pass);
        }
    }
    let mut record = Record::new(rule, size, plies);
    // A game ends where the rules say.
    let replay = record.replay();
    let mut most = record.plies().len();
    if let Some(ended_at) = replay.ended_at() {
        most = most.min(ended_at);
    }
    if let Some(first) = replay.violations().first() {
        most = most.min(first.ply - 1);
    }
    record = record.prefix(most);
    let name = |random: &mut Random| {
        let name = (random.below(4) > 0).then(|| *random.pick(&NAMES));
        name.map(str::to_owned)
    };
    let mut text = GameText::default();
    text.players.black = name(random);
    text.players.white = name(random);
    text.event = (random.below(2) == 0).then(|| (*random.pick(&EVENTS)).to_owned());
    text.source = (random.below(3) == 0).then(|| "book".to_owned());
    text.round = Some(number.to_string());
    text.played_at = (random.below(3) > 0).then(|| {
        let days = i64::try_from(random.below(150)).unwrap();
        datetime!(2025-10-01 23:00 UTC) + Duration::days(days)
    });
    for tag in TAGS {
        if random.below(3) == 0 {
            text.tags.push(tag.to_owned());
        }
    }
    if record.replay().ending().is_some() {
        return NewGame::judge(record, None, None, text).unwrap();
    }
    let result = *random.pick(&GameResult::ALL);
    ended(record, result, text)
}
