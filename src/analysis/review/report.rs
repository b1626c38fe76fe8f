use std::cmp::Ordering;

use crate::analysis::review::accuracy::mean_accuracy;
use crate::analysis::review::summary::summary;
use crate::analysis::review::{JudgedPly, Judgement, Review};
use crate::board::{ByColor, Color};

/// What the plies of a game tell together.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How each side has played.
    pub players: ByColor<PlayerReport>,
    /// The numbers of the plies that have cost most, the dearest first; only mistakes and worse.
    pub turning_points: Vec<usize>,
    /// The game in a few sentences.
    pub summary: String,
}

/// How a side has played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerReport {
    /// How many plies it has played.
    pub plies: usize,
    /// The geometric mean of the accuracies of its moves that are judged, from 0 to 100; none where none is.
    pub accuracy: Option<f64>,
    /// How many of its moves were judged so, in the order of [`Judgement::ALL`].
    counts: [usize; Judgement::ALL.len()],
}

impl Report {
    /// The most turning points that are told.
    pub const TURNING_POINTS: usize = 5;

    pub(super) fn of(review: &Review) -> Report {
        let plies = review.judged();
        let of_side =
            |color: Color| PlayerReport::of(plies.iter().filter(|ply| ply.color == color));
        let players = ByColor {
            black: of_side(Color::Black),
            white: of_side(Color::White),
        };
        let turning_points = turning_points(plies);
        Report {
            summary: summary(review, &players, &turning_points),
            players,
            turning_points: turning_points.iter().map(|ply| ply.number).collect(),
        }
    }
}

impl PlayerReport {
    fn of<'a>(plies: impl Iterator<Item = &'a JudgedPly>) -> PlayerReport {
        let mut report = PlayerReport::default();
        let mut accuracies = Vec::new();
        for ply in plies {
            report.plies += 1;
            if let Some(judgement) = ply.judgement {
                report.counts[judgement as usize] += 1;
                accuracies.push(ply.accuracy);
            }
        }
        report.accuracy = mean_accuracy(accuracies.into_iter());
        report
    }

    /// How many of its moves were judged so.
    pub const fn count(&self, judgement: Judgement) -> usize {
        self.counts[judgement as usize]
    }
}

/// The plies that have cost most, the dearest first, of equals the first one.
fn turning_points(plies: &[JudgedPly]) -> Vec<&JudgedPly> {
    let is_dear = |ply: &&JudgedPly| ply.judgement >= Some(Judgement::Mistake);
    let mut dear: Vec<_> = plies.iter().filter(is_dear).collect();
    dear.sort_by(|one, other| other.loss.partial_cmp(&one.loss).unwrap_or(Ordering::Equal));
    dear.truncate(Report::TURNING_POINTS);
    dear
}
