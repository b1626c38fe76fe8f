//! Every threat of both sides in a position, from the rules alone.
//!
//! A row is named after what the next stones make of it, so the rule has its say in each name;
//! `docs/analysis.md` has the definitions with pictures. Nothing is searched and nothing guessed.
//! Begin reading with [`Survey`], then `side.rs`.

mod kind;
mod side;
mod survey;

pub use kind::{ForkKind, Prospect, ThreatKind};
pub use side::Pattern;
pub use survey::{Fork, Sight, Survey, Threat};
