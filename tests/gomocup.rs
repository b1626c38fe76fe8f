//! `tengen engine` from outside: whole games between two processes, judged by the rules, and what a manager
//! may do while the engine thinks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tengen::board::{BoardSize, Cell};
use tengen::rules::{Position, Rule, Status};

/// Long enough for a slow machine, short enough to tell that the engine has not gone on thinking.
const SOON: Duration = Duration::from_secs(1);

/// An engine and the manager's ends of its streams.
struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(lines: u8, infos: &[&str]) -> Engine {
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
        for info in infos {
            engine.tell(&format!("INFO {info}"));
        }
        engine
    }

    /// An engine in the middle of a search that would take a minute.
    fn thinking() -> Engine {
        let mut engine = Engine::start(15, &["timeout_turn 60000"]);
        engine.tell("TURN 7,7");
        thread::sleep(Duration::from_millis(500));
        engine
    }

    fn tell(&mut self, text: &str) {
        write!(self.input, "{text}\r\n").unwrap();
        self.input.flush().unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn ask(&mut self, text: &str) -> String {
        self.tell(text);
        self.line()
    }

    /// Ends the game; the process must end by itself.
    fn end(mut self) {
        self.tell("END");
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn a_folder_with_an_apostrophe_and_a_blank_is_no_command() {
    let infos = ["timeout_turn 0", "folder C:/John's AI", "unheard_of 1"];
    let mut engine = Engine::start(15, &infos);
    let answer = engine.ask("TURN 7,7");
    assert!(is_point(&answer), "{answer}");
    engine.end();
}

fn is_point(text: &str) -> bool {
    let is_number = |text: &str| text.parse::<u8>().is_ok();
    text.split_once(',')
        .is_some_and(|(x, y)| is_number(x) && is_number(y))
}

/// Plays a whole game of the engine against itself, with every stone judged as it is played; gives their number.
fn play(lines: u8, rule: Rule, number: u8) -> usize {
    let size = BoardSize::try_from(i64::from(lines)).unwrap();
    let rule_info = format!("rule {number}");
    let infos = ["timeout_turn 10", "max_memory 8388608", rule_info.as_str()];
    let mut sides = [Engine::start(lines, &infos), Engine::start(lines, &infos)];
    let mut position = Position::new(rule, size);
    let mut question = "BEGIN".to_owned();
    let mut stones = 0;
    while position.status() == Status::Ongoing {
        let answer = sides[stones % 2].ask(&question);
        if answer.starts_with("ERROR") {
            // Only forbidden cells are left to Black.
            assert_eq!(position.legal_cells().count(), 0, "{answer}");
            break;
        }
        let (x, y) = answer.split_once(',').unwrap();
        let cell = Cell::from_row(y.parse().unwrap(), x.parse().unwrap(), size).unwrap();
        assert_eq!(position.play(cell), Ok(()), "{rule} on {lines}: {answer}");
        question = format!("TURN {answer}");
        stones += 1;
    }
    sides.into_iter().for_each(Engine::end);
    stones
}

#[test]
fn whole_games_are_played_under_every_rule() {
    for (lines, rule, number) in [
        (5, Rule::Renju, 4),
        (5, Rule::Caro, 9),
        (15, Rule::Freestyle, 2),
        (15, Rule::Standard, 3),
        (15, Rule::Renju, 4),
        (15, Rule::Caro, 11),
        (20, Rule::Renju, 6),
    ] {
        let stones = play(lines, rule, number);
        assert!(stones >= 9, "{rule} on {lines} lines: {stones} stones");
    }
}

#[test]
fn a_position_can_be_taken_over_and_gone_back_in() {
    let mut engine = Engine::start(15, &["timeout_turn 100", "rule 0"]);
    engine.tell("BOARD\r\n7,7,2\r\n8,7,2\r\n0,0,1\r\n9,7,2\r\n14,14,1");
    let answer = engine.ask("DONE");
    let stops = ["6,7", "10,7", "5,7", "11,7"];
    assert!(
        stops.contains(&answer.as_str()),
        "{answer} stops no open three"
    );
    assert_eq!(engine.ask(&format!("TAKEBACK {answer}")), "OK");
    assert_eq!(engine.ask("TAKEBACK 9,7"), "OK");
    let again = engine.ask("TURN 9,7");
    assert!(
        stops.contains(&again.as_str()),
        "{again} stops no open three"
    );
    assert_eq!(engine.ask("RESTART"), "OK");
    assert!(is_point(&engine.ask("BEGIN")));
    engine.end();
}

#[test]
fn end_in_the_middle_of_a_search_ends_the_program() {
    let engine = Engine::thinking();
    let told = Instant::now();
    engine.end();
    assert!(told.elapsed() < SOON, "{:?}", told.elapsed());
}

#[test]
fn the_end_of_the_input_ends_a_search_with_its_move() {
    let Engine {
        mut process,
        input,
        mut output,
    } = Engine::thinking();
    let told = Instant::now();
    drop(input);
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    assert!(process.wait().unwrap().success());
    assert!(told.elapsed() < SOON, "{:?}", told.elapsed());
    assert!(is_point(text.trim_end()), "{text:?}");
}

#[test]
fn stop_gets_the_move_and_other_commands_wait_for_it() {
    for stop in ["STOP", "yxstop"] {
        let mut engine = Engine::thinking();
        engine.tell("ABOUT");
        engine.tell("INFO timeout_turn 0");
        let told = Instant::now();
        let answer = engine.ask(stop);
        assert!(told.elapsed() < SOON, "{:?}", told.elapsed());
        assert!(is_point(&answer), "{answer:?}");
        assert!(engine.line().starts_with("name=\"Tengen\""));
        let (x, y) = if answer == "0,0" { (1, 1) } else { (0, 0) };
        assert!(is_point(&engine.ask(&format!("TURN {x},{y}"))));
        engine.end();
    }
}

#[test]
fn a_turn_of_no_time_is_answered_at_once() {
    for infos in [
        ["timeout_turn 0", "timeout_match 0"],
        ["timeout_turn 60000", "time_left 0"],
        ["timeout_turn 60000", "time_left -100"],
    ] {
        let mut engine = Engine::start(15, &infos);
        for turn in ["TURN 7,7", "TURN 0,0", "TURN 14,14"] {
            let told = Instant::now();
            assert!(is_point(&engine.ask(turn)));
            assert!(
                told.elapsed() < SOON,
                "{infos:?} {turn}: {:?}",
                told.elapsed()
            );
        }
        engine.end();
    }
}

#[test]
fn the_time_of_a_turn_and_of_a_game_is_kept() {
    // The share of a game's time is far below the limit of the turn.
    for infos in [
        ["timeout_turn 300", "max_memory 268435456"],
        ["timeout_turn 60000", "time_left 5000"],
    ] {
        let mut engine = Engine::start(15, &infos);
        for turn in ["TURN 7,7", "TURN 0,0"] {
            let told = Instant::now();
            assert!(is_point(&engine.ask(turn)));
            let took = told.elapsed();
            assert!(took > Duration::from_millis(100), "{infos:?}: {took:?}");
            // Twice the time, for a machine that is busy with the other tests.
            assert!(took < Duration::from_millis(600), "{infos:?}: {took:?}");
        }
        engine.end();
    }
}

#[test]
fn a_manager_hears_what_the_search_has_found() {
    let mut engine = Engine::start(15, &["timeout_turn 500", "game_type 1"]);
    let message = engine.ask("TURN 7,7");
    assert!(message.starts_with("MESSAGE depth "), "{message}");
    assert!(is_point(&engine.line()));
    engine.end();
}

#[test]
fn a_closed_output_ends_the_program_quietly() {
    let Engine {
        mut process,
        mut input,
        output,
    } = Engine::start(15, &["timeout_turn 0"]);
    drop(output);
    input.write_all(b"BEGIN\r\n").unwrap();
    assert!(process.wait().unwrap().success());
}
