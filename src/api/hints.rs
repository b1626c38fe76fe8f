//! `/v1/hints`: the move to play.

use actix_web::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::negotiate::unchanging;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::{QueryKind, QueryName, QueryNames};
use crate::api::replays::ResultView;
use crate::api::text::{Whole, named, object, present};
use crate::board::{Cell, Color};
use crate::engine::{Reason, Suggestion, suggest};
use crate::rules::{Position, Status};
use crate::service::Limits;

/// A position in which a move is asked for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = HintRequest)]
pub struct RawHints {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// How many moves to name, best first; 1 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 1, maximum = 10)]
    count: Option<Whole>,
    /// What the search may use.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Option<RawSearchLimits>, nullable = false)]
    limits: Option<RawSearchLimits>,
}

/// What a search may use.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SearchLimits)]
struct RawSearchLimits {
    /// The longest time in milliseconds. The present engine looks one stone ahead and keeps every limit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u16>, nullable = false, minimum = 1, maximum = 10000)]
    time_ms: Option<Whole>,
}

/// A valid request for hints.
pub struct HintRequest {
    source: Source,
    count: usize,
}

impl Input for RawHints {
    type Valid = HintRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[
            QueryName {
                name: "count",
                pointer: "/count",
                kind: QueryKind::Number,
            },
            QueryName {
                name: "time_ms",
                pointer: "/limits/time_ms",
                kind: QueryKind::Number,
            },
        ],
    ];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<HintRequest> {
        let time_ms = self.limits.and_then(|limits| limits.time_ms);
        faults.within(time_ms, "/limits/time_ms", Limits::HINT_TIME_MS);
        let count = faults.within(self.count, "/count", Limits::HINT_COUNT);
        Some(HintRequest {
            source: position::required(self.position, faults)?,
            count: usize::try_from(count.unwrap_or(1)).ok()?,
        })
    }
}

/// The moves to play.
#[derive(Serialize, ToSchema)]
pub struct HintAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    /// The moves, best first; none when there is no move.
    hints: Vec<HintView>,
    /// Why there is no move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    no_move: Option<NoMoveView>,
}

/// A move to play.
#[derive(Serialize, ToSchema)]
#[schema(as = Hint)]
struct HintView {
    /// The cell.
    #[serde(rename = "move")]
    cell: Cell,
    /// Its row, from 0 at the top.
    #[schema(maximum = 24)]
    row: u8,
    /// Its column, from 0 at the left.
    #[schema(maximum = 24)]
    col: u8,
    /// What the lines through the cell are worth, in the engine's points; to be compared within one answer.
    score: i32,
    /// Why this move.
    reason: ReasonView,
    /// How the game stands after it.
    result_after: ResultView,
}

/// Why a move is suggested.
#[derive(Serialize, ToSchema)]
#[schema(as = HintReason)]
struct ReasonView {
    code: Reason,
    /// The cells it is about: where a win or an open four is made, or would have been made.
    cells: Vec<Cell>,
    /// The reason in a sentence.
    text: String,
}

named!(Reason, "Why a move is suggested.");
named!(NoMove, "Why there is no move.");

/// Why there is no move to suggest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoMove {
    /// The game is over.
    GameOver,
    /// Every empty cell is forbidden.
    NoLegalCell,
}

impl NoMove {
    const ALL: [NoMove; 2] = [NoMove::GameOver, NoMove::NoLegalCell];

    const fn name(self) -> &'static str {
        match self {
            NoMove::GameOver => "game_over",
            NoMove::NoLegalCell => "no_legal_cell",
        }
    }
}

/// That there is no move, and why.
#[derive(Serialize, ToSchema)]
#[schema(as = NoMoveReason)]
struct NoMoveView {
    code: NoMove,
    /// How the game stands.
    result: ResultView,
}

impl HintRequest {
    /// The answer to the request.
    pub fn answer(&self) -> Result<HttpResponse, ApiError> {
        let (position, ended_at) = self.source.position()?;
        let next_ply = match &self.source {
            Source::Record { record, .. } => Some(record.plies().len() + 1),
            Source::Position(_) => None,
        };
        let hints: Vec<HintView> = suggest(&position, self.count)
            .into_iter()
            .filter_map(|suggestion| HintView::of(&position, next_ply, suggestion))
            .collect();
        let is_over = position.status() != Status::Ongoing;
        let no_move = hints.is_empty().then(|| NoMoveView {
            code: if is_over {
                NoMove::GameOver
            } else {
                NoMove::NoLegalCell
            },
            result: ResultView::of(&position, ended_at),
        });
        Ok(answer::ok(&HintAnswer {
            position: self.source.echo(),
            to_move: (!is_over).then(|| position.to_move()),
            hints,
            no_move,
        }))
    }
}

impl HintView {
    /// The suggestion with the game played on by it; none if the rules refused the move, which a
    /// property test shows not to happen.
    fn of(
        position: &Position,
        next_ply: Option<usize>,
        suggestion: Suggestion,
    ) -> Option<HintView> {
        let mut after = position.clone();
        after.play(suggestion.cell).ok()?;
        let ended_at = next_ply.filter(|_| after.status() != Status::Ongoing);
        Some(HintView {
            cell: suggestion.cell,
            row: suggestion.cell.row(position.board().size())?,
            col: suggestion.cell.column(),
            score: suggestion.score,
            reason: ReasonView::of(suggestion.reason, suggestion.about),
            result_after: ResultView::of(&after, ended_at),
        })
    }
}

impl ReasonView {
    fn of(code: Reason, cells: Vec<Cell>) -> ReasonView {
        let names: Vec<_> = cells.iter().map(Cell::to_string).collect();
        let names = names.join(", ");
        let text = match code {
            Reason::WinNow => "This stone wins.".into(),
            Reason::BlockFive => format!("The other side would win at {names}."),
            Reason::MakesOpenFour => format!("This makes a four that wins at {names}."),
            Reason::BlocksOpenFour => format!("The other side would make an open four at {names}."),
            Reason::Builds => "This builds own lines and hinders the other side's.".into(),
        };
        ReasonView { code, cells, text }
    }
}

/// Suggests the moves to play.
///
/// The present engine looks one stone ahead: it wins if it can, else stops a five, else makes or stops
/// an open four, else builds the best lines. Equal questions get equal answers.
#[utoipa::path(
    post, path = "/v1/hints", tag = "analysis",
    request_body(content = RawHints, examples(
        ("block" = (summary = "White stops a four", value = json!({"position": {"rule": "freestyle", "size": 15, "moves": "h8a1h9c1h10e1h11"}}))),
        ("win" = (summary = "White wins, three moves asked for", value = json!({"position": {"rule": "renju", "moves": "h8 a1 j8 b1 l8 c1 n8 d1 h12"}, "count": 3, "limits": {"time_ms": 200}}))),
        ("over" = (summary = "A finished game has no move", value = json!({"position": {"rule": "standard", "board": ["xxxxx", ".....", "..o..", ".oo..", "...o."]}}))),
    )),
    responses((status = 200, description = "The moves to play, best first.", body = HintAnswer<'_>))
)]
pub async fn create_hint(request: Body<RawHints>) -> Result<HttpResponse, ApiError> {
    request.0.answer()
}

/// Suggests the moves to play: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/hints", tag = "analysis",
    responses((status = 200, description = "The moves to play, best first.", body = HintAnswer<'_>))
)]
pub async fn get_hint(
    request: HttpRequest,
    query: Query<RawHints>,
) -> Result<HttpResponse, ApiError> {
    unchanging(&request, || query.0.answer())
}
