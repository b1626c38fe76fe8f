use crate::board::{STEP, mixed};

/// A stream of numbers by chance from a seed: splitmix64. Equal seeds, equal streams.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The next number, of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// The next number from 0 up to but not including a count.
    ///
    /// # Panics
    ///
    /// When the count is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// The next number from 0 up to 1.
    pub(super) fn part(&mut self) -> f64 {
        // The upper half of the bits is as many as a float holds exactly.
        (self.bits() >> 32) as f64 / f64::from(u32::MAX) * (1.0 - f64::EPSILON)
    }
}
