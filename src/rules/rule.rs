use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::Color;

/// The rule a game is played under. Sources: `docs/rules.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Five or more in a row win.
    #[default]
    Freestyle,
    /// Exactly five in a row win; six or more mean nothing.
    Standard,
    /// Black wins with exactly five and may play no overline, double four or double three; White
    /// wins with five or more and is free.
    Renju,
    /// Exactly five win unless enemy stones shut them in at both ends; the board's edge does not shut in.
    Caro,
}

/// What counts as a winning row for a colour under a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Five {
    /// Five or more.
    AtLeast,
    /// Exactly five.
    Exactly,
    /// Exactly five, without an enemy stone at both ends.
    ExactlyOpen,
}

impl Rule {
    /// All four.
    pub const ALL: [Rule; 4] = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro];

    /// The name in lower case, as `freestyle`.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
        }
    }

    /// The row with which a colour wins.
    pub const fn five(self, color: Color) -> Five {
        match (self, color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => Five::AtLeast,
            (Rule::Standard, _) | (Rule::Renju, Color::Black) => Five::Exactly,
            (Rule::Caro, _) => Five::ExactlyOpen,
        }
    }

    /// May a player pass at a ply (counted from 1)? In renju after the third; never under another rule.
    pub const fn allows_pass(self, ply: usize) -> bool {
        matches!(self, Rule::Renju) && ply > 3
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no supported rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the rules are freestyle, standard, renju and caro")]
pub struct UnsupportedRule;

impl FromStr for Rule {
    type Err = UnsupportedRule;

    fn from_str(text: &str) -> Result<Rule, UnsupportedRule> {
        Rule::ALL
            .into_iter()
            .find(|rule| rule.name() == text)
            .ok_or(UnsupportedRule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_back_as_they_are_written() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        assert_eq!("Renju".parse::<Rule>(), Err(UnsupportedRule));
    }

    #[test]
    fn only_renju_allows_a_pass_and_only_after_the_third_ply() {
        for rule in Rule::ALL {
            for ply in 1..10 {
                assert_eq!(rule.allows_pass(ply), rule == Rule::Renju && ply >= 4);
            }
        }
    }
}
