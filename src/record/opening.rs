use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{BoardSize, Cell, Symmetry};
use crate::record::{Ply, Record};

/// One of the 26 openings of renju: Black's first stone on the centre of a board of 15 lines, White's beside
/// it, Black's second in the middle 5×5. White's stone touches a side of the centre in the direct
/// openings and a corner of it in the indirect ones. The numbers and names are those of the Renju
/// International Federation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opening(u8);

/// Abbreviation, name, White's stone and Black's second, as the openings are usually drawn.
type Entry = (&'static str, &'static str, &'static str, &'static str);

const TABLE: [Entry; 26] = [
    ("D1", "Kansei", "h9", "h10"),
    ("D2", "Keigetsu", "h9", "i10"),
    ("D3", "Sosei", "h9", "j10"),
    ("D4", "Kagetsu", "h9", "i9"),
    ("D5", "Zangetsu", "h9", "j9"),
    ("D6", "Ugetsu", "h9", "i8"),
    ("D7", "Kinsei", "h9", "j8"),
    ("D8", "Shogetsu", "h9", "h7"),
    ("D9", "Kyugetsu", "h9", "i7"),
    ("D10", "Shingetsu", "h9", "j7"),
    ("D11", "Zuisei", "h9", "h6"),
    ("D12", "Sangetsu", "h9", "i6"),
    ("D13", "Yusei", "h9", "j6"),
    ("I1", "Chosei", "i9", "j10"),
    ("I2", "Kyogetsu", "i9", "j9"),
    ("I3", "Kosei", "i9", "j8"),
    ("I4", "Suigetsu", "i9", "j7"),
    ("I5", "Ryusei", "i9", "j6"),
    ("I6", "Ungetsu", "i9", "i8"),
    ("I7", "Hogetsu", "i9", "i7"),
    ("I8", "Rangetsu", "i9", "i6"),
    ("I9", "Gingetsu", "i9", "h7"),
    ("I10", "Myojo", "i9", "h6"),
    ("I11", "Shagetsu", "i9", "g7"),
    ("I12", "Meigetsu", "i9", "g6"),
    ("I13", "Suisei", "i9", "f6"),
];

impl Opening {
    /// All 26, the direct ones first.
    pub fn all() -> impl Iterator<Item = Opening> {
        (0..26).map(Opening)
    }

    /// The abbreviation, as `D4`.
    pub const fn abbreviation(self) -> &'static str {
        TABLE[self.0 as usize].0
    }

    /// The name, as `Kagetsu`.
    pub const fn name(self) -> &'static str {
        TABLE[self.0 as usize].1
    }

    /// The opening that a record begins with, in any of its eight orientations and under any rule.
    pub fn of(record: &Record) -> Option<Opening> {
        if record.size() != BoardSize::DEFAULT {
            return None;
        }
        let [Ply::Stone(first), Ply::Stone(second), Ply::Stone(third), ..] = record.plies() else {
            return None;
        };
        Opening::of_stones([*first, *second, *third])
    }

    /// The opening that three stones on a board of 15 lines make, in the order in which they were played.
    pub fn of_stones(stones: [Cell; 3]) -> Option<Opening> {
        let size = BoardSize::DEFAULT;
        let [centre, second, third] = stones;
        if centre != size.centre() || !stones.iter().all(|cell| size.contains(*cell)) {
            return None;
        }
        let (near, far) = (distance(centre, second), distance(centre, third));
        if near != 1 || far > 2 || third == centre || third == second {
            return None;
        }
        Symmetry::ALL.into_iter().find_map(|symmetry| {
            let turned = (
                symmetry.apply(second, size).to_string(),
                symmetry.apply(third, size).to_string(),
            );
            Opening::all().find(|opening| {
                let (_, _, second, third) = TABLE[usize::from(opening.0)];
                (second, third) == (turned.0.as_str(), turned.1.as_str())
            })
        })
    }
}

/// The steps of a king between two cells.
fn distance(from: Cell, to: Cell) -> u8 {
    let columns = from.column().abs_diff(to.column());
    columns.max(from.height().abs_diff(to.height()))
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.abbreviation())
    }
}

/// A text that names no opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an opening is D1 to D13 or I1 to I13")]
pub struct ParseOpeningError;

impl FromStr for Opening {
    type Err = ParseOpeningError;

    fn from_str(text: &str) -> Result<Opening, ParseOpeningError> {
        Opening::all()
            .find(|opening| opening.abbreviation() == text)
            .ok_or(ParseOpeningError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::notation::read_moves;
    use crate::rules::Rule;

    fn opening(moves: &str, size: BoardSize) -> Option<Opening> {
        let plies = read_moves(moves, 20).expect("all are moves");
        Opening::of(&Record::new(Rule::Renju, size, plies))
    }

    #[test]
    fn every_orientation_of_an_opening_has_its_name() {
        let size = BoardSize::DEFAULT;
        for known in Opening::all() {
            let (_, _, second, third) = TABLE[usize::from(known.0)];
            for symmetry in Symmetry::ALL {
                let stones = ["h8", second, third]
                    .map(|cell| symmetry.apply(cell.parse().expect("a cell"), size));
                assert_eq!(Opening::of_stones(stones), Some(known), "{symmetry}");
            }
            assert_eq!(known.to_string().parse(), Ok(known));
        }
    }

    /// 8 cells around the centre, for each 23 more in the middle 5×5; each belongs to one opening.
    #[test]
    fn the_openings_leave_no_gap() {
        let size = BoardSize::DEFAULT;
        let centre = size.centre();
        let mut found = vec![0; 26];
        for second in size.cells().filter(|cell| distance(centre, *cell) == 1) {
            for third in size.cells().filter(|cell| distance(centre, *cell) <= 2) {
                if third == centre || third == second {
                    continue;
                }
                let opening = Opening::of_stones([centre, second, third]).expect("one of them");
                found[usize::from(opening.0)] += 1;
            }
        }
        assert_eq!(found.iter().sum::<i32>(), 8 * 23);
        assert!(found.iter().all(|count| *count > 0), "{found:?}");
    }

    #[test]
    fn what_is_no_opening_has_no_name() {
        let default = BoardSize::DEFAULT;
        for moves in ["", "h8", "h8i9", "h8i9k8", "h8j10i9", "g8h8i8", "i9h8g7"] {
            assert_eq!(opening(moves, default), None, "{moves}");
        }
        let large = BoardSize::try_from(19).expect("a size");
        assert_eq!(opening("h8i9i7", large), None);
        assert_eq!(opening("h8i9i7", default), "I7".parse().ok());
        assert_eq!("d4".parse::<Opening>(), Err(ParseOpeningError));
    }
}
