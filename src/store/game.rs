use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::board::ByColor;
use crate::record::{GameResult, Record, Termination};
use crate::store::encoding;

/// The name of a stored game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameId(pub(super) Uuid);

impl GameId {
    /// A new name; later ones sort behind earlier ones.
    pub fn new() -> GameId {
        GameId(Uuid::now_v7())
    }
}

impl Default for GameId {
    fn default() -> GameId {
        GameId::new()
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for GameId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<GameId, uuid::Error> {
        text.parse().map(GameId)
    }
}

/// What is told of a game besides its moves and its end. What is not known is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameText {
    /// The players' names.
    pub players: ByColor<Option<String>>,
    /// The tournament or match.
    pub event: Option<String>,
    /// Where it was played.
    pub site: Option<String>,
    /// The round of the event.
    pub round: Option<String>,
    /// When it was played, in UTC.
    pub played_at: Option<OffsetDateTime>,
    /// Where the record comes from.
    pub source: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// A finished game that the rules have checked, to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGame {
    /// The moves.
    pub record: Record,
    /// Who won.
    pub result: GameResult,
    /// What ended it.
    pub termination: Termination,
    /// What else is told of it.
    pub text: GameText,
}

impl NewGame {
    /// What makes two records the same game: rule, size, moves, end, players, event, site, round and
    /// time. Where a copy comes from and how it is tagged do not count.
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        part(self.record.rule().name().as_bytes());
        part(&[self.record.size().lines()]);
        part(&encoding::encode(self.record.plies()));
        part(self.result.name().as_bytes());
        part(self.termination.name().as_bytes());
        let text = &self.text;
        for told in [
            &text.players.black,
            &text.players.white,
            &text.event,
            &text.site,
            &text.round,
        ] {
            // A leading octet tells an absent text from an empty one.
            part(
                told.as_ref()
                    .map_or(String::new(), |told| format!("+{told}"))
                    .as_bytes(),
            );
        }
        part(
            &text
                .played_at
                .map_or([0; 16], |at| at.unix_timestamp_nanos().to_le_bytes()),
        );
        hash.finalize().into()
    }
}

/// A kept game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its name.
    pub id: GameId,
    /// What is kept.
    pub game: NewGame,
    /// When it was first kept, in UTC.
    pub created_at: OffsetDateTime,
}

/// What became of a game that was handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is kept now.
    New(Game),
    /// It was kept before.
    Known(Game),
}
