use crate::board::{ByColor, Color};
use crate::picture::Theme;

/// The colours of a theme. No sign is told from another by its colour alone: each has a shape of its
/// own. The signs keep apart from their ground in lightness too, for eyes that mix red and green.
pub(super) struct Palette {
    /// The ground under the board.
    pub ground: &'static str,
    /// The lines of the board, and its stars.
    pub lines: &'static str,
    /// Coordinates and the title.
    pub words: &'static str,
    /// The inside of a stone.
    pub stone: ByColor<&'static str>,
    /// The rim of a stone.
    pub rim: ByColor<&'static str>,
    /// The last stone and the rows that have won; as far from black as from white.
    pub accent: &'static str,
    /// Forbidden cells.
    pub forbidden: &'static str,
    /// Hints.
    pub hint: &'static str,
    /// The rim of a threat.
    pub threat: &'static str,
}

impl Palette {
    pub(super) const fn of(theme: Theme) -> &'static Palette {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// What is written on a stone is of the other colour.
    pub(super) fn ink(&self, stone: Color) -> &'static str {
        self.stone[!stone]
    }
}

const LIGHT: Palette = Palette {
    ground: "#f0dcb0",
    lines: "#6b5637",
    words: "#4a3a20",
    stone: ByColor {
        black: "#1a1a1a",
        white: "#fdfdfb",
    },
    rim: ByColor {
        black: "#000000",
        white: "#4a4a4a",
    },
    accent: "#d55e00",
    forbidden: "#9b1650",
    hint: "#00558f",
    threat: "#00694d",
};

const DARK: Palette = Palette {
    ground: "#2e343d",
    lines: "#8a94a3",
    words: "#c3cad4",
    stone: ByColor {
        black: "#0b0c0e",
        white: "#e9ebee",
    },
    rim: ByColor {
        black: "#a7b0bd",
        white: "#ffffff",
    },
    accent: "#e0690b",
    forbidden: "#f593bd",
    hint: "#7cc7f2",
    threat: "#4fd1a5",
};
