//! What a threat is and what stops it, by the oracle's rules alone: slow, and sure of nothing but the words.

use tengen::rules::Position;

use crate::oracle::bridge;
use crate::oracle::{self, EMPTY, Grid, Place};

/// A board on which stones are tried.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) grid: Grid,
    pub(crate) rule: &'static str,
}

impl Table {
    pub(crate) fn of(position: &Position) -> Table {
        Table {
            grid: bridge::grid_of(position.board()),
            rule: position.rule().name(),
        }
    }

    pub(crate) fn with<T>(
        &mut self,
        color: u8,
        (row, column): Place,
        then: impl FnOnce(&mut Table) -> T,
    ) -> T {
        assert_eq!(self.grid[row][column], EMPTY);
        self.grid[row][column] = color;
        let result = then(self);
        self.grid[row][column] = EMPTY;
        result
    }

    pub(crate) fn empty_places(&self) -> Vec<Place> {
        let lines = 0..self.grid.len();
        let all = lines
            .clone()
            .flat_map(|row| lines.clone().map(move |column| (row, column)));
        all.filter(|(row, column)| self.grid[*row][*column] == EMPTY)
            .collect()
    }

    pub(crate) fn legal_places(&self, color: u8) -> Vec<Place> {
        let mut places = self.empty_places();
        places.retain(|place| self.is_legal(color, *place));
        places
    }

    pub(crate) fn is_legal(&self, color: u8, place: Place) -> bool {
        oracle::is_legal(&self.grid, self.rule, color, place)
    }

    /// Would a stone of a colour win here?
    pub(crate) fn wins(&mut self, color: u8, place: Place) -> bool {
        self.with(color, place, |table| {
            !oracle::winning_rows_through(&table.grid, table.rule, place).is_empty()
        })
    }

    /// The empty places where a stone of a colour wins.
    pub(crate) fn fives(&mut self, color: u8) -> Vec<Place> {
        let places = self.empty_places();
        self.fives_among(color, &places)
    }

    fn fives_among(&mut self, color: u8, places: &[Place]) -> Vec<Place> {
        places
            .iter()
            .copied()
            .filter(|place| self.wins(color, *place))
            .collect()
    }

    /// The other empty places along the lines through a place, five steps each way: no stone farther off bears on
    /// a five at the place, and no five that a stone there is part of, or shuts in, lies farther off.
    pub(crate) fn around(&self, (row, column): Place) -> Vec<Place> {
        let mut places = self.empty_places();
        places.retain(|(there, across)| {
            let (down, right) = (row.abs_diff(*there), column.abs_diff(*across));
            (1..=5).contains(&down.max(right)) && (down == 0 || right == 0 || down == right)
        });
        places
    }

    /// The empty places where a stone of a colour, allowed or not, leaves the other no five; some five can be made.
    pub(crate) fn stops(&mut self, color: u8, fives: &[Place]) -> Vec<Place> {
        // Whatever stops them all stops the first, at its place or along its lines.
        let mut places = self.around(fives[0]);
        places.push(fives[0]);
        places.retain(|place| {
            let rest: Vec<Place> = fives.iter().copied().filter(|five| five != place).collect();
            self.with(color, *place, |table| {
                table.fives_among(oracle::other(color), &rest).is_empty()
            })
        });
        places
    }

    /// The places where a stone of a colour, which has no five to make, makes a five certain whatever the
    /// other side plays: open fours, and double fours. The other side has no five to make either.
    pub(crate) fn open_fours(&mut self, color: u8) -> Vec<Place> {
        let enemy = oracle::other(color);
        let their_fives = self.fives(enemy);
        let mut places = self.empty_places();
        places.retain(|place| {
            let around = self.around(*place);
            let rest: Vec<Place> = their_fives
                .iter()
                .copied()
                .filter(|five| five != place)
                .collect();
            self.with(color, *place, |table| {
                let fives = table.fives_among(color, &around);
                !fives.is_empty()
                    && table.fives_among(enemy, &rest).is_empty()
                    && table.stops(enemy, &fives).is_empty()
            }) && self.is_legal(color, *place)
        });
        places
    }

    /// Can neither colour ever have five stones in a row?
    pub(crate) fn is_barren(&self) -> bool {
        let size = self.grid.len();
        let at = |row: usize, column: usize| self.grid.get(row)?.get(column).copied();
        let steps: [(usize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let five = |row: usize, column: usize, (down, right): (usize, isize)| -> Option<Vec<u8>> {
            (0..5)
                .map(|step| {
                    at(
                        row + step * down,
                        column.checked_add_signed(step as isize * right)?,
                    )
                })
                .collect()
        };
        let can_be_filled = |squares: Vec<u8>| {
            let has = |color| squares.contains(&color);
            has(EMPTY) && !(has(oracle::BLACK) && has(oracle::WHITE))
        };
        (0..size).all(|row| {
            (0..size).all(|column| {
                steps
                    .iter()
                    .all(|step| !five(row, column, *step).is_some_and(can_be_filled))
            })
        })
    }
}
