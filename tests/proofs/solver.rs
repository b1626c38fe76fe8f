//! What the solver says of positions by chance on small boards, held against the oracle.

use std::sync::atomic::AtomicBool;

use tengen::board::{Board, Color};
use tengen::engine::training::Chance;
use tengen::engine::{Aim, Force, Memory, Solve, SolveOptions, Solved, Unsolved};
use tengen::proof::{Certificate, MOST_POSITIONS, verify};
use tengen::rules::{Position, Rule, Status, wins};

use crate::oracle::{self, EMPTY, Grid, Place, bridge};
use crate::{board, force, naive, nodes, solve};

/// A position by chance: stones near each other, as many of each colour, on a board of so many lines.
pub(crate) fn position(chance: &mut Chance, rule: Rule, lines: usize, stones: usize) -> Position {
    loop {
        let mut board = Board::new(bridge::size(lines));
        let cells: Vec<_> = board.size().cells().collect();
        for stone in 0..stones {
            let cell = cells[chance.below(cells.len())];
            let color = Color::of_ply(stone + 1);
            if board.is_empty(cell) && !wins(&board, cell, color, rule) {
                board.put(cell, color);
            }
        }
        let to_move = Color::ALL[chance.below(2)];
        match Position::from_board(rule, board, to_move) {
            Ok(position) if position.status() == Status::Ongoing => return position,
            _ => {}
        }
    }
}

/// Wins found in positions by chance, a number for each rule, in more than a stone and not too large to be
/// played out slowly.
pub(crate) fn wins_by_chance(seed: u64, each: usize) -> Vec<Certificate> {
    let mut chance = Chance::new(seed);
    let mut found = Vec::new();
    for rule in Rule::ALL {
        let mut left = each;
        while left > 0 {
            let lines = 6 + chance.below(2);
            let stones = 8 + chance.below(8);
            let position = position(&mut chance, rule, lines, stones);
            let solution = solve(&position, nodes(400), SolveOptions::default());
            if let Solved::Win { certificate, .. } = solution.solved
                && (3..=20).contains(&certificate.nodes().len())
            {
                found.push(*certificate);
                left -= 1;
            }
        }
    }
    found
}

#[test]
fn every_win_that_is_found_holds() {
    for certificate in wins_by_chance(1, 6) {
        let text = certificate.to_json();
        assert!(naive::holds(&certificate), "{text}");
        let verified = verify(&certificate, MOST_POSITIONS).expect(&text);
        assert!(verified.plies <= certificate.plies(), "{text}");
        assert_eq!(Certificate::from_json(&text).as_ref(), Ok(&certificate));
    }
}

/// Does a colour win by fours within so many stones, all of them tried, by the oracle's rules?
fn wins_by_fours(grid: &mut Grid, rule: &str, color: u8, stones: usize) -> bool {
    let places = empty_places(grid);
    if stones == 0 {
        return false;
    }
    if places
        .iter()
        .any(|place| makes_five(grid, rule, color, *place))
    {
        return true;
    }
    stones > 1
        && places.into_iter().any(|place| {
            oracle::is_legal(grid, rule, color, place)
                && with(grid, color, place, |grid| {
                    is_lost(grid, rule, color, stones - 1)
                })
        })
}

/// Does a four stand, and every answer to it lose?
fn is_lost(grid: &mut Grid, rule: &str, attacker: u8, stones: usize) -> bool {
    let defender = oracle::other(attacker);
    let places = empty_places(grid);
    let is_four = places
        .iter()
        .any(|place| makes_five(grid, rule, attacker, *place));
    is_four
        && places.into_iter().all(|place| {
            !oracle::is_legal(grid, rule, defender, place)
                || (!makes_five(grid, rule, defender, place)
                    && with(grid, defender, place, |grid| {
                        wins_by_fours(grid, rule, attacker, stones)
                    }))
        })
}

fn makes_five(grid: &mut Grid, rule: &str, color: u8, place: Place) -> bool {
    with(grid, color, place, |grid| {
        !oracle::winning_rows_through(grid, rule, place).is_empty()
    })
}

fn with<T>(grid: &mut Grid, color: u8, place: Place, then: impl FnOnce(&mut Grid) -> T) -> T {
    grid[place.0][place.1] = color;
    let result = then(grid);
    grid[place.0][place.1] = EMPTY;
    result
}

fn empty_places(grid: &Grid) -> Vec<Place> {
    let rows = grid.iter().enumerate();
    rows.flat_map(|(row, squares)| {
        let squares = squares.iter().enumerate();
        squares.filter_map(move |(column, square)| (*square == EMPTY).then_some((row, column)))
    })
    .collect()
}

#[test]
fn wins_by_fours_are_found_just_where_there_are_any_and_with_the_fewest_stones() {
    let mut chance = Chance::new(2);
    let mut won = 0;
    for round in 0..80 {
        let rule = Rule::ALL[round % 4];
        let position = position(&mut chance, rule, 6, 16 + round % 5);
        let mut grid = bridge::grid_of(position.board());
        let color = bridge::color_of(position.to_move());
        let least = (1..=3).find(|stones| wins_by_fours(&mut grid, rule.name(), color, *stones));
        let solution = solve(&position, nodes(100_000), force(Force::Fours));
        match (solution.solved, least) {
            (Solved::Win { plies, .. }, Some(stones)) => {
                won += 1;
                assert_eq!(plies, 2 * stones - 1, "{rule}{:?}", position.board());
            }
            // The oracle has not looked farther than three stones.
            (Solved::Win { plies, .. }, None) => assert!(plies > 5, "{rule}{:?}", position.board()),
            (Solved::NoWinInClass, None) => {}
            (solved, least) => panic!("{solved:?} {least:?} {rule}{:?}", position.board()),
        }
    }
    assert!(won > 10, "the test has seen {won} wins");
}

#[test]
fn what_the_other_side_threatens_is_found() {
    let rows = board(".......\n.......\n.xxx...\n.......\n.......\n.o.o...\n.......");
    let position = Position::from_board(Rule::Freestyle, rows, Color::White).expect("no five");
    let threat = SolveOptions {
        aim: Aim::Threat,
        ..force(Force::Fours)
    };
    let Solved::Win {
        certificate,
        plies: 3,
        ..
    } = solve(&position, nodes(100), threat).solved
    else {
        panic!("Black threatens an open four");
    };
    assert_eq!(certificate.root().attacker, Color::Black);
    assert_eq!(certificate.root().to_move, Color::Black);
    let own = solve(&position, nodes(100), force(Force::Fours));
    assert_eq!(own.solved, Solved::NoWinInClass);
}

#[test]
fn limits_and_the_end_of_the_game_are_told() {
    let rows =
        board("........\n........\n...xo...\n...oxo..\n..xoxo..\n...x....\n........\n........");
    let position = Position::from_board(Rule::Freestyle, rows, Color::Black).expect("no five");
    let stopped = solve(&position, nodes(3), SolveOptions::default());
    assert!(
        matches!(stopped.solved, Solved::Unknown(Unsolved::Stopped(_))),
        "{stopped:?}"
    );
    let mut memory = Memory::with_mebibytes(1);
    let cancelled = Solve::new(&position, nodes(1_000), SolveOptions::default())
        .run(&mut memory, &AtomicBool::new(true));
    assert!(
        matches!(cancelled.solved, Solved::Unknown(Unsolved::Stopped(_))),
        "{cancelled:?}"
    );
    let rows = board("xxxxx\n.....\n.....\n.....\noooo.");
    let over = Position::from_board(Rule::Freestyle, rows, Color::White).expect("one has won");
    let solution = solve(&over, nodes(10), SolveOptions::default());
    assert_eq!(solution.solved, Solved::Unknown(Unsolved::GameOver));
}

#[test]
fn equal_questions_have_equal_answers() {
    let mut chance = Chance::new(3);
    for rule in Rule::ALL {
        let position = position(&mut chance, rule, 8, 14);
        let answer = || {
            let solution = solve(&position, nodes(600), SolveOptions::default());
            (solution.solved, solution.nodes)
        };
        assert_eq!(answer(), answer());
    }
}

#[test]
fn the_shortest_win_is_no_longer_than_any() {
    let mut chance = Chance::new(4);
    let mut shorter = 0;
    for round in 0..40 {
        let position = position(&mut chance, Rule::ALL[round % 4], 8, 14);
        let any = solve(&position, nodes(600), SolveOptions::default());
        let Solved::Win { plies: most, .. } = any.solved else {
            continue;
        };
        let shortest = SolveOptions {
            shortest: true,
            ..SolveOptions::default()
        };
        let Solved::Win { plies, .. } = solve(&position, nodes(6_000), shortest).solved else {
            panic!("a win is known");
        };
        assert!(plies <= most);
        shorter += usize::from(plies < most);
    }
    // Some of them differ, or the option does nothing.
    assert!(shorter < 40);
}

/// A loss of the side to move, as the certificate of it says.
fn loss_of(position: &Position, force: Force, limit: u64) -> Solved {
    let options = SolveOptions {
        aim: Aim::Loss,
        force,
        shortest: false,
    };
    solve(position, nodes(limit), options).solved
}

#[test]
fn losses_are_shown_just_where_every_reply_loses() {
    let mut chance = Chance::new(7);
    let (mut lost, mut held) = (0, 0);
    for round in 0..120 {
        let rule = Rule::ALL[round % 4];
        let mut position = position(&mut chance, rule, 6, 18 + round % 7);
        // After the first stone of a win the other side has lost.
        let won = solve(&position, nodes(10_000), force(Force::Fours)).solved;
        if let Solved::Win { certificate, .. } = won
            && let Some(first) = certificate.nodes()[0].stone
        {
            position.play(first).expect("the win was checked");
            if position.status() != Status::Ongoing {
                continue;
            }
        }
        let all_lose = || {
            position.legal_cells().all(|cell| {
                let mut after = position.clone();
                after.play(cell).expect("the cell is legal");
                let won = solve(&after, nodes(200_000), force(Force::Fours)).solved;
                after.status() == Status::Ongoing && matches!(won, Solved::Win { .. })
            })
        };
        match loss_of(&position, Force::Fours, 1_000_000) {
            Solved::Win { certificate, .. } => {
                lost += 1;
                assert_eq!(certificate.root().to_move, position.to_move());
                assert_eq!(certificate.root().attacker, !position.to_move());
                assert!(naive::holds(&certificate), "{}", certificate.to_json());
                assert!(all_lose(), "{rule}{:?}", position.board());
            }
            Solved::NoWinInClass => {
                held += 1;
                // In renju a pass may hold where no stone does.
                assert!(
                    rule == Rule::Renju || !all_lose(),
                    "{rule}{:?}",
                    position.board()
                );
            }
            Solved::Unknown(_) => {}
        }
    }
    assert!(lost > 3 && held > 30, "{lost} lost, {held} held");
}
