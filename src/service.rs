//! What a running service is made of: its configuration and its limits.
//!
//! It knows nothing of HTTP.

use std::net::SocketAddr;
use std::num::NonZeroUsize;

/// How a service is started.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How many threads answer requests.
    pub workers: NonZeroUsize,
    /// The database, as `sqlite://tengen.db`.
    pub database_url: String,
    /// What callers may ask for.
    pub limits: Limits,
}

/// The bounds on what a caller may send or ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest request body, in octets.
    pub body_bytes: usize,
    /// The longest path and query of a request, in octets.
    pub url_bytes: usize,
    /// The most items on a page of a list.
    pub page_items: u32,
}

impl Limits {
    /// The most moves a hint can name.
    pub const HINT_COUNT: i64 = 10;
    /// The longest time a hint may be asked to take, in milliseconds.
    pub const HINT_TIME_MS: i64 = 10_000;
    /// The most faults told in one answer.
    pub const ERRORS: usize = 20;
    /// The longest name of a player, event, site, round, source or tag, in characters.
    pub const TEXT_CHARS: usize = 200;
    /// The most tags of a game.
    pub const TAGS: usize = 20;
    /// The number of items on a page when the caller does not say.
    pub const PAGE_DEFAULT: u32 = 50;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 64 * 1024,
            url_bytes: 8_000,
            page_items: 200,
        }
    }
}
