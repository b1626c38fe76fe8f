use std::fmt;

use crate::board::ByColor;

/// What a picture is called, as the players' names: one line of text that is safe to show.
///
/// Blanks and control characters between words become one space. The characters that open or close
/// an embedding or an override of the writing direction are taken out: they would turn what follows
/// the title too. What is longer than [`Title::MOST_CHARS`] is cut, with an ellipsis. Markup is left
/// as it is and written with escapes where a picture is markup.
///
/// ```
/// use tengen::picture::Title;
///
/// assert_eq!(Title::new("  Ito\n–  Wu ").unwrap().to_string(), "Ito – Wu");
/// assert_eq!(Title::new("\t\u{202e}"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// The longest title, in characters.
    pub const MOST_CHARS: usize = 200;

    /// A title from any text; none when nothing of it can be seen.
    pub fn new(text: &str) -> Option<Title> {
        cleaned(text).map(Title)
    }

    /// The players' names, Black's first, `?` for one that is not known; none when neither is. Each
    /// name is isolated, so that one written from right to left leaves the order alone.
    pub fn of_players(players: &ByColor<Option<String>>) -> Option<Title> {
        let name = |player: &Option<String>| player.as_deref().and_then(cleaned);
        let (black, white) = (name(&players.black), name(&players.white));
        if black.is_none() && white.is_none() {
            return None;
        }
        let isolated = |name: Option<String>| match name {
            Some(name) => format!("\u{2068}{name}\u{2069}"),
            None => "?".to_owned(),
        };
        Some(Title(format!("{} – {}", isolated(black), isolated(white))))
    }

    /// The title as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The text with single spaces, without what turns the writing or stands in no XML document.
fn cleaned(text: &str) -> Option<String> {
    // More than this is cut anyway; so a text of any length costs no more.
    let seen: String = text
        .chars()
        .take(4 * Title::MOST_CHARS)
        .filter(|character| !is_unfit(*character))
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    let line = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    Some(shortened(&line, Title::MOST_CHARS))
}

/// A text of no more than so many characters, the last an ellipsis if it was longer.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Directional embeddings, overrides and isolates (Unicode annex 9), and the two non-characters that
/// XML 1.0 leaves out.
const fn is_unfit(character: char) -> bool {
    matches!(
        character,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// A text as it stands in markup, between tags or in an attribute.
pub(super) struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            other => write!(f, "{other}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(text: &str) -> String {
        Title::new(text).map_or_else(String::new, |title| title.to_string())
    }

    #[test]
    fn a_title_is_one_line_without_what_cannot_be_seen() {
        assert_eq!(title("a\0b\u{1b}[31mc"), "a b [31mc");
        assert_eq!(title("a\r\n\t\u{85}\u{2028} b"), "a b");
        assert_eq!(title("a\u{202e}b\u{2066}c\u{fffe}\u{ffff}d"), "abcd");
        // A mark of direction turns nothing but its neighbours, and names need it.
        assert_eq!(title("\u{200f}שלום"), "\u{200f}שלום");
        assert_eq!(Title::new("\u{7f} \n"), None);
    }

    #[test]
    fn a_long_title_is_cut() {
        let long = title(&"é".repeat(100_000));
        assert_eq!(long.chars().count(), Title::MOST_CHARS);
        assert!(long.ends_with("é…"));
        let just = "x".repeat(Title::MOST_CHARS);
        assert_eq!(title(&just), just);
    }

    #[test]
    fn players_are_named_black_first_and_isolated() {
        let players = |black: Option<&str>, white: Option<&str>| {
            let names = ByColor {
                black: black.map(str::to_owned),
                white: white.map(str::to_owned),
            };
            Title::of_players(&names).map(|title| title.to_string())
        };
        assert_eq!(
            players(Some("Ito"), Some("Wu\u{2069}")),
            Some("\u{2068}Ito\u{2069} – \u{2068}Wu\u{2069}".into())
        );
        assert_eq!(
            players(None, Some("Wu")),
            Some("? – \u{2068}Wu\u{2069}".into())
        );
        assert_eq!(players(None, Some(" ")), None);
    }

    #[test]
    fn markup_in_a_text_is_text() {
        assert_eq!(
            Escaped("<a b='c'>\"&amp;]]>").to_string(),
            "&lt;a b=&#39;c&#39;&gt;&quot;&amp;amp;]]&gt;"
        );
    }
}
