//! A kept game as it is answered.

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::position::{PositionEcho, echo_of};
use crate::api::text::written;
use crate::board::ByColor;
use crate::record::{GameResult, Opening, Termination};
use crate::store::Game;

/// A kept game.
#[derive(Serialize, ToSchema)]
#[schema(as = Game)]
pub struct GameView<'a> {
    /// Its name.
    #[schema(value_type = String, format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")]
    id: String,
    /// Its moves.
    position: PositionEcho<'a>,
    /// The number of plies.
    plies: usize,
    players: PlayersView<'a>,
    result: GameResult,
    termination: Termination,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    site: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    round: Option<&'a str>,
    /// When it was played, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    played_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    source: Option<&'a str>,
    tags: &'a [String],
    /// The opening, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    opening: Option<OpeningView>,
    /// When it was first kept, in UTC.
    #[schema(format = "date-time")]
    created_at: String,
    /// When what is told of it last changed, in UTC.
    #[schema(format = "date-time")]
    updated_at: String,
}

/// One of the 26 openings of renju.
#[derive(Serialize, ToSchema)]
#[schema(as = Opening)]
pub struct OpeningView {
    /// `D` for direct, `I` for indirect, and the number.
    #[schema(pattern = "^[DI]([1-9]|1[0-3])$", example = "D4")]
    abbreviation: &'static str,
    /// The name.
    #[schema(example = "Kagetsu")]
    name: &'static str,
}

impl OpeningView {
    /// The opening as it is written.
    pub const fn of(opening: Opening) -> OpeningView {
        OpeningView {
            abbreviation: opening.abbreviation(),
            name: opening.name(),
        }
    }
}

/// The players' names.
#[derive(Serialize, ToSchema)]
#[schema(as = Players)]
pub struct PlayersView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    black: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    white: Option<&'a str>,
}

impl<'a> PlayersView<'a> {
    /// The names as they are written.
    pub fn of(players: &'a ByColor<Option<String>>) -> PlayersView<'a> {
        PlayersView {
            black: players.black.as_deref(),
            white: players.white.as_deref(),
        }
    }
}

impl<'a> GameView<'a> {
    /// The game as it is written.
    pub fn of(kept: &'a Game) -> GameView<'a> {
        let Game {
            id,
            game,
            created_at,
            updated_at,
            ..
        } = kept;
        let text = &game.text;
        GameView {
            id: id.to_string(),
            position: echo_of(&game.record),
            plies: game.record.plies().len(),
            players: PlayersView::of(&text.players),
            result: game.result,
            termination: game.termination,
            event: text.event.as_deref(),
            site: text.site.as_deref(),
            round: text.round.as_deref(),
            played_at: text.played_at.map(written),
            source: text.source.as_deref(),
            tags: &text.tags,
            opening: Opening::of(&game.record).map(OpeningView::of),
            created_at: written(*created_at),
            updated_at: written(*updated_at),
        }
    }
}
