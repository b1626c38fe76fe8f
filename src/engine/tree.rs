//! The principal-variation search below the root: alpha-beta with a table of positions seen, in which
//! threats prune the tree and the leaves are settled by continuous fours.

use crate::engine::cells::{CellSet, Place};
use crate::engine::clock::Clock;
use crate::engine::fours::Fours;
use crate::engine::memory::{Bound, Entry, Memory};
use crate::engine::ordering::Ordering;
use crate::engine::params::Params;
use crate::engine::pattern::{Class, Shape};
use crate::engine::score::{DECIDED, WIN};
use crate::engine::state::{Makes, State};

/// The most plies below the root.
const MOST_PLIES: usize = 200;

/// The scores between which the true one is looked for.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    pub(super) const FULL: Window = Window {
        alpha: -WIN,
        beta: WIN,
    };

    /// The window that only tells whether a score is above another.
    fn above(score: i32) -> Window {
        Window {
            alpha: score,
            beta: score + 1,
        }
    }

    /// As the other side sees it.
    fn turned(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Is there more than one score in it? Then the position lies on a best line.
    fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// Without wins and losses that are too soon to be true at a ply.
    fn within_reach(self, ply: usize) -> Window {
        Window {
            alpha: self.alpha.max(-win_at(ply + 2)),
            beta: self.beta.min(win_at(ply + 3)),
        }
    }
}

/// The score of a win whose five is made at a ply below the root.
fn win_at(ply: usize) -> i32 {
    WIN - ply as i32
}

/// A search of the tree by one thread.
pub(super) struct Tree<'a> {
    pub(super) state: State,
    pub(super) memory: &'a Memory,
    pub(super) clock: Clock<'a>,
    pub(super) params: &'a Params,
    /// The best line from each ply on, that of the root at 0.
    pub(super) lines: Vec<Vec<Place>>,
    ordering: Ordering,
    /// The evaluation at each ply, where there was one.
    evaluations: Vec<Option<i32>>,
    /// By depth and number of the move: how many plies it is searched less.
    reductions: Vec<i32>,
}

/// What the threats on the board leave to the side to move.
enum Forced {
    /// The outcome is known.
    Known(i32),
    /// Only these cells can be played: the other side would make a five, or an open four.
    Only(CellSet),
    /// Anything can be played.
    Nothing,
}

/// A position while its moves are tried.
struct Node {
    depth: i32,
    ply: usize,
    window: Window,
    /// On a best line, as the first window was.
    is_open: bool,
    key: u64,
    evaluation: i32,
    is_improving: bool,
    /// A threat leaves only some moves.
    only: Option<CellSet>,
    /// The remembered move.
    hint: Option<Place>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        state: State,
        memory: &'a Memory,
        clock: Clock<'a>,
        params: &'a Params,
    ) -> Tree<'a> {
        Tree {
            state,
            memory,
            clock,
            params,
            lines: (0..MOST_PLIES + 2)
                .map(|ply| Vec::with_capacity(MOST_PLIES + 2 - ply))
                .collect(),
            ordering: Ordering::new(MOST_PLIES + 2),
            evaluations: vec![None; MOST_PLIES + 2],
            reductions: reductions(params),
        }
    }

    /// The score of a move at the root, `before` others having been tried.
    pub(super) fn root_move(
        &mut self,
        place: Place,
        depth: i32,
        window: Window,
        before: usize,
    ) -> i32 {
        let own = self.state.to_move();
        self.lines[1].clear();
        let class = self.state.class(own, place);
        if class == Class::Five {
            return win_at(1);
        }
        let reduction = if before == 0 || depth < 3 || class >= Class::Four {
            0
        } else {
            (self.late_reduction(depth, before + 1) - 1).clamp(0, depth - 1)
        };
        self.with_stone(place, |tree| {
            tree.search_below(depth - 1, reduction, window, 0, before > 0)
        })
    }

    /// Puts a stone of the side to move, lets something be done, and takes it again.
    #[inline]
    fn with_stone(&mut self, place: Place, then: impl FnOnce(&mut Self) -> i32) -> i32 {
        self.state.put(place, self.state.to_move());
        let score = then(self);
        self.state.take();
        score
    }

    /// The score of the position for the side to move, `depth` stones ahead.
    fn search(&mut self, depth: i32, window: Window, ply: usize) -> i32 {
        self.lines[ply].clear();
        if self.clock.tick() {
            return 0;
        }
        match self.forced(ply) {
            Forced::Known(score) => score,
            Forced::Only(cells) => match cells.only() {
                Some(place) => self.play_forced(place, depth, window, ply),
                None => self.search_position(depth, window, ply, Some(cells)),
            },
            Forced::Nothing => self.search_position(depth, window, ply, None),
        }
    }

    /// What can be said without a search.
    fn forced(&mut self, ply: usize) -> Forced {
        let (own, other) = (self.state.to_move(), !self.state.to_move());
        if !self.state.makers(own, Makes::Five).is_empty() {
            return Forced::Known(win_at(ply + 1));
        }
        if self.state.is_full() {
            return Forced::Known(0);
        }
        if ply >= MOST_PLIES {
            return Forced::Known(self.state.evaluate());
        }
        if !self.state.makers(other, Makes::Five).is_empty() {
            let stops = self.state.stops(other);
            return match stops.iter().any(|place| self.state.allows(own, place)) {
                true => Forced::Only(stops),
                false => Forced::Known(-win_at(ply + 2)),
            };
        }
        if self.state.open_four(own).is_some() {
            return Forced::Known(win_at(ply + 3));
        }
        self.defences().map_or(Forced::Nothing, Forced::Only)
    }

    /// What can be played when the other side threatens to make an open four: a four, or a stone where it
    /// bears on every one of theirs. None when there is no such threat.
    fn defences(&self) -> Option<CellSet> {
        let (own, other) = (self.state.to_move(), !self.state.to_move());
        let threats = self.state.makers(other, Makes::OpenFour).iter();
        let reaches = threats
            .filter(|threat| self.state.allows(other, *threat))
            .map(|threat| self.state.reach(other, threat, Shape::Four));
        let defences = reaches.reduce(|some, others| some.and(&others))?;
        Some(defences.or(self.state.makers(own, Makes::Four)))
    }

    /// The only move costs no depth.
    fn play_forced(&mut self, place: Place, depth: i32, window: Window, ply: usize) -> i32 {
        let own = self.state.to_move();
        if !self.state.allows(own, place) {
            return -win_at(ply + 4);
        }
        let score = self.with_stone(place, |tree| -tree.search(depth, window.turned(), ply + 1));
        self.lead(ply, place);
        score
    }

    /// Makes a move and the line after it the best line of a ply.
    fn lead(&mut self, ply: usize, place: Place) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(place);
        before[ply].extend_from_slice(&after[0]);
    }

    fn search_position(
        &mut self,
        depth: i32,
        window: Window,
        ply: usize,
        only: Option<CellSet>,
    ) -> i32 {
        let is_open = window.is_open();
        let window = window.within_reach(ply);
        if window.alpha >= window.beta {
            return window.alpha;
        }
        let key = self.state.key();
        let known = self.memory.get(key);
        if let Some(score) = known
            .filter(|_| !is_open)
            .and_then(|entry| usable(entry, depth, window, ply))
        {
            return score;
        }
        let evaluation = match known {
            Some(entry) => i32::from(entry.evaluation),
            None => self.state.evaluate(),
        };
        self.evaluations[ply] = only.is_none().then_some(evaluation);
        if let Some(score) = self.win_by_fours(depth, ply) {
            return score;
        }
        if depth <= 0 && !self.is_worth_defending(depth, window, evaluation, only.as_ref()) {
            return evaluation;
        }
        let mut node = Node {
            depth,
            ply,
            window,
            is_open,
            key,
            evaluation,
            is_improving: self.is_improving(ply, evaluation),
            only,
            hint: known
                .and_then(|entry| entry.best)
                .filter(|place| self.state.is_empty_at(*place)),
        };
        if let Some(score) = self.static_score(&node) {
            return score;
        }
        if node.hint.is_none() && depth >= self.params.unknown_depth {
            // Without a remembered move a shallower search finds one soon enough.
            node.depth -= 1;
        }
        self.search_moves(&mut node)
    }

    /// Looks for continuous fours at the leaves.
    fn win_by_fours(&mut self, depth: i32, ply: usize) -> Option<i32> {
        let own = self.state.to_move();
        if depth > 0 || self.state.makers(own, Makes::Four).is_empty() {
            return None;
        }
        let mut fours = Fours {
            memory: self.memory,
            clock: &mut self.clock,
            budget: self.params.fours_budget.unsigned_abs(),
        };
        let plies = fours.win(&mut self.state, self.params.fours_stones)?;
        Some(win_at(ply + plies.unsigned_abs() as usize))
    }

    /// At a leaf a threat of the other side is searched a little further, unless the position is bad enough
    /// without it. A five has to be stopped in any case, where several stones can do it.
    fn is_worth_defending(
        &self,
        depth: i32,
        window: Window,
        evaluation: i32,
        only: Option<&CellSet>,
    ) -> bool {
        let stops_five = !self
            .state
            .makers(!self.state.to_move(), Makes::Five)
            .is_empty();
        let is_threatened = depth > -self.params.defence_plies && evaluation > window.alpha;
        only.is_some() && (stops_five || is_threatened)
    }

    /// Is the side to move better off than with its last stone?
    fn is_improving(&self, ply: usize, evaluation: i32) -> bool {
        let before = ply.checked_sub(2).map(|ply| self.evaluations[ply]);
        before.is_some_and(|before| before.is_none_or(|before| evaluation > before))
    }

    /// The evaluation, where it is so far from the window that a shallow search will not bring it back.
    fn static_score(&self, node: &Node) -> Option<i32> {
        if node.is_open || node.only.is_some() {
            return None;
        }
        let params = self.params;
        let plies = node.depth - i32::from(node.is_improving);
        let is_too_good = node.depth <= params.static_depth
            && node.window.beta < DECIDED
            && node.evaluation - params.static_margin * plies >= node.window.beta;
        let is_hopeless = node.depth <= params.razor_depth
            && node.evaluation + params.razor_margin * node.depth < node.window.alpha;
        (is_too_good || is_hopeless).then_some(node.evaluation)
    }

    fn search_moves(&mut self, node: &mut Node) -> i32 {
        let only = node.only.as_ref();
        let start = self
            .ordering
            .list(&self.state, self.params, node.ply, only, node.hint);
        let (first_alpha, evaluation) = (node.window.alpha, node.evaluation);
        let (best, best_move) = self.try_moves(start, node);
        self.ordering.forget_from(start);
        if self.clock.stop().is_some() {
            return 0;
        }
        let Some(best) = best else {
            // Every cell is forbidden: with a threat on the board it comes, without one nothing does.
            return if node.only.is_some() {
                -win_at(node.ply + 4)
            } else {
                evaluation
            };
        };
        let bound = if best >= node.window.beta {
            Bound::Lower
        } else if best > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.memory.put(
            node.key,
            Entry {
                depth: node.depth.clamp(-100, 100) as i8,
                bound,
                score: counted_from(best, node.ply) as i16,
                evaluation: evaluation as i16,
                best: if bound == Bound::Upper {
                    node.hint.or(best_move)
                } else {
                    best_move
                },
            },
        );
        best
    }

    /// The best score of the listed moves and the move that has it; none if none may be played.
    fn try_moves(&mut self, start: usize, node: &mut Node) -> (Option<i32>, Option<Place>) {
        let own = self.state.to_move();
        let (mut best, mut best_move) = (None, None);
        let mut tried = 0;
        while let Some(place) = self.ordering.next(start + tried) {
            tried += 1;
            if !self.state.allows(own, place) {
                continue;
            }
            let class = self.state.class(own, place);
            match self.pruning(node, best, class, tried) {
                Pruning::Rest => break,
                Pruning::Move => continue,
                Pruning::Nothing => {}
            }
            let score = self.try_move(place, class, node, tried, best.is_some());
            if self.clock.stop().is_some() {
                break;
            }
            if best.is_some_and(|best| score <= best) {
                continue;
            }
            best = Some(score);
            if score > node.window.alpha || best_move.is_none() {
                best_move = Some(place);
            }
            if score > node.window.alpha {
                node.window.alpha = score;
                if node.is_open {
                    self.lead(node.ply, place);
                }
                if score >= node.window.beta {
                    if class < Class::Four {
                        let tried = start..start + tried;
                        self.ordering
                            .reward(&self.state, node.depth, node.ply, place, tried);
                    }
                    break;
                }
            }
        }
        (best, best_move)
    }

    /// Which of the moves are left out unsearched. Never before one was found that does not lose.
    fn pruning(&self, node: &Node, best: Option<i32>, class: Class, count: usize) -> Pruning {
        let is_safe = best.is_some_and(|best| best > -DECIDED);
        if node.is_open || !is_safe || class >= Class::Four || node.only.is_some() {
            return Pruning::Nothing;
        }
        let params = self.params;
        let limit = params.count_base + params.count_factor * node.depth * node.depth / 100;
        let limit = if node.is_improving { limit * 2 } else { limit };
        let margin = params.futility_base + params.futility_margin * node.depth;
        if count as i32 > limit {
            Pruning::Rest
        } else if node.depth <= params.futility_depth
            && class < Class::Three
            && node.evaluation + margin <= node.window.alpha
        {
            Pruning::Move
        } else {
            Pruning::Nothing
        }
    }

    fn try_move(
        &mut self,
        place: Place,
        class: Class,
        node: &Node,
        count: usize,
        has_best: bool,
    ) -> i32 {
        let reduction = if count > 1 && node.depth >= 2 && class < Class::Four {
            self.reduction(place, class, node, count)
        } else {
            0
        };
        self.with_stone(place, |tree| {
            tree.search_below(node.depth - 1, reduction, node.window, node.ply, has_best)
        })
    }

    /// Searches the position after a move: first whether it is better than the best at all, less deep; then
    /// how much.
    fn search_below(
        &mut self,
        depth: i32,
        reduction: i32,
        window: Window,
        ply: usize,
        has_best: bool,
    ) -> i32 {
        if has_best {
            let narrow = Window::above(window.alpha).turned();
            let mut score = -self.search(depth - reduction, narrow, ply + 1);
            if score > window.alpha && reduction > 0 {
                score = -self.search(depth, narrow, ply + 1);
            }
            if score <= window.alpha || !window.is_open() {
                return score;
            }
        }
        -self.search(depth, window.turned(), ply + 1)
    }

    fn late_reduction(&self, depth: i32, count: usize) -> i32 {
        self.reductions[(depth.clamp(0, 63) * 64) as usize + count.min(63)]
    }

    fn reduction(&self, place: Place, class: Class, node: &Node, count: usize) -> i32 {
        let own = self.state.to_move();
        let mut reduction = self.late_reduction(node.depth, count) + i32::from(!node.is_improving);
        reduction -= i32::from(node.is_open);
        reduction -= i32::from(node.only.is_some());
        reduction -= i32::from(class >= Class::Three);
        reduction -= self.ordering.history(own, place) / self.params.history_reduction;
        reduction.clamp(0, node.depth - 1)
    }
}

/// Which moves are left out.
enum Pruning {
    Nothing,
    Move,
    /// This one and all that come after it.
    Rest,
}

/// By depth and number of the move, 64 of each: how many plies a late move is searched less.
fn reductions(params: &Params) -> Vec<i32> {
    let logarithms: [f64; 64] = std::array::from_fn(|number| (number as f64).ln());
    let hundredths = |depth: usize, count: usize| {
        f64::from(params.reduction_base)
            + logarithms[depth] * logarithms[count] * 10_000.0 / f64::from(params.reduction_divisor)
    };
    (0..64 * 64)
        .map(|at| match (at / 64, at % 64) {
            (0, _) | (_, 0) => 0,
            (depth, count) => (hundredths(depth, count) / 100.0) as i32,
        })
        .collect()
}

/// A score as it is remembered: wins and losses counted from the position, not from the root.
fn counted_from(score: i32, ply: usize) -> i32 {
    let ply = ply as i32;
    if score >= DECIDED {
        score + ply
    } else if score <= -DECIDED {
        score - ply
    } else {
        score
    }
}

/// A remembered score, if it settles the window.
fn usable(entry: Entry, depth: i32, window: Window, ply: usize) -> Option<i32> {
    if i32::from(entry.depth) < depth {
        return None;
    }
    let ply = ply as i32;
    let score = match i32::from(entry.score) {
        win if win >= DECIDED => win - ply,
        loss if loss <= -DECIDED => loss + ply,
        points => points,
    };
    match entry.bound {
        Bound::Exact => Some(score),
        Bound::Lower if score >= window.beta => Some(score),
        Bound::Upper if score <= window.alpha => Some(score),
        _ => None,
    }
}
