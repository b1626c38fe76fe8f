//! A game as written down, and what the rules say of it.
//!
//! A [`Record`] may hold anything that can be written; [`Replay`] plays it through the rules and tells
//! every violation. [`notation`] reads moves in the spellings people use. This room knows nothing of
//! the engine, of file formats or of HTTP. Begin reading with [`Record`].

pub mod notation;
mod opening;
mod ply;
#[expect(
    clippy::module_inception,
    reason = "a record is what this room is about"
)]
mod record;
mod replay;
mod result;
mod text;

pub use opening::{Opening, ParseOpeningError};
pub use ply::{Outside, Ply};
pub use record::Record;
pub use replay::{Fault, Replay, Violation};
pub use result::{
    GameResult, ParseGameResultError, ParseTerminationError, ResultMismatch, Termination,
};
pub use text::GameText;
