//! Wins by continuous fours, searched to the end: what is not found is not there.

use std::cmp::Reverse;

use crate::engine::cells::{CellSet, Place};
use crate::engine::memory::{Bound, Entry};
use crate::engine::pattern::{Shape, Shapes, lines_of};
use crate::engine::solve::solver::Solver;
use crate::engine::state::{Makes, State};
use crate::rules::Rule;

/// What is mixed into the keys of positions that were searched for fours.
const SALT: u64 = 0x9FB2_1C65_1E98_DF25;
/// The depth of an entry that says there is no win with any number of stones: above all others, and with room
/// for what the memory adds to it.
const WHOLE: i8 = 123;
/// The most stones of the attacker that are told apart.
pub(super) const MOST_STONES: i32 = 120;

impl Solver<'_> {
    /// How many stones the side to move needs at the most to win by fours, if it can with so many. Nothing is
    /// proven by `None` once the budget or the clock has run out, or [`Solver::is_cut`].
    pub(super) fn fours(&mut self, state: &mut State, stones: i32) -> Option<i32> {
        let attacker = state.to_move();
        if stones > 0 && !state.makers(attacker, Makes::Five).is_empty() {
            return Some(1);
        }
        let candidates = four_candidates(state);
        if candidates.is_empty() {
            return None;
        }
        if stones < 2 {
            self.is_cut = true;
            return None;
        }
        if self.budget == 0 || self.clock.tick() {
            self.budget = 0;
            return None;
        }
        self.budget -= 1;
        if self.opens(state).is_some() {
            return Some(2);
        }
        let key = state.key() ^ SALT;
        if let Some(entry) = self.memory.get(key) {
            let needed = i32::from(entry.score);
            if entry.bound == Bound::Exact && needed <= stones {
                return Some(needed);
            }
            if entry.bound == Bound::Upper && i32::from(entry.depth) >= stones {
                self.is_cut |= entry.depth != WHOLE;
                return None;
            }
        }
        let was_cut = std::mem::take(&mut self.is_cut);
        let found = self.any_four(state, &candidates, stones);
        if found.is_some() || self.budget > 0 {
            let depth = if self.is_cut { stones as i8 } else { WHOLE };
            self.memory.put(
                key,
                Entry {
                    depth,
                    bound: found.map_or(Bound::Upper, |_| Bound::Exact),
                    score: found.map_or(0, |(_, needed)| needed as i16),
                    evaluation: 0,
                    best: found.map(|(place, _)| place),
                },
            );
        }
        self.is_cut |= was_cut;
        found.map(|(_, needed)| needed)
    }

    /// The first stone of a win by fours that [`Solver::fours`] has just found; not a five.
    pub(super) fn first_four(&mut self, state: &mut State, stones: i32) -> Option<Place> {
        if let Some(place) = self.opens(state) {
            return Some(place);
        }
        let known = self.memory.get(state.key() ^ SALT);
        let known =
            known.filter(|entry| entry.bound == Bound::Exact && i32::from(entry.score) <= stones);
        known.and_then(|entry| entry.best).or_else(|| {
            let candidates = four_candidates(state);
            self.any_four(state, &candidates, stones)
                .map(|(place, _)| place)
        })
    }

    /// Where the side to move makes a five certain at once, if the other side has none to make.
    pub(super) fn opens(&self, state: &State) -> Option<Place> {
        let attacker = state.to_move();
        if state.makers(!attacker, Makes::Five).is_empty() {
            state.open_four(attacker)
        } else {
            None
        }
    }

    fn any_four(
        &mut self,
        state: &mut State,
        candidates: &CellSet,
        stones: i32,
    ) -> Option<(Place, i32)> {
        promising_first(state, candidates)
            .find_map(|place| Some((place, self.four(state, place, stones)?)))
    }

    /// Plays a four and every answer to it.
    fn four(&mut self, state: &mut State, place: Place, stones: i32) -> Option<i32> {
        let attacker = state.to_move();
        if !state.allows(attacker, place) {
            return None;
        }
        state.with_stone(place, |state| {
            let fives = *state.makers(attacker, Makes::Five);
            if fives.is_empty() || !state.makers(!attacker, Makes::Five).is_empty() {
                return None;
            }
            let mut most = 1;
            for answer in stops(state).iter() {
                let needed = state.with_stone(answer, |state| self.fours(state, stones - 1))?;
                most = most.max(needed);
            }
            Some(most + 1)
        })
    }
}

/// The cells of a set, in the order in which they are to be tried: those first that make more besides the four.
fn promising_first(state: &State, candidates: &CellSet) -> impl Iterator<Item = Place> + use<> {
    let attacker = state.to_move();
    let mut cells: Vec<(Reverse<u32>, Place)> = candidates
        .iter()
        .map(|place| (Reverse(promise(state.shapes(attacker, place))), place))
        .collect();
    cells.sort_unstable();
    cells.into_iter().map(|(_, place)| place)
}

/// What the four lines of a cell add to a four there, in points without a unit: found by trying some on 1,675
/// puzzles, whose median takes three quarters of the time so.
fn promise(shapes: Shapes) -> u32 {
    let of_line = |shape| match shape {
        Shape::OpenFour | Shape::OpenThreePlus | Shape::OpenThree => 9,
        Shape::ClosedThreePlus => 4,
        Shape::ClosedThree => 3,
        shape if (Shape::ClosedTwo..=Shape::OpenTwoFull).contains(&shape) => 2,
        _ => 0,
    };
    lines_of(shapes).into_iter().map(of_line).sum()
}

/// The cells that make a four and leave the other side no five.
fn four_candidates(state: &mut State) -> CellSet {
    let attacker = state.to_move();
    let makers = *state.makers(attacker, Makes::Four);
    if makers.is_empty() || state.makers(!attacker, Makes::Five).is_empty() {
        makers
    } else {
        state.stops(!attacker).and(&makers)
    }
}

/// The legal answers of the side to move to fives of the other.
pub(super) fn stops(state: &mut State) -> CellSet {
    let defender = state.to_move();
    if state.rule == Rule::Caro {
        // The other three rules have one stop at the most, and no work to find it.
        return state.stops(!defender);
    }
    match state.makers(!defender, Makes::Five).only() {
        Some(five) if state.allows(defender, five) => CellSet::of(five),
        _ => CellSet::EMPTY,
    }
}
