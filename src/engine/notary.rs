//! Certificates for what a search calls proven: what has none is proven no longer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::board::Cell;
use crate::engine::solve::checked;
use crate::engine::{
    Aim, Force, Limits, Line, Memory, Outcome, Solve, SolveOptions, Solved, Verdict,
};
use crate::proof::{Certificate, CertificateText, Node};
use crate::rules::{Position, Status};

/// The most positions that are looked at for the certificates of a search, and for one of them.
const ALL_NODES: u64 = 200_000;
const ONE_NODES: u64 = 50_000;
/// The memory for it, in MiB: wins by fours need little, and that of the search may be in use.
const MEMORY_MIB: usize = 2;

/// Finds certificates for the lines of one search: every win that a search proves is one by fours or a five that
/// cannot be stopped. Equal lines get equal certificates, whatever the clock says.
pub struct Notary<'a> {
    position: &'a Position,
    memory: Option<Memory>,
    nodes: u64,
    /// What was found, or that nothing was.
    known: Vec<(Cell, Verdict, Option<Arc<CertificateText>>)>,
}

impl<'a> Notary<'a> {
    /// For a search of a position.
    pub fn new(position: &'a Position) -> Notary<'a> {
        Notary {
            position,
            memory: None,
            nodes: 0,
            known: Vec::new(),
        }
    }

    /// Gives each line that is proven won or lost its certificate, and takes the word back where there is none.
    pub fn certify(&mut self, outcome: &mut Outcome, cancel: &AtomicBool) {
        for line in &mut outcome.lines {
            if matches!(line.verdict, Verdict::ProvenWin | Verdict::ProvenLoss) {
                line.certificate = self.certificate(line, cancel);
                if line.certificate.is_none() {
                    line.verdict = Verdict::Unknown;
                }
            }
        }
    }

    fn certificate(&mut self, line: &Line, cancel: &AtomicBool) -> Option<Arc<CertificateText>> {
        let (first, verdict) = (*line.moves.first()?, line.verdict);
        let is_it = |(cell, known, _): &&(Cell, Verdict, _)| (*cell, *known) == (first, verdict);
        if let Some((_, _, found)) = self.known.iter().find(is_it) {
            return found.clone();
        }
        let certificate = match verdict {
            Verdict::ProvenWin => self.win(first, cancel),
            _ => self.loss(first, cancel),
        };
        let found = certificate.map(|certificate| Arc::new(certificate.written()));
        self.known.push((first, verdict, found.clone()));
        found
    }

    /// A win of the side to move that begins with this stone.
    fn win(&mut self, first: Cell, cancel: &AtomicBool) -> Option<Certificate> {
        let mut after = self.position.clone();
        after.play(first).ok()?;
        if after.status() != Status::Ongoing {
            let five = Node {
                stone: Some(first),
                ..Node::default()
            };
            return self.checked(&[five]);
        }
        // The win that is found first often begins with the same stone.
        let position = self.position;
        let any = self.solve(position, Aim::Win, cancel);
        if let Some(win) = any.filter(|win| win.nodes()[0].stone == Some(first)) {
            return Some(win);
        }
        let rest = self.solve(&after, Aim::Loss, cancel)?;
        let mut nodes = rest.nodes().to_vec();
        nodes[0].stone = Some(first);
        self.checked(&nodes)
    }

    /// A win of the other side after this stone.
    fn loss(&mut self, first: Cell, cancel: &AtomicBool) -> Option<Certificate> {
        let mut after = self.position.clone();
        after.play(first).ok()?;
        self.solve(&after, Aim::Win, cancel)
    }

    fn solve(&mut self, position: &Position, aim: Aim, cancel: &AtomicBool) -> Option<Certificate> {
        let limits = Limits {
            nodes: Some(ONE_NODES.min(ALL_NODES.saturating_sub(self.nodes))),
            ..Limits::default()
        };
        let options = SolveOptions {
            force: Force::Fours,
            aim,
            shortest: false,
        };
        let memory = self
            .memory
            .get_or_insert_with(|| Memory::with_mebibytes(MEMORY_MIB));
        let solution = Solve::new(position, limits, options).run(memory, cancel);
        self.nodes += solution.nodes;
        match solution.solved {
            Solved::Win { certificate, .. } => Some(*certificate),
            Solved::NoWinInClass | Solved::Unknown(_) => None,
        }
    }

    /// The certificate of a win in the position, if it is one.
    fn checked(&self, nodes: &[Node]) -> Option<Certificate> {
        let won = checked(self.position, nodes, Solve::CHECK_POSITIONS);
        won.map(|(certificate, _)| certificate)
    }
}
