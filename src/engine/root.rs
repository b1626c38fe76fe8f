use crate::board::Cell;
use crate::engine::cells::Place;
use crate::engine::clock::Clock;
use crate::engine::params::Params;
use crate::engine::pattern::Class;
use crate::engine::proof;
use crate::engine::score::{DECIDED, WIN};
use crate::engine::state::{Makes, State};
use crate::engine::tree::{Tree, Window};
use crate::engine::{Line, Memory, Options, Outcome, Score, StopReason, Verdict};
use crate::rules::{Position, Status};

/// The search at the root: deeper and deeper, for the best moves.
pub(super) struct Root<'a> {
    position: &'a Position,
    tree: Tree<'a>,
    /// The moves to choose from, the best so far in front.
    moves: Vec<RootMove>,
    /// How many of them are asked for.
    wanted: usize,
    /// The best moves of the last finished depth.
    finished: Vec<RootMove>,
    scores: Scores,
}

/// Which moves get a score of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// Those that are asked for; of the others it is only known that they are no better.
    OfTheBest,
    OfAll,
}

#[derive(Clone)]
struct RootMove {
    place: Place,
    score: i32,
    line: Vec<Place>,
    verdict: Verdict,
}

/// No search goes deeper.
const DEEPEST: u8 = 100;

impl<'a> Root<'a> {
    pub(super) fn new(
        position: &'a Position,
        options: &Options,
        memory: &'a Memory,
        clock: Clock<'a>,
        params: &'a Params,
    ) -> Root<'a> {
        let tree = Tree::new(State::new(position), memory, clock, params);
        let may_choose = |cell: &Cell| {
            (options.only.is_empty() || options.only.contains(cell))
                && !options.avoid.contains(cell)
        };
        let moves: Vec<RootMove> = position
            .legal_cells()
            .filter(may_choose)
            .map(|cell| RootMove::of(Place::of(cell)))
            .collect();
        let wanted = options.lines.clamp(1, moves.len().max(1));
        Root {
            position,
            tree,
            moves,
            wanted,
            finished: Vec::new(),
            scores: Scores::OfTheBest,
        }
    }

    pub(super) fn run(
        mut self,
        depth: Option<u8>,
        on_progress: &mut dyn FnMut(&Outcome),
    ) -> Outcome {
        if self.position.status() != Status::Ongoing || self.moves.is_empty() {
            return self.outcome(0, StopReason::Decided);
        }
        // The position itself is the first node; if there may be none, the search below stops at once.
        self.tree.clock.tick();
        self.prefer();
        if self.scores == Scores::OfTheBest && !self.is_proven() {
            self.prove();
        }
        self.finished = self.moves[..self.wanted].to_vec();
        let mut reached = 0;
        for depth in 1..=depth.unwrap_or(DEEPEST).min(DEEPEST) {
            if let Some(stop) = self.search_depth(i32::from(depth)) {
                self.keep_what_was_found();
                return self.outcome(reached, stop);
            }
            reached = depth;
            if self.is_decided(i32::from(depth)) {
                return self.outcome(reached, StopReason::Decided);
            }
            on_progress(&self.outcome(reached, StopReason::Depth));
        }
        self.outcome(reached, StopReason::Depth)
    }

    /// Searches deeper and deeper until the clock stops it, for what it leaves in the memory: helpers with
    /// odd numbers are a depth ahead of the others.
    pub(super) fn help(mut self, number: usize) {
        if self.position.status() != Status::Ongoing || self.moves.is_empty() {
            return;
        }
        self.prefer();
        let first = if number % 2 == 1 { 2 } else { 1 };
        for depth in first..=i32::from(DEEPEST) {
            if self.search_depth(depth).is_some() || self.is_decided(depth) {
                return;
            }
        }
    }

    /// Sorts the moves by what they make before any search, and leaves out those far from all stones where
    /// there are enough others.
    fn prefer(&mut self) {
        let state = &mut self.tree.state;
        let (own, other) = (state.to_move(), !state.to_move());
        let evaluation = state.evaluate();
        let mut near = state.candidates();
        let centre = state.size().centre();
        let is_start = near.is_empty();
        if is_start {
            near.add_around(Place::of(centre));
        }
        let stops = state.stops(other);
        let threats = *state.makers(other, Makes::OpenFour);
        let rank = |state: &State, place: Place| {
            let distance = place.cell().map_or(0, |cell| {
                cell.column()
                    .abs_diff(centre.column())
                    .max(cell.height().abs_diff(centre.height()))
            });
            let takes_threat = threats.has(place);
            let class = state.class(own, place);
            (
                class != Class::Five,
                !stops.has(place),
                class != Class::OpenFour,
                !takes_threat,
                !near.has(place),
                if is_start {
                    0
                } else {
                    -state.move_points(place, state.recent())
                },
                distance,
            )
        };
        self.moves
            .sort_by_cached_key(|chosen| rank(state, chosen.place));
        let sensible = self
            .moves
            .iter()
            .filter(|chosen| near.has(chosen.place))
            .count();
        if sensible >= self.wanted {
            self.moves.retain(|chosen| near.has(chosen.place));
        }
        for chosen in &mut self.moves {
            chosen.score = evaluation;
            if state.class(own, chosen.place) == Class::Five {
                chosen.score = WIN - 1;
                chosen.verdict = Verdict::ProvenWin;
            }
        }
    }

    /// Looks for a win by continuous fours. What it finds is then proven, and in front of the moves.
    fn prove(&mut self) {
        let Some(line) = proof::win_by_fours(self.position, &mut self.tree) else {
            return;
        };
        let first = |chosen: &RootMove| Some(&chosen.place) == line.first();
        // The first stone may be one that is not to be chosen.
        if let Some(at) = self.moves.iter().position(first) {
            self.moves[..=at].rotate_right(1);
            let first = &mut self.moves[0];
            first.score = WIN - line.len() as i32;
            first.line = line;
            first.verdict = Verdict::ProvenWin;
        }
    }

    /// Is the first of the moves a proven win? Then it needs no search, and stays in front.
    fn is_proven(&self) -> bool {
        self.moves[0].verdict == Verdict::ProvenWin
    }

    /// A key of the position.
    pub(super) fn key(&self) -> u64 {
        self.tree.state.key()
    }

    /// Names so many moves at least, each with a score of its own.
    pub(super) fn choose_from(&mut self, count: usize) {
        self.wanted = count.clamp(self.wanted, self.moves.len().max(1));
        self.scores = Scores::OfAll;
    }

    /// Searches all wanted lines to a depth; the reason, if it had to stop.
    fn search_depth(&mut self, depth: i32) -> Option<StopReason> {
        if self.scores == Scores::OfAll {
            return self.search_all(depth);
        }
        for line in 0..self.wanted {
            if line > 0 || !self.is_proven() {
                self.search_line(depth, line);
            }
            if let Some(stop) = self.tree.clock.stop() {
                return Some(stop);
            }
        }
        // A line searched later can turn out better than one before it. What is proven stays in front.
        let first = usize::from(self.is_proven());
        self.moves[first..self.wanted].sort_by_key(|chosen| -chosen.score);
        self.finished = self.moves[..self.wanted].to_vec();
        None
    }

    /// Searches every move by itself, without regard to the others.
    fn search_all(&mut self, depth: i32) -> Option<StopReason> {
        for at in 0..self.moves.len() {
            let place = self.moves[at].place;
            let score = self.tree.root_move(place, depth, Window::FULL, 0);
            if let Some(stop) = self.tree.clock.stop() {
                return Some(stop);
            }
            self.moves[at].take(score, &self.tree.lines[1]);
        }
        self.moves.sort_by_key(|chosen| -chosen.score);
        self.finished = self.moves[..self.wanted].to_vec();
        None
    }

    /// Finds the best of the moves from this line on, and puts it there.
    fn search_line(&mut self, depth: i32, line: usize) {
        let last = self.moves[line].score;
        let mut width = self.tree.params.aspiration;
        let mut window = if depth < 4 || last.abs() >= DECIDED {
            Window::FULL
        } else {
            Window {
                alpha: last - width,
                beta: last + width,
            }
        };
        loop {
            let score = self.search_window(depth, line, window);
            if self.tree.clock.stop().is_some() {
                return;
            }
            width *= 3;
            let is_wide = width > 2_000;
            if score <= window.alpha && window.alpha > -WIN {
                window.alpha = if is_wide { -WIN } else { score - width };
            } else if score >= window.beta && window.beta < WIN {
                window.beta = if is_wide { WIN } else { score + width };
            } else {
                return;
            }
        }
    }

    fn search_window(&mut self, depth: i32, line: usize, mut window: Window) -> i32 {
        let mut best = -WIN;
        for at in line..self.moves.len() {
            let place = self.moves[at].place;
            let score = self.tree.root_move(place, depth, window, at - line);
            if self.tree.clock.stop().is_some() {
                break;
            }
            let chosen = &mut self.moves[at];
            chosen.score = score;
            if at == line || score > window.alpha {
                chosen.take(score, &self.tree.lines[1]);
            }
            best = best.max(score);
            if score > window.alpha {
                window.alpha = score;
                // In front, so that a search cut short still answers with it.
                self.moves[line..=at].rotate_right(1);
                if score >= window.beta {
                    break;
                }
            }
        }
        best
    }

    /// Takes over the best move of a depth that was not finished.
    fn keep_what_was_found(&mut self) {
        let best = self.moves[0].clone();
        let is_new = self
            .finished
            .first()
            .is_none_or(|first| first.place != best.place);
        if !is_new || self.is_proven() {
            return;
        }
        self.finished.retain(|chosen| chosen.place != best.place);
        self.finished.insert(0, best);
        self.finished.truncate(self.wanted);
        // Of several lines the others have scores of the depth before; one line needs no order.
        self.finished.sort_by_key(|chosen| -chosen.score);
    }

    /// Do all lines end within what was looked ahead?
    fn is_decided(&self, depth: i32) -> bool {
        let is_known = |chosen: &RootMove| {
            chosen.verdict == Verdict::ProvenWin
                || chosen.score.abs() >= DECIDED && depth >= WIN - chosen.score.abs()
        };
        self.finished.iter().all(is_known)
            || self.moves.len() == 1 && self.position.legal_cells().nth(1).is_none()
    }

    fn outcome(&self, depth: u8, stop: StopReason) -> Outcome {
        let mut lines: Vec<Line> = self
            .finished
            .iter()
            .map(|chosen| self.line(chosen))
            .collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        Outcome {
            lines,
            depth,
            nodes: self.tree.clock.nodes(),
            elapsed: self.tree.clock.elapsed(),
            stop,
        }
    }

    /// A move as it is told: what is proven decides the score.
    fn line(&self, chosen: &RootMove) -> Line {
        let verdict = self.verdict(chosen);
        let score = match verdict {
            Verdict::ProvenWin => {
                Score::of_number(chosen.score.max(WIN - chosen.line.len() as i32))
            }
            Verdict::ProvenLoss => Score::loss_in(2),
            Verdict::ProvenDraw => Score::ZERO,
            Verdict::Unknown => Score::of_number(chosen.score),
        };
        let moves = chosen
            .line
            .iter()
            .filter_map(|place| place.cell())
            .collect();
        Line {
            moves,
            score,
            verdict,
            certificate: None,
        }
    }

    fn verdict(&self, chosen: &RootMove) -> Verdict {
        if chosen.verdict != Verdict::Unknown {
            return chosen.verdict;
        }
        match chosen.place.cell() {
            Some(cell) => proof::verdict(self.position, cell),
            None => Verdict::Unknown,
        }
    }
}

impl RootMove {
    fn of(place: Place) -> RootMove {
        RootMove {
            place,
            score: 0,
            line: vec![place],
            verdict: Verdict::Unknown,
        }
    }

    /// Takes what a search says of the move: its score, and the stones that follow.
    fn take(&mut self, score: i32, rest: &[Place]) {
        self.score = score;
        self.line.truncate(1);
        self.line.extend_from_slice(rest);
        self.verdict = if score == WIN - 1 {
            Verdict::ProvenWin
        } else {
            Verdict::Unknown
        };
    }
}
