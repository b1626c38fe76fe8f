//! The rules of the game: what wins, what is forbidden, and a position that only legal plies change.
//!
//! Wins are detected in three ways that a property test holds equal: around the new stone
//! ([`winning_lines`], what replays use), over a whole board without history ([`scan`]), and by shifts
//! over line words ([`LineWords`]). Renju's forbidden cells are judged in [`forbidden`], with evidence.
//! This room knows nothing of records, engines or HTTP. Begin reading with [`Rule`], then [`Position`].

pub mod forbidden;
mod position;
mod rule;
mod run;
mod scan;
mod shape;
mod win;
mod words;

pub use position::{DrawReason, IllegalPosition, PlayError, Position, Status, WinReason};
pub use rule::{Five, Rule, UnsupportedRule};
pub use run::Run;
pub use scan::scan;
pub use shape::Lane;
pub use win::{Lines, WinLine, winning_lines, wins};
pub use words::LineWords;
