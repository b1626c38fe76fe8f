use std::time::Duration;

use thiserror::Error;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::service::Limits;

/// Lets few imports run at once: each holds a whole file, and all of them wait for the one that may write.
#[derive(Debug)]
pub struct ImportGate {
    places: Semaphore,
    wait: Duration,
}

/// As many imports run as may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("as many imports run as may at once ({})", Limits::IMPORTS_AT_ONCE)]
pub struct GateShut;

impl ImportGate {
    /// How long an import waits for its turn.
    const WAIT: Duration = Duration::from_secs(10);

    /// Waits for a place, that is free again when the permit is dropped.
    ///
    /// # Errors
    ///
    /// [`GateShut`] when none becomes free for ten seconds.
    pub async fn enter(&self) -> Result<SemaphorePermit<'_>, GateShut> {
        match timeout(self.wait, self.places.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            // It is never closed.
            Ok(Err(_)) | Err(_) => Err(GateShut),
        }
    }
}

impl Default for ImportGate {
    fn default() -> ImportGate {
        ImportGate {
            places: Semaphore::new(Limits::IMPORTS_AT_ONCE),
            wait: ImportGate::WAIT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_more_than_may_waits_and_gives_up() {
        let gate = ImportGate {
            wait: Duration::from_millis(20),
            ..ImportGate::default()
        };
        let mut permits = Vec::new();
        for _ in 0..Limits::IMPORTS_AT_ONCE {
            permits.push(gate.enter().await.expect("there is a place"));
        }
        assert_eq!(gate.enter().await.err(), Some(GateShut));
        permits.pop();
        assert!(gate.enter().await.is_ok());
    }
}
