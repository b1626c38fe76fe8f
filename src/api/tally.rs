//! How many games came out how, as several endpoints tell it.

use std::iter::Sum;

use serde::Serialize;
use utoipa::ToSchema;

use crate::board::Color;
use crate::record::GameResult;
use crate::store::Tally;

/// How games came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Tally)]
pub struct TallyView {
    /// All games.
    games: u64,
    /// Games that Black won.
    black: u64,
    /// Games that White won.
    white: u64,
    /// Games that nobody won.
    draw: u64,
}

impl TallyView {
    /// So many games with the same result.
    pub fn of(result: GameResult, games: u64) -> TallyView {
        let mut tally = Tally::default();
        match result {
            GameResult::Win(Color::Black) => tally.black = games,
            GameResult::Win(Color::White) => tally.white = games,
            GameResult::Draw => tally.draw = games,
        }
        tally.into()
    }

    /// All games.
    pub const fn games(self) -> u64 {
        self.games
    }
}

impl From<Tally> for TallyView {
    fn from(tally: Tally) -> TallyView {
        TallyView {
            games: tally.games(),
            black: tally.black,
            white: tally.white,
            draw: tally.draw,
        }
    }
}

impl Sum for TallyView {
    fn sum<I: Iterator<Item = TallyView>>(tallies: I) -> TallyView {
        tallies.fold(TallyView::default(), |sum, tally| TallyView {
            games: sum.games + tally.games,
            black: sum.black + tally.black,
            white: sum.white + tally.white,
            draw: sum.draw + tally.draw,
        })
    }
}

/// A part of a whole, from 0 to 1; of nothing it is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    // Exact up to 2^53 games.
    part as f64 / whole as f64
}
