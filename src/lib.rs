//! Tengen: five-in-a-row as a library and an HTTP service.
pub mod api;
pub mod board;
pub mod cli;
pub mod engine;
pub mod record;
pub mod rules;
pub mod service;
pub mod store;
