//! What can be computed from a body of JSON alone, whatever request it comes in: an endpoint's own, or an item of a
//! batch.

use std::str::FromStr;

use actix_web::HttpResponse;

use crate::api::analyses::RawAnalysis;
use crate::api::defences::{DefencesRequest, RawDefences};
use crate::api::desk::Desk;
use crate::api::error::ApiError;
use crate::api::extract::read_body;
use crate::api::finding::Analysis;
use crate::api::hints::{HintRequest, RawHints};
use crate::api::legal_moves::{self, RawLegalMoves};
use crate::api::position::Source;
use crate::api::proofs::{ProofRequest, RawProof};
use crate::api::replays::{RawReplay, ReplayRequest};
use crate::api::reviewing::Reviewing;
use crate::api::reviews::RawReview;
use crate::api::text::named;
use crate::api::threats::{self, RawThreats};
use crate::service::{Limits, Searcher};

/// A kind of computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputationKind {
    /// As `/v1/replays`.
    Replay,
    /// As `/v1/legal-moves`.
    LegalMoves,
    /// As `/v1/threats`.
    Threats,
    /// As `/v1/hints`.
    Hint,
    /// As `/v1/analyses`.
    Analysis,
    /// As `/v1/reviews`.
    Review,
    /// As `/v1/proofs`.
    Proof,
    /// As `/v1/defences`.
    Defences,
}

impl ComputationKind {
    const ALL: [ComputationKind; 8] = [
        ComputationKind::Replay,
        ComputationKind::LegalMoves,
        ComputationKind::Threats,
        ComputationKind::Hint,
        ComputationKind::Analysis,
        ComputationKind::Review,
        ComputationKind::Proof,
        ComputationKind::Defences,
    ];

    /// The names of all, for who says another.
    pub const CHOICE: &'static str =
        "replay, legal_moves, threats, hint, analysis, review, proof, defences";

    const fn name(self) -> &'static str {
        match self {
            ComputationKind::Replay => "replay",
            ComputationKind::LegalMoves => "legal_moves",
            ComputationKind::Threats => "threats",
            ComputationKind::Hint => "hint",
            ComputationKind::Analysis => "analysis",
            ComputationKind::Review => "review",
            ComputationKind::Proof => "proof",
            ComputationKind::Defences => "defences",
        }
    }
}

named!(
    ComputationKind,
    "What is computed: as the endpoint of that name in the plural does."
);

impl FromStr for ComputationKind {
    type Err = ();

    fn from_str(text: &str) -> Result<ComputationKind, ()> {
        let mut all = ComputationKind::ALL.into_iter();
        all.find(|kind| kind.name() == text).ok_or(())
    }
}

/// A computation that is known to be sound.
pub enum Computation {
    /// A record played through the rules.
    Replay(ReplayRequest),
    /// Where one may play.
    LegalMoves(Source),
    /// All that threatens.
    Threats(Source),
    /// The moves to play.
    Hint(HintRequest),
    /// What the engine finds.
    Analysis(Box<Analysis>),
    /// A game judged.
    Review(Box<Reviewing>),
    /// A forced win.
    Proof(Box<ProofRequest>),
    /// What can be done about one.
    Defences(Box<DefencesRequest>),
}

impl Computation {
    /// Reads the body of a computation.
    ///
    /// # Errors
    ///
    /// Those of the endpoint; pointers are into this body.
    pub fn read(
        kind: ComputationKind,
        body: &[u8],
        limits: &Limits,
    ) -> Result<Computation, ApiError> {
        Ok(match kind {
            ComputationKind::Replay => Computation::Replay(read_body::<RawReplay>(body, limits)?),
            ComputationKind::LegalMoves => {
                Computation::LegalMoves(read_body::<RawLegalMoves>(body, limits)?)
            }
            ComputationKind::Threats => {
                Computation::Threats(read_body::<RawThreats>(body, limits)?)
            }
            ComputationKind::Hint => Computation::Hint(read_body::<RawHints>(body, limits)?),
            ComputationKind::Analysis => {
                let analysis = read_body::<RawAnalysis>(body, limits)?.begin()?;
                Computation::Analysis(Box::new(analysis))
            }
            ComputationKind::Review => {
                let reviewing = read_body::<RawReview>(body, limits)?.begin(limits)?;
                Computation::Review(Box::new(reviewing))
            }
            ComputationKind::Proof => {
                Computation::Proof(Box::new(read_body::<RawProof>(body, limits)?))
            }
            ComputationKind::Defences => {
                Computation::Defences(Box::new(read_body::<RawDefences>(body, limits)?))
            }
        })
    }

    /// The answer of the endpoint, as JSON.
    ///
    /// # Errors
    ///
    /// Those of the endpoint.
    pub async fn run(self, searcher: &Searcher, desk: &Desk) -> Result<HttpResponse, ApiError> {
        match self {
            Computation::Replay(request) => Ok(request.answer()),
            Computation::LegalMoves(source) => legal_moves::answer(&source),
            Computation::Threats(source) => threats::answer(&source, desk).await,
            Computation::Hint(request) => request.answer(searcher).await,
            Computation::Analysis(analysis) => analysis.respond_at_once(searcher).await,
            Computation::Review(reviewing) => reviewing.respond_at_once(searcher).await,
            Computation::Proof(request) => request.answer(searcher).await,
            Computation::Defences(request) => request.answer(searcher).await,
        }
    }
}
