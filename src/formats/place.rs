use crate::formats::{Reason, Refusal};

/// A place in a text: the octet, and the line and column that belong to it. It moves forward only, so
/// that following it through a text costs no more than reading the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    at: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// The beginning of a text.
    pub(super) const START: Place = Place {
        at: 0,
        line: 1,
        column: 1,
    };

    /// The place of a later octet of the same text.
    #[must_use]
    pub(super) fn forward(mut self, text: &[u8], to: usize) -> Place {
        let to = to.min(text.len());
        while self.at < to {
            let octet = text[self.at];
            let is_break = match octet {
                b'\n' => true,
                b'\r' => text.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.at += 1;
            if is_break {
                self.line += 1;
                self.column = 1;
            } else if octet & 0xc0 != 0x80 {
                // The octets of a character behind its first count for nothing.
                self.column += 1;
            }
        }
        self
    }

    /// A refusal here.
    pub(super) fn refusal(self, reason: Reason) -> Refusal {
        Refusal {
            line: self.line,
            column: self.column,
            reason,
        }
    }
}

/// A reason with the octet where it shows.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) reason: Reason,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_either_break_and_columns_count_characters() {
        let text = "aé\r\nb\rc\nd";
        let places: Vec<_> = text
            .char_indices()
            .map(|(at, _)| Place::START.forward(text.as_bytes(), at))
            .map(|place| (place.line, place.column))
            .collect();
        let expected = [
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (2, 1),
            (2, 2),
            (3, 1),
            (3, 2),
            (4, 1),
        ];
        assert_eq!(places, expected);
    }
}
