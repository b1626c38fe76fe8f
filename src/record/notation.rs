//! Moves as people write them: `h8i9j10`, `h8 i9 j10`, `H8,I9,J10`, `1. h8 i9 2. j10`, with `pass` for a pass.
//!
//! Letters of either case; blanks, commas and semicolons between moves are optional; a number with a
//! full stop is a move number and is passed over. A letter with a row number is a place even where no
//! board has it (`z1`, `a0`, `h99`): that is for the replay to judge.

use thiserror::Error;

use crate::record::Ply;

/// A piece of text that is no move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "at character {at}: {text:?} is not a move; a move is a letter and a row number, as in h8, or pass"
)]
pub struct Unreadable {
    /// Where it begins, in characters from 1.
    pub at: usize,
    /// The piece, cut short if long.
    pub text: String,
}

/// Reads moves; what is no move is told for each piece, up to `most` pieces and at least one.
///
/// # Errors
///
/// Every [`Unreadable`] piece in order, no more than asked for.
///
/// ```
/// use tengen::record::notation::read_moves;
///
/// assert_eq!(read_moves("1. H8 i9, 2. j10", 20), read_moves("h8i9j10", 20));
/// assert_eq!(read_moves("h8 8h", 20).unwrap_err()[0].at, 4);
/// ```
pub fn read_moves(text: &str, most: usize) -> Result<Vec<Ply>, Vec<Unreadable>> {
    let mut plies = Vec::new();
    let mut faults = Vec::new();
    let mut rest = text.trim_start_matches(is_separator);
    while !rest.is_empty() {
        match read_piece(rest) {
            Some((ply, after)) => {
                plies.extend(ply);
                rest = after.trim_start_matches(is_separator);
            }
            None => {
                let end = rest.find(is_separator).unwrap_or(rest.len());
                let (piece, after) = rest.split_at(end);
                faults.push(Unreadable {
                    at: text[..text.len() - rest.len()].chars().count() + 1,
                    text: piece.chars().take(20).collect(),
                });
                if faults.len() >= most {
                    break;
                }
                rest = after.trim_start_matches(is_separator);
            }
        }
    }
    if faults.is_empty() {
        Ok(plies)
    } else {
        Err(faults)
    }
}

/// Reads a text that is one move and nothing else.
pub fn read_move(text: &str) -> Option<Ply> {
    match read_piece(text)? {
        (Some(ply), "") => Some(ply),
        _ => None,
    }
}

fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, ',' | ';')
}

/// One move, or a move number (which is no ply), and the text after it.
fn read_piece(text: &str) -> Option<(Option<Ply>, &str)> {
    let bytes = text.as_bytes();
    if bytes.len() >= 4 && bytes[..4].eq_ignore_ascii_case(b"pass") {
        return Some((Some(Ply::Pass), &text[4..]));
    }
    let digits_from = |start: usize| {
        bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    match bytes.first()? {
        letter @ (b'a'..=b'z' | b'A'..=b'Z') => {
            let digits = match digits_from(1) {
                0 => return None,
                // `h08` is nobody's spelling of a row.
                2.. if bytes[1] == b'0' => return None,
                1 => 1,
                _ => 2,
            };
            let number = text[1..=digits].parse::<i64>().ok()?;
            let column = i64::from(letter.to_ascii_lowercase() - b'a');
            Some((Some(Ply::stone_at(column, number - 1)), &text[digits + 1..]))
        }
        b'0'..=b'9' => {
            let after = text[digits_from(0)..].strip_prefix('.')?;
            Some((None, after.trim_start_matches('.')))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let plies = read_moves(text, 20).unwrap();
        plies.iter().map(Ply::to_string).collect()
    }

    #[test]
    fn all_spellings_give_the_same_moves() {
        for text in [
            "h8 i9 j10",
            "H8I9J10",
            "h8,i9,j10",
            "1. h8 i9 2. j10",
            "1.h8 i9 2.j10",
            "1. h8 1... i9 2. j10",
            " h8;\ti9\r\n j10 ",
            "h8i9j10",
            "h8, i9, j10,",
        ] {
            assert_eq!(texts(text), ["h8", "i9", "j10"], "{text:?}");
        }
    }

    #[test]
    fn passes_and_places_outside_are_read() {
        assert_eq!(texts("h8passi9PASS"), ["h8", "pass", "i9", "pass"]);
        assert_eq!(texts("p16 z1 a0 h99"), ["p16", "z1", "a0", "h99"]);
        assert!(read_moves("h101", 20).is_err(), "a third digit is no move");
    }

    #[test]
    fn what_is_no_move_is_told_with_its_place() {
        let faults = read_moves("h8 8h é i9 h 5. xx", 20).unwrap_err();
        let places: Vec<_> = faults.iter().map(|f| (f.at, f.text.as_str())).collect();
        assert_eq!(places, [(4, "8h"), (7, "é"), (12, "h"), (17, "xx")]);
        assert_eq!(read_moves("? ? ? ?", 2).unwrap_err().len(), 2);
    }

    #[test]
    fn one_move_is_one_move() {
        assert_eq!(read_move("H8"), Some(Ply::stone_at(7, 7)));
        for text in ["", "h8i9", "h8 ", "1.", "h08", "h"] {
            assert_eq!(read_move(text), None, "{text:?}");
        }
    }
}
