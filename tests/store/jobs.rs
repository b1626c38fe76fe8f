//! Jobs: taken, given out under leases, told of, and ended once.

use std::collections::BTreeMap;
use std::sync::Arc;

use tengen::store::{
    Cancelling, Claim, End, Ending, Hold, Job, JobState, NewEvent, NewJob, PutJob, Store, Telling,
};
use time::{Duration, OffsetDateTime};

use crate::base::Base;
use crate::sample::AT;

const LEASE: Duration = Duration::seconds(30);
const MANY: u32 = 1_000;

fn event(kind: &'static str, data: &str) -> NewEvent {
    NewEvent {
        kind,
        data: data.into(),
    }
}

fn numbered(number: u8) -> NewJob {
    NewJob {
        kind: "analysis".into(),
        input: format!("{{\"number\":{number}}}"),
        digest: [number; 32],
        accepted: event("accepted", "{}"),
    }
}

async fn put(store: &Arc<dyn Store>, number: u8) -> Job {
    match store.put_job(numbered(number), MANY, AT).await.unwrap() {
        PutJob::New(job) => job,
        other => panic!("{other:?}"),
    }
}

async fn claim(store: &Arc<dyn Store>, at: OffsetDateTime) -> Option<Claim> {
    store.claim_job(at + LEASE, at).await.unwrap()
}

async fn read(store: &Arc<dyn Store>, job: &Job) -> Job {
    store.job(job.id).await.unwrap().unwrap()
}

fn ending(end: End, kind: &'static str) -> Ending {
    Ending {
        told: Telling {
            events: vec![event(kind, "{}")],
            ..Telling::default()
        },
        end,
    }
}

fn done() -> Ending {
    ending(End::Done("[1]".into()), "done")
}

/// Numbers and kinds of what was told of a job after an event.
async fn told(store: &Arc<dyn Store>, job: &Job, after: u64) -> Vec<(u64, String)> {
    let events = store.job_events(job.id, after, MANY).await.unwrap();
    let told = events.into_iter().map(|event| (event.number, event.kind));
    told.collect()
}

fn pairs(list: &[(u64, &str)]) -> Vec<(u64, String)> {
    list.iter()
        .map(|(number, kind)| (*number, (*kind).to_owned()))
        .collect()
}

pub async fn a_job_is_taken_once_and_told_as_it_stands(_: &Base, store: Arc<dyn Store>) {
    let job = put(&store, 1).await;
    assert_eq!(job.state, JobState::Queued);
    assert_eq!((job.queue_position, job.attempts), (Some(1), 0));
    assert_eq!(
        (job.created_at, job.started_at, job.finished_at),
        (AT, None, None)
    );
    let again = store.put_job(numbered(1), MANY, AT + LEASE).await.unwrap();
    assert_eq!(again, PutJob::Known(job.clone()));
    assert_eq!(told(&store, &job, 0).await, pairs(&[(1, "accepted")]));
    let claim = claim(&store, AT).await.unwrap();
    assert_eq!(claim.claimed.id, job.id);
    assert_eq!(
        (claim.kind.as_str(), claim.input.as_str()),
        ("analysis", "{\"number\":1}")
    );
    assert_eq!(
        (claim.attempts, claim.is_cancelled, &claim.checkpoint),
        (1, false, &None)
    );
    let running = read(&store, &job).await;
    assert_eq!(running.state, JobState::Running);
    assert_eq!(
        (running.queue_position, running.started_at),
        (None, Some(AT))
    );
    assert_eq!(
        store
            .end_job(&claim.claimed, done(), AT + LEASE)
            .await
            .unwrap(),
        Hold::Held
    );
    let ended = read(&store, &job).await;
    assert_eq!(
        (ended.state, ended.finished_at),
        (JobState::Done, Some(AT + LEASE))
    );
    assert_eq!(ended.result.as_deref(), Some("[1]"));
    // An equal request gets what is done.
    let again = store.put_job(numbered(1), MANY, AT + LEASE).await.unwrap();
    assert_eq!(again, PutJob::Known(ended));
    let strange = "019357a4-6c00-7000-8000-000000000000".parse().unwrap();
    assert_eq!(store.job(strange).await.unwrap(), None);
    assert_eq!(store.job_events(strange, 0, MANY).await.unwrap(), []);
}

pub async fn jobs_are_given_out_in_order_and_each_to_one_owner(_: &Base, store: Arc<dyn Store>) {
    assert_eq!(claim(&store, AT).await, None);
    let mut jobs = Vec::new();
    for number in 1..=3 {
        jobs.push(put(&store, number).await);
    }
    assert_eq!(read(&store, &jobs[2]).await.queue_position, Some(3));
    for job in &jobs {
        assert_eq!(claim(&store, AT).await.unwrap().claimed.id, job.id);
    }
    assert_eq!(claim(&store, AT).await, None);
}

pub async fn what_is_told_of_a_job_is_numbered_without_gaps(_: &Base, store: Arc<dyn Store>) {
    let job = put(&store, 1).await;
    let owner = claim(&store, AT).await.unwrap().claimed;
    let told_now = Telling {
        events: vec![event("progress", "1"), event("progress", "2")],
        progress: Some("{\"depth\":2}".into()),
        checkpoint: Some("so far".into()),
    };
    let until = AT + LEASE + LEASE;
    let hold = store.tell_job(&owner, told_now, until).await.unwrap();
    assert_eq!(hold, Hold::Held);
    // Nothing new is told; what was stays.
    let hold = store
        .tell_job(&owner, Telling::default(), until)
        .await
        .unwrap();
    assert_eq!(hold, Hold::Held);
    assert_eq!(
        read(&store, &job).await.progress.as_deref(),
        Some("{\"depth\":2}")
    );
    // The lease is longer now.
    assert_eq!(claim(&store, AT + LEASE + Duration::SECOND).await, None);
    store.end_job(&owner, done(), AT).await.unwrap();
    let all = pairs(&[
        (1, "accepted"),
        (2, "progress"),
        (3, "progress"),
        (4, "done"),
    ]);
    assert_eq!(told(&store, &job, 0).await, all);
    assert_eq!(told(&store, &job, 2).await, all[2..]);
    assert_eq!(told(&store, &job, 4).await, []);
    assert_eq!(read(&store, &job).await.last_event, 4);
    let two = store.job_events(job.id, 1, 2).await.unwrap();
    assert_eq!(
        two.iter()
            .map(|event| event.data.as_str())
            .collect::<Vec<_>>(),
        ["1", "2"]
    );
}

pub async fn a_job_whose_lease_has_run_out_is_given_to_another(_: &Base, store: Arc<dyn Store>) {
    let job = put(&store, 1).await;
    let first = claim(&store, AT).await.unwrap();
    let checkpoint = Telling {
        checkpoint: Some("half".into()),
        ..Telling::default()
    };
    store
        .tell_job(&first.claimed, checkpoint, AT + LEASE)
        .await
        .unwrap();
    assert_eq!(claim(&store, AT + LEASE).await, None);
    let late = AT + LEASE + Duration::MILLISECOND;
    let second = claim(&store, late).await.unwrap();
    assert_eq!(second.claimed.id, job.id);
    assert_ne!(second.claimed, first.claimed);
    assert_eq!(
        (second.attempts, second.checkpoint.as_deref()),
        (2, Some("half"))
    );
    // The first is heard no more, whatever it says.
    let said = Telling {
        events: vec![event("progress", "late")],
        ..Telling::default()
    };
    assert_eq!(store.job_hold(&first.claimed).await.unwrap(), Hold::Lost);
    assert_eq!(
        store.tell_job(&first.claimed, said, late).await.unwrap(),
        Hold::Lost
    );
    assert_eq!(
        store.end_job(&first.claimed, done(), late).await.unwrap(),
        Hold::Lost
    );
    store.return_job(&first.claimed).await.unwrap();
    assert_eq!(store.job_hold(&second.claimed).await.unwrap(), Hold::Held);
    assert_eq!(read(&store, &job).await.started_at, Some(AT));
    store.end_job(&second.claimed, done(), late).await.unwrap();
    assert_eq!(
        told(&store, &job, 0).await,
        pairs(&[(1, "accepted"), (2, "done")])
    );
}

pub async fn a_job_ends_once(base: &Base, store: Arc<dyn Store>) {
    let job = put(&store, 1).await;
    let owner = claim(&store, AT).await.unwrap().claimed;
    let failed = ending(End::Failed("{\"code\":\"x\"}".into()), "error");
    assert_eq!(store.end_job(&owner, failed, AT).await.unwrap(), Hold::Held);
    assert_eq!(store.end_job(&owner, done(), AT).await.unwrap(), Hold::Lost);
    let ended = read(&store, &job).await;
    assert_eq!(ended.state, JobState::Failed);
    assert_eq!(
        (ended.result, ended.problem.as_deref()),
        (None, Some("{\"code\":\"x\"}"))
    );
    assert_eq!(
        told(&store, &job, 0).await,
        pairs(&[(1, "accepted"), (2, "error")])
    );
    assert_eq!(claim(&store, AT + LEASE + LEASE).await, None);
    // What has failed may be tried anew.
    let anew = put(&store, 1).await;
    assert_ne!(anew.id, job.id);
    let owner = claim(&store, AT).await.unwrap().claimed;
    let once = ending(End::DoneOnce("[]".into()), "done");
    store.end_job(&owner, once, AT).await.unwrap();
    assert_ne!(put(&store, 1).await.id, anew.id);
    // Inputs may be large, and are of no use any more.
    let inputs = base
        .texts("SELECT input FROM jobs WHERE state <> 'queued'")
        .await;
    assert_eq!(inputs, ["", ""]);
}

pub async fn a_job_that_is_given_back_is_as_new(_: &Base, store: Arc<dyn Store>) {
    let job = put(&store, 1).await;
    put(&store, 2).await;
    let owner = claim(&store, AT).await.unwrap().claimed;
    store.return_job(&owner).await.unwrap();
    let returned = read(&store, &job).await;
    assert_eq!(returned.state, JobState::Queued);
    assert_eq!((returned.attempts, returned.queue_position), (0, Some(1)));
    assert_eq!(store.job_hold(&owner).await.unwrap(), Hold::Lost);
    let next = claim(&store, AT).await.unwrap();
    assert_eq!((next.claimed.id, next.attempts), (job.id, 1));
}

pub async fn a_job_that_waits_is_cancelled_at_once_and_one_that_runs_by_its_owner(
    _: &Base,
    store: Arc<dyn Store>,
) {
    let running = put(&store, 1).await;
    let waiting = put(&store, 2).await;
    let owner = claim(&store, AT).await.unwrap().claimed;
    let cancel = async |job: &Job| {
        let last = event("done", "{}");
        store.cancel_job(job.id, last, AT).await.unwrap()
    };
    let Cancelling::Ended(ended) = cancel(&waiting).await else {
        panic!("it waits")
    };
    assert_eq!(
        (ended.state, ended.finished_at),
        (JobState::Cancelled, Some(AT))
    );
    assert_eq!(
        told(&store, &waiting, 0).await,
        pairs(&[(1, "accepted"), (2, "done")])
    );
    assert_eq!(ended.last_event, 2);
    assert!(matches!(cancel(&waiting).await, Cancelling::TooLate(_)));
    let Cancelling::Asked(asked) = cancel(&running).await else {
        panic!("it runs")
    };
    assert!(asked.is_cancelled && asked.state == JobState::Running);
    assert!(matches!(cancel(&running).await, Cancelling::Asked(_)));
    assert_eq!(store.job_hold(&owner).await.unwrap(), Hold::Cancelled);
    let hold = store.tell_job(&owner, Telling::default(), AT + LEASE).await;
    assert_eq!(hold.unwrap(), Hold::Cancelled);
    // Its owner has gone: the next one hears of it.
    let late = AT + LEASE + LEASE;
    let next = claim(&store, late).await.unwrap();
    assert!(next.is_cancelled);
    let last = ending(End::Cancelled, "done");
    store.end_job(&next.claimed, last, late).await.unwrap();
    assert_eq!(read(&store, &running).await.state, JobState::Cancelled);
    assert!(matches!(cancel(&running).await, Cancelling::TooLate(_)));
    assert_eq!(claim(&store, late + LEASE).await, None);
    put(&store, 1).await;
    let strange = "019357a4-6c00-7000-8000-000000000000".parse().unwrap();
    let none = store.cancel_job(strange, event("done", "{}"), AT).await;
    assert_eq!(none.unwrap(), Cancelling::NoSuchJob);
}

pub async fn no_more_jobs_wait_than_may(_: &Base, store: Arc<dyn Store>) {
    let put = async |number| store.put_job(numbered(number), 2, AT).await.unwrap();
    for number in 1..=2 {
        assert!(matches!(put(number).await, PutJob::New(_)));
    }
    assert_eq!(put(3).await, PutJob::Full);
    assert!(matches!(put(2).await, PutJob::Known(_)));
    // What is worked on waits no more.
    claim(&store, AT).await.unwrap();
    assert!(matches!(put(3).await, PutJob::New(_)));
}

pub async fn old_jobs_are_forgotten(base: &Base, store: Arc<dyn Store>) {
    let mut jobs = Vec::new();
    for number in 0..6 {
        jobs.push(put(&store, number).await);
    }
    for number in 0..4 {
        let owner = claim(&store, AT).await.unwrap().claimed;
        let at = AT + Duration::minutes(number);
        store.end_job(&owner, done(), at).await.unwrap();
    }
    claim(&store, AT).await.unwrap();
    let kept = async || {
        let mut kept = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            let is_there = store.job(job.id).await.unwrap().is_some();
            kept.extend(is_there.then_some(number));
        }
        kept
    };
    assert_eq!(store.forget_jobs(AT, 4).await.unwrap(), 0);
    let before = AT + Duration::SECOND;
    assert_eq!(store.forget_jobs(before, 4).await.unwrap(), 1);
    assert_eq!(kept().await, [1, 2, 3, 4, 5]);
    assert_eq!(store.forget_jobs(AT, 1).await.unwrap(), 2);
    assert_eq!(kept().await, [3, 4, 5]);
    // What waits or runs is never old.
    let late = AT + Duration::weeks(100);
    assert_eq!(store.forget_jobs(late, 0).await.unwrap(), 1);
    assert_eq!(kept().await, [4, 5]);
    let events = base.texts("SELECT type FROM job_events").await;
    assert_eq!(events, ["accepted", "accepted"]);
}

pub async fn many_owners_end_every_job_once(base: &Base, store: Arc<dyn Store>) {
    const JOBS: u8 = 40;
    let mut jobs = Vec::new();
    for number in 0..JOBS {
        jobs.push(put(&store, number).await);
    }
    let other = tengen::store::open(&base.url).await.unwrap();
    let mut owners = Vec::new();
    for number in 0..6 {
        let store = [&store, &other][number % 2].clone();
        owners.push(tokio::spawn(async move {
            let mut ended = Vec::new();
            while let Some(claim) = store.claim_job(AT + LEASE, AT).await.unwrap() {
                let hold = store.end_job(&claim.claimed, done(), AT).await.unwrap();
                if hold == Hold::Held {
                    ended.push(claim.input);
                }
            }
            ended
        }));
    }
    let mut times = BTreeMap::new();
    for owner in owners {
        for input in owner.await.unwrap() {
            *times.entry(input).or_insert(0) += 1;
        }
    }
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    assert_eq!(times.len(), usize::from(JOBS));
    for job in jobs {
        assert_eq!(
            told(&other, &job, 0).await,
            pairs(&[(1, "accepted"), (2, "done")])
        );
    }
    other.close().await;
}
