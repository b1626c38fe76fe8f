//! Tengen
pub mod board;
pub mod record;
pub mod rules;
