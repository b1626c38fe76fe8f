//! The terms of a search: what it may use and how strongly it looks. Shared by `hints.rs`, `analyses.rs` and
//! `reviews.rs`.

use std::time::Duration;

use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::faults::Faults;
use crate::api::query::QueryName;
use crate::api::text::{Whole, present};
use crate::engine::{self, Level};
use crate::service::Limits;

/// What a search may use; whatever is reached first ends it. Without any of them the search takes 500 ms, each of a
/// review 100 ms.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SearchLimits)]
pub struct RawSearchLimits {
    /// The longest time in milliseconds, from the start of the search; 10 000 at most for a hint. With it the answer depends on
    /// the machine.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u16>, nullable = false, minimum = 1, maximum = 30_000)]
    time_ms: Option<Whole>,
    /// The most positions to look at.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, nullable = false, minimum = 1, maximum = 1_000_000_000)]
    nodes: Option<Whole>,
    /// The most stones to look ahead.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 1, maximum = 100)]
    depth: Option<Whole>,
}

/// The names of the limits of a search in a query.
pub const LIMITS_QUERY: &[QueryName] = &[
    QueryName::number("time_ms", "/limits/time_ms"),
    QueryName::number("nodes", "/limits/nodes"),
    QueryName::number("depth", "/limits/depth"),
];

/// The names of how strongly it looks.
pub const LEVEL_QUERY: &[QueryName] = &[
    QueryName::number("level", "/level"),
    QueryName::number("seed", "/seed"),
];

/// How a search is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// What it may use.
    pub limits: engine::Limits,
    /// Does the answer follow from the question? It does unless the caller sets a time or no limit at all.
    pub is_repeatable: bool,
    /// Has the caller set a time?
    pub has_own_time: bool,
    /// How strongly it looks.
    pub level: Level,
    /// What its chance comes from.
    pub seed: u64,
}

impl Terms {
    /// The terms of a request; a search takes `longest` at most, whatever it is asked.
    pub fn validate(
        limits: Option<RawSearchLimits>,
        level: Option<Whole>,
        seed: Option<Whole>,
        longest: Duration,
        faults: &mut Faults,
    ) -> Option<Terms> {
        let terms = Terms::of_limits(limits, Limits::SEARCH_TIME_DEFAULT, longest, faults);
        let level = faults.within(level, "/level", 1..=i64::from(Level::FULL.number()));
        let seed = faults.within(seed, "/seed", 0..=Limits::SEED);
        Some(Terms {
            level: level.map_or(Some(Level::FULL), |level| {
                Level::new(u8::try_from(level).ok()?)
            })?,
            seed: u64::try_from(seed.unwrap_or(0)).ok()?,
            ..terms?
        })
    }

    /// The terms of a request for searches at full strength, each of which takes `default` where the caller sets no
    /// limit at all.
    pub fn of_limits(
        limits: Option<RawSearchLimits>,
        default: Duration,
        longest: Duration,
        faults: &mut Faults,
    ) -> Option<Terms> {
        let most_ms = i64::try_from(longest.as_millis()).ok()?;
        let (time_ms, nodes, depth) = limits.map_or((None, None, None), |limits| {
            (limits.time_ms, limits.nodes, limits.depth)
        });
        let time_ms = faults.within(time_ms, "/limits/time_ms", 1..=most_ms);
        let nodes = faults.within(nodes, "/limits/nodes", 1..=Limits::SEARCH_NODES);
        let depth = faults.within(depth, "/limits/depth", 1..=Limits::SEARCH_DEPTH);
        let is_repeatable = time_ms.is_none() && (nodes.is_some() || depth.is_some());
        let time = match time_ms {
            Some(time_ms) => Duration::from_millis(u64::try_from(time_ms).ok()?),
            None if is_repeatable => longest,
            None => default.min(longest),
        };
        Some(Terms {
            limits: engine::Limits {
                time: Some(time),
                nodes: nodes.and_then(|nodes| u64::try_from(nodes).ok()),
                depth: depth.and_then(|depth| u8::try_from(depth).ok()),
            },
            is_repeatable,
            has_own_time: time_ms.is_some(),
            level: Level::FULL,
            seed: 0,
        })
    }
}
