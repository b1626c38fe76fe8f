//! What a running service is made of: its configuration, its limits, the threads that search, the ways of files
//! into the store and out of it, and the work that goes on beside the requests.
//!
//! It knows nothing of HTTP. Begin reading with [`Config`], then [`SearchPool`], [`import()`] and [`Export`].

mod certificates;
mod config;
mod export;
mod import;
mod import_gate;
mod in_flight;
mod job_search;
mod job_tally;
mod jobs;
mod pool;
mod ratings;
mod searcher;

pub use certificates::{keep_certificates, keep_certificates_of};
pub use config::{Config, JobConfig, Limits, SearchConfig, cores};
pub use export::Export;
pub use import::{Bound, Cut, Fate, ImportCounts, ImportPlan, Imported, Keeping, Unfit, import};
pub use import_gate::{GateShut, ImportGate};
pub use in_flight::{InFlight, Turn};
pub use job_search::{search_for_job, work_for_job};
pub use job_tally::{JobCounts, JobTally};
pub use jobs::{JobBell, JobNotes, JobWork, JobWorker, forget_old_jobs, stopped};
pub use pool::{Counts, Finished, Order, Report, SearchError, SearchPool, Ticket, Urgency};
pub use ratings::keep_rated;
pub use searcher::{Searcher, SearcherError};
