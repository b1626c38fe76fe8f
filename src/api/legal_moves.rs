//! `/v1/legal-moves`: where the side to move may play, and why not elsewhere.

use actix_web::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::answer::ok;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::forbidden::EvidenceView;
use crate::api::negotiate::unchanging;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::QueryNames;
use crate::api::replays::ResultView;
use crate::api::text::object;
use crate::board::{Cell, Color};
use crate::rules::forbidden::{self, Kind, evidence_within};
use crate::rules::{PlayError, Status};
use crate::service::Limits;

/// A position whose legal moves are asked for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LegalMovesRequest)]
pub struct RawLegalMoves {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
}

impl Input for RawLegalMoves {
    type Valid = Source;

    const QUERY: QueryNames = &[position::QUERY];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Source> {
        position::required(self.position, faults)
    }
}

/// Where the side to move may play.
#[derive(Serialize, ToSchema)]
pub struct LegalMovesAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    /// How the game stands.
    result: ResultView,
    /// The number of legal cells.
    count: usize,
    /// The legal cells, the top row first; none when the game is over.
    legal: Vec<Cell>,
    /// The empty cells that renju forbids to Black, when it is Black's turn.
    forbidden: Vec<ForbiddenView<'a>>,
}

/// A cell forbidden to Black.
#[derive(Serialize, ToSchema)]
#[schema(as = ForbiddenCell)]
struct ForbiddenView<'a> {
    cell: Cell,
    /// Every restriction that applies, the one that is told first at the front.
    #[schema(min_items = 1)]
    kinds: Vec<Kind>,
    /// Why.
    evidence: EvidenceView<'a>,
}

/// The most cells that the evidence of one answer tells of, first levels aside: as many as sixteen
/// forbidden cells of the deepest kind need.
const MOST_TOLD: usize = 16 * forbidden::MOST_TOLD;

/// The legal and the forbidden cells of a position.
///
/// # Errors
///
/// When the record breaks the rules.
pub fn answer(source: &Source) -> Result<HttpResponse, ApiError> {
    let (position, ended_at) = source.position()?;
    let (mut legal, mut reasons) = (Vec::new(), Vec::new());
    let mut left = MOST_TOLD;
    for cell in position.board().size().cells() {
        match position.check(cell) {
            Ok(()) => legal.push(cell),
            Err(PlayError::Forbidden(_)) => {
                let evidence =
                    evidence_within(position.board(), cell, left.min(forbidden::MOST_TOLD));
                left = left.saturating_sub(evidence.cells_told());
                reasons.push((cell, evidence));
            }
            Err(_) => {}
        }
    }
    Ok(ok(&LegalMovesAnswer {
        position: source.echo(),
        to_move: (position.status() == Status::Ongoing).then(|| position.to_move()),
        result: ResultView::of(&position, ended_at),
        count: legal.len(),
        legal,
        forbidden: reasons
            .iter()
            .map(|(cell, evidence)| ForbiddenView {
                cell: *cell,
                kinds: evidence.kinds().collect(),
                evidence: EvidenceView::of(evidence),
            })
            .collect(),
    }))
}

/// Lists the cells where the side to move may play, and the forbidden ones with the reasons.
#[utoipa::path(
    post, path = "/v1/legal-moves", tag = "positions",
    request_body(content = RawLegalMoves, examples(
        ("renju" = (summary = "Black has a forbidden cell at h8", value = json!({"position": {"rule": "renju", "size": 15, "moves": ["h7", "a1", "h9", "c1", "g8", "e1", "i8", "g1"]}}))),
        ("board" = (summary = "A small board", value = json!({"position": {"rule": "standard", "board": [[0, 0, 0, 0, 0], [0, 1, 2, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 2, 0], [0, 0, 0, 0, 0]]}}))),
    )),
    responses((status = 200, description = "The legal and the forbidden cells.", body = LegalMovesAnswer<'_>))
)]
pub async fn create_legal_moves(request: Body<RawLegalMoves>) -> Result<HttpResponse, ApiError> {
    answer(&request.0)
}

/// Lists the legal and the forbidden cells: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/legal-moves", tag = "positions",
    responses((status = 200, description = "The legal and the forbidden cells.", body = LegalMovesAnswer<'_>))
)]
pub async fn get_legal_moves(
    request: HttpRequest,
    query: Query<RawLegalMoves>,
) -> Result<HttpResponse, ApiError> {
    let compute =
        async { answer(&query.0).map_err(|error| error.into_query(RawLegalMoves::QUERY)) };
    unchanging(&request, compute).await
}
