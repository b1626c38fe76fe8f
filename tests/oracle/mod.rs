//! The rules once more, slow and plain: what the tests hold the library against.
//!
//! No code of `src/` is used here, and no type of it: a board is rows of numbers from the top, a place
//! is (row, column) from the top left corner, a rule and a verdict are words. Every definition is
//! written as the rules have it (renju: RIF, sections 3 and 9), not as one would compute it fast.
//! `bridge.rs` translates between these plain values and the library's.

pub(crate) mod bridge;

pub(crate) const EMPTY: u8 = 0;
pub(crate) const BLACK: u8 = 1;
pub(crate) const WHITE: u8 = 2;

/// Rows from the top, each from the left.
pub(crate) type Grid = Vec<Vec<u8>>;
/// (row from the top, column from the left), both from 0.
pub(crate) type Place = (usize, usize);
/// What a record says: a place, which may lie anywhere, or a pass.
pub(crate) type Written = Option<(i32, i32)>;

/// To the right, down, down to the right, down to the left.
pub(crate) const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

pub(crate) fn empty(size: usize) -> Grid {
    vec![vec![EMPTY; size]; size]
}

pub(crate) fn other(color: u8) -> u8 {
    BLACK + WHITE - color
}

/// What lies at a place; `None` outside the board.
pub(crate) fn at(grid: &Grid, row: i32, column: i32) -> Option<u8> {
    let row = grid.get(usize::try_from(row).ok()?)?;
    row.get(usize::try_from(column).ok()?).copied()
}

/// The place some steps from another; it may lie outside the board.
fn step(from: Place, (down, right): (i32, i32), steps: i32) -> (i32, i32) {
    let (row, column) = from;
    (row as i32 + down * steps, column as i32 + right * steps)
}

/// The unbroken row of one colour through the stone at a place.
pub(crate) fn row_through(grid: &Grid, place: Place, direction: (i32, i32)) -> Vec<Place> {
    let color = grid[place.0][place.1];
    let same = |steps| {
        let (row, column) = step(place, direction, steps);
        at(grid, row, column) == Some(color)
    };
    let mut first = 0;
    while same(first - 1) {
        first -= 1;
    }
    let mut last = 0;
    while same(last + 1) {
        last += 1;
    }
    (first..=last)
        .map(|steps| step(place, direction, steps))
        .map(|(row, column)| (row as usize, column as usize))
        .collect()
}

/// Does an unbroken row of a colour win?
pub(crate) fn is_winning(
    grid: &Grid,
    rule: &str,
    color: u8,
    row: &[Place],
    direction: (i32, i32),
) -> bool {
    let before = step(row[0], direction, -1);
    let behind = step(row[row.len() - 1], direction, 1);
    let enemy = Some(other(color));
    let shut_in = at(grid, before.0, before.1) == enemy && at(grid, behind.0, behind.1) == enemy;
    match rule {
        "freestyle" => row.len() >= 5,
        "standard" => row.len() == 5,
        "renju" if color == BLACK => row.len() == 5,
        "renju" => row.len() >= 5,
        "caro" => row.len() == 5 && !shut_in,
        _ => panic!("there is no rule {rule}"),
    }
}

/// The winning rows through the stone at a place, sorted.
pub(crate) fn winning_rows_through(grid: &Grid, rule: &str, place: Place) -> Vec<Vec<Place>> {
    let color = grid[place.0][place.1];
    let mut rows = Vec::new();
    for direction in DIRECTIONS {
        let row = row_through(grid, place, direction);
        if is_winning(grid, rule, color, &row, direction) {
            rows.push(row);
        }
    }
    sorted(rows)
}

/// The winning rows of a colour anywhere on a board, sorted.
pub(crate) fn winning_rows(grid: &Grid, rule: &str, color: u8) -> Vec<Vec<Place>> {
    let mut rows = Vec::new();
    for row in 0..grid.len() {
        for column in 0..grid.len() {
            for direction in DIRECTIONS {
                let (above, left) = step((row, column), direction, -1);
                if grid[row][column] == color && at(grid, above, left) != Some(color) {
                    let stones = row_through(grid, (row, column), direction);
                    if is_winning(grid, rule, color, &stones, direction) {
                        rows.push(stones);
                    }
                }
            }
        }
    }
    sorted(rows)
}

fn sorted(mut rows: Vec<Vec<Place>>) -> Vec<Vec<Place>> {
    for row in &mut rows {
        row.sort_unstable();
    }
    rows.sort_unstable();
    rows
}

/// Some stones that need one more, and the places where that one may lie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    pub(crate) stones: Vec<Place>,
    pub(crate) needs: Vec<Place>,
}

/// What a black stone on an empty place would be in renju: `five`, `overline`, `double_four`,
/// `double_three` or `legal`.
pub(crate) fn judge(grid: &Grid, place: Place) -> &'static str {
    judge_on(&mut grid.clone(), place)
}

fn judge_on(grid: &mut Grid, place: Place) -> &'static str {
    grid[place.0][place.1] = BLACK;
    let verdict = judge_stone(grid, place);
    grid[place.0][place.1] = EMPTY;
    verdict
}

fn judge_stone(grid: &mut Grid, stone: Place) -> &'static str {
    let lengths = DIRECTIONS.map(|direction| row_through(grid, stone, direction).len());
    if lengths.contains(&5) {
        return "five";
    }
    if lengths.iter().any(|length| *length > 5) {
        return "overline";
    }
    if fours(grid, stone).len() >= 2 {
        return "double_four";
    }
    let threes = threes(grid, stone);
    // The count is only worth its labour where two threes could be.
    if threes.len() >= 2 {
        let mut real = 0;
        for three in threes {
            // Each place is judged with the first stone on the board; `five` does not make a three.
            if three
                .needs
                .iter()
                .any(|next| judge_on(grid, *next) == "legal")
            {
                real += 1;
            }
        }
        if real >= 2 {
            return "double_three";
        }
    }
    "legal"
}

/// The fours and threes that a black stone on an empty place would make, sorted.
pub(crate) fn shapes(grid: &Grid, place: Place) -> (Vec<Shape>, Vec<Shape>) {
    let mut grid = grid.clone();
    grid[place.0][place.1] = BLACK;
    let mut found = (fours(&mut grid, place), threes(&mut grid, place));
    for shape in found.0.iter_mut().chain(&mut found.1) {
        shape.stones.sort_unstable();
        shape.needs.sort_unstable();
    }
    found.0.sort_unstable();
    found.1.sort_unstable();
    found
}

/// The fours with a stone among them: four stones of a line that one more makes a five of exactly five.
/// The same four stones are one four, however many places complete them.
fn fours(grid: &mut Grid, stone: Place) -> Vec<Shape> {
    let mut fours = Vec::new();
    for direction in DIRECTIONS {
        for first in -4..=0 {
            let Some((stones, next)) = one_lacking(grid, stone, direction, first, 5) else {
                continue;
            };
            if makes_five(grid, next, direction) {
                add(&mut fours, stones, next);
            }
        }
    }
    fours
}

/// The threes with a stone among them: three stones of a line that one more makes a straight four.
fn threes(grid: &mut Grid, stone: Place) -> Vec<Shape> {
    let mut threes = Vec::new();
    for direction in DIRECTIONS {
        for first in -3..=0 {
            let Some((stones, next)) = one_lacking(grid, stone, direction, first, 4) else {
                continue;
            };
            grid[next.0][next.1] = BLACK;
            // A straight four: four in an unbroken row that a stone at either end makes a five.
            let straight = [first - 1, first + 4].into_iter().all(|end| {
                let (row, column) = step(stone, direction, end);
                at(grid, row, column) == Some(EMPTY)
                    && makes_five(grid, (row as usize, column as usize), direction)
            });
            grid[next.0][next.1] = EMPTY;
            if straight {
                add(&mut threes, stones, next);
            }
        }
    }
    threes
}

/// Some places in a row, counted from a stone, if all of them but one empty place hold black stones:
/// the stones and the empty place.
fn one_lacking(
    grid: &Grid,
    stone: Place,
    direction: (i32, i32),
    first: i32,
    length: i32,
) -> Option<(Vec<Place>, Place)> {
    let mut stones = Vec::new();
    let mut empty = None;
    for steps in first..first + length {
        let (row, column) = step(stone, direction, steps);
        let place = (row as usize, column as usize);
        match at(grid, row, column) {
            Some(BLACK) => stones.push(place),
            Some(EMPTY) if empty.is_none() => empty = Some(place),
            _ => return None,
        }
    }
    Some((stones, empty?))
}

/// Would a black stone on an empty place make exactly five along a direction?
fn makes_five(grid: &mut Grid, place: Place, direction: (i32, i32)) -> bool {
    grid[place.0][place.1] = BLACK;
    let length = row_through(grid, place, direction).len();
    grid[place.0][place.1] = EMPTY;
    length == 5
}

fn add(shapes: &mut Vec<Shape>, stones: Vec<Place>, next: Place) {
    match shapes.iter_mut().find(|shape| shape.stones == stones) {
        Some(shape) => shape.needs.push(next),
        None => shapes.push(Shape {
            stones,
            needs: vec![next],
        }),
    }
}

/// Is a place empty and, for Black in renju, not forbidden?
pub(crate) fn is_legal(grid: &Grid, rule: &str, color: u8, place: Place) -> bool {
    grid[place.0][place.1] == EMPTY
        && (rule != "renju" || color != BLACK || matches!(judge(grid, place), "legal" | "five"))
}

/// How a game came out: who won (`None` for a draw), and how.
pub(crate) type End = (Option<u8>, &'static str);

/// What the rules say of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Game {
    /// The stones after the legal part.
    pub(crate) grid: Grid,
    /// How many plies the legal part has.
    pub(crate) plies: usize,
    /// How the legal part ended, if the game did.
    pub(crate) end: Option<End>,
    /// The number of each ply at fault, with the fault's name.
    pub(crate) violations: Vec<(usize, &'static str)>,
}

/// Plays a record. A ply at fault places no stone, but a forbidden black stone stands and ends the
/// game; the legal part ends before the first fault, or with a forbidden stone.
pub(crate) fn replay(rule: &str, size: usize, written: &[Written]) -> Game {
    let mut grid = empty(size);
    let mut end = None;
    let mut violations = Vec::new();
    let mut legal_part = None;
    let mut passed_before = false;
    for (index, ply) in written.iter().enumerate() {
        let number = index + 1;
        let color = if number % 2 == 1 { BLACK } else { WHITE };
        let fault = if end.is_some() {
            Some("after_game_end")
        } else {
            fault_of(&grid, rule, color, number, *ply)
        };
        let stands = fault.is_none_or(|fault| fault.starts_with("forbidden"));
        if let Some(fault) = fault {
            violations.push((number, fault));
        }
        if !stands && legal_part.is_none() {
            legal_part = Some((grid.clone(), index, end));
        }
        if stands {
            match *ply {
                Some((row, column)) => {
                    let place = (row as usize, column as usize);
                    grid[place.0][place.1] = color;
                    end = end_by_stone(&grid, rule, place, fault);
                }
                None if passed_before => end = Some((None, "passes")),
                None => {}
            }
        }
        passed_before = stands && ply.is_none();
    }
    let (grid, plies, end) = legal_part.unwrap_or((grid, written.len(), end));
    Game {
        grid,
        plies,
        end,
        violations,
    }
}

fn fault_of(
    grid: &Grid,
    rule: &str,
    color: u8,
    number: usize,
    ply: Written,
) -> Option<&'static str> {
    let Some((row, column)) = ply else {
        let allowed = rule == "renju" && number > 3;
        return (!allowed).then_some("pass_not_allowed");
    };
    match at(grid, row, column) {
        None => Some("off_board"),
        Some(EMPTY) if rule == "renju" && color == BLACK => {
            match judge(grid, (row as usize, column as usize)) {
                "overline" => Some("forbidden_overline"),
                "double_four" => Some("forbidden_double_four"),
                "double_three" => Some("forbidden_double_three"),
                _ => None,
            }
        }
        Some(EMPTY) => None,
        Some(_) => Some("occupied"),
    }
}

fn end_by_stone(grid: &Grid, rule: &str, place: Place, fault: Option<&str>) -> Option<End> {
    if fault.is_some() {
        return Some((Some(WHITE), "forbidden"));
    }
    let rows = winning_rows_through(grid, rule, place);
    let winner = Some(grid[place.0][place.1]);
    if rows.iter().any(|row| row.len() == 5) {
        Some((winner, "five"))
    } else if !rows.is_empty() {
        Some((winner, "overline"))
    } else if grid.iter().flatten().all(|stone| *stone != EMPTY) {
        Some((None, "board_full"))
    } else {
        None
    }
}

/// How many ways a game can go on for a number of legal stones; a game that ends before is none of them.
pub(crate) fn perft(grid: &Grid, rule: &str, color: u8, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut ways = 0;
    let mut next = grid.clone();
    for row in 0..grid.len() {
        for column in 0..grid.len() {
            if !is_legal(grid, rule, color, (row, column)) {
                continue;
            }
            next[row][column] = color;
            if depth == 1 || end_by_stone(&next, rule, (row, column), None).is_none() {
                ways += perft(&next, rule, other(color), depth - 1);
            }
            next[row][column] = EMPTY;
        }
    }
    ways
}
