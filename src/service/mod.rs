//! What a running service is made of: its configuration, its limits, the threads that search, and the ways of files
//! into the store and out of it.
//!
//! It knows nothing of HTTP. Begin reading with [`Config`], then [`SearchPool`], [`import()`] and [`Export`].

mod config;
mod export;
mod import;
mod import_gate;
mod in_flight;
mod pool;

pub use config::{Config, Limits, SearchConfig, cores};
pub use export::Export;
pub use import::{Fate, ImportCounts, ImportPlan, Imported, Keeping, Unfit, import};
pub use import_gate::{GateShut, ImportGate};
pub use in_flight::{InFlight, Turn};
pub use pool::{Counts, Finished, Order, Report, SearchError, SearchPool, Ticket, Urgency};
