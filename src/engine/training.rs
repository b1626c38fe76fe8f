//! What the programs that train the evaluation and time its parts need to know of the engine.

use crate::board::Cell;
use crate::engine::cells::Place;
use crate::engine::network;
use crate::engine::state::{Makes, State};
use crate::rules::Position;

pub use crate::engine::chance::Chance;
pub use crate::engine::network::{
    CHANNELS, CLASS_PAIRS, HIDDEN, MOST_OF_A_CELL, OFFSETS, PAIRS, POINTS, SHRINK,
};

/// What the evaluation sees of an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellFeatures {
    /// The cell.
    pub cell: Cell,
    /// For each line, the pair of shapes that a stone there makes for both colours.
    pub lines: [u8; 4],
    /// The pair of classes of the cell for both colours.
    pub classes: u8,
    /// Is it among the cells that a search tries?
    pub is_candidate: bool,
}

/// Where a cell lies to a stone, as the policy sees it; below [`OFFSETS`].
pub fn offset(cell: Cell, stone: Option<Cell>) -> usize {
    network::offset(Place::of(cell), stone.map(Place::of))
}

/// What the evaluation sees of a position: its empty cells.
pub fn features(position: &Position) -> Vec<CellFeatures> {
    let state = State::new(position);
    let candidates = state.candidates();
    let features = state.empty_cells().iter().filter_map(|place| {
        let shapes = state.shapes_at(place);
        Some(CellFeatures {
            cell: place.cell()?,
            lines: std::array::from_fn(|line| network::pair(shapes, line) as u8),
            classes: network::class_pair(state.classes_at(place)) as u8,
            is_candidate: candidates.has(place),
        })
    });
    features.collect()
}

/// Is it a position that a search evaluates: no five can be made or has to be stopped, no open four made?
pub fn is_quiet(position: &Position) -> bool {
    let state = State::new(position);
    let own = state.to_move();
    state.makers(own, Makes::Five).is_empty()
        && state.makers(!own, Makes::Five).is_empty()
        && state.makers(own, Makes::OpenFour).is_empty()
}

/// The state that a search keeps, for timing what a stone costs it.
pub struct Stones(State);

impl Stones {
    /// The state at a position.
    pub fn new(position: &Position) -> Stones {
        let mut state = State::new(position);
        // What comes after goes on from the sums of this position, as in a search.
        state.evaluate();
        Stones(state)
    }

    /// Puts a stone of the side to move on an empty cell, and takes it again.
    pub fn put_and_take(&mut self, cell: Cell) {
        self.0.put(Place::of(cell), self.0.to_move());
        self.0.take();
    }

    /// The same, with the evaluation in between: points for the side to move then.
    pub fn points_after(&mut self, cell: Cell) -> i32 {
        self.0.put(Place::of(cell), self.0.to_move());
        let points = self.0.evaluate();
        self.0.take();
        points
    }
}
