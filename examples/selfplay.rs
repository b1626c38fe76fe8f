//! Plays the engine against itself, for games to train its evaluation on.
//!
//! ```sh
//! cargo run --release --example selfplay -- freestyle 15 1000 3000 1 6 > games.jsonl
//! cargo run --release --example selfplay -- freestyle 15 1000 3000 1 6 games.jsonl > more.jsonl
//! ```
//!
//! The arguments: rule, size, number of games, nodes for each move, seed, and of how many stones one is
//! played by chance (0: none), so that the evaluation sees more than good play. A game starts with some
//! stones by chance near each other or, where a file of games is given, with the beginning of one of them,
//! cut by chance, if neither side is far ahead there. Each line is a game as `examples/train.rs` reads it.

#![expect(clippy::print_stdout, reason = "the results are what it is for")]

use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use tengen::board::{BoardSize, Cell, Color};
use tengen::engine::training::Chance;
use tengen::engine::{Limits, Memory, Options, Search};
use tengen::record::Ply;
use tengen::record::notation::read_moves;
use tengen::rules::{Position, Rule, Status};

/// A game in which one side is ahead by so much for some plies is taken as won by it.
const RESIGNED: i32 = 2_000;
/// An opening is even within so many points.
const EVEN: i32 = 150;
/// The fewest stones at the start of a game that are taken as an opening.
const FEWEST: usize = 4;

/// A game whose beginnings serve as openings.
#[derive(Deserialize)]
struct Game {
    rule: String,
    size: i64,
    moves: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rule, size, games, nodes, seed, chance_stones, book @ ..] = &arguments[..] else {
        panic!(
            "arguments: rule, size, games, nodes, seed, of how many stones one is by chance, a file of games"
        );
    };
    let rule: Rule = rule.parse().expect("a rule");
    let size =
        BoardSize::try_from(size.parse::<i64>().expect("a size")).expect("a size from 5 to 25");
    let nodes = nodes.parse().expect("a number of nodes");
    let chance_stones = chance_stones.parse().expect("a number of stones");
    let settings = Settings {
        rule,
        size,
        nodes,
        chance_stones,
        book: read_book(book, rule, size),
    };
    let mut chance = Chance::new(seed.parse().expect("a seed"));
    let mut memory = Memory::with_mebibytes(16);
    for _ in 0..games.parse().expect("a number of games") {
        println!("{}", play(&settings, &mut chance, &mut memory));
    }
}

struct Settings {
    rule: Rule,
    size: BoardSize,
    nodes: u64,
    chance_stones: usize,
    /// The games whose beginnings are openings; none: stones by chance are.
    book: Vec<Vec<Cell>>,
}

/// The games of the files that are played by this rule on this size.
fn read_book(files: &[String], rule: Rule, size: BoardSize) -> Vec<Vec<Cell>> {
    let mut book = Vec::new();
    for file in files {
        let games = std::fs::read_to_string(file).expect("the games can be read");
        for line in games.lines() {
            let game: Game = serde_json::from_str(line).expect("a game");
            if game.rule != rule.name() || game.size != i64::from(size.lines()) {
                continue;
            }
            let plies = read_moves(&game.moves, 625).expect("a list of moves");
            let cells = plies.into_iter().map(|ply| match ply {
                Ply::Stone(cell) => Some(cell),
                _ => None,
            });
            book.extend(
                cells
                    .collect::<Option<Vec<Cell>>>()
                    .filter(|cells| cells.len() > FEWEST),
            );
        }
    }
    book
}

fn play(settings: &Settings, chance: &mut Chance, memory: &mut Memory) -> String {
    let Settings {
        rule,
        size,
        nodes,
        chance_stones,
        ..
    } = *settings;
    let opening = opening(settings, chance, memory);
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

/// Stones after which neither side is far ahead.
fn opening(settings: &Settings, chance: &mut Chance, memory: &mut Memory) -> Vec<Cell> {
    loop {
        memory.forget();
        let mut position = Position::new(settings.rule, settings.size);
        let cells = if settings.book.is_empty() {
            stones_by_chance(&mut position, 1 + chance.below(9), chance)
        } else {
            beginning(&mut position, &settings.book, chance)
        };
        if position.status() != Status::Ongoing {
            continue;
        }
        let outcome = search(&position, settings.nodes, memory);
        let is_even = |line: &tengen::engine::Line| line.score.number().abs() < EVEN;
        if outcome.lines.first().is_some_and(is_even) {
            return cells;
        }
    }
}

/// The beginning of a game of the book, and half the times one more stone by chance.
fn beginning(position: &mut Position, book: &[Vec<Cell>], chance: &mut Chance) -> Vec<Cell> {
    let game = &book[chance.below(book.len())];
    let length = FEWEST + chance.below(game.len() - FEWEST);
    let mut cells = game[..length].to_vec();
    for cell in &cells {
        position
            .play(*cell)
            .expect("the games of the book are legal");
    }
    let more = chance.below(2);
    cells.extend(stones_by_chance(position, more, chance));
    cells
}

fn stones_by_chance(position: &mut Position, stones: usize, chance: &mut Chance) -> Vec<Cell> {
    let mut cells = Vec::new();
    for _ in 0..stones {
        let cell = near_cell(position, chance);
        if position.play(cell).is_ok() {
            cells.push(cell);
        }
    }
    cells
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
