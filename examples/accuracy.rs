//! Plays games of the engine at each level against itself, reviews them, and fits how fast the accuracy of a move
//! falls with its loss (`docs/analysis.md`).
//!
//! Arguments: games of each level, nodes of each search, a seed, a file of losses.
//!
//! Each game starts with three stones by chance near the centre. What the moves of a level have lost goes into the file,
//! a line a level; the levels that are there already are not played again. For each level it prints how many moves
//! were judged, their mean loss, the share that lost less than 0.01 and the share that lost 0.2 or more, what the level is to come to
//! (level 10 to 95, level 1 to 40, the others between by their Elo) and what it comes to with the decay that fits best.

#![expect(clippy::print_stdout, reason = "the results are what it is for")]

use std::fs::File;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use tengen::analysis::Review;
use tengen::board::{BoardSize, Cell};
use tengen::engine::training::Chance;
use tengen::engine::{Level, Limits, Memory, Options, Outcome, Search};
use tengen::record::{Ply, Record};
use tengen::rules::{Position, Rule, Status};

/// The stones by chance at the start of a game.
const OPENING: usize = 3;
/// What level 10 and level 1 are to come to.
const TARGETS: (f64, f64) = (95.0, 40.0);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [games, nodes, seed, file] = &arguments[..] else {
        panic!("arguments: games of each level, nodes of each search, a seed, a file of losses");
    };
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let known = std::fs::read_to_string(file).unwrap_or_default();
    let mut of_levels: Vec<OfLevel> = known
        .lines()
        .map(|line| serde_json::from_str(line).expect("a level with its losses"))
        .collect();
    let mut chance = Chance::new(number(seed));
    let mut memory = Memory::with_mebibytes(16);
    for level in Level::all().skip(of_levels.len()) {
        let losses = (0..number(games)).flat_map(|_| {
            let record = play(level, number(nodes), &mut chance, &mut memory);
            review(&record, number(nodes), &mut memory)
        });
        let of_level = OfLevel {
            level: level.number(),
            losses: losses.collect(),
        };
        let line = serde_json::to_string(&of_level).expect("numbers can be written");
        let mut out = File::options()
            .create(true)
            .append(true)
            .open(file)
            .expect("the file opens");
        writeln!(out, "{line}").expect("the file can be written");
        of_levels.push(of_level);
    }
    let decay = fitted(&of_levels);
    for OfLevel { level, losses } in &of_levels {
        let share = |holds: fn(&f64) -> bool| {
            losses.iter().copied().filter(holds).count() as f64 / losses.len() as f64
        };
        println!(
            "| {level} | {} | {:.3} | {:.2} | {:.2} | {:.0} | {:.0} |",
            losses.len(),
            losses.iter().sum::<f64>() / losses.len() as f64,
            share(|loss| *loss < 0.01),
            share(|loss| *loss >= 0.2),
            wanted(*level),
            accuracy(losses, decay),
        );
    }
    println!("decay {decay:.2}");
}

/// What the moves of a level have lost.
#[derive(Deserialize, Serialize)]
struct OfLevel {
    level: u8,
    losses: Vec<f64>,
}

/// A game of a level against itself.
fn play(level: Level, nodes: u64, chance: &mut Chance, memory: &mut Memory) -> Record {
    let (rule, size) = (Rule::Freestyle, BoardSize::DEFAULT);
    let mut position = Position::new(rule, size);
    let mut plies = Vec::new();
    while position.status() == Status::Ongoing {
        let cell = if plies.len() < OPENING {
            near_centre(&position, chance)
        } else {
            let options = Options {
                level,
                seed: chance.bits(),
                ..Options::default()
            };
            let found = search(&position, nodes, options, memory);
            found.lines[0].moves[0]
        };
        position
            .play(cell)
            .expect("the engine and chance play legal stones");
        plies.push(Ply::Stone(cell));
    }
    Record::new(rule, size, plies)
}

fn near_centre(position: &Position, chance: &mut Chance) -> Cell {
    let centre = position.board().size().centre();
    let is_near = |cell: &Cell| {
        cell.column().abs_diff(centre.column()) <= 2 && cell.height().abs_diff(centre.height()) <= 2
    };
    let cells: Vec<Cell> = position.legal_cells().filter(is_near).collect();
    cells[chance.below(cells.len())]
}

/// The losses of the moves that are judged, without those by chance.
fn review(record: &Record, nodes: u64, memory: &mut Memory) -> Vec<f64> {
    let mut review = Review::of(record);
    while let Some(position) = review.next_position() {
        let options = Options {
            lines: Review::LINES,
            ..Options::default()
        };
        let found = search(position, nodes, options, memory);
        review.add(found.lines);
    }
    let own = review.judged().iter().skip(OPENING);
    own.filter(|ply| ply.judgement.is_some())
        .map(|ply| ply.loss)
        .collect()
}

fn search(position: &Position, nodes: u64, options: Options, memory: &mut Memory) -> Outcome {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    memory.forget();
    Search::new(position, limits, options).run(memory, &AtomicBool::new(false), &mut |_| {})
}

/// What a level is to come to.
fn wanted(level: u8) -> f64 {
    let elo = |level| f64::from(Level::new(level).expect("a level").elo());
    let part = (elo(level) - elo(1)) / (elo(10) - elo(1));
    TARGETS.1 + part * (TARGETS.0 - TARGETS.1)
}

/// The geometric mean of the accuracies of moves with these losses.
fn accuracy(losses: &[f64], decay: f64) -> f64 {
    let exponent = losses.iter().map(|loss| -decay * loss.sqrt()).sum::<f64>();
    100.0 * (exponent / losses.len() as f64).exp()
}

/// The decay with the least squares between what the levels come to and what they are to come to.
fn fitted(of_levels: &[OfLevel]) -> f64 {
    let squares = |decay: &f64| {
        let off = |level: &OfLevel| accuracy(&level.losses, *decay) - wanted(level.level);
        of_levels
            .iter()
            .map(|level| off(level).powi(2))
            .sum::<f64>()
    };
    let decays = (1..400).map(|step| 0.05 * f64::from(step));
    let best = decays.min_by(|one, other| squares(one).total_cmp(&squares(other)));
    best.expect("there are decays to choose from")
}
