use std::fmt;

use crate::board::ByColor;
use crate::picture::caption::Caption;
use crate::picture::glyphs::write_word;
use crate::picture::palette::Palette;
use crate::picture::sheet::{EDGE, LABELS, Sheet, top_below};
use crate::picture::svg::open_pen;
use crate::picture::{Theme, Title};

// Lengths, in units of the drawing.
const WIDTH: i32 = 1200;
const HEIGHT: i32 = 400;
const MARK: i32 = 11;
/// The most numbers below the field.
const MOST_NUMBERS: usize = 10;

/// Black's chance to win, ply by ply.
///
/// ```
/// use tengen::picture::{Chart, Theme, draw_chart};
///
/// let chart = Chart::new(&[0.5, 0.6, 0.2]).with_marks([2]);
/// assert!(draw_chart(&chart, Theme::Light).starts_with("<svg"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Before the first ply and after each.
    chances: Vec<f64>,
    /// Plies to be seen at once.
    marks: Vec<usize>,
    title: Option<Title>,
}

impl Chart {
    /// A chart of Black's chances before the first ply and after each; what is not from 0 to 1 is drawn at the nearest of
    /// them, what is no number in the middle.
    pub fn new(chances: &[f64]) -> Chart {
        let held = |chance: &f64| {
            if chance.is_nan() {
                0.5
            } else {
                chance.clamp(0.0, 1.0)
            }
        };
        Chart {
            chances: chances.iter().map(held).collect(),
            marks: Vec::new(),
            title: None,
        }
    }

    /// The same with marks on these plies, counted from 1; one that is not there is left out.
    #[must_use]
    pub fn with_marks(mut self, plies: impl IntoIterator<Item = usize>) -> Chart {
        let is_there = |ply: &usize| (1..self.chances.len()).contains(ply);
        self.marks = plies.into_iter().filter(is_there).collect();
        self.marks.sort_unstable();
        self.marks.dedup();
        self
    }

    /// The same with a title, or without one.
    #[must_use]
    pub fn with_title(self, title: Option<Title>) -> Chart {
        Chart { title, ..self }
    }

    /// The number of plies.
    fn plies(&self) -> usize {
        self.chances.len().saturating_sub(1)
    }
}

/// Draws a chart as SVG, a text that is the same to the octet whenever chart and theme are.
///
/// The lower part of the field, in the colour of Black's stones, is Black's chance to win, the upper part White's. Like
/// the picture of a board it has no size of its own, names nothing outside itself, runs nothing, and tells in words
/// what is seen.
pub fn draw_chart(chart: &Chart, theme: Theme) -> String {
    let caption = chart
        .title
        .as_ref()
        .map(|title| Caption::fitted(title.as_str(), LABELS + WIDTH - EDGE));
    Drawing {
        chart,
        palette: Palette::of(theme),
        top: top_below(caption.as_ref()),
        caption,
    }
    .to_string()
}

struct Drawing<'a> {
    chart: &'a Chart,
    palette: &'static Palette,
    caption: Option<Caption>,
    /// Where the field begins.
    top: i32,
}

impl fmt::Display for Drawing<'_> {
    /// What is written later lies over what was written before.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.chart.title.as_ref();
        let sheet = Sheet {
            width: LABELS + WIDTH + EDGE,
            height: self.top + HEIGHT + LABELS,
            title: title.map_or("Black's chances, ply by ply", Title::as_str),
            description: &self.description(),
            caption: self.caption.as_ref(),
            palette: self.palette,
        };
        sheet.open(f)?;
        self.write_shares(f)?;
        self.write_grid(f)?;
        self.write_numbers(f)?;
        self.write_marks(f)?;
        f.write_str("</svg>\n")
    }
}

impl Drawing<'_> {
    fn description(&self) -> String {
        let percent = |chance: &f64| format!("{} %", hundredths(*chance));
        let first = self.chart.chances.first().map_or_else(String::new, percent);
        let last = self.chart.chances.last().map_or_else(String::new, percent);
        let marks: Vec<String> = self.chart.marks.iter().map(usize::to_string).collect();
        let marked = match marks[..] {
            [] => String::new(),
            _ => format!("; marked are the plies {}", marks.join(", ")),
        };
        format!(
            "Black's chance to win over {} plies, from {first} to {last}{marked}.",
            self.chart.plies()
        )
    }

    /// White's share as the whole field, Black's laid over its lower part.
    fn write_shares(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ByColor { black, white } = self.palette.stone;
        let (top, bottom) = (self.top, self.top + HEIGHT);
        writeln!(
            f,
            r#"<rect x="{LABELS}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="{white}"/>"#
        )?;
        write!(f, r#"<path fill="{black}" d="M{LABELS} {bottom}"#)?;
        for (ply, chance) in self.chart.chances.iter().enumerate() {
            write!(f, "L{} {}", self.x(ply), self.y(*chance))?;
        }
        if self.chart.chances.len() == 1 {
            write!(f, "H{}", LABELS + WIDTH)?;
        }
        let end = if self.chart.chances.is_empty() {
            LABELS
        } else {
            LABELS + WIDTH
        };
        writeln!(f, r#"L{end} {bottom}z"/>"#)
    }

    /// The line of even chances, and the edge of the field.
    fn write_grid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (top, middle, stroke) = (self.top, self.top + HEIGHT / 2, self.palette.lines);
        writeln!(
            f,
            r#"<path fill="none" stroke="{stroke}" stroke-width="3" stroke-dasharray="12 8" d="M{LABELS} {middle}h{WIDTH}"/>"#
        )?;
        writeln!(
            f,
            r#"<rect x="{LABELS}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="{stroke}" stroke-width="5"/>"#
        )
    }

    /// Hundredths beside the field, plies below it.
    fn write_numbers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        open_pen(f, self.palette.words, 5)?;
        for (chance, name) in [(1.0, "100"), (0.5, "50"), (0.0, "0")] {
            write_word(f, name, (LABELS / 2, self.y(chance)), (4, 4))?;
        }
        let below = self.top + HEIGHT + LABELS / 2;
        let step = step(self.chart.plies());
        for ply in (step..=self.chart.plies()).step_by(step) {
            write_word(f, &ply.to_string(), (self.x(ply), below), (4, 4))?;
        }
        writeln!(f, "</g>")
    }

    fn write_marks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fill, rim) = (self.palette.accent, self.palette.ground);
        writeln!(f, r#"<g fill="{fill}" stroke="{rim}" stroke-width="3">"#)?;
        for ply in &self.chart.marks {
            let Some(chance) = self.chart.chances.get(*ply) else {
                continue;
            };
            let (x, y) = (self.x(*ply), self.y(*chance));
            writeln!(f, r#"<circle cx="{x}" cy="{y}" r="{MARK}"/>"#)?;
        }
        writeln!(f, "</g>")
    }

    fn x(&self, ply: usize) -> i32 {
        let plies = self.chart.plies().max(1);
        let width = usize::try_from(WIDTH).unwrap_or_default();
        LABELS + i32::try_from(ply * width / plies).unwrap_or(WIDTH)
    }

    fn y(&self, chance: f64) -> i32 {
        // Between 0 and 400: exact.
        self.top + ((1.0 - chance) * f64::from(HEIGHT)).round() as i32
    }
}

/// A chance in hundredths.
fn hundredths(chance: f64) -> f64 {
    (100.0 * chance).round()
}

/// From one number below the field to the next: 1, 2, 5, 10, …
fn step(plies: usize) -> usize {
    let mut steps = (0..4).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
    steps
        .find(|step| plies / step <= MOST_NUMBERS)
        .unwrap_or(10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_point_for_each_ply_and_a_mark_for_each_that_is_there() {
        let chart = Chart::new(&[0.5, 1.0, f64::NAN, -3.0]).with_marks([3, 1, 3, 0, 4]);
        let svg = draw_chart(&chart, Theme::Light);
        assert!(
            svg.contains("M84 424L84 224L484 24L884 224L1284 424L1284 424z"),
            "{svg}"
        );
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("over 3 plies, from 50 % to 0 %; marked are the plies 1, 3."));
        assert_ne!(svg, draw_chart(&chart, Theme::Dark));
        assert_eq!(svg, draw_chart(&chart.clone(), Theme::Light));
    }

    #[test]
    fn without_a_ply_the_field_has_the_same_parts_throughout() {
        let svg = draw_chart(&Chart::new(&[0.25]), Theme::Dark);
        assert!(svg.contains("M84 424L84 324H1284L1284 424z"), "{svg}");
        assert!(draw_chart(&Chart::new(&[]), Theme::Dark).contains("M84 424L84 424z"));
    }

    #[test]
    fn a_title_is_told_and_escaped() {
        let titled = Chart::new(&[0.5, 0.5]).with_title(Title::new("a<b"));
        let svg = draw_chart(&titled, Theme::Light);
        assert!(svg.contains("<title>a&lt;b</title>"), "{svg}");
        assert_eq!(svg.matches("a&lt;b").count(), 2);
    }

    #[test]
    fn the_numbers_below_have_room() {
        for (plies, expected) in [
            (0, 1),
            (1, 1),
            (10, 1),
            (11, 2),
            (60, 10),
            (225, 50),
            (1250, 200),
        ] {
            assert_eq!(step(plies), expected, "{plies}");
        }
    }
}
