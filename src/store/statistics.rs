use crate::board::BoardSize;
use crate::record::{GameResult, Opening, Termination};
use crate::rules::Rule;

/// Games that have these things in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The rule.
    pub rule: Rule,
    /// The board's size.
    pub size: BoardSize,
    /// The opening, if it has a name.
    pub opening: Option<Opening>,
    /// The result.
    pub result: GameResult,
    /// What ended the games.
    pub termination: Termination,
}

/// All kept games in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many games share a facet.
    pub facets: Vec<(Facet, u64)>,
    /// How many games of a rule have so many plies, by rule and number of plies.
    pub lengths: Vec<(Rule, u16, u64)>,
    /// How many players there are.
    pub players: u64,
}
