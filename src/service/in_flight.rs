use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The requests that must be done only once and are being done now, by their keys.
#[derive(Clone, Debug, Default)]
pub struct InFlight {
    // std mutex: never held over an await.
    keys: Arc<Mutex<HashSet<String>>>,
}

/// Holds a key while its request is being done.
#[derive(Debug)]
pub struct Turn {
    keys: Arc<Mutex<HashSet<String>>>,
    key: String,
}

impl InFlight {
    /// Takes a key, unless a request with it is being done.
    pub fn enter(&self, key: &str) -> Option<Turn> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.to_owned()).then(|| Turn {
            keys: Arc::clone(&self.keys),
            key: key.to_owned(),
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_once_until_its_request_is_done() {
        let in_flight = InFlight::default();
        let turn = in_flight.enter("a").expect("free");
        assert!(in_flight.enter("a").is_none());
        assert!(in_flight.enter("b").is_some());
        drop(turn);
        assert!(in_flight.enter("a").is_some());
    }
}
