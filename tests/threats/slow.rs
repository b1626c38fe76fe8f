//! The definitions of `docs/analysis.md` once more, slow and plain, on the oracle's rows of numbers: a
//! line is walked from end to end, every stone is put on the board and taken off again. No code of
//! `src/` is used here.

use crate::oracle::{
    BLACK, DIRECTIONS, EMPTY, Grid, Place, WHITE, at, is_legal, is_winning, other, row_through,
    winning_rows,
};

/// A threat. Its places are sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Threat {
    pub(crate) color: u8,
    pub(crate) kind: &'static str,
    pub(crate) stones: Vec<Place>,
    pub(crate) gain: Vec<Place>,
    pub(crate) defence: Vec<Place>,
}

/// Some stones of a line and the places where they gain.
type Row = (Vec<Place>, Vec<Place>);

/// One line of a board, for one colour under a rule.
struct Line<'a> {
    rule: &'a str,
    color: u8,
    direction: (i32, i32),
    places: Vec<Place>,
}

/// Looks at a board with one more stone on it.
fn with<T>(
    grid: &mut Grid,
    (row, column): Place,
    color: u8,
    look: impl FnOnce(&mut Grid) -> T,
) -> T {
    assert_eq!(grid[row][column], EMPTY);
    grid[row][column] = color;
    let seen = look(grid);
    grid[row][column] = EMPTY;
    seen
}

pub(crate) fn wins(grid: &mut Grid, rule: &str, color: u8, place: Place) -> bool {
    with(grid, place, color, |grid| {
        DIRECTIONS.iter().any(|direction| {
            let row = row_through(grid, place, *direction);
            is_winning(grid, rule, color, &row, *direction)
        })
    })
}

/// May a stone be played here, and does it not win?
fn builds(grid: &mut Grid, rule: &str, color: u8, place: Place) -> bool {
    is_legal(grid, rule, color, place) && !wins(grid, rule, color, place)
}

fn without(row: &[Place], place: Place) -> Vec<Place> {
    row.iter()
        .copied()
        .filter(|stone| *stone != place)
        .collect()
}

fn add(rows: &mut Vec<Row>, stones: Vec<Place>, gain: Place) {
    match rows.iter_mut().find(|row| row.0 == stones) {
        Some(row) => row.1.push(gain),
        None => rows.push((stones, vec![gain])),
    }
}

fn is_inside(stones: &[Place], rows: &[Row]) -> bool {
    rows.iter()
        .any(|row| stones.iter().all(|stone| row.0.contains(stone)))
}

impl Line<'_> {
    fn empty(&self, grid: &Grid) -> Vec<Place> {
        let places = self.places.iter().copied();
        places
            .filter(|place| grid[place.0][place.1] == EMPTY)
            .collect()
    }

    /// The winning row that a stone on a place makes of stones that hold no winning row yet.
    fn completed(&self, grid: &mut Grid, place: Place) -> Option<Vec<Place>> {
        if grid[place.0][place.1] != EMPTY {
            return None;
        }
        let row = with(grid, place, self.color, |grid| {
            let row = row_through(grid, place, self.direction);
            is_winning(grid, self.rule, self.color, &row, self.direction).then_some(row)
        })?;
        let before = row.iter().position(|stone| *stone == place)?;
        (before < 5 && row.len() - 1 - before < 5).then_some(row)
    }

    /// The places just before and just behind an unbroken row, where the board has them.
    fn ends(&self, grid: &Grid, row: &[Place]) -> Vec<Place> {
        let (first, last) = (row[0], row[row.len() - 1]);
        let (down, right) = self.direction;
        let near = |place: Place, way: i32| {
            let (row, column) = (place.0 as i32 + way * down, place.1 as i32 + way * right);
            at(grid, row, column).map(|_| (row as usize, column as usize))
        };
        [near(first, -1), near(last, 1)]
            .into_iter()
            .flatten()
            .collect()
    }

    fn fours(&self, grid: &mut Grid) -> Vec<Row> {
        let mut rows = Vec::new();
        for place in self.places.clone() {
            if grid[place.0][place.1] == self.color {
                let row = row_through(grid, place, self.direction);
                if row.len() == 4 && row[0] == place {
                    for end in self.ends(grid, &row) {
                        if self.completed(grid, end).is_some() {
                            add(&mut rows, row.clone(), end);
                        }
                    }
                }
            }
        }
        for place in self.empty(grid) {
            if let Some(row) = self.completed(grid, place) {
                let before = row
                    .iter()
                    .position(|stone| *stone == place)
                    .expect("it is in it");
                if before < 4 && row.len() - 1 - before < 4 {
                    add(&mut rows, without(&row, place), place);
                }
            }
        }
        rows
    }

    /// Is an unbroken row four that win at both ends, whatever one stone the other side adds?
    fn is_open_four(&self, grid: &mut Grid, row: &[Place]) -> bool {
        if row.len() != 4 {
            return false;
        }
        let ends = self.ends(grid, row);
        let win = |grid: &mut Grid, end: &Place| self.completed(grid, *end).is_some();
        if ends.len() < 2 || !ends.iter().all(|end| win(grid, end)) {
            return false;
        }
        self.empty(grid).into_iter().all(|place| {
            with(grid, place, other(self.color), |grid| {
                ends.iter().any(|end| win(grid, end))
            })
        })
    }

    fn threes(&self, grid: &mut Grid) -> Vec<Row> {
        let mut rows = Vec::new();
        for place in self.empty(grid) {
            let row = with(grid, place, self.color, |grid| {
                let row = row_through(grid, place, self.direction);
                self.is_open_four(grid, &row).then_some(row)
            });
            if let Some(row) = row
                && builds(grid, self.rule, self.color, place)
            {
                add(&mut rows, without(&row, place), place);
            }
        }
        rows
    }

    fn twos(&self, grid: &mut Grid) -> Vec<Row> {
        let mut rows = Vec::new();
        for place in self.empty(grid) {
            let threes = with(grid, place, self.color, |grid| {
                let makes_four = self.fours(grid).iter().any(|row| row.0.contains(&place));
                if makes_four {
                    Vec::new()
                } else {
                    self.threes(grid)
                }
            });
            let mut pairs = Vec::new();
            for (stones, _) in threes.into_iter().filter(|row| row.0.contains(&place)) {
                let pair = without(&stones, place);
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
            if !pairs.is_empty() && builds(grid, self.rule, self.color, place) {
                for pair in pairs {
                    add(&mut rows, pair, place);
                }
            }
        }
        rows
    }

    fn is_unbroken(row: &[Place]) -> bool {
        let (first, last) = (row[0], row[row.len() - 1]);
        let steps = first.0.abs_diff(last.0).max(first.1.abs_diff(last.1));
        steps + 1 == row.len()
    }

    /// All rows of the line, each with its kind; what lies inside a stronger one is left out.
    fn rows(&self, grid: &mut Grid) -> Vec<(&'static str, Row)> {
        let (fours, threes) = (self.fours(grid), self.threes(grid));
        let mut rows = Vec::new();
        for row in &fours {
            let kind = if !Line::is_unbroken(&row.0) {
                "broken_four"
            } else if self.is_open_four(grid, &row.0) {
                "open_four"
            } else {
                "four"
            };
            rows.push((kind, row.clone()));
        }
        for row in &threes {
            if !is_inside(&row.0, &fours) {
                let is_unbroken = Line::is_unbroken(&row.0);
                let kind = if is_unbroken {
                    "open_three"
                } else {
                    "broken_three"
                };
                rows.push((kind, row.clone()));
            }
        }
        for row in self.twos(grid) {
            if !is_inside(&row.0, &fours) && !is_inside(&row.0, &threes) {
                rows.push(("two", row));
            }
        }
        rows
    }

    /// Where the other side leaves a row no gain.
    fn defence(&self, grid: &mut Grid, kind: &str, (stones, gain): &Row) -> Vec<Place> {
        let is_near = |place: &Place| {
            gain.iter()
                .any(|gain| gain.0.abs_diff(place.0).max(gain.1.abs_diff(place.1)) <= 5)
        };
        let enemy = other(self.color);
        let mut places = self.empty(grid);
        places.retain(|place| {
            is_near(place)
                && is_legal(grid, self.rule, enemy, *place)
                && with(grid, *place, enemy, |grid| {
                    let left = match kind {
                        "open_three" | "broken_three" => self.threes(grid),
                        "two" => self.twos(grid),
                        _ => {
                            let mut gains = gain.iter();
                            return !gains.any(|gain| self.completed(grid, *gain).is_some());
                        }
                    };
                    left.iter().all(|row| row.0 != *stones)
                })
        });
        places
    }
}

/// The line through a place in one direction, from end to end.
fn line_through(size: usize, (row, column): Place, (down, right): (i32, i32)) -> Vec<Place> {
    let inside = |steps: i32| {
        let row = usize::try_from(row as i32 + steps * down).ok()?;
        let column = usize::try_from(column as i32 + steps * right).ok()?;
        (row < size && column < size).then_some((row, column))
    };
    let mut first = 0;
    while inside(first - 1).is_some() {
        first -= 1;
    }
    (first..).map_while(inside).collect()
}

/// Every place of a board, row by row.
fn places_of(size: usize) -> impl Iterator<Item = Place> {
    (0..size).flat_map(move |row| (0..size).map(move |column| (row, column)))
}

/// The four lines through a place, for a colour under a rule.
fn lines_of<'a>(grid: &Grid, rule: &'a str, color: u8, place: Place) -> Vec<Line<'a>> {
    let lines = DIRECTIONS.map(|direction| Line {
        rule,
        color,
        direction,
        places: line_through(grid.len(), place, direction),
    });
    lines.into()
}

/// Every line of a board, for a colour under a rule.
fn all_lines<'a>(grid: &Grid, rule: &'a str, color: u8) -> Vec<Line<'a>> {
    let of_each = places_of(grid.len()).flat_map(|place| {
        let lines = lines_of(grid, rule, color, place).into_iter();
        lines.filter(move |line| line.places[0] == place)
    });
    of_each.collect()
}

/// Every threat of both colours on a board, sorted.
pub(crate) fn threats(grid: &Grid, rule: &str) -> Vec<Threat> {
    let mut grid = grid.clone();
    let mut threats = Vec::new();
    for color in [BLACK, WHITE] {
        for stones in winning_rows(&grid, rule, color) {
            let (gain, defence) = (Vec::new(), Vec::new());
            threats.push(Threat {
                color,
                kind: "five",
                stones,
                gain,
                defence,
            });
        }
        for line in all_lines(&grid, rule, color) {
            for (kind, row) in line.rows(&mut grid) {
                let mut defence = line.defence(&mut grid, kind, &row);
                let (mut stones, mut gain) = row;
                for places in [&mut stones, &mut gain, &mut defence] {
                    places.sort_unstable();
                }
                threats.push(Threat {
                    color,
                    kind,
                    stones,
                    gain,
                    defence,
                });
            }
        }
    }
    threats.sort_unstable();
    threats
}

/// What a stone on an empty place makes: the strongest thing, and the fork if it makes one.
pub(crate) fn look(
    grid: &Grid,
    rule: &str,
    color: u8,
    place: Place,
) -> (Option<&'static str>, Option<&'static str>) {
    let mut grid = grid.clone();
    if wins(&mut grid, rule, color, place) {
        return (Some("five"), None);
    }
    if !is_legal(&grid, rule, color, place) {
        return (Some("forbidden"), None);
    }
    with(&mut grid, place, color, |grid| {
        let mut kinds: Vec<Vec<&str>> = Vec::new();
        for line in lines_of(grid, rule, color, place) {
            let rows = line.rows(grid).into_iter();
            let own = rows.filter(|(_, row)| row.0.contains(&place));
            kinds.push(own.map(|(kind, _)| kind).collect());
        }
        let all = kinds.concat();
        let prospect = [
            ("open_four", "open_four"),
            ("four", "four"),
            ("broken_four", "four"),
            ("open_three", "open_three"),
            ("broken_three", "open_three"),
            ("two", "two"),
        ]
        .into_iter()
        .find(|(kind, _)| all.contains(kind))
        .map(|(_, prospect)| prospect);
        let is_four = |kind: &&str| kind.ends_with("four");
        let fours = all.iter().copied().filter(is_four).count();
        let threes = kinds
            .iter()
            .filter(|line| {
                let has_three = line.iter().any(|kind| kind.ends_with("three"));
                has_three && !line.iter().any(is_four)
            })
            .count();
        let fork = match (fours, threes) {
            (2.., _) => Some("double_four"),
            (1, 1..) => Some("four_three"),
            (0, 2..) => Some("double_three"),
            _ => None,
        };
        (prospect, fork)
    })
}

/// Every empty place, row by row.
pub(crate) fn empty_places(grid: &Grid) -> Vec<Place> {
    places_of(grid.len())
        .filter(|place| grid[place.0][place.1] == EMPTY)
        .collect()
}

/// May the other side make an open four here?
pub(crate) fn opens_four(grid: &mut Grid, rule: &str, color: u8, place: Place) -> bool {
    let is_open = with(grid, place, color, |grid| {
        lines_of(grid, rule, color, place).iter().any(|line| {
            let row = row_through(grid, place, line.direction);
            line.is_open_four(grid, &row)
        })
    });
    is_open && builds(grid, rule, color, place)
}

/// Where a colour may play so that the other one nowhere does what it is asked for next.
pub(crate) fn stops(
    grid: &Grid,
    rule: &str,
    color: u8,
    does: fn(&mut Grid, &str, u8, Place) -> bool,
) -> Vec<Place> {
    let mut grid = grid.clone();
    let mut places = empty_places(&grid);
    places.retain(|place| {
        is_legal(&grid, rule, color, *place)
            && with(&mut grid, *place, color, |grid| {
                let mut left = empty_places(grid).into_iter();
                !left.any(|place| does(grid, rule, other(color), place))
            })
    });
    places
}
