//! Wins by continuous fours: each stone of the attacker makes a four that has to be stopped, until one
//! makes two things at once.

use crate::engine::cells::Place;
use crate::engine::clock::Clock;
use crate::engine::memory::{Bound, Entry, Memory};
use crate::engine::pattern::Class;
use crate::engine::state::{Makes, State};
use crate::rules::Rule;

/// Looks for wins of the side to move by fours alone.
pub(super) struct Fours<'a, 'b> {
    pub(super) memory: &'a Memory,
    pub(super) clock: &'a mut Clock<'b>,
    /// The nodes that may still be spent.
    pub(super) budget: u32,
}

/// What is mixed into the keys of positions that were searched for fours, so that they are not taken for
/// those of the whole search.
const SALT: u64 = 0xC2B2_AE3D_27D4_EB4F;

impl Fours<'_, '_> {
    /// The number of plies to a five of the side to move, if it can win within so many stones by fours.
    pub(super) fn win(&mut self, state: &mut State, stones: i32) -> Option<i32> {
        let attacker = state.to_move();
        if !state.makers(attacker, Makes::Five).is_empty() {
            return Some(1);
        }
        if self.clock.tick() || self.budget == 0 {
            return None;
        }
        self.budget -= 1;
        let fives = state.makers(!attacker, Makes::Five);
        if let Some(five) = fives.first() {
            return if fives.is_several() {
                None
            } else {
                self.attack(state, five, stones)
            };
        }
        if state.makers(attacker, Makes::Four).is_empty() {
            return None;
        }
        if state.open_four(attacker).is_some() {
            return Some(3);
        }
        if stones <= 1 {
            return None;
        }
        let key = state.key() ^ SALT;
        let known = self.memory.get(key);
        if let Some(entry) = known {
            if entry.bound == Bound::Exact {
                return Some(i32::from(entry.score));
            }
            if i32::from(entry.depth) >= stones {
                return None;
            }
        }
        let found = self.attack_anywhere(state, stones);
        if found.is_some() || (self.clock.stop().is_none() && self.budget > 0) {
            let (bound, score) = match found {
                Some((_, plies)) => (Bound::Exact, plies as i16),
                None => (Bound::Upper, 0),
            };
            self.memory.put(
                key,
                Entry {
                    depth: stones as i8,
                    bound,
                    score,
                    evaluation: 0,
                    best: found.map(|(place, _)| place),
                },
            );
        }
        found.map(|(_, plies)| plies)
    }

    /// The first stone of the win that [`Fours::win`] has found within so many stones.
    pub(super) fn first(&mut self, state: &mut State, stones: i32) -> Option<Place> {
        let attacker = state.to_move();
        if let Some(five) = state.makers(!attacker, Makes::Five).first() {
            return Some(five);
        }
        let known = self
            .memory
            .get(state.key() ^ SALT)
            .filter(|entry| entry.bound == Bound::Exact);
        state
            .open_four(attacker)
            .or_else(|| known.and_then(|entry| entry.best))
            .or_else(|| self.attack_anywhere(state, stones).map(|(place, _)| place))
    }

    fn attack_anywhere(&mut self, state: &mut State, stones: i32) -> Option<(Place, i32)> {
        let attacker = state.to_move();
        let makers = *state.makers(attacker, Makes::Four);
        for is_strong in [true, false] {
            for place in makers.iter() {
                if (state.class(attacker, place) == Class::FourThree) == is_strong
                    && let Some(plies) = self.attack(state, place, stones)
                {
                    return Some((place, plies));
                }
            }
        }
        None
    }

    /// Plays a four and every answer to it.
    fn attack(&mut self, state: &mut State, place: Place, stones: i32) -> Option<i32> {
        let attacker = state.to_move();
        if stones <= 1
            || state.class(attacker, place) < Class::Four
            || !state.allows(attacker, place)
        {
            return None;
        }
        state.with_stone(place, |state| {
            let fives = state.makers(attacker, Makes::Five);
            let (five, is_several) = (fives.first()?, fives.is_several());
            if !state.makers(!attacker, Makes::Five).is_empty() {
                return None;
            }
            if state.rule == Rule::Caro {
                return self.answer_in_caro(state, stones);
            }
            if is_several || !state.allows(!attacker, five) {
                return Some(3);
            }
            state
                .with_stone(five, |state| self.win(state, stones - 1))
                .map(|plies| plies + 2)
        })
    }

    /// In caro a four is also stopped by a stone that shuts the five in.
    fn answer_in_caro(&mut self, state: &mut State, stones: i32) -> Option<i32> {
        let attacker = !state.to_move();
        let mut longest = 3;
        for answer in state.stops(attacker).iter() {
            longest =
                longest.max(state.with_stone(answer, |state| self.win(state, stones - 1))? + 2);
        }
        Some(longest)
    }
}
