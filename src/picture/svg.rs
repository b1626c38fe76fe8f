use std::fmt;

use crate::board::{Cell, Color};
use crate::picture::caption::Caption;
use crate::picture::frame::{Frame, stars};
use crate::picture::glyphs::{write_number, write_word};
use crate::picture::legend::{legend, stones};
use crate::picture::palette::Palette;
use crate::picture::sheet::{EDGE, LABELS, Sheet, top_below};
use crate::picture::{Look, Mark, Picture, Title, Visibility};

// Lengths, in units of the drawing.
/// From one line of the board to the next.
const PITCH: i32 = 100;
const STONE: i32 = 46;
const STAR: i32 = 10;
/// The ring on the last stone: within the rim, around the number.
const LAST: i32 = 41;
/// Half of a cross.
const CROSS: i32 = 28;
const HINT: i32 = 38;
const THREAT: i32 = 44;

/// Draws a picture as SVG, a text that is the same to the octet whenever picture and look are.
///
/// It has a `viewBox` and no size: it fills the place it is shown in. It names no font but
/// `sans-serif`, and nothing outside itself, and runs nothing. `title` and `desc` tell in words what is
/// seen. Where the board's stars are, and how coordinates and marks look:
///
/// - From 9 lines on there are four stars near the corners, on the third line up to 12 lines and on
///   the fourth above; an odd board has one in the middle, and four more from 17 lines on.
/// - Columns are named from A at the left (I is used), rows from 1 at the bottom.
/// - The last stone has a ring, a row that has won a line over its stones, a forbidden cell a cross, a
///   hint a ring with its rank, a threat a lozenge with its letter.
pub fn draw_svg(picture: &Picture, look: Look) -> String {
    let caption = picture
        .title()
        .map(|title| Caption::fitted(title.as_str(), width(picture, look) - 2 * EDGE));
    Drawing::new(picture, look, caption).to_string()
}

/// The same without room for the title: a square.
pub(super) fn draw_bare_svg(picture: &Picture, look: Look) -> String {
    Drawing::new(picture, look, None).to_string()
}

struct Drawing<'a> {
    picture: &'a Picture,
    look: Look,
    frame: Frame,
    palette: &'static Palette,
    caption: Option<Caption>,
}

impl fmt::Display for Drawing<'_> {
    /// What is written later lies over what was written before.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = width(self.picture, self.look);
        let size = self.size_in_words();
        let sheet = Sheet {
            width,
            height: width + self.top() - EDGE,
            title: self.picture.title().map_or(&size, Title::as_str),
            description: &self.description(),
            caption: self.caption.as_ref(),
            palette: self.palette,
        };
        sheet.open(f)?;
        self.write_grid(f)?;
        self.write_stars(f)?;
        self.write_coordinates(f)?;
        for color in Color::ALL {
            self.write_stones(f, color)?;
        }
        self.write_won_lines(f)?;
        self.write_last(f)?;
        self.write_crosses(f)?;
        for color in Color::ALL {
            self.write_numbers(f, color)?;
            self.write_threats(f, color)?;
        }
        self.write_hints(f)?;
        f.write_str("</svg>\n")
    }
}

impl Drawing<'_> {
    fn new(picture: &Picture, look: Look, caption: Option<Caption>) -> Drawing<'_> {
        Drawing {
            picture,
            look,
            frame: Frame::new(picture.board().size(), look.symmetry),
            palette: Palette::of(look.theme),
            caption,
        }
    }

    fn size_in_words(&self) -> String {
        format!("A board of {} lines", self.picture.board().size().lines())
    }

    fn description(&self) -> String {
        let picture = self.picture;
        let seen: Vec<String> = std::iter::once(self.size_in_words())
            .chain(Color::ALL.into_iter().filter_map(|c| stones(picture, c)))
            .chain(legend(picture))
            .collect();
        format!("{}.", seen.join("; "))
    }

    fn write_grid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = i32::from(self.picture.board().size().lines());
        let (left, top) = (self.left() + PITCH / 2, self.top() + PITCH / 2);
        let long = (lines - 1) * PITCH;
        let stroke = self.palette.lines;
        write!(
            f,
            r#"<path fill="none" stroke="{stroke}" stroke-width="3" d=""#
        )?;
        for line in 1..lines - 1 {
            let (x, y) = (left + line * PITCH, top + line * PITCH);
            write!(f, "M{left} {y}h{long}M{x} {top}v{long}")?;
        }
        writeln!(f, r#""/>"#)?;
        writeln!(
            f,
            r#"<rect x="{left}" y="{top}" width="{long}" height="{long}" fill="none" stroke="{stroke}" stroke-width="5"/>"#
        )
    }

    fn write_stars(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, r#"<g fill="{}">"#, self.palette.lines)?;
        for cell in stars(self.picture.board().size()) {
            self.write_circle(f, cell, STAR)?;
        }
        writeln!(f, "</g>")
    }

    fn write_coordinates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.look.coordinates == Visibility::Hidden {
            return Ok(());
        }
        let bottom = self.top() + i32::from(self.picture.board().size().lines()) * PITCH;
        let (beside, under) = (LABELS / 2, bottom + LABELS / 2);
        open_pen(f, self.palette.words, 5)?;
        let mut x = self.left() + PITCH / 2;
        for name in self.frame.column_names() {
            write_word(f, &name, (x, under), (5, 5))?;
            x += PITCH;
        }
        let mut y = self.top() + PITCH / 2;
        for name in self.frame.row_names() {
            write_word(f, &name, (beside, y), (5, 5))?;
            y += PITCH;
        }
        writeln!(f, "</g>")
    }

    fn write_stones(&self, f: &mut fmt::Formatter<'_>, color: Color) -> fmt::Result {
        let (fill, rim) = (self.palette.stone[color], self.palette.rim[color]);
        writeln!(f, r#"<g fill="{fill}" stroke="{rim}" stroke-width="3">"#)?;
        for (cell, stone) in self.picture.board().occupied() {
            if stone == color {
                self.write_circle(f, cell, STONE)?;
            }
        }
        writeln!(f, "</g>")
    }

    fn write_won_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        open_pen(f, self.palette.accent, 14)?;
        for line in self.picture.lines() {
            let mut cells = line.cells();
            let Some(first) = cells.next() else { continue };
            let (x1, y1) = self.point(first);
            let (x2, y2) = self.point(cells.last().unwrap_or(first));
            writeln!(f, r#"<path d="M{x1} {y1}L{x2} {y2}"/>"#)?;
        }
        writeln!(f, "</g>")
    }

    fn write_last(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(cell) = self.picture.last() else {
            return Ok(());
        };
        open_pen(f, self.palette.accent, 7)?;
        self.write_circle(f, cell, LAST)?;
        writeln!(f, "</g>")
    }

    fn write_crosses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (cell, mark) in self.picture.marks() {
            if mark != Mark::Forbidden {
                continue;
            }
            let stroke = if self.picture.board().is_empty(cell) {
                self.palette.forbidden
            } else {
                self.palette.accent
            };
            let (x, y) = self.point(cell);
            let (left, top, long) = (x - CROSS, y - CROSS, 2 * CROSS);
            writeln!(
                f,
                r#"<path fill="none" stroke="{stroke}" stroke-width="12" stroke-linecap="round" d="M{left} {top}l{long} {long}m-{long} 0l{long} -{long}"/>"#
            )?;
        }
        Ok(())
    }

    fn write_numbers(&self, f: &mut fmt::Formatter<'_>, color: Color) -> fmt::Result {
        if self.look.numbers == Visibility::Hidden {
            return Ok(());
        }
        let stones: Vec<(Cell, usize)> = self
            .picture
            .board()
            .occupied()
            .filter(|(_, stone)| *stone == color)
            .filter_map(|(cell, _)| Some((cell, self.picture.number(cell)?)))
            .collect();
        // Where a line or a cross lies beneath, the number gets a rim that keeps it apart.
        open_pen(f, self.palette.stone[color], 18)?;
        for (cell, number) in &stones {
            if self.is_covered(*cell) {
                write_number(f, *number, self.point(*cell))?;
            }
        }
        writeln!(f, "</g>")?;
        open_pen(f, self.palette.ink(color), 6)?;
        for (cell, number) in stones {
            write_number(f, number, self.point(cell))?;
        }
        writeln!(f, "</g>")
    }

    /// Does something lie over the stone on a cell?
    fn is_covered(&self, cell: Cell) -> bool {
        let mut won = self.picture.lines().iter().flat_map(|line| line.cells());
        self.picture.mark(cell).is_some() || won.any(|other| other == cell)
    }

    fn write_threats(&self, f: &mut fmt::Formatter<'_>, color: Color) -> fmt::Result {
        let (fill, rim) = (self.palette.stone[color], self.palette.threat);
        let ink = self.palette.ink(color);
        for (cell, mark) in self.picture.marks() {
            let Mark::Threat { by, letter } = mark else {
                continue;
            };
            if by != color {
                continue;
            }
            let (x, top) = (self.point(cell).0, self.point(cell).1 - THREAT);
            writeln!(
                f,
                r#"<path fill="{fill}" stroke="{rim}" stroke-width="7" stroke-linejoin="round" d="M{x} {top}l{THREAT} {THREAT}l-{THREAT} {THREAT}l-{THREAT} -{THREAT}z"/>"#
            )?;
            open_pen(f, ink, 6)?;
            write_word(f, &letter.to_string(), self.point(cell), (5, 4))?;
            writeln!(f, "</g>")?;
        }
        Ok(())
    }

    fn write_hints(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ground, stroke) = (self.palette.ground, self.palette.hint);
        for (cell, mark) in self.picture.marks() {
            let Mark::Hint { rank } = mark else { continue };
            writeln!(
                f,
                r#"<g fill="{ground}" stroke="{stroke}" stroke-width="8">"#
            )?;
            self.write_circle(f, cell, HINT)?;
            writeln!(f, "</g>")?;
            open_pen(f, stroke, 6)?;
            write_number(f, usize::from(rank), self.point(cell))?;
            writeln!(f, "</g>")?;
        }
        Ok(())
    }

    fn write_circle(&self, f: &mut fmt::Formatter<'_>, cell: Cell, radius: i32) -> fmt::Result {
        let (x, y) = self.point(cell);
        writeln!(f, r#"<circle cx="{x}" cy="{y}" r="{radius}"/>"#)
    }

    /// The middle of a cell.
    fn point(&self, cell: Cell) -> (i32, i32) {
        let place = self.frame.place(cell);
        (
            self.left() + PITCH / 2 + PITCH * i32::from(place.column),
            self.top() + PITCH / 2 + PITCH * i32::from(place.row),
        )
    }

    /// Where the cells begin, from the left.
    fn left(&self) -> i32 {
        label_side(self.look)
    }

    /// Where the cells begin, from the top.
    fn top(&self) -> i32 {
        top_below(self.caption.as_ref())
    }
}

/// Begins a group of strokes.
pub(super) fn open_pen(f: &mut fmt::Formatter<'_>, stroke: &str, width: i32) -> fmt::Result {
    writeln!(
        f,
        r#"<g fill="none" stroke="{stroke}" stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round">"#
    )
}

/// The width of a picture: the cells between an edge and the coordinates or another edge.
fn width(picture: &Picture, look: Look) -> i32 {
    let lines = i32::from(picture.board().size().lines());
    label_side(look) + lines * PITCH + EDGE
}

const fn label_side(look: Look) -> i32 {
    match look.coordinates {
        Visibility::Shown => LABELS,
        Visibility::Hidden => EDGE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardSize;
    use crate::picture::Title;
    use crate::rules::{Position, Rule};

    fn empty() -> Picture {
        Picture::of_position(&Position::new(Rule::Freestyle, BoardSize::SMALLEST))
    }

    #[test]
    fn without_a_title_a_picture_is_square() {
        let svg = draw_svg(&empty(), Look::default());
        assert!(svg.contains(r#"viewBox="0 0 608 608""#), "{svg}");
        assert_eq!(svg, draw_bare_svg(&empty(), Look::default()));
        let look = Look {
            coordinates: Visibility::Hidden,
            ..Look::default()
        };
        assert!(draw_svg(&empty(), look).contains(r#"viewBox="0 0 548 548""#));
    }

    #[test]
    fn a_title_is_told_and_written_above_the_board() {
        let titled = empty().with_title(Title::new("a<b"));
        let svg = draw_svg(&titled, Look::default());
        assert!(svg.contains(r#"viewBox="0 0 608 704""#), "{svg}");
        assert!(svg.contains("<title>a&lt;b</title>\n<desc>A board of 5 lines.</desc>"));
        assert!(svg.contains(">a&lt;b</text>"));
        assert!(!draw_bare_svg(&titled, Look::default()).contains("<text"));
    }
}
