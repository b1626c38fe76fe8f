//! The questions and their answers in SQL that both databases understand.
//!
//! This folder is compiled once for each database, since sqlx has types of its own for each; `super::Db` says
//! which. Numbers are `i64`, texts sort by their octets, times are microseconds since 1970.

mod certificates;
mod conditions;
mod counts;
mod explorer;
pub(in crate::store) mod games;
mod jobs;
mod list;
mod once;
mod players;
mod ratings;
mod recount;
pub(in crate::store) mod rows;
mod statistics;
mod store;
mod transaction;

pub(in crate::store) use transaction::{finish, pool};

use super::{Connection, Db, DbRow, LOCKING, LOCKING_FREE, Pools, SNAPSHOT};
