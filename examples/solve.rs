//! Looks for forced wins in a file of puzzles, a JSON object a line, and tells how many were proven and how fast.
//!
//! `cargo run --release --example solve -- FILE [fours|fours_and_threes|threats] [MILLISECONDS] [NODES] [STEP] [STONES]`

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use std::{env, error, fs};

use serde_json::Value;
use tengen::board::{Board, BoardSize, Cell, Color};
use tengen::engine::{Force, Limits, Memory, Solve, SolveOptions, Solved, prepare};
use tengen::proof::{MOST_POSITIONS, verify};
use tengen::rules::{Position, Rule};

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let name = arguments.next().unwrap_or_else(|| "threats".into());
    let force = Force::ALL
        .into_iter()
        .find(|force| force.name() == name)
        .ok_or("fours, fours_and_threes or threats")?;
    let mut number = || arguments.next().map(|text| text.parse::<u64>()).transpose();
    let mut limits = Limits {
        time: number()?
            .filter(|millis| *millis > 0)
            .map(Duration::from_millis),
        nodes: number()?.filter(|nodes| *nodes > 0),
        ..Limits::default()
    };
    let step = usize::try_from(number()?.unwrap_or(1))?;
    limits.depth = number()?.map(u8::try_from).transpose()?;
    Rule::ALL.into_iter().for_each(prepare);
    let mut out = io::stdout().lock();
    let mut memory = Memory::with_mebibytes(64);
    let mut tally = [0_u32; 3];
    let mut times = Vec::new();
    for line in fs::read_to_string(file)?.lines().step_by(step) {
        if !line.starts_with('{') {
            continue;
        }
        let puzzle: Value = serde_json::from_str(line)?;
        let position = position(&puzzle)?;
        let options = SolveOptions {
            force,
            ..SolveOptions::default()
        };
        let began = Instant::now();
        let solution =
            Solve::new(&position, limits, options).run(&mut memory, &AtomicBool::new(false));
        let all = began.elapsed();
        let id = puzzle["id"].as_str().unwrap_or_default();
        match solution.solved {
            Solved::Win {
                certificate, plies, ..
            } => {
                tally[0] += 1;
                let began = Instant::now();
                let checked =
                    verify(&certificate, MOST_POSITIONS).map_err(|refuted| refuted.to_string())?;
                let checking = began.elapsed();
                times.push(solution.search);
                writeln!(
                    out,
                    "{id} win {plies} plies {} nodes, {} searched, {} positions, {:?}, with certificate {all:?}, check {checking:?}",
                    certificate.nodes().len(),
                    solution.nodes,
                    checked.positions,
                    solution.search,
                )?;
            }
            Solved::NoWinInClass => {
                tally[1] += 1;
                writeln!(out, "{id} none, {} searched, {all:?}", solution.nodes)?;
            }
            Solved::Unknown(why) => {
                tally[2] += 1;
                writeln!(
                    out,
                    "{id} unknown {why:?}, {} searched, {all:?}",
                    solution.nodes
                )?;
            }
        }
    }
    times.sort_unstable();
    let at = |part: usize| {
        times
            .get(times.len() * part / 100)
            .copied()
            .unwrap_or_default()
    };
    writeln!(
        out,
        "won {}, none {}, unknown {}; half within {:?}, 90 % within {:?}, 99 % within {:?}",
        tally[0],
        tally[1],
        tally[2],
        at(50),
        at(90),
        at(99)
    )?;
    Ok(())
}

fn position(puzzle: &Value) -> Result<Position, Box<dyn error::Error>> {
    let text = |name: &str| puzzle[name].as_str().unwrap_or_default();
    let rule: Rule = text("rule").parse()?;
    let mut board = Board::new(BoardSize::try_from(
        puzzle["size"].as_i64().ok_or("no size")?,
    )?);
    for (color, name) in [(Color::Black, "black"), (Color::White, "white")] {
        for cell in puzzle[name].as_array().into_iter().flatten() {
            board.put(cell.as_str().ok_or("no cell")?.parse()?, color);
        }
    }
    for (ply, cell) in (1..).zip(cells(text("moves"))?) {
        board.put(cell, Color::of_ply(ply));
    }
    Ok(Position::from_board(rule, board, text("to_move").parse()?)?)
}

/// The cells of moves written without blanks.
fn cells(moves: &str) -> Result<Vec<Cell>, Box<dyn error::Error>> {
    let starts: Vec<usize> = moves
        .char_indices()
        .filter(|(_, letter)| letter.is_ascii_alphabetic())
        .map(|(at, _)| at)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([moves.len()]);
    let names = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &moves[*start..end]);
    names.map(|name| Ok(name.parse()?)).collect()
}
