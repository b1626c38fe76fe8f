use std::ops::Range;

use crate::board::{ByColor, Color};
use crate::engine::cells::{CellSet, Place};
use crate::engine::params::Params;
use crate::engine::state::State;

/// In what order moves are tried: by the policy, and by what the search has seen of them so far.
pub(super) struct Ordering {
    /// How often a stone of a colour was good somewhere else in the tree, weighed by depth.
    history: ByColor<Vec<i32>>,
    /// By the last stone: what answered it well.
    replies: ByColor<Vec<Option<Place>>>,
    /// By ply: what refuted a sister position.
    killers: Vec<[Option<Place>; 2]>,
    /// The moves of all positions on the way, one after another.
    candidates: Vec<Candidate>,
}

/// A move and how early it is to be tried.
#[derive(Clone, Copy)]
struct Candidate {
    place: Place,
    order: i32,
}

/// What history stays within.
const HISTORY_MOST: i32 = 16_384;
/// The order of the remembered move, before all others.
const HINT_ORDER: i32 = 1_000_000;

impl Ordering {
    /// Nothing seen yet, for a tree of so many plies.
    pub(super) fn new(plies: usize) -> Ordering {
        Ordering {
            history: ByColor {
                black: vec![0; Place::COUNT],
                white: vec![0; Place::COUNT],
            },
            replies: ByColor {
                black: vec![None; Place::COUNT],
                white: vec![None; Place::COUNT],
            },
            killers: vec![[None; 2]; plies],
            candidates: Vec::with_capacity(1 << 14),
        }
    }

    /// Lists the moves to try, those of `only` if a threat leaves no others; gives where the list starts.
    pub(super) fn list(
        &mut self,
        state: &State,
        params: &Params,
        ply: usize,
        only: Option<&CellSet>,
        hint: Option<Place>,
    ) -> usize {
        let start = self.candidates.len();
        let own = state.to_move();
        let mut cells = only.copied().unwrap_or_else(|| state.candidates());
        if cells.is_empty() {
            cells = *state.empty_cells();
        }
        let killers = self.killers[ply];
        let recent = state.recent();
        let reply = recent[0].and_then(|last| self.replies[own][last.index()]);
        for place in cells.iter() {
            let mut order = state.move_points(place, recent);
            order += self.history(own, place) / params.history_order;
            if killers.contains(&Some(place)) {
                order += params.killer_order;
            }
            if reply == Some(place) {
                order += params.reply_order;
            }
            if hint == Some(place) {
                order += HINT_ORDER;
            }
            self.candidates.push(Candidate { place, order });
        }
        start
    }

    /// Drops the list that starts here.
    pub(super) fn forget_from(&mut self, start: usize) {
        self.candidates.truncate(start);
    }

    /// Brings the best of the listed moves from a place on to that place. Only the first few are ever asked
    /// for, so they are not sorted.
    pub(super) fn next(&mut self, at: usize) -> Option<Place> {
        let rest = self.candidates.get_mut(at..)?;
        let mut best = 0;
        for (number, candidate) in rest.iter().enumerate() {
            if candidate.order > rest[best].order {
                best = number;
            }
        }
        let place = rest.get(best)?.place;
        rest.swap(0, best);
        Some(place)
    }

    pub(super) fn history(&self, color: Color, place: Place) -> i32 {
        self.history[color][place.index()]
    }

    /// Remembers a move that refuted the position, and that those tried before it did not.
    pub(super) fn reward(
        &mut self,
        state: &State,
        depth: i32,
        ply: usize,
        place: Place,
        tried: Range<usize>,
    ) {
        let own = state.to_move();
        let killers = &mut self.killers[ply];
        if killers[0] != Some(place) {
            *killers = [Some(place), killers[0]];
        }
        if let [Some(last), _] = state.recent() {
            self.replies[own][last.index()] = Some(place);
        }
        let bonus = (depth * depth * 32).min(HISTORY_MOST / 4);
        for candidate in &self.candidates[tried] {
            let gain = if candidate.place == place {
                bonus
            } else {
                -bonus / 2
            };
            let value = &mut self.history[own][candidate.place.index()];
            *value += gain - *value * gain.abs() / HISTORY_MOST;
        }
    }
}
