//! The Gomocup protocol: the manager writes a line, the engine writes a line.
//!
//! Source: the protocol as described by the authors of Piskvork and of the Gomocup judge. Points are
//! `x,y` from 0 at the top left. This room knows the engine and nothing of HTTP or the store. Begin
//! reading with [`play`].

mod clock;
mod command;
mod game;
mod input;
mod player;
mod table;

use std::io::{self, BufRead, ErrorKind, Write};

use thiserror::Error;

use crate::board::Color;
use crate::gomocup::player::{Answer, Player};

/// Plays over a pair of streams until `END` or the end of the input.
///
/// The input is read ahead on a thread of its own: `END`, its end, and `STOP` end a search that runs, other
/// lines wait until it is over. Whoever closes the output has heard enough, which is no error.
///
/// # Errors
///
/// When a stream fails.
///
/// ```
/// use std::io::Cursor;
///
/// let mut output = Vec::new();
/// tengen::gomocup::play(Cursor::new("START 15\nBEGIN\nEND\n"), &mut output)?;
/// assert!(output.starts_with(b"OK\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn play(input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let mut player = Player::new();
    for line in input::listen(input)? {
        match player.answer(&line?) {
            Answer::Nothing => {}
            Answer::Lines(text) => match tell(&mut output, &text) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                told => told?,
            },
            Answer::End => break,
        }
    }
    Ok(())
}

/// Writes an answer as one piece, so that nobody sees half of it.
fn tell(output: &mut impl Write, text: &str) -> io::Result<()> {
    output.write_all(format!("{text}\n").as_bytes())?;
    output.flush()
}

/// Why a command is not carried out. Nothing has changed, unless the game is over: then the last stone of
/// the other side stands and can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
enum Refusal {
    #[error("a board has 5 to 25 lines")]
    UnsupportedSize,
    #[error("only square boards are played here, by START")]
    NotSquare,
    #[error("no START before")]
    NotStarted,
    #[error("the board is not empty")]
    NotEmpty,
    #[error("no such point on the board")]
    NoSuchPoint,
    #[error("the point is occupied")]
    Occupied,
    #[error("no stone there to take back")]
    NoStone,
    #[error("line {line} of the board is not x,y,field with a free point")]
    FaultyBoard { line: usize },
    #[error("both sides have won")]
    TwoWinners,
    #[error("the game is over: {0} has won")]
    Won(Color),
    #[error("the game is over: the board is full")]
    Drawn,
    #[error("there is no move to play")]
    NoMove,
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// What is written to these lines.
    fn told(lines: &str) -> Vec<String> {
        let mut output = Vec::new();
        play(Cursor::new(lines.to_owned()), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        output.lines().map(str::to_owned).collect()
    }

    fn is_point(text: &str) -> bool {
        let number = |text: &str| text.parse::<u8>().is_ok_and(|number| number < 25);
        text.split_once(',')
            .is_some_and(|(x, y)| number(x) && number(y))
    }

    #[test]
    fn a_game_begins_and_answers_each_turn() {
        let answers = told("START 15\nBEGIN\nTURN 0,0\nEND\nABOUT\n");
        assert_eq!(answers.len(), 3, "nothing is said after END: {answers:?}");
        assert_eq!(answers[0], "OK");
        assert!(
            is_point(&answers[1]) && is_point(&answers[2]),
            "{answers:?}"
        );
        assert_ne!(answers[1], answers[2]);
    }

    #[test]
    fn odd_spacing_line_ends_and_letters_are_read() {
        let answers = told("  start \t 15 \r\n\r\nturn\t 7 , 7 \r\nend\r\n");
        assert!(answers.len() == 2 && is_point(&answers[1]), "{answers:?}");
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
            ("TAKEBACK 15,1", "ERROR no such point on the board"),
            (
                "RECTSTART 15,20",
                "ERROR only square boards are played here, by START",
            ),
            ("START 4", "ERROR a board has 5 to 25 lines"),
            ("START 26", "ERROR a board has 5 to 25 lines"),
            ("START", "ERROR a board has 5 to 25 lines"),
            ("SWAP2BOARD", "UNKNOWN command"),
            ("DONE", "UNKNOWN command"),
            ("\u{fffd}\u{1}", "UNKNOWN command"),
        ] {
            let answers = told(&format!(
                "START 15\nPLAY 7,7\n{line}\nTAKEBACK 7,7\nPLAY 7,7\n"
            ));
            assert_eq!(answers, ["OK", "7,7", answer, "OK", "7,7"], "{line}");
        }
    }

    #[test]
    fn without_a_start_nothing_is_played() {
        for line in [
            "BEGIN",
            "TURN 1,1",
            "PLAY 1,1",
            "RESTART",
            "BOARD\n1,1,1\nDONE",
        ] {
            assert_eq!(told(line), ["ERROR no START before"], "{line}");
        }
    }

    /// The other side has four in a row, open at (4,0) only.
    const FOUR: &str = "0,0,2\n1,0,2\n2,0,2\n3,0,2\n5,5,1\n7,7,1\n9,9,1\n";

    #[test]
    fn a_board_is_taken_over_with_the_sides_it_tells() {
        assert_eq!(
            told(&format!("START 15\nBOARD\n{FOUR}DONE\n")),
            ["OK", "4,0"]
        );
        // Four of its own: it wins.
        let own = FOUR
            .replace(",1\n", ",x\n")
            .replace(",2\n", ",1\n")
            .replace(",x\n", ",2\n");
        assert_eq!(
            told(&format!("START 15\nBOARD\n{own}DONE\n")),
            ["OK", "4,0"]
        );
    }

    #[test]
    fn a_board_can_be_told_without_a_move() {
        let answers = told(&format!("START 15\nYXBOARD\n{FOUR}DONE\nTURN 4,0\n"));
        assert_eq!(answers, ["OK", "ERROR the game is over: black has won"]);
    }

    #[test]
    fn a_blocked_point_is_played_by_nobody() {
        let blocked = format!("START 15\nBOARD\n{FOUR}4,0,3\nDONE\n");
        let answers = told(&format!("{blocked}TURN 4,0\n"));
        assert!(is_point(&answers[1]) && answers[1] != "4,0", "{answers:?}");
        assert_eq!(answers[2], "ERROR the point is occupied");
    }

    #[test]
    fn a_faulty_board_is_refused_as_a_whole() {
        for line in ["1,1,4", "1,1", "15,1,1", "x", "2,2,1", "TURN 1,1", "BOARD"] {
            let answers = told(&format!("START 15\nBOARD\n2,2,2\n{line}\nDONE\nPLAY 2,2\n"));
            let refused = "ERROR line 2 of the board is not x,y,field with a free point";
            assert_eq!(answers, ["OK", refused, "2,2"], "{line}");
        }
        let endless = "1,1,1\n".repeat(5_000);
        assert!(told(&format!("START 15\nBOARD\n{endless}DONE\n"))[1].starts_with("ERROR line 2"));
    }

    #[test]
    fn a_board_is_not_disturbed_by_what_is_no_part_of_it() {
        let told_within = |line: &str| {
            told(&format!(
                "START 15\nBOARD\n{}DONE\n",
                FOUR.replacen('\n', line, 1)
            ))
        };
        for line in [
            "\nINFO timeout_turn 0\n",
            "\n\n",
            "\r\n",
            "\nSTOP\n",
            "\nINFO\n",
        ] {
            assert_eq!(told_within(line), ["OK", "4,0"], "{line:?}");
        }
        assert_eq!(
            told("START 15\nBOARD\n1,1,1\nSTART 15\nPLAY 1,1\n"),
            ["OK", "OK", "1,1"]
        );
        assert_eq!(told("START 15\nBOARD\n1,1,1\nEND\n"), ["OK"]);
    }

    #[test]
    fn a_game_that_is_over_has_no_move_and_can_be_gone_back_in() {
        let turn = format!("START 15\nYXBOARD\n{FOUR}DONE\nTURN 4,0\nTAKEBACK 4,0\nPLAY 4,0\n");
        let over = "ERROR the game is over: black has won";
        assert_eq!(told(&turn), ["OK", over, "OK", "4,0"]);
        let both =
            "BOARD\n0,0,1\n1,0,1\n2,0,1\n3,0,1\n4,0,1\n0,1,2\n1,1,2\n2,1,2\n3,1,2\n4,1,2\nDONE";
        assert_eq!(
            told(&format!("START 15\n{both}\n")),
            ["OK", "ERROR both sides have won"]
        );
    }

    #[test]
    fn a_full_board_has_no_move_and_the_last_cell_is_one() {
        // Rows of two and three: nobody has five.
        let fields: Vec<String> = (0..25)
            .map(|n| (n % 5, n / 5))
            .map(|(x, y)| format!("{x},{y},{}\n", 1 + (x / 2 + y) % 2))
            .collect();
        let full = format!("START 5\nBOARD\n{}DONE\n", fields.concat());
        assert_eq!(
            told(&full),
            ["OK", "ERROR the game is over: the board is full"]
        );
        let last = format!("START 5\nBOARD\n{}DONE\n", fields[..24].concat());
        assert_eq!(told(&last), ["OK", "4,4"]);
        let blocked = format!("START 5\nBOARD\n{}4,4,3\nDONE\n", fields[..24].concat());
        assert_eq!(told(&blocked), ["OK", "ERROR there is no move to play"]);
    }

    #[test]
    fn info_is_not_answered() {
        let quiet = "INFO timeout_turn 0\nINFO timeout_match 1000\nINFO max_memory 0\nINFO folder C:/John's AI\nINFO\nINFO x\nINFO rule 4\nINFO rule 99\n";
        assert_eq!(told(quiet), [] as [&str; 0]);
    }

    #[test]
    fn a_rule_that_is_not_played_is_told_with_the_next_answer() {
        assert_eq!(
            told("START 15\nINFO rule 5\nPLAY 1,1\nPLAY 2,2\n"),
            [
                "OK",
                "MESSAGE this rule is not played here; freestyle stands",
                "1,1",
                "2,2"
            ]
        );
        assert_eq!(
            told("START 15\nINFO rule 8\nBOARD\n1,1\nDONE\n")[1],
            "MESSAGE caro is played with exactly five in a row"
        );
        assert_eq!(told("INFO rule 5\nINFO rule 1\nSTART 15\n"), ["OK"]);
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

    #[test]
    fn a_manager_hears_what_was_found_and_a_script_the_move_alone() {
        let lines = format!("BOARD\n{FOUR}DONE\n");
        assert_eq!(told(&format!("START 15\n{lines}")), ["OK", "4,0"]);
        let answers = told(&format!("START 15\nINFO game_type 1\n{lines}"));
        assert_eq!(answers.len(), 3, "{answers:?}");
        assert!(answers[1].starts_with("MESSAGE depth "), "{answers:?}");
        assert!(answers[1].contains(" pv 4,0"), "{answers:?}");
        assert_eq!(answers[2], "4,0");
    }

    #[test]
    fn a_closed_output_ends_the_game_quietly() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(play(Cursor::new("START 15\nBEGIN\n"), Closed).is_ok());
    }
}
