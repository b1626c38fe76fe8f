//! Is a claimed win by continuous fours one? Every stone of the attacker must make a four that leaves the other
//! side nothing but to stop it, against every way to stop it, until a five stands. The claimed line is
//! followed where the other side plays along; beside it the attacker's stones are searched for here.

use tengen::board::Cell;
use tengen::rules::Position;

use crate::oracle::bridge;
use crate::oracle::{self, Place};
use crate::slow::Table;

/// How many stones of the attacker are tried before the checker gives up on a claim.
const MOST_STONES: u32 = 20_000;

/// What the checker says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Holds,
    Fails,
    /// Neither was found out in the time given.
    Open,
}

/// Does the side to move win by fours, as a line has it or otherwise?
pub(crate) fn wins_by_fours(position: &Position, line: &[Cell]) -> Claim {
    check(position, line, Checker::wins)
}

/// Does the first stone of a line win by fours, with what follows or otherwise?
pub(crate) fn first_stone_wins_by_fours(position: &Position, line: &[Cell]) -> Claim {
    check(position, line, |checker, table, line| {
        table.wins(checker.attacker, line[0]) || checker.wins_with(table, line[0], &line[1..])
    })
}

fn check(
    position: &Position,
    line: &[Cell],
    wins: impl Fn(&mut Checker, &mut Table, &[Place]) -> bool,
) -> Claim {
    let size = position.board().size();
    let line: Vec<Place> = line.iter().map(|cell| bridge::place(*cell, size)).collect();
    let attacker = bridge::color_of(position.to_move());
    let mut checker = Checker {
        attacker,
        budget: MOST_STONES,
    };
    let wins = wins(&mut checker, &mut Table::of(position), &line);
    match (wins, checker.budget) {
        (true, _) => Claim::Holds,
        (false, 0) => Claim::Open,
        (false, _) => Claim::Fails,
    }
}

struct Checker {
    attacker: u8,
    budget: u32,
}

impl Checker {
    fn wins(&mut self, table: &mut Table, line: &[Place]) -> bool {
        if !table.fives(self.attacker).is_empty() {
            return true;
        }
        let first = line.first().copied();
        let others = table.empty_places();
        let others = others.into_iter().filter(|place| Some(*place) != first);
        first.into_iter().chain(others).any(|place| {
            let rest = if Some(place) == first {
                &line[1..]
            } else {
                &[]
            };
            self.budget > 0 && self.wins_with(table, place, rest)
        })
    }

    /// Does a stone of the attacker here win, being a four that is no five?
    fn wins_with(&mut self, table: &mut Table, place: Place, line: &[Place]) -> bool {
        let (attacker, defender) = (self.attacker, oracle::other(self.attacker));
        let around = table.around(place);
        let makes_four = table.with(attacker, place, |table| {
            around.iter().any(|five| table.wins(attacker, *five))
        });
        if !makes_four || !table.is_legal(attacker, place) {
            return false;
        }
        self.budget = self.budget.saturating_sub(1);
        table.with(attacker, place, |table| {
            if !table.fives(defender).is_empty() {
                return false;
            }
            let fives = table.fives(attacker);
            let mut stops = table.stops(defender, &fives);
            stops.retain(|stop| table.is_legal(defender, *stop));
            stops.into_iter().all(|stop| {
                let rest = if line.first() == Some(&stop) {
                    &line[1..]
                } else {
                    &[]
                };
                table.with(defender, stop, |table| self.wins(table, rest))
            })
        })
    }
}
