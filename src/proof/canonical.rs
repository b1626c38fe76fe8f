use std::collections::HashMap;

use crate::board::Cell;
use crate::proof::{Certificate, CertificateError, Node, Reply, Root};

/// Nodes in their one order, with the most stones of the attacker from each of them on.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) stones: Vec<usize>,
}

/// Merges equal nodes and numbers them: what follows after anything else comes before what follows after
/// named replies, all of it before the node itself, and then the numbers are turned round.
pub(super) fn canonical(root: &Root, nodes: &[Node]) -> Result<Tree, CertificateError> {
    let first = nodes.first().ok_or(CertificateError::NoNodes)?;
    if nodes.len() > Certificate::MOST_NODES {
        return Err(CertificateError::TooManyNodes);
    }
    let attacker_begins = root.to_move == root.attacker;
    if first.stone.is_some() && !attacker_begins {
        return Err(CertificateError::NotTheAttackersTurn);
    }
    let mut numbering = Numbering {
        root,
        given: nodes,
        seen: vec![Seen::No; nodes.len()],
        tree: Tree {
            nodes: Vec::with_capacity(nodes.len()),
            stones: Vec::with_capacity(nodes.len()),
        },
        numbers: HashMap::with_capacity(nodes.len()),
        may_lack_stone: !attacker_begins,
    };
    numbering.number(0, 1)?;
    let mut tree = numbering.tree;
    let last = tree.nodes.len() - 1;
    for node in &mut tree.nodes {
        for (_, next) in &mut node.replies {
            *next = last - *next;
        }
        node.otherwise = node.otherwise.map(|next| last - next);
    }
    tree.nodes.reverse();
    tree.stones.reverse();
    Ok(tree)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    /// Its continuations are being numbered.
    Open,
    As(usize),
}

struct Numbering<'a> {
    root: &'a Root,
    given: &'a [Node],
    seen: Vec<Seen>,
    tree: Tree,
    numbers: HashMap<Node, usize>,
    /// Is the next node the root of a win in which the defender begins?
    may_lack_stone: bool,
}

impl Numbering<'_> {
    fn number(&mut self, given: usize, depth: usize) -> Result<usize, CertificateError> {
        match self.seen[given] {
            Seen::As(number) => return Ok(number),
            Seen::Open => return Err(CertificateError::Circle { node: given }),
            Seen::No => self.seen[given] = Seen::Open,
        }
        let node = &self.given[given];
        self.check(given, node)?;
        // Before the recursion goes on: a text may hold a chain as long as it likes.
        if depth > Certificate::MOST_STONES + 1 {
            return Err(CertificateError::TooDeep { node: given });
        }
        let mut stones = 0;
        let mut next = |numbering: &mut Self, next: usize| {
            if next >= numbering.given.len() {
                return Err(CertificateError::UnknownNode { node: given, next });
            }
            let number = numbering.number(next, depth + 1)?;
            stones = stones.max(numbering.tree.stones[number]);
            Ok(number)
        };
        let otherwise = match node.otherwise {
            Some(other) => Some(next(self, other)?),
            None => None,
        };
        let mut sorted = node.replies.clone();
        sorted.sort_by_key(|(reply, _)| *reply);
        let mut replies = Vec::with_capacity(sorted.len());
        for (reply, after) in sorted {
            let number = next(self, after)?;
            // What is met as anything else is met needs no name.
            if Some(number) != otherwise {
                replies.push((reply, number));
            }
        }
        stones += usize::from(node.stone.is_some());
        if stones > Certificate::MOST_STONES {
            return Err(CertificateError::TooDeep { node: given });
        }
        let node = Node {
            stone: node.stone,
            replies,
            otherwise,
        };
        let number = self.add(node, stones);
        self.seen[given] = Seen::As(number);
        Ok(number)
    }

    /// What can be seen of a node alone.
    fn check(&mut self, given: usize, node: &Node) -> Result<(), CertificateError> {
        if node.stone.is_none() && !std::mem::take(&mut self.may_lack_stone) {
            return Err(CertificateError::NoStone { node: given });
        }
        self.may_lack_stone = false;
        let size = self.root.board.size();
        let cells = node.replies.iter().filter_map(|(reply, _)| match reply {
            Reply::Stone(cell) => Some(*cell),
            Reply::Pass => None,
        });
        let mut all = node.stone.into_iter().chain(cells);
        if let Some(cell) = all.find(|cell: &Cell| !size.contains(*cell)) {
            return Err(CertificateError::OffBoard { node: given, cell });
        }
        let mut replies: Vec<Reply> = node.replies.iter().map(|(reply, _)| *reply).collect();
        replies.sort_unstable();
        match replies.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(CertificateError::NamedTwice {
                node: given,
                reply: pair[0],
            }),
            None => Ok(()),
        }
    }

    fn add(&mut self, node: Node, stones: usize) -> usize {
        if let Some(number) = self.numbers.get(&node) {
            return *number;
        }
        let number = self.tree.nodes.len();
        self.numbers.insert(node.clone(), number);
        self.tree.nodes.push(node);
        self.tree.stones.push(stones);
        number
    }
}
