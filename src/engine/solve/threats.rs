//! Wins by threats: a depth-first proof-number search over the attacker's threats and every defence.
//!
//! (After Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002.)

use crate::board::Color;
use crate::engine::cells::{CellSet, Place};
use crate::engine::pattern::{Class, Shape, lines_of};
use crate::engine::solve::Force;
use crate::engine::solve::fours::stops;
use crate::engine::solve::numbers::{MOST, NEVER, Numbers, START, Turn};
use crate::engine::solve::solver::Solver;
use crate::engine::state::{Makes, State};

/// What a position turns out to be at first sight.
enum Sight {
    Decided(Numbers),
    /// The stones that may be played, each with the numbers to begin with.
    Open(Vec<(Place, Numbers)>),
}

/// The most positions of a look for fours in a position of the search, and after a reply.
const FOURS_BUDGET: u32 = 100;
const REPLY_BUDGET: u32 = 20;
/// The most stones of the attacker in such a look.
const FOURS_STONES: i32 = 24;

impl Solver<'_> {
    /// Searches a position with so many stones left to the attacker until its numbers reach their limits.
    pub(super) fn threats(
        &mut self,
        state: &mut State,
        turn: Turn,
        stones: i32,
        limits: Numbers,
    ) -> Numbers {
        let key = state.key() ^ self.salt;
        let known = self.numbers(key);
        if let Some(numbers) = known
            && numbers.reaches(limits)
        {
            return numbers;
        }
        if self.clock.tick() || self.is_out() {
            return known.unwrap_or(START);
        }
        let before = self.clock.nodes();
        let sight = match turn {
            Turn::Attacker => self.see_attack(state, stones, known.is_none()),
            Turn::Defender => self.see_defence(state, stones),
        };
        let (numbers, best) = match sight {
            Sight::Decided(numbers) => (numbers, None),
            Sight::Open(moves) => self.go_on(state, turn, stones, limits, moves),
        };
        if self.clock.stop().is_none() || numbers.is_decided() {
            // What a turn leaves undone is gone on with in the next.
            let work = (self.clock.nodes() - before + 1).ilog2();
            self.memory.put(key, numbers.entry(best, work));
        }
        numbers
    }

    fn go_on(
        &mut self,
        state: &mut State,
        turn: Turn,
        stones: i32,
        limits: Numbers,
        mut moves: Vec<(Place, Numbers)>,
    ) -> (Numbers, Option<Place>) {
        let (next_turn, next_stones) = match turn {
            Turn::Attacker => (Turn::Defender, stones - 1),
            Turn::Defender => (Turn::Attacker, stones),
        };
        let (own_limit, other_limit) = limits.seen_by(turn);
        for (place, numbers) in &mut moves {
            if let Some(known) = self.numbers(state.key_after(*place) ^ self.salt) {
                *numbers = known;
            }
        }
        loop {
            let mut best: Option<usize> = None;
            let (mut least, mut second, mut sum) = (NEVER, NEVER, 0_u32);
            for (index, (_, numbers)) in moves.iter().enumerate() {
                let (own, other) = numbers.seen_by(turn);
                sum += other;
                if own < least || best.is_none() {
                    second = least;
                    least = own;
                    best = Some(index);
                } else {
                    second = second.min(own);
                }
            }
            let Some(best) = best else {
                return (Numbers::of(turn, (NEVER, 0)), None);
            };
            // A sum of finite numbers stays one; one that cannot be shown makes the whole so.
            let whole = match least {
                0 => NEVER,
                _ if sum >= NEVER => MOST,
                _ => sum,
            };
            let numbers = Numbers::of(turn, (least, whole));
            if numbers.reaches(limits) || self.is_out() {
                return (numbers, Some(moves[best].0));
            }
            let (place, known) = moves[best];
            let (_, other) = known.seen_by(turn);
            let own_next = own_limit
                .min(second.saturating_add(1 + second / 4))
                .min(NEVER);
            let other_next = (other_limit.saturating_sub(whole) + other).min(NEVER);
            let next = Numbers::of(turn, (own_next, other_next));
            moves[best].1 = state.with_stone(place, |state| {
                self.threats(state, next_turn, next_stones, next)
            });
        }
    }

    fn numbers(&self, key: u64) -> Option<Numbers> {
        self.memory.get(key).map(Numbers::of_entry)
    }

    /// The stone with which a position was found won.
    pub(super) fn known_stone(&self, state: &State) -> Option<Place> {
        let entry = self.memory.get(state.key() ^ self.salt)?;
        entry.best.filter(|_| entry.score == 0)
    }

    /// What the attacker can do.
    fn see_attack(&mut self, state: &mut State, stones: i32, is_new: bool) -> Sight {
        let attacker = state.to_move();
        if stones < 1 {
            return Sight::Decided(Numbers::NOT_WON);
        }
        if !state.makers(attacker, Makes::Five).is_empty() {
            return Sight::Decided(Numbers::WON);
        }
        if stones < 2 {
            return Sight::Decided(Numbers::NOT_WON);
        }
        // A look for fours that ends too soon loses nothing: the search goes through them itself.
        if self.opens(state).is_some() || (is_new && self.wins_by_fours(state, stones)) {
            return Sight::Decided(Numbers::WON);
        }
        let mut moves = Vec::new();
        if state.makers(!attacker, Makes::Five).is_empty() {
            for place in state.candidates().iter() {
                let Some(proof) = self.worth(state, place) else {
                    continue;
                };
                if state.allows(attacker, place) {
                    moves.push((place, Numbers { proof, disproof: 1 }));
                }
            }
        } else {
            // Whether a threat is left after the stop is seen then.
            for place in state.stops(!attacker).iter() {
                if state.allows(attacker, place) {
                    moves.push((place, START));
                }
            }
        }
        // Of equal ones the first is tried first.
        moves.sort_by_key(|(_, numbers)| numbers.proof);
        Sight::Open(moves)
    }

    /// How much there is to show at first after a stone of the attacker, if it can be a threat.
    fn worth(&self, state: &State, place: Place) -> Option<u32> {
        let attacker = state.to_move();
        match state.class(attacker, place) {
            Class::FourThree | Class::OpenFour | Class::Five => Some(1),
            Class::Four | Class::DoubleThree => Some(2),
            Class::Three => Some(3),
            Class::Foul => None,
            Class::Quiet => (self.force == Force::Threats)
                .then(|| quiet_worth(state, attacker, place))
                .flatten(),
        }
    }

    /// What the defender can do.
    fn see_defence(&mut self, state: &mut State, stones: i32) -> Sight {
        let defender = state.to_move();
        if !state.makers(defender, Makes::Five).is_empty() {
            return Sight::Decided(Numbers::NOT_WON);
        }
        if stones < 1 {
            return Sight::Decided(Numbers::NOT_WON);
        }
        let zone = if !state.makers(!defender, Makes::Five).is_empty() {
            Zone::of(stops(state))
        } else {
            match self.zone(state, stones) {
                Some(zone) => zone,
                None => return Sight::Decided(Numbers::NOT_WON),
            }
        };
        let mut moves = Vec::new();
        for place in zone.cells.iter() {
            if state.allows(defender, place) && !self.is_met(state, place, &zone.line, stones) {
                moves.push((place, reply_numbers(state, place)));
            }
        }
        Sight::Open(moves)
    }

    /// Does the attacker win by fours after a reply: those of the threat, or what a very short look finds? A threat
    /// of many fours has many cells that bear on it and few that stop it; counted as they are, they would hide how little
    /// there is to show.
    fn is_met(&mut self, state: &mut State, place: Place, line: &[Place], stones: i32) -> bool {
        let key = state.key_after(place) ^ self.salt;
        if let Some(known) = self.numbers(key) {
            return known.is_won();
        }
        let is_won = state.with_stone(place, |state| {
            self.budget = REPLY_BUDGET;
            wins_along(state, line) || self.fours(state, stones.min(FOURS_STONES)).is_some()
        });
        if is_won {
            self.memory.put(key, Numbers::WON.entry(None, 0));
        }
        is_won
    }

    /// The cells outside which no reply of the side to move meets the other side's threat; `None` where there
    /// is no threat.
    fn zone(&mut self, state: &mut State, stones: i32) -> Option<Zone> {
        if let Some(cells) = self.zone_of_open_fours(state, stones) {
            return Some(Zone::of(cells));
        }
        if self.force != Force::Threats {
            return None;
        }
        state.with_pass(|state| {
            if !self.wins_by_fours(state, stones) {
                return None;
            }
            let mut zone = Zone::of(CellSet::EMPTY);
            self.add_zone(state, stones, &mut zone).then_some(zone)
        })
    }

    /// The same where the threat is an open four: what bears on all of them, and the defender's own fours.
    fn zone_of_open_fours(&mut self, state: &mut State, stones: i32) -> Option<CellSet> {
        let (defender, attacker) = (state.to_move(), !state.to_move());
        if stones < 2 {
            return None;
        }
        let mut zone: Option<CellSet> = None;
        for place in state.makers(attacker, Makes::OpenFour).iter() {
            if !state.allows(attacker, place) {
                continue;
            }
            let reach = if state.is_doubtful(attacker, place) {
                // A stone anywhere might make it forbidden.
                *state.empty_cells()
            } else {
                state.reach(attacker, place, Shape::Four)
            };
            zone = Some(zone.map_or(reach, |zone| zone.and(&reach)));
        }
        let fours = *state.makers(defender, Makes::Four);
        let mut left = CellSet::EMPTY;
        for place in zone?.or(&fours).iter() {
            let meets = state.with_stone(place, |state| self.opens(state).is_none());
            if meets {
                left.toggle(place);
            }
        }
        Some(left)
    }

    /// Adds the cells that bear on a win by fours of the side to move: other stones of the defender change
    /// nothing about it. False where the win is not at hand any more.
    pub(super) fn add_zone(&mut self, state: &mut State, stones: i32, zone: &mut Zone) -> bool {
        let attacker = state.to_move();
        zone.cells = zone.cells.or(&state.all_fours(!attacker));
        if let Some(five) = state.makers(attacker, Makes::Five).first() {
            zone.cells = zone.cells.or(&state.reach(attacker, five, Shape::Five));
            return true;
        }
        let Some(place) = self.first_four(state, stones) else {
            return false;
        };
        zone.line.push(place);
        if state.is_doubtful(attacker, place) {
            zone.cells = zone.cells.or(state.empty_cells());
        }
        zone.cells = zone.cells.or(&state.reach(attacker, place, Shape::Four));
        state.with_stone(place, |state| {
            let fives = *state.makers(attacker, Makes::Five);
            let defender = state.to_move();
            let answers = stops(state);
            if answers.is_empty() && fives.iter().any(|five| !state.allows(defender, five)) {
                // What makes the stop forbidden may lie anywhere.
                zone.cells = zone.cells.or(state.empty_cells());
            }
            for five in fives.iter() {
                zone.cells = zone.cells.or(&state.reach(attacker, five, Shape::Five));
            }
            answers.iter().all(|answer| {
                state.with_stone(answer, |state| self.add_zone(state, stones - 1, zone))
            })
        })
    }

    /// A short look for fours of the side to move.
    fn wins_by_fours(&mut self, state: &mut State, stones: i32) -> bool {
        self.budget = FOURS_BUDGET;
        self.fours(state, stones.min(FOURS_STONES)).is_some()
    }
}

/// What bears on a threat.
pub(super) struct Zone {
    /// The cells outside which no stone of the defender changes anything about it.
    pub(super) cells: CellSet,
    /// The attacker's stones, where it takes more than an open four.
    line: Vec<Place>,
}

impl Zone {
    pub(super) const fn of(cells: CellSet) -> Zone {
        Zone {
            cells,
            line: Vec::new(),
        }
    }
}

/// Does the side to move win by the fours of a line?
fn wins_along(state: &mut State, line: &[Place]) -> bool {
    let attacker = state.to_move();
    if !state.makers(attacker, Makes::Five).is_empty() {
        return true;
    }
    let Some((place, rest)) = line.split_first() else {
        return false;
    };
    if !state.makers(attacker, Makes::Four).has(*place) || !state.allows(attacker, *place) {
        return false;
    }
    state.with_stone(*place, |state| {
        let defender = state.to_move();
        !state.makers(attacker, Makes::Five).is_empty()
            && state.makers(defender, Makes::Five).is_empty()
            && stops(state)
                .iter()
                .all(|answer| state.with_stone(answer, |state| wins_along(state, rest)))
    })
}

/// The numbers after a reply: one that stops a four or makes something itself is likelier to hold.
fn reply_numbers(state: &State, place: Place) -> Numbers {
    let defender = state.to_move();
    let stops = matches!(
        state.class(!defender, place),
        Class::Four | Class::FourThree | Class::OpenFour | Class::Five
    );
    let makes = state.class(defender, place) != Class::Quiet;
    Numbers {
        proof: 1,
        disproof: if stops || makes { 1 } else { 2 },
    }
}

/// How much there is to show after a stone that makes neither a four nor a three: with less than two stones to
/// go with in some line it threatens no win by fours.
fn quiet_worth(state: &State, attacker: Color, place: Place) -> Option<u32> {
    let mut worth = 0;
    for shape in lines_of(state.shapes(attacker, place)) {
        worth += match shape {
            Shape::ClosedThree | Shape::ClosedThreePlus => 3,
            Shape::OpenTwo | Shape::OpenTwoPlus | Shape::OpenTwoFull => 2,
            Shape::ClosedTwo | Shape::ClosedTwoPlus => 1,
            _ => 0,
        };
    }
    (worth > 0).then(|| 12_u32.saturating_sub(worth).max(6))
}
