/// How good a position is for the side to move: points of the engine's own, or a win or a loss in so many
/// plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

/// The number of a win at once; a win so many plies away is so much less.
pub(super) const WIN: i32 = 30_000;
/// The most plies to a win or a loss that a score can tell.
const MOST_PLIES: i32 = 1_000;
/// Numbers from this on are wins, and the same below zero losses.
pub(super) const DECIDED: i32 = WIN - MOST_PLIES;

impl Score {
    /// Nobody is ahead.
    pub const ZERO: Score = Score(0);

    /// A number of points, held within what is no win and no loss.
    pub fn points(points: i32) -> Score {
        let most = DECIDED - 1;
        Score(points.clamp(-most, most))
    }

    /// The score of a number from −[`WIN`] to [`WIN`], which is how the search counts.
    pub(super) const fn of_number(number: i32) -> Score {
        Score(number)
    }

    /// The side to move wins with its stone at this ply from now (1: with the next stone).
    pub fn win_in(plies: u16) -> Score {
        Score(WIN - i32::from(plies).min(MOST_PLIES))
    }

    /// The other side wins with its stone at this ply from now.
    pub fn loss_in(plies: u16) -> Score {
        -Score::win_in(plies)
    }

    /// The bare number: larger is better; beyond ±29 000 a win or a loss.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// How many plies from now the winning stone is played, if this is a win or a loss.
    pub fn plies_to_end(self) -> Option<u16> {
        let plies = WIN - self.0.abs();
        (plies <= MOST_PLIES).then(|| u16::try_from(plies).unwrap_or_default())
    }

    /// The chance that the side to move wins, a draw counting half: a logistic fitted to the engine's own
    /// games (`docs/engine.md`). Wins and losses that are not proven stay off 0 and 1.
    pub fn win_probability(self) -> f64 {
        let scale = 190.0;
        (1.0 / (1.0 + (-f64::from(self.0) / scale).exp())).clamp(0.001, 0.999)
    }
}

impl std::ops::Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sooner_win_is_better_and_a_later_loss() {
        assert!(Score::win_in(1) > Score::win_in(3));
        assert!(Score::win_in(1_000) > Score::points(i32::MAX));
        assert!(Score::points(i32::MIN) > Score::loss_in(1_000));
        assert!(Score::loss_in(4) > Score::loss_in(2));
        assert_eq!(-Score::win_in(7), Score::loss_in(7));
    }

    #[test]
    fn wins_and_losses_tell_when_and_points_do_not() {
        for plies in [1, 2, 3, 100, 999, 1_000] {
            assert_eq!(Score::win_in(plies).plies_to_end(), Some(plies));
            assert_eq!(Score::loss_in(plies).plies_to_end(), Some(plies));
        }
        assert_eq!(Score::win_in(u16::MAX).plies_to_end(), Some(1_000));
        for points in [i32::MIN + 1, -5, 0, 5, i32::MAX] {
            assert_eq!(Score::points(points).plies_to_end(), None);
        }
    }

    #[test]
    fn chances_grow_with_the_score_and_are_even_at_zero() {
        let scores = [
            Score::loss_in(2),
            Score::points(-300),
            Score::ZERO,
            Score::points(300),
            Score::win_in(1),
        ];
        let chances = scores.map(Score::win_probability);
        assert!(chances.is_sorted_by(|one, next| one < next), "{chances:?}");
        assert!((chances[2] - 0.5).abs() < 1e-9);
        assert!((chances[1] + chances[3] - 1.0).abs() < 1e-9);
        assert!(chances[0] > 0.0 && chances[4] < 1.0);
    }
}
