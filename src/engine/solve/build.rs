//! What was found, written down as a certificate.

use std::collections::HashMap;

use crate::board::Cell;
use crate::engine::cells::{CellSet, Place};
use crate::engine::pattern::{Class, Shape};
use crate::engine::solve::fours::MOST_STONES;
use crate::engine::solve::numbers::{Numbers, Turn};
use crate::engine::solve::solver::Solver;
use crate::engine::solve::threats::Zone;
use crate::engine::state::{Makes, State};
use crate::proof::{Certificate, Node, Reply, Root, Verified, verify};
use crate::rules::{Position, Rule};

/// Writes down the nodes of a win. Anything that turns out not to be won after all, or not to be shown in the
/// time left, gives `None`.
pub(super) struct Build<'s, 'a> {
    solver: &'s mut Solver<'a>,
    pub(super) nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
    /// The nodes of positions of the attacker, by their keys.
    built: HashMap<u64, usize>,
}

/// The most positions of a look for fours that has been successful before.
const BUDGET: u32 = 1_000_000;

impl<'s, 'a> Build<'s, 'a> {
    pub(super) fn new(solver: &'s mut Solver<'a>) -> Build<'s, 'a> {
        Build {
            solver,
            nodes: Vec::new(),
            numbers: HashMap::new(),
            built: HashMap::new(),
        }
    }

    /// The node of a position in which the attacker, to move, wins within so many stones.
    pub(super) fn attack(&mut self, state: &mut State, stones: i32) -> Option<usize> {
        let attacker = state.to_move();
        if let Some(five) = state.makers(attacker, Makes::Five).first() {
            return self.five(five);
        }
        if let Some(number) = self.built.get(&state.key()) {
            return Some(*number);
        }
        if self.solver.clock.stop().is_some() || self.nodes.len() >= Certificate::MOST_NODES {
            return None;
        }
        let place = self.stone(state, stones)?;
        let (replies, otherwise) =
            state.with_stone(place, |state| self.defend(state, stones - 1))?;
        let number = self.add(Node {
            stone: place.cell(),
            replies,
            otherwise: Some(otherwise),
        });
        self.built.insert(state.key(), number);
        Some(number)
    }

    /// The stone with which the attacker wins where he has no five to make.
    fn stone(&mut self, state: &mut State, stones: i32) -> Option<Place> {
        if stones >= 2
            && let Some(place) = self.solver.opens(state)
        {
            return Some(place);
        }
        let looked = stones.min(MOST_STONES);
        self.solver.budget = BUDGET;
        if self.solver.known_stone(state).is_none() && self.solver.fours(state, looked).is_some() {
            return self.solver.first_four(state, looked);
        }
        if let Some(place) = self.solver.known_stone(state) {
            return Some(place);
        }
        // It was known, and has made room for something else since.
        let limits = Numbers::ALL;
        let numbers = self.solver.threats(state, Turn::Attacker, stones, limits);
        if !numbers.is_won() {
            return None;
        }
        self.solver.budget = BUDGET;
        match self.solver.known_stone(state) {
            None if self.solver.fours(state, looked).is_some() => {
                self.solver.first_four(state, looked)
            }
            known => known,
        }
    }

    /// The replies of the side to move that need a continuation of their own, and what meets all others; the
    /// attacker has so many stones left.
    fn defend(&mut self, state: &mut State, stones: i32) -> Option<(Vec<(Reply, usize)>, usize)> {
        let defender = state.to_move();
        if !state.makers(defender, Makes::Five).is_empty() {
            return None;
        }
        let fives = *state.makers(!defender, Makes::Five);
        let (otherwise, candidates) = if let Some(five) = fives.first() {
            let reach = if state.rule == Rule::Caro {
                state.reach(!defender, five, Shape::Five)
            } else {
                CellSet::of(five)
            };
            (self.five(five)?, reach)
        } else {
            state.with_pass(|state| {
                let looked = stones.min(MOST_STONES);
                self.solver.budget = BUDGET;
                if self.solver.opens(state).is_none() {
                    self.solver.fours(state, looked)?;
                }
                let mut zone = Zone::of(CellSet::EMPTY);
                if !self.solver.add_zone(state, looked, &mut zone) {
                    return None;
                }
                Some((self.fours(state, looked)?, zone.cells))
            })?
        };
        let mut replies = Vec::new();
        for place in candidates.iter() {
            if !state.allows(defender, place) {
                continue;
            }
            let next = state.with_stone(place, |state| {
                if self.still_wins(state, otherwise) {
                    return Some(otherwise);
                }
                self.attack(state, stones)
            })?;
            if next != otherwise {
                replies.push((Reply::Stone(place.cell()?), next));
            }
        }
        Some((replies, otherwise))
    }

    /// The node of a position that is won by fours.
    fn fours(&mut self, state: &mut State, stones: i32) -> Option<usize> {
        let attacker = state.to_move();
        if let Some(five) = state.makers(attacker, Makes::Five).first() {
            return self.five(five);
        }
        let place = self.solver.first_four(state, stones)?;
        let (replies, otherwise) = state.with_stone(place, |state| {
            let five = state.makers(attacker, Makes::Five).first()?;
            let otherwise = self.five(five)?;
            let mut replies = Vec::new();
            let candidates = if state.rule == Rule::Caro {
                state.reach(attacker, five, Shape::Five)
            } else {
                CellSet::of(five)
            };
            for answer in candidates.iter() {
                if !state.allows(!attacker, answer) {
                    continue;
                }
                let next = state.with_stone(answer, |state| {
                    if self.still_wins(state, otherwise) {
                        return Some(otherwise);
                    }
                    self.fours(state, stones - 1)
                })?;
                if next != otherwise {
                    replies.push((Reply::Stone(answer.cell()?), next));
                }
            }
            Some((replies, otherwise))
        })?;
        Some(self.add(Node {
            stone: place.cell(),
            replies,
            otherwise: Some(otherwise),
        }))
    }

    /// Does a continuation by fours win in this position too, in which the attacker is to move?
    fn still_wins(&self, state: &mut State, number: usize) -> bool {
        let attacker = state.to_move();
        let node = &self.nodes[number];
        let Some(place) = node.stone.map(Place::of) else {
            return false;
        };
        if !state.is_empty_at(place) || !state.allows(attacker, place) {
            return false;
        }
        if state.class(attacker, place) == Class::Five {
            return true;
        }
        let Some(otherwise) = node.otherwise else {
            return false;
        };
        let Some(five) = self.nodes[otherwise].stone.map(Place::of) else {
            return false;
        };
        state.with_stone(place, |state| {
            if !state.makers(!attacker, Makes::Five).is_empty()
                || !state.is_empty_at(five)
                || state.class(attacker, five) != Class::Five
            {
                return false;
            }
            let trouble = if state.rule == Rule::Caro {
                state.reach(attacker, five, Shape::Five)
            } else {
                CellSet::of(five)
            };
            trouble.iter().all(|answer| {
                if !state.allows(!attacker, answer) {
                    return true;
                }
                let named = answer.cell().map(Reply::Stone);
                let mut replies = node.replies.iter();
                let next = replies
                    .find(|(reply, _)| Some(*reply) == named)
                    .map_or(otherwise, |(_, next)| *next);
                state.with_stone(answer, |state| self.still_wins(state, next))
            })
        })
    }

    fn five(&mut self, place: Place) -> Option<usize> {
        let stone: Cell = place.cell()?;
        Some(self.add(Node {
            stone: Some(stone),
            ..Node::default()
        }))
    }

    /// The number of a node; equal ones are one.
    fn add(&mut self, node: Node) -> usize {
        if let Some(number) = self.numbers.get(&node) {
            return *number;
        }
        let number = self.nodes.len();
        self.numbers.insert(node.clone(), number);
        self.nodes.push(node);
        number
    }
}

/// The certificate of a win of the side to move, whose first node is any of these.
pub(super) fn certificate(
    position: &Position,
    mut nodes: Vec<Node>,
    first: usize,
) -> Option<Certificate> {
    // The root comes first; a copy at the end keeps the numbers of the others.
    nodes.push(nodes.get(first)?.clone());
    let last = nodes.len() - 1;
    nodes.swap(0, last);
    for node in &mut nodes {
        for next in node
            .replies
            .iter_mut()
            .map(|(_, next)| next)
            .chain(&mut node.otherwise)
        {
            if *next == 0 {
                *next = last;
            }
        }
    }
    certificate_in(position, &nodes)
}

/// The certificate of a win of the side to move, if the nodes are one's and the verifier, with so many positions,
/// accepts it; and what it has seen.
pub(in crate::engine) fn checked(
    position: &Position,
    nodes: &[Node],
    positions: u64,
) -> Option<(Certificate, Verified)> {
    let certificate = certificate_in(position, nodes)?;
    let verified = verify(&certificate, positions).ok()?;
    Some((certificate, verified))
}

fn certificate_in(position: &Position, nodes: &[Node]) -> Option<Certificate> {
    Certificate::new(Root::of(position, position.to_move()), nodes).ok()
}
