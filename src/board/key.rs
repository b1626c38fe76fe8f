use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Board, BoardSize, Cell, Color, Symmetry, mix};

/// A 64-bit name of a position: the size, the stones and whose turn it is. Equal positions have equal keys.
///
/// The definition is kept from version to version, so keys may be stored. With `mix(n)` the output
/// function of SplitMix64 (Steele, Lea and Flood 2014, the variant of Vigna's `splitmix64.c`) applied
/// to `n * 0x9e3779b97f4a7c15` modulo 2^64, a key is the exclusive or of
///
/// - `mix(size)`,
/// - for each stone `mix(1000 + 1000 * colour + 25 * height + column)` with colour 0 for Black and 1
///   for White, height from 0 at the bottom, column from 0 at the left,
/// - `mix(3000)` when White is to move.
///
/// The *symmetry key* is the least key over the eight symmetries of the board: positions that are
/// rotations or reflections of each other share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64);

impl Key {
    /// The key of a position, computed from its stones.
    pub fn of(board: &Board, to_move: Color) -> Key {
        board
            .occupied()
            .fold(Key::before(board.size(), to_move), |key, (cell, color)| {
                key.with_stone(cell, color)
            })
    }

    /// The key of an empty board with Black to move.
    pub fn empty(size: BoardSize) -> Key {
        Key(mix(u64::from(size.lines())))
    }

    /// The key after a stone is put on a cell, or taken from it; the turn is left as it is.
    #[must_use]
    pub fn with_stone(self, cell: Cell, color: Color) -> Key {
        Key(self.0 ^ STONES[color as usize][cell.index()])
    }

    /// The key after the turn has gone to the other side.
    #[must_use]
    pub fn with_turn_passed(self) -> Key {
        Key(self.0 ^ WHITE_TO_MOVE)
    }

    /// The least key over the eight symmetries, and the first symmetry that leads to it.
    pub fn least(board: &Board, to_move: Color) -> (Key, Symmetry) {
        let size = board.size();
        let mut keys = Symmetry::ALL.map(|symmetry| (Key::before(size, to_move), symmetry));
        for (cell, color) in board.occupied() {
            for (key, symmetry) in &mut keys {
                *key = key.with_stone(symmetry.apply(cell, size), color);
            }
        }
        keys.into_iter()
            .min_by_key(|(key, _)| *key)
            .expect("there are eight symmetries")
    }

    /// The key of an empty board with a side to move.
    fn before(size: BoardSize, to_move: Color) -> Key {
        match to_move {
            Color::Black => Key::empty(size),
            Color::White => Key::empty(size).with_turn_passed(),
        }
    }
}

const WHITE_TO_MOVE: u64 = mix(3000);
static STONES: [[u64; Cell::INDICES]; 2] = [stone_keys(1000), stone_keys(2000)];

const fn stone_keys(first: u64) -> [u64; Cell::INDICES] {
    let mut keys = [0; Cell::INDICES];
    let mut height = 0;
    while height < BoardSize::LARGEST.lines() {
        let mut column = 0;
        while column < BoardSize::LARGEST.lines() {
            if let Some(cell) = Cell::new(column, height) {
                keys[cell.index()] = mix(first + 25 * height as u64 + column as u64);
            }
            column += 1;
        }
        height += 1;
    }
    keys
}

/// The number itself, to be kept; as signed numbers databases have it.
impl From<Key> for i64 {
    fn from(key: Key) -> i64 {
        key.0.cast_signed()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a key is sixteen hexadecimal digits in lower case")]
pub struct ParseKeyError;

impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Key, ParseKeyError> {
        let is_key =
            text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_key {
            return Err(ParseKeyError);
        }
        u64::from_str_radix(text, 16)
            .map(Key)
            .map_err(|_| ParseKeyError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_gives_the_published_outputs_of_splitmix64() {
        // The first outputs of splitmix64.c seeded with 0.
        assert_eq!(mix(1), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(2), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(mix(3), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn keys_are_the_documented_ones_and_do_not_change_between_versions() {
        let mut board = Board::new(BoardSize::DEFAULT);
        assert_eq!(Key::of(&board, Color::Black).0, mix(15));
        board.put("h8".parse().unwrap(), Color::Black);
        let key = Key::of(&board, Color::White);
        assert_eq!(key.0, mix(15) ^ mix(1000 + 25 * 7 + 7) ^ mix(3000));
        assert_eq!(key.to_string(), "dd8c4c8359497530");
        assert_eq!("dd8c4c8359497530".parse(), Ok(key));
    }

    #[test]
    fn all_parts_of_a_key_differ() {
        let mut parts: Vec<u64> = (5..=25).map(mix).collect();
        parts.push(WHITE_TO_MOVE);
        for keys in &STONES {
            parts.extend(BoardSize::LARGEST.cells().map(|cell| keys[cell.index()]));
        }
        let count = parts.len();
        parts.sort_unstable();
        parts.dedup();
        assert_eq!(parts.len(), count);
    }

    #[test]
    fn a_key_is_sixteen_lower_case_digits() {
        for text in [
            "",
            "0",
            "DD8C4C8359497530",
            "+d8c4c8359497530",
            "dd8c4c83594975300",
        ] {
            assert_eq!(text.parse::<Key>(), Err(ParseKeyError), "{text:?}");
        }
    }
}
