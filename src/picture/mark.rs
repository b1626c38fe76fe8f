use std::cmp::Reverse;
use std::fmt;

use thiserror::Error;

use crate::board::Color;

/// What is to be seen on a cell besides a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A cell that renju forbids to Black: a cross, over the stone where one was played nevertheless.
    Forbidden,
    /// A move worth playing: a ring with its rank, the best being 1.
    Hint {
        /// Its rank.
        rank: u8,
    },
    /// A cell where a stone would threaten: a lozenge in the colour of that stone, with a letter.
    Threat {
        /// Whose stone.
        by: Color,
        /// Which kind; what the letters stand for is the caller's business.
        letter: Letter,
    },
}

impl Mark {
    /// Does this mark take the place of another on the same cell? A forbidden cell goes before a hint,
    /// a hint before a threat, the better hint before the worse; else the mark stays that came first.
    pub(super) fn replaces(self, other: Mark) -> bool {
        self.weight() > other.weight()
    }

    /// May it be on a stone?
    pub(super) const fn fits_stones(self) -> bool {
        matches!(self, Mark::Forbidden)
    }

    const fn weight(self) -> (u8, Reverse<u8>) {
        match self {
            Mark::Threat { .. } => (0, Reverse(0)),
            Mark::Hint { rank } => (1, Reverse(rank)),
            Mark::Forbidden => (2, Reverse(0)),
        }
    }
}

/// A capital letter for a kind of threat: one of `A` to `Z` but `O` and `X`, which are stones of a won
/// row where the picture is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Letter(char);

impl Letter {
    /// The letter.
    pub const fn as_char(self) -> char {
        self.0
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A character that marks no threat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a threat is marked by a letter from A to Z other than O and X, not {0:?}")]
pub struct UnsupportedLetter(
    /// The character given.
    pub char,
);

impl TryFrom<char> for Letter {
    type Error = UnsupportedLetter;

    fn try_from(character: char) -> Result<Letter, UnsupportedLetter> {
        match character {
            'O' | 'X' => Err(UnsupportedLetter(character)),
            'A'..='Z' => Ok(Letter(character)),
            _ => Err(UnsupportedLetter(character)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threat_is_marked_by_a_capital_letter_that_is_no_stone() {
        let letters = ('\0'..='\u{2fff}').filter_map(|c| Letter::try_from(c).ok());
        let all: String = letters.map(Letter::as_char).collect();
        assert_eq!(all, "ABCDEFGHIJKLMNPQRSTUVWYZ");
    }

    #[test]
    fn what_matters_more_takes_the_place_of_what_matters_less() {
        let letter = Letter::try_from('F').unwrap();
        let by = Color::Black;
        let rising = [
            Mark::Threat { by, letter },
            Mark::Hint { rank: 2 },
            Mark::Hint { rank: 1 },
            Mark::Forbidden,
        ];
        for (place, mark) in rising.into_iter().enumerate() {
            for (other_place, other) in rising.into_iter().enumerate() {
                assert_eq!(mark.replaces(other), place > other_place, "{mark:?}");
            }
        }
    }
}
