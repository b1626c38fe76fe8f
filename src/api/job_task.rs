//! What jobs are about, and how they are done.

use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;

use crate::api::analyses::RawAnalysis;
use crate::api::code::Code;
use crate::api::conversions::{recognised, source};
use crate::api::error::ApiError;
use crate::api::extract::{Input, read_body};
use crate::api::faults::Faults;
use crate::api::finding::Analysis;
use crate::api::imports::{CountsView, Listed, ReportView};
use crate::api::job_checkpoint::{Certificates, KeptOutcome};
use crate::api::proofs::{ProofRequest, RawProof};
use crate::api::query::QueryNames;
use crate::api::review_view::PlyView;
use crate::api::reviewing::Reviewing;
use crate::api::reviews::RawReview;
use crate::api::search::{EffortView, Scene};
use crate::api::stream::{EventType, Told};
use crate::api::text::{Text, Whole, named, present};
use crate::formats::{Defaults, Format};
use crate::proof::Certificate;
use crate::rules::Rule;
use crate::service::{
    Finished, ImportCounts, ImportPlan, JobNotes, JobWork, Keeping, Limits, SearchPool, import,
    search_for_job, work_for_job,
};
use crate::store::{Claim, End, Ending, NewEvent, Store, Telling};

/// What kind of work a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// What the engine finds in a position.
    Analysis,
    /// A game judged.
    Review,
    /// A forced win.
    Proof,
    /// The games of a file, kept.
    Import,
}

impl JobKind {
    const ALL: [JobKind; 4] = [
        JobKind::Analysis,
        JobKind::Review,
        JobKind::Proof,
        JobKind::Import,
    ];

    /// The names of all, for who says another.
    pub const CHOICE: &'static str = "analysis, review, proof, import";

    pub const fn name(self) -> &'static str {
        match self {
            JobKind::Analysis => "analysis",
            JobKind::Review => "review",
            JobKind::Proof => "proof",
            JobKind::Import => "import",
        }
    }
}

named!(
    JobKind,
    "What kind of work a job is: its input is the body of the endpoint of that name, of an import `text` or `octets` beside its query."
);

impl FromStr for JobKind {
    type Err = ();

    fn from_str(text: &str) -> Result<JobKind, ()> {
        let mut all = JobKind::ALL.into_iter();
        all.find(|kind| kind.name() == text).ok_or(())
    }
}

/// A file to be imported, as the input of a job.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default, deserialize_with = "present")]
    text: Option<String>,
    #[serde(default, deserialize_with = "present")]
    octets: Option<String>,
    #[serde(default, deserialize_with = "present")]
    format: Option<Text<Format>>,
    #[serde(default, deserialize_with = "present")]
    rule: Option<Text<Rule>>,
    #[serde(default, deserialize_with = "present")]
    size: Option<Whole>,
    #[serde(default, deserialize_with = "present")]
    dry_run: Option<bool>,
}

/// A file that is to be imported.
pub struct ImportFile {
    octets: Vec<u8>,
    format: Format,
    defaults: Defaults,
    dry_run: bool,
}

impl Input for RawFile {
    type Valid = ImportFile;

    const QUERY: QueryNames = &[];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<ImportFile> {
        let defaults = Defaults {
            rule: faults.rule(self.rule, "/rule").unwrap_or_default(),
            size: faults.size(self.size, "/size").unwrap_or_default(),
        };
        let is_named = self.format.is_some();
        let format = faults.choose(self.format, "/format", Code::InvalidField, &Format::names());
        let (octets, place) = source(self.text, self.octets, faults)?;
        let format = match format {
            None if !is_named => recognised(&octets, place, faults),
            named => named,
        };
        Some(ImportFile {
            octets,
            format: format?,
            defaults,
            dry_run: self.dry_run.unwrap_or(false),
        })
    }
}

/// The input of a job that is known to be sound.
pub enum Task {
    Analysis(Box<Analysis>),
    Review(Box<Reviewing>),
    Proof {
        request: Box<ProofRequest>,
        scene: Box<Scene>,
    },
    Import(ImportFile),
}

/// That a file is taken.
#[derive(Serialize)]
struct AcceptedFile {
    format: Format,
    dry_run: bool,
}

impl Task {
    /// Reads the input of a job.
    ///
    /// # Errors
    ///
    /// Those of the endpoint; pointers are into the input.
    pub fn read(kind: JobKind, input: &[u8], limits: &Limits) -> Result<Task, ApiError> {
        if kind != JobKind::Import && input.len() > limits.body_bytes {
            return Err(ApiError::BodyTooLarge(limits.body_bytes));
        }
        Ok(match kind {
            JobKind::Analysis => {
                let analysis = read_body::<RawAnalysis>(input, limits)?.begin()?;
                Task::Analysis(Box::new(analysis))
            }
            JobKind::Review => {
                let reviewing = read_body::<RawReview>(input, limits)?.begin(limits)?;
                Task::Review(Box::new(reviewing))
            }
            JobKind::Proof => {
                let request = read_body::<RawProof>(input, limits)?;
                let (scene, _) = request.begin()?;
                Task::Proof {
                    request: Box::new(request),
                    scene: Box::new(scene),
                }
            }
            JobKind::Import => Task::Import(read_body::<RawFile>(input, limits)?),
        })
    }

    /// The first event of the job.
    pub fn accepted(&self) -> NewEvent {
        let kind = EventType::Accepted;
        let told = match self {
            Task::Analysis(analysis) => Told::new(kind, &analysis.accepted()),
            Task::Review(reviewing) => Told::new(kind, &reviewing.accepted()),
            Task::Proof { request, scene } => Told::new(kind, &request.accepted(scene)),
            Task::Import(file) => Told::new(
                kind,
                &AcceptedFile {
                    format: file.format,
                    dry_run: file.dry_run,
                },
            ),
        };
        told.into_event()
    }
}

/// Does the jobs of this service.
pub struct Work {
    pub limits: Limits,
    pub pool: SearchPool,
    pub store: Arc<dyn Store>,
}

#[async_trait]
impl JobWork for Work {
    async fn run(&self, claim: &Claim, notes: &JobNotes) -> Option<Ending> {
        match self.done(claim, notes).await {
            Ok((result, is_lasting)) => {
                let events = vec![
                    NewEvent {
                        kind: EventType::Result.name(),
                        data: result.clone(),
                    },
                    last("done"),
                ];
                let end = if is_lasting {
                    End::Done(result)
                } else {
                    End::DoneOnce(result)
                };
                Some(ending(events, end))
            }
            // Nothing is wrong with the job.
            Err(
                ApiError::ShuttingDown
                | ApiError::DatabaseBusy
                | ApiError::DatabaseAway
                | ApiError::DatabaseFull
                | ApiError::EngineQueueFull(_),
            ) => None,
            Err(error) => Some(failed(&error, claim)),
        }
    }

    fn cancelled(&self) -> Ending {
        ending(vec![last("cancelled")], End::Cancelled)
    }

    fn broken(&self, claim: &Claim) -> Ending {
        let cause = format!(
            "the work broke down or ended its server {} times",
            claim.attempts
        );
        failed(&ApiError::Internal(cause), claim)
    }
}

fn ending(events: Vec<NewEvent>, end: End) -> Ending {
    Ending {
        told: Telling {
            events,
            ..Telling::default()
        },
        end,
    }
}

/// The last event of a job that has not failed.
pub fn last(state: &str) -> NewEvent {
    NewEvent {
        kind: EventType::Done.name(),
        data: json!({ "state": state }).to_string(),
    }
}

/// The end of a job with a problem, under the job's name.
fn failed(error: &ApiError, claim: &Claim) -> Ending {
    let problem = error.problem(&claim.claimed.id.to_string());
    let problem = serde_json::to_string(&problem).unwrap_or_default();
    let event = NewEvent {
        kind: EventType::Error.name(),
        data: problem.clone(),
    };
    ending(vec![event], End::Failed(problem))
}

fn written(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(|error| ApiError::Internal(error.to_string()))
}

impl Work {
    /// The result of a job, and whether it would come again.
    async fn done(&self, claim: &Claim, notes: &JobNotes) -> Result<(String, bool), ApiError> {
        let kind = claim.kind.parse().map_err(|()| {
            ApiError::Internal(format!("there are no jobs of the kind {}", claim.kind))
        })?;
        match Task::read(kind, claim.input.as_bytes(), &self.limits)? {
            Task::Analysis(analysis) => Ok((self.analyse(&analysis, notes).await?, true)),
            Task::Review(reviewing) => {
                let checkpoint = claim.checkpoint.as_deref();
                let reviewed = self.review(*reviewing, checkpoint, notes).await?;
                Ok((reviewed, true))
            }
            Task::Proof { request, .. } => Ok((self.prove(&request).await?, true)),
            Task::Import(file) => Ok((self.import(file, notes).await?, false)),
        }
    }

    async fn analyse(&self, analysis: &Analysis, notes: &JobNotes) -> Result<String, ApiError> {
        let finished = match analysis.order() {
            Some(order) => {
                let searched = search_for_job(&self.pool, &*self.store, order, |outcome| {
                    let progress = analysis.progress(outcome);
                    notes.tell(Told::new(EventType::Progress, &progress).into_event());
                    let effort = serde_json::to_string(&EffortView::so_far(outcome));
                    notes.note_progress(effort.unwrap_or_default());
                });
                Some(searched.await?)
            }
            None => None,
        };
        written(&analysis.answer(finished.as_ref()))
    }

    /// Reviews a game from where another worker has left off.
    async fn review(
        &self,
        mut reviewing: Reviewing,
        checkpoint: Option<&str>,
        notes: &JobNotes,
    ) -> Result<String, ApiError> {
        let mut found: Vec<KeptOutcome> = checkpoint
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let certificates = self.certificates(&found).await?;
        for kept in &found {
            let outcome = kept.outcome(&certificates);
            let outcome = outcome.ok_or_else(|| ApiError::Internal("a bad checkpoint".into()))?;
            let waited = std::time::Duration::ZERO;
            reviewing.take(Finished { outcome, waited });
        }
        while let Some(order) = reviewing.next_order() {
            let finished = search_for_job(&self.pool, &*self.store, order, |_| {}).await?;
            found.push(KeptOutcome::of(&finished.outcome));
            let pov = reviewing.telling.pov;
            for ply in reviewing.take(finished) {
                notes.tell(Told::new(EventType::Ply, &PlyView::of(ply, pov)).into_event());
            }
            let progress = json!({
                "searched": found.len(),
                "searches": reviewing.review.searches(),
                "plies": reviewing.review.judged().len(),
            });
            notes.note_progress(progress.to_string());
            notes.note_checkpoint(written(&found)?);
        }
        let report = reviewing.review.report();
        written(&reviewing.answer(&report))
    }

    /// Looks for a forced win.
    async fn prove(&self, request: &ProofRequest) -> Result<String, ApiError> {
        let (scene, order) = request.begin()?;
        let finished = work_for_job(&self.pool, order.longest(), |time| order.look(time)).await?;
        finished.outcome.keep(&*self.store).await?;
        let (answer, _) = request.answer_of(&scene, &finished);
        written(&answer)
    }

    /// The certificates of what was found before.
    async fn certificates(&self, found: &[KeptOutcome]) -> Result<Certificates, ApiError> {
        let mut certificates = Certificates::new();
        for id in found.iter().flat_map(KeptOutcome::certificates) {
            let text = self.store.certificate(id).await?;
            if let Some(certificate) = text.and_then(|text| Certificate::from_json(&text).ok()) {
                certificates.insert(id, Arc::new(certificate.written()));
            }
        }
        Ok(certificates)
    }

    async fn import(&self, file: ImportFile, notes: &JobNotes) -> Result<String, ApiError> {
        let plan = ImportPlan {
            format: file.format,
            defaults: file.defaults,
            keeping: if file.dry_run {
                Keeping::Never
            } else {
                Keeping::At(OffsetDateTime::now_utc())
            },
            most_records: Limits::IMPORT_RECORDS,
            until: None,
        };
        let mut listed = Listed::default();
        let mut so_far = ImportCounts::default();
        let tell = |imported: &_| {
            listed.add(imported);
            so_far.count(imported);
            if so_far.read.is_multiple_of(RECORDS_A_PROGRESS) {
                let told = Told::new(EventType::Progress, &CountsView::of(so_far)).into_event();
                notes.note_progress(told.data.clone());
                notes.tell(told);
            }
        };
        let counts = import(&*self.store, file.octets, plan, tell).await?;
        let report = ReportView::of(file.format, file.dry_run, counts, listed);
        written(&report)
    }
}

/// After how many records an import tells how far it is.
const RECORDS_A_PROGRESS: usize = 500;
