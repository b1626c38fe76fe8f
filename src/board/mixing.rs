/// The step between two states of splitmix64: the golden ratio in 64 bits.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of splitmix64 (Steele, Lea and Flood 2014, the variant of Vigna's `splitmix64.c`):
/// numbers that differ a little become numbers that have nothing in common.
pub(crate) const fn mixed(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The number that stands for another one: the output of splitmix64 after so many steps from 0.
pub(crate) const fn mix(number: u64) -> u64 {
    mixed(number.wrapping_mul(STEP))
}
