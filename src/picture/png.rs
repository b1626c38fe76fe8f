use std::error::Error;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Tree};
use thiserror::Error;

use crate::picture::svg::draw_bare_svg;
use crate::picture::{Look, Picture, Pixels};

/// Why a picture could not be made into pixels. A caller can do nothing about any of these.
#[derive(Debug, Error)]
pub enum PngError {
    /// The renderer does not understand the SVG.
    #[error("the drawing cannot be read back")]
    Drawing(#[from] usvg::Error),
    /// There is no memory for the pixels.
    #[error("there is no room for the pixels")]
    Room,
    /// The pixels cannot be written as PNG.
    #[error("the pixels cannot be written")]
    Encoding(#[source] Box<dyn Error + Send + Sync>),
}

/// Draws a picture as a square PNG of so many pixels a side: what [`draw_svg`](super::draw_svg) draws,
/// but for the title, whose letters need a font.
///
/// The work grows with the number of pixels; at the most it takes about a second, so not on a thread
/// that answers requests.
///
/// # Errors
///
/// [`PngError`], none of which has been seen.
pub fn draw_png(picture: &Picture, look: Look, pixels: Pixels) -> Result<Vec<u8>, PngError> {
    let drawing = Tree::from_str(&draw_bare_svg(picture, look), &usvg::Options::default())?;
    let side = u32::from(pixels.count());
    let mut pixmap = Pixmap::new(side, side).ok_or(PngError::Room)?;
    let scale = f32::from(pixels.count()) / drawing.size().width();
    let stretch = Transform::from_scale(scale, scale);
    resvg::render(&drawing, stretch, &mut pixmap.as_mut());
    pixmap
        .encode_png()
        .map_err(|error| PngError::Encoding(error.into()))
}
