//! Trains the engine's evaluation on finished games, and writes its weights.
//!
//! ```sh
//! cargo run --release --example train -- freestyle src/engine/weights/freestyle.bin games.jsonl
//! ```
//!
//! A game is a JSON object a line: `rule`, `size`, `moves` (as `h8i9…`), `result` (`black`, `white` or
//! `draw`), and if they are known `best` (for each ply, the stone that the engine wanted, where chance
//! may have played another), `scores` (for each ply, the points of the side to move, or null) and `random` (how many plies at the start chance has played). Games of other rules, or not on 15×15, are passed over. Equal
//! games, rule and seed give equal weights.
//!
//! The value learns the logarithm of the odds to win, from the game's end and from the engine's own
//! score of the position; the policy learns which stone was played. Both by Adam (Kingma and Ba, 2015).

use std::fs;
use std::io::{BufRead, BufReader};
use std::thread;

use serde::Deserialize;
use tengen::board::{BoardSize, Cell, Color};
use tengen::engine::training::{
    CHANNELS, CLASS_PAIRS, CellFeatures, Chance, HIDDEN, MOST_OF_A_CELL, OFFSETS, PAIRS, POINTS,
    SHRINK, features, is_quiet, offset,
};
use tengen::record::Ply;
use tengen::record::notation::read_moves;
use tengen::rules::{Position, Rule};

/// How much the game's end counts beside the engine's score, where there is one.
const END_SHARE: f32 = 0.8;
const BATCH: usize = 256;
const RATE: f32 = 0.002;
const SEED: u64 = 1;

// The weights lie one after another, in the order in which the engine reads them.
const ROWS: usize = PAIRS * CHANNELS;
const HEAD: usize = HIDDEN * CHANNELS + HIDDEN + HIDDEN + 1;
const POLICY: usize = PAIRS + CLASS_PAIRS + 2 * OFFSETS;
const HEADS_AT: usize = ROWS;
const POLICIES_AT: usize = ROWS + 2 * HEAD;
const WEIGHTS: usize = POLICIES_AT + 2 * POLICY;

#[derive(Deserialize)]
struct Game {
    rule: String,
    size: i64,
    moves: String,
    #[serde(default)]
    best: Option<String>,
    result: String,
    #[serde(default)]
    scores: Vec<Option<f32>>,
    #[serde(default)]
    random: usize,
}

/// A position to learn from.
struct Sample {
    to_move: Color,
    /// The odds to win that the value is to come to, for the side to move.
    wanted: f32,
    /// The pairs of the lines of each cell that has any.
    cells: Vec<[u8; 4]>,
    candidates: Vec<Candidate>,
    /// Which candidate was played.
    played: Option<usize>,
}

/// A cell that the policy may choose.
#[derive(Clone, Copy)]
struct Candidate {
    lines: [u8; 4],
    classes: u8,
    /// Where it lies to the last stone, and to the one before.
    offsets: [u8; 2],
}

impl Candidate {
    /// The weights of a policy that it has.
    fn weights(self) -> impl Iterator<Item = usize> {
        let [last, before] = self.offsets.map(usize::from);
        self.lines.into_iter().map(usize::from).chain([
            PAIRS + usize::from(self.classes),
            PAIRS + CLASS_PAIRS + last,
            PAIRS + CLASS_PAIRS + OFFSETS + before,
        ])
    }

    /// The same with the colours exchanged.
    fn turned(self) -> Candidate {
        Candidate {
            lines: self.lines.map(turned),
            classes: self.classes % 8 * 8 + self.classes / 8,
            ..self
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rule: Rule = arguments
        .next()
        .and_then(|rule| rule.parse().ok())
        .expect("the first argument is a rule");
    let output = arguments
        .next()
        .expect("the second argument is the file of weights to write");
    let files: Vec<String> = arguments.collect();
    let epochs: usize = std::env::var("EPOCHS")
        .ok()
        .and_then(|e| e.parse().ok())
        .unwrap_or(12);
    let mut samples = read_samples(&files, rule);
    let mut chance = Chance::new(SEED);
    for last in (1..samples.len()).rev() {
        samples.swap(last, chance.below(last + 1));
    }
    let (held_out, learned) = samples.split_at(samples.len() / 20);
    eprintln!(
        "{} positions to learn from, {} held out",
        learned.len(),
        held_out.len()
    );
    let mut weights = first_weights(&mut chance);
    let mut adam = Adam::new();
    let batches = learned.len().div_ceil(BATCH);
    for epoch in 0..epochs {
        let mut order: Vec<usize> = (0..learned.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, chance.below(last + 1));
        }
        let mut loss = Loss::default();
        for (number, batch) in order.chunks(BATCH).enumerate() {
            let done = (epoch * batches + number) as f32 / (epochs * batches) as f32;
            let rate = RATE * (1.0 - done).max(0.02);
            let mirrored = rule != Rule::Renju && chance.bits() & 1 == 1;
            let (gradient, batch_loss) = gradients(&weights, learned, batch, mirrored);
            loss.add(&batch_loss);
            adam.step(&mut weights, &gradient, rate);
        }
        let all: Vec<usize> = (0..held_out.len()).collect();
        let (_, held) = gradients(&weights, held_out, &all, false);
        eprintln!("epoch {epoch}: learned {loss}; held out {held}");
    }
    let bytes: Vec<u8> = weights
        .iter()
        .flat_map(|weight| weight.to_le_bytes())
        .collect();
    fs::write(&output, bytes).expect("the weights can be written");
}

fn read_samples(files: &[String], rule: Rule) -> Vec<Sample> {
    let mut games = Vec::new();
    for file in files {
        let file = fs::File::open(file).expect("the games can be read");
        for line in BufReader::new(file).lines() {
            let line = line.expect("the games can be read");
            let Ok(game) = serde_json::from_str::<Game>(&line) else {
                continue;
            };
            if game.rule == rule.name() && game.size == i64::from(BoardSize::DEFAULT.lines()) {
                games.push(game);
            }
        }
    }
    let half = games.len().div_ceil(2);
    thread::scope(|scope| {
        let parts: Vec<_> = games
            .chunks(half.max(1))
            .map(|games| {
                scope.spawn(move || {
                    games
                        .iter()
                        .flat_map(|game| samples_of(game, rule))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().expect("games are read without a panic"))
            .collect()
    })
}

fn samples_of(game: &Game, rule: Rule) -> Vec<Sample> {
    let mut samples = Vec::new();
    let Ok(size) = BoardSize::try_from(game.size) else {
        return samples;
    };
    let Ok(moves) = read_moves(&game.moves, 625) else {
        return samples;
    };
    let best = game.best.as_ref().unwrap_or(&game.moves);
    let Ok(best) = read_moves(best, 625) else {
        return samples;
    };
    let mut position = Position::new(rule, size);
    let mut recent = [None; 2];
    for (ply, (played, best)) in moves.iter().zip(best).enumerate() {
        let (Ply::Stone(cell), Ply::Stone(best)) = (*played, best) else {
            return samples;
        };
        if ply >= game.random.max(2) && is_quiet(&position) {
            samples.push(sample(game, &position, ply, best, recent));
        }
        recent = [Some(cell), recent[0]];
        if position.play(cell).is_err() {
            return samples;
        }
    }
    samples
}

fn sample(
    game: &Game,
    position: &Position,
    ply: usize,
    played: Cell,
    recent: [Option<Cell>; 2],
) -> Sample {
    let features = features(position);
    let to_move = position.to_move();
    let end = match game.result.as_str() {
        "draw" => 0.5,
        winner if winner == to_move.name() => 1.0,
        _ => 0.0,
    };
    let wanted = match game.scores.get(ply) {
        Some(Some(score)) => {
            END_SHARE * end + (1.0 - END_SHARE) * logistic(score.clamp(-2500.0, 2500.0) / POINTS)
        }
        _ => end,
    };
    let candidates: Vec<&CellFeatures> = features.iter().filter(|cell| cell.is_candidate).collect();
    Sample {
        to_move,
        wanted,
        cells: features
            .iter()
            .map(|cell| cell.lines)
            .filter(|lines| *lines != [0; 4])
            .collect(),
        played: candidates
            .iter()
            .position(|cell| cell.cell == played)
            .filter(|_| game.best.is_some()),
        candidates: candidates
            .iter()
            .map(|cell| Candidate {
                lines: cell.lines,
                classes: cell.classes,
                offsets: recent.map(|stone| offset(cell.cell, stone) as u8),
            })
            .collect(),
    }
}

fn logistic(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// The next number from −1 to 1.
fn signed(chance: &mut Chance) -> f32 {
    (chance.bits() >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
}

fn first_weights(chance: &mut Chance) -> Vec<f32> {
    let mut weights = vec![0.0; WEIGHTS];
    for weight in &mut weights[CHANNELS..ROWS] {
        *weight = 0.1 * signed(chance);
    }
    for head in 0..2 {
        for weight in &mut weights[HEADS_AT + head * HEAD..][..HIDDEN * CHANNELS] {
            *weight = 0.3 * signed(chance);
        }
        for weight in &mut weights[HEADS_AT + head * HEAD + HIDDEN * CHANNELS + HIDDEN..][..HIDDEN]
        {
            *weight = 0.3 * signed(chance);
        }
    }
    weights
}

#[derive(Default)]
struct Loss {
    value: f64,
    values: usize,
    policy: f64,
    hits: usize,
    policies: usize,
}

impl Loss {
    fn add(&mut self, other: &Loss) {
        self.value += other.value;
        self.values += other.values;
        self.policy += other.policy;
        self.hits += other.hits;
        self.policies += other.policies;
    }
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |sum: f64, count: usize| sum / count.max(1) as f64;
        write!(
            f,
            "value {:.4}, policy {:.4}, first guess {:.1} %",
            part(self.value, self.values),
            part(self.policy, self.policies),
            100.0 * part(self.hits as f64, self.policies)
        )
    }
}

fn gradients(
    weights: &[f32],
    samples: &[Sample],
    batch: &[usize],
    mirrored: bool,
) -> (Vec<f32>, Loss) {
    let half = batch.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = batch
            .chunks(half)
            .map(|part| {
                scope.spawn(move || {
                    let mut gradient = vec![0.0; WEIGHTS];
                    let mut loss = Loss::default();
                    for sample in part {
                        learn(
                            weights,
                            &samples[*sample],
                            mirrored,
                            &mut gradient,
                            &mut loss,
                        );
                    }
                    (gradient, loss)
                })
            })
            .collect();
        let mut total = (vec![0.0; WEIGHTS], Loss::default());
        for part in parts {
            let (gradient, loss) = part.join().expect("learning does not panic");
            for (sum, more) in total.0.iter_mut().zip(gradient) {
                *sum += more / batch.len() as f32;
            }
            total.1.add(&loss);
        }
        total
    })
}

/// Exchanges the colours of a pair of shapes.
fn turned(pair: u8) -> u8 {
    pair.rotate_left(4)
}

fn learn(weights: &[f32], sample: &Sample, mirrored: bool, gradient: &mut [f32], loss: &mut Loss) {
    let to_move = if mirrored {
        !sample.to_move
    } else {
        sample.to_move
    };
    let turn = |lines: [u8; 4]| if mirrored { lines.map(turned) } else { lines };
    let side = if to_move == Color::Black { 0 } else { 1 };
    let cells = sample.cells.iter().map(|lines| turn(*lines));
    learn_value(weights, cells, side, sample.wanted, gradient, loss);
    if let Some(played) = sample.played {
        let turn = |candidate: &Candidate| match mirrored {
            true => candidate.turned(),
            false => *candidate,
        };
        let candidates = sample.candidates.iter().map(turn);
        learn_policy(weights, candidates, side, played, gradient, loss);
    }
}

fn cell_numbers(weights: &[f32], lines: [u8; 4]) -> [f32; CHANNELS] {
    let mut numbers = [0.0; CHANNELS];
    for line in lines {
        let row = &weights[usize::from(line) * CHANNELS..][..CHANNELS];
        for (number, weight) in numbers.iter_mut().zip(row) {
            *number += weight;
        }
    }
    numbers
}

fn learn_value(
    weights: &[f32],
    cells: impl Iterator<Item = [u8; 4]> + Clone,
    side: usize,
    wanted: f32,
    gradient: &mut [f32],
    loss: &mut Loss,
) {
    let mut sums = [0.0; CHANNELS];
    for lines in cells.clone() {
        for (sum, number) in sums.iter_mut().zip(cell_numbers(weights, lines)) {
            *sum += number.clamp(0.0, MOST_OF_A_CELL);
        }
    }
    let inputs = sums.map(|sum| sum * SHRINK);
    let at = HEADS_AT + side * HEAD;
    let head = &weights[at..at + HEAD];
    let (inner, rest) = head.split_at(HIDDEN * CHANNELS);
    let (inner_bias, rest) = rest.split_at(HIDDEN);
    let (outer, outer_bias) = rest.split_at(HIDDEN);
    let mut hidden = [0.0; HIDDEN];
    let mut value = outer_bias[0];
    for (at, number) in hidden.iter_mut().enumerate() {
        let row = &inner[at * CHANNELS..][..CHANNELS];
        *number = inner_bias[at]
            + row
                .iter()
                .zip(inputs)
                .map(|(weight, input)| weight * input)
                .sum::<f32>();
        value += outer[at] * number.max(0.0);
    }
    let odds = logistic(value);
    let entropy = -f64::from(wanted) * f64::from(odds.max(1e-6)).ln()
        - (1.0 - f64::from(wanted)) * f64::from((1.0 - odds).max(1e-6)).ln();
    loss.value += entropy;
    loss.values += 1;
    let error = odds - wanted;
    let mut back = [0.0; CHANNELS];
    let slope = &mut gradient[at..at + HEAD];
    for (at, number) in hidden.iter().enumerate() {
        slope[HIDDEN * CHANNELS + HIDDEN + at] += error * number.max(0.0);
        if *number > 0.0 {
            let through = error * outer[at];
            slope[HIDDEN * CHANNELS + at] += through;
            for channel in 0..CHANNELS {
                slope[at * CHANNELS + channel] += through * inputs[channel];
                back[channel] += through * inner[at * CHANNELS + channel] * SHRINK;
            }
        }
    }
    slope[HEAD - 1] += error;
    for lines in cells {
        let numbers = cell_numbers(weights, lines);
        let mut through = [0.0; CHANNELS];
        for channel in 0..CHANNELS {
            let is_live = numbers[channel] > 0.0 && numbers[channel] < MOST_OF_A_CELL;
            through[channel] = if is_live { back[channel] } else { 0.0 };
        }
        for line in lines {
            if line != 0 {
                let row = &mut gradient[usize::from(line) * CHANNELS..][..CHANNELS];
                for (sum, more) in row.iter_mut().zip(through) {
                    *sum += more;
                }
            }
        }
    }
}

fn learn_policy(
    weights: &[f32],
    candidates: impl Iterator<Item = Candidate> + Clone,
    side: usize,
    played: usize,
    gradient: &mut [f32],
    loss: &mut Loss,
) {
    let at = POLICIES_AT + side * POLICY;
    let policy = &weights[at..at + POLICY];
    let points = candidates
        .clone()
        .map(|candidate| candidate.weights().map(|at| policy[at]).sum::<f32>());
    let points: Vec<f32> = points.collect();
    let most = points.iter().copied().fold(f32::MIN, f32::max);
    let total: f32 = points.iter().map(|point| (point - most).exp()).sum();
    loss.policy += f64::from(total.ln() + most - points[played]);
    loss.policies += 1;
    loss.hits += usize::from(points[played] >= most);
    let slope = &mut gradient[at..at + POLICY];
    for (number, candidate) in candidates.enumerate() {
        let error =
            (points[number] - most).exp() / total - if number == played { 1.0 } else { 0.0 };
        for at in candidate.weights() {
            slope[at] += error;
        }
    }
}

struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn new() -> Adam {
        Adam {
            first: vec![0.0; WEIGHTS],
            second: vec![0.0; WEIGHTS],
            steps: 0,
        }
    }

    fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        const FIRST: f32 = 0.9;
        const SECOND: f32 = 0.999;
        self.steps += 1;
        let first_part = 1.0 - FIRST.powi(self.steps);
        let second_part = 1.0 - SECOND.powi(self.steps);
        for (at, weight) in weights.iter_mut().enumerate() {
            let slope = gradient[at];
            self.first[at] += (1.0 - FIRST) * (slope - self.first[at]);
            self.second[at] += (1.0 - SECOND) * (slope * slope - self.second[at]);
            *weight -= rate * (self.first[at] / first_part)
                / ((self.second[at] / second_part).sqrt() + 1e-8);
        }
    }
}
