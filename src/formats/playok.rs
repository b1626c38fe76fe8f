//! PlayOK's game list: tags as in chess files, then the moves with the words of the swap2 opening.
//!
//! The tags and the result speak of seats: the first seat places the first stones. Who says `black` or
//! `white` chooses the colour; so the seat called Black may hold the white stones. `--` is an empty turn
//! of the list and no pass: left out, the stones alternate (checked on 357 games).

use crate::board::{BoardSize, ByColor, Color};
use crate::formats::date::read_date;
use crate::formats::encoding::decode;
use crate::formats::lines::{Line, Lines};
use crate::formats::one_line::one_line;
use crate::formats::plies::Plies;
use crate::formats::refusal::excerpt;
use crate::formats::{Defaults, Entry, Game, Loss, Losses, Reason, Refusal};
use crate::record::notation::read_move;
use crate::record::{GameResult, GameText};
use crate::rules::Rule;

/// PlayOK's number of gomoku, where exactly five win (no game of 357 contradicts).
const GOMOKU: &str = "61";

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
        let mut moves = Moves::new(tags.size);
        while let Some(line) = self.lines.skip_blank() {
            let text = self.lines.text(line);
            if is_tag(text) {
                break;
            }
            moves
                .take(text)
                .map_err(|(at, reason)| self.lines.refusal(line, at, reason))?;
            self.lines.pass(line);
        }
        if moves.plies.count() == 0 {
            return Err(self.lines.refusal(first, 0, Reason::NoMoves));
        }
        Ok(tags.into_game(moves))
    }
}

fn is_tag(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// What the tags of a game say.
struct Tags {
    rule: Rule,
    size: BoardSize,
    /// The first seat's and the second's.
    names: [Option<String>; 2],
    result: Option<Ending>,
    day: Option<String>,
    time: Option<String>,
    text: GameText,
    lost: Losses,
}

/// A result by seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    First,
    Second,
    Draw,
    Open,
}

impl Ending {
    fn read(text: &str) -> Option<Ending> {
        match text {
            "1-0" => Some(Ending::First),
            "0-1" => Some(Ending::Second),
            "1/2-1/2" => Some(Ending::Draw),
            "*" => Some(Ending::Open),
            _ => None,
        }
    }
}

impl Tags {
    fn new(defaults: Defaults) -> Tags {
        Tags {
            rule: defaults.rule,
            size: defaults.size,
            names: [None, None],
            result: None,
            day: None,
            time: None,
            text: GameText::default(),
            lost: Losses::NONE,
        }
    }

    /// Takes a line such as `[Event "?"]`.
    fn take(&mut self, line: &str) -> Result<(), Reason> {
        let unexpected = || Reason::Unexpected {
            found: excerpt(line),
            expected: "a tag such as [Site \"PlayOK\"]",
        };
        let inner = line.trim().strip_prefix('[').ok_or_else(unexpected)?;
        let (name, rest) = inner.split_once('"').ok_or_else(unexpected)?;
        let (value, end) = rest.rsplit_once('"').ok_or_else(unexpected)?;
        if end.trim() != "]" {
            return Err(unexpected());
        }
        let value = unescape(value);
        if value == "?" || value == "-" {
            return Ok(());
        }
        match name.trim() {
            "Black" => self.names[0] = one_line(&value, &mut self.lost),
            "White" => self.names[1] = one_line(&value, &mut self.lost),
            "Event" => self.text.event = one_line(&value, &mut self.lost),
            "Site" => self.text.site = one_line(&value, &mut self.lost),
            "Round" => self.text.round = one_line(&value, &mut self.lost),
            "Date" => self.day = Some(value),
            "Time" => self.time = Some(value),
            "Result" => {
                let result = Ending::read(&value);
                self.result = Some(result.ok_or_else(|| Reason::NotAResult(excerpt(&value)))?);
            }
            "GameType" => self.take_kind(&value)?,
            "TimeControl" => self.lost.insert(Loss::Times),
            "BlackElo" | "WhiteElo" => self.lost.insert(Loss::Ratings),
            _ => self.lost.insert(Loss::Details),
        }
        Ok(())
    }

    /// Takes the kind of game and the board's size, as `61,15`.
    fn take_kind(&mut self, value: &str) -> Result<(), Reason> {
        let mut parts = value.split(',').map(str::trim);
        if parts.next() == Some(GOMOKU) {
            self.rule = Rule::Standard;
        } else {
            self.lost.insert(Loss::Rule);
        }
        if let Some(lines) = parts.next() {
            let lines: i64 = lines
                .parse()
                .map_err(|_| Reason::NotASize(excerpt(value)))?;
            self.size = BoardSize::try_from(lines)?;
        }
        Ok(())
    }

    fn into_game(self, moves: Moves) -> Game {
        let [first, second] = self.names;
        let players = match moves.first_seat {
            Color::Black => ByColor {
                black: first,
                white: second,
            },
            Color::White => ByColor {
                black: second,
                white: first,
            },
        };
        let result = match self.result.or(moves.result) {
            Some(Ending::First) => Some(GameResult::Win(moves.first_seat)),
            Some(Ending::Second) => Some(GameResult::Win(!moves.first_seat)),
            Some(Ending::Draw) => Some(GameResult::Draw),
            Some(Ending::Open) | None => None,
        };
        let mut lost = self.lost.and(moves.lost);
        let date = self.day.map(|day| {
            let time = self.time.unwrap_or_default();
            read_date(&format!("{day} {time}")).or_else(|| read_date(&day))
        });
        lost.insert_if(date == Some(None), Loss::Date);
        Game {
            record: moves.plies.into_record(self.rule),
            setup: None,
            result,
            termination: None,
            text: GameText {
                players,
                played_at: date.flatten(),
                ..self.text
            },
            lost,
        }
    }
}

/// A tag's value without the backslashes before quotes and backslashes.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => characters.next().unwrap_or('\\'),
            other => other,
        });
    }
    text
}

/// The moves of a game, as far as they are read.
struct Moves {
    plies: Plies,
    /// The turns so far, words and empty ones counted: the first seat has the first, and they alternate.
    turns: usize,
    /// The colour that the first seat holds.
    first_seat: Color,
    result: Option<Ending>,
    lost: Losses,
}

impl Moves {
    fn new(size: BoardSize) -> Moves {
        Moves {
            plies: Plies::new(size),
            turns: 0,
            first_seat: Color::Black,
            result: None,
            lost: Losses::NONE,
        }
    }

    /// Takes a line of moves. A fault tells its octet.
    fn take(&mut self, line: &str) -> Result<(), (usize, Reason)> {
        let mut rest = line;
        loop {
            rest = rest.trim_start();
            let at = line.len() - rest.len();
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (token, after) = rest.split_at(end);
            if token.is_empty() {
                return Ok(());
            }
            self.take_token(token).map_err(|reason| (at, reason))?;
            rest = after;
        }
    }

    fn take_token(&mut self, token: &str) -> Result<(), Reason> {
        if let Some(result) = Ending::read(token) {
            self.result = Some(result);
            return Ok(());
        }
        let move_text = match token.split_once('.') {
            Some((number, rest)) if number.bytes().all(|octet| octet.is_ascii_digit()) => rest,
            _ => token,
        };
        match move_text {
            // The number of a move.
            "" => return Ok(()),
            "--" => self.lost.insert(Loss::Opening),
            "black" => self.choose(Color::Black),
            "white" => self.choose(Color::White),
            text => {
                let ply = read_move(text).ok_or_else(|| Reason::NotAMove(excerpt(text)))?;
                self.plies.push(ply, text)?;
            }
        }
        self.turns += 1;
        Ok(())
    }

    /// The seat whose turn it is takes a colour.
    fn choose(&mut self, color: Color) {
        self.lost.insert(Loss::Opening);
        let is_first_seat = self.turns.is_multiple_of(2);
        self.first_seat = if is_first_seat { color } else { !color };
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

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
