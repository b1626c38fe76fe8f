use std::time::Duration;

/// The time the manager gives, and what is left of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// For each move; none means at once.
    turn: Option<Duration>,
    /// For each game.
    game: Option<Duration>,
    /// For the rest of this game.
    left: Option<Duration>,
}

/// How long the engine may take for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Budget {
    /// As little as it can.
    AtOnce,
    /// From the arrival of the command to the move.
    Within(Duration),
}

/// For a move when the manager has said nothing of time.
const UNTOLD: Duration = Duration::from_secs(1);
/// What a move takes beside the search: the way through two pipes and a scheduler with other things to do.
/// Measured: half a millisecond, and up to 14 where three times as many programs as cores wanted to run.
const MARGIN: Duration = Duration::from_millis(20);
/// Of a short turn the margin takes this part, so that something is left to search in.
const MARGIN_PART: u32 = 4;
/// A move takes at most this part of the time left: there will be others.
const SHARE: u32 = 20;
/// What is kept of the time for a game, so that clocks that differ do not lose it.
const RESERVE: Duration = Duration::from_millis(200);
/// Less than this is not worth a look at the clock.
const SHORTEST: Duration = Duration::from_millis(2);

impl Clock {
    pub(super) fn set_turn(&mut self, turn: Duration) {
        self.turn = Some(turn);
    }

    pub(super) fn set_game(&mut self, game: Option<Duration>) {
        // Some managers repeat it before each move; what has been spent stays spent.
        if self.game != game {
            self.game = game;
            self.left = game;
        }
    }

    pub(super) fn set_left(&mut self, left: Option<Duration>) {
        self.left = left;
    }

    /// Notes what a move has taken.
    pub(super) fn spend(&mut self, time: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(time));
    }

    /// Begins a new game.
    pub(super) fn restart(&mut self) {
        // A manager may tell what is left before it starts the game.
        self.left = self.game.or(self.left);
    }

    pub(super) fn budget(&self) -> Budget {
        let turn = self.turn.map(|turn| turn - MARGIN.min(turn / MARGIN_PART));
        let share = self.left.map(|left| left.saturating_sub(RESERVE) / SHARE);
        match turn.into_iter().chain(share).min() {
            None => Budget::Within(UNTOLD),
            Some(time) if time < SHORTEST => Budget::AtOnce,
            Some(time) => Budget::Within(time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn a_turn_keeps_a_margin_and_leaves_something() {
        for (turn, budget) in [
            (0, Budget::AtOnce),
            (1, Budget::AtOnce),
            (10, Budget::Within(Duration::from_micros(7_500))),
            (50, Budget::Within(Duration::from_micros(37_500))),
            (300, Budget::Within(ms(280))),
            (30_000, Budget::Within(ms(29_980))),
        ] {
            let mut clock = Clock::default();
            clock.set_turn(ms(turn));
            assert_eq!(clock.budget(), budget, "{turn} ms");
        }
    }

    #[test]
    fn a_game_is_never_spent_to_the_end() {
        let mut clock = Clock::default();
        clock.set_turn(ms(5_000));
        clock.set_game(Some(ms(60_000)));
        for _ in 0..200 {
            let Budget::Within(time) = clock.budget() else {
                break;
            };
            assert!(time <= ms(4_980));
            clock.spend(time);
        }
        assert_eq!(clock.budget(), Budget::AtOnce);
        assert!(clock.left > Some(ms(150)), "{:?}", clock.left);
    }

    #[test]
    fn what_the_manager_says_is_left_is_what_counts() {
        let mut clock = Clock::default();
        assert_eq!(clock.budget(), Budget::Within(UNTOLD));
        clock.set_game(Some(ms(100_000)));
        clock.set_left(Some(ms(2_200)));
        clock.set_game(Some(ms(100_000)));
        assert_eq!(clock.budget(), Budget::Within(ms(100)));
        clock.set_left(Some(Duration::ZERO));
        assert_eq!(clock.budget(), Budget::AtOnce);
        clock.restart();
        assert_eq!(clock.budget(), Budget::Within(ms(4_990)));
        clock.set_left(None);
        assert_eq!(clock.budget(), Budget::Within(UNTOLD));
    }
}
