//! The Gomocup protocol: the manager writes a line, the engine writes a line.
//!
//! Source: the protocol as described by the authors of Piskvork and of the Gomocup judge. Points are
//! `x,y` from 0 at the top left. This room knows the engine and nothing of HTTP or the store. Begin
//! reading with [`play`].

use std::io::{self, BufRead, Write};

use crate::board::{Board, BoardSize, Cell, Color};
use crate::engine::suggest;
use crate::rules::{Position, Rule};

/// Plays over a pair of streams until `END` or the end of the input.
///
/// # Errors
///
/// When a stream fails.
pub fn play(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut game = Game::default();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // A line in no known encoding is an unknown command, not the end.
        match game.answer(&String::from_utf8_lossy(&line)) {
            Answer::Nothing => {}
            Answer::Line(text) => {
                writeln!(output, "{text}")?;
                output.flush()?;
            }
            Answer::End => break,
        }
        line.clear();
    }
    Ok(())
}

/// What the engine has to say to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Nothing,
    Line(String),
    End,
}

impl Answer {
    fn ok() -> Answer {
        Answer::Line("OK".into())
    }

    fn error(text: &str) -> Answer {
        Answer::Line(format!("ERROR {text}"))
    }
}

/// Whose stone it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Own,
    Other,
}

/// A game as the manager has told it.
#[derive(Debug, Default)]
struct Game {
    rule: Rule,
    size: Option<BoardSize>,
    stones: Vec<(Cell, Side)>,
    /// What is read between `BOARD` and `DONE`: the stones, or that one of them is none.
    listing: Option<Result<Vec<(Cell, Side)>, ()>>,
}

impl Game {
    fn answer(&mut self, line: &str) -> Answer {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = command.to_ascii_uppercase();
        if line.is_empty() {
            return Answer::Nothing;
        }
        if self.listing.is_some() && command != "END" {
            return self.list(&command, line);
        }
        match command.as_str() {
            "START" => self.start(rest),
            "RECTSTART" => Answer::error("only square boards are played here"),
            "RESTART" => self.restart(),
            "BEGIN" if self.stones.is_empty() => self.think(),
            "BEGIN" => Answer::error("the board is not empty"),
            "TURN" => self.turn(rest),
            "PLAY" => self.play_as_told(rest),
            "BOARD" => {
                self.listing = Some(Ok(Vec::new()));
                Answer::Nothing
            }
            "TAKEBACK" => self.take_back(rest),
            "INFO" => self.note(rest),
            "ABOUT" => Answer::Line(format!(
                "name=\"Tengen\", version=\"{}\", author=\"The Tengen authors\"",
                env!("CARGO_PKG_VERSION")
            )),
            "END" => Answer::End,
            _ => Answer::Line("UNKNOWN command".into()),
        }
    }

    fn start(&mut self, text: &str) -> Answer {
        let lines = text.trim().parse::<i64>().ok();
        match lines.and_then(|lines| BoardSize::try_from(lines).ok()) {
            Some(size) => {
                self.size = Some(size);
                self.restart()
            }
            None => Answer::error("a board has 5 to 25 lines"),
        }
    }

    fn restart(&mut self) -> Answer {
        self.stones.clear();
        match self.size {
            Some(_) => Answer::ok(),
            None => Answer::error("no START before"),
        }
    }

    fn turn(&mut self, text: &str) -> Answer {
        match self.free_cell(text) {
            Ok(cell) => {
                self.stones.push((cell, Side::Other));
                self.think()
            }
            Err(reason) => Answer::error(reason),
        }
    }

    /// Plays the move that the manager chose for the engine.
    fn play_as_told(&mut self, text: &str) -> Answer {
        match self.free_cell(text) {
            Ok(cell) => self.play_own(cell),
            Err(reason) => Answer::error(reason),
        }
    }

    fn take_back(&mut self, text: &str) -> Answer {
        let cell = self.size.and_then(|size| point(text, size));
        match self
            .stones
            .iter()
            .rposition(|(stone, _)| Some(*stone) == cell)
        {
            Some(place) => {
                self.stones.remove(place);
                Answer::ok()
            }
            None => Answer::error("no stone there to take back"),
        }
    }

    /// A line between `BOARD` and `DONE`.
    fn list(&mut self, command: &str, line: &str) -> Answer {
        if command == "DONE" {
            return match self.listing.take() {
                Some(Ok(stones)) => {
                    self.stones = stones;
                    self.think()
                }
                _ => Answer::error("a line of BOARD is not x,y,side on a free cell"),
            };
        }
        let stone = self.size.and_then(|size| listed(line, size));
        self.listing = self.listing.take().map(|listing| {
            let mut stones = listing?;
            let (cell, side) = stone.ok_or(())?;
            if stones.iter().any(|(taken, _)| *taken == cell) {
                return Err(());
            }
            stones.push((cell, side));
            Ok(stones)
        });
        Answer::Nothing
    }

    /// `INFO` is never answered, but a rule that is not played here is worth a message. Limits of time and
    /// memory are kept anyhow: a move takes some milliseconds and no memory to speak of.
    fn note(&mut self, text: &str) -> Answer {
        let (key, value) = text
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((text, ""));
        if !key.eq_ignore_ascii_case("rule") {
            return Answer::Nothing;
        }
        // The bit for continuous games (2) changes nothing within one game.
        match value.trim().parse::<u8>().map(|mask| mask & !2) {
            Ok(0) => self.rule = Rule::Freestyle,
            Ok(1) => self.rule = Rule::Standard,
            Ok(4) => self.rule = Rule::Renju,
            Ok(9) => self.rule = Rule::Caro,
            _ => {
                return Answer::Line(format!(
                    "MESSAGE this rule is not played here; {} stands",
                    self.rule
                ));
            }
        }
        Answer::Nothing
    }

    /// Chooses and plays a move.
    fn think(&mut self) -> Answer {
        match self.choose() {
            Ok(cell) => self.play_own(cell),
            Err(reason) => Answer::error(reason),
        }
    }

    fn choose(&self) -> Result<Cell, &'static str> {
        let size = self.size.ok_or("no START before")?;
        let own = self.own_color();
        let mut board = Board::new(size);
        for (cell, side) in &self.stones {
            let color = match side {
                Side::Own => own,
                Side::Other => !own,
            };
            board.put(*cell, color);
        }
        let position =
            Position::from_board(self.rule, board, own).map_err(|_| "both sides have won")?;
        let best = suggest(&position, 1).into_iter().next();
        best.map(|best| best.cell).ok_or("there is no move to play")
    }

    /// The engine's colour when it is to move: Black if it has as many stones as the other side, or more.
    fn own_color(&self) -> Color {
        let own = self
            .stones
            .iter()
            .filter(|(_, side)| *side == Side::Own)
            .count();
        if 2 * own < self.stones.len() {
            Color::White
        } else {
            Color::Black
        }
    }

    fn play_own(&mut self, cell: Cell) -> Answer {
        self.stones.push((cell, Side::Own));
        let row = self.size.and_then(|size| cell.row(size));
        row.map_or(Answer::error("no START before"), |row| {
            Answer::Line(format!("{},{row}", cell.column()))
        })
    }

    fn free_cell(&self, text: &str) -> Result<Cell, &'static str> {
        let size = self.size.ok_or("no START before")?;
        let cell = point(text, size).ok_or("no such point on the board")?;
        if self.stones.iter().any(|(taken, _)| *taken == cell) {
            Err("the point is occupied")
        } else {
            Ok(cell)
        }
    }
}

/// A point `x,y`, with blanks wherever somebody put them.
fn point(text: &str, size: BoardSize) -> Option<Cell> {
    let (x, y) = text.split_once(',')?;
    Cell::from_row(y.trim().parse().ok()?, x.trim().parse().ok()?, size)
}

/// A stone `x,y,side` of a list: 1 is the engine's, 2 the other side's.
fn listed(text: &str, size: BoardSize) -> Option<(Cell, Side)> {
    let (place, side) = text.rsplit_once(',')?;
    let side = match side.trim() {
        "1" => Side::Own,
        "2" => Side::Other,
        _ => return None,
    };
    Some((point(place, size)?, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written to these lines.
    fn told(lines: &str) -> Vec<String> {
        let mut output = Vec::new();
        play(lines.as_bytes(), &mut output).unwrap();
        String::from_utf8(output)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn a_game_begins_in_the_centre_and_answers_each_turn() {
        let answers = told("START 15\nBEGIN\nTURN 8,7\nEND\nABOUT\n");
        assert_eq!(answers[..2], ["OK", "7,7"]);
        assert_eq!(answers.len(), 3, "nothing is said after END");
        assert!(answers[2].contains(','));
    }

    #[test]
    fn odd_spacing_line_ends_and_letters_are_read() {
        assert_eq!(
            told("  start   15 \r\n\r\nturn  7 , 7 \r\nend\r\n").len(),
            2
        );
        assert_eq!(told("START 20\rBEGIN"), ["ERROR a board has 5 to 25 lines"]);
    }

    #[test]
    fn what_cannot_be_done_is_an_error_and_changes_nothing() {
        for (line, answer) in [
            ("TURN 15,0", "ERROR no such point on the board"),
            ("TURN -1,0", "ERROR no such point on the board"),
            ("TURN 3", "ERROR no such point on the board"),
            ("TURN 7,7", "ERROR the point is occupied"),
            ("PLAY 7,7", "ERROR the point is occupied"),
            ("BEGIN", "ERROR the board is not empty"),
            ("TAKEBACK 1,1", "ERROR no stone there to take back"),
            (
                "RECTSTART 15,20",
                "ERROR only square boards are played here",
            ),
            ("START 4", "ERROR a board has 5 to 25 lines"),
            ("SWAP2BOARD", "UNKNOWN command"),
            ("\u{fffd}\u{1}", "UNKNOWN command"),
        ] {
            let answers = told(&format!("START 15\nBEGIN\n{line}\nTAKEBACK 7,7\nBEGIN\n"));
            assert_eq!(answers, ["OK", "7,7", answer, "OK", "7,7"], "{line}");
        }
    }

    #[test]
    fn without_a_start_nothing_is_played() {
        for line in ["BEGIN", "TURN 1,1", "PLAY 1,1", "RESTART"] {
            assert_eq!(told(line), ["ERROR no START before"], "{line}");
        }
        assert!(told("BOARD\n1,1,1\nDONE\n")[0].starts_with("ERROR"));
    }

    #[test]
    fn a_board_is_taken_over_with_the_sides_it_tells() {
        // The other side has four in a row, open at (4,0) only: it must be stopped.
        let stones = "0,0,2\n1,0,2\n2,0,2\n3,0,2\n5,5,1\n7,7,1\n9,9,1\n";
        assert_eq!(
            told(&format!("START 15\nBOARD\n{stones}DONE\n")),
            ["OK", "4,0"]
        );
        // Four of its own: it wins.
        let own = stones
            .replace(",1\n", ",3\n")
            .replace(",2\n", ",1\n")
            .replace(",3\n", ",2\n");
        assert_eq!(
            told(&format!("START 15\nBOARD\n{own}DONE\n")),
            ["OK", "4,0"]
        );
    }

    #[test]
    fn a_faulty_board_is_refused_as_a_whole() {
        for line in ["1,1,4", "1,1", "15,1,1", "x", "2,2,1"] {
            let answers = told(&format!("START 15\nBOARD\n2,2,2\n{line}\nDONE\nBEGIN\n"));
            assert_eq!(answers.len(), 3, "{line}");
            assert!(answers[1].starts_with("ERROR"), "{line}: {answers:?}");
            assert_eq!(answers[2], "7,7", "{line}: the board is as before");
        }
    }

    #[test]
    fn info_is_not_answered_unless_the_rule_is_unknown() {
        let quiet = "INFO timeout_turn 0\nINFO timeout_match 1000\nINFO max_memory 0\nINFO folder C:/John's AI\nINFO\nINFO x\nINFO rule 4\n";
        assert_eq!(told(quiet), [] as [&str; 0]);
        assert_eq!(
            told("INFO rule 8\n"),
            ["MESSAGE this rule is not played here; freestyle stands"]
        );
    }

    #[test]
    fn the_rule_that_is_told_is_played() {
        // Six in a row by (2,0): it wins in freestyle, nothing happens in standard.
        let stones = "0,0,1\n1,0,1\n3,0,1\n4,0,1\n5,0,1\n0,9,2\n2,9,2\n4,9,2\n6,9,2\n8,9,2\n";
        let best = |rule| {
            told(&format!(
                "START 15\nINFO rule {rule}\nBOARD\n{stones}DONE\n"
            ))
            .remove(1)
        };
        assert_eq!(best(0), "2,0");
        assert_ne!(best(1), "2,0");
        assert_eq!(best(2), "2,0");
    }
}
