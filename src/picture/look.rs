use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::Symmetry;

/// How a picture is to be seen. The default is light, with coordinates, without numbers, not turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// The letters of the columns and the numbers of the rows.
    pub coordinates: Visibility,
    /// The numbers of the plies on the stones, as far as they are known.
    pub numbers: Visibility,
    /// How the board is turned. The coordinates turn with it: a cell keeps its name.
    pub symmetry: Symmetry,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            theme: Theme::Light,
            coordinates: Visibility::Shown,
            numbers: Visibility::Hidden,
            symmetry: Symmetry::Identity,
        }
    }
}

/// Whether something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// It is.
    Shown,
    /// It is not.
    Hidden,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// For a light page: a board of light wood.
    #[default]
    Light,
    /// For a dark page: a board of slate.
    Dark,
}

impl Theme {
    /// Both.
    pub const ALL: [Theme; 2] = [Theme::Light, Theme::Dark];

    /// `light` or `dark`.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a theme is light or dark")]
pub struct ParseThemeError;

impl FromStr for Theme {
    type Err = ParseThemeError;

    fn from_str(text: &str) -> Result<Theme, ParseThemeError> {
        Theme::ALL
            .into_iter()
            .find(|theme| theme.name() == text)
            .ok_or(ParseThemeError)
    }
}

/// The side of a PNG, 64 to 4096 pixels.
///
/// ```
/// use tengen::picture::Pixels;
///
/// assert_eq!(Pixels::try_from(640)?.count(), 640);
/// assert!(Pixels::try_from(5000).is_err());
/// # Ok::<(), tengen::picture::UnsupportedPixels>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pixels(u16);

impl Pixels {
    /// The least: below it the stones of a large board are dots.
    pub const FEWEST: Pixels = Pixels(64);
    /// What is drawn unless the caller says otherwise.
    pub const DEFAULT: Pixels = Pixels(800);
    /// The most: drawing takes four octets for each pixel, twice, so 128 MiB.
    pub const MOST: Pixels = Pixels(4096);

    /// The number of pixels of a side.
    pub const fn count(self) -> u16 {
        self.0
    }
}

impl Default for Pixels {
    fn default() -> Pixels {
        Pixels::DEFAULT
    }
}

/// A number of pixels that no picture here has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a picture has 64 to 4096 pixels a side, not {0}")]
pub struct UnsupportedPixels(
    /// The number asked for.
    pub i64,
);

impl TryFrom<i64> for Pixels {
    type Error = UnsupportedPixels;

    fn try_from(count: i64) -> Result<Pixels, UnsupportedPixels> {
        u16::try_from(count)
            .ok()
            .map(Pixels)
            .filter(|pixels| (Pixels::FEWEST..=Pixels::MOST).contains(pixels))
            .ok_or(UnsupportedPixels(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_read_back_as_they_are_written() {
        for theme in Theme::ALL {
            assert_eq!(theme.to_string().parse(), Ok(theme));
        }
        assert_eq!("Dark".parse::<Theme>(), Err(ParseThemeError));
    }

    #[test]
    fn sides_from_64_to_4096_pixels_are_supported_and_no_others() {
        for (count, is_supported) in [
            (i64::MIN, false),
            (0, false),
            (63, false),
            (64, true),
            (800, true),
            (4096, true),
            (4097, false),
            (65_600, false),
            (i64::MAX, false),
        ] {
            assert_eq!(Pixels::try_from(count).is_ok(), is_supported, "{count}");
        }
    }
}
