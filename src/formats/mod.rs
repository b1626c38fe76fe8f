//! Games as files: text to games and back, nothing else.
//!
//! A reader takes octets, since files come in many encodings, and gives one [`Entry`] a game, lazily: a
//! [`Game`], with what had to be left behind, or the [`Refusal`] that names line, column and reason.
//! Stones off the board and stones on stones are refused here, where the line is known; whether the
//! moves are legal, the replay of the record tells. A writer adds one game to a text and tells what the
//! format cannot say. This room knows nothing of the engine, the store or HTTP. Begin reading with [`Format`].

mod date;
mod encoding;
mod format;
mod game;
mod lines;
mod loss;
mod moves;
mod ndjson;
mod one_line;
mod place;
mod playok;
mod plies;
mod psq;
mod refusal;
mod renlib;
mod rif;
mod rule_name;
mod sgf;

pub use format::{Format, NotWritten, ParseFormatError};
pub use game::{Defaults, Entry, Game, Setup};
pub use loss::{Loss, Losses};
pub use one_line::LONGEST_LINE;
pub use refusal::{Reason, Refusal};
