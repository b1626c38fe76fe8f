use std::borrow::Cow;

use crate::board::BoardSize;
use crate::formats::encoding::{decode, label};
use crate::formats::place::{Fault, Place};
use crate::formats::refusal::excerpt;
use crate::formats::sgf::reading::Reading;
use crate::formats::sgf::tree::{MainLine, Token, extent, next_start};
use crate::formats::{Defaults, Entry, Game, Loss, Reason, Refusal};

/// The game of Go, as which many programs keep five-in-a-row, and the size of its board.
const GO: (&str, i64) = ("1", 19);
/// Gomoku and renju.
const FIVE_IN_A_ROW: &str = "4";

pub(in crate::formats) fn read(
    octets: &[u8],
    defaults: Defaults,
) -> impl Iterator<Item = Entry> + Send {
    Reader {
        text: decode(octets, label(octets, b"CA[", b']')),
        at: 0,
        place: Place::START,
        defaults,
        number: 0,
    }
}

struct Reader<'a> {
    text: Cow<'a, str>,
    at: usize,
    place: Place,
    defaults: Defaults,
    number: usize,
}

impl Iterator for Reader<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let Some(start) = next_start(&self.text, self.at) else {
            return self.without_tree();
        };
        self.place = self.place.forward(self.text.as_bytes(), start);
        self.number += 1;
        let (range, is_closed) = extent(&self.text, start);
        self.at = range.end;
        let tree = &self.text[range];
        let game = if is_closed {
            read_tree(tree, self.defaults).map_err(|Fault { at, reason }| {
                let place = self.place.forward(self.text.as_bytes(), start + at);
                place.refusal(reason)
            })
        } else {
            Err(self.place.refusal(Reason::CutOff))
        };
        Some(Entry {
            number: self.number,
            line: self.place.line,
            game,
        })
    }
}

impl Reader<'_> {
    /// A text without any tree is one refusal, unless it is blank.
    fn without_tree(&mut self) -> Option<Entry> {
        let is_foreign = self.number == 0 && !self.text.trim().is_empty();
        self.number += 1;
        is_foreign.then(|| Entry {
            number: 1,
            line: 1,
            game: Err(Refusal {
                line: 1,
                column: 1,
                reason: Reason::Unexpected {
                    found: excerpt(&self.text),
                    expected: "a game tree, that begins with (;",
                },
            }),
        })
    }
}

fn read_tree(tree: &str, defaults: Defaults) -> Result<Game, Fault> {
    let size = read_size(tree, defaults.size)?;
    let mut reading = Reading::new(size);
    let mut line = MainLine::of(tree);
    for token in line.by_ref() {
        if let Token::Value { name, raw, at } = token? {
            reading
                .take(&name, raw)
                .map_err(|reason| Fault { at, reason })?;
        }
    }
    let has_variations = line.has_variations();
    reading.lost.insert_if(has_variations, Loss::Variations);
    Ok(reading.into_game(defaults.rule))
}

/// The board's size, which the root tells, and that it is our game.
fn read_size(tree: &str, default: BoardSize) -> Result<BoardSize, Fault> {
    let mut nodes = 0;
    let mut size = None;
    let mut is_go = false;
    for token in MainLine::of(tree) {
        match token? {
            Token::Node => nodes += 1,
            Token::Value { name, raw, at } => match &*name {
                "SZ" => {
                    let told = read_lines(raw).map_err(|reason| Fault { at, reason })?;
                    size = Some(told);
                }
                "GM" if raw.trim() == GO.0 => is_go = true,
                "GM" if raw.trim() != FIVE_IN_A_ROW => {
                    let reason = Reason::OtherGame(excerpt(raw));
                    return Err(Fault { at, reason });
                }
                _ => {}
            },
        }
        if nodes > 1 {
            break;
        }
    }
    let go = BoardSize::try_from(GO.1).unwrap_or(default);
    Ok(size.unwrap_or(if is_go { go } else { default }))
}

/// The lines of a square board, as `15` or `15:15`.
fn read_lines(raw: &str) -> Result<BoardSize, Reason> {
    let not_a_size = || Reason::NotASize(excerpt(raw));
    let (width, height) = raw.split_once(':').unwrap_or((raw, raw));
    let lines: i64 = width.trim().parse().map_err(|_| not_a_size())?;
    if height.trim().parse() != Ok(lines) {
        return Err(not_a_size());
    }
    Ok(BoardSize::try_from(lines)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Ply;

    fn read_all(text: &str) -> Vec<Entry> {
        read(text.as_bytes(), Defaults::default()).collect()
    }

    fn only(text: &str) -> Game {
        let mut entries = read_all(text);
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0).game.unwrap()
    }

    fn moves(text: &str) -> String {
        let plies = only(text).record.plies().to_vec();
        let plies: Vec<_> = plies.iter().map(Ply::to_string).collect();
        plies.join(" ")
    }

    fn refusal(text: &str) -> String {
        let mut entries = read_all(text);
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0).game.unwrap_err().to_string()
    }

    #[test]
    fn the_letter_i_is_used() {
        // Case 16.
        assert_eq!(moves("(;GM[4]SZ[15];B[hh];W[ig])"), "h8 i9");
        assert_eq!(moves("(;GM[4]SZ[15];B[h8];W[I9])"), "h8 i9");
    }

    #[test]
    fn the_size_is_told_or_taken() {
        let size = |text: &str| only(text).record.size().lines();
        assert_eq!(size("(;GM[4];B[aa])"), 15);
        assert_eq!(size("(;GM[1];B[aa])"), 19);
        assert_eq!(size("(;SZ[20:20];B[tt])"), 20);
        let reason = "\"15:19\" is not the size of a board; a board is square";
        assert_eq!(
            refusal("(;SZ[15:19])"),
            format!("line 1, column 6: {reason}")
        );
        let reason = "game kind \"2\" is not five-in-a-row (4; Go, 1, is taken for it)";
        assert_eq!(refusal("(;GM[2])"), format!("line 1, column 6: {reason}"));
    }

    #[test]
    fn bad_games_are_told_and_the_others_read() {
        let text = "note\n(;B[hh]) (;B[h\n8])\n (;B[hh];W[hh])(;9) (;B[zz])\n(;W[aa](;B[bb])(;B[cc]))(;B[dd]";
        let told: Vec<_> = read_all(text)
            .into_iter()
            .map(|entry| match entry.game {
                Ok(_) => format!("{} at {}", entry.number, entry.line),
                Err(refusal) => refusal.to_string(),
            })
            .collect();
        let expected = [
            "1 at 2",
            "line 2, column 14: \"h\\n8\" is not a move",
            "line 4, column 12: duplicate point at move 2: h8 holds a stone already",
            "line 4, column 18: \"9)\" stands where a property, a node or a branch is expected",
            "line 4, column 25: stone \"zz\" is not on the board of 15 lines (move 1; 0 is the setup)",
            "6 at 5",
            "line 5, column 25: the text ends in the middle of the game",
        ];
        assert_eq!(told, expected);
        assert!(
            only("(;W[aa](;B[bb])(;B[cc]))")
                .lost
                .contains(Loss::Variations)
        );
        assert_eq!(read_all(" \n"), []);
        assert!(refusal("hello").contains("a game tree"));
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let depth = 200_000;
        let text = format!("{}{}", "(;".repeat(depth), ")".repeat(depth));
        assert_eq!(read_all(&text).len(), 1);
        assert_eq!(
            refusal(&"(;".repeat(depth)),
            "line 1, column 1: the text ends in the middle of the game"
        );
    }

    #[test]
    fn names_come_out_of_the_encoding_that_the_file_tells() {
        let octets = b"(;CA[GB2312]PB[\xce\xe5\xd7\xd3];B[hh])";
        let entry = read(octets, Defaults::default()).next().unwrap();
        let game = entry.game.unwrap();
        assert_eq!(game.text.players.black.as_deref(), Some("五子"));
    }
}
