//! `/v1/threats`: all that threatens in a position, by the rules alone.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::analysis::{Fork, ForkKind, Pattern, Prospect, Sight, Survey, Threat, ThreatKind};
use crate::api::answer::ok;
use crate::api::desk::Desk;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::negotiate::unchanging;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::QueryNames;
use crate::api::replays::ResultView;
use crate::api::text::{named, object};
use crate::board::{Cell, Color, Direction};
use crate::rules::{Position, Status};
use crate::service::Limits;

named!(
    ThreatKind,
    "What stones of one line are: one stone short of nothing (`five`), of a five (`open_four`, which no one stone stops; `four`; `broken_four`, with a gap), of an open four (`open_three`; `broken_three`, with a gap) or of a three (`two`)."
);
named!(ForkKind, "Two threats that one stone makes.");
named!(
    Prospect,
    "The strongest thing that a stone would make: `four` and `open_three` may have a gap; `forbidden` is where renju lets Black make nothing."
);

/// A position whose threats are asked for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ThreatsRequest)]
pub struct RawThreats {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
}

impl Input for RawThreats {
    type Valid = Source;

    const QUERY: QueryNames = &[position::QUERY];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Source> {
        position::required(self.position, faults)
    }
}

/// All that threatens in a position.
#[derive(Serialize, ToSchema)]
pub struct ThreatsAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    /// How the game stands.
    result: ResultView,
    /// The cells where the side to move wins at once; none when the game is over.
    win_now: &'a [Cell],
    /// Where the other side would win with its next stone and the side to move cannot win first: every cell where it may play and leaves the other side no five. None in it: the game is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    must_defend: Option<&'a [Cell]>,
    /// Where nobody wins with the next stone, but the other side would make an open four with its own and the side to move cannot make one first: every cell where it may play and leaves the other side no open four. (Fours of its own put the choice off.)
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    must_defend_next: Option<&'a [Cell]>,
    /// The number of threats.
    threat_count: usize,
    /// The threats of both sides, the strongest first: 200 at most, the weakest being left out.
    #[schema(max_items = 200)]
    threats: Vec<ThreatView<'a>>,
    /// The number of forks.
    fork_count: usize,
    /// The cells where a stone of either side would threaten two things at once, the strongest first: 100 at most, the weakest being left out. None when the game is over.
    #[schema(max_items = 100)]
    forks: Vec<ForkView<'a>>,
    /// What a stone would make on each empty cell where it would make something, the top row first; nothing when the game is over.
    overlay: Vec<SightView>,
    /// Were threats or forks left out because there are too many?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    truncated: bool,
}

/// Stones of one line that threaten something.
#[derive(Serialize, ToSchema)]
#[schema(as = Threat)]
struct ThreatView<'a> {
    color: Color,
    #[serde(flatten)]
    pattern: PatternView<'a>,
    /// The empty cells of the line, at most five steps from a gain, where a stone of the other side may be played and leaves no gain; in order along the line. None where no stone stops it.
    defence: &'a [Cell],
}

/// Stones of one line, and where one more makes the next step of them.
#[derive(Serialize, ToSchema)]
#[schema(as = Pattern)]
struct PatternView<'a> {
    kind: ThreatKind,
    direction: Direction,
    /// The stones, in order along the line.
    cells: &'a [Cell],
    /// The empty cells where one more stone makes the next step: of a four a five, of a three an open four, of a two a three; in order along the line, none of a five.
    gain: &'a [Cell],
}

/// A cell where a stone threatens two things at once.
#[derive(Serialize, ToSchema)]
#[schema(as = Fork)]
struct ForkView<'a> {
    color: Color,
    cell: Cell,
    kind: ForkKind,
    /// The fours and threes that the stone makes, with it on the board.
    #[schema(min_items = 2)]
    threats: Vec<PatternView<'a>>,
}

/// What stones would make on an empty cell; at least one of them something.
#[derive(Serialize, ToSchema)]
#[schema(as = OverlayCell)]
struct SightView {
    cell: Cell,
    /// What a black stone would make.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    black: Option<Prospect>,
    /// What a white stone would make.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    white: Option<Prospect>,
}

impl<'a> ThreatView<'a> {
    fn of(threat: &'a Threat) -> ThreatView<'a> {
        ThreatView {
            color: threat.color,
            pattern: PatternView::of(&threat.pattern),
            defence: &threat.defence,
        }
    }
}

impl<'a> PatternView<'a> {
    fn of(pattern: &'a Pattern) -> PatternView<'a> {
        PatternView {
            kind: pattern.kind,
            direction: pattern.direction,
            cells: &pattern.cells,
            gain: &pattern.gain,
        }
    }
}

impl<'a> ForkView<'a> {
    fn of(fork: &'a Fork) -> ForkView<'a> {
        ForkView {
            color: fork.color,
            cell: fork.cell,
            kind: fork.kind,
            threats: fork.patterns.iter().map(PatternView::of).collect(),
        }
    }
}

impl SightView {
    fn of(sight: &Sight) -> SightView {
        SightView {
            cell: sight.cell,
            black: sight.prospects.black,
            white: sight.prospects.white,
        }
    }
}

impl<'a> ThreatsAnswer<'a> {
    fn of(
        source: &'a Source,
        position: &Position,
        ended_at: Option<usize>,
        survey: &'a Survey,
    ) -> ThreatsAnswer<'a> {
        ThreatsAnswer {
            position: source.echo(),
            to_move: (position.status() == Status::Ongoing).then(|| position.to_move()),
            result: ResultView::of(position, ended_at),
            win_now: &survey.win_now,
            must_defend: survey.must_defend.as_deref(),
            must_defend_next: survey.must_defend_next.as_deref(),
            threat_count: survey.threat_count,
            threats: survey.threats.iter().map(ThreatView::of).collect(),
            fork_count: survey.fork_count,
            forks: survey.forks.iter().map(ForkView::of).collect(),
            overlay: survey.overlay.iter().map(SightView::of).collect(),
            truncated: survey.threats.len() < survey.threat_count
                || survey.forks.len() < survey.fork_count,
        }
    }
}

/// The threats in a position, found on the calling thread: for the examples in the document.
///
/// # Errors
///
/// When the record breaks the rules.
pub fn answer_here(source: &Source) -> Result<HttpResponse, ApiError> {
    let (position, ended_at) = source.position()?;
    let survey = Survey::of(&position);
    Ok(ok(&ThreatsAnswer::of(source, &position, ended_at, &survey)))
}

/// The threats in a position. On a large board they take some tens of milliseconds, which would hold up
/// other requests.
///
/// # Errors
///
/// When the record breaks the rules.
pub async fn answer(source: &Source, desk: &Desk) -> Result<HttpResponse, ApiError> {
    let (position, ended_at) = source.position()?;
    let looked_at = position.clone();
    let survey = desk.work(move || Survey::of(&looked_at)).await?;
    Ok(ok(&ThreatsAnswer::of(source, &position, ended_at, &survey)))
}

/// Lists the threats of both sides: fives, fours, threes and twos with the cells where they gain and where they are stopped, the cells that make two at once, and what a stone would make on each cell.
///
/// All follows from the rules: a gain that the rule does not count (an overline in standard, a five shut in in caro, a
/// cell forbidden to Black in renju) is none.
#[utoipa::path(
    post, path = "/v1/threats", tag = "positions",
    request_body(content = RawThreats, examples(
        ("four" = (summary = "White must answer a four on a small board", value = json!({"position": {"rule": "standard", "board": ["......", ".o....", "oxxxx.", "......", "......", "..o..."]}}))),
        ("three" = (summary = "Black must see to an open three", value = json!({"position": {"size": 7, "moves": "a1d4g1e4g7c4"}}))),
        ("won" = (summary = "A won game", value = json!({"position": {"size": 5, "moves": "a1a3b1b3c1c3d1d3e1"}}))),
    )),
    responses((status = 200, description = "The threats.", body = ThreatsAnswer<'_>))
)]
pub async fn create_threats(
    request: Body<RawThreats>,
    desk: web::Data<Desk>,
) -> Result<HttpResponse, ApiError> {
    answer(&request.0, &desk).await
}

/// Lists the threats of both sides: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/threats", tag = "positions",
    responses((status = 200, description = "The threats.", body = ThreatsAnswer<'_>))
)]
pub async fn get_threats(
    request: HttpRequest,
    query: Query<RawThreats>,
    desk: web::Data<Desk>,
) -> Result<HttpResponse, ApiError> {
    let compute = async {
        let answered = answer(&query.0, &desk).await;
        answered.map_err(|error| error.into_query(RawThreats::QUERY))
    };
    unchanging(&request, compute).await
}
