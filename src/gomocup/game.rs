use crate::board::{Board, BoardSize, Cell, Color};
use crate::gomocup::Refusal;
use crate::gomocup::command::{Field, Holds, Point};
use crate::rules::{IllegalPosition, Position, Rule, Status};

/// A game as the manager has told it: stones without colours, in order as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Game {
    size: BoardSize,
    stones: Vec<(Cell, Side)>,
    /// Cells where nobody can play.
    blocked: Vec<Cell>,
}

/// Whose stone it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Own,
    Other,
}

impl Game {
    pub(super) fn new(size: BoardSize) -> Game {
        Game {
            size,
            stones: Vec::new(),
            blocked: Vec::new(),
        }
    }

    /// A game gone on from a list of fields, none of them twice.
    pub(super) fn from_fields(size: BoardSize, fields: &[Option<Field>]) -> Result<Game, Refusal> {
        let mut game = Game::new(size);
        for (field, number) in fields.iter().zip(1..) {
            let is_read = field.is_some_and(|field| game.set(field).is_ok());
            if !is_read {
                return Err(Refusal::FaultyBoard { line: number });
            }
        }
        Ok(game)
    }

    pub(super) fn size(&self) -> BoardSize {
        self.size
    }

    pub(super) fn blocked(&self) -> &[Cell] {
        &self.blocked
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stones.is_empty()
    }

    /// Is one of the games the other one some stones further on?
    pub(super) fn is_akin_to(&self, other: &Game) -> bool {
        let is_within =
            |few: &Game, many: &Game| few.stones.iter().all(|stone| many.stones.contains(stone));
        self.size == other.size && (is_within(self, other) || is_within(other, self))
    }

    pub(super) fn put(&mut self, point: Point, side: Side) -> Result<Cell, Refusal> {
        let cell = self.free_cell(point)?;
        self.stones.push((cell, side));
        Ok(cell)
    }

    pub(super) fn take_back(&mut self, point: Point) -> Result<(), Refusal> {
        let cell = point.cell(self.size).ok_or(Refusal::NoSuchPoint)?;
        let place = self.stones.iter().rposition(|(stone, _)| *stone == cell);
        self.stones.remove(place.ok_or(Refusal::NoStone)?);
        Ok(())
    }

    /// The position with the engine to move.
    pub(super) fn position(&self, rule: Rule) -> Result<Position, Refusal> {
        let own = self.own_color();
        let mut board = Board::new(self.size);
        for (cell, side) in &self.stones {
            let color = match side {
                Side::Own => own,
                Side::Other => !own,
            };
            board.put(*cell, color);
        }
        let position = Position::from_board(rule, board, own)
            .map_err(|IllegalPosition::TwoWinners| Refusal::TwoWinners)?;
        match position.status() {
            Status::Ongoing => Ok(position),
            Status::Won { winner, .. } => Err(Refusal::Won(winner)),
            Status::Drawn { .. } => Err(Refusal::Drawn),
        }
    }

    /// The engine's colour when it is to move: Black if it has as many stones as the other side, or more.
    fn own_color(&self) -> Color {
        let own = self
            .stones
            .iter()
            .filter(|(_, side)| *side == Side::Own)
            .count();
        if 2 * own < self.stones.len() {
            Color::White
        } else {
            Color::Black
        }
    }

    fn set(&mut self, field: Field) -> Result<(), Refusal> {
        let cell = self.free_cell(field.point)?;
        match field.holds {
            Holds::Own => self.stones.push((cell, Side::Own)),
            Holds::Other => self.stones.push((cell, Side::Other)),
            Holds::Blocked => self.blocked.push(cell),
        }
        Ok(())
    }

    fn free_cell(&self, point: Point) -> Result<Cell, Refusal> {
        let cell = point.cell(self.size).ok_or(Refusal::NoSuchPoint)?;
        let is_taken = self.stones.iter().any(|(taken, _)| *taken == cell);
        if is_taken || self.blocked.contains(&cell) {
            Err(Refusal::Occupied)
        } else {
            Ok(cell)
        }
    }
}
