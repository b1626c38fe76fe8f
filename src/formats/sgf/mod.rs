//! Smart Game Format, version 4, as renju and gomoku programs write it.
//!
//! A file is a collection of game trees, of which the main line is read: the first branch at each fork.
//! Points are two letters, column and row from the top left corner, or a letter and a number as in `h8`;
//! which it is, each point tells by itself.

mod point;
mod read;
mod reading;
mod tree;
mod write;

pub(super) use read::read;
pub(super) use tree::is_begun;
pub(super) use write::write;
