use time::OffsetDateTime;

use crate::board::{BoardSize, Key};
use crate::record::{GameResult, Opening, Termination};
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
    /// By this player with the black stones.
    pub black: Option<String>,
    /// By this player with the white stones.
    pub white: Option<String>,
    /// With this result.
    pub result: Option<GameResult>,
    /// Ended so.
    pub termination: Option<Termination>,
    /// In this event.
    pub event: Option<String>,
    /// From this source.
    pub source: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// Played at this time or later.
    pub played_from: Option<OffsetDateTime>,
    /// Played before this time.
    pub played_before: Option<OffsetDateTime>,
    /// With at least so many plies.
    pub min_plies: Option<u16>,
    /// With at most so many plies.
    pub max_plies: Option<u16>,
    /// With this opening.
    pub opening: Option<Opening>,
    /// That end with a position of this symmetry key.
    pub symmetry_key: Option<Key>,
}

impl GameFilter {
    /// May there be a game that has these texts?
    pub(super) fn is_findable(&self) -> bool {
        let GameFilter {
            player,
            black,
            white,
            event,
            source,
            tag,
            ..
        } = self;
        let texts = [player, black, white, event, source, tag];
        texts.into_iter().flatten().all(|text| is_keepable(text))
    }
}

/// Can a text be kept? PostgreSQL's hold no U+0000, so none of ours does.
pub(super) fn is_keepable(text: &str) -> bool {
    !text.contains('\0')
}

/// What a list is ordered by. Equal games follow by the order of arrival, in the same direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// When the store got the game.
    #[default]
    Arrival,
    /// When the game was played; without a date it counts as older than every other.
    PlayedAt,
    /// How many plies it has.
    Plies,
}

/// Which end of a list comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The least, the oldest.
    Ascending,
    /// The greatest, the newest.
    #[default]
    Descending,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub key: SortKey,
    /// Which way.
    pub direction: Direction,
}

/// The place of a game in a list: what the list is ordered by, and the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The value of the order's key; that of the arrival is `seq` itself.
    pub value: i64,
    /// The order of arrival.
    pub seq: i64,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Which games.
    pub filter: GameFilter,
    /// In which order.
    pub order: Order,
    /// Behind this place; from the beginning when absent.
    pub after: Option<Place>,
}

/// A page of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The games.
    pub games: Vec<Game>,
    /// The place of the last of them, if there are more behind it. Games that come in between do not move it.
    pub next: Option<Place>,
}
