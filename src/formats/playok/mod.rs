//! PlayOK's game list: tags as in chess files, then the moves with the words of the swap2 opening.
//!
//! The tags and the result speak of seats: the first seat places the first stones. Who says `black` or
//! `white` chooses the colour; so the seat called Black may hold the white stones. `--` is an empty turn
//! of the list and no pass: left out, the stones alternate (checked on 357 games).

mod tags;
mod turns;

use crate::formats::encoding::decode;
use crate::formats::lines::{Line, Lines};
use crate::formats::playok::tags::Tags;
use crate::formats::playok::turns::Turns;
use crate::formats::{Defaults, Entry, Game, Reason, Refusal};

/// Could a text be a game list? It begins with a tag, whose name is a word.
pub(super) fn is_begun(head: &str) -> bool {
    let name = head.trim_start().strip_prefix('[');
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
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
        let game = self.read_game(first);
        // Behind a fault the rest of the game is passed over: tags begin the next.
        while game.is_err() {
            match self.lines.skip_blank() {
                Some(line) if !is_tag(self.lines.text(line)) => self.lines.pass(line),
                _ => break,
            }
        }
        Some(Entry {
            number: self.number,
            line: first.number,
            game,
        })
    }
}

impl Reader<'_> {
    fn read_game(&mut self, first: Line) -> Result<Game, Refusal> {
        let mut tags = Tags::new(self.defaults);
        let mut fault = None;
        while let Some(line) = self.lines.skip_blank() {
            let text = self.lines.text(line);
            if !is_tag(text) {
                break;
            }
            if let Err(reason) = tags.take(text) {
                fault.get_or_insert_with(|| self.lines.refusal(line, 0, reason));
            }
            self.lines.pass(line);
        }
        if let Some(refusal) = fault {
            return Err(refusal);
        }
        let mut turns = Turns::new(tags.size);
        while let Some(line) = self.lines.skip_blank() {
            let text = self.lines.text(line);
            if is_tag(text) {
                break;
            }
            turns
                .take(text)
                .map_err(|(at, reason)| self.lines.refusal(line, at, reason))?;
            self.lines.pass(line);
        }
        if turns.plies.count() == 0 {
            return Err(self.lines.refusal(first, 0, Reason::NoMoves));
        }
        Ok(tags.into_game(turns))
    }
}

fn is_tag(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::board::Color;
    use crate::formats::Loss;
    use crate::record::GameResult;
    use crate::rules::Rule;

    const TAGS: &str = "[Event \"?\"]\n[Site \"PlayOK\"]\n[Date \"2021.11.07\"]\n[Round \"-\"]\n\
        [Black \"ann\"]\n[White \"bob \\\"b\\\"\"]\n[Result \"1-0\"]\n[Time \"07:55:59\"]\n\
        [TimeControl \"600\"]\n[GameType \"61,15\"]\n[BlackElo \"1\"]\n\n";

    fn read_all(text: &str) -> Vec<Entry> {
        read(text.as_bytes(), Defaults::default()).collect()
    }

    fn game(moves: &str) -> Game {
        let mut entries = read_all(&format!("{TAGS}{moves}"));
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0).game.unwrap()
    }

    /// The number of stones, Black's name and the winner.
    fn told(moves: &str) -> (usize, String, GameResult) {
        let game = game(moves);
        let black = game.text.players.black.unwrap();
        (game.record.plies().len(), black, game.result.unwrap())
    }

    #[test]
    fn words_of_the_opening_seat_the_players() {
        let (ann, bob) = ("ann".to_owned(), "bob \"b\"".to_owned());
        let (black, white) = (GameResult::Win(Color::Black), GameResult::Win(Color::White));
        let cases = [
            ("1. h8 i9 2. j10 a1 1-0", (4, ann.clone(), black)),
            (
                "1. h8 i9 2. j10 white 3. -- a1 4. a2 1-0",
                (5, ann.clone(), black),
            ),
            (
                "1. h8 i9 2. j10 black 3. a1 a2 1-0",
                (5, bob.clone(), white),
            ),
            (
                "1. h8 i9 2. j10 a1 3. a2 -- 4. black a3 1-0",
                (6, ann, black),
            ),
            (
                "1. h8 i9 2. j10 a1 3. a2 -- 4. white -- 5. a3 1-0",
                (6, bob, white),
            ),
        ];
        for (moves, expected) in cases {
            assert_eq!(told(moves), expected, "{moves}");
        }
    }

    #[test]
    fn tags_tell_rule_size_date_and_what_is_lost() {
        let game = game("1. h8 i9 2. j10\nblack 3. o15\n1-0\n");
        assert_eq!(game.record.rule(), Rule::Standard);
        assert_eq!(game.text.site.as_deref(), Some("PlayOK"));
        assert_eq!((game.text.event, game.text.round), (None, None));
        assert_eq!(
            game.text.played_at,
            Some(datetime!(2021-11-07 07:55:59 UTC))
        );
        let lost: Vec<_> = game.lost.iter().collect();
        assert_eq!(lost, [Loss::Times, Loss::Ratings, Loss::Opening]);
    }

    #[test]
    fn a_spoilt_game_is_told_and_the_next_one_read() {
        let text = format!(
            "{TAGS}1. h8 x\n2. 9\n{TAGS}1. h8 1-0\n[Result \"2-0\"]\n1. h8\n{TAGS}\n[GameType \"61,99\"]\nh8"
        );
        let told: Vec<_> = read_all(&text)
            .into_iter()
            .map(|entry| {
                entry
                    .game
                    .map(|_| ())
                    .map_err(|refusal| refusal.to_string())
            })
            .collect();
        let refusal = |text: &str| Err(text.to_owned());
        let expected = [
            refusal("line 13, column 7: \"x\" is not a move"),
            Ok(()),
            refusal("line 28, column 1: \"2-0\" is not a result"),
            refusal("line 43, column 1: a board has 5 to 25 lines, not 99"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn tags_without_moves_are_no_game() {
        let entries = read_all(TAGS);
        assert_eq!(entries.len(), 1);
        assert_eq!(
            entries[0].game.as_ref().unwrap_err().reason,
            Reason::NoMoves
        );
    }
}
