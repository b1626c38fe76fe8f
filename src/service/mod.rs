//! What a running service is made of: its configuration, its limits and the threads that search.
//!
//! It knows nothing of HTTP. Begin reading with [`Config`], then [`SearchPool`].

mod config;
mod in_flight;
mod pool;

pub use config::{Config, Limits, SearchConfig, cores};
pub use in_flight::{InFlight, Turn};
pub use pool::{Counts, Finished, Order, Report, SearchError, SearchPool, Ticket, Urgency};
