use std::fmt;
use std::ops::{Index, IndexMut, Not};
use std::str::FromStr;

use thiserror::Error;

/// The colour of a stone, and of the player who places it. Black begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The player who begins.
    Black,
    /// The player who answers.
    White,
}

impl Color {
    /// Both colours, Black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// Whose turn a ply is, counted from 1: Black has the odd ones.
    pub const fn of_ply(ply: usize) -> Color {
        if ply % 2 == 1 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// `black` or `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is neither `black` nor `white`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a colour is black or white")]
pub struct ParseColorError;

impl FromStr for Color {
    type Err = ParseColorError;

    fn from_str(text: &str) -> Result<Color, ParseColorError> {
        Color::ALL
            .into_iter()
            .find(|color| color.name() == text)
            .ok_or(ParseColorError)
    }
}

/// One value for each colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByColor<T> {
    /// Black's.
    pub black: T,
    /// White's.
    pub white: T,
}

impl<T: Copy, const N: usize> ByColor<[T; N]> {
    /// The value of each colour at an index.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> ByColor<T> {
        ByColor {
            black: self.black[index],
            white: self.white[index],
        }
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    fn index(&self, color: Color) -> &T {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    fn index_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_read_back_and_alternate() {
        for color in Color::ALL {
            assert_eq!(color.to_string().parse(), Ok(color));
            assert_eq!(!!color, color);
            assert_ne!(!color, color);
        }
        assert_eq!("Black".parse::<Color>(), Err(ParseColorError));
        assert_eq!(Color::of_ply(1), Color::Black);
        assert_eq!(Color::of_ply(2), Color::White);
    }
}
