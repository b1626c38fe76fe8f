//! Plain moves, in any spelling of [`crate::record::notation`]: a game a line. A line that begins with a
//! move number above 1 goes on with the game before it, since long games are wrapped so.

use std::fmt::Write;

use crate::formats::encoding::decode;
use crate::formats::lines::{Line, Lines};
use crate::formats::plies::{Plies, on_board};
use crate::formats::{Defaults, Entry, Game, Loss, Losses, Reason, Refusal};
use crate::record::notation::read_moves;

/// Could a text be plain moves? Its first line says so.
pub(super) fn is_begun(head: &str) -> bool {
    let line = head.lines().next().unwrap_or_default();
    // The head may end within a move; the first moves of a long line are enough.
    let start: String = line.chars().take(100).collect();
    let whole = start.rfind([' ', ',', ';']).filter(|_| line.len() > 100);
    let start = whole.map_or(start.as_str(), |end| &start[..end]);
    read_moves(start, 1).is_ok_and(|moves| !moves.is_empty()) || is_cut_move(line, start)
}

/// Is a line without any separator moves, up to a last one that is cut?
fn is_cut_move(line: &str, start: &str) -> bool {
    let last_letter = start.rfind(|c: char| c.is_ascii_alphabetic());
    line.len() > start.len()
        && last_letter
            .is_some_and(|end| read_moves(&start[..end], 1).is_ok_and(|moves| !moves.is_empty()))
}

pub(super) fn read(octets: &[u8], defaults: Defaults) -> impl Iterator<Item = Entry> + Send {
    Reader {
        lines: Lines::of(decode(octets, None)),
        defaults,
        number: 0,
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    defaults: Defaults,
    number: usize,
}

impl Iterator for Reader<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let first = self.lines.skip_blank()?;
        self.number += 1;
        let mut plies = Plies::new(self.defaults.size);
        let mut read = self.read_line(first, &mut plies);
        self.lines.pass(first);
        while let Some(line) = self.lines.skip_blank() {
            if !goes_on(self.lines.text(line)) {
                break;
            }
            read = read.and_then(|()| self.read_line(line, &mut plies));
            self.lines.pass(line);
        }
        let game = read.and_then(|()| {
            if plies.count() == 0 {
                return Err(self.lines.refusal(first, 0, Reason::NoMoves));
            }
            Ok(Game::new(plies.into_record(self.defaults.rule)))
        });
        Some(Entry {
            number: self.number,
            line: first.number,
            game,
        })
    }
}

impl Reader<'_> {
    fn read_line(&self, line: Line, plies: &mut Plies) -> Result<(), Refusal> {
        let text = self.lines.text(line);
        plies.push_moves(text).map_err(|(column, reason)| Refusal {
            line: line.number,
            column,
            reason,
        })
    }
}

/// Does a line begin with a move number above 1?
fn goes_on(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    rest.starts_with('.') && digits > 0 && number.trim_start_matches('0') != "1"
}

/// Writes the moves on a line.
pub(super) fn write(game: &Game, text: &mut String) -> Losses {
    let mut lost = untold(game);
    for (index, ply) in game.record.plies().iter().enumerate() {
        let before = if index == 0 { "" } else { " " };
        let written = match on_board(*ply, game.record.size(), &mut lost) {
            Some(cell) => write!(text, "{before}{cell}"),
            None => write!(text, "{before}pass"),
        };
        written.expect("a text takes all that is written");
    }
    text.push('\n');
    lost
}

/// What is told of a game besides its moves.
pub(super) fn untold(game: &Game) -> Losses {
    let text = &game.text;
    let losses = [
        (true, Loss::Rule),
        (true, Loss::Size),
        (game.setup.is_some(), Loss::Setup),
        (game.result.is_some(), Loss::Result),
        (
            game.termination.is_some_and(|end| !end.is_on_board()),
            Loss::Termination,
        ),
        (
            text.players.black.is_some() || text.players.white.is_some(),
            Loss::Players,
        ),
        (text.event.is_some(), Loss::Event),
        (text.site.is_some(), Loss::Site),
        (text.round.is_some(), Loss::Round),
        (text.played_at.is_some(), Loss::Date),
        (text.source.is_some(), Loss::Source),
        (!text.tags.is_empty(), Loss::Tags),
    ];
    let told = losses.into_iter().filter(|(is_lost, _)| *is_lost);
    told.map(|(_, loss)| loss).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<Result<String, String>> {
        read(text.as_bytes(), Defaults::default())
            .map(|entry| match entry.game {
                Ok(game) => {
                    let mut text = String::new();
                    write(&game, &mut text);
                    Ok(text.trim_end().to_owned())
                }
                Err(refusal) => Err(refusal.to_string()),
            })
            .collect()
    }

    #[test]
    fn all_spellings_of_a_game_give_the_same_moves() {
        // Case 22.
        let text = "h8 i9 j10\nH8I9J10\n\nh8,i9,j10\r\n1. h8 i9 2. j10";
        let game = Ok("h8 i9 j10".to_owned());
        assert_eq!(games(text), vec![game; 4]);
    }

    #[test]
    fn a_line_that_goes_on_counting_goes_on_with_the_game() {
        let text = "1. h8 i9\n2. j10 pass\n1. a1\n10. b2\nc3";
        let expected = ["h8 i9 j10 pass", "a1 b2", "c3"];
        assert_eq!(games(text), expected.map(|game| Ok(game.to_owned())));
    }

    #[test]
    fn a_bad_line_is_told_and_the_next_one_read() {
        let text = "h8 8h\n\nh8 h8\nz1\n1.\nh8";
        let expected = [
            Err("line 1, column 4: \"8h\" is not a move"),
            Err("line 3, column 1: duplicate point at move 2: h8 holds a stone already"),
            Err(
                "line 4, column 1: stone \"z1\" is not on the board of 15 lines (move 1; 0 is the setup)",
            ),
            Err("line 5, column 1: the game has no moves"),
            Ok("h8"),
        ];
        let expected = expected.map(|game| game.map(str::to_owned).map_err(str::to_owned));
        assert_eq!(games(text), expected);
    }

    #[test]
    fn more_moves_than_a_record_can_hold_are_refused() {
        let refused = games(&"pass ".repeat(1251));
        assert_eq!(
            refused,
            [Err(
                "line 1, column 1: the game has more than 1250 moves".to_owned()
            )]
        );
    }

    #[test]
    fn moves_are_known_by_their_first_line() {
        for text in [
            "h8",
            "h8i9j10",
            "1. h8 i9",
            &"h8i9".repeat(90),
            &"h8 i9 ".repeat(90),
        ] {
            assert!(is_begun(text), "{text}");
        }
        for text in ["", "hello", "8,8,0", &"hello ".repeat(90), &"x".repeat(300)] {
            assert!(!is_begun(text), "{text}");
        }
    }
}
