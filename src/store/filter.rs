use crate::board::BoardSize;
use crate::record::GameResult;
use crate::rules::Rule;
use crate::store::Game;

/// Which games are asked for; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Played under this rule.
    pub rule: Option<Rule>,
    /// On a board of this size.
    pub size: Option<BoardSize>,
    /// By this player, with either colour.
    pub player: Option<String>,
    /// With this result.
    pub result: Option<GameResult>,
}

/// A part of a list of games, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The games.
    pub games: Vec<Game>,
    /// Where the next part begins, if there is more. Games that come in between do not move it.
    pub next: Option<i64>,
}
