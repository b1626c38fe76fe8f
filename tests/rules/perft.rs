//! How many ways a game can go on: every legal stone to a depth, ended games not extended.

use std::fmt;

use tengen::board::{BoardSize, Color};
use tengen::rules::{Position, Rule, Status};

use crate::oracle::{self, bridge};
use crate::record;

const COUNTS: &str = include_str!("../data/perft.txt");

/// One line of the file: the rule, the size, the moves to begin with, the depth, the count.
struct Entry {
    rule: Rule,
    size: BoardSize,
    start: &'static str,
    depth: usize,
    count: u64,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry {
            rule,
            size,
            start,
            depth,
            ..
        } = self;
        write!(f, "{rule} {size} {start:?} {depth}")
    }
}

fn entries() -> impl Iterator<Item = Entry> {
    let lines = COUNTS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [rule, size, start, depth, count] = fields[..] else {
            panic!("five fields in {line:?}");
        };
        Entry {
            rule: rule.parse().expect("a rule"),
            size: bridge::size(size.parse().expect("a size")),
            start: if start == "-" { "" } else { start },
            depth: depth.parse().expect("a depth"),
            count: count.parse().expect("a count"),
        }
    })
}

fn perft(position: &Position, depth: usize) -> u64 {
    let legal = position.legal_cells();
    match depth {
        0 => 1,
        1 => legal.map(|_| 1).sum(),
        _ => legal
            .map(|cell| {
                let mut next = position.clone();
                next.play(cell).expect("the cell is legal");
                perft(&next, depth - 1)
            })
            .sum(),
    }
}

fn start_of(entry: &Entry) -> Position {
    let replay = record(entry.rule, entry.size, entry.start).replay();
    assert!(replay.is_legal(), "{}", entry.start);
    assert_eq!(
        replay.position().status(),
        Status::Ongoing,
        "{}",
        entry.start
    );
    replay.into_position()
}

fn count_by_oracle(entry: &Entry) -> u64 {
    let position = start_of(entry);
    let grid = bridge::grid_of(position.board());
    let to_move = bridge::color_of(position.to_move());
    oracle::perft(&grid, entry.rule.name(), to_move, entry.depth)
}

#[test]
fn games_go_on_in_as_many_ways_as_counted() {
    for entry in entries() {
        let found = perft(&start_of(&entry), entry.depth);
        assert_eq!(found, entry.count, "{entry}");
    }
}

#[test]
fn the_oracle_counts_the_same_to_small_depths() {
    for entry in entries().filter(|entry| entry.count < 3_000) {
        assert_eq!(count_by_oracle(&entry), entry.count, "{entry}");
    }
}

#[test]
#[ignore = "slow: the oracle counts every line of the file again"]
fn the_oracle_counts_the_same_to_every_depth() {
    let different: Vec<String> = entries()
        .map(|entry| (count_by_oracle(&entry), entry))
        .filter(|(counted, entry)| *counted != entry.count)
        .map(|(counted, entry)| format!("{entry} {counted}"))
        .collect();
    assert_eq!(different, [""; 0]);
}

#[test]
fn an_empty_board_has_no_gaps_in_its_counts() {
    // No game ends in three plies, and nothing is forbidden: n (n - 1) (n - 2) ways.
    for rule in Rule::ALL {
        let position = Position::new(rule, bridge::size(7));
        assert_eq!(position.to_move(), Color::Black);
        assert_eq!(
            [1, 2, 3].map(|depth| perft(&position, depth)),
            [49, 49 * 48, 49 * 48 * 47]
        );
    }
}
