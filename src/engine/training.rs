//! What the program that trains the evaluation needs to know of the engine.

use crate::board::Cell;
use crate::engine::network;
use crate::engine::state::{Makes, State};
use crate::rules::Position;

pub use crate::engine::chance::Chance;
pub use crate::engine::network::{
    CHANNELS, CLASS_PAIRS, HIDDEN, MOST_OF_A_CELL, PAIRS, POINTS, SHRINK,
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
