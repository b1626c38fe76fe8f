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

#[cfg(test)]
mod tests {
    use super::*;

    const ME: i64 = 0;

    fn rated(rating: f64, deviation: f64) -> Glicko2Rating {
        Glicko2Rating {
            rating,
            deviation,
            volatility: 0.06,
        }
    }

    fn meeting(black: i64, white: i64, winner: Color) -> Meeting {
        Meeting {
            black,
            white,
            result: GameResult::Win(winner),
        }
    }

    /// The worked example of Glickman's paper.
    #[test]
    fn the_example_of_the_paper_comes_out() {
        let mut ratings = Ratings {
            ratings: HashMap::from([
                (ME, rated(1500.0, 200.0)),
                (1, rated(1400.0, 30.0)),
                (2, rated(1550.0, 100.0)),
                (3, rated(1700.0, 300.0)),
            ]),
        };
        ratings.rate(&[
            meeting(ME, 1, Color::Black),
            meeting(2, ME, Color::Black),
            meeting(ME, 3, Color::White),
        ]);
        let me = ratings.of(ME);
        assert!((me.rating - 1464.06).abs() < 0.01, "{me:?}");
        assert!((me.deviation - 151.52).abs() < 0.01, "{me:?}");
        assert!((me.volatility - 0.05999).abs() < 0.00001, "{me:?}");
    }

    #[test]
    fn the_games_of_a_period_count_at_once() {
        let games = [
            meeting(1, 2, Color::Black),
            meeting(2, 3, Color::Black),
            meeting(3, 1, Color::White),
        ];
        let mut one = Ratings::default();
        one.rate(&games);
        let mut other = Ratings::default();
        other.rate(&[games[2], games[0], games[1]]);
        for player in [1, 2, 3] {
            let (one, other) = (one.of(player), other.of(player));
            assert!(
                (one.rating - other.rating).abs() < 1e-9,
                "{one:?} {other:?}"
            );
        }
    }

    #[test]
    fn who_does_not_play_grows_less_certain_up_to_a_newcomer() {
        let mut ratings = Ratings::default();
        ratings.rate(&[meeting(1, 2, Color::Black)]);
        let before = ratings.of(1);
        ratings.rate(&[meeting(3, 4, Color::Black)]);
        let after = ratings.of(1);
        assert!(after.deviation > before.deviation);
        assert_eq!(after.rating, before.rating);
        for _ in 0..2_000 {
            ratings.rate(&[meeting(3, 4, Color::White)]);
        }
        assert!(ratings.of(1).deviation <= 350.0);
        assert!(
            ratings
                .now()
                .all(|(_, rating)| rating.value.is_finite() && rating.deviation > 0.0)
        );
    }

    #[test]
    fn a_long_run_of_equal_results_stays_finite() {
        let mut ratings = Ratings::default();
        let games = vec![meeting(1, 2, Color::Black); 500];
        for _ in 0..50 {
            ratings.rate(&games);
        }
        for (player, rating) in ratings.now() {
            assert!(
                rating.value.is_finite() && rating.deviation > 0.0,
                "{player}: {rating:?}"
            );
        }
    }
}
