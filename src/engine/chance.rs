/// A stream of numbers by chance from a seed: splitmix64 (Steele, Lea and Flood, 2014).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// The next number from 0 up to 1.
    pub(super) fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        // The upper half of the bits is as many as a float holds exactly.
        (mixed(self.0) >> 32) as f64 / f64::from(u32::MAX) * (1.0 - f64::EPSILON)
    }
}

/// The mixing of splitmix64: numbers that differ a little become numbers that have nothing in common.
pub(super) const fn mixed(number: u64) -> u64 {
    let bits = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}
