use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::FutureExt;
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio::time::{interval, sleep};

use crate::service::{JobConfig, JobTally};
use crate::store::{Claim, Claimed, Ending, Hold, NewEvent, Store, Telling};

/// How often a job may be begun: one that has ended its server so often would do it again.
const MOST_ATTEMPTS: u64 = 3;
/// How often a worker writes what its job has to tell, and looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(250);
/// How often a worker without a job looks for one that another server has taken in or left behind.
const POLL: Duration = Duration::from_secs(1);
/// How often jobs are forgotten that ended long ago.
const TIDYING: Duration = Duration::from_secs(60);

/// Does what jobs ask for, and has the words for how they end.
#[async_trait]
pub trait JobWork: Send + Sync {
    /// Works on a job; none when it is to be done later, by whomever. Dropped, it stops.
    async fn run(&self, claim: &Claim, notes: &JobNotes) -> Option<Ending>;

    /// The end of a job that nobody wants any more.
    fn cancelled(&self) -> Ending;

    /// The end of a job whose work breaks down.
    fn broken(&self, claim: &Claim) -> Ending;
}

/// What a job's work has to tell, until it is written.
#[derive(Debug, Default)]
pub struct JobNotes(Mutex<Telling>);

impl JobNotes {
    /// Something has happened.
    pub fn tell(&self, event: NewEvent) {
        self.told().events.push(event);
    }

    /// The work is so far, in JSON.
    pub fn note_progress(&self, progress: String) {
        self.told().progress = Some(progress);
    }

    /// From here another worker could go on. It is written together with what was told before.
    pub fn note_checkpoint(&self, checkpoint: String) {
        self.told().checkpoint = Some(checkpoint);
    }

    fn told(&self) -> MutexGuard<'_, Telling> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Telling {
        std::mem::take(&mut self.told())
    }

    /// Takes back what could not be written.
    fn put_back(&self, earlier: Telling) {
        let mut told = self.told();
        let later = std::mem::replace(&mut *told, earlier);
        told.events.extend(later.events);
        told.progress = later.progress.or(told.progress.take());
        told.checkpoint = later.checkpoint.or(told.checkpoint.take());
    }
}

/// Tells all in this process who wait for it that something has happened to jobs.
#[derive(Clone, Debug)]
pub struct JobBell(watch::Sender<()>);

impl Default for JobBell {
    fn default() -> JobBell {
        JobBell(watch::Sender::new(()))
    }
}

impl JobBell {
    /// Something has happened.
    pub fn ring(&self) {
        self.0.send_replace(());
    }

    /// Hears from now on.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}

/// Works on one job after another.
pub struct JobWorker {
    /// Where the jobs are.
    pub store: Arc<dyn Store>,
    /// How they are done.
    pub work: Arc<dyn JobWork>,
    /// Who hears of them.
    pub bell: JobBell,
    /// Where they are counted.
    pub tally: JobTally,
    /// What they may take.
    pub config: JobConfig,
    /// Is the service being stopped?
    pub stop: watch::Receiver<bool>,
}

impl JobWorker {
    /// Works until it is told to stop, and then gives its job back.
    pub async fn run(self) {
        let mut bell = self.bell.listen();
        while !*self.stop.borrow() {
            let now = OffsetDateTime::now_utc();
            match self.store.claim_job(now + self.config.lease, now).await {
                Ok(Some(claim)) => self.do_job(&claim).await,
                Ok(None) => self.pause(&mut bell).await,
                Err(error) => {
                    tracing::warn!(%error, "no job could be taken");
                    self.pause(&mut bell).await;
                }
            }
        }
    }

    /// Waits until there may be a job.
    async fn pause(&self, bell: &mut watch::Receiver<()>) {
        tokio::select! {
            _ = bell.changed() => {}
            () = sleep(POLL.min(self.config.lease / 2)) => {}
            () = stopped(self.stop.clone()) => {}
        }
    }

    async fn do_job(&self, claim: &Claim) {
        let _working = self.tally.begin();
        self.bell.ring();
        let notes = JobNotes::default();
        let ending = if claim.is_cancelled {
            Some(self.work.cancelled())
        } else if claim.attempts > MOST_ATTEMPTS {
            Some(self.work.broken(claim))
        } else {
            self.work_on(claim, &notes).await
        };
        if let Some(ending) = ending {
            self.end(claim.claimed, with_notes(ending, notes.take()))
                .await;
        }
    }

    /// Works on a job; none when it is no longer this worker's to end.
    async fn work_on(&self, claim: &Claim, notes: &JobNotes) -> Option<Ending> {
        let mut working = AssertUnwindSafe(self.work.run(claim, notes))
            .catch_unwind()
            .boxed();
        let mut bell = self.bell.listen();
        let mut ticks = interval(TICK.min(self.config.lease / 3));
        let mut renewed = Instant::now();
        loop {
            tokio::select! {
                done = &mut working => {
                    let done = done.unwrap_or_else(|_| Some(self.work.broken(claim)));
                    if done.is_none() {
                        self.give_back(claim.claimed, notes).await;
                        sleep(POLL).await;
                    }
                    return done;
                }
                () = stopped(self.stop.clone()) => {
                    self.give_back(claim.claimed, notes).await;
                    return None;
                }
                _ = ticks.tick() => {}
                _ = bell.changed() => {}
            }
            match self.keep(claim.claimed, notes, &mut renewed).await {
                Hold::Held => {}
                Hold::Cancelled => return Some(self.work.cancelled()),
                Hold::Lost => return None,
            }
        }
    }

    /// Writes what there is to tell and makes the lease longer in time, or else only looks how it stands. Where the database does
    /// not answer, the work goes on: should another worker take it over, only one of both can end it.
    async fn keep(&self, claimed: Claimed, notes: &JobNotes, renewed: &mut Instant) -> Hold {
        let told = notes.take();
        let has_news = told != Telling::default();
        if !has_news && renewed.elapsed() < self.config.lease / 3 {
            return self.store.job_hold(&claimed).await.unwrap_or(Hold::Held);
        }
        let until = OffsetDateTime::now_utc() + self.config.lease;
        match self.store.tell_job(&claimed, told.clone(), until).await {
            Ok(hold) => {
                *renewed = Instant::now();
                if has_news {
                    self.bell.ring();
                }
                hold
            }
            Err(error) => {
                tracing::warn!(%error, job = %claimed.id, "what a job tells could not be written");
                notes.put_back(told);
                Hold::Held
            }
        }
    }

    /// Ends a job, as soon as the database takes it.
    async fn end(&self, claimed: Claimed, ending: Ending) {
        let hold = loop {
            let now = OffsetDateTime::now_utc();
            match self.store.end_job(&claimed, ending.clone(), now).await {
                Ok(hold) => break hold,
                Err(error) => {
                    tracing::warn!(%error, job = %claimed.id, "a job could not be ended");
                }
            }
            if *self.stop.borrow() {
                return;
            }
            sleep(POLL).await;
        };
        if hold != Hold::Lost {
            self.tally.end(&ending.end);
        }
        self.bell.ring();
    }

    /// Gives a job back with what was found.
    async fn give_back(&self, claimed: Claimed, notes: &JobNotes) {
        let until = OffsetDateTime::now_utc() + self.config.lease;
        let written = self.store.tell_job(&claimed, notes.take(), until).await;
        let returned = self.store.return_job(&claimed).await;
        if let Err(error) = written.map(|_| ()).and(returned) {
            tracing::warn!(%error, job = %claimed.id, "a job is not given back; it will be when its lease has run out");
        }
    }
}

/// An ending with what was not told yet before its own.
fn with_notes(mut ending: Ending, mut notes: Telling) -> Ending {
    notes.events.append(&mut ending.told.events);
    ending.told.events = notes.events;
    ending.told.progress = ending.told.progress.or(notes.progress);
    ending
}

/// Comes when the service is being stopped.
pub async fn stopped(mut stop: watch::Receiver<bool>) {
    // Nobody who could say so any more is as good.
    let _ = stop.wait_for(|is_stopped| *is_stopped).await;
}

/// Forgets jobs that ended long ago, for as long as it is polled.
pub async fn forget_old_jobs(store: Arc<dyn Store>, config: JobConfig) {
    loop {
        let before = OffsetDateTime::now_utc() - config.kept_for;
        if let Err(error) = store.forget_jobs(before, config.kept).await {
            tracing::warn!(%error, "old jobs could not be forgotten");
        }
        sleep(TIDYING).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str) -> NewEvent {
        NewEvent {
            kind: "progress",
            data: data.into(),
        }
    }

    #[test]
    fn what_could_not_be_written_is_told_before_what_came_later() {
        let notes = JobNotes::default();
        notes.tell(event("1"));
        notes.note_progress("one".into());
        notes.note_checkpoint("a".into());
        let told = notes.take();
        assert_eq!(notes.take(), Telling::default());
        notes.tell(event("2"));
        notes.note_progress("two".into());
        notes.put_back(told);
        let told = notes.take();
        assert_eq!(told.events, [event("1"), event("2")]);
        assert_eq!(told.progress.as_deref(), Some("two"));
        assert_eq!(told.checkpoint.as_deref(), Some("a"));
    }

    #[tokio::test]
    async fn a_bell_is_heard_though_it_rang_while_nobody_waited() {
        let bell = JobBell::default();
        let mut ear = bell.listen();
        bell.ring();
        assert!(ear.changed().await.is_ok());
        let again = tokio::time::timeout(Duration::from_millis(10), ear.changed()).await;
        assert!(again.is_err(), "it rang once");
    }
}
