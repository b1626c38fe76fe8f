use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::cells::Place;

/// What searches remember: a table of positions seen. Kept by the caller from search to search, so that
/// nothing is allocated for a request.
pub struct Memory {
    buckets: Box<[Bucket]>,
    /// The generation of the search that runs now.
    generation: u16,
    /// Entries of generations before this one count as empty.
    oldest: u16,
}

/// Entries that share a place, a cache line together.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

const SLOTS: usize = 4;

/// An entry in two words. The first is the key mixed with the second, so that words of two writers do not
/// pass for one entry. (After Hyatt and Mann, "A lockless transposition table", 2002.)
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// What is remembered of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// How far was looked ahead.
    pub(super) depth: i8,
    pub(super) bound: Bound,
    /// The score, wins and losses counted from this position.
    pub(super) score: i16,
    /// The evaluation without a search.
    pub(super) evaluation: i16,
    pub(super) best: Option<Place>,
}

/// How a remembered score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true one is at least this.
    Lower,
    /// The true one is at most this.
    Upper,
    Exact,
}

/// The generations before the table has to be cleared.
const GENERATIONS: u16 = 1 << 12;
/// What an entry is worth that is forgotten: less than any that is not.
const FORGOTTEN: i32 = -100_000;
/// The number that stands for no place.
const NOWHERE: u16 = 1023;

impl Entry {
    fn pack(self, generation: u16) -> u64 {
        let bound: u64 = match self.bound {
            Bound::Lower => 0,
            Bound::Upper => 1,
            Bound::Exact => 2,
        };
        let best = self.best.map_or(NOWHERE, Place::number);
        u64::from(self.score as u16)
            | u64::from(self.evaluation as u16) << 16
            | u64::from(best) << 32
            | u64::from(self.depth as u8) << 42
            | bound << 50
            | u64::from(generation) << 52
    }

    fn unpack(data: u64) -> Entry {
        let best = (data >> 32) as u16 & NOWHERE;
        Entry {
            score: data as u16 as i16,
            evaluation: (data >> 16) as u16 as i16,
            best: (best != NOWHERE).then(|| Place::from_number(best)),
            depth: (data >> 42) as u8 as i8,
            bound: match data >> 50 & 3 {
                0 => Bound::Lower,
                1 => Bound::Upper,
                _ => Bound::Exact,
            },
        }
    }
}

fn generation_of(data: u64) -> u16 {
    (data >> 52) as u16
}

impl Memory {
    /// Memory of a size, at least one mebibyte.
    pub fn with_mebibytes(mebibytes: usize) -> Memory {
        let buckets = mebibytes.max(1) * (1 << 20) / size_of::<Bucket>();
        Memory {
            buckets: (0..buckets).map(|_| Bucket::default()).collect(),
            generation: 1,
            oldest: 1,
        }
    }

    /// The size.
    pub fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Forgets what earlier searches have left: the next one answers as a first one would.
    pub fn forget(&mut self) {
        self.age();
        self.oldest = self.generation;
    }

    /// Lets what earlier searches have left make room for what the next one finds.
    pub(super) fn age(&mut self) {
        self.generation += 1;
        if self.generation == GENERATIONS {
            self.generation = 1;
            self.oldest = 1;
            for slot in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
                *slot = Slot::default();
            }
        }
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high bits of a product spread over the buckets, whose number need not be a power of two.
        let at = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[at as usize]
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let is_it = slot.check.load(Ordering::Relaxed) ^ data == key
                && generation_of(data) >= self.oldest;
            is_it.then(|| Entry::unpack(data))
        })
    }

    /// Remembers an entry in place of the one for the same position or of the least worth.
    pub(super) fn put(&self, key: u64, mut entry: Entry) {
        let worth = |slot: &Slot| {
            let data = slot.data.load(Ordering::Relaxed);
            // What is forgotten is as good as empty, whatever it was.
            if generation_of(data) < self.oldest {
                FORGOTTEN
            } else if slot.check.load(Ordering::Relaxed) ^ data == key {
                i32::MIN
            } else {
                let age = i32::from(self.generation - generation_of(data));
                i32::from(Entry::unpack(data).depth) - 4 * age
            }
        };
        let Some(slot) = self.bucket(key).0.iter().min_by_key(|slot| worth(slot)) else {
            return;
        };
        let old = slot.data.load(Ordering::Relaxed);
        let is_same =
            slot.check.load(Ordering::Relaxed) ^ old == key && generation_of(old) >= self.oldest;
        if is_same {
            let old = Entry::unpack(old);
            if entry.best.is_none() {
                entry.best = old.best;
            }
            if entry.bound != Bound::Exact && entry.depth + 3 < old.depth {
                return;
            }
        }
        let data = entry.pack(self.generation);
        slot.data.store(data, Ordering::Relaxed);
        slot.check.store(key ^ data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(depth: i8) -> Entry {
        Entry {
            depth,
            bound: Bound::Exact,
            score: 7,
            evaluation: -3,
            best: None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_entry_comes_back_as_it_was_put(
            depth in any::<i8>(),
            score in any::<i16>(),
            evaluation in any::<i16>(),
            best in prop::option::of(0..NOWHERE),
            bound in prop::sample::select(vec![Bound::Lower, Bound::Upper, Bound::Exact]),
            generation in 1..GENERATIONS,
        ) {
            let entry = Entry { depth, bound, score, evaluation, best: best.map(Place::from_number) };
            prop_assert_eq!(Entry::unpack(entry.pack(generation)), entry);
            prop_assert_eq!(generation_of(entry.pack(generation)), generation);
        }

        /// Small keys all share the first bucket, so that entries drive each other out.
        #[test]
        fn after_forgetting_all_is_as_at_first(
            before in prop::collection::vec((1..8_u64, 0..4_i8), 0..8),
            puts in prop::collection::vec((1..8_u64, 0..4_i8), 0..8),
        ) {
            let mut fresh = Memory::with_mebibytes(1);
            fresh.age();
            let mut used = Memory::with_mebibytes(1);
            for (key, depth) in before {
                used.put(key, entry(depth));
            }
            used.forget();
            used.age();
            for (key, depth) in &puts {
                fresh.put(*key, entry(*depth));
                used.put(*key, entry(*depth));
            }
            for key in 1..8 {
                prop_assert_eq!(used.get(key), fresh.get(key), "the key {}", key);
            }
        }
    }

    #[test]
    fn what_was_forgotten_has_no_say_in_what_is_kept() {
        let puts = [1, 2, 3, 4, 5];
        let mut fresh = Memory::with_mebibytes(1);
        let mut used = Memory::with_mebibytes(1);
        for key in [2, 1] {
            used.put(key, entry(0));
        }
        used.forget();
        for memory in [&mut fresh, &mut used] {
            memory.age();
            for key in puts {
                memory.put(key, entry(0));
            }
        }
        assert_eq!(
            puts.map(|key| used.get(key).is_some()),
            puts.map(|key| fresh.get(key).is_some())
        );
    }

    #[test]
    fn nothing_is_known_of_what_was_forgotten_however_often() {
        let mut memory = Memory::with_mebibytes(1);
        for _ in 0..2 * u32::from(GENERATIONS) {
            memory.put(1, entry(5));
            assert_eq!(memory.get(1), Some(entry(5)));
            memory.forget();
            memory.age();
            assert_eq!(memory.get(1), None);
        }
    }

    #[test]
    fn memory_is_as_large_as_it_was_asked_to_be() {
        for mebibytes in [1, 3, 64] {
            assert_eq!(Memory::with_mebibytes(mebibytes).mebibytes(), mebibytes);
        }
        assert_eq!(Memory::with_mebibytes(0).mebibytes(), 1);
    }
}
