//! Letters and digits as strokes of a pen.
//!
//! Why so: a renderer of PNG has no font, a fresh machine has none to lend, and a font file is a
//! hundred times the size of this table. Drawn as strokes, a coordinate is the same in SVG and PNG, and
//! looks the same in every viewer. Names of people need more letters than anybody wants to draw: they are
//! left to the viewer's fonts, so a PNG has no title. A PNG that must have one would change our mind.

use std::fmt;

/// How many columns the grid of a glyph has.
const WIDE: i32 = 4;
/// How many columns the digit 1 takes of them: in a wider one it would look pushed aside.
const NARROW: i32 = 2;
/// How many rows the grid has.
const HIGH: i32 = 8;
/// The columns between two glyphs.
const GAP: i32 = 2;

/// Writes a word to be stroked by the pen of the group around it, its middle at a point. Digits and
/// letters are drawn, the letters as capitals; other characters leave a gap.
pub(super) fn write_word(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    at: (i32, i32),
    unit: (i32, i32),
) -> fmt::Result {
    let word = Word { text, at, unit };
    writeln!(f, r#"<path d="{word}"/>"#)
}

/// Writes a number that fits in a stone, narrower the more digits it has.
pub(super) fn write_number(
    f: &mut fmt::Formatter<'_>,
    number: usize,
    at: (i32, i32),
) -> fmt::Result {
    let unit = match number {
        0..10 => (6, 5),
        10..100 => (5, 5),
        100..1000 => (4, 5),
        _ => (3, 4),
    };
    write_word(f, &number.to_string(), at, unit)
}

/// A word as the data of an SVG path.
struct Word<'a> {
    text: &'a str,
    at: (i32, i32),
    /// The size of one square of the grid.
    unit: (i32, i32),
}

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (across, down) = self.unit;
        let columns: i32 = self.text.chars().map(|glyph| wide(glyph) + GAP).sum();
        let mut left = self.at.0 - (columns - GAP) * across / 2;
        let top = self.at.1 - HIGH * down / 2;
        for glyph in self.text.chars() {
            let strokes = strokes(glyph.to_ascii_uppercase());
            write_strokes(f, strokes, (left, top), self.unit)?;
            left += (wide(glyph) + GAP) * across;
        }
        Ok(())
    }
}

const fn wide(glyph: char) -> i32 {
    if glyph == '1' { NARROW } else { WIDE }
}

/// Writes strokes moved to a place and stretched.
fn write_strokes(
    f: &mut fmt::Formatter<'_>,
    strokes: &str,
    (left, top): (i32, i32),
    unit: (i32, i32),
) -> fmt::Result {
    let mut points = strokes.chars().peekable();
    while let Some(command) = points.next() {
        write!(f, "{command}")?;
        let mut gap = "";
        while let Some(column) = points.next_if(char::is_ascii_digit) {
            let row = points.next().unwrap_or(column);
            let x = left + grid(column) * unit.0;
            let y = top + grid(row) * unit.1;
            write!(f, "{gap}{x} {y}")?;
            gap = " ";
        }
    }
    Ok(())
}

fn grid(digit: char) -> i32 {
    digit
        .to_digit(10)
        .and_then(|digit| i32::try_from(digit).ok())
        .unwrap_or(0)
}

/// The strokes of a character on the grid, as in an SVG path: M moves the pen, L draws a line, Q a
/// bend towards its first point. A point is two digits, the column and the row.
const fn strokes(character: char) -> &'static str {
    match character {
        '0' | 'O' => "M20Q4043L45Q4828Q0805L03Q0020",
        '1' => "M02L10L18",
        '2' => "M02Q0020Q4042Q4408L48",
        '3' => "M01Q1020Q4042Q4424Q4446Q4828Q1807",
        '4' => "M38L30L05L45",
        '5' => "M40L10L04Q1323Q4345L46Q4828Q1807",
        '6' => "M41Q3020Q0004L06Q0828Q4846Q4424Q0406",
        '7' => "M00L40L18",
        '8' => "M24Q0402Q0020Q4042Q4424Q4446Q4828Q0806Q0424",
        '9' => "M07Q1828Q4844L42Q4020Q0002Q0424Q4442",
        'A' => "M08L20L48M15L35",
        'B' => "M04L24Q4446Q4828L08L00L20Q4042Q4424",
        'C' => "M41Q3020Q0003L05Q0828Q3847",
        'D' => "M00L10Q4044Q4818L08L00",
        'E' => "M40L00L08L48M04L34",
        'F' => "M40L00L08M04L34",
        'G' => "M41Q3020Q0003L05Q0828Q4846L44L24",
        'H' => "M00L08M40L48M04L44",
        'I' => "M10L30M20L28M18L38",
        'J' => "M10L40L45Q4828Q0806",
        'K' => "M00L08M40L05M14L48",
        'L' => "M00L08L48",
        'M' => "M08L00L24L40L48",
        'N' => "M08L00L48L40",
        'P' => "M08L00L20Q4042Q4424L04",
        'Q' => "M20Q4043L45Q4828Q0805L03Q0020M26L48",
        'R' => "M08L00L20Q4042Q4424L04M24L48",
        'S' => "M41Q3020Q0002Q0424Q4446Q4828Q1807",
        'T' => "M00L40M20L28",
        'U' => "M00L05Q0828Q4845L40",
        'V' => "M00L28L40",
        'W' => "M00L18L23L38L40",
        'X' => "M00L48M40L08",
        'Y' => "M00L24L40M24L28",
        'Z' => "M00L40L08L48",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_path(strokes: &str) -> bool {
        strokes.starts_with('M')
            && strokes
                .split(['M', 'L'])
                .skip(1)
                .flat_map(|part| part.split('Q').enumerate())
                .all(|(place, points)| points.len() == if place == 0 { 2 } else { 4 })
    }

    #[test]
    fn every_digit_and_capital_letter_has_strokes_on_the_grid() {
        for character in ('0'..='9').chain('A'..='Z') {
            let strokes = strokes(character);
            assert!(is_path(strokes), "{character}: {strokes}");
            let mut digits = strokes.chars().filter(char::is_ascii_digit);
            while let (Some(column), Some(row)) = (digits.next(), digits.next()) {
                assert!(grid(column) <= WIDE && grid(row) <= HIGH, "{character}");
            }
        }
    }

    #[test]
    fn no_two_characters_look_alike_but_the_letter_and_the_digit_o() {
        let mut all: Vec<_> = ('0'..='9').chain('A'..='Z').map(strokes).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 35);
    }

    #[test]
    fn a_word_has_its_middle_where_it_is_asked_for() {
        let word = |text| {
            let (at, unit) = ((100, 50), (3, 2));
            Word { text, at, unit }.to_string()
        };
        assert_eq!(word("L"), "M94 42L94 58L106 58");
        assert_eq!(word("l"), word("L"));
        assert_eq!(word("1"), "M97 46L100 42L100 58");
        assert_eq!(word("LL"), "M85 42L85 58L97 58M103 42L103 58L115 58");
        assert_eq!(
            word("2"),
            "M94 46Q94 42 100 42Q106 42 106 46Q106 50 94 58L106 58"
        );
    }
}
