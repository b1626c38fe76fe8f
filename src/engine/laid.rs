//! The board before the first stone, laid once for each rule and size.

use std::sync::OnceLock;

use crate::board::{BoardSize, ByColor, Color};
use crate::engine::cells::{CellSet, Place};
use crate::engine::network::{Network, Sums};
use crate::engine::pattern::{Class, LineKey, Patterns, Shapes, bit_ahead, bit_behind, place};
use crate::rules::Rule;

/// Rows of padding below and above the board, so that a line can run past the edge.
pub(super) const MARGIN: usize = 6 * 32;
const PADDED: usize = Place::COUNT + 2 * MARGIN;

/// What one step along each direction adds to an index.
pub(super) const STEPS: [usize; 4] = [1, 32, 33, 31];

/// What the places around each cell hold, along each line.
pub(super) type Lines = [[LineKey; 4]; PADDED];

/// The board before the first stone: what every state of a rule and a size begins with.
pub(super) struct Laid {
    pub(super) lines: Lines,
    pub(super) shapes: ByColor<[Shapes; Place::COUNT]>,
    pub(super) classes: ByColor<[Class; Place::COUNT]>,
    pub(super) sums: Sums,
}

impl Laid {
    /// The board of a rule and a size, laid when first asked for.
    pub(super) fn of(rule: Rule, size: BoardSize) -> &'static Laid {
        const SIZES: usize = BoardSize::LARGEST.lines() as usize + 1;
        static ALL: [[OnceLock<Box<Laid>>; SIZES]; Rule::ALL.len()] =
            [const { [const { OnceLock::new() }; SIZES] }; Rule::ALL.len()];
        let laid = &ALL[rule as usize][usize::from(size.lines())];
        laid.get_or_init(|| Box::new(Laid::new(rule, size)))
    }

    fn new(rule: Rule, size: BoardSize) -> Laid {
        let patterns = Patterns::of(rule);
        let mut laid = Laid {
            lines: [[0; 4]; PADDED],
            shapes: ByColor {
                black: [0; Place::COUNT],
                white: [0; Place::COUNT],
            },
            classes: ByColor {
                black: [Class::Quiet; Place::COUNT],
                white: [Class::Quiet; Place::COUNT],
            },
            sums: Sums::default(),
        };
        for place in CellSet::board(size).iter() {
            laid.lay(patterns, size, place);
        }
        laid.sums = laid.first_sums(rule, size);
        laid
    }

    /// The sums before the first stone: on every size those of the size that the network was trained on. What
    /// stones change is the same near them, however far the edges are.
    fn first_sums(&self, rule: Rule, size: BoardSize) -> Sums {
        if size != BoardSize::DEFAULT {
            return Laid::of(rule, BoardSize::DEFAULT).sums;
        }
        let network = Network::of(rule);
        let mut sums = Sums::default();
        for place in CellSet::board(size).iter() {
            network.add(&mut sums, self.shapes.at(place.index()));
        }
        sums
    }

    /// Works out a cell.
    fn lay(&mut self, patterns: &Patterns, size: BoardSize, place: Place) {
        let at = place.index() + MARGIN;
        for (line, step) in STEPS.into_iter().enumerate() {
            let mut key = 0;
            for distance in 1..=patterns.radius {
                for (there, bit) in [
                    (at - distance * step, bit_behind(distance)),
                    (at + distance * step, bit_ahead(distance)),
                ] {
                    if !is_on_board(there, size) {
                        key |= place::OUTSIDE << bit;
                    }
                }
            }
            self.lines[at][line] = key;
        }
        let shapes = shapes_of(patterns, self.lines[at]);
        for color in [Color::Black, Color::White] {
            self.shapes[color][place.index()] = shapes[color];
            self.classes[color][place.index()] = patterns.class(color, shapes[color]);
        }
    }
}

fn is_on_board(padded: usize, size: BoardSize) -> bool {
    let (row, column) = (padded / 32, padded % 32);
    let lines = usize::from(size.lines());
    (MARGIN / 32..MARGIN / 32 + lines).contains(&row) && column < lines
}

/// What a stone of each colour makes in the four lines of a cell.
pub(super) fn shapes_of(patterns: &Patterns, lines: [LineKey; 4]) -> ByColor<Shapes> {
    let mut shapes = ByColor { black: 0, white: 0 };
    for (line, key) in lines.into_iter().enumerate() {
        let pair = patterns.pair(key);
        shapes.black |= Shapes::from(pair & 15) << (4 * line);
        shapes.white |= Shapes::from(pair >> 4) << (4 * line);
    }
    shapes
}
