//! What the side to move can do about a threat.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::engine::solve::loss::{Replies, Won, replies};
use crate::engine::solve::{Aim, Solve, Solved, Unsolved};
use crate::engine::{Memory, StopReason};
use crate::proof::{Certificate, Reply};
use crate::rules::Position;

/// What the other side threatens, and what each legal ply of the side to move leaves of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defences {
    /// What the other side would win with if the turn were its own.
    pub threat: Solved,
    /// Each legal ply: the other side wins all the same, or has no win of the class any more. None where there
    /// is no threat.
    pub replies: Vec<(Reply, Solved)>,
    /// How many positions were looked at.
    pub nodes: u64,
    /// How long all of it took.
    pub elapsed: Duration,
}

impl Defences {
    /// Has the caller cancelled it?
    pub fn is_cancelled(&self) -> bool {
        let mut all = self.replies.iter().map(|(_, solved)| solved);
        self.threat.is_cancelled() || all.any(Solved::is_cancelled)
    }

    /// Has the clock had a part in it?
    pub fn is_cut_by_time(&self) -> bool {
        let by_time = Solved::Unknown(Unsolved::Stopped(StopReason::Time));
        let mut all = self.replies.iter().map(|(_, solved)| solved);
        self.threat == by_time || all.any(|solved| *solved == by_time)
    }
}

impl Solve<'_> {
    /// Looks for what the other side threatens, and at every legal ply of the side to move whether that is enough
    /// against it. The limits are those of all looks together; the aim of the options does not matter.
    pub fn defences(&self, memory: &mut Memory, cancel: &AtomicBool) -> Defences {
        let mut looks = Replies::of(self, memory, cancel);
        let (threat, replies) = match looks.root() {
            Ok(root) => answers(&mut looks, &root),
            Err(solved) => (solved, Vec::new()),
        };
        Defences {
            threat,
            replies,
            nodes: looks.nodes,
            elapsed: looks.elapsed(),
        }
    }
}

fn answers(looks: &mut Replies<'_, '_>, root: &Position) -> (Solved, Vec<(Reply, Solved)>) {
    let threat = match looks.threat(root) {
        Ok(threat) => threat,
        Err(solved) => return (solved, Vec::new()),
    };
    // There can be as many wins as cells, so all together are no larger than one may be.
    let mut room = Certificate::MOST_NODES;
    let mut all: Vec<(Reply, Solved)> = replies(root, &threat.certificate)
        .into_iter()
        .map(|(reply, after)| (reply, answer(looks, &threat, &after, &mut room)))
        .collect();
    all.sort_by_key(|(reply, _)| *reply);
    (threat.into(), all)
}

/// What a reply comes to. A win for which there is no room is not told.
fn answer(looks: &mut Replies<'_, '_>, threat: &Won, after: &Position, room: &mut usize) -> Solved {
    let won = match looks.met(threat, after) {
        Ok(Some(won)) => Ok(won),
        Ok(None) => looks.look(after, Aim::Win),
        Err(solved) => Err(solved),
    };
    match won {
        Ok(won) if won.certificate.nodes().len() > *room => Solved::Unknown(Unsolved::TooLarge),
        Ok(won) => {
            *room -= won.certificate.nodes().len();
            won.into()
        }
        Err(solved) => solved,
    }
}
