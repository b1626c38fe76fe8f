//! Wins by continuous fours, and positions that have none.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use tengen::board::{Board, BoardSize, Color};
use tengen::engine::{Limits, Memory, Options, Verdict};
use tengen::rules::{Position, Rule};

use crate::checker::{Claim, wins_by_fours};
use crate::{nodes, search, stones};

const OWN: &str = include_str!("../data/puzzles/own_vcf.jsonl");
const OWN_WITHOUT: &str = include_str!("../data/puzzles/own_no_vcf.jsonl");
const QUINTET: &str = include_str!("../data/puzzles/quintet_mates.jsonl");

/// A position with the first stones of all its wins by fours.
#[derive(Deserialize)]
struct Puzzle {
    id: String,
    rule: String,
    size: i64,
    #[serde(default)]
    moves: String,
    #[serde(default)]
    black: Vec<String>,
    #[serde(default)]
    white: Vec<String>,
    to_move: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    all_vcf_first_moves: Vec<String>,
}

impl Puzzle {
    fn read(text: &str) -> Vec<Puzzle> {
        let puzzles = text.lines().filter(|line| line.starts_with('{'));
        puzzles
            .map(|line| serde_json::from_str(line).expect("a puzzle is a JSON object"))
            .collect()
    }

    fn position(&self) -> Position {
        let rule: Rule = self.rule.parse().expect("a rule");
        let size = BoardSize::try_from(self.size).expect("a size");
        let to_move: Color = self.to_move.parse().expect("a colour");
        let mut board = Board::new(size);
        for (cell, color) in stones(&self.moves) {
            board.put(cell, color);
        }
        for (cells, color) in [(&self.black, Color::Black), (&self.white, Color::White)] {
            for cell in cells {
                board.put(cell.parse().expect("a cell"), color);
            }
        }
        Position::from_board(rule, board, to_move).expect("a puzzle is a position")
    }
}

/// What was answered wrongly, a line each. A claimed win must be one by the checker; a right first stone has
/// to be among those of the puzzle, where it has some.
fn missed<'a>(puzzles: impl IntoIterator<Item = &'a Puzzle>, limits: Limits) -> Vec<String> {
    let mut memory = Memory::with_mebibytes(16);
    let mut missed = Vec::new();
    for puzzle in puzzles {
        let position = puzzle.position();
        memory.forget();
        let outcome = search(&position, &mut memory, limits, &Options::default());
        let line = &outcome.lines[0];
        let first = line.moves[0].to_string();
        let is_right =
            puzzle.all_vcf_first_moves.is_empty() || puzzle.all_vcf_first_moves.contains(&first);
        if line.verdict == Verdict::ProvenWin {
            assert_eq!(
                wins_by_fours(&position, &line.moves),
                Claim::Holds,
                "{}: {:?}\n{}",
                puzzle.id,
                line,
                position.board()
            );
        }
        if !is_right || line.verdict != Verdict::ProvenWin {
            missed.push(format!(
                "{} {first} {:?} {:?} after {:?}",
                puzzle.id, line.verdict, line.score, outcome.elapsed
            ));
        }
    }
    missed
}

/// A part of the puzzles, the same each time.
fn every(step: usize, puzzles: &[Puzzle]) -> impl Iterator<Item = &Puzzle> {
    puzzles.iter().step_by(step)
}

#[test]
fn wins_by_fours_are_found_and_proven() {
    let puzzles = Puzzle::read(OWN);
    assert_eq!(puzzles.len(), 1_626);
    let missed = missed(every(20, &puzzles), nodes(20_000));
    assert!(missed.len() <= 2, "{}", missed.join("\n"));
}

#[test]
fn no_win_by_fours_is_claimed_where_there_is_none() {
    let puzzles = Puzzle::read(OWN_WITHOUT);
    assert_eq!(puzzles.len(), 315);
    let missed = missed(every(12, &puzzles), nodes(1_000));
    assert_eq!(missed.len(), puzzles.len().div_ceil(12));
}

#[test]
fn the_mates_of_another_program_are_found() {
    let puzzles = Puzzle::read(QUINTET);
    // The long one takes seventy-three stones.
    let by_fours = puzzles
        .iter()
        .filter(|puzzle| puzzle.kind == "vcf" && puzzle.id != "quintet-vcf_long");
    let missed = missed(by_fours, nodes(20_000));
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
#[ignore = "long: cargo test --release --test engine -- --ignored"]
fn all_wins_by_fours_are_found_and_proven() {
    let puzzles = Puzzle::read(OWN);
    assert_solved_within_a_second(&puzzles);
    let puzzles = Puzzle::read(OWN_WITHOUT);
    assert_eq!(missed(&puzzles, nodes(200_000)).len(), puzzles.len());
}

#[test]
#[ignore = "long: cargo test --release --test engine -- --ignored"]
fn a_mate_of_seventy_three_stones_is_found() {
    let puzzles = Puzzle::read(QUINTET);
    let long = puzzles
        .iter()
        .filter(|puzzle| puzzle.id == "quintet-vcf_long");
    let missed = missed(
        long,
        Limits {
            time: Some(Duration::from_secs(10)),
            ..Limits::default()
        },
    );
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// All but three in a hundred.
fn assert_solved_within_a_second(puzzles: &[Puzzle]) {
    let missed = missed(
        puzzles,
        Limits {
            time: Some(Duration::from_secs(1)),
            ..Limits::default()
        },
    );
    assert!(
        missed.len() * 100 <= puzzles.len() * 3,
        "{} of {} missed:\n{}",
        missed.len(),
        puzzles.len(),
        missed.join("\n")
    );
}

/// Named by the environment: for collections that are not ours to keep.
#[test]
#[ignore = "long: TENGEN_PUZZLES=file cargo test --release --test engine -- --ignored"]
fn puzzles_of_a_file_are_solved_within_a_second() {
    let Some(path) = std::env::var_os("TENGEN_PUZZLES") else {
        return;
    };
    let path = Path::new(&path);
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let puzzles = Puzzle::read(&text);
    assert_solved_within_a_second(&puzzles);
}
