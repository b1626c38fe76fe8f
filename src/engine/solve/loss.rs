//! Losses of the side to move: whatever it plays, the other side wins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::board::Color;
use crate::engine::solve::build::checked;
use crate::engine::solve::{Aim, Solution, Solve, SolveOptions, Solved, Unsolved};
use crate::engine::{Limits, Memory, StopReason};
use crate::proof::{Certificate, Node, Reply, Root, verify};
use crate::rules::{Position, Rule, Status};

/// The most positions that are looked at to see whether the threat wins against a reply.
const REPLY_POSITIONS: u64 = 1_000_000;

/// The replies of the side to move, and looks for wins against them within the limits of one. Most replies are met by
/// what the other side threatens; each of the others is solved by itself.
pub(super) struct Replies<'s, 'p> {
    solve: &'s Solve<'p>,
    memory: &'s mut Memory,
    cancel: &'s AtomicBool,
    began: Instant,
    pub(super) nodes: u64,
}

/// What the attacker wins with, or why there is no win.
type Looked = Result<Won, Solved>;

/// A win of the attacker.
pub(super) struct Won {
    pub(super) certificate: Box<Certificate>,
    pub(super) plies: usize,
    pub(super) is_shortest: bool,
}

impl<'s, 'p> Replies<'s, 'p> {
    pub(super) fn of(
        solve: &'s Solve<'p>,
        memory: &'s mut Memory,
        cancel: &'s AtomicBool,
    ) -> Replies<'s, 'p> {
        Replies {
            solve,
            memory,
            cancel,
            began: Instant::now(),
            nodes: 0,
        }
    }

    pub(super) fn prove_loss(mut self) -> Solution {
        let solved = match self.loss() {
            Ok(won) => won.into(),
            Err(solved) => solved,
        };
        Solution {
            solved,
            nodes: self.nodes,
            search: self.elapsed(),
            elapsed: self.elapsed(),
        }
    }

    fn loss(&mut self) -> Looked {
        let root = self.root()?;
        let threat = match self.threat(&root) {
            Err(Solved::NoWinInClass) => return Err(self.without_threat(&root)),
            looked => looked?,
        };
        let mut tree = Tree::of(&threat.certificate);
        let mut is_shortest = threat.is_shortest;
        for (reply, after) in replies(&root, &threat.certificate) {
            if self.met(&threat, &after)?.is_some() {
                tree.needs_threat = true;
            } else {
                let won = self.look(&after, Aim::Win)?;
                is_shortest &= won.is_shortest;
                tree.add(reply, &won.certificate);
                if tree.nodes.len() > Certificate::MOST_NODES {
                    return Err(Solved::Unknown(Unsolved::TooLarge));
                }
            }
        }
        self.finish(&root, tree, is_shortest)
    }

    /// The position as a certificate's root: without history.
    pub(super) fn root(&self) -> Result<Position, Solved> {
        let given = self.solve.position;
        let board = given.board().clone();
        Position::from_board(given.rule(), board, given.to_move())
            .ok()
            .filter(|root| given.status() == Status::Ongoing && root.status() == Status::Ongoing)
            .ok_or(Solved::Unknown(Unsolved::GameOver))
    }

    /// What the attacker would win with if it were his turn.
    pub(super) fn threat(&mut self, root: &Position) -> Looked {
        self.look(root, Aim::Threat)
    }

    /// The win of the threat against a reply, if it meets it.
    pub(super) fn met(&self, threat: &Won, after: &Position) -> Result<Option<Won>, Solved> {
        self.check_limits()?;
        if after.status() != Status::Ongoing {
            // The defender wins or draws.
            return Err(Solved::NoWinInClass);
        }
        let won = checked(after, threat.certificate.nodes(), REPLY_POSITIONS);
        Ok(won.map(|(certificate, verified)| Won {
            certificate: Box::new(certificate),
            plies: verified.plies,
            is_shortest: false,
        }))
    }

    /// Where nothing is threatened one reply is enough to show that there is no win.
    fn without_threat(&mut self, root: &Position) -> Solved {
        let first = root.legal_cells().next();
        let after = first.and_then(|cell| after(root, Reply::Stone(cell)));
        let Some(after) = after else {
            return Solved::Unknown(Unsolved::Exhausted);
        };
        if after.status() != Status::Ongoing {
            return Solved::NoWinInClass;
        }
        match self.look(&after, Aim::Win) {
            Ok(_) => Solved::Unknown(Unsolved::Exhausted),
            Err(solved) => solved,
        }
    }

    /// A win in a position, with what is left of the limits.
    pub(super) fn look(&mut self, position: &Position, aim: Aim) -> Looked {
        self.check_limits()?;
        let limits = self.solve.limits;
        let limits = Limits {
            time: limits.time.map(|time| self.left(time)),
            nodes: limits.nodes.map(|nodes| nodes.saturating_sub(self.nodes)),
            depth: limits.depth,
        };
        let options = SolveOptions {
            aim,
            ..self.solve.options
        };
        let solution = Solve::new(position, limits, options).run(self.memory, self.cancel);
        self.nodes += solution.nodes;
        match solution.solved {
            Solved::Win {
                certificate,
                plies,
                is_shortest,
            } => Ok(Won {
                certificate,
                plies,
                is_shortest,
            }),
            other => Err(other),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn left(&self, time: Duration) -> Duration {
        time.saturating_sub(self.elapsed())
    }

    /// The end, where a limit is reached: checks of certificates take time and look at no clock.
    fn check_limits(&self) -> Result<(), Solved> {
        let limits = self.solve.limits;
        let reason = if self.cancel.load(Ordering::Relaxed) {
            StopReason::Cancelled
        } else if limits.time.is_some_and(|time| self.left(time).is_zero()) {
            StopReason::Time
        } else if limits.nodes.is_some_and(|nodes| self.nodes >= nodes) {
            StopReason::Nodes
        } else {
            return Ok(());
        };
        Err(Solved::Unknown(Unsolved::Stopped(reason)))
    }

    fn finish(&self, root: &Position, tree: Tree, is_shortest: bool) -> Looked {
        let too_large = Solved::Unknown(Unsolved::TooLarge);
        let certificate = tree.certificate(root).ok_or(too_large.clone())?;
        let verified = verify(&certificate, Solve::CHECK_POSITIONS).map_err(|_| too_large)?;
        // In renju a stone of White's can make a cell free for Black, so a reply can make a win shorter.
        let is_monotone = root.rule() != Rule::Renju || root.to_move() == Color::Black;
        Ok(Won {
            certificate: Box::new(certificate),
            plies: verified.plies,
            is_shortest: is_shortest && is_monotone,
        })
    }
}

impl From<Won> for Solved {
    fn from(won: Won) -> Solved {
        Solved::Win {
            certificate: won.certificate,
            plies: won.plies,
            is_shortest: won.is_shortest,
        }
    }
}

/// The legal replies with what they lead to, those first that the threat has to do with.
pub(super) fn replies(root: &Position, threat: &Certificate) -> Vec<(Reply, Position)> {
    let cells = root.legal_cells().map(Reply::Stone);
    let mut replies: Vec<(Reply, Position)> = cells
        .chain([Reply::Pass])
        .filter_map(|reply| Some((reply, after(root, reply)?)))
        .collect();
    let is_in_threat = |reply: Reply| {
        threat.nodes().iter().any(|node| {
            node.stone.map(Reply::Stone) == Some(reply)
                || node.replies.iter().any(|(named, _)| *named == reply)
        })
    };
    replies.sort_by_cached_key(|(reply, after)| {
        (after.status() == Status::Ongoing, !is_in_threat(*reply))
    });
    replies
}

/// The position after a reply, if it is legal.
fn after(position: &Position, reply: Reply) -> Option<Position> {
    let mut after = position.clone();
    match reply {
        Reply::Stone(cell) => after.play(cell).ok()?,
        Reply::Pass => {
            let stones = position.board().stones();
            // As the verifier counts: the stones there are, and this ply.
            let ply = usize::from(stones.black) + usize::from(stones.white) + 1;
            after.pass(ply).ok()?;
        }
    }
    Some(after)
}

/// The tree of a loss while it grows: the root, the threat behind it, then the answers to single replies.
struct Tree {
    nodes: Vec<Node>,
    /// Is there a reply that the threat meets?
    needs_threat: bool,
}

impl Tree {
    /// The number of the threat's first node.
    const THREAT: usize = 1;

    fn of(threat: &Certificate) -> Tree {
        let mut tree = Tree {
            nodes: vec![Node::default()],
            needs_threat: false,
        };
        tree.append(threat);
        tree
    }

    fn add(&mut self, reply: Reply, win: &Certificate) {
        let first = self.append(win);
        self.nodes[0].replies.push((reply, first));
    }

    /// Adds the nodes of a win; gives the number of its first.
    fn append(&mut self, win: &Certificate) -> usize {
        let shift = self.nodes.len();
        let shifted = |node: &Node| {
            let replies = node.replies.iter();
            Node {
                stone: node.stone,
                replies: replies
                    .map(|(reply, next)| (*reply, next + shift))
                    .collect(),
                otherwise: node.otherwise.map(|next| next + shift),
            }
        };
        self.nodes.extend(win.nodes().iter().map(shifted));
        shift
    }

    fn certificate(mut self, root: &Position) -> Option<Certificate> {
        self.nodes[0].otherwise = self.needs_threat.then_some(Tree::THREAT);
        Certificate::new(Root::of(root, !root.to_move()), &self.nodes).ok()
    }
}
