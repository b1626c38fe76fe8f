use crate::board::Color;
use crate::engine::{Line, Score, Verdict};
use crate::proof::CertificateId;
use crate::rules::Status;

/// What a position is worth to one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// The engine's points, or a win or a loss in so many plies.
    pub score: Score,
    /// What is proven.
    pub verdict: Verdict,
    /// The certificate of a win or a loss that is proven; none at the end of the game, where the rules say it.
    pub certificate: Option<CertificateId>,
}

impl Worth {
    /// What a line is worth to the side that plays its first move.
    pub fn of(line: &Line) -> Worth {
        Worth {
            score: line.score,
            verdict: line.verdict,
            certificate: line.certificate.as_ref().map(|text| text.id()),
        }
    }

    /// What the end of a game is worth to a side; nothing while the game goes on.
    pub fn of_end(status: Status, side: Color) -> Option<Worth> {
        let (score, verdict) = match status {
            Status::Ongoing => return None,
            Status::Won { winner, .. } if winner == side => (Score::win_in(0), Verdict::ProvenWin),
            Status::Won { .. } => (Score::loss_in(0), Verdict::ProvenLoss),
            Status::Drawn { .. } => (Score::ZERO, Verdict::ProvenDraw),
        };
        Some(Worth {
            score,
            verdict,
            certificate: None,
        })
    }

    /// What is said where nothing is known: nobody is ahead.
    pub const fn unknown() -> Worth {
        Worth {
            score: Score::ZERO,
            verdict: Verdict::Unknown,
            certificate: None,
        }
    }

    /// The same through the eyes of the other side.
    #[must_use]
    pub fn reversed(self) -> Worth {
        Worth {
            score: -self.score,
            verdict: match self.verdict {
                Verdict::ProvenWin => Verdict::ProvenLoss,
                Verdict::ProvenLoss => Verdict::ProvenWin,
                Verdict::ProvenDraw | Verdict::Unknown => self.verdict,
            },
            certificate: self.certificate,
        }
    }

    /// The chance to win, a draw counting half; exactly 0 or 1 only when that is proven.
    pub fn win_probability(self) -> f64 {
        match self.verdict {
            Verdict::ProvenWin => 1.0,
            Verdict::ProvenLoss => 0.0,
            Verdict::ProvenDraw => 0.5,
            Verdict::Unknown => self.score.win_probability(),
        }
    }

    /// Does the side win, as far as the search sees? It need not be proven.
    pub fn is_won(self) -> bool {
        self.score > Score::ZERO && self.score.plies_to_end().is_some()
    }

    /// Does the side lose, as far as the search sees? It need not be proven.
    pub fn is_lost(self) -> bool {
        self.reversed().is_won()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{DrawReason, WinReason};

    #[test]
    fn an_end_is_worth_to_one_side_what_it_costs_the_other() {
        let won = Status::Won {
            winner: Color::Black,
            by: WinReason::Five,
        };
        let drawn = Status::Drawn {
            by: DrawReason::BoardFull,
        };
        for (status, black) in [(won, 1.0), (drawn, 0.5)] {
            let [own, other] = Color::ALL.map(|side| Worth::of_end(status, side).unwrap());
            assert_eq!(
                own.win_probability().total_cmp(&black),
                std::cmp::Ordering::Equal
            );
            assert_eq!(own.reversed(), other);
        }
        assert_eq!(Worth::of_end(Status::Ongoing, Color::Black), None);
    }

    #[test]
    fn only_what_is_proven_is_certain() {
        let seen = Worth {
            score: Score::win_in(9),
            verdict: Verdict::Unknown,
            certificate: None,
        };
        assert!(seen.is_won() && !seen.is_lost() && seen.win_probability() < 1.0);
        assert!(seen.reversed().is_lost() && seen.reversed().win_probability() > 0.0);
        let points = Worth {
            score: Score::points(i32::MAX),
            verdict: Verdict::Unknown,
            certificate: None,
        };
        assert!(!points.is_won() && !Worth::unknown().is_lost());
    }
}
