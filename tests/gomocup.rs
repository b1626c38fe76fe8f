//! `tengen engine` from outside: whole games between two processes, judged by the rules.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tengen::board::BoardSize;
use tengen::record::{Ply, Record};
use tengen::rules::{Rule, Status};

/// An engine and the manager's ends of its streams.
struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(lines: u8, rule: u8) -> Engine {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .arg("engine")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut engine = Engine {
            process,
            input,
            output,
        };
        assert_eq!(engine.ask(&format!("START {lines}")), "OK");
        engine.tell(&format!("INFO timeout_turn 100\r\nINFO rule {rule}"));
        engine
    }

    fn tell(&mut self, text: &str) {
        write!(self.input, "{text}\r\n").unwrap();
        self.input.flush().unwrap();
    }

    fn ask(&mut self, text: &str) -> String {
        self.tell(text);
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Ends the game; the process must end by itself.
    fn end(mut self) {
        self.tell("END");
        assert!(self.process.wait().unwrap().success());
    }
}

/// A whole game of the engine against itself, with every ply judged as it is played.
fn play(lines: u8, rule: Rule, number: u8) -> Record {
    let size = BoardSize::try_from(i64::from(lines)).unwrap();
    let mut sides = [Engine::start(lines, number), Engine::start(lines, number)];
    let mut plies = Vec::new();
    let mut question = "BEGIN".to_owned();
    for turn in 0..usize::from(size.cell_count()) {
        let answer = sides[turn % 2].ask(&question);
        if answer.starts_with("ERROR") {
            // Only forbidden cells are left to Black.
            let position = Record::new(rule, size, plies.clone())
                .replay()
                .into_position();
            assert_eq!(position.legal_cells().count(), 0, "{answer}");
            break;
        }
        let (x, y) = answer.split_once(',').unwrap();
        plies.push(Ply::stone_at_row(
            y.parse().unwrap(),
            x.parse().unwrap(),
            size,
        ));
        let replay = Record::new(rule, size, plies.clone()).replay();
        assert!(replay.is_legal(), "{rule}: {:?}", replay.violations());
        if replay.position().status() != Status::Ongoing {
            break;
        }
        question = format!("TURN {answer}");
    }
    sides.into_iter().for_each(Engine::end);
    Record::new(rule, size, plies)
}

#[test]
fn whole_games_are_played_under_every_rule() {
    for (rule, number) in [
        (Rule::Freestyle, 0),
        (Rule::Standard, 1),
        (Rule::Renju, 4),
        (Rule::Caro, 9),
    ] {
        for lines in [5, 15, 20] {
            let record = play(lines, rule, number);
            assert!(
                record.plies().len() >= 9,
                "{rule} on {lines} lines: {record:?}"
            );
        }
    }
}

#[test]
fn a_position_can_be_taken_over_and_gone_back_in() {
    let mut engine = Engine::start(15, 0);
    engine.tell("BOARD\r\n7,7,2\r\n8,7,2\r\n0,0,1\r\n9,7,2\r\n14,14,1");
    let answer = engine.ask("DONE");
    assert!(
        ["6,7", "10,7"].contains(&answer.as_str()),
        "{answer} stops no open three"
    );
    assert_eq!(engine.ask(&format!("TAKEBACK {answer}")), "OK");
    assert_eq!(engine.ask("TAKEBACK 9,7"), "OK");
    let next = engine.ask("TURN 9,7");
    assert_eq!(next, answer, "the same position gets the same move");
    assert_eq!(engine.ask("RESTART"), "OK");
    assert_eq!(engine.ask("BEGIN"), "7,7");
    engine.end();
}
