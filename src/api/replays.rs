//! `/v1/replays`: a record played through the rules.

use actix_web::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::forbidden::EvidenceView;
use crate::api::negotiate::unchanging;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::{QueryName, QueryNames};
use crate::api::text::{Rows, Text, Whole, as_rows, object, present};
use crate::board::{Board, Cell, Color, Direction, Key, Symmetry};
use crate::record::{Fault, Ply, Record, Replay, Violation};
use crate::rules::{DrawReason, Position, Status, WinReason};
use crate::service::Limits;

/// A record to replay.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReplayRequest)]
pub struct RawReplay {
    /// The record; a board without history is scanned instead.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// Replay only so many plies: undo.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u16>, nullable = false, minimum = 0, maximum = 1250)]
    ply: Option<Whole>,
    /// `states` adds the state after every ply.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Include>, nullable = false)]
    include: Option<Text<Include>>,
}

/// What can be added to a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Include {
    /// The state after every ply of the legal part, the empty board first.
    States,
}

impl std::str::FromStr for Include {
    type Err = ();

    fn from_str(text: &str) -> Result<Include, ()> {
        (text == "states").then_some(Include::States).ok_or(())
    }
}

/// A valid request for a replay.
pub struct ReplayRequest {
    source: Source,
    include: Option<Include>,
}

impl Input for RawReplay {
    type Valid = ReplayRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[
            QueryName::number("ply", "/ply"),
            QueryName::text("include", "/include"),
        ],
    ];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<ReplayRequest> {
        let include = faults.choose(self.include, "/include", Code::InvalidField, "states");
        let source = position::required(self.position, faults)?;
        let source = match (source, self.ply) {
            (source, None) => source,
            (Source::Record { record, is_listed }, Some(Whole(ply))) => {
                let most = record.plies().len();
                let Some(plies) = usize::try_from(ply).ok().filter(|plies| *plies <= most) else {
                    faults.note(
                        "/ply",
                        Code::LimitOutOfRange,
                        format!("the record has plies 0 to {most}"),
                    );
                    return None;
                };
                Source::Record {
                    record: record.prefix(plies),
                    is_listed,
                }
            }
            (Source::Position(_), Some(_)) => {
                faults.note(
                    "/ply",
                    Code::InvalidField,
                    "a board without history has no plies",
                );
                return None;
            }
        };
        Some(ReplayRequest { source, include })
    }
}

/// What the rules say of a record.
#[derive(Serialize, ToSchema)]
pub struct ReplayAnswer<'a> {
    /// The record as it was understood.
    position: PositionEcho<'a>,
    /// Is every ply allowed?
    legal: bool,
    /// Every ply that is not, in order.
    violations: Vec<ViolationView<'a>>,
    /// The state after the legal part: all before the first violation, and a forbidden stone with it.
    #[serde(flatten)]
    state: State,
    /// The least key over the eight symmetries: equal for positions that are rotations or reflections of each other.
    symmetry_key: Key,
    /// The symmetry that leads to that key.
    symmetry: Symmetry,
    /// With `include=states`: the state after every ply of the legal part, the empty board first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    states: Option<Vec<State>>,
}

/// A ply that the rules do not allow.
#[derive(Serialize, ToSchema)]
#[schema(as = Violation)]
struct ViolationView<'a> {
    /// Its number, from 1.
    #[schema(minimum = 1)]
    ply: usize,
    /// What the record says.
    #[serde(rename = "move")]
    played: Ply,
    /// What is wrong.
    code: Code,
    /// What is wrong, in words.
    detail: String,
    /// Why the cell is forbidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    evidence: Option<EvidenceView<'a>>,
}

/// A moment of a game.
#[derive(Serialize, ToSchema)]
pub struct State {
    /// The plies played; with a board without history, the stones on it.
    plies: usize,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    /// The stones.
    #[serde(serialize_with = "as_rows")]
    #[schema(value_type = Rows<'static>)]
    board: Board,
    /// How the game stands.
    result: ResultView,
    /// The key of the stones and the turn.
    position_key: Key,
}

/// How a game stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Result)]
pub struct ResultView {
    /// Whether it goes on.
    status: StatusName,
    /// Who won.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    winner: Option<Color>,
    /// What ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<EndReason>,
    /// The rows that won, all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    lines: Vec<LineView>,
    /// The ply that ended it; absent for a board without history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    at_ply: Option<usize>,
}

/// Whether a game goes on.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Status)]
enum StatusName {
    Ongoing,
    Won,
    Drawn,
}

/// What ended a game on the board.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum EndReason {
    Five,
    Overline,
    Forbidden,
    BoardFull,
    Passes,
}

/// A row that won.
#[derive(Serialize, ToSchema)]
#[schema(as = Line)]
struct LineView {
    direction: Direction,
    /// Its cells in order.
    cells: Vec<Cell>,
}

impl ResultView {
    /// How a position stands, and the ply that ended the game.
    pub fn of(position: &Position, ended_at: Option<usize>) -> ResultView {
        let (status, winner, reason) = match position.status() {
            Status::Ongoing => (StatusName::Ongoing, None, None),
            Status::Won { winner, by } => {
                let reason = match by {
                    WinReason::Five => EndReason::Five,
                    WinReason::Overline => EndReason::Overline,
                    WinReason::Forbidden(_) => EndReason::Forbidden,
                };
                (StatusName::Won, Some(winner), Some(reason))
            }
            Status::Drawn { by } => {
                let reason = match by {
                    DrawReason::BoardFull => EndReason::BoardFull,
                    DrawReason::Passes => EndReason::Passes,
                };
                (StatusName::Drawn, None, Some(reason))
            }
        };
        let lines = position.winning_lines().into_iter().map(|line| LineView {
            direction: line.direction,
            cells: line.cells().collect(),
        });
        ResultView {
            status,
            winner,
            reason,
            lines: lines.collect(),
            at_ply: ended_at,
        }
    }
}

impl State {
    fn of(position: &Position, plies: usize, ended_at: Option<usize>) -> State {
        State {
            plies,
            to_move: (position.status() == Status::Ongoing).then(|| position.to_move()),
            result: ResultView::of(position, ended_at),
            position_key: position.key(),
            board: position.board().clone(),
        }
    }

    fn after(replay: &Replay) -> State {
        State::of(replay.position(), replay.plies(), replay.ended_at())
    }
}

impl ReplayRequest {
    /// The answer to the request.
    pub fn answer(&self) -> HttpResponse {
        match &self.source {
            Source::Record { record, .. } => self.answer_record(record),
            Source::Position(position) => {
                let stones = position.board().stones();
                let state = State::of(position, usize::from(stones.black + stones.white), None);
                self.answer_with(position, state, &[], None)
            }
        }
    }

    fn answer_record(&self, record: &Record) -> HttpResponse {
        let mut states = self.include.map(|Include::States| Vec::new());
        let replay = match &mut states {
            None => record.replay(),
            Some(states) => Replay::with_each(record, |replay| states.push(State::after(replay))),
        };
        self.answer_with(
            replay.position(),
            State::after(&replay),
            replay.violations(),
            states,
        )
    }

    fn answer_with(
        &self,
        position: &Position,
        state: State,
        violations: &[Violation],
        states: Option<Vec<State>>,
    ) -> HttpResponse {
        let (symmetry_key, symmetry) = Key::least(position.board(), position.to_move());
        answer::ok(&ReplayAnswer {
            position: self.source.echo(),
            legal: violations.is_empty(),
            violations: violations.iter().map(ViolationView::of).collect(),
            state,
            symmetry_key,
            symmetry,
            states,
        })
    }
}

impl<'a> ViolationView<'a> {
    fn of(violation: &'a Violation) -> ViolationView<'a> {
        ViolationView {
            ply: violation.ply,
            played: violation.played,
            code: Code::of_fault(&violation.fault),
            detail: violation.fault.to_string(),
            evidence: match &violation.fault {
                Fault::Forbidden(_, evidence) => Some(EvidenceView::of(evidence)),
                _ => None,
            },
        }
    }
}

/// The answer for a record, without the state after each ply.
pub fn answer_for(record: Record) -> HttpResponse {
    let request = ReplayRequest {
        source: Source::Record {
            record,
            is_listed: true,
        },
        include: None,
    };
    request.answer()
}

/// How a record's stones leave the game, as a replay tells it.
pub fn result_for(record: &Record) -> ResultView {
    let replay = record.replay();
    ResultView::of(replay.position(), replay.ended_at())
}

/// Plays a record through the rules.
///
/// A record that breaks the rules is a good request: the answer tells every violation, and the state
/// after the legal part.
#[utoipa::path(
    post, path = "/v1/replays", tag = "positions",
    request_body(content = RawReplay, examples(
        ("black_wins" = (summary = "A game that Black wins", value = json!({"position": {"rule": "freestyle", "moves": "h8a1h9c1h10e1h12g1h11"}}))),
        ("undo" = (summary = "The same game after four plies", value = json!({"position": {"moves": ["h8", "a1", "h9", "c1", "h10"]}, "ply": 4, "include": "states"}))),
        ("occupied" = (summary = "A stone on a stone", value = json!({"position": {"rule": "standard", "moves": ["h8", {"row": 7, "col": 7}]}}))),
        ("forbidden" = (summary = "A double three of Black's", value = json!({"position": {"rule": "renju", "moves": "h7 a1 h9 c1 g8 e1 i8 g1 h8"}}))),
        ("board" = (summary = "A board without history", value = json!({"position": {"rule": "caro", "board": ["xxxxx", ".....", "..o..", ".oo..", "...o."]}}))),
    )),
    responses((status = 200, description = "What the rules say of the record.", body = ReplayAnswer<'_>))
)]
pub async fn create_replay(request: Body<RawReplay>) -> HttpResponse {
    request.0.answer()
}

/// Plays a record through the rules: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/replays", tag = "positions",
    responses((status = 200, description = "What the rules say of the record.", body = ReplayAnswer<'_>))
)]
pub async fn get_replay(
    request: HttpRequest,
    query: Query<RawReplay>,
) -> Result<HttpResponse, ApiError> {
    unchanging(&request, async { Ok(query.0.answer()) }).await
}
