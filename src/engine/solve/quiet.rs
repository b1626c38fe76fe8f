//! Wins whose first stone threatens no win by fours: the engine's search names it, and every reply is solved.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::board::Cell;
use crate::engine::solve::build::checked;
use crate::engine::solve::{Aim, Force, Solution, Solve, SolveOptions, Solved, Unsolved};
use crate::engine::{Limits, Memory, Options, Search};
use crate::proof::Node;
use crate::rules::{Position, Status};

/// What the parts of such a look have taken.
struct Spent {
    began: Instant,
    nodes: u64,
}

impl Solve<'_> {
    /// Looks for a win by threats with half of the limits; for a stone that wins as far as the engine's search sees with half of
    /// the rest; and with what is left for wins against all replies to it.
    pub(super) fn begin_quietly(&self, memory: &mut Memory, cancel: &AtomicBool) -> Solution {
        let mut spent = Spent {
            began: Instant::now(),
            nodes: 0,
        };
        let by_threats = self.part(self.position, Aim::Win, spent.half_of(self.limits));
        let solution = by_threats.run(memory, cancel);
        spent.nodes += solution.nodes;
        let is_settled = matches!(
            solution.solved,
            Solved::Win { .. } | Solved::Unknown(Unsolved::GameOver)
        );
        if is_settled || solution.solved.is_cancelled() {
            return spent.solution(solution.solved);
        }
        let Some(first) = self.winning_stone(&mut spent, memory, cancel) else {
            return spent.solution(solution.solved);
        };
        let won = self.win_with(first, &mut spent, memory, cancel);
        spent.solution(won.unwrap_or(solution.solved))
    }

    /// A look at a position for another aim, with threats from its first stone on.
    fn part<'p>(&self, position: &'p Position, aim: Aim, limits: Limits) -> Solve<'p> {
        let options = SolveOptions {
            force: Force::Threats,
            aim,
            ..self.options
        };
        Solve::new(position, limits, options)
    }

    /// The stone that wins as far as the engine's search sees.
    fn winning_stone(
        &self,
        spent: &mut Spent,
        memory: &mut Memory,
        cancel: &AtomicBool,
    ) -> Option<Cell> {
        memory.forget();
        let limits = spent.half_of(self.limits);
        let search = Search::new(self.position, limits, Options::default());
        let outcome = search.run(memory, cancel, &mut |_| {});
        spent.nodes += outcome.nodes;
        let best = outcome.lines.first()?;
        let is_won = best.score.number() > 0 && best.score.plies_to_end().is_some();
        best.moves.first().copied().filter(|_| is_won)
    }

    /// The win that begins with a stone, if there is one against every reply.
    fn win_with(
        &self,
        first: Cell,
        spent: &mut Spent,
        memory: &mut Memory,
        cancel: &AtomicBool,
    ) -> Option<Solved> {
        let board = self.position.board().clone();
        let rule = self.position.rule();
        let mut after = Position::from_board(rule, board, self.position.to_move()).ok()?;
        after.play(first).ok()?;
        let nodes = if after.status() == Status::Ongoing {
            let look = self.part(&after, Aim::Loss, spent.rest_of(self.limits));
            let solution = look.run(memory, cancel);
            spent.nodes += solution.nodes;
            let Solved::Win { certificate, .. } = solution.solved else {
                return None;
            };
            certificate.nodes().to_vec()
        } else {
            vec![Node::default()]
        };
        self.written(first, nodes)
    }

    /// The win of a tree whose root lacks its stone.
    fn written(&self, first: Cell, mut nodes: Vec<Node>) -> Option<Solved> {
        nodes.first_mut()?.stone = Some(first);
        let (certificate, verified) = checked(self.position, &nodes, Solve::CHECK_POSITIONS)?;
        Some(Solved::Win {
            certificate: Box::new(certificate),
            plies: verified.plies,
            is_shortest: false,
        })
    }
}

impl Spent {
    /// What is left of limits.
    fn rest_of(&self, limits: Limits) -> Limits {
        Limits {
            time: limits
                .time
                .map(|time| time.saturating_sub(self.began.elapsed())),
            nodes: limits.nodes.map(|nodes| nodes.saturating_sub(self.nodes)),
            depth: limits.depth,
        }
    }

    /// Half of what is left.
    fn half_of(&self, limits: Limits) -> Limits {
        let rest = self.rest_of(limits);
        Limits {
            time: rest.time.map(|time| time / 2),
            nodes: rest.nodes.map(|nodes| nodes / 2),
            depth: rest.depth,
        }
    }

    fn solution(&self, solved: Solved) -> Solution {
        let elapsed: Duration = self.began.elapsed();
        Solution {
            solved,
            nodes: self.nodes,
            search: elapsed,
            elapsed,
        }
    }
}
