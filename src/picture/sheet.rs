use std::fmt;

use crate::picture::caption::Caption;
use crate::picture::palette::Palette;
use crate::picture::title::Escaped;

// Lengths, in units of the drawing. They are whole numbers, so that equal pictures are equal octets on
// every machine.
/// From a picture's edge to what it shows.
pub(super) const EDGE: i32 = 24;
/// The same where names or numbers stand between.
pub(super) const LABELS: i32 = 84;
/// The height of the title.
const CAPTION: i32 = 96;

/// What a picture is drawn on, and the words that go with it.
pub(super) struct Sheet<'a> {
    pub width: i32,
    pub height: i32,
    pub title: &'a str,
    /// What is to be seen.
    pub description: &'a str,
    pub caption: Option<&'a Caption>,
    pub palette: &'a Palette,
}

impl Sheet<'_> {
    /// Begins a picture: its words, its ground, and the title above what it shows.
    pub(super) fn open(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height, ground) = (self.width, self.height, self.palette.ground);
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">"#
        )?;
        writeln!(f, "<title>{}</title>", Escaped(self.title))?;
        writeln!(f, "<desc>{}</desc>", Escaped(self.description))?;
        writeln!(
            f,
            r#"<rect width="{width}" height="{height}" fill="{ground}"/>"#
        )?;
        self.write_caption(f)
    }

    fn write_caption(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Caption { text, font_size }) = self.caption else {
            return Ok(());
        };
        let (x, y) = (self.width / 2, EDGE + CAPTION / 2);
        let (words, text) = (self.palette.words, Escaped(text));
        writeln!(
            f,
            r#"<text x="{x}" y="{y}" font-family="sans-serif" font-size="{font_size}" text-anchor="middle" fill="{words}">{text}</text>"#
        )
    }
}

/// Where what is shown begins, from the top.
pub(super) fn top_below(caption: Option<&Caption>) -> i32 {
    EDGE + caption.map_or(0, |_| CAPTION)
}
