use crate::board::{BoardSize, Cell};

/// A cell as the search counts it: its [`Cell::index`], in rows of 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u16);

impl Place {
    /// One more than the largest index can be.
    pub(super) const COUNT: usize = Cell::INDICES;

    /// The place of a row and a column, both below 32; it may lie beside the board.
    const fn new(row: usize, column: u32) -> Place {
        Place((row << 5) as u16 | column as u16)
    }

    pub(super) fn of(cell: Cell) -> Place {
        Place(cell.index() as u16)
    }

    /// The place of a number that [`Place::number`] gave.
    pub(super) const fn from_number(number: u16) -> Place {
        Place(number)
    }

    pub(super) const fn number(self) -> u16 {
        self.0
    }

    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// How far two places lie apart, the greater of the two differences first.
    #[inline]
    pub(super) fn apart(self, other: Place) -> (usize, usize) {
        let rows = self.row().abs_diff(other.row());
        let columns = self.column().abs_diff(other.column()) as usize;
        (rows.max(columns), rows.min(columns))
    }

    const fn row(self) -> usize {
        (self.0 >> 5) as usize
    }

    const fn column(self) -> u32 {
        (self.0 & 31) as u32
    }

    /// The cell; absent for a place beside every board.
    pub(super) const fn cell(self) -> Option<Cell> {
        Cell::new(self.column() as u8, self.row() as u8)
    }
}

/// The rows of the largest board.
const ROWS: usize = 25;

/// A set of cells, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellSet([u32; ROWS]);

impl CellSet {
    pub(super) const EMPTY: CellSet = CellSet([0; ROWS]);

    /// One place alone.
    pub(super) fn of(place: Place) -> CellSet {
        let mut set = CellSet::EMPTY;
        set.toggle(place);
        set
    }

    /// Every cell of a board.
    pub(super) fn board(size: BoardSize) -> CellSet {
        let lines = usize::from(size.lines());
        let mut rows = [0; ROWS];
        rows[..lines].fill((1 << lines) - 1);
        CellSet(rows)
    }

    #[inline]
    pub(super) fn has(&self, place: Place) -> bool {
        self.0[place.row()] >> place.column() & 1 == 1
    }

    /// Puts the place in if it is out, takes it out if it is in.
    #[inline]
    pub(super) fn toggle(&mut self, place: Place) {
        self.0[place.row()] ^= 1 << place.column();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|row| *row == 0)
    }

    /// The first place, in the order of the rows from the bottom.
    pub(super) fn first(&self) -> Option<Place> {
        self.iter().next()
    }

    /// Are there two places or more?
    pub(super) fn is_several(&self) -> bool {
        self.iter().nth(1).is_some()
    }

    /// Adds the cells about a place: two around it, and three along the eight lines from it.
    pub(super) fn add_around(&mut self, place: Place) {
        const REACH: usize = 3;
        /// The columns of a row at a distance of 0 to 3 rows, the place's own at bit 3.
        const COLUMNS: [u32; REACH + 1] = [0b111_1111, 0b011_1110, 0b011_1110, 0b100_1001];
        let (row, column) = (place.row(), place.column());
        for (at, cells) in self
            .0
            .iter_mut()
            .enumerate()
            .take(row + REACH + 1)
            .skip(row.saturating_sub(REACH))
        {
            // What falls off at the right lies beside every board, and is masked by the caller's board.
            *cells |= (COLUMNS[at.abs_diff(row)] << column) >> REACH;
        }
    }

    pub(super) fn and(&self, other: &CellSet) -> CellSet {
        let mut both = *self;
        for (row, others) in both.0.iter_mut().zip(other.0) {
            *row &= others;
        }
        both
    }

    pub(super) fn or(&self, other: &CellSet) -> CellSet {
        let mut either = *self;
        for (row, others) in either.0.iter_mut().zip(other.0) {
            *row |= others;
        }
        either
    }

    /// The place, if there is just one.
    pub(super) fn only(&self) -> Option<Place> {
        let mut places = self.iter();
        places.next().filter(|_| places.next().is_none())
    }

    /// The places, row by row from the bottom.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = Place> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(row, mut columns)| {
                std::iter::from_fn(move || {
                    if columns == 0 {
                        return None;
                    }
                    let column = columns.trailing_zeros();
                    columns &= columns - 1;
                    Some(Place::new(row, column))
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> impl Iterator<Item = BoardSize> {
        [5, 6, 15, 24, 25]
            .into_iter()
            .map(|lines| BoardSize::try_from(lines).expect("the size is supported"))
    }

    #[test]
    fn a_board_has_its_cells_and_no_others() {
        for size in sizes() {
            let board = CellSet::board(size);
            let mut places: Vec<Place> = size.cells().map(Place::of).collect();
            places.sort();
            assert_eq!(board.iter().collect::<Vec<_>>(), places);
            assert_eq!(board.iter().count(), usize::from(size.cell_count()));
            assert!(
                size.cells()
                    .all(|cell| Place::of(cell).cell() == Some(cell))
            );
        }
    }

    #[test]
    fn the_cells_about_a_place_are_two_around_it_and_three_along_the_lines() {
        for size in sizes() {
            let board = CellSet::board(size);
            for cell in size.cells() {
                let mut around = CellSet::EMPTY;
                around.add_around(Place::of(cell));
                let around = around.and(&board);
                for other in size.cells() {
                    let columns = cell.column().abs_diff(other.column());
                    let rows = cell.height().abs_diff(other.height());
                    let is_in_line = columns == 0 || rows == 0 || columns == rows;
                    let is_about = columns.max(rows) <= 2 || columns.max(rows) == 3 && is_in_line;
                    assert_eq!(around.has(Place::of(other)), is_about, "{cell} {other}");
                }
            }
        }
    }

    #[test]
    fn sets_are_counted_and_joined() {
        let place = |name: &str| Place::of(name.parse().expect("the test names a cell"));
        let mut set = CellSet::EMPTY;
        assert_eq!(
            (
                set.is_empty(),
                set.first(),
                set.is_several(),
                set.iter().count()
            ),
            (true, None, false, 0)
        );
        set.toggle(place("y25"));
        assert_eq!(
            (set.is_empty(), set.first(), set.is_several()),
            (false, Some(place("y25")), false)
        );
        set.toggle(place("a1"));
        assert_eq!(
            (set.first(), set.is_several(), set.iter().count()),
            (Some(place("a1")), true, 2)
        );
        let mut other = CellSet::EMPTY;
        other.toggle(place("a1"));
        assert_eq!(set.and(&other), other);
        assert_eq!(set.or(&other), set);
        assert_eq!(CellSet::EMPTY.or(&set), set);
        assert_eq!(set.only(), None);
        set.toggle(place("a1"));
        assert_eq!(set.only(), Some(place("y25")));
        set.toggle(place("y25"));
        assert_eq!(set, CellSet::EMPTY);
    }
}
