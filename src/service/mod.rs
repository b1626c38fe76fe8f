//! What a running service is made of: its configuration, its limits, the threads that search and the work that
//! goes on beside the requests.
//!
//! It knows nothing of HTTP. Begin reading with [`Config`], then [`SearchPool`].

mod config;
mod pool;
mod ratings;

pub use config::{Config, Limits, SearchConfig, cores};
pub use pool::{Counts, Finished, Order, Report, SearchError, SearchPool, Ticket, Urgency};
pub use ratings::keep_rated;
