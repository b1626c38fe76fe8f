use std::fmt;

use crate::board::{Board, Cell, Color};
use crate::proof::CertificateError;
use crate::proof::canonical::{Tree, canonical};
use crate::rules::{Position, Rule};

/// A forced win, written down: what the attacker plays and how each answer of the defender is met.
///
/// The nodes are numbered from the root, 0, and name only higher numbers; equal continuations are one node.
/// That numbering follows from the tree, so equal trees have equal texts and equal ids. A certificate is a
/// claim: [`crate::proof::verify`] tells whether it holds.
///
/// ```
/// use tengen::board::{Board, Color};
/// use tengen::proof::{Certificate, MOST_POSITIONS, Node, Reply, Root, verify};
/// use tengen::rules::Rule;
///
/// let board: Board = ".......\n.......\n.xxx...\n.......\n.......\n.o.o...\n.......".parse()?;
/// let root = Root { rule: Rule::Freestyle, board, to_move: Color::Black, attacker: Color::Black };
/// let five = |cell: &str| Node { stone: cell.parse().ok(), replies: vec![], otherwise: None };
/// let four = Node {
///     stone: "e5".parse().ok(),
///     replies: vec![(Reply::Stone("a5".parse()?), 1)],
///     otherwise: Some(2),
/// };
/// let certificate = Certificate::new(root, &[four, five("f5"), five("a5")])?;
/// assert_eq!(verify(&certificate, MOST_POSITIONS).map(|verified| verified.plies), Ok(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    root: Root,
    nodes: Vec<Node>,
    stones: Vec<usize>,
}

/// The position that is won, without history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The rule.
    pub rule: Rule,
    /// The stones.
    pub board: Board,
    /// Whose turn it is.
    pub to_move: Color,
    /// Who wins.
    pub attacker: Color,
}

impl Root {
    /// A position that one side wins, without the game before it.
    pub fn of(position: &Position, attacker: Color) -> Root {
        Root {
            rule: position.rule(),
            board: position.board().clone(),
            to_move: position.to_move(),
            attacker,
        }
    }
}

/// A stone of the attacker and what follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// The attacker's stone; absent only at the root of a win in which the defender begins.
    pub stone: Option<Cell>,
    /// The replies of the defender that have a continuation of their own, in order.
    pub replies: Vec<(Reply, usize)>,
    /// The continuation after every other legal reply.
    pub otherwise: Option<usize>,
}

/// What the defender can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reply {
    /// A stone on a cell.
    Stone(Cell),
    /// No stone, where the rule allows that.
    Pass,
}

/// What a stone of the attacker threatens, told by how soon it wins when no named reply meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threat {
    /// It has won.
    Five,
    /// One more stone wins.
    Four,
    /// Two more stones do.
    Three,
    /// More than two are needed.
    Quiet,
}

impl Threat {
    /// `five`, `four`, `three` or `quiet`.
    pub const fn name(self) -> &'static str {
        match self {
            Threat::Five => "five",
            Threat::Four => "four",
            Threat::Three => "three",
            Threat::Quiet => "quiet",
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Stone(cell) => cell.fmt(f),
            Reply::Pass => f.pad(Reply::PASS),
        }
    }
}

impl Reply {
    pub(super) const PASS: &'static str = "pass";
}

impl Certificate {
    /// The most nodes of a certificate.
    pub const MOST_NODES: usize = 200_000;
    /// The most stones of the attacker in a line.
    pub const MOST_STONES: usize = 320;

    /// The certificate of a tree whose root is the first node. Nodes may come in any order and more than once;
    /// those that nothing leads to are left out.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] names the node that cannot be.
    pub fn new(root: Root, nodes: &[Node]) -> Result<Certificate, CertificateError> {
        let Tree { nodes, stones } = canonical(&root, nodes)?;
        Ok(Certificate {
            root,
            nodes,
            stones,
        })
    }

    /// The position that is won.
    pub const fn root(&self) -> &Root {
        &self.root
    }

    /// The nodes; what they name lies behind them.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The plies of the longest line.
    pub fn plies(&self) -> usize {
        let begins = usize::from(self.root.to_move == self.root.attacker);
        2 * self.stones[0] - begins
    }

    /// What the stone of a node threatens.
    ///
    /// # Panics
    ///
    /// When there is no node of that number.
    pub fn threat(&self, number: usize) -> Threat {
        let node = &self.nodes[number];
        let nexts = node.replies.iter().map(|(_, next)| *next);
        let soonest = || nexts.map(|next| self.stones[next]).min();
        let stones = node.otherwise.map(|next| self.stones[next]);
        match stones.or_else(soonest) {
            None => Threat::Five,
            Some(1) => Threat::Four,
            Some(2) => Threat::Three,
            Some(_) => Threat::Quiet,
        }
    }
}
