//! The board: sizes, cells, colours, directions, stones on a grid, symmetries, keys and diagrams.
//!
//! This room knows geometry only. It does not know what wins, what is legal or whose turn it is.
//! Begin reading with [`Cell`], then [`Board`].

mod cell;
mod color;
mod diagram;
mod direction;
mod grid;
mod key;
mod mixing;
mod size;
mod symmetry;

pub use cell::{Cell, CellName, ParseCellError};
pub use color::{ByColor, Color, ParseColorError};
pub use diagram::{DiagramError, DiagramFault, RowText};
pub use direction::Direction;
pub use grid::{Board, Sense, Square};
pub use key::{Key, ParseKeyError};
pub(crate) use mixing::{STEP, mix, mixed};
pub use size::{BoardSize, UnsupportedSize};
pub use symmetry::{ParseSymmetryError, Symmetry};
