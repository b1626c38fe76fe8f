//! `/v1/hints`: the move to play.

use std::str::FromStr;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::analysis::Threats;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::{QueryName, QueryNames};
use crate::api::reason::ReasonView;
use crate::api::replays::ResultView;
use crate::api::search::{self, EffortView, Eyes, JudgementView, NoMoveView, PlaceView, Scene};
use crate::api::terms::{self, RawSearchLimits, Terms};
use crate::api::text::{Text, Whole, named, object, present};
use crate::board::{BoardSize, Cell, Color};
use crate::engine::Line;
use crate::service::{Finished, Limits, Order, SearchPool, Searcher, Urgency};
use crate::store::Store;

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
    /// How strongly to play, from 1 (a child can win) to 10 (as well as it can); 10 when absent. `/v1/meta` tells the strength of each.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 1, maximum = 10)]
    level: Option<Whole>,
    /// How much of each hint is told; `line` when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Reveal>, nullable = false)]
    reveal: Option<Text<Reveal>>,
    /// What chance comes from below level 10: equal seeds, equal choices; 0 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u64>, nullable = false, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    seed: Option<Whole>,
}

/// How much of a hint is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reveal {
    /// What kind of move it is, in one sentence, and no cell.
    Kind,
    /// That, and the part of the board where it lies.
    Area,
    /// The move with its reason, without what follows.
    Move,
    /// The move with its reason and what follows.
    Line,
}

impl Reveal {
    const ALL: [Reveal; 4] = [Reveal::Kind, Reveal::Area, Reveal::Move, Reveal::Line];

    const fn name(self) -> &'static str {
        match self {
            Reveal::Kind => "kind",
            Reveal::Area => "area",
            Reveal::Move => "move",
            Reveal::Line => "line",
        }
    }
}

named!(
    Reveal,
    "How much of a hint is told: what kind of move it is, in which part of the board, the move, or all of it."
);

impl FromStr for Reveal {
    type Err = ();

    fn from_str(text: &str) -> Result<Reveal, ()> {
        let mut all = Reveal::ALL.into_iter();
        all.find(|reveal| reveal.name() == text).ok_or(())
    }
}

/// A valid request for hints.
pub struct HintRequest {
    source: Source,
    count: usize,
    terms: Terms,
    reveal: Reveal,
}

impl Input for RawHints {
    type Valid = HintRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[
            QueryName::number("count", "/count"),
            QueryName::text("reveal", "/reveal"),
        ],
        terms::LIMITS_QUERY,
        terms::LEVEL_QUERY,
    ];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<HintRequest> {
        let longest = limits.hint_time;
        let terms = Terms::validate(self.limits, self.level, self.seed, longest, faults);
        let count = faults.within(self.count, "/count", 1..=Limits::HINT_COUNT);
        let choice = "kind, area, move, line";
        let reveal = faults.choose(self.reveal, "/reveal", Code::InvalidField, choice);
        Some(HintRequest {
            source: position::required(self.position, faults)?,
            count: usize::try_from(count.unwrap_or(1)).ok()?,
            terms: terms?,
            reveal: reveal.unwrap_or(Reveal::Line),
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
    #[serde(flatten)]
    effort: EffortView,
}

/// A move to play: as much of it as `reveal` asks for.
#[derive(Serialize, ToSchema)]
#[schema(as = Hint)]
struct HintView {
    /// The cell. It, its place and what comes of it are told with `reveal=move` and `reveal=line`.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cell: Option<Cell>,
    /// Its row, from 0 at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 24)]
    row: Option<u8>,
    /// Its column, from 0 at the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 24)]
    col: Option<u8>,
    /// With `reveal=area`: the cells of the part of the board in which the move lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    area: Option<Vec<Cell>>,
    #[serde(flatten)]
    judgement: JudgementView,
    /// What is expected to be played, the move first; every stone may be played. With `reveal=line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pv: Option<Vec<Cell>>,
    /// Why this move; without cells where the move is not told.
    reason: ReasonView,
    /// How the game stands after it: the same judgement as for a player's stone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    result_after: Option<ResultView>,
}

impl HintRequest {
    /// The position, and the search that the answer needs.
    fn begin(&self) -> Result<(Scene, Option<Order>), ApiError> {
        let scene = Scene::of(&self.source)?;
        let order = match scene.no_move() {
            Some(_) => None,
            None => Some(scene.order(self.terms, self.count, Vec::new(), Vec::new())),
        };
        Ok((scene, order))
    }

    /// The answer, once it is found.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules, or the search gives nothing.
    pub async fn answer(&self, searcher: &Searcher) -> Result<HttpResponse, ApiError> {
        let (scene, order) = self.begin()?;
        let finished = match order {
            Some(order) => Some(searcher.search(order).await?),
            None => None,
        };
        Ok(self.respond(&scene, finished.as_ref()))
    }

    /// The answer, searched for on the calling thread.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules.
    pub fn answer_here(&self) -> Result<HttpResponse, ApiError> {
        let (scene, order) = self.begin()?;
        let finished = order.map(|order| search::search_here(&order));
        Ok(self.respond(&scene, finished.as_ref()))
    }

    fn respond(&self, scene: &Scene, finished: Option<&Finished>) -> HttpResponse {
        let outcome = finished.map(|finished| &finished.outcome);
        let threats = Threats::of(scene.position());
        let lines = outcome.map_or(&[][..], |outcome| &outcome.lines);
        let hints = lines
            .iter()
            .filter_map(|line| self.hint(line, scene, &threats));
        let body = HintAnswer {
            position: self.source.echo(),
            to_move: scene.to_move(),
            hints: hints.collect(),
            no_move: scene.no_move().map(|code| NoMoveView::of(code, scene)),
            effort: outcome
                .map(|outcome| EffortView::of(self.terms, outcome))
                .unwrap_or_default(),
        };
        search::respond(&body, self.terms, finished)
    }

    /// As much of a line as is to be told; none of a line without a move, which there is not.
    fn hint(&self, line: &Line, scene: &Scene, threats: &Threats<'_>) -> Option<HintView> {
        let cell = *line.moves.first()?;
        let reason = threats.reason_for(cell);
        let is_told = self.reveal >= Reveal::Move;
        let place = is_told.then(|| PlaceView::of(cell, scene));
        Some(HintView {
            cell: is_told.then_some(cell),
            row: place.as_ref().map(|place| place.row),
            col: place.as_ref().map(|place| place.col),
            area: (self.reveal == Reveal::Area)
                .then(|| area_of(cell, scene.position().board().size())),
            judgement: JudgementView::of(line, Eyes::Mover),
            pv: (self.reveal == Reveal::Line).then(|| line.moves.clone()),
            reason: if is_told {
                ReasonView::of(reason)
            } else {
                ReasonView::without_cells(reason.code)
            },
            result_after: place.map(|place| place.result_after),
        })
    }
}

/// The widest part of a board that is told as an area.
const AREA_LINES: u8 = 5;

/// The part of the board in which a cell lies: the board is cut into as few parts of at most five lines by
/// five as it takes, so that the cell is somewhere in its part, not in the middle.
fn area_of(cell: Cell, size: BoardSize) -> Vec<Cell> {
    let part = |place: u8| {
        let parts = size.lines().div_ceil(AREA_LINES);
        u16::from(place) * u16::from(parts) / u16::from(size.lines())
    };
    let parts_of = |cell: Cell| (part(cell.column()), part(cell.height()));
    let is_near = |other: &Cell| parts_of(*other) == parts_of(cell);
    size.cells().filter(is_near).collect()
}

/// Suggests the moves to play.
///
/// The search ends with the first of its limits; without any it takes 500 ms. With `nodes` or `depth` and no
/// `time_ms` equal questions get equal answers, byte for byte: they have no `elapsed_ms`, and the GET an entity tag.
/// (Should such a search take as long as a search may, it is cut off with `stop_reason` `time`, and its answer is not to be kept.)
/// Any other answer depends on the clock and says `Cache-Control: no-store`.
#[utoipa::path(
    post, path = "/v1/hints", tag = "analysis",
    request_body(content = RawHints, examples(
        ("block" = (summary = "White stops a four", value = json!({"position": {"rule": "freestyle", "size": 15, "moves": "h8h12h9a1h10c1h11"}, "limits": {"nodes": 2000}}))),
        ("win" = (summary = "White wins; only the kind of move is told", value = json!({"position": {"rule": "renju", "moves": "h8 a1 j8 b1 l8 c1 n8 d1 h12"}, "reveal": "kind", "limits": {"nodes": 2000}}))),
        ("over" = (summary = "A finished game has no move", value = json!({"position": {"rule": "standard", "board": ["xxxxx", ".....", "..o..", ".oo..", "...o."]}}))),
    )),
    responses((status = 200, description = "The moves to play, best first.", body = HintAnswer<'_>))
)]
pub async fn create_hint(
    request: Body<RawHints>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Hint);
    request.0.answer(&searcher).await
}

/// Suggests the moves to play: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/hints", tag = "analysis",
    responses((status = 200, description = "The moves to play, best first.", body = HintAnswer<'_>))
)]
pub async fn get_hint(
    request: HttpRequest,
    query: Query<RawHints>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let answer = async {
        let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Hint);
        let answered = query.0.answer(&searcher).await;
        answered.map_err(|error| error.into_query(RawHints::QUERY))
    };
    search::respond_to_get(&request, query.0.terms, pool.config(), answer).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_a_part_of_the_board_of_at_most_five_lines() {
        for lines in 5..=25 {
            let size = BoardSize::try_from(lines).unwrap();
            for cell in size.cells() {
                let area = area_of(cell, size);
                assert!(area.contains(&cell));
                assert!(
                    (9..=25).contains(&area.len()),
                    "{cell} on {lines} lines: {area:?}"
                );
                assert!(area.iter().all(|other| area_of(*other, size) == area));
            }
        }
    }
}
