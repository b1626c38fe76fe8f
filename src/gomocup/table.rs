use std::num::NonZeroU64;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{Memory, prepare};
use crate::gomocup::input::Cut;
use crate::rules::Rule;

/// The engine's memory, kept from move to move. It is made on another thread, since clearing a gibibyte can take
/// two seconds: a move that cannot wait so long does with a small one.
pub(super) struct Table {
    memory: Memory,
    /// How large it is to be.
    mebibytes: usize,
    /// Absent before it was ordered and after it came.
    coming: Option<Receiver<Memory>>,
    is_ordered: bool,
}

/// Enough for a short search, and made in some milliseconds.
const SMALL_MEBIBYTES: usize = 4;
/// When the manager sets no limit.
const DEFAULT_MEBIBYTES: usize = 64;
/// More than this helps no search of a tournament's length.
const MOST_MEBIBYTES: u64 = 1024;
/// Of what the manager allows, the rest being for the program, its other tables and its stacks.
const PERCENT: u64 = 60;
/// How long a wait for the memory goes on without a look whether anybody still wants the move.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

impl Table {
    pub(super) fn new() -> Table {
        Table {
            memory: Memory::with_mebibytes(SMALL_MEBIBYTES),
            mebibytes: DEFAULT_MEBIBYTES,
            coming: None,
            is_ordered: false,
        }
    }

    /// Makes it as large as the manager allows, in octets.
    pub(super) fn resize(&mut self, octets: Option<NonZeroU64>) {
        let mebibytes = mebibytes(octets);
        if !self.is_ordered || self.mebibytes != mebibytes {
            self.mebibytes = mebibytes;
            self.order();
        }
    }

    pub(super) fn forget(&mut self) {
        self.memory.forget();
    }

    /// The memory, if it comes within this time and before the search is cut; until then a small one.
    pub(super) fn memory(&mut self, patience: Duration, cut: &Cut) -> &mut Memory {
        if !self.is_ordered {
            self.order();
        }
        let asked = Instant::now();
        while let Some(coming) = self.coming.take() {
            match coming.recv_timeout(patience.min(BETWEEN_LOOKS)) {
                Ok(memory) => self.memory = memory,
                // It could not be made: the small one has to do.
                Err(RecvTimeoutError::Disconnected) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.coming = Some(coming);
                    if asked.elapsed() >= patience || cut.search().load(Ordering::Acquire) {
                        break;
                    }
                }
            }
        }
        &mut self.memory
    }

    fn order(&mut self) {
        // What there is goes first, so that both together are never more than is allowed.
        if self.memory.mebibytes() > SMALL_MEBIBYTES {
            self.memory = Memory::with_mebibytes(SMALL_MEBIBYTES);
        }
        self.is_ordered = true;
        let mebibytes = self.mebibytes;
        let (sender, receiver) = mpsc::sync_channel(1);
        self.coming = Some(receiver);
        in_background(move || {
            // Nobody waits for it when another size was asked for since.
            let _ = sender.send(Memory::with_mebibytes(mebibytes));
        });
    }
}

/// Lets the engine build what it needs for a rule before a move has to be found under it.
pub(super) fn warm_up(rule: Rule) {
    in_background(move || prepare(rule));
}

fn in_background(work: impl FnOnce() + Send + 'static) {
    // Without a thread the work is not done ahead of time, or goes without: only time is lost.
    let _ = thread::Builder::new()
        .name("gomocup-prepare".into())
        .spawn(work);
}

fn mebibytes(octets: Option<NonZeroU64>) -> usize {
    octets.map_or(DEFAULT_MEBIBYTES, |octets| {
        let mebibytes = (octets.get() >> 20).saturating_mul(PERCENT) / 100;
        usize::try_from(mebibytes.clamp(1, MOST_MEBIBYTES)).unwrap_or(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_stays_within_what_is_allowed_and_of_use() {
        for (octets, size) in [
            (0, 64),
            (1, 1),
            (1 << 20, 1),
            (83_886_080, 48),
            (256 << 20, 153),
            (350 << 20, 210),
            (u64::MAX, 1024),
        ] {
            assert_eq!(mebibytes(NonZeroU64::new(octets)), size, "{octets} octets");
        }
    }

    #[test]
    fn a_small_memory_stands_in_until_the_large_one_comes() {
        let (mut table, cut) = (Table::new(), Cut::default());
        table.resize(NonZeroU64::new(10 << 20));
        assert!([4, 6].contains(&table.memory(Duration::ZERO, &cut).mebibytes()));
        assert_eq!(table.memory(Duration::from_secs(60), &cut).mebibytes(), 6);
        table.resize(NonZeroU64::new(10 << 20));
        let memory = table.memory(Duration::ZERO, &cut);
        assert_eq!(memory.mebibytes(), 6, "the same size is kept");
    }
}
