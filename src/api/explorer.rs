//! `GET /v1/explorer`: what was played from a position in the kept games.

use std::ops::Not;
use std::str::FromStr;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Input, Query};
use crate::api::faults::Faults;
use crate::api::game_text::checked;
use crate::api::game_view::{OpeningView, PlayersView};
use crate::api::games::RESULTS;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::{QueryName, QueryNames};
use crate::api::tally::{TallyView, share};
use crate::api::text::{Text, Whole, object, present, written};
use crate::board::{Color, Key};
use crate::record::{GameResult, Opening, Ply, Termination};
use crate::rules::Position;
use crate::service::Limits;
use crate::store::{
    Explored, ExplorerQuery, Folded, Game, INDEXED_PLIES, Month, PlayedMove, Store,
};

/// What is asked of the explorer.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RawExplorer {
    /// From which position; its names are described by the table that reads them.
    #[serde(default, deserialize_with = "object")]
    #[param(ignore)]
    position: Option<RawPosition>,
    /// Only games that were played in this month or later, as `2026-11`.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<String>, nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$")]
    since: Option<Text<AskedMonth>>,
    /// Only games that were played in this month or earlier, as `2026-11`. Games without a date are in no month.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<String>, nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$")]
    until: Option<Text<AskedMonth>>,
    /// Only games of this player; the whole name.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    player: Option<String>,
    /// Only games in which the `player` had this colour.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Color>, nullable = false)]
    color: Option<Text<Color>>,
    /// Only games with this result.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<GameResult>, nullable = false)]
    result: Option<Text<GameResult>>,
    /// The most top games to name, and the most recent ones; 5 when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u32>, nullable = false, minimum = 0, maximum = 20)]
    games: Option<Whole>,
}

/// A month as it is asked for: four digits of the year, a hyphen and two of the month.
struct AskedMonth(Month);

impl FromStr for AskedMonth {
    type Err = ();

    fn from_str(text: &str) -> Result<AskedMonth, ()> {
        let number = |digits: &str, length| {
            let is_number =
                digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<u16>().ok()).flatten()
        };
        let month = || {
            let (year, month) = text.split_once('-')?;
            let month = u8::try_from(number(month, 2)?).ok()?;
            Month::new(number(year, 4)?, month)
        };
        month().map(AskedMonth).ok_or(())
    }
}

/// A valid request to the explorer.
pub struct ExplorerRequest {
    source: Source,
    since: Option<Month>,
    until: Option<Month>,
    player: Option<String>,
    color: Option<Color>,
    result: Option<GameResult>,
    games: u32,
}

impl Input for RawExplorer {
    type Valid = ExplorerRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[
            QueryName::text("since", "/since"),
            QueryName::text("until", "/until"),
            QueryName::text("player", "/player"),
            QueryName::text("color", "/color"),
            QueryName::text("result", "/result"),
            QueryName::number("games", "/games"),
        ],
    ];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<ExplorerRequest> {
        let month = "months, written as 2026-11";
        let mut month = |raw: Option<Text<AskedMonth>>, pointer| {
            let AskedMonth(read) = faults.choose(raw, pointer, Code::InvalidField, month)?;
            Some(read)
        };
        let since = month(self.since, "/since");
        let until = month(self.until, "/until");
        if since.zip(until).is_some_and(|(since, until)| until < since) {
            faults.note("/until", Code::InvalidField, "`until` is before `since`");
        }
        let color = faults.choose(self.color, "/color", Code::InvalidField, "black, white");
        if color.is_some() && self.player.is_none() {
            let detail = "this is a player's colour; name the player";
            faults.note("/color", Code::InvalidField, detail);
        }
        let player = checked(self.player, "/player", faults);
        let result = faults.choose(self.result, "/result", Code::InvalidField, RESULTS);
        let games = faults
            .within(self.games, "/games", 0..=i64::from(Limits::EXPLORER_GAMES))
            .and_then(|games| u32::try_from(games).ok())
            .unwrap_or(Limits::EXPLORER_GAMES_DEFAULT);
        Some(ExplorerRequest {
            source: position::required(self.position, faults)?,
            since,
            until,
            player,
            color,
            result,
            games,
        })
    }
}

/// What was played from a position.
#[derive(Serialize, ToSchema)]
pub struct ExplorerAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// The key of the stones and the turn.
    position_key: Key,
    /// The least key over the eight symmetries: positions that have it in common are one here.
    symmetry_key: Key,
    /// The opening that the moves begin with, if it is one of the 26 and they are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    opening: Option<OpeningView>,
    /// So many plies of each game are counted: a position behind them, of so many plies or more, has no moves here.
    indexed_to_ply: usize,
    /// The games that went on from here.
    totals: TallyView,
    /// The moves that were played, the most played first.
    moves: Vec<ExplorerMove>,
    /// Of the newest 1000 games from here that fit the filters (without `player`: of the newest 1000, those that fit)
    /// those whose players' ratings are highest together, the highest first. Games without two rated players are not
    /// among them.
    top_games: Vec<ExplorerGame<'a>>,
    /// The newest games from here, by when they were kept. With `since`, `until` or `result` and without `player` they are
    /// looked for among the newest 1000 only: where few of these fit, there may be older ones that are not named.
    recent_games: Vec<ExplorerGame<'a>>,
    /// True where the `player` has more than 20,000 games: then only the newest 20,000 with each colour were looked at,
    /// and older ones are not counted. Absent otherwise.
    #[serde(skip_serializing_if = "Not::not")]
    #[schema(required = false)]
    is_cut: bool,
}

/// A move that was played from the position, in the orientation that was asked for.
#[derive(Serialize, ToSchema)]
struct ExplorerMove {
    /// The move.
    #[serde(rename = "move")]
    played: Ply,
    #[serde(flatten)]
    tally: TallyView,
    /// The part of all games from here, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    share: f64,
    /// The other moves that are the same by a symmetry of the position. Their games are counted here.
    equivalents: Vec<Ply>,
}

/// A game that went through the position, in short.
#[derive(Serialize, ToSchema)]
struct ExplorerGame<'a> {
    /// Its name: it is at `/v1/games/{id}`.
    #[schema(value_type = String, format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")]
    id: String,
    players: PlayersView<'a>,
    result: GameResult,
    termination: Termination,
    /// The number of plies.
    plies: usize,
    /// When it was played, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    played_at: Option<String>,
}

impl ExplorerRequest {
    fn query(&self, position: &Position) -> ExplorerQuery {
        ExplorerQuery {
            position: Folded::of(position.rule(), position.board(), position.to_move()),
            since: self.since,
            until: self.until,
            player: self.player.clone(),
            color: self.color,
            result: self.result,
            games: self.games,
        }
    }
}

impl<'a> ExplorerAnswer<'a> {
    fn of(source: &'a Source, position: &Position, explored: &'a Explored) -> ExplorerAnswer<'a> {
        let opening = match source {
            Source::Record { record, .. } => Opening::of(record),
            Source::Position(_) => None,
        };
        let (symmetry_key, _) = Key::least(position.board(), position.to_move());
        let tallies = explored.moves.iter().map(|played| played.tally.into());
        let totals: TallyView = tallies.sum();
        let named = |games: &'a [Game]| games.iter().map(ExplorerGame::of).collect();
        ExplorerAnswer {
            position: source.echo(),
            position_key: position.key(),
            symmetry_key,
            opening: opening.map(OpeningView::of),
            indexed_to_ply: INDEXED_PLIES,
            totals,
            moves: explored
                .moves
                .iter()
                .filter_map(|played| ExplorerMove::of(played, totals.games()))
                .collect(),
            top_games: named(&explored.top),
            recent_games: named(&explored.recent),
            is_cut: explored.is_cut,
        }
    }
}

impl ExplorerMove {
    /// A move, of which there is at least one form.
    fn of(played: &PlayedMove, all: u64) -> Option<ExplorerMove> {
        let (first, others) = played.plies.split_first()?;
        Some(ExplorerMove {
            played: *first,
            tally: played.tally.into(),
            share: share(played.tally.games(), all),
            equivalents: others.to_vec(),
        })
    }
}

impl<'a> ExplorerGame<'a> {
    fn of(Game { id, game, .. }: &'a Game) -> ExplorerGame<'a> {
        ExplorerGame {
            id: id.to_string(),
            players: PlayersView::of(&game.text.players),
            result: game.result,
            termination: game.termination,
            plies: game.record.plies().len(),
            played_at: game.text.played_at.map(written),
        }
    }
}

/// Tells what was played from a position in the kept games.
///
/// Positions that are rotations or reflections of each other, or are reached in another order, are one; moves are
/// told in the orientation that was asked for. The first plies of each game are counted, as many as `indexed_to_ply`
/// says; a game that ended in the position itself is not. A finished position has no moves.
///
/// The counts are of all games; those that are named are looked for among the newest 1000 from the position.
#[utoipa::path(
    get, path = "/v1/explorer", tag = "collection",
    params(RawExplorer),
    responses((status = 200, description = "What was played from here.", body = ExplorerAnswer<'_>, example = json!({
        "position": {"rule": "freestyle", "size": 15, "moves": ["h8"]},
        "position_key": "dd8c4c8359497530", "symmetry_key": "dd8c4c8359497530", "indexed_to_ply": 16,
        "totals": {"games": 2, "black": 1, "white": 1, "draw": 0},
        "moves": [
            {"move": "a1", "games": 1, "black": 1, "white": 0, "draw": 0, "share": 0.5, "equivalents": ["o1", "a15", "o15"]},
            {"move": "g7", "games": 1, "black": 0, "white": 1, "draw": 0, "share": 0.5, "equivalents": ["i7", "g9", "i9"]},
        ],
        "top_games": [
            {"id": "019357a4-6c00-7000-8000-000000000000", "players": {"black": "Ada", "white": "Grace"}, "result": "white", "termination": "resignation", "plies": 4, "played_at": "2026-11-30T18:00:00Z"},
        ],
        "recent_games": [
            {"id": "019357a4-6c00-7000-8000-000000000000", "players": {"black": "Ada", "white": "Grace"}, "result": "white", "termination": "resignation", "plies": 4, "played_at": "2026-11-30T18:00:00Z"},
        ],
    })))
)]
pub async fn get_explorer(
    store: web::Data<dyn Store>,
    query: Query<RawExplorer>,
) -> Result<HttpResponse, ApiError> {
    let request = query.0;
    let (position, _) = request
        .source
        .position()
        .map_err(|error| error.into_query(RawExplorer::QUERY))?;
    let explored = store.explore(&request.query(&position)).await?;
    Ok(answer::ok(&ExplorerAnswer::of(
        &request.source,
        &position,
        &explored,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_one_spelling() {
        let month = |text: &str| {
            text.parse::<AskedMonth>()
                .ok()
                .map(|AskedMonth(month)| month)
        };
        assert_eq!(month("2026-11"), Month::new(2026, 11));
        assert_eq!(month("0000-01"), Month::new(0, 1));
        for text in [
            "",
            "-",
            "2026",
            "2026-",
            "2026-0",
            "2026-00",
            "2026-13",
            "2026-1",
            "26-11",
            "02026-11",
            "2026-011",
            "2026-11-30",
            "+026-11",
            "2026-+1",
            "2026/11",
            " 2026-11",
            "２026-11",
        ] {
            assert_eq!(month(text), None, "{text}");
        }
    }
}
