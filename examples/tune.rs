//! Tunes the numbers of the search on games of the engine against itself.
//!
//! ```sh
//! cargo run --release --example tune -- freestyle 3000 500 1 spsa          # 500 steps of 3 000 nodes a move, seed 1
//! cargo run --release --example tune -- freestyle 3000 500 1 match razor_depth=3 razor_margin=120
//! cargo run --release --example tune -- freestyle 300000 200 1 levels      # pairs of games between neighbours
//! ```
//!
//! The arguments: rule, nodes for each move, number of rounds, seed, what to do. `levels` lets each level play
//! the one below it. `match` plays pairs of games (each opening with both colours) between the numbers as they are with
//! some changed (A) and as they are (B), and tells A's Elo with its 95 % interval. `spsa` changes all
//! numbers a little at once, at random, plays the changed numbers against those changed the other way, and
//! moves towards what won (Spall, 1992).

#![expect(clippy::print_stdout, reason = "the results are what it is for")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use tengen::board::{BoardSize, Cell, Color};
use tengen::engine::training::Chance;
use tengen::engine::{Level, Limits, Memory, Options, Params, Search};
use tengen::rules::{Position, Rule, Status};
use tengen::service::cores;

/// A player: its numbers and its memory.
struct Player {
    params: Params,
    level: Level,
    memory: Memory,
}

struct Settings {
    rule: Rule,
    nodes: u64,
    rounds: usize,
    seed: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rule, nodes, rounds, seed, what, rest @ ..] = &arguments[..] else {
        panic!("arguments: rule, nodes, rounds, seed, spsa or match, and for match name=value …");
    };
    let settings = Settings {
        rule: rule.parse().expect("a rule"),
        nodes: nodes.parse().expect("a number of nodes"),
        rounds: rounds.parse().expect("a number of rounds"),
        seed: seed.parse().expect("a seed"),
    };
    match what.as_str() {
        "match" => play_match(
            &settings,
            [&player(&changed(rest)), &player(&Params::default())],
        ),
        "levels" => compare_levels(&settings),
        "spsa" => climb(&settings, &changed(rest)),
        _ => panic!("spsa or match"),
    }
}

/// The engine's own numbers with some changed.
fn changed(changes: &[String]) -> Params {
    let mut params = Params::default();
    for change in changes {
        let (name, value) = change.split_once('=').expect("name=value");
        let at = Params::RANGES
            .iter()
            .position(|(known, ..)| *known == name)
            .expect("a known name");
        *params.numbers()[at] = value.parse().expect("a whole number");
    }
    params
}

fn compare_levels(settings: &Settings) {
    for (lower, higher) in Level::all().zip(Level::all().skip(1)) {
        let at = |level| Player {
            level,
            ..player(&Params::default())
        };
        println!(
            "level {} (A) against level {}",
            higher.number(),
            lower.number()
        );
        play_match(settings, [&at(higher), &at(lower)]);
    }
}

fn play_match(settings: &Settings, like: [&Player; 2]) {
    let next = AtomicUsize::new(0);
    let scores = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..cores().get() {
            scope.spawn(|| {
                let mut players = like.map(Player::copy);
                loop {
                    let round = next.fetch_add(1, Ordering::Relaxed);
                    if round >= settings.rounds {
                        break;
                    }
                    let mut chance =
                        Chance::new(settings.seed.wrapping_mul(1_000_003) + round as u64);
                    let score = play_pair(settings, &mut players, &mut chance);
                    let mut scores = scores.lock().expect("no thread panics");
                    scores.push(score);
                    if scores.len() % 100 == 0 {
                        tell(&scores);
                    }
                }
            });
        }
    });
    tell(&scores.lock().expect("no thread panics"));
}

fn tell(scores: &[f64]) {
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let spread =
        (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0)).sqrt();
    let error = 1.96 * spread / count.sqrt();
    let elo = |score: f64| -400.0 * (1.0 / score.clamp(0.001, 0.999) - 1.0).log10();
    println!(
        "{} games: A scores {:.3}, Elo {:+.0} ({:+.0} to {:+.0})",
        scores.len() * 2,
        mean,
        elo(mean),
        elo(mean - error),
        elo(mean + error)
    );
}

fn player(params: &Params) -> Player {
    Player {
        params: params.clone(),
        level: Level::FULL,
        memory: Memory::with_mebibytes(4),
    }
}

impl Player {
    fn copy(&self) -> Player {
        Player {
            level: self.level,
            ..player(&self.params)
        }
    }
}

/// The first player's share of two games from one opening, once with each colour.
fn play_pair(settings: &Settings, players: &mut [Player; 2], chance: &mut Chance) -> f64 {
    let opening = opening(settings, &mut players[1], chance);
    let mut share = 0.0;
    for first in [0, 1] {
        share += play(settings, players, &opening, first, chance.bits()) / 2.0;
    }
    share
}

/// A few stones by chance near the centre, after which neither side is far ahead.
fn opening(settings: &Settings, judge: &mut Player, chance: &mut Chance) -> Position {
    loop {
        let mut position = Position::new(settings.rule, BoardSize::DEFAULT);
        let stones = 1 + chance.below(6);
        let spread = 5 + chance.below(5);
        for _ in 0..stones {
            let from = (15 - spread) / 2;
            let (row, column) = (from + chance.below(spread), from + chance.below(spread));
            if let Some(cell) = Cell::new(column as u8, row as u8) {
                let _ = position.play(cell);
            }
        }
        judge.memory.forget();
        let (score, _) = choose(settings.nodes.min(5_000), &position, judge, 0);
        if score.abs() < 160 {
            return position;
        }
    }
}

fn choose(nodes: u64, position: &Position, player: &mut Player, seed: u64) -> (i32, Option<Cell>) {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let options = Options {
        level: player.level,
        seed,
        ..Options::default()
    };
    let outcome = Search::new(position, limits, options)
        .with_params(player.params.clone())
        .run(&mut player.memory, &AtomicBool::new(false), &mut |_| {});
    outcome.lines.first().map_or((0, None), |line| {
        (line.score.number(), line.moves.first().copied())
    })
}

/// The first player's share of a game: 1, ½ or 0. `first` is the player who moves next.
fn play(
    settings: &Settings,
    players: &mut [Player; 2],
    opening: &Position,
    first: usize,
    seed: u64,
) -> f64 {
    let mut position = opening.clone();
    for player in players.iter_mut() {
        player.memory.forget();
    }
    let mut turn = first;
    let mut winner = None;
    while position.status() == Status::Ongoing {
        let (score, cell) = choose(settings.nodes, &position, &mut players[turn], seed);
        if score > 29_000 {
            winner = Some(turn);
            break;
        }
        let Some(cell) = cell else { break };
        position.play(cell).expect("the engine plays legal stones");
        turn = 1 - turn;
    }
    if let Status::Won { winner: color, .. } = position.status() {
        let opener: Color = opening.to_move();
        winner = Some(if color == opener { first } else { 1 - first });
    }
    winner.map_or(0.5, |winner| if winner == 0 { 1.0 } else { 0.0 })
}

/// Pairs of games for a step of the climb, on each thread.
const PAIRS_A_STEP: usize = 4;

fn climb(settings: &Settings, from: &Params) {
    let ranges = Params::RANGES;
    let mut start = from.clone();
    let mut values: Vec<f64> = start
        .numbers()
        .iter()
        .map(|number| f64::from(**number))
        .collect();
    let mut chance = Chance::new(settings.seed);
    for step in 0..settings.rounds {
        let done = step as f64 / settings.rounds as f64;
        // How far the numbers are changed, and how far a full win moves them, in parts of their ranges.
        let (change, gain) = (0.08 * (1.0 - 0.5 * done), 0.03 * (1.0 - 0.8 * done));
        let signs: Vec<f64> = ranges
            .iter()
            .map(|_| if chance.bits() & 1 == 0 { 1.0 } else { -1.0 })
            .collect();
        let with = |sign: f64| {
            let mut params = Params::default();
            for (at, number) in params.numbers().into_iter().enumerate() {
                let (_, low, high) = ranges[at];
                let width = f64::from(high - low);
                let step = (signs[at] * sign * change * width)
                    .abs()
                    .max(0.5)
                    .copysign(signs[at] * sign);
                *number = (values[at] + step)
                    .round()
                    .clamp(f64::from(low), f64::from(high)) as i32;
            }
            params
        };
        let (up, down) = (with(1.0), with(-1.0));
        let seed = chance.bits();
        let share = thread::scope(|scope| {
            let parts: Vec<_> = (0..cores().get())
                .map(|thread| {
                    let (up, down) = (&up, &down);
                    scope.spawn(move || {
                        let mut players = [player(up), player(down)];
                        let mut chance = Chance::new(seed ^ thread as u64);
                        (0..PAIRS_A_STEP)
                            .map(|_| play_pair(settings, &mut players, &mut chance) - 0.5)
                            .sum::<f64>()
                    })
                })
                .collect();
            parts
                .into_iter()
                .map(|part| part.join().expect("no thread panics"))
                .sum::<f64>()
        });
        for (at, (_, low, high)) in ranges.iter().enumerate() {
            let width = f64::from(high - low);
            values[at] = (values[at] + signs[at] * share * gain * width / 2.0)
                .clamp(f64::from(*low), f64::from(*high));
        }
        if step % 20 == 19 || step + 1 == settings.rounds {
            let told: Vec<String> = ranges
                .iter()
                .zip(&values)
                .map(|((name, ..), value)| format!("{name}={value:.0}"))
                .collect();
            println!("{} {}", step + 1, told.join(" "));
        }
    }
}
