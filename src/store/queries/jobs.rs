//! Jobs: taken, worked on under leases, and ended once.

use async_trait::async_trait;
use futures_util::FutureExt;
use sqlx::{QueryBuilder, Row};
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::{count_of, micros, time_of};
use super::{Connection, Db, DbRow, LOCKING, LOCKING_FREE, Pools};
use crate::store::job::{End, Ending, Telling};
use crate::store::{
    Cancelling, Claim, Claimed, Hold, Job, JobEvent, JobId, JobState, Jobs, NewEvent, NewJob,
    PutJob, StoreError,
};

/// A job without its input, which may be long, and with its place among those that wait. A condition follows.
const JOBS: &str = "SELECT jobs.id, jobs.kind, jobs.state, jobs.progress, jobs.result, jobs.problem, jobs.attempts, \
     jobs.cancelled, jobs.last_event, jobs.created_at, jobs.started_at, jobs.finished_at, (SELECT COUNT(*) FROM jobs AS others WHERE others.state = 'queued' AND \
     others.seq <= jobs.seq) AS place FROM jobs";
/// Those that somebody may work on, now that it is so late.
const FREE: &str = "(state = 'queued' OR (state = 'running' AND lease_until < ";

#[async_trait]
impl Jobs for Pools {
    async fn put_job(
        &self,
        job: NewJob,
        most_waiting: u32,
        at: OffsetDateTime,
    ) -> Result<PutJob, StoreError> {
        self.write_job(move |db| put(db, job, most_waiting, at).boxed())
            .await
    }

    async fn job(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        let mut db = self.reader().await?;
        by_id(&mut db, id).await
    }

    async fn job_events(
        &self,
        id: JobId,
        after: u64,
        most: u32,
    ) -> Result<Vec<JobEvent>, StoreError> {
        let mut db = self.reader().await?;
        events(&mut db, id, after, most).await
    }

    async fn claim_job(
        &self,
        until: OffsetDateTime,
        at: OffsetDateTime,
    ) -> Result<Option<Claim>, StoreError> {
        // Most of the time there is none, and to find that takes no right to write.
        let is_any = {
            let mut db = self.reader().await?;
            oldest_free(&mut db, "", at).await?.is_some()
        };
        if !is_any {
            return Ok(None);
        }
        self.write_job(move |db| claim(db, until, at).boxed()).await
    }

    async fn job_hold(&self, claim: &Claimed) -> Result<Hold, StoreError> {
        let mut db = self.reader().await?;
        let mut query = QueryBuilder::<Db>::new("SELECT cancelled FROM jobs");
        push_owned(&mut query, *claim);
        let row = query.build().fetch_optional(&mut *db).await?;
        hold(row.as_ref())
    }

    async fn tell_job(
        &self,
        claim: &Claimed,
        told: Telling,
        until: OffsetDateTime,
    ) -> Result<Hold, StoreError> {
        let claim = *claim;
        self.write_job(move |db| tell(db, claim, told, until).boxed())
            .await
    }

    async fn end_job(
        &self,
        claim: &Claimed,
        ending: Ending,
        at: OffsetDateTime,
    ) -> Result<Hold, StoreError> {
        let claim = *claim;
        self.write_job(move |db| end(db, claim, ending, at).boxed())
            .await
    }

    async fn return_job(&self, claim: &Claimed) -> Result<(), StoreError> {
        let claim = *claim;
        self.write_job(move |db| give_back(db, claim).boxed()).await
    }

    async fn cancel_job(
        &self,
        id: JobId,
        last: NewEvent,
        at: OffsetDateTime,
    ) -> Result<Cancelling, StoreError> {
        self.write_job(move |db| cancel(db, id, last, at).boxed())
            .await
    }

    async fn forget_jobs(&self, before: OffsetDateTime, kept: u32) -> Result<u64, StoreError> {
        self.write_job(move |db| forget(db, before, kept).boxed())
            .await
    }
}

fn job_of(row: &DbRow) -> Result<Job, StoreError> {
    let state = row.try_get::<String, _>("state")?;
    let state = JobState::of(&state).ok_or(StoreError::Corrupt("state"))?;
    let time = |name| {
        let at = row.try_get::<Option<i64>, _>(name)?;
        at.map(time_of).transpose()
    };
    let place = count_of(row, "place")?;
    Ok(Job {
        id: JobId(row.try_get::<Uuid, _>("id")?),
        kind: row.try_get("kind")?,
        state,
        queue_position: (state == JobState::Queued).then_some(place),
        attempts: count_of(row, "attempts")?,
        is_cancelled: row.try_get::<i64, _>("cancelled")? != 0,
        progress: row.try_get("progress")?,
        result: row.try_get("result")?,
        problem: row.try_get("problem")?,
        created_at: time_of(row.try_get("created_at")?)?,
        started_at: time("started_at")?,
        finished_at: time("finished_at")?,
        last_event: count_of(row, "last_event")?,
    })
}

async fn by_id(db: &mut Connection, id: JobId) -> Result<Option<Job>, StoreError> {
    let mut query = QueryBuilder::<Db>::new(JOBS);
    query.push(" WHERE jobs.id = ").push_bind(id.0);
    let row = query.build().fetch_optional(&mut *db).await?;
    row.as_ref().map(job_of).transpose()
}

async fn by_digest(db: &mut Connection, digest: [u8; 32]) -> Result<Option<Job>, StoreError> {
    let mut query = QueryBuilder::<Db>::new(JOBS);
    query
        .push(" WHERE jobs.digest = ")
        .push_bind(digest.to_vec());
    let row = query.build().fetch_optional(&mut *db).await?;
    row.as_ref().map(job_of).transpose()
}

async fn put(
    db: &mut Connection,
    job: NewJob,
    most_waiting: u32,
    at: OffsetDateTime,
) -> Result<PutJob, StoreError> {
    if let Some(known) = by_digest(db, job.digest).await? {
        return Ok(PutJob::Known(known));
    }
    let row = sqlx::query("SELECT COUNT(*) AS waiting FROM jobs WHERE state = 'queued'")
        .fetch_one(&mut *db)
        .await?;
    if count_of(&row, "waiting")? >= u64::from(most_waiting) {
        return Ok(PutJob::Full);
    }
    let id = JobId(Uuid::now_v7());
    let mut query = QueryBuilder::<Db>::new(
        "INSERT INTO jobs (id, kind, input, digest, state, attempts, cancelled, last_event, created_at) VALUES (",
    );
    let mut values = query.separated(", ");
    values
        .push_bind(id.0)
        .push_bind(job.kind)
        .push_bind(job.input)
        .push_bind(job.digest.to_vec())
        .push("'queued', 0, 0, 1")
        .push_bind(micros(at)?);
    query.push(") ON CONFLICT (digest) DO NOTHING RETURNING seq");
    match query.build().fetch_optional(&mut *db).await? {
        Some(row) => {
            add_events(db, row.try_get("seq")?, 1, vec![job.accepted]).await?;
            let job = by_id(db, id).await?;
            job.map(PutJob::New).ok_or(StoreError::Corrupt("job"))
        }
        // Another server was faster by a moment.
        None => {
            let job = by_digest(db, job.digest).await?;
            job.map(PutJob::Known).ok_or(StoreError::Busy)
        }
    }
}

/// Adds events to a job, whose last number is known already.
async fn add_events(
    db: &mut Connection,
    job: i64,
    last: i64,
    events: Vec<NewEvent>,
) -> Result<(), StoreError> {
    let count = i64::try_from(events.len()).map_err(|_| StoreError::Corrupt("count"))?;
    for (number, event) in (last - count + 1..).zip(events) {
        let mut query =
            QueryBuilder::<Db>::new("INSERT INTO job_events (job, number, type, data) VALUES (");
        let mut values = query.separated(", ");
        values
            .push_bind(job)
            .push_bind(number)
            .push_bind(event.kind)
            .push_bind(event.data);
        query.push(")");
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

async fn events(
    db: &mut Connection,
    id: JobId,
    after: u64,
    most: u32,
) -> Result<Vec<JobEvent>, StoreError> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut query = QueryBuilder::<Db>::new(
        "SELECT job_events.number, job_events.type, job_events.data FROM job_events \
         JOIN jobs ON jobs.seq = job_events.job WHERE jobs.id = ",
    );
    query
        .push_bind(id.0)
        .push(" AND job_events.number > ")
        .push_bind(after)
        .push(" ORDER BY job_events.number LIMIT ")
        .push_bind(i64::from(most));
    let rows = query.build().fetch_all(&mut *db).await?;
    let event = |row: &DbRow| {
        Ok(JobEvent {
            number: count_of(row, "number")?,
            kind: row.try_get("type")?,
            data: row.try_get("data")?,
        })
    };
    rows.iter().map(event).collect()
}

/// The number of the oldest job that somebody may work on; `locking` keeps it from others.
async fn oldest_free(
    db: &mut Connection,
    locking: &'static str,
    at: OffsetDateTime,
) -> Result<Option<i64>, StoreError> {
    let mut query = QueryBuilder::<Db>::new("SELECT seq FROM jobs WHERE ");
    query
        .push(FREE)
        .push_bind(micros(at)?)
        .push(")) ORDER BY seq LIMIT 1")
        .push(locking);
    let row = query.build().fetch_optional(&mut *db).await?;
    Ok(row.map(|row| row.try_get("seq")).transpose()?)
}

async fn claim(
    db: &mut Connection,
    until: OffsetDateTime,
    at: OffsetDateTime,
) -> Result<Option<Claim>, StoreError> {
    let Some(seq) = oldest_free(db, LOCKING_FREE, at).await? else {
        return Ok(None);
    };
    let owner = Uuid::now_v7();
    let at = micros(at)?;
    let mut query = QueryBuilder::<Db>::new("UPDATE jobs SET state = 'running', owner = ");
    query
        .push_bind(owner)
        .push(", lease_until = ")
        .push_bind(micros(until)?)
        .push(", attempts = attempts + 1, started_at = COALESCE(started_at, ")
        .push_bind(at)
        .push(") WHERE seq = ")
        .push_bind(seq)
        .push(" RETURNING id, kind, input, checkpoint, attempts, cancelled");
    let row = query.build().fetch_one(&mut *db).await?;
    Ok(Some(Claim {
        claimed: Claimed {
            id: JobId(row.try_get::<Uuid, _>("id")?),
            owner,
        },
        kind: row.try_get("kind")?,
        input: row.try_get("input")?,
        checkpoint: row.try_get("checkpoint")?,
        attempts: count_of(&row, "attempts")?,
        is_cancelled: row.try_get::<i64, _>("cancelled")? != 0,
    }))
}

/// The condition that a job is still its owner's.
fn push_owned(query: &mut QueryBuilder<Db>, claim: Claimed) {
    query
        .push(" WHERE state = 'running' AND id = ")
        .push_bind(claim.id.0)
        .push(" AND owner = ")
        .push_bind(claim.owner);
}

fn hold(row: Option<&DbRow>) -> Result<Hold, StoreError> {
    Ok(match row {
        None => Hold::Lost,
        Some(row) if row.try_get::<i64, _>("cancelled")? != 0 => Hold::Cancelled,
        Some(_) => Hold::Held,
    })
}

/// Finishes a change to an owner's job, and adds what is told with it.
async fn change(
    db: &mut Connection,
    mut query: QueryBuilder<Db>,
    claim: Claimed,
    events: Vec<NewEvent>,
) -> Result<Hold, StoreError> {
    let count = i64::try_from(events.len()).map_err(|_| StoreError::Corrupt("count"))?;
    query.push(", last_event = last_event + ").push_bind(count);
    push_owned(&mut query, claim);
    query.push(" RETURNING seq, last_event, cancelled");
    let row = query.build().fetch_optional(&mut *db).await?;
    if let Some(row) = &row {
        add_events(db, row.try_get("seq")?, row.try_get("last_event")?, events).await?;
    }
    hold(row.as_ref())
}

async fn tell(
    db: &mut Connection,
    claim: Claimed,
    told: Telling,
    until: OffsetDateTime,
) -> Result<Hold, StoreError> {
    let mut query = QueryBuilder::<Db>::new("UPDATE jobs SET lease_until = ");
    query
        .push_bind(micros(until)?)
        .push(", progress = COALESCE(")
        .push_bind(told.progress)
        .push(", progress), checkpoint = COALESCE(")
        .push_bind(told.checkpoint)
        .push(", checkpoint)");
    change(db, query, claim, told.events).await
}

async fn end(
    db: &mut Connection,
    claim: Claimed,
    ending: Ending,
    at: OffsetDateTime,
) -> Result<Hold, StoreError> {
    let is_kept = matches!(ending.end, End::Done(_));
    let (state, result, problem) = match ending.end {
        End::Done(result) | End::DoneOnce(result) => (JobState::Done, Some(result), None),
        End::Failed(problem) => (JobState::Failed, None, Some(problem)),
        End::Cancelled => (JobState::Cancelled, None, None),
    };
    let mut query = QueryBuilder::<Db>::new("UPDATE jobs SET state = ");
    query
        .push_bind(state.name())
        .push(", result = ")
        .push_bind(result)
        .push(", problem = ")
        .push_bind(problem)
        .push(", progress = COALESCE(")
        .push_bind(ending.told.progress)
        .push(", progress), finished_at = ")
        .push_bind(micros(at)?)
        .push(ENDED);
    if !is_kept {
        query.push(", digest = NULL");
    }
    change(db, query, claim, ending.told.events).await
}

/// What becomes of a job's own when it has ended: nobody works on it any more.
const ENDED: &str = ", input = '', checkpoint = NULL, owner = NULL, lease_until = NULL";

async fn give_back(db: &mut Connection, claim: Claimed) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new(
        "UPDATE jobs SET state = 'queued', owner = NULL, lease_until = NULL, attempts = attempts - 1",
    );
    push_owned(&mut query, claim);
    query.build().execute(&mut *db).await?;
    Ok(())
}

async fn cancel(
    db: &mut Connection,
    id: JobId,
    last: NewEvent,
    at: OffsetDateTime,
) -> Result<Cancelling, StoreError> {
    let mut query = QueryBuilder::<Db>::new("SELECT state, seq, last_event FROM jobs WHERE id = ");
    query.push_bind(id.0).push(LOCKING);
    let Some(row) = query.build().fetch_optional(&mut *db).await? else {
        return Ok(Cancelling::NoSuchJob);
    };
    let state = JobState::of(&row.try_get::<String, _>("state")?);
    let state = state.ok_or(StoreError::Corrupt("state"))?;
    let seq: i64 = row.try_get("seq")?;
    let mut query = QueryBuilder::<Db>::new("UPDATE jobs SET cancelled = 1");
    if state == JobState::Queued {
        query
            .push(
                ", state = 'cancelled', digest = NULL, last_event = last_event + 1, finished_at = ",
            )
            .push_bind(micros(at)?)
            .push(ENDED);
        let number: i64 = row.try_get("last_event")?;
        add_events(db, seq, number + 1, vec![last]).await?;
    }
    if !state.is_ended() {
        query.push(" WHERE seq = ").push_bind(seq);
        query.build().execute(&mut *db).await?;
    }
    let job = by_id(db, id).await?.ok_or(StoreError::Corrupt("job"))?;
    Ok(match state {
        JobState::Queued => Cancelling::Ended(job),
        JobState::Running => Cancelling::Asked(job),
        JobState::Done | JobState::Failed | JobState::Cancelled => Cancelling::TooLate(job),
    })
}

/// More jobs than any database keeps: a list from so manieth on must have a length.
const ALL: i64 = 1_000_000_000;

async fn forget(db: &mut Connection, before: OffsetDateTime, kept: u32) -> Result<u64, StoreError> {
    let mut query = QueryBuilder::<Db>::new("DELETE FROM jobs WHERE finished_at < ");
    query
        .push_bind(micros(before)?)
        .push(
            " OR seq IN (SELECT seq FROM jobs WHERE finished_at IS NOT NULL \
             ORDER BY finished_at DESC, seq DESC LIMIT ",
        )
        .push_bind(ALL)
        .push(" OFFSET ")
        .push_bind(i64::from(kept))
        .push(")");
    Ok(query.build().execute(&mut *db).await?.rows_affected())
}
