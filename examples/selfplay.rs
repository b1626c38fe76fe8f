//! Plays the engine against itself, for games to train its evaluation on.
//!
//! ```sh
//! cargo run --release --example selfplay -- freestyle 15 1000 3000 1 6 > games.jsonl
//! ```
//!
//! The arguments: rule, size, number of games, nodes for each move, seed, and of how many stones one is
//! played by chance (0: none), so that the evaluation sees more than good play. A game starts with some
//! stones by chance near each other, after which neither side is far ahead. Each line is a game as `examples/train.rs` reads it.

#![expect(clippy::print_stdout, reason = "the results are what it is for")]

use std::sync::atomic::AtomicBool;

use tengen::board::{BoardSize, Cell, Color};
use tengen::engine::training::Chance;
use tengen::engine::{Limits, Memory, Options, Search};
use tengen::rules::{Position, Rule, Status};

/// A game in which one side is ahead by so much for some plies is taken as won by it.
const RESIGNED: i32 = 2_000;
/// An opening is even within so many points.
const EVEN: i32 = 250;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rule, size, games, nodes, seed, chance_stones] = &arguments[..] else {
        panic!(
            "six arguments: rule, size, games, nodes, seed, of how many stones one is by chance"
        );
    };
    let rule: Rule = rule.parse().expect("a rule");
    let size =
        BoardSize::try_from(size.parse::<i64>().expect("a size")).expect("a size from 5 to 25");
    let nodes = nodes.parse().expect("a number of nodes");
    let chance_stones = chance_stones.parse().expect("a number of stones");
    let mut chance = Chance::new(seed.parse().expect("a seed"));
    let mut memory = Memory::with_mebibytes(16);
    for _ in 0..games.parse().expect("a number of games") {
        println!(
            "{}",
            play(rule, size, nodes, chance_stones, &mut chance, &mut memory)
        );
    }
}

fn play(
    rule: Rule,
    size: BoardSize,
    nodes: u64,
    chance_stones: usize,
    chance: &mut Chance,
    memory: &mut Memory,
) -> String {
    let opening = opening(rule, size, nodes, chance, memory);
    let mut position = Position::new(rule, size);
    let (mut moves, mut best, mut scores) = (String::new(), String::new(), Vec::new());
    for cell in &opening {
        moves.push_str(&cell.to_string());
        best.push_str(&cell.to_string());
        scores.push("null".to_owned());
        position.play(*cell).expect("an opening is legal");
    }
    let random = opening.len();
    let mut ahead = 0;
    let mut resigned = None;
    while position.status() == Status::Ongoing {
        let outcome = search(&position, nodes, memory);
        let Some(line) = outcome.lines.first() else {
            break;
        };
        let score = line.score.number();
        let by_chance = chance_stones > 0 && chance.below(chance_stones) == 0;
        let cell = if by_chance {
            near_cell(&position, chance)
        } else {
            line.moves[0]
        };
        moves.push_str(&cell.to_string());
        best.push_str(&line.moves[0].to_string());
        scores.push(score.to_string());
        ahead = if score.abs() > RESIGNED { ahead + 1 } else { 0 };
        if ahead > 6 || score.abs() > 28_000 {
            resigned = Some(if score > 0 {
                position.to_move()
            } else {
                !position.to_move()
            });
            break;
        }
        position
            .play(cell)
            .expect("the engine and chance play legal stones");
    }
    let winner = match position.status() {
        Status::Won { winner, .. } => Some(winner),
        _ => resigned,
    };
    let result = winner.map_or("draw", Color::name);
    format!(
        "{{\"rule\":\"{rule}\",\"size\":{},\"moves\":\"{moves}\",\"best\":\"{best}\",\"result\":\"{result}\",\"random\":{random},\"scores\":[{}]}}",
        size.lines(),
        scores.join(",")
    )
}

/// Some stones by chance near each other, after which neither side is far ahead.
fn opening(
    rule: Rule,
    size: BoardSize,
    nodes: u64,
    chance: &mut Chance,
    memory: &mut Memory,
) -> Vec<Cell> {
    loop {
        memory.forget();
        let mut position = Position::new(rule, size);
        let mut cells = Vec::new();
        for _ in 0..1 + chance.below(9) {
            let cell = near_cell(&position, chance);
            if position.play(cell).is_ok() {
                cells.push(cell);
            }
        }
        let outcome = search(&position, nodes, memory);
        let is_even = |line: &tengen::engine::Line| line.score.number().abs() < EVEN;
        if outcome.lines.first().is_some_and(is_even) {
            return cells;
        }
    }
}

fn search(position: &Position, nodes: u64, memory: &mut Memory) -> tengen::engine::Outcome {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    Search::new(position, limits, Options::default()).run(
        memory,
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

/// A legal cell near the stones or, on an empty board, near the centre.
fn near_cell(position: &Position, chance: &mut Chance) -> Cell {
    let board = position.board();
    let stones: Vec<Cell> = board.occupied().map(|(cell, _)| cell).collect();
    let centre = [board.size().centre()];
    let about = if stones.is_empty() {
        &centre[..]
    } else {
        &stones[..]
    };
    let near = |cell: &Cell| {
        about.iter().any(|stone| {
            cell.column().abs_diff(stone.column()) <= 2
                && cell.height().abs_diff(stone.height()) <= 2
        })
    };
    let mut cells: Vec<Cell> = position.legal_cells().filter(near).collect();
    if cells.is_empty() {
        cells = position.legal_cells().collect();
    }
    cells[chance.below(cells.len())]
}
