use crate::picture::title::shortened;

/// A title made to fit above a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caption {
    pub text: String,
    pub font_size: i32,
}

/// The largest letters, and the smallest that a title is shrunk to before it is cut.
const LARGEST: i32 = 52;
const SMALLEST: i32 = 36;

impl Caption {
    /// As large as fits in a width. How wide a font's letters are, only the viewer knows: a guess that
    /// most sans-serif fonts keep within.
    pub(super) fn fitted(title: &str, width: i32) -> Caption {
        let percent: i32 = title.chars().map(percent_of_font_size).sum();
        if percent == 0 {
            return Caption {
                text: title.to_owned(),
                font_size: LARGEST,
            };
        }
        let font_size = 100 * width / percent;
        if font_size >= SMALLEST {
            return Caption {
                text: title.to_owned(),
                font_size: font_size.min(LARGEST),
            };
        }
        let mut room = 100 * width / SMALLEST;
        let fitting = title.chars().take_while(|character| {
            room -= percent_of_font_size(*character);
            room >= 0
        });
        Caption {
            text: shortened(title, fitting.count()),
            font_size: SMALLEST,
        }
    }
}

/// How wide a character is, in hundredths of the font's size: from Hangul on (U+1100) most fill a square.
const fn percent_of_font_size(character: char) -> i32 {
    match character {
        '\u{2066}'..='\u{2069}' => 0,
        '\u{0}'..='\u{10ff}' | '\u{2000}'..='\u{206f}' => 62,
        _ => 104,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_shrinks_before_it_is_cut() {
        assert_eq!(Caption::fitted("Ito – Wu", 1000).font_size, LARGEST);
        let smaller = Caption::fitted(&"x".repeat(35), 1000);
        assert_eq!((smaller.text.len(), smaller.font_size), (35, 46));
        let cut = Caption::fitted(&"x".repeat(200), 1000);
        assert_eq!((cut.text.chars().count(), cut.font_size), (44, SMALLEST));
        assert!(cut.text.ends_with('…'));
    }

    #[test]
    fn wide_letters_need_more_room() {
        let cut = Caption::fitted(&"棋".repeat(200), 1000);
        assert_eq!(cut.text.chars().count(), 26);
        assert_eq!(Caption::fitted("\u{2068}\u{2069}", 10).font_size, LARGEST);
    }
}
