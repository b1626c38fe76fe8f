//! A position drawn: as SVG, as PNG and as text.
//!
//! A [`Picture`] is what is to be seen: the stones with their numbers, the last one, the rows that have
//! won, marks and a title. A [`Look`] is how it is to be seen. [`draw_svg`], [`draw_png`] and
//! [`write_text`] show the one as the other asks. Equal arguments give equal text on every machine; a PNG
//! may differ in a shade where another processor computes it. A [`Chart`] shows numbers, ply by ply. This room knows nothing of the engine, of
//! files or of HTTP: what is marked, the caller has found elsewhere.
//! Begin reading with [`Picture`], then `svg.rs`.

mod caption;
mod chart;
mod frame;
mod glyphs;
mod legend;
mod look;
mod mark;
mod palette;
#[expect(
    clippy::module_inception,
    reason = "a picture is what this room is about"
)]
mod picture;
mod png;
mod sheet;
mod svg;
mod text;
mod title;

pub use chart::{Chart, draw_chart};
pub use look::{Look, ParseThemeError, Pixels, Theme, UnsupportedPixels, Visibility};
pub use mark::{Letter, Mark, UnsupportedLetter};
pub use picture::{Picture, PictureError};
pub use png::{PngError, draw_png};
pub use svg::draw_svg;
pub use text::write_text;
pub use title::Title;
