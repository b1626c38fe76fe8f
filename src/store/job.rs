use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use thiserror::Error;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::StoreError;

/// Long work that is done beside the requests, by whichever server has time. What it is about, only its kind's worker
/// knows: here its input, its result and its events are texts.
///
/// A job is worked on under a lease: only its owner may tell of it and end it, so it ends once, whoever dies or is late.
///
/// # Errors
///
/// All calls fail with [`StoreError`] when the database is busy or broken.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Takes a job, unless an equal one is there already or as many wait as may.
    async fn put_job(
        &self,
        job: NewJob,
        most_waiting: u32,
        at: OffsetDateTime,
    ) -> Result<PutJob, StoreError>;

    /// The job of a name, if there is one.
    async fn job(&self, id: JobId) -> Result<Option<Job>, StoreError>;

    /// What was told of a job after an event, at most so much.
    async fn job_events(
        &self,
        id: JobId,
        after: u64,
        most: u32,
    ) -> Result<Vec<JobEvent>, StoreError>;

    /// Gives the oldest job that waits, or whose owner's lease has run out, to a new owner.
    async fn claim_job(
        &self,
        until: OffsetDateTime,
        at: OffsetDateTime,
    ) -> Result<Option<Claim>, StoreError>;

    /// How it stands with an owner's job.
    async fn job_hold(&self, claim: &Claimed) -> Result<Hold, StoreError>;

    /// Tells of a job and makes its lease longer.
    async fn tell_job(
        &self,
        claim: &Claimed,
        told: Telling,
        until: OffsetDateTime,
    ) -> Result<Hold, StoreError>;

    /// Ends a job. Does nothing when it has another owner by now.
    async fn end_job(
        &self,
        claim: &Claimed,
        ending: Ending,
        at: OffsetDateTime,
    ) -> Result<Hold, StoreError>;

    /// Gives a job back that is not done, for others to go on with; the attempt does not count.
    async fn return_job(&self, claim: &Claimed) -> Result<(), StoreError>;

    /// Cancels a job: one that waits ends at once with this event, one that runs is ended by its owner.
    async fn cancel_job(
        &self,
        id: JobId,
        last: NewEvent,
        at: OffsetDateTime,
    ) -> Result<Cancelling, StoreError>;

    /// Forgets jobs that ended before a time, and all but the newest of those that have ended; tells how many.
    async fn forget_jobs(&self, before: OffsetDateTime, kept: u32) -> Result<u64, StoreError>;
}

/// The name of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JobId(pub(super) Uuid);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that is no job's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a job's name is a UUID in lower case with hyphens")]
pub struct ParseJobIdError;

impl FromStr for JobId {
    type Err = ParseJobIdError;

    fn from_str(text: &str) -> Result<JobId, ParseJobIdError> {
        let id = text.parse::<Uuid>().map_err(|_| ParseJobIdError)?;
        // One spelling of a name, though UUIDs have others.
        (id.to_string() == text)
            .then_some(JobId(id))
            .ok_or(ParseJobIdError)
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    /// It is worked on, or was by a server that is gone.
    Running,
    /// It has a result.
    Done,
    /// It has none, and a problem tells why.
    Failed,
    /// Somebody wanted no more of it.
    Cancelled,
}

impl JobState {
    /// All of them.
    pub const ALL: [JobState; 5] = [
        JobState::Queued,
        JobState::Running,
        JobState::Done,
        JobState::Failed,
        JobState::Cancelled,
    ];

    /// The name, as `queued`.
    pub const fn name(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
        }
    }

    /// Does nothing happen to it any more?
    pub const fn is_ended(self) -> bool {
        match self {
            JobState::Queued | JobState::Running => false,
            JobState::Done | JobState::Failed | JobState::Cancelled => true,
        }
    }

    pub(super) fn of(name: &str) -> Option<JobState> {
        let mut all = JobState::ALL.into_iter();
        all.find(|state| state.name() == name)
    }
}

/// A job to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// What kind of work it is.
    pub kind: String,
    /// What it works on.
    pub input: String,
    /// A digest of both: an equal one gets the same job.
    pub digest: [u8; 32],
    /// Its first event.
    pub accepted: NewEvent,
}

/// An event that has no number yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// What it tells.
    pub kind: &'static str,
    /// What is told, in JSON.
    pub data: String,
}

/// An event of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEvent {
    /// Its number, from 1; without gaps.
    pub number: u64,
    /// What it tells.
    pub kind: String,
    /// What is told, in JSON.
    pub data: String,
}

/// What became of a job that was handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PutJob {
    /// It is taken.
    New(Job),
    /// An equal one is there.
    Known(Job),
    /// As many wait as may.
    Full,
}

/// A job as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name.
    pub id: JobId,
    /// What kind of work it is.
    pub kind: String,
    /// How far it is.
    pub state: JobState,
    /// Where it stands among those that wait, from 1.
    pub queue_position: Option<u64>,
    /// How often it was begun.
    pub attempts: u64,
    /// Does somebody want no more of it?
    pub is_cancelled: bool,
    /// How far the work is, in JSON.
    pub progress: Option<String>,
    /// What came of it, in JSON.
    pub result: Option<String>,
    /// Why it failed, in JSON.
    pub problem: Option<String>,
    /// When it was handed in.
    pub created_at: OffsetDateTime,
    /// When it was first begun.
    pub started_at: Option<OffsetDateTime>,
    /// When it ended.
    pub finished_at: Option<OffsetDateTime>,
    /// The number of its last event.
    pub last_event: u64,
}

/// Who works on which job. Each time a job is given to somebody, the owner has a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The job.
    pub id: JobId,
    pub(super) owner: Uuid,
}

/// A job that was given to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whose it is.
    pub claimed: Claimed,
    /// What kind of work it is.
    pub kind: String,
    /// What it works on.
    pub input: String,
    /// What the owner before has left to go on from.
    pub checkpoint: Option<String>,
    /// How often it was begun, this time counted.
    pub attempts: u64,
    /// Does somebody want no more of it?
    pub is_cancelled: bool,
}

/// How it stands with an owner's job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// It is still the owner's.
    Held,
    /// It is, and somebody wants no more of it.
    Cancelled,
    /// It is no more.
    Lost,
}

/// What an owner tells of its job on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Telling {
    /// What happened.
    pub events: Vec<NewEvent>,
    /// How far the work is, if that has changed.
    pub progress: Option<String>,
    /// What another owner could go on from, if that has changed.
    pub checkpoint: Option<String>,
}

/// How an owner ends its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// What was not told before, and the last event.
    pub told: Telling,
    /// How it came out.
    pub end: End,
}

/// How a job comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With a result; an equal request gets this job.
    Done(String),
    /// With a result that holds of its moment only; an equal request begins anew.
    DoneOnce(String),
    /// With a problem.
    Failed(String),
    /// Without anything more.
    Cancelled,
}

/// What became of a wish to cancel a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancelling {
    /// It has ended by that.
    Ended(Job),
    /// Its owner will end it.
    Asked(Job),
    /// It had ended before.
    TooLate(Job),
    /// There is no such job.
    NoSuchJob,
}
