//! Wins by fours that are known, positions that have none, and the mates of another program.

use serde::Deserialize;
use tengen::board::{Board, BoardSize, Cell, Color};
use tengen::engine::{Force, Limits, SolveOptions, Solved};
use tengen::rules::{Position, Rule};

use crate::{force, nodes, solve};

const OWN: &str = include_str!("../data/puzzles/own_vcf.jsonl");
const OWN_WITHOUT: &str = include_str!("../data/puzzles/own_no_vcf.jsonl");
const QUINTET: &str = include_str!("../data/puzzles/quintet_mates.jsonl");

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
    length: usize,
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
        let mut board = Board::new(BoardSize::try_from(self.size).expect("a size"));
        for (ply, cell) in (1..).zip(cells(&self.moves)) {
            board.put(cell, Color::of_ply(ply));
        }
        for (names, color) in [(&self.black, Color::Black), (&self.white, Color::White)] {
            for name in names {
                board.put(name.parse().expect("a cell"), color);
            }
        }
        let to_move = self.to_move.parse().expect("a colour");
        Position::from_board(rule, board, to_move).expect("a puzzle is a position")
    }
}

/// The cells of moves written without blanks.
fn cells(moves: &str) -> impl Iterator<Item = Cell> {
    let letters = moves
        .char_indices()
        .filter(|(_, sign)| sign.is_alphabetic());
    letters.map(|(start, _)| {
        let rest = &moves[start + 1..];
        let digits = rest.find(char::is_alphabetic).unwrap_or(rest.len());
        let name = &moves[start..start + 1 + digits];
        name.parse().expect("a cell")
    })
}

fn assert_found_with_the_fewest_stones<'a>(
    puzzles: impl Iterator<Item = &'a Puzzle>,
    limits: Limits,
) {
    let mut shortened = 0;
    for puzzle in puzzles {
        let any = plies(puzzle, limits, Force::Fours);
        let shortest = SolveOptions {
            shortest: true,
            ..force(Force::Fours)
        };
        let solution = solve(&puzzle.position(), limits, shortest);
        let Solved::Win {
            certificate,
            plies,
            is_shortest,
        } = solution.solved
        else {
            panic!("{}: {:?}", puzzle.id, solution.solved);
        };
        assert!(is_shortest);
        assert_eq!(plies, 2 * puzzle.length - 1, "{}", puzzle.id);
        assert!(plies <= any);
        shortened += usize::from(plies < any);
        let first = certificate.nodes()[0].stone.expect("the attacker begins");
        assert!(
            puzzle.all_vcf_first_moves.contains(&first.to_string()),
            "{}: {first}",
            puzzle.id
        );
    }
    assert!(shortened > 0, "nothing was there to shorten");
}

fn assert_none<'a>(puzzles: impl Iterator<Item = &'a Puzzle>) {
    for puzzle in puzzles {
        let solution = solve(&puzzle.position(), nodes(2_000_000), force(Force::Fours));
        assert_eq!(solution.solved, Solved::NoWinInClass, "{}", puzzle.id);
    }
}

#[test]
fn wins_by_fours_are_found_with_the_fewest_stones() {
    let puzzles = Puzzle::read(OWN);
    assert_eq!(puzzles.len(), 1_626);
    assert_found_with_the_fewest_stones(puzzles.iter().step_by(30), nodes(20_000));
}

#[test]
fn where_there_is_no_win_by_fours_that_is_shown() {
    let puzzles = Puzzle::read(OWN_WITHOUT);
    assert_eq!(puzzles.len(), 315);
    assert_none(puzzles.iter().step_by(12));
}

/// The mates of the other program that take long: one of seventy-three stones, and one that begins quietly.
const LONG: [&str; 2] = ["quintet-vcf_long", "quintet-vct_fukumi_move"];

/// With which stones the other program wins.
fn class_of(puzzle: &Puzzle) -> Force {
    if puzzle.kind == "vcf" {
        Force::Fours
    } else {
        Force::Threats
    }
}

/// The plies of the win that is found first.
fn plies(puzzle: &Puzzle, limits: Limits, class: Force) -> usize {
    let solution = solve(&puzzle.position(), limits, force(class));
    let Solved::Win { plies, .. } = solution.solved else {
        panic!("{}: {:?}", puzzle.id, solution.solved);
    };
    plies
}

#[test]
fn the_mates_of_another_program_are_found() {
    for puzzle in Puzzle::read(QUINTET) {
        if !LONG.contains(&puzzle.id.as_str()) {
            plies(&puzzle, nodes(60_000), class_of(&puzzle));
        }
    }
}

#[test]
#[ignore = "long: cargo test --release --test proofs -- --ignored"]
fn all_wins_by_fours_are_found_with_the_fewest_stones() {
    let puzzles = Puzzle::read(OWN);
    assert_found_with_the_fewest_stones(puzzles.iter(), nodes(2_000_000));
    let puzzles = Puzzle::read(OWN_WITHOUT);
    assert_none(puzzles.iter());
}

#[test]
#[ignore = "long: cargo test --release --test proofs -- --ignored"]
fn the_long_mates_of_another_program_are_found() {
    for puzzle in Puzzle::read(QUINTET) {
        if LONG.contains(&puzzle.id.as_str()) {
            plies(&puzzle, nodes(20_000_000), class_of(&puzzle));
        }
    }
}
