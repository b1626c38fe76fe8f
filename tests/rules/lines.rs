//! Every place on a board where five cells lie in a row, and those where they only seem to.

use tengen::board::{Board, BoardSize, Cell, Color};
use tengen::record::{Ply, Record};
use tengen::rules::{LineWords, Rule, Status, WinReason, scan, winning_lines, wins};

use crate::oracle::{Place, bridge};
use crate::{SIZES, won};

/// Right, down, down right, down left: rows and columns from the top left corner.
const STEPS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Five cells in a row from a place, if the board has them.
fn five_from(lines: usize, (row, column): Place, (down, right): (i32, i32)) -> Option<Vec<Place>> {
    (0..5)
        .map(|k| {
            let row = usize::try_from(row as i32 + down * k).ok()?;
            let column = usize::try_from(column as i32 + right * k).ok()?;
            (row < lines && column < lines).then_some((row, column))
        })
        .collect()
}

fn every_five(lines: usize) -> Vec<Vec<Place>> {
    let all = (0..lines).flat_map(|row| (0..lines).map(move |column| (row, column)));
    all.flat_map(|place| STEPS.map(|step| five_from(lines, place, step)))
        .flatten()
        .collect()
}

/// Cells with a stone of the other side that neither make a row nor touch the row of five.
fn elsewhere(lines: usize, five: &[Place], count: usize) -> Vec<Place> {
    let touches = |place: &Place| {
        five.iter().any(|stone| {
            lines > 5 && stone.0.abs_diff(place.0) <= 1 && stone.1.abs_diff(place.1) <= 1
                || stone == place
        })
    };
    // Every second cell of every second row: no two of these are neighbours.
    let apart = (0..lines)
        .step_by(2)
        .flat_map(|row| (0..lines).step_by(2).map(move |column| (row, column)));
    let found: Vec<Place> = apart.filter(|place| !touches(place)).take(count).collect();
    assert_eq!(found.len(), count, "{lines} lines have room for {count}");
    found
}

fn is_on_an_edge(lines: usize, five: &[Place]) -> bool {
    five.iter()
        .any(|(row, column)| [0, lines - 1].contains(row) || [0, lines - 1].contains(column))
}

#[test]
fn there_are_as_many_fives_as_counted_by_hand() {
    // Rows and columns have lines - 4 fives each; there are (lines - 4) squared on either diagonal.
    for lines in SIZES {
        let n = lines - 4;
        assert_eq!(every_five(lines).len(), 2 * lines * n + 2 * n * n);
    }
}

/// The fives of a size for the dear looks at a whole board: all that touch an edge, and some others.
fn edge_fives(lines: usize) -> impl Iterator<Item = Vec<Place>> {
    let fives = every_five(lines).into_iter().enumerate();
    fives
        .filter(move |(index, five)| is_on_an_edge(lines, five) || index % 9 == 0)
        .map(|(_, five)| five)
}

fn board_with(size: BoardSize, cells: &[Cell], color: Color) -> Board {
    let mut board = Board::new(size);
    for cell in cells {
        board.put(*cell, color);
    }
    board
}

fn cells_of(five: &[Place], size: BoardSize) -> Vec<Cell> {
    five.iter()
        .map(|place| bridge::cell(*place, size))
        .collect()
}

#[test]
fn every_five_on_the_board_wins_with_any_of_its_stones_the_last() {
    for lines in SIZES {
        let size = bridge::size(lines);
        for mut five in every_five(lines) {
            let cells = cells_of(&five, size);
            five.sort_unstable();
            for color in Color::ALL {
                let board = board_with(size, &cells, color);
                for rule in Rule::ALL {
                    for last in &cells {
                        assert!(wins(&board, *last, color, rule), "{rule} {last}{board:?}");
                        assert!(!wins(&board, *last, !color, rule), "{rule} {last}{board:?}");
                    }
                    let rows = winning_lines(&board, cells[0], color, rule);
                    assert_eq!(bridge::rows_of(rows.iter(), size), [five.as_slice()]);
                }
            }
        }
    }
}

#[test]
fn every_five_at_an_edge_is_seen_on_a_board_without_history() {
    for lines in SIZES {
        let size = bridge::size(lines);
        for mut five in edge_fives(lines) {
            let cells = cells_of(&five, size);
            five.sort_unstable();
            for color in Color::ALL {
                let board = board_with(size, &cells, color);
                let words = LineWords::of(&board);
                for rule in Rule::ALL {
                    let found = scan(&board, rule);
                    let rows = bridge::rows_of(found[color].iter().copied(), size);
                    assert_eq!(rows, [five.as_slice()], "{rule}{board:?}");
                    assert_eq!(found[!color], []);
                    assert!(words.has_won(color, rule), "{rule}{board:?}");
                    assert!(!words.has_won(!color, rule), "{rule}{board:?}");
                }
            }
        }
    }
}

#[test]
fn four_of_a_five_win_nowhere() {
    for lines in SIZES {
        let size = bridge::size(lines);
        for five in edge_fives(lines) {
            for lacking in 0..5 {
                let mut cells = cells_of(&five, size);
                cells.remove(lacking);
                let board = board_with(size, &cells, Color::White);
                let words = LineWords::of(&board);
                for rule in Rule::ALL {
                    assert!(!wins(&board, cells[0], Color::White, rule), "{board:?}");
                    assert!(!words.has_won(Color::White, rule), "{board:?}");
                }
                assert_eq!(scan(&board, Rule::Freestyle)[Color::White], [], "{board:?}");
            }
        }
    }
}

#[test]
fn a_game_ends_with_a_five_anywhere_under_every_rule() {
    for lines in SIZES {
        let size = bridge::size(lines);
        for (index, mut five) in every_five(lines).into_iter().enumerate() {
            if !is_on_an_edge(lines, &five) && index % 7 != 0 {
                continue;
            }
            // Another one of the five is the last each time.
            five.rotate_left(index % 5);
            for winner in Color::ALL {
                let others = elsewhere(lines, &five, if winner == Color::Black { 4 } else { 5 });
                let (black, white) = match winner {
                    Color::Black => (&five, &others),
                    Color::White => (&others, &five),
                };
                let mut plies = Vec::new();
                for turn in 0..5 {
                    for side in [black, white] {
                        let cell = side.get(turn).map(|place| bridge::cell(*place, size));
                        plies.extend(cell.map(Ply::Stone));
                    }
                }
                for rule in Rule::ALL {
                    let record = Record::new(rule, size, plies.clone());
                    let replay = record.replay();
                    let board = replay.position().board();
                    assert!(replay.is_legal(), "{rule}{board:?}");
                    assert_eq!(replay.ended_at(), Some(plies.len()), "{rule}{board:?}");
                    let status = replay.position().status();
                    assert_eq!(status, won(winner, WinReason::Five), "{rule}{board:?}");
                    let before = record.prefix(plies.len() - 1).replay();
                    assert_eq!(before.position().status(), Status::Ongoing, "{rule}");
                    assert_eq!(before.ended_at(), None);
                }
            }
        }
    }
}

#[test]
fn five_in_each_corner_wins_in_each_direction() {
    for lines in SIZES {
        let last = lines - 1;
        for (corner, down, right) in [
            ((0, 0), 1, 1),
            ((0, last), 1, -1),
            ((last, 0), -1, 1),
            ((last, last), -1, -1),
        ] {
            for step in [(0, right), (down, 0), (down, right)] {
                let five = five_from(lines, corner, step).expect("a corner has room for a five");
                let size = bridge::size(lines);
                let mut board = Board::new(size);
                for place in &five {
                    board.put(bridge::cell(*place, size), Color::Black);
                }
                let corner = bridge::cell(corner, size);
                for rule in Rule::ALL {
                    assert!(wins(&board, corner, Color::Black, rule), "{rule}{board:?}");
                    assert_eq!(scan(&board, rule).black.len(), 1, "{rule}{board:?}");
                }
            }
        }
    }
}

/// Five cells that follow each other in a board kept as one row of numbers, or around its edges, and do
/// not lie in a row.
fn false_fives(lines: usize) -> Vec<Vec<Place>> {
    let mut found = Vec::new();
    let real: std::collections::HashSet<Vec<Place>> = every_five(lines)
        .into_iter()
        .map(|mut five| {
            five.sort_unstable();
            five
        })
        .collect();
    for start in 0..lines * lines {
        for step in [1, lines - 1, lines, lines + 1] {
            let numbers = (0..5).map(|k| start + k * step);
            let in_a_list: Vec<Place> = numbers
                .filter(|number| *number < lines * lines)
                .map(|number| (number / lines, number % lines))
                .collect();
            found.push(in_a_list);
        }
        for (down, right) in STEPS {
            let around = |line: usize, steps: i32| {
                usize::try_from((line as i32 + steps).rem_euclid(lines as i32))
                    .expect("a remainder is positive")
            };
            let on_a_torus = (0..5)
                .map(|k| {
                    (
                        around(start / lines, down * k),
                        around(start % lines, right * k),
                    )
                })
                .collect();
            found.push(on_a_torus);
        }
    }
    for five in &mut found {
        five.sort_unstable();
    }
    found.retain(|five| five.len() == 5 && !real.contains(five));
    found
}

#[test]
fn rows_that_wrap_around_an_edge_never_win() {
    for lines in SIZES {
        let size = bridge::size(lines);
        let fives = false_fives(lines);
        assert!(fives.len() > 20);
        for five in fives {
            let mut board = Board::new(size);
            let cells: Vec<Cell> = five
                .iter()
                .map(|place| bridge::cell(*place, size))
                .collect();
            cells.iter().for_each(|cell| board.put(*cell, Color::Black));
            for rule in Rule::ALL {
                for cell in &cells {
                    assert!(!wins(&board, *cell, Color::Black, rule), "{rule}{board:?}");
                }
                assert!(scan(&board, rule).black.is_empty(), "{rule}{board:?}");
                let words = LineWords::of(&board);
                assert!(!words.has_won(Color::Black, rule), "{rule}{board:?}");
            }
        }
    }
}
