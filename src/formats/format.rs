use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::formats::{Defaults, Entry, Game, Losses};
use crate::formats::{encoding, moves, ndjson, playok, psq, renlib, rif, sgf};

/// A format of game files.
///
/// ```
/// use tengen::formats::{Defaults, Format};
///
/// let file = b"(;GM[4]SZ[15];B[hh];W[ig])";
/// let format = Format::of(file).expect("this is SGF");
/// let entry = format.read(file, Defaults::default()).next().expect("one game");
/// let game = entry.game?;
/// assert_eq!(game.record.plies()[1].to_string(), "i9");
///
/// let mut text = String::new();
/// let lost = Format::Moves.write(&game, &mut text)?;
/// assert_eq!(text, "h8 i9\n");
/// assert_eq!(lost.iter().map(|loss| loss.name()).collect::<Vec<_>>(), ["rule", "size"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Smart Game Format: collections of game trees, of which the main line is read.
    Sgf,
    /// Piskvork's file of one game, as the tournaments of Gomocup keep them.
    Psq,
    /// RenjuNet's database in XML. Not written.
    Rif,
    /// RenLib's tree of positions; each line from its root to a leaf is read as a game. Not written.
    Renlib,
    /// PlayOK's game list, with its words for swaps. Not written.
    Playok,
    /// Plain moves, a game a line; a line that begins with a move number above 1 goes on with the game.
    Moves,
    /// Tengen's own: a JSON object a line, that says all a [`Game`] holds.
    Ndjson,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 7] = [
        Format::Sgf,
        Format::Psq,
        Format::Rif,
        Format::Renlib,
        Format::Playok,
        Format::Moves,
        Format::Ndjson,
    ];

    /// The names of all, for who names another.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// The name in lower case, as `sgf`.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Sgf => "sgf",
            Format::Psq => "psq",
            Format::Rif => "rif",
            Format::Renlib => "renlib",
            Format::Playok => "playok",
            Format::Moves => "moves",
            Format::Ndjson => "ndjson",
        }
    }

    /// The media type, as HTTP names it.
    pub const fn media_type(self) -> &'static str {
        match self {
            Format::Sgf => "application/x-go-sgf",
            Format::Psq => "application/x-piskvork",
            Format::Rif => "application/xml",
            Format::Renlib => "application/x-renlib",
            Format::Playok => "application/x-playok",
            Format::Moves => "text/plain",
            Format::Ndjson => "application/x-ndjson",
        }
    }

    /// How the names of such files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Sgf => "sgf",
            Format::Psq => "psq",
            Format::Rif => "rif",
            Format::Renlib => "lib",
            Format::Playok => "pgn",
            Format::Moves => "txt",
            Format::Ndjson => "ndjson",
        }
    }

    /// Can games be written so?
    pub const fn is_written(self) -> bool {
        match self {
            Format::Sgf | Format::Psq | Format::Moves | Format::Ndjson => true,
            Format::Rif | Format::Renlib | Format::Playok => false,
        }
    }

    /// The format of a file, by what it begins with.
    pub fn of(octets: &[u8]) -> Option<Format> {
        if renlib::is_begun(octets) {
            return Some(Format::Renlib);
        }
        let head = encoding::decode(&octets[..octets.len().min(4096)], None);
        let head = head.trim_start();
        let begins = |word: &str| {
            head.get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        if begins("piskvorky") {
            Some(Format::Psq)
        } else if begins("<?xml") || begins("<database") || begins("<!--") {
            Some(Format::Rif)
        } else if begins("{") {
            Some(Format::Ndjson)
        } else if playok::is_begun(head) {
            Some(Format::Playok)
        } else if sgf::is_begun(head) {
            Some(Format::Sgf)
        } else {
            moves::is_begun(head).then_some(Format::Moves)
        }
    }

    /// Reads the games of a file, one at a time. Good games are given though others are bad. A reader
    /// never panics; its work and memory grow no faster than the file.
    pub fn read<'a>(
        self,
        octets: &'a [u8],
        defaults: Defaults,
    ) -> Box<dyn Iterator<Item = Entry> + Send + 'a> {
        match self {
            Format::Sgf => Box::new(sgf::read(octets, defaults)),
            Format::Psq => Box::new(psq::read(octets, defaults)),
            Format::Rif => Box::new(rif::read(octets)),
            Format::Renlib => Box::new(renlib::read(octets, defaults)),
            Format::Playok => Box::new(playok::read(octets, defaults)),
            Format::Moves => Box::new(moves::read(octets, defaults)),
            Format::Ndjson => Box::new(ndjson::read(octets, defaults)),
        }
    }

    /// Adds a game to a text and tells what the format cannot say. Games written one after another are a
    /// file of this format again.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] for a format that is only read.
    pub fn write(self, game: &Game, text: &mut String) -> Result<Losses, NotWritten> {
        match self {
            Format::Sgf => Ok(sgf::write(game, text)),
            Format::Psq => Ok(psq::write(game, text)),
            Format::Moves => Ok(moves::write(game, text)),
            Format::Ndjson => Ok(ndjson::write(game, text)),
            Format::Rif | Format::Renlib | Format::Playok => Err(NotWritten(self)),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A format that is read only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("games are read from {0} and not written so")]
pub struct NotWritten(
    /// The format.
    pub Format,
);

/// A text that names no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the formats are {}", Format::names())]
pub struct ParseFormatError;

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Format, ParseFormatError> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or(ParseFormatError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardSize;
    use crate::record::Record;
    use crate::rules::Rule;

    #[test]
    fn formats_read_back_as_they_are_written_and_tell_which_are_not() {
        let game = Game::new(Record::new(Rule::Renju, BoardSize::DEFAULT, vec![]));
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            let written = format.write(&game, &mut String::new());
            assert_eq!(written.is_ok(), format.is_written(), "{format}");
        }
        assert_eq!("SGF".parse::<Format>(), Err(ParseFormatError));
    }

    #[test]
    fn formats_are_known_by_their_beginnings() {
        let cases: [(&[u8], Option<Format>); 18] = [
            (b"(;GM[4])", Some(Format::Sgf)),
            (b"\xef\xbb\xbf\n( ; GM[4])", Some(Format::Sgf)),
            (b"saved by hand\n(;GM[4])", Some(Format::Sgf)),
            (b"Piskvorky 15x15, 0:0, 0", Some(Format::Psq)),
            (b"<?xml version=\"1.0\"?><database>", Some(Format::Rif)),
            (b"\xffRenLib\xff\x03\x00", Some(Format::Renlib)),
            (b"\x78\x00\x68\x40", Some(Format::Renlib)),
            (b"[Event \"?\"]", Some(Format::Playok)),
            (b"{\"moves\":\"h8\"}", Some(Format::Ndjson)),
            (b"h8 i9 j10", Some(Format::Moves)),
            (b"1. h8 i9 2. j10\n", Some(Format::Moves)),
            (b"x1y2", Some(Format::Moves)),
            (b"\xff\xfeh\x008\x00", Some(Format::Moves)),
            (b"", None),
            (b"hello", None),
            (b"[{\"moves\":\"h8\"}]", None),
            (b"\x00\x01\x02", None),
            (b"\n\n", None),
        ];
        for (octets, format) in cases {
            let shown = String::from_utf8_lossy(octets);
            assert_eq!(Format::of(octets), format, "{shown:?}");
        }
    }
}
