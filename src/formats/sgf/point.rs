use crate::board::{BoardSize, Cell};
use crate::formats::Reason;
use crate::formats::refusal::excerpt;
use crate::record::{Ply, notation};

/// The largest board on which `tt` lies outside and is a pass.
const LARGEST_WITH_TT_OUTSIDE: u8 = 19;

/// The move of a value: two letters from the top left corner, or a letter and a number; nothing, `tt`
/// on the smaller boards, or `pass` is a pass.
pub(super) fn read_move(raw: &str, size: BoardSize) -> Result<Ply, Reason> {
    let text = raw.trim();
    let is_pass_word = text.eq_ignore_ascii_case("tt") && size.lines() <= LARGEST_WITH_TT_OUTSIDE;
    if text.is_empty() || is_pass_word {
        return Ok(Ply::Pass);
    }
    match text.as_bytes() {
        // No supported board has a line with a capital letter of its own.
        [column, row] if column.is_ascii_alphabetic() && row.is_ascii_alphabetic() => {
            Ok(Ply::stone_at_row(index_of(*row), index_of(*column), size))
        }
        _ => notation::read_move(text).ok_or_else(|| Reason::NotAMove(excerpt(text))),
    }
}

fn index_of(letter: u8) -> i64 {
    i64::from(letter.to_ascii_lowercase() - b'a')
}

/// The cells of a value: one point, or the corners of a rectangle as in `aa:cc`.
pub(super) fn read_cells(raw: &str, size: BoardSize) -> Result<impl Iterator<Item = Cell>, Reason> {
    let (from, to) = raw.split_once(':').unwrap_or((raw, raw));
    let (from, to) = (read_cell(from, size)?, read_cell(to, size)?);
    let between = |a: u8, b: u8| a.min(b)..=a.max(b);
    let columns = between(from.column(), to.column());
    let heights = between(from.height(), to.height());
    Ok(heights.flat_map(move |height| {
        let columns = columns.clone();
        columns.filter_map(move |column| Cell::new(column, height))
    }))
}

fn read_cell(raw: &str, size: BoardSize) -> Result<Cell, Reason> {
    match read_move(raw, size)? {
        Ply::Stone(cell) if size.contains(cell) => Ok(cell),
        Ply::Pass => Err(Reason::NotAMove(excerpt(raw))),
        Ply::Stone(_) | Ply::Outside(_) => Err(Reason::OffBoard {
            ply: 0,
            text: excerpt(raw),
            size,
        }),
    }
}

/// The cell as two letters.
pub(super) fn written(cell: Cell, size: BoardSize) -> Option<[char; 2]> {
    let letter = |index: u8| char::from(b'a' + index);
    Some([letter(cell.column()), letter(cell.row(size)?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str, lines: i64) -> String {
        match read_move(raw, BoardSize::try_from(lines).unwrap()) {
            Ok(ply) => ply.to_string(),
            Err(reason) => reason.to_string(),
        }
    }

    #[test]
    fn letters_count_from_the_top_and_numbers_from_the_bottom() {
        for (raw, cell) in [
            ("hh", "h8"),
            ("ig", "i9"),
            ("aa", "a15"),
            ("HH", "h8"),
            ("h8", "h8"),
            ("H10", "h10"),
            ("tt", "pass"),
            ("", "pass"),
            ("PASS", "pass"),
            ("h", "\"h\" is not a move"),
            ("h8i9", "\"h8i9\" is not a move"),
        ] {
            assert_eq!(read(raw, 15), cell, "{raw:?}");
        }
        assert_eq!(read("tt", 20), "t1");
        assert_eq!(read("tt", 19), "pass");
    }

    #[test]
    fn every_cell_reads_back_as_it_is_written() {
        for lines in 5..=25 {
            let size = BoardSize::try_from(lines).unwrap();
            for cell in size.cells() {
                let text: String = written(cell, size).unwrap().iter().collect();
                let is_pass = text == "tt" && lines <= 19;
                assert!(!is_pass);
                assert_eq!(read_move(&text, size), Ok(Ply::Stone(cell)));
            }
        }
    }

    #[test]
    fn rectangles_hold_all_between_their_corners() {
        let cells = |raw| {
            let cells = read_cells(raw, BoardSize::DEFAULT).unwrap();
            cells.map(|cell| cell.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(cells("ha:hc"), ["h13", "h14", "h15"]);
        assert_eq!(cells("bb:aa"), ["a14", "b14", "a15", "b15"]);
        assert_eq!(cells("h8"), ["h8"]);
        for raw in ["", "tt", "zz", "aa:zz", "aa:", "aa:bb:cc"] {
            assert!(read_cells(raw, BoardSize::DEFAULT).is_err(), "{raw:?}");
        }
    }
}
