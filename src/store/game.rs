use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use thiserror::Error;
use time::{Duration, OffsetDateTime, UtcOffset};
use uuid::Uuid;

use crate::formats;
use crate::record::{
    Fault, GameResult, GameText, Record, Replay, ResultMismatch, Termination, Violation,
};
use crate::store::{StoreError, encoding};

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

/// A text that is no game's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a game's name is a UUID in lower case with hyphens")]
pub struct ParseGameIdError;

impl FromStr for GameId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<GameId, ParseGameIdError> {
        // One spelling of a name, though UUIDs have others.
        let id = text.parse().map(GameId).map_err(|_| ParseGameIdError)?;
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(ParseGameIdError)
        }
    }
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

/// Why a record is no game that can be kept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotAGame {
    /// The rules do not allow it; never empty. A forbidden stone may be the last, for it ends the game.
    #[error("{}", told(.0))]
    Violations(Vec<Violation>),
    /// The stones leave the game open, and it is not told how it ended.
    #[error("the stones leave the game open; say how it ended")]
    Open {
        /// Is the result absent?
        no_result: bool,
        /// Is the termination absent?
        no_termination: bool,
    },
    /// The stones contradict the end that is told.
    #[error(transparent)]
    Mismatch(#[from] ResultMismatch),
}

fn told(violations: &[Violation]) -> String {
    violations.first().map_or_else(String::new, |first| {
        format!("ply {}, {}: {}", first.ply, first.played, first.fault)
    })
}

impl NewGame {
    /// The game of a record that the rules are asked about, with the end that its stones and who sends it tell
    /// together. When it was played is kept to the microsecond.
    ///
    /// # Errors
    ///
    /// [`NotAGame`] when a ply is not allowed, or the end is not known or not that of the stones.
    pub fn judge(
        record: Record,
        result: Option<GameResult>,
        termination: Option<Termination>,
        text: GameText,
    ) -> Result<NewGame, NotAGame> {
        let replay = record.replay();
        if !is_playable(&replay, record.plies().len()) {
            return Err(NotAGame::Violations(replay.violations().to_vec()));
        }
        let ending = replay.ending();
        let result = result.or(ending.map(|(result, _)| result));
        let termination = termination.or(ending.map(|(_, termination)| termination));
        let (Some(result), Some(termination)) = (result, termination) else {
            return Err(NotAGame::Open {
                no_result: result.is_none(),
                no_termination: termination.is_none(),
            });
        };
        replay.check_claim(result, termination)?;
        Ok(NewGame {
            record,
            result,
            termination,
            text: as_kept(text),
        })
    }

    /// A digest of all that is kept of the game: what makes it itself, and where the copy comes from and how it is tagged.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoGame`] when the record holds a place that no board has.
    pub fn digest(&self) -> Result<[u8; 32], StoreError> {
        let mut hash = Sha256::new();
        hash.update(self.fingerprint()?);
        let text = &self.text;
        for told in text.source.iter().chain(&text.tags) {
            hash.update(told.len().to_le_bytes());
            hash.update(told);
        }
        hash.update([u8::from(text.source.is_some())]);
        Ok(hash.finalize().into())
    }

    /// What makes two records the same game: rule, size, moves, end, players, event, site, round and
    /// time. Where a copy comes from and how it is tagged do not count.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoGame`] when the record holds a place that no board has.
    pub fn fingerprint(&self) -> Result<[u8; 32], StoreError> {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        part(self.record.rule().name().as_bytes());
        part(&[self.record.size().lines()]);
        part(&encoding::encode(self.record.plies()).ok_or(StoreError::NoGame)?);
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
            part(&told_or_not(told.as_ref().map(|told| told.as_bytes())));
        }
        let played_at = text
            .played_at
            .map(|at| to_micros(at).unix_timestamp_nanos().to_le_bytes());
        part(&told_or_not(played_at.as_ref().map(|octets| &octets[..])));
        Ok(hash.finalize().into())
    }
}

/// What is told of a game, as it will be read again.
pub(super) fn as_kept(text: GameText) -> GameText {
    let played_at = text.played_at.map(to_micros);
    GameText { played_at, ..text }
}

/// A time as databases keep it: in UTC, without what is finer than a microsecond.
pub(super) fn to_micros(at: OffsetDateTime) -> OffsetDateTime {
    // The first and the last hours of all time have no other offset.
    let at = at.checked_to_offset(UtcOffset::UTC).unwrap_or(at);
    at - Duration::nanoseconds(i64::from(at.nanosecond() % 1_000))
}

/// Is a record legal to its end? A forbidden stone may be the last: it loses, and is a game's end.
fn is_playable(replay: &Replay, plies: usize) -> bool {
    match replay.violations() {
        [] => true,
        [only] => only.ply == plies && matches!(only.fault, Fault::Forbidden(..)),
        _ => false,
    }
}

/// Octets that tell what is absent from what is told, be it empty or zero.
fn told_or_not(told: Option<&[u8]>) -> Vec<u8> {
    told.map_or(Vec::new(), |told| [b"+", told].concat())
}

/// How often what is told of a game has changed, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub(super) i64);

impl Revision {
    /// Of a game as it was first kept.
    pub const FIRST: Revision = Revision(1);
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A kept game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its name.
    pub id: GameId,
    /// What is kept.
    pub game: NewGame,
    /// How often what is told of it has changed.
    pub revision: Revision,
    /// When it was first kept, in UTC.
    pub created_at: OffsetDateTime,
    /// When what is told of it last changed, in UTC.
    pub updated_at: OffsetDateTime,
}

/// What became of a game that was handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is kept now.
    New(Game),
    /// It was kept before.
    Known(Game),
}

/// A kept game as a file has it.
impl From<&NewGame> for formats::Game {
    fn from(game: &NewGame) -> formats::Game {
        formats::Game {
            result: Some(game.result),
            termination: Some(game.termination),
            text: game.text.clone(),
            ..formats::Game::new(game.record.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Color};
    use crate::record::Ply;
    use crate::rules::Rule;

    fn game() -> NewGame {
        let plies = vec![Ply::stone_at(7, 7), Ply::stone_at(8, 8)];
        NewGame {
            record: Record::new(Rule::Freestyle, BoardSize::DEFAULT, plies),
            result: GameResult::Win(Color::Black),
            termination: Termination::Resignation,
            text: GameText::default(),
        }
    }

    #[test]
    fn whatever_makes_a_game_makes_its_fingerprint() {
        let changes: [fn(&mut NewGame); 11] = [
            |_| {},
            |game| game.record = game.record.prefix(1),
            |game| {
                game.record = Record::new(
                    Rule::Renju,
                    BoardSize::DEFAULT,
                    game.record.plies().to_vec(),
                )
            },
            |game| game.result = GameResult::Win(Color::White),
            |game| game.termination = Termination::Timeout,
            |game| game.text.players.black = Some("Ada".into()),
            |game| game.text.players.white = Some("Ada".into()),
            |game| game.text.event = Some(String::new()),
            |game| game.text.site = Some(String::new()),
            |game| game.text.round = Some(String::new()),
            |game| game.text.played_at = Some(OffsetDateTime::UNIX_EPOCH),
        ];
        let mut fingerprints: Vec<_> = changes
            .iter()
            .map(|change| {
                let mut game = game();
                change(&mut game);
                game.fingerprint().unwrap()
            })
            .collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), changes.len());
    }

    #[test]
    fn where_a_copy_comes_from_does_not_make_another_game() {
        let mut copy = game();
        copy.text.source = Some("a book".into());
        copy.text.tags = vec!["club".into()];
        assert_eq!(copy.fingerprint().unwrap(), game().fingerprint().unwrap());
    }

    #[test]
    fn a_place_on_no_board_is_refused() {
        let mut outside = game();
        let plies = vec![Ply::stone_at(25, 0)];
        outside.record = Record::new(Rule::Freestyle, BoardSize::DEFAULT, plies);
        assert!(matches!(outside.fingerprint(), Err(StoreError::NoGame)));
    }

    #[test]
    fn a_name_has_one_spelling() {
        let id = GameId::new();
        let text = id.to_string();
        assert_eq!(text.parse(), Ok(id));
        for other in [
            text.to_uppercase(),
            text.replace('-', ""),
            format!("{{{text}}}"),
            format!("urn:uuid:{text}"),
        ] {
            assert_eq!(other.parse::<GameId>(), Err(ParseGameIdError), "{other}");
        }
    }
}
