//! A review as it is answered.

use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::{
    ACCURACY_DECAY, Better, JudgedPly, Judgement, PlayerReport, Report, Review, Tag,
};
use crate::api::finding::Pov;
use crate::api::position::{PositionEcho, echo_of};
use crate::api::reason::ReasonView;
use crate::api::replays::ResultView;
use crate::api::search::{Eyes, JudgementView, to_places};
use crate::api::text::named;
use crate::board::{Cell, Color};
use crate::record::{Ply, Record};

named!(
    Judgement as "PlyJudgement",
    "How good a move was: by how much of the chance to win it has lost, `best` less than 0.01, `good` less than 0.05, \
     `inaccuracy` less than 0.1, `mistake` less than 0.2, `blunder` more."
);
named!(
    Tag as "PlyTag",
    "What is remarkable about a move. `missed_win`: a proven win was there, and is gone; `allowed_win`: the other side has a \
     proven win that was not there; `only_move`: every other move loses; `forced_loss`: every move loses; `late_win`: a win was \
     proven, and this one takes longer; `double_threat`: it makes a four and an open three, two fours or two open threes, \
     and the other side cannot win first."
);

/// A game reviewed.
#[derive(Serialize, ToSchema)]
pub struct ReviewAnswer<'a> {
    /// The game as it was understood.
    position: PositionEcho<'a>,
    /// How it stands at the end.
    result: ResultView,
    /// For whom `before` and `after` are told; `to_move` is the player of the ply.
    pov: Pov,
    /// The game in two to five English sentences.
    summary: &'a str,
    players: ReviewedPlayers,
    /// The plies that have cost most, mistakes and worse, the dearest first.
    #[schema(max_items = 5)]
    turning_points: Vec<TurningPoint>,
    /// Every ply, in order.
    plies: Vec<PlyView>,
    /// Black's chance to win before the first ply and after each: the numbers of the chart.
    black_win_probs: Vec<f64>,
    /// How many positions were looked at in all searches together.
    nodes: u64,
    /// How long the searches took together, where the answer depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    elapsed_ms: Option<u64>,
}

/// How the two sides have played.
#[derive(Serialize, ToSchema)]
struct ReviewedPlayers {
    black: ReviewedPlayer,
    white: ReviewedPlayer,
}

/// How a side has played.
#[derive(Serialize, ToSchema)]
struct ReviewedPlayer {
    /// The number of its plies.
    plies: usize,
    /// The geometric mean of the accuracies of its moves that are judged; absent where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 100)]
    accuracy: Option<f64>,
    judgements: JudgementCounts,
}

/// How many moves were judged how.
#[derive(Serialize, ToSchema)]
struct JudgementCounts {
    best: usize,
    good: usize,
    inaccuracy: usize,
    mistake: usize,
    blunder: usize,
}

/// A ply that has cost much.
#[derive(Serialize, ToSchema)]
struct TurningPoint {
    /// Its number, from 1.
    #[schema(minimum = 1)]
    ply: usize,
    color: Color,
    #[serde(rename = "move")]
    played: Ply,
    /// What it has cost.
    #[schema(minimum = 0, maximum = 1)]
    loss: f64,
}

/// A ply, judged.
#[derive(Serialize, ToSchema)]
#[schema(as = ReviewedPly)]
pub struct PlyView {
    /// Its number, from 1.
    #[schema(minimum = 1)]
    ply: usize,
    color: Color,
    #[serde(rename = "move")]
    played: Ply,
    /// What the position is worth with the best move.
    before: JudgementView,
    /// What it is worth after the move.
    after: JudgementView,
    /// How much of the chance to win the move has lost; 0 where it is the engine's own.
    #[schema(minimum = 0, maximum = 1)]
    loss: f64,
    /// The same from 100, for no loss, to about 6; `docs/analysis.md` has the formula.
    #[schema(minimum = 0, maximum = 100)]
    accuracy: f64,
    /// Absent where every move loses and where nobody can win any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    judgement: Option<Judgement>,
    tags: Vec<Tag>,
    /// The better move, from a loss of 0.05 on and where a win was missed or takes longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    better: Option<BetterView>,
}

/// A move that was better.
#[derive(Serialize, ToSchema)]
#[schema(as = BetterMove)]
struct BetterView {
    #[serde(rename = "move")]
    cell: Cell,
    /// What was expected to be played, the move first.
    #[schema(min_items = 1)]
    pv: Vec<Cell>,
    /// Why it is good.
    reason: ReasonView,
}

impl<'a> ReviewAnswer<'a> {
    /// All that a review tells.
    pub fn of(
        record: &'a Record,
        review: &Review,
        report: &'a Report,
        pov: Pov,
        nodes: u64,
        elapsed_ms: Option<u64>,
    ) -> ReviewAnswer<'a> {
        let judged = review.judged();
        let point = |number: &usize| judged.get(number.checked_sub(1)?).map(TurningPoint::of);
        let chances = review.chances().into_iter();
        ReviewAnswer {
            position: echo_of(record),
            result: ResultView::of(review.last_position(), review.ended_at()),
            pov,
            summary: &report.summary,
            players: ReviewedPlayers {
                black: ReviewedPlayer::of(&report.players.black),
                white: ReviewedPlayer::of(&report.players.white),
            },
            turning_points: report.turning_points.iter().filter_map(point).collect(),
            plies: judged.iter().map(|ply| PlyView::of(ply, pov)).collect(),
            black_win_probs: chances.map(|chance| to_places(chance, 4)).collect(),
            nodes,
            elapsed_ms,
        }
    }
}

impl ReviewedPlayer {
    fn of(player: &PlayerReport) -> ReviewedPlayer {
        ReviewedPlayer {
            plies: player.plies,
            accuracy: player.accuracy.map(|accuracy| to_places(accuracy, 1)),
            judgements: JudgementCounts {
                best: player.count(Judgement::Best),
                good: player.count(Judgement::Good),
                inaccuracy: player.count(Judgement::Inaccuracy),
                mistake: player.count(Judgement::Mistake),
                blunder: player.count(Judgement::Blunder),
            },
        }
    }
}

impl TurningPoint {
    fn of(ply: &JudgedPly) -> TurningPoint {
        TurningPoint {
            ply: ply.number,
            color: ply.color,
            played: ply.played,
            loss: to_places(ply.loss, 4),
        }
    }
}

impl PlyView {
    /// A ply as it is told.
    pub fn of(ply: &JudgedPly, pov: Pov) -> PlyView {
        let eyes: Eyes = pov.eyes(ply.color);
        PlyView {
            ply: ply.number,
            color: ply.color,
            played: ply.played,
            before: JudgementView::of_worth(ply.before, eyes),
            after: JudgementView::of_worth(ply.after, eyes),
            loss: to_places(ply.loss, 4),
            accuracy: to_places(ply.accuracy, 1),
            judgement: ply.judgement,
            tags: ply.tags.clone(),
            better: ply.better.clone().and_then(BetterView::of),
        }
    }
}

impl BetterView {
    /// The move as it is told; none of a line without a move, which there is not.
    fn of(better: Better) -> Option<BetterView> {
        Some(BetterView {
            cell: *better.line.first()?,
            pv: better.line,
            reason: ReasonView::of(better.reason),
        })
    }
}

/// How the moves of a game are judged.
#[derive(Serialize, ToSchema)]
pub struct ReviewScale {
    /// The accuracy of a move, from its loss.
    #[schema(example = "100 * exp(-accuracy_decay * sqrt(loss))")]
    accuracy: &'static str,
    /// How fast it falls; fitted to the engine's own games.
    accuracy_decay: f64,
    /// From this loss on the better move is told.
    tells_better: f64,
    /// The judgements, the best first.
    judgements: Vec<JudgementScale>,
}

/// The losses of a judgement.
#[derive(Serialize, ToSchema)]
struct JudgementScale {
    judgement: Judgement,
    /// It is given below this loss; absent for the worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    loss_below: Option<f64>,
}

impl ReviewScale {
    /// The scale of this version.
    pub fn new() -> ReviewScale {
        let scale = |judgement: Judgement| JudgementScale {
            judgement,
            loss_below: Some(judgement.loss_below()).filter(|loss| loss.is_finite()),
        };
        ReviewScale {
            accuracy: "100 * exp(-accuracy_decay * sqrt(loss))",
            accuracy_decay: ACCURACY_DECAY,
            tells_better: JudgedPly::TELLS_BETTER,
            judgements: Judgement::ALL.map(scale).into(),
        }
    }
}
