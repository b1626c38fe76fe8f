//! The evaluation: a small network over what a stone on each empty cell would make, trained on the
//! engine's own games (`examples/train.rs`, `docs/engine.md`).
//!
//! Each line of a cell has a row of numbers, by the shapes of both colours there. The rows of the four
//! lines are added and cut at zero and at a most; the sums over the cells go through a small layer, one
//! for each side to move. So a change of a few cells changes the sums by a few rows.

use std::sync::LazyLock;

use crate::board::{ByColor, Color};
use crate::engine::cells::Place;
use crate::engine::pattern::{Class, Shapes};
use crate::rules::Rule;

/// The numbers kept for each cell.
pub const CHANNELS: usize = 32;
/// The numbers between the sums and the value.
pub const HIDDEN: usize = 32;
/// The pairs of shapes that a line can give both colours.
pub const PAIRS: usize = 256;
/// The pairs of classes that a cell can have for both colours.
pub const CLASS_PAIRS: usize = 64;
/// The ways in which two cells can lie to each other: within six by the differences of their rows and columns,
/// whichever is which, and one for all farther.
pub const OFFSETS: usize = FAR * (FAR + 1) / 2 + 1;
/// From this difference on all cells are equally far.
const FAR: usize = 7;
/// One, in the whole numbers of the rows.
const ONE: f32 = 256.0;
/// The most that a cell adds to a channel, in the same.
const MOST: i16 = 2047;
/// The most that a cell adds to a channel.
pub const MOST_OF_A_CELL: f32 = MOST as f32 / ONE;
/// The sums are made smaller by this before the layer.
pub const SHRINK: f32 = 1.0 / 32.0;
/// Points for a unit of the network's value, which is the logarithm of the odds to win.
pub const POINTS: f32 = 200.0;
/// No position is worth more points: the rest is for wins.
const MOST_POINTS: i32 = 20_000;

pub(super) struct Network {
    rows: Box<[[i16; CHANNELS]; PAIRS]>,
    heads: ByColor<Head>,
    policies: ByColor<Policy>,
}

struct Head {
    inner: [[f32; CHANNELS]; HIDDEN],
    inner_bias: [f32; HIDDEN],
    outer: [f32; HIDDEN],
    outer_bias: f32,
}

/// What makes a stone likely to be the best, as points of the logarithm of the odds.
struct Policy {
    lines: [i32; PAIRS],
    classes: [i32; CLASS_PAIRS],
    /// By where the cell lies to the last stone, and to the one before.
    offsets: [[i32; OFFSETS]; 2],
}

/// What a policy's points are: so many for a unit of the logarithm of the odds.
const POLICY_POINTS: f32 = 100.0;

/// The sums over the cells.
pub(super) type Sums = [i32; CHANNELS];

impl Network {
    /// The network of a rule.
    pub(super) fn of(rule: Rule) -> &'static Network {
        static FREESTYLE: LazyLock<Network> =
            LazyLock::new(|| Network::read(include_bytes!("weights/freestyle.bin")));
        static STANDARD: LazyLock<Network> =
            LazyLock::new(|| Network::read(include_bytes!("weights/standard.bin")));
        static RENJU: LazyLock<Network> =
            LazyLock::new(|| Network::read(include_bytes!("weights/renju.bin")));
        match rule {
            Rule::Freestyle => &FREESTYLE,
            Rule::Standard | Rule::Caro => &STANDARD,
            Rule::Renju => &RENJU,
        }
    }

    /// Reads the weights: 32-bit floats, little end first, in the order of the fields.
    fn read(bytes: &[u8]) -> Network {
        let mut numbers = bytes.chunks_exact(4).map(|word| {
            f32::from_le_bytes(word.try_into().expect("a chunk of four octets has four"))
        });
        let mut next = || numbers.next().expect("the weights of the build are whole");
        let mut rows = Box::new([[0; CHANNELS]; PAIRS]);
        for number in rows.as_flattened_mut() {
            *number = (next() * ONE).round() as i16;
        }
        let mut head = || Head {
            inner: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            inner_bias: std::array::from_fn(|_| next()),
            outer: std::array::from_fn(|_| next()),
            outer_bias: next(),
        };
        let heads = ByColor {
            black: head(),
            white: head(),
        };
        let mut points = || (next() * POLICY_POINTS).round() as i32;
        let mut policy = || Policy {
            lines: std::array::from_fn(|_| points()),
            classes: std::array::from_fn(|_| points()),
            offsets: std::array::from_fn(|_| std::array::from_fn(|_| points())),
        };
        let policies = ByColor {
            black: policy(),
            white: policy(),
        };
        Network {
            rows,
            heads,
            policies,
        }
    }

    /// What a cell adds to the sums.
    #[inline]
    fn cell(&self, shapes: ByColor<Shapes>) -> [i16; CHANNELS] {
        let mut cell = [0_i16; CHANNELS];
        for line in 0..4 {
            let row = &self.rows[pair(shapes, line)];
            for (number, more) in cell.iter_mut().zip(row) {
                *number += more;
            }
        }
        for number in &mut cell {
            *number = (*number).clamp(0, MOST);
        }
        cell
    }

    #[inline]
    pub(super) fn add(&self, sums: &mut Sums, shapes: ByColor<Shapes>) {
        for (sum, number) in sums.iter_mut().zip(self.cell(shapes)) {
            *sum += i32::from(number);
        }
    }

    #[inline]
    pub(super) fn remove(&self, sums: &mut Sums, shapes: ByColor<Shapes>) {
        for (sum, number) in sums.iter_mut().zip(self.cell(shapes)) {
            *sum -= i32::from(number);
        }
    }

    #[inline]
    pub(super) fn change(&self, sums: &mut Sums, old: ByColor<Shapes>, new: ByColor<Shapes>) {
        let (old, new) = (self.cell(old), self.cell(new));
        for ((sum, old), new) in sums.iter_mut().zip(old).zip(new) {
            *sum += i32::from(new - old);
        }
    }

    /// The value for the side to move, in points.
    pub(super) fn value(&self, sums: &Sums, to_move: Color) -> i32 {
        let head = &self.heads[to_move];
        let mut inputs = [0.0; CHANNELS];
        for (input, sum) in inputs.iter_mut().zip(sums) {
            *input = *sum as f32 * (SHRINK / ONE);
        }
        let mut value = head.outer_bias;
        for ((weights, bias), outer) in head.inner.iter().zip(head.inner_bias).zip(head.outer) {
            let mut partial = [0.0; 8];
            for (weights, inputs) in weights.chunks_exact(8).zip(inputs.chunks_exact(8)) {
                for ((sum, weight), input) in partial.iter_mut().zip(weights).zip(inputs) {
                    *sum += weight * input;
                }
            }
            value += outer * (bias + partial.iter().sum::<f32>()).max(0.0);
        }
        ((value * POINTS) as i32).clamp(-MOST_POINTS, MOST_POINTS)
    }

    /// How likely a stone of the side to move is the best one, in points.
    #[inline]
    pub(super) fn move_points(
        &self,
        to_move: Color,
        shapes: ByColor<Shapes>,
        classes: ByColor<Class>,
        offsets: [usize; 2],
    ) -> i32 {
        let policy = &self.policies[to_move];
        let lines: i32 = (0..4).map(|line| policy.lines[pair(shapes, line)]).sum();
        let near = policy.offsets[0][offsets[0]] + policy.offsets[1][offsets[1]];
        lines + policy.classes[class_pair(classes)] + near
    }
}

/// Where a cell lies to a stone, as one number; where the stone is not known it is far.
#[inline]
pub(super) fn offset(place: Place, stone: Option<Place>) -> usize {
    match stone.map(|stone| place.apart(stone)) {
        Some((most, least)) if most < FAR => most * (most + 1) / 2 + least,
        _ => OFFSETS - 1,
    }
}

/// The shapes of both colours in a line, as one number.
#[inline]
pub(super) fn pair(shapes: ByColor<Shapes>, line: usize) -> usize {
    usize::from((shapes.black >> (4 * line) & 15) << 4 | shapes.white >> (4 * line) & 15)
}

/// The classes of both colours, as one number.
#[inline]
pub(super) fn class_pair(classes: ByColor<Class>) -> usize {
    classes.black as usize * 8 + classes.white as usize
}
