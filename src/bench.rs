//! Searches fixed positions to fixed depths: the sum of their nodes is the signature of the search.
//!
//! A change that should not alter what the search does leaves the signature alone; one that should tells the
//! old and the new one. The nodes a second are those of one thread.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::board::BoardSize;
use crate::engine::{Limits, Memory, Options, Outcome, Search};
use crate::record::{Record, notation::read_moves};
use crate::rules::{Position, Rule};

/// A position and how far it is searched.
struct Task {
    rule: Rule,
    lines: u8,
    depth: u8,
    moves: &'static str,
}

impl Task {
    const fn new(rule: Rule, lines: u8, depth: u8, moves: &'static str) -> Task {
        Task {
            rule,
            lines,
            depth,
            moves,
        }
    }

    fn position(&self) -> Position {
        let size = BoardSize::try_from(i64::from(self.lines)).expect("the size is supported");
        let moves = read_moves(self.moves, 1).expect("the moves are readable");
        Record::new(self.rule, size, moves).replay().into_position()
    }
}

/// Openings and middle games of our own, engine against engine. The depths take about as long each.
const TASKS: [Task; 12] = [
    Task::new(Rule::Freestyle, 15, 11, "j2k4l2f7j3n3e7"),
    Task::new(Rule::Freestyle, 15, 9, "h8h7h10i7j6g7j7j8g5i9i6k9h6g6"),
    Task::new(
        Rule::Freestyle,
        15,
        11,
        "h8h9i9i8g10g7g11h10h11i11f9e8h12g9i12j13",
    ),
    Task::new(
        Rule::Freestyle,
        20,
        8,
        "e9e10b9h8b10g9g10d9b11b12e7c7f11h9f9h11h10f6i10f10i7g6g7h7",
    ),
    Task::new(Rule::Standard, 15, 10, "d8e5h7h9f9b6a11g8"),
    Task::new(
        Rule::Standard,
        15,
        8,
        "h8h9i10j10i8i7k8j8j9l7h7g6i12h11f8k7",
    ),
    Task::new(
        Rule::Standard,
        15,
        8,
        "h8g8f9f10g10h11e9i10h9i9i11i8g12g9e12e11d12f12d10d13",
    ),
    Task::new(Rule::Renju, 15, 10, "i6m6l4j4i2l2k4"),
    Task::new(
        Rule::Renju,
        15,
        8,
        "h8g8j6i7j7j8h6i6i5j4j5h5k6i8i9k7j9h9i10j10",
    ),
    Task::new(
        Rule::Renju,
        15,
        10,
        "g6f6f8g8d8f7h9h7g7e10f9g10g9e9h10i11e11f10d10i9g11d11e6c9",
    ),
    Task::new(Rule::Caro, 15, 9, "g10g6f8e8h6"),
    Task::new(Rule::Caro, 15, 9, "h8h7h10i7j6g7j7j8g5i9i6k9"),
];

/// The memory of each search, in MiB; each begins with a fresh one.
const MEMORY: usize = 16;

/// Searches the positions on this thread, to their own depths or all to the same, and writes what came of it.
///
/// # Errors
///
/// Those of writing.
pub fn run(depth: Option<u8>, mut out: impl Write) -> io::Result<()> {
    let mut nodes = 0;
    let mut time = Duration::ZERO;
    for (number, task) in (1..).zip(&TASKS) {
        let depth = depth.unwrap_or(task.depth);
        let outcome = search(&task.position(), depth);
        nodes += outcome.nodes;
        time += outcome.elapsed;
        let best = outcome.lines.first().map(|line| line.moves[0].to_string());
        writeln!(
            out,
            "{number:>2} {:<9} {:>2} lines  depth {:>2}  nodes {:>8}  best {}",
            task.rule,
            task.lines,
            outcome.depth,
            outcome.nodes,
            best.unwrap_or_default(),
        )?;
        out.flush()?;
    }
    let millis = time.as_millis().max(1);
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "nodes/s {}", u128::from(nodes) * 1_000 / millis)
}

fn search(position: &Position, depth: u8) -> Outcome {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let search = Search::new(position, limits, Options::default());
    search.run(
        &mut Memory::with_mebibytes(MEMORY),
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Status;

    #[test]
    fn every_position_is_whole_and_its_game_goes_on() {
        for task in &TASKS {
            let position = task.position();
            assert_eq!(position.status(), Status::Ongoing, "{}", task.moves);
            let stones = position.board().stones();
            let played = read_moves(task.moves, 1)
                .expect("the moves are readable")
                .len();
            assert_eq!(
                usize::from(stones.black + stones.white),
                played,
                "{}",
                task.moves
            );
        }
    }
}
