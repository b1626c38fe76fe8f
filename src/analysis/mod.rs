//! Says in the words of the game what the engine and the rules find.
//!
//! It knows positions, records, rules and the engine's results, nothing of HTTP or the store. Begin reading with
//! [`Threats`] (why a move is good), then [`Survey`] (all that threatens) and [`Review`] (how a game was played).

mod hint;
mod making;
mod review;
mod threats;

pub use hint::{Reason, ReasonCode, Threats};
pub use review::{
    ACCURACY_DECAY, Better, JudgedPly, Judgement, PlayerReport, Report, Review, Tag, Worth,
    accuracy_of,
};
pub use threats::{Fork, ForkKind, Pattern, Prospect, Sight, Survey, Threat, ThreatKind};
