//! Tengen from outside: a real server on a free port, asked over HTTP as any caller would.
//!
//! The tests say what the interface promises. `client.rs` starts servers and asks them; every other
//! file has one subject.

#![allow(
    clippy::unwrap_used,
    reason = "in a test whatever is missing is a failure, and the helpers are not test functions themselves"
)]

mod analyses;
mod bad_input;
mod batches;
mod boards;
mod client;
mod collection;
mod conventions;
mod conversions;
mod defences;
mod explorer;
mod exports;
mod game_changes;
mod games;
mod hints;
mod imports;
mod jobs;
mod legal_moves;
mod limits;
mod openapi;
mod players;
mod program;
mod proof_checks;
mod proofs;
mod readme;
mod replays;
mod reviews;
mod service;
mod statistics;
mod streams;
mod threats;
