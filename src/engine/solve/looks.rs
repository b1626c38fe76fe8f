use crate::board::mixed;
use crate::engine::solve::Force;
use crate::engine::solve::numbers::{Numbers, Turn};
use crate::engine::solve::solver::Solver;
use crate::engine::state::State;

/// More stones than a board has cells for the attacker.
pub(super) const ANY_STONES: i32 = 400;

/// A look for threats with so many stones of the attacker.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) force: Force,
    pub(super) stones: i32,
}

/// The looks that take turns. With few stones all threats are soon looked through; with many, threes and fours
/// lead farther.
pub(super) const LOOKS: [Look; 4] = [
    Look {
        force: Force::Threats,
        stones: 5,
    },
    Look {
        force: Force::FoursAndThrees,
        stones: ANY_STONES,
    },
    Look {
        force: Force::Threats,
        stones: 7,
    },
    Look {
        force: Force::Threats,
        stones: ANY_STONES,
    },
];

/// The nodes of a look in its first turn, and how much longer each turn is than the one before.
pub(super) const FIRST_TURN: u64 = 1_000;
pub(super) const TURN_GROWTH: u64 = 3;

impl Look {
    /// Goes on for so many nodes from where the turn before has left it.
    pub(super) fn take_turn(
        self,
        solver: &mut Solver<'_>,
        state: &mut State,
        nodes: u64,
    ) -> Numbers {
        solver.force = self.force;
        // What was found with other numbers of stones says nothing about this one.
        let number = self.stones.unsigned_abs() << 2 | self.force as u32;
        solver.salt = mixed(0x5E1F_0C85_7F4A_7C15 ^ u64::from(number));
        solver.turn_ends = solver.clock.nodes().saturating_add(nodes);
        let numbers = solver.threats(state, Turn::Attacker, self.stones, Numbers::ALL);
        solver.turn_ends = u64::MAX;
        numbers
    }
}
