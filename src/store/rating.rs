//! Glicko-2 over all games.
//!
//! Glickman, "Example of the Glicko-2 system", 2012. Thirty days are one rating period, whose games all count at
//! once; periods in which nobody played do not count. A game without a date counts when it was kept.

use std::collections::HashMap;

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

use crate::board::Color;
use crate::record::GameResult;
use crate::store::Rating;

/// A game between two players, given by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Who had the black stones.
    pub black: i64,
    /// Who had the white stones.
    pub white: i64,
    /// The result.
    pub result: GameResult,
}

/// The ratings while games are read, period by period.
#[derive(Debug, Default)]
pub struct Ratings {
    ratings: HashMap<i64, Glicko2Rating>,
}

impl Ratings {
    /// Rates the games of the next period.
    pub fn rate(&mut self, period: &[Meeting]) {
        let mut met = HashMap::<i64, Vec<(Glicko2Rating, Outcomes)>>::new();
        for meeting in period {
            let (black, white) = (self.of(meeting.black), self.of(meeting.white));
            let (for_black, for_white) = match meeting.result {
                GameResult::Win(Color::Black) => (Outcomes::WIN, Outcomes::LOSS),
                GameResult::Win(Color::White) => (Outcomes::LOSS, Outcomes::WIN),
                GameResult::Draw => (Outcomes::DRAW, Outcomes::DRAW),
            };
            met.entry(meeting.black)
                .or_default()
                .push((white, for_black));
            met.entry(meeting.white)
                .or_default()
                .push((black, for_white));
        }
        let config = Glicko2Config::new();
        // Who did not play grows less certain.
        for (player, rating) in &mut self.ratings {
            if !met.contains_key(player) {
                *rating = glicko2_rating_period(rating, &[], &config);
            }
        }
        for (player, results) in met {
            let rated = glicko2_rating_period(&self.of(player), &results, &config);
            self.ratings.insert(player, rated);
        }
    }

    fn of(&self, player: i64) -> Glicko2Rating {
        self.ratings.get(&player).copied().unwrap_or_default()
    }

    /// What the players are rated now, by their numbers.
    pub fn now(&self) -> impl Iterator<Item = (i64, Rating)> {
        self.ratings.iter().map(|(player, rated)| {
            let rating = Rating {
                value: rated.rating,
                deviation: rated.deviation,
            };
            (*player, rating)
        })
    }
}
