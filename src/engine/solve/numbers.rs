use crate::engine::cells::Place;
use crate::engine::memory::{Bound, Entry};

/// How much is still to be shown at the least to prove a position won, and to prove it not won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

/// What cannot be shown.
pub(super) const NEVER: u32 = u16::MAX as u32;
/// The largest number of what can.
pub(super) const MOST: u32 = NEVER - 1;

impl Numbers {
    pub(super) const WON: Numbers = Numbers {
        proof: 0,
        disproof: NEVER,
    };
    pub(super) const NOT_WON: Numbers = Numbers {
        proof: NEVER,
        disproof: 0,
    };
    /// Goes on until one or the other is shown.
    pub(super) const ALL: Numbers = Numbers {
        proof: NEVER,
        disproof: NEVER,
    };

    /// What is remembered of a position with these numbers, its best stone and the work that was done, as a
    /// logarithm. What is decided is kept longer.
    pub(super) fn entry(self, best: Option<Place>, work: u32) -> Entry {
        let decided = if self.is_decided() { 8 } else { 0 };
        Entry {
            depth: (work + decided) as i8,
            bound: Bound::Exact,
            score: self.proof as u16 as i16,
            evaluation: self.disproof as u16 as i16,
            best,
        }
    }

    pub(super) fn of_entry(entry: Entry) -> Numbers {
        Numbers {
            proof: u32::from(entry.score as u16),
            disproof: u32::from(entry.evaluation as u16),
        }
    }

    pub(super) const fn is_won(self) -> bool {
        self.proof == 0
    }

    pub(super) const fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    pub(super) const fn reaches(self, limits: Numbers) -> bool {
        self.is_decided() || self.proof >= limits.proof || self.disproof >= limits.disproof
    }

    /// The numbers of a position seen from the side that chooses there: first what it needs to show.
    pub(super) const fn seen_by(self, turn: Turn) -> (u32, u32) {
        match turn {
            Turn::Attacker => (self.proof, self.disproof),
            Turn::Defender => (self.disproof, self.proof),
        }
    }

    pub(super) const fn of(turn: Turn, (own, other): (u32, u32)) -> Numbers {
        match turn {
            Turn::Attacker => Numbers {
                proof: own,
                disproof: other,
            },
            Turn::Defender => Numbers {
                proof: other,
                disproof: own,
            },
        }
    }
}

/// Who chooses at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Attacker,
    Defender,
}

/// The numbers of a position nothing is known of.
pub(super) const START: Numbers = Numbers {
    proof: 1,
    disproof: 1,
};
