use std::collections::BTreeMap;

use thiserror::Error;

use crate::board::{Board, Cell, Square};
use crate::picture::{Mark, Title};
use crate::record::{Ply, Record, Replay};
use crate::rules::{Position, Status, WinLine, WinReason};

/// What is to be seen: stones, which of them is the last, the rows that have won, marks and a title.
///
/// ```
/// use tengen::board::BoardSize;
/// use tengen::picture::{Look, Mark, Picture, Title, draw_svg};
/// use tengen::record::{Record, notation::read_moves};
/// use tengen::rules::Rule;
///
/// let moves = read_moves("h8 i9 h9", 20).expect("all are moves");
/// let record = Record::new(Rule::Renju, BoardSize::DEFAULT, moves);
/// let picture = Picture::of_replay(&record, &record.replay())
///     .with_marks([("h10".parse()?, Mark::Hint { rank: 1 })])?
///     .with_title(Title::new("Ito – Wu"));
/// let svg = draw_svg(&picture, Look::default());
/// assert!(svg.contains("<title>Ito – Wu</title>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    board: Board,
    numbers: BTreeMap<Cell, usize>,
    last: Option<Cell>,
    lines: Vec<WinLine>,
    marks: BTreeMap<Cell, Mark>,
    title: Option<Title>,
}

/// Why something cannot be shown where it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PictureError {
    /// The cell is not on this board.
    #[error("{0} is not on the board")]
    OffBoard(Cell),
    /// The mark is for cells without a stone.
    #[error("{0} holds a stone")]
    Occupied(Cell),
    /// The last stone is to be where there is none.
    #[error("{0} holds no stone")]
    NoStone(Cell),
}

impl Picture {
    /// The stones of a position and the rows that have won. It has no past: no number, no last stone.
    pub fn of_position(position: &Position) -> Picture {
        Picture {
            board: position.board().clone(),
            numbers: BTreeMap::new(),
            last: None,
            lines: position.winning_lines(),
            marks: BTreeMap::new(),
            title: None,
        }
    }

    /// The position at the end of the legal part of a record, given with its replay: every stone with
    /// its number, the last one marked, and crossed out if it was forbidden.
    pub fn of_replay(record: &Record, replay: &Replay) -> Picture {
        let mut picture = Picture::of_position(replay.position());
        for (index, ply) in record.plies().iter().take(replay.plies()).enumerate() {
            if let Ply::Stone(cell) = *ply
                && picture.has_stone(cell)
            {
                picture.numbers.insert(cell, index + 1);
                picture.last = Some(cell);
            }
        }
        if let Status::Won {
            by: WinReason::Forbidden(_),
            ..
        } = replay.position().status()
        {
            picture
                .marks
                .extend(picture.last.map(|cell| (cell, Mark::Forbidden)));
        }
        picture
    }

    /// The same with a stone marked as the last one.
    ///
    /// # Errors
    ///
    /// [`PictureError::OffBoard`] or [`PictureError::NoStone`].
    pub fn with_last(self, cell: Cell) -> Result<Picture, PictureError> {
        match self.board.at(cell) {
            Square::Outside => Err(PictureError::OffBoard(cell)),
            Square::Empty => Err(PictureError::NoStone(cell)),
            Square::Stone(_) => Ok(Picture {
                last: Some(cell),
                ..self
            }),
        }
    }

    /// The same with more marks, put on by [`Picture::mark_cell`].
    ///
    /// # Errors
    ///
    /// [`PictureError::OffBoard`], or [`PictureError::Occupied`] for a hint or a threat on a stone.
    pub fn with_marks(
        mut self,
        marks: impl IntoIterator<Item = (Cell, Mark)>,
    ) -> Result<Picture, PictureError> {
        for (cell, mark) in marks {
            self.mark_cell(cell, mark)?;
        }
        Ok(self)
    }

    /// Puts a mark on a cell. A cell shows one mark: a forbidden cell goes before a hint, a hint
    /// before a threat, a better hint before a worse; of two others the one that came first.
    ///
    /// # Errors
    ///
    /// [`PictureError::OffBoard`], or [`PictureError::Occupied`] for a hint or a threat on a stone; the
    /// picture is unchanged.
    pub fn mark_cell(&mut self, cell: Cell, mark: Mark) -> Result<(), PictureError> {
        match self.board.at(cell) {
            Square::Outside => return Err(PictureError::OffBoard(cell)),
            Square::Stone(_) if !mark.fits_stones() => return Err(PictureError::Occupied(cell)),
            Square::Stone(_) | Square::Empty => {}
        }
        let shown = self.marks.entry(cell).or_insert(mark);
        if mark.replaces(*shown) {
            *shown = mark;
        }
        Ok(())
    }

    /// The same with a title, or without one.
    #[must_use]
    pub fn with_title(self, title: Option<Title>) -> Picture {
        Picture { title, ..self }
    }

    pub(super) const fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn number(&self, cell: Cell) -> Option<usize> {
        self.numbers.get(&cell).copied()
    }

    pub(super) const fn last(&self) -> Option<Cell> {
        self.last
    }

    pub(super) fn lines(&self) -> &[WinLine] {
        &self.lines
    }

    pub(super) fn mark(&self, cell: Cell) -> Option<Mark> {
        self.marks.get(&cell).copied()
    }

    /// The marked cells in the order of their rows, from the bottom.
    pub(super) fn marks(&self) -> impl Iterator<Item = (Cell, Mark)> {
        self.marks.iter().map(|(cell, mark)| (*cell, *mark))
    }

    pub(super) const fn title(&self) -> Option<&Title> {
        self.title.as_ref()
    }

    fn has_stone(&self, cell: Cell) -> bool {
        matches!(self.board.at(cell), Square::Stone(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Color};
    use crate::picture::Letter;
    use crate::record::notation::read_moves;
    use crate::rules::Rule;

    fn cell(name: &str) -> Cell {
        name.parse().unwrap()
    }

    fn of_moves(rule: Rule, moves: &str) -> Picture {
        let plies = read_moves(moves, 20).unwrap();
        let record = Record::new(rule, BoardSize::DEFAULT, plies);
        Picture::of_replay(&record, &record.replay())
    }

    #[test]
    fn stones_of_a_record_have_the_numbers_of_their_plies() {
        let picture = of_moves(Rule::Renju, "h8 h9 i8 pass i9");
        assert_eq!(picture.number(cell("i8")), Some(3));
        assert_eq!(picture.number(cell("i9")), Some(5));
        assert_eq!(picture.number(cell("a1")), None);
        assert_eq!(picture.last(), Some(cell("i9")));
    }

    #[test]
    fn what_the_rules_refuse_is_not_seen() {
        let picture = of_moves(Rule::Freestyle, "h8 h9 h8 z1 a1");
        assert_eq!(picture.last(), Some(cell("h9")));
        assert_eq!(picture.number(cell("h8")), Some(1));
        assert_eq!(picture.number(cell("a1")), None);
        assert_eq!(of_moves(Rule::Freestyle, "").last(), None);
    }

    #[test]
    fn a_forbidden_stone_is_crossed_out() {
        let picture = of_moves(Rule::Renju, "h9 a1 h10 a3 i8 a5 j8 a7 h8");
        assert_eq!(picture.last(), Some(cell("h8")));
        assert_eq!(picture.mark(cell("h8")), Some(Mark::Forbidden));
    }

    #[test]
    fn marks_are_on_the_board_and_hints_and_threats_on_empty_cells() {
        let picture = of_moves(Rule::Freestyle, "h8 i9");
        let marked = |name: &str, mark| picture.clone().with_marks([(cell(name), mark)]);
        let hint = Mark::Hint { rank: 1 };
        let threat = Mark::Threat {
            by: Color::White,
            letter: Letter::try_from('F').unwrap(),
        };
        assert_eq!(
            marked("y25", hint),
            Err(PictureError::OffBoard(cell("y25")))
        );
        assert_eq!(marked("h8", hint), Err(PictureError::Occupied(cell("h8"))));
        assert_eq!(
            marked("i9", threat),
            Err(PictureError::Occupied(cell("i9")))
        );
        assert!(marked("h8", Mark::Forbidden).is_ok());
        let both = [(cell("a1"), threat), (cell("a1"), hint)];
        let shown = picture.with_marks(both).unwrap();
        assert_eq!(shown.mark(cell("a1")), Some(hint));
    }

    #[test]
    fn the_last_stone_is_a_stone() {
        let picture = of_moves(Rule::Freestyle, "h8 i9");
        let last = |name: &str| picture.clone().with_last(cell(name)).map(|p| p.last());
        assert_eq!(last("h8"), Ok(Some(cell("h8"))));
        assert_eq!(last("a1"), Err(PictureError::NoStone(cell("a1"))));
        assert_eq!(last("p1"), Err(PictureError::OffBoard(cell("p1"))));
    }
}
