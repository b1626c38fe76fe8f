use thiserror::Error;

use crate::board::Cell;
use crate::proof::Reply;
use crate::rules::{IllegalPosition, PlayError};

/// What the check of a certificate that holds has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The plies of the longest line that was played.
    pub plies: usize,
    /// The nodes of the certificate.
    pub nodes: usize,
    /// The positions that were looked at.
    pub positions: u64,
}

/// Where a certificate fails first.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("node {node}, ply {ply}: {reason}")]
pub struct Refuted {
    /// The node at which the attacker stands.
    pub node: usize,
    /// The plies played from the root, the one at fault counted.
    pub ply: usize,
    /// These plies as far as they could be played.
    pub line: Vec<Reply>,
    /// What is wrong.
    pub reason: Reason,
}

/// Why a certificate is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The root is no position.
    #[error("the root: {0}")]
    IllegalRoot(IllegalPosition),
    /// The game is over at the root.
    #[error("the game has ended at the root")]
    EndedRoot,
    /// The attacker's stone cannot be played.
    #[error("the attacker's stone {0}: {1}")]
    IllegalStone(Cell, PlayError),
    /// The stone ends the line and does not win.
    #[error("{0} does not win, and nothing follows")]
    NoWin(Cell),
    /// A legal reply has no continuation.
    #[error("{0} is not answered")]
    Unanswered(Reply),
    /// A reply wins for the defender.
    #[error("{0} wins for the defender")]
    DefenderWins(Reply),
    /// The game is drawn by the last ply of the line.
    #[error("the game is drawn")]
    Drawn,
    /// The defender has no legal reply and has not lost.
    #[error("the defender has no legal reply")]
    NoReply,
    /// A named reply is legal in no line.
    #[error("the reply {0} can never be played")]
    IdleReply(Reply),
    /// A node comes up in no line.
    #[error("the node comes up in no line")]
    IdleNode,
    /// The check would take too long.
    #[error("the check takes more than {0} positions")]
    TooLong(u64),
}

impl Reason {
    /// One of each kind, for who lists their names.
    pub const ALL: [Reason; 11] = {
        let Some(cell) = Cell::new(0, 0) else {
            panic!("every board has this cell")
        };
        let reply = Reply::Pass;
        [
            Reason::IllegalRoot(IllegalPosition::TwoWinners),
            Reason::EndedRoot,
            Reason::IllegalStone(cell, PlayError::Occupied),
            Reason::NoWin(cell),
            Reason::Unanswered(reply),
            Reason::DefenderWins(reply),
            Reason::Drawn,
            Reason::NoReply,
            Reason::IdleReply(reply),
            Reason::IdleNode,
            Reason::TooLong(0),
        ]
    };

    /// The name in snake case, as `defender_wins`.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::IllegalRoot(_) => "illegal_root",
            Reason::EndedRoot => "ended_root",
            Reason::IllegalStone(..) => "illegal_stone",
            Reason::NoWin(_) => "no_win",
            Reason::Unanswered(_) => "unanswered",
            Reason::DefenderWins(_) => "defender_wins",
            Reason::Drawn => "drawn",
            Reason::NoReply => "no_reply",
            Reason::IdleReply(_) => "idle_reply",
            Reason::IdleNode => "idle_node",
            Reason::TooLong(_) => "too_long",
        }
    }
}
