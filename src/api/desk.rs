//! Work that would hold up a thread that answers requests.

use std::num::NonZeroUsize;
use std::sync::Arc;

use actix_web::web;
use tokio::sync::Semaphore;

use crate::api::error::ApiError;

/// A few places for work that takes long but is no search; what finds none free waits for one.
#[derive(Clone)]
pub struct Desk {
    places: Arc<Semaphore>,
}

impl Desk {
    /// The most places: the largest picture takes 128 MiB while it is drawn.
    const MOST_PLACES: usize = 4;

    /// As many places as there are cores, but no more than the memory is for.
    pub fn new(cores: NonZeroUsize) -> Desk {
        Desk {
            places: Arc::new(Semaphore::new(cores.get().min(Desk::MOST_PLACES))),
        }
    }

    /// Does the work on a thread of its own. A caller that is gone waits no more; work that has begun
    /// is done to its end and keeps its place until then.
    ///
    /// # Errors
    ///
    /// [`ApiError::Internal`] when the work panics.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|error| ApiError::Internal(error.to_string()))?;
        web::block(move || {
            let done = work();
            drop(place);
            done
        })
        .await
        .map_err(|error| ApiError::Internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use futures_util::future::join_all;

    use super::*;

    #[actix_web::test]
    async fn no_more_is_done_at_once_than_there_are_places() {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        let desk = Desk::new(NonZeroUsize::new(2).unwrap());
        let one = |number: u32| {
            let desk = desk.clone();
            async move {
                let work = move || {
                    let now = NOW.fetch_add(1, Ordering::SeqCst) + 1;
                    MOST.fetch_max(now, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                    NOW.fetch_sub(1, Ordering::SeqCst);
                    number
                };
                desk.work(work).await.unwrap()
            }
        };
        let done = join_all((0..8).map(one)).await;
        assert_eq!(done, (0..8).collect::<Vec<_>>());
        assert_eq!(MOST.load(Ordering::SeqCst), 2);
    }

    #[actix_web::test]
    async fn work_that_panics_leaves_its_place() {
        let desk = Desk::new(NonZeroUsize::MIN);
        assert!(desk.work(|| panic!("meant")).await.is_err());
        assert_eq!(desk.work(|| 7).await.unwrap(), 7);
    }
}
