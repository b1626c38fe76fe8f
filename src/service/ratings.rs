use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::store::Store;

/// How long the players' ratings stay as they are at least.
const LEAST_PAUSE: Duration = Duration::from_secs(10);
/// How much longer than rating itself the pause after it is: rating takes at most 5 % of the time.
const PAUSES: u32 = 20;

/// Keeps the players rated by the games there are, for as long as it is polled: at once, and then whenever
/// games have changed, with pauses. What fails goes to the log and is tried again.
pub async fn keep_rated(store: Arc<dyn Store>) {
    loop {
        let begun = Instant::now();
        match store.rate().await {
            Ok(true) => {
                tracing::debug!(
                    took_ms = begun.elapsed().as_millis(),
                    "the players are rated"
                );
            }
            // The store has counted its changes: this took one look.
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the players could not be rated"),
        }
        tokio::time::sleep(pause_after(begun.elapsed())).await;
    }
}

fn pause_after(took: Duration) -> Duration {
    took.saturating_mul(PAUSES).max(LEAST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rating_takes_at_most_a_twentieth_of_the_time() {
        for (took, pause) in [
            (Duration::ZERO, 10),
            (Duration::from_millis(499), 10),
            (Duration::from_secs(1), 20),
            (Duration::from_secs(60), 1_200),
        ] {
            assert_eq!(pause_after(took), Duration::from_secs(pause), "{took:?}");
        }
        assert_eq!(pause_after(Duration::MAX), Duration::MAX);
    }
}
