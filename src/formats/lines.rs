use std::borrow::Cow;

use crate::formats::{Reason, Refusal};

/// A text read line by line, by lines that do not borrow it.
pub(super) struct Lines<'a> {
    text: Cow<'a, str>,
    at: usize,
    number: usize,
}

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    start: usize,
    end: usize,
    next: usize,
}

impl<'a> Lines<'a> {
    /// The lines of a text.
    pub(super) const fn of(text: Cow<'a, str>) -> Lines<'a> {
        Lines {
            text,
            at: 0,
            number: 1,
        }
    }

    /// The line at hand; it stays so until it is passed.
    pub(super) fn peek(&self) -> Option<Line> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|octet| matches!(octet, b'\n' | b'\r'));
        let end = self.at + length.unwrap_or(rest.len());
        let width = match &self.text.as_bytes()[end..] {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        Some(Line {
            number: self.number,
            start: self.at,
            end,
            next: end + width,
        })
    }

    /// Goes on behind a line.
    pub(super) const fn pass(&mut self, line: Line) {
        self.at = line.next;
        self.number = line.number + 1;
    }

    /// The first line that is not blank, which then is at hand.
    pub(super) fn skip_blank(&mut self) -> Option<Line> {
        loop {
            let line = self.peek()?;
            if !self.text(line).trim().is_empty() {
                return Some(line);
            }
            self.pass(line);
        }
    }

    /// The text of a line, without its break.
    pub(super) fn text(&self, line: Line) -> &str {
        &self.text[line.start..line.end]
    }

    /// A refusal at an octet of a line.
    pub(super) fn refusal(&self, line: Line, at: usize, reason: Reason) -> Refusal {
        let before = self.text(line).char_indices().take_while(|(i, _)| *i < at);
        Refusal {
            line: line.number,
            column: before.count() + 1,
            reason,
        }
    }
}
