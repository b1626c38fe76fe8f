//! What is acknowledged is kept, whatever happens: the real program is killed, locked out, left without room
//! or without its database, backed up, and run four times on one database.

#![allow(
    clippy::unwrap_used,
    reason = "in a test whatever is missing is a failure, and the helpers are not test functions themselves"
)]

mod away;
#[path = "../store/base.rs"]
#[allow(dead_code, reason = "what the store's own tests need")]
mod base;
#[path = "../http/client.rs"]
#[allow(dead_code, reason = "what the tests of the interface need")]
mod client;
mod commands;
mod disk;
mod jobs;
mod kill;
mod postgres;
mod writers;
