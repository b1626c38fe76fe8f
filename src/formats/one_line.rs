use crate::formats::{Loss, Losses};

/// The most characters of a text that is told of a game.
pub const LONGEST_LINE: usize = 200;

/// A text as one line: control characters become blanks, outer blanks go, and what is too long is cut.
/// A blank text is none.
pub(super) fn one_line(text: &str, lost: &mut Losses) -> Option<String> {
    let outer = text.trim();
    let line: String = outer
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .skip_while(|c| c.is_whitespace())
        .take(LONGEST_LINE)
        .collect();
    let line = line.trim_end();
    lost.insert_if(line != outer, Loss::Text);
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_line_and_says_if_it_changed() {
        let read = |text: &str| {
            let mut lost = Losses::NONE;
            (one_line(text, &mut lost), !lost.is_empty())
        };
        assert_eq!(read(" Ann  B "), (Some("Ann  B".into()), false));
        assert_eq!(read("Ann\nB"), (Some("Ann B".into()), true));
        assert_eq!(read(" \t"), (None, false));
        assert_eq!(read("\0"), (None, true));
        assert_eq!(read(&"é".repeat(201)), (Some("é".repeat(200)), true));
    }
}
