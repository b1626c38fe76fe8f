use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::engine::{Limits, StopReason};

/// Says when a search has to stop.
pub(super) struct Clock<'a> {
    started: Instant,
    limits: Limits,
    cancel: &'a AtomicBool,
    /// The nodes of all threads of the search, where it has several, as far as they have told them.
    team: Option<&'a AtomicU64>,
    nodes: u64,
    /// How many of them the team knows.
    told: u64,
    next_look: u64,
    stop: Option<StopReason>,
}

/// How many nodes pass between two looks at the time: less than a millisecond's worth.
const BETWEEN_LOOKS: u64 = 256;

/// About how many nodes are searched in a millisecond.
const NODES_IN_A_MILLISECOND: u64 = 1_000;

impl<'a> Clock<'a> {
    pub(super) fn new(limits: Limits, cancel: &'a AtomicBool) -> Clock<'a> {
        Clock {
            started: Instant::now(),
            limits,
            cancel,
            team: None,
            nodes: 0,
            told: 0,
            next_look: 0,
            stop: None,
        }
    }

    /// The same for one of several threads, whose nodes count together.
    pub(super) fn in_team(self, nodes: &'a AtomicU64) -> Clock<'a> {
        Clock {
            team: Some(nodes),
            ..self
        }
    }

    /// The nodes so far, of all threads of the search; those of the others to within a look.
    pub(super) fn nodes(&self) -> u64 {
        match self.team {
            Some(team) => team.load(Ordering::Relaxed) + self.nodes - self.told,
            None => self.nodes,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Why the search has to stop, once it has.
    pub(super) fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// Counts a node; true when the search has to stop.
    #[inline]
    pub(super) fn tick(&mut self) -> bool {
        if self.stop.is_some() {
            return true;
        }
        if self.limits.nodes.is_some_and(|nodes| self.nodes >= nodes) {
            self.stop = Some(StopReason::Nodes);
            return true;
        }
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + BETWEEN_LOOKS;
            if let Some(team) = self.team {
                team.fetch_add(self.nodes - self.told, Ordering::Relaxed);
                self.told = self.nodes;
            }
            self.look();
        }
        self.stop.is_some()
    }

    fn look(&mut self) {
        if self.cancel.load(Ordering::Relaxed) {
            self.stop = Some(StopReason::Cancelled);
        } else if self.limits.time.is_some_and(|time| self.elapsed() >= time) {
            self.stop = Some(StopReason::Time);
        } else if self.limits.nodes.is_some_and(|nodes| self.nodes() > nodes) {
            // Only a team comes so far.
            self.stop = Some(StopReason::Nodes);
        }
    }

    /// About a tenth of the nodes that the search may use, for what comes before it.
    pub(super) fn tenth_of_nodes(&self) -> u32 {
        let by_nodes = self.limits.nodes.map(|nodes| nodes / 10);
        let by_time = self
            .limits
            .time
            .map(|time| NODES_IN_A_MILLISECOND / 10 * time.as_millis() as u64);
        let least = by_nodes.into_iter().chain(by_time).min();
        least.map_or(u32::MAX, |nodes| u32::try_from(nodes).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many nodes may be counted before the clock says stop, and why it does.
    fn counted(limits: Limits, cancel: bool) -> (u64, Option<StopReason>) {
        let cancel = AtomicBool::new(cancel);
        let mut clock = Clock::new(limits, &cancel);
        while clock.nodes() < 10_000 && !clock.tick() {}
        (clock.nodes(), clock.stop())
    }

    #[test]
    fn nodes_are_counted_to_the_last() {
        for nodes in [0, 1, 255, 256, 257, 1_000] {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            assert_eq!(counted(limits, false), (nodes, Some(StopReason::Nodes)));
        }
    }

    #[test]
    fn without_a_limit_it_goes_on() {
        assert_eq!(counted(Limits::default(), false), (10_000, None));
    }

    #[test]
    fn a_clock_stopped_before_the_first_node_counts_that_one_alone() {
        let at_once = Limits {
            time: Some(Duration::ZERO),
            ..Limits::default()
        };
        assert_eq!(counted(at_once, false), (1, Some(StopReason::Time)));
        assert_eq!(
            counted(Limits::default(), true),
            (1, Some(StopReason::Cancelled))
        );
    }

    #[test]
    fn once_stopped_it_stays_stopped_for_the_same_reason() {
        let cancel = AtomicBool::new(false);
        let mut clock = Clock::new(
            Limits {
                nodes: Some(1),
                ..Limits::default()
            },
            &cancel,
        );
        assert!(!clock.tick());
        assert!(clock.tick());
        cancel.store(true, Ordering::Relaxed);
        assert!(clock.tick());
        assert_eq!((clock.stop(), clock.nodes()), (Some(StopReason::Nodes), 1));
    }

    #[test]
    fn the_nodes_of_a_team_count_together() {
        let (team, cancel) = (AtomicU64::new(0), AtomicBool::new(false));
        let limits = Limits {
            nodes: Some(1_000),
            ..Limits::default()
        };
        let mut clocks = [(); 3].map(|()| Clock::new(limits, &cancel).in_team(&team));
        while clocks.iter_mut().any(|clock| !clock.tick()) {}
        for clock in &clocks {
            assert_eq!(clock.stop(), Some(StopReason::Nodes));
            let over = clock.nodes() - 1_000;
            assert!(over <= 3 * BETWEEN_LOOKS, "{over} nodes too many");
        }
    }

    #[test]
    fn what_comes_before_the_search_gets_a_tenth() {
        let cancel = AtomicBool::new(false);
        let tenth = |limits| Clock::new(limits, &cancel).tenth_of_nodes();
        assert_eq!(
            tenth(Limits {
                nodes: Some(1_000),
                ..Limits::default()
            }),
            100
        );
        assert_eq!(tenth(Limits::default()), u32::MAX);
        let second = Some(Duration::from_secs(1));
        assert_eq!(
            tenth(Limits {
                time: second,
                nodes: Some(50),
                ..Limits::default()
            }),
            5
        );
        assert!(
            tenth(Limits {
                time: second,
                ..Limits::default()
            }) > 1_000
        );
    }
}
