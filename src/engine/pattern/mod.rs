//! What a stone would make: looked up by the neighbourhood of a cell along a line, then folded over the
//! four lines into one class.

mod shape;

pub(super) use shape::{LineKey, Shape, bit_ahead, bit_behind, place};

use std::sync::LazyLock;

use crate::board::{ByColor, Color};
use crate::engine::pattern::shape::{Fouls, LineShapes};
use crate::rules::Rule;

/// What a stone makes in all four lines together, as far as the search tells moves apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Class {
    /// Nothing that has to be answered.
    Quiet,
    /// An open three.
    Three,
    /// Two of them.
    DoubleThree,
    /// A four.
    Four,
    /// A four and an open three.
    FourThree,
    /// An open four or two fours: a five follows.
    OpenFour,
    /// A five.
    Five,
    /// What renju forbids to Black, whatever else it makes, except a five.
    Foul,
}

/// The four shapes of a cell for one colour, four bits each, by the order of the directions.
pub(super) type Shapes = u16;

/// The shapes of the four lines apart.
#[inline]
pub(super) fn lines_of(shapes: Shapes) -> [Shape; 4] {
    std::array::from_fn(|line| Shape::of_bits(shapes >> (4 * line)))
}

/// How far a line is seen to each side where an overline differs from a five.
const FAR: usize = 5;
/// How far where it does not.
const NEAR: usize = 4;

/// The tables of a rule.
pub(super) struct Patterns {
    /// How far a line is seen to each side.
    pub(super) radius: usize,
    /// By line key: Black's shape in the low four bits, White's in the high four.
    lines: Vec<u8>,
    /// By the shapes of the four lines.
    classes: ByColor<Vec<Class>>,
    /// By the shapes: may a stone here be a double three, which only the whole board tells?
    renju: bool,
}

impl Patterns {
    /// The tables of a rule, built when first asked for.
    pub(super) fn of(rule: Rule) -> &'static Patterns {
        static FREESTYLE: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(Rule::Freestyle));
        static STANDARD: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(Rule::Standard));
        static RENJU: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(Rule::Renju));
        static CARO: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(Rule::Caro));
        match rule {
            Rule::Freestyle => &FREESTYLE,
            Rule::Standard => &STANDARD,
            Rule::Renju => &RENJU,
            Rule::Caro => &CARO,
        }
    }

    fn new(rule: Rule) -> Patterns {
        let radius = if rule == Rule::Freestyle { NEAR } else { FAR };
        let fouls = |color| {
            if rule == Rule::Renju && color == Color::Black {
                Fouls::Forbidden
            } else {
                Fouls::Allowed
            }
        };
        let mut lines = vec![0; 1 << (4 * radius)];
        for color in [Color::Black, Color::White] {
            let mut shapes = LineShapes::new(rule.five(color), fouls(color), radius);
            for key in LineShapes::keys(radius) {
                let shape = shapes.shape(key) as u8;
                match color {
                    Color::Black => lines[key as usize] |= shape,
                    Color::White => lines[swapped(key) as usize] |= shape << 4,
                }
            }
        }
        let classes = |color| {
            (0..=u16::MAX)
                .map(|shapes| class(shapes, fouls(color)))
                .collect()
        };
        Patterns {
            radius,
            lines,
            classes: ByColor {
                black: classes(Color::Black),
                white: classes(Color::White),
            },
            renju: rule == Rule::Renju,
        }
    }

    /// The shapes that a line gives its middle: Black's in the low four bits, White's in the high four.
    #[inline]
    pub(super) fn pair(&self, key: LineKey) -> u8 {
        self.lines[key as usize & (self.lines.len() - 1)]
    }

    /// What the four lines of a cell make together.
    #[inline]
    pub(super) fn class(&self, color: Color, shapes: Shapes) -> Class {
        self.classes[color][usize::from(shapes)]
    }

    /// Might a stone with these shapes be a double three that renju forbids? Only the board tells.
    #[inline]
    pub(super) fn is_doubtful(&self, color: Color, shapes: Shapes) -> bool {
        self.renju && color == Color::Black && Counts::of(shapes).threes > 1
    }
}

/// A line key as the other colour sees it.
const fn swapped(key: LineKey) -> LineKey {
    (key & 0x5_5555) << 1 | (key & 0xA_AAAA) >> 1
}

/// How many lines of a cell make what.
struct Counts {
    fives: u32,
    open_fours: u32,
    fours: u32,
    threes: u32,
    fouls: u32,
}

impl Counts {
    fn of(shapes: Shapes) -> Counts {
        let mut counts = Counts {
            fives: 0,
            open_fours: 0,
            fours: 0,
            threes: 0,
            fouls: 0,
        };
        for shape in lines_of(shapes) {
            match shape {
                Shape::Five => counts.fives += 1,
                Shape::OpenFour => counts.open_fours += 1,
                Shape::Four => counts.fours += 1,
                Shape::OpenThree | Shape::OpenThreePlus => counts.threes += 1,
                Shape::Foul => counts.fouls += 1,
                _ => {}
            }
        }
        counts
    }
}

fn class(shapes: Shapes, fouls: Fouls) -> Class {
    let counts = Counts::of(shapes);
    let all_fours = counts.fours + counts.open_fours;
    if counts.fives > 0 {
        Class::Five
    } else if fouls == Fouls::Forbidden && (counts.fouls > 0 || all_fours > 1) {
        Class::Foul
    } else if counts.open_fours > 0 || counts.fours > 1 {
        Class::OpenFour
    } else if counts.fours > 0 && counts.threes > 0 {
        Class::FourThree
    } else if counts.fours > 0 {
        Class::Four
    } else if counts.threes > 1 {
        Class::DoubleThree
    } else if counts.threes > 0 {
        Class::Three
    } else {
        Class::Quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_a_cell_is_what_its_four_lines_make_together() {
        for shapes in 0..=u16::MAX {
            let lines: [Shape; 4] =
                std::array::from_fn(|line| Shape::of_bits(shapes >> (4 * line)));
            let count = |of: &[Shape]| lines.iter().filter(|shape| of.contains(shape)).count();
            let fours = count(&[Shape::Four, Shape::OpenFour]);
            let threes = count(&[Shape::OpenThree, Shape::OpenThreePlus]);
            let free = match (
                count(&[Shape::Five]),
                count(&[Shape::OpenFour]),
                fours,
                threes,
            ) {
                (1.., ..) => Class::Five,
                (_, 1.., ..) | (_, _, 2.., _) => Class::OpenFour,
                (_, _, 1, 1..) => Class::FourThree,
                (_, _, 1, _) => Class::Four,
                (.., 2..) => Class::DoubleThree,
                (.., 1) => Class::Three,
                _ => Class::Quiet,
            };
            let is_foul = free != Class::Five && (fours > 1 || count(&[Shape::Foul]) > 0);
            let bound = if is_foul { Class::Foul } else { free };
            for rule in Rule::ALL {
                for color in [Color::Black, Color::White] {
                    let right = if rule == Rule::Renju && color == Color::Black {
                        bound
                    } else {
                        free
                    };
                    assert_eq!(
                        Patterns::of(rule).class(color, shapes),
                        right,
                        "{rule} {color} {lines:?}"
                    );
                }
            }
        }
    }
}
