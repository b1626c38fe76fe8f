use thiserror::Error;

use crate::board::Cell;
use crate::proof::{Certificate, Reply};

/// Why something is no certificate. Nodes are counted as they were given, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// The text is not the JSON of a certificate.
    #[error("{place}: {reason}")]
    Unreadable {
        /// Where, as `nodes[3].r`.
        place: String,
        /// What is wrong there.
        reason: String,
    },
    /// The text is longer than any certificate may be.
    #[error("the text has more than {0} octets")]
    TooLong(usize),
    /// There are no nodes.
    #[error("there are no nodes")]
    NoNodes,
    /// There are too many nodes.
    #[error("there are more than {} nodes", Certificate::MOST_NODES)]
    TooManyNodes,
    /// A line has too many stones.
    #[error(
        "a line through node {node} has more than {} stones of the attacker",
        Certificate::MOST_STONES
    )]
    TooDeep {
        /// The node that is too far from an end.
        node: usize,
    },
    /// A node names one that does not exist.
    #[error("node {node} names node {next}, which does not exist")]
    UnknownNode {
        /// The node.
        node: usize,
        /// What it names.
        next: usize,
    },
    /// A node follows from itself.
    #[error("node {node} follows from itself")]
    Circle {
        /// The node.
        node: usize,
    },
    /// A cell is not on the board.
    #[error("node {node}: {cell} is not on the board")]
    OffBoard {
        /// The node.
        node: usize,
        /// The cell.
        cell: Cell,
    },
    /// A reply is named twice.
    #[error("node {node} names the reply {reply} twice")]
    NamedTwice {
        /// The node.
        node: usize,
        /// The reply.
        reply: Reply,
    },
    /// A node has no stone of the attacker although it is the attacker's turn.
    #[error("node {node} has no stone of the attacker")]
    NoStone {
        /// The node.
        node: usize,
    },
    /// The root has a stone of the attacker although the defender begins.
    #[error("the root has a stone of the attacker, but it is the defender's turn")]
    NotTheAttackersTurn,
    /// The nodes are numbered otherwise than they have to be, or one of them is not needed.
    #[error("node {node} is not what the order of the nodes has there")]
    NotInOrder {
        /// The first node that differs.
        node: usize,
    },
}
