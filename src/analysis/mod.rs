//! Says in the words of the game what the engine and the rules find.
//!
//! It knows positions, rules and the engine's results, nothing of HTTP or the store. Begin reading with
//! [`Threats`] (why a move is good) or [`Survey`] (all that threatens).

mod hint;
mod making;
mod threats;

pub use hint::{Reason, ReasonCode, Threats};
pub use threats::{Fork, ForkKind, Pattern, Prospect, Sight, Survey, Threat, ThreatKind};
