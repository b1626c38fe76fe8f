//! Says in the words of the game what the engine and the rules find.
//!
//! It knows positions, rules and the engine's results, nothing of HTTP or the store. Begin reading with
//! [`Threats`].

mod hint;
mod making;

pub use hint::{Reason, ReasonCode, Threats};
