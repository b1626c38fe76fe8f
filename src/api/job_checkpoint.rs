//! How far a review is, kept so that another worker can go on from there: what was found in each position.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::board::Cell;
use crate::engine::{Line, Outcome, Score, StopReason, Verdict};
use crate::proof::{CertificateId, CertificateText};

/// What a search has found, as it is kept.
#[derive(Deserialize, Serialize)]
pub struct KeptOutcome {
    lines: Vec<KeptLine>,
    depth: u8,
    nodes: u64,
    elapsed_us: u64,
    stop: String,
}

#[derive(Deserialize, Serialize)]
struct KeptLine {
    moves: Vec<String>,
    score: i32,
    verdict: String,
    /// The name of what proves it.
    certificate: Option<String>,
}

/// Certificates by their names.
pub type Certificates = BTreeMap<CertificateId, Arc<CertificateText>>;

impl KeptOutcome {
    /// What is kept of an outcome.
    pub fn of(outcome: &Outcome) -> KeptOutcome {
        let line = |line: &Line| KeptLine {
            moves: line.moves.iter().map(Cell::to_string).collect(),
            score: line.score.number(),
            verdict: line.verdict.name().into(),
            certificate: line.certificate.as_ref().map(|text| text.id().to_string()),
        };
        KeptOutcome {
            lines: outcome.lines.iter().map(line).collect(),
            depth: outcome.depth,
            nodes: outcome.nodes,
            elapsed_us: u64::try_from(outcome.elapsed.as_micros()).unwrap_or(u64::MAX),
            stop: outcome.stop.name().into(),
        }
    }

    /// The names of the certificates in it.
    pub fn certificates(&self) -> impl Iterator<Item = CertificateId> {
        let names = self
            .lines
            .iter()
            .filter_map(|line| line.certificate.as_deref());
        names.filter_map(|name| name.parse().ok())
    }

    /// The outcome, with its certificates; none if what was kept makes no sense.
    pub fn outcome(&self, certificates: &Certificates) -> Option<Outcome> {
        let mut reasons = StopReason::ALL.into_iter();
        let lines = self.lines.iter().map(|line| line.line(certificates));
        Some(Outcome {
            lines: lines.collect::<Option<_>>()?,
            depth: self.depth,
            nodes: self.nodes,
            elapsed: Duration::from_micros(self.elapsed_us),
            stop: reasons.find(|reason| reason.name() == self.stop)?,
        })
    }
}

impl KeptLine {
    fn line(&self, certificates: &Certificates) -> Option<Line> {
        let certificate = match &self.certificate {
            Some(name) => Some(certificates.get(&name.parse().ok()?)?.clone()),
            None => None,
        };
        let moves = self.moves.iter().map(|cell| cell.parse().ok());
        let mut verdicts = Verdict::ALL.into_iter();
        Some(Line {
            moves: moves.collect::<Option<_>>()?,
            score: score_of(self.score),
            verdict: verdicts.find(|verdict| verdict.name() == self.verdict)?,
            certificate,
        })
    }
}

fn score_of(number: i32) -> Score {
    // The plies to a win are what its number lacks to that of a win at once.
    let won_at_once = Score::win_in(0).number();
    let decided = |points: i32| u16::try_from(won_at_once - points).ok();
    let win = |plies: u16| Score::win_in(plies).number() == number.abs();
    match decided(number.abs()).filter(|plies| win(*plies)) {
        Some(plies) if number > 0 => Score::win_in(plies),
        Some(plies) => Score::loss_in(plies),
        None => Score::points(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::proof::{Certificate, Node, Root};
    use crate::rules::Rule;

    fn certificate() -> Arc<CertificateText> {
        let root = Root {
            rule: Rule::Freestyle,
            board: ".....\n.....\n.....\noooo.\nxxxx.".parse().unwrap(),
            to_move: Color::Black,
            attacker: Color::Black,
        };
        let five = Node {
            stone: "e1".parse().ok(),
            ..Node::default()
        };
        Arc::new(Certificate::new(root, &[five]).unwrap().written())
    }

    #[test]
    fn an_outcome_is_read_as_it_was_kept() {
        let scores = [
            Score::ZERO,
            Score::points(-357),
            Score::points(i32::MAX),
            Score::win_in(1),
            Score::win_in(1_000),
            Score::loss_in(0),
            Score::loss_in(12),
        ];
        let lines = scores.into_iter().zip(Verdict::ALL.into_iter().cycle());
        let certificate = certificate();
        let certificates = Certificates::from([(certificate.id(), certificate.clone())]);
        for stop in StopReason::ALL {
            let outcome = Outcome {
                lines: lines
                    .clone()
                    .map(|(score, verdict)| Line {
                        moves: vec!["h8".parse().unwrap(), "a15".parse().unwrap()],
                        score,
                        verdict,
                        certificate: (verdict == Verdict::ProvenWin).then(|| certificate.clone()),
                    })
                    .collect(),
                depth: 7,
                nodes: 1 << 40,
                elapsed: Duration::from_micros(1_234_567),
                stop,
            };
            let text = serde_json::to_string(&KeptOutcome::of(&outcome)).unwrap();
            let kept: KeptOutcome = serde_json::from_str(&text).unwrap();
            assert_eq!(kept.outcome(&certificates), Some(outcome));
            assert!(kept.certificates().all(|id| id == certificate.id()));
            assert!(kept.outcome(&Certificates::new()).is_none());
        }
    }
}
