//! HTTP: the only room that knows status codes, headers, JSON and the OpenAPI document.
//!
//! [`serve`] is the way in; the routes below it are the service's table of contents. A request passes
//! the envelope (`envelope.rs`), is read by an extractor (`extract.rs`, `query.rs`, and `pieces.rs` for what does not fit), answered by the file of its
//! endpoint, and every error gets its body from `error.rs`.

mod about;
mod analyses;
mod answer;
mod batches;
mod boards;
mod certificates;
mod code;
mod computation;
mod conversions;
mod defences;
mod desk;
mod documents;
mod drawing;
mod envelope;
mod error;
mod explorer;
mod extract;
mod faults;
mod finding;
mod forbidden;
mod game_change;
mod game_files;
mod game_list;
mod game_stream;
mod game_text;
mod game_view;
mod games;
mod health;
mod hints;
mod imports;
mod job_checkpoint;
mod job_events;
mod job_task;
mod jobs;
mod legal_moves;
mod marks;
mod moves;
mod negotiate;
mod openapi;
mod paging;
mod pieces;
mod players;
mod position;
mod proof_checks;
mod proofs;
mod query;
mod reason;
mod replays;
mod review_view;
mod reviewing;
mod reviews;
mod rows;
mod search;
mod statistics;
mod stream;
mod tally;
mod terms;
mod text;
mod threats;
mod warnings;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_cors::Cors;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data, ServiceConfig, delete, patch, post};
use actix_web::{App, HttpServer, Resource, Route, guard};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::service::{
    Config, ImportGate, InFlight, JobBell, JobTally, JobWorker, SearchPool, cores, forget_old_jobs,
    keep_rated,
};
use crate::store::Store;

use desk::Desk;
use error::ApiError;
use health::Metrics;
use job_events::JobStreams;
use job_task::Work;
pub use openapi::document;

const GET: &str = "GET, HEAD";
const GET_POST: &str = "GET, HEAD, POST";
const GET_PATCH_DELETE: &str = "GET, HEAD, PATCH, DELETE";
const POST: &str = "POST";

#[rustfmt::skip]
fn routes(config: &mut ServiceConfig) {
    config
        .service(at("/v1/replays", GET_POST).route(post().to(replays::create_replay)).route(read().to(replays::get_replay)))
        .service(at("/v1/legal-moves", GET_POST).route(post().to(legal_moves::create_legal_moves)).route(read().to(legal_moves::get_legal_moves)))
        .service(at("/v1/threats", GET_POST).route(post().to(threats::create_threats)).route(read().to(threats::get_threats)))
        .service(at("/v1/hints", GET_POST).route(post().to(hints::create_hint)).route(read().to(hints::get_hint)))
        .service(at("/v1/analyses", GET_POST).route(post().to(analyses::create_analysis)).route(read().to(analyses::get_analysis)))
        .service(at("/v1/reviews", POST).route(post().to(reviews::create_review)))
        .service(at("/v1/proofs", GET_POST).route(post().to(proofs::create_proof)).route(read().to(proofs::get_proof)))
        .service(at("/v1/proofs/{sha256}", GET).route(read().to(certificates::get_certificate)))
        .service(at("/v1/proof-checks", POST).route(post().to(proof_checks::create_proof_check)))
        .service(at("/v1/defences", GET_POST).route(post().to(defences::create_defences)).route(read().to(defences::get_defences)))
        .service(at("/v1/batches", POST).route(post().to(batches::create_batch)))
        .service(at("/v1/jobs", POST).route(post().to(jobs::create_job)))
        .service(at("/v1/jobs/{id}", GET).route(read().to(jobs::get_job)))
        .service(at("/v1/jobs/{id}/events", GET).route(read().to(job_events::get_job_events)))
        .service(at("/v1/jobs/{id}/cancellation", POST).route(post().to(jobs::cancel_job)))
        .service(at("/v1/boards.svg", GET_POST).route(post().to(boards::create_svg)).route(read().to(boards::get_svg)))
        .service(at("/v1/boards.png", GET_POST).route(post().to(boards::create_png)).route(read().to(boards::get_png)))
        .service(at("/v1/boards.txt", GET_POST).route(post().to(boards::create_text)).route(read().to(boards::get_text)))
        .service(at("/v1/conversions", POST).route(post().to(conversions::create_conversion)))
        .service(at("/v1/games", GET_POST).route(post().to(games::create_game)).route(read().to(game_list::list_games)))
        .service(at("/v1/games/{id}", GET_PATCH_DELETE).route(read().to(game_files::get_game)).route(patch().to(game_change::change_game)).route(delete().to(game_change::delete_game)))
        .service(at("/v1/games/{id}/positions/{ply}", GET).route(read().to(game_files::get_position)))
        .service(at("/v1/games/{id}/review", GET).route(read().to(reviews::get_review)))
        .service(at("/v1/game-imports", POST).route(post().to(imports::create_import)))
        .service(at("/v1/explorer", GET).route(read().to(explorer::get_explorer)))
        .service(at("/v1/players", GET).route(read().to(players::list_players)))
        .service(at("/v1/players/{name}", GET).route(read().to(players::get_player)))
        .service(at("/v1/statistics", GET).route(read().to(statistics::get_statistics)))
        .service(at("/v1/rules", GET).route(read().to(about::get_rules)))
        .service(at("/v1/meta", GET).route(read().to(about::get_meta)))
        .service(at("/v1/problems/{code}", GET).route(read().to(about::get_problem)))
        .service(at("/openapi.json", GET).route(read().to(documents::get_openapi_json)))
        .service(at("/openapi.yaml", GET).route(read().to(documents::get_openapi_yaml)))
        .service(at("/healthz", GET).route(read().to(health::get_healthz)))
        .service(at("/readyz", GET).route(read().to(health::get_readyz)))
        .service(at("/metrics", GET).route(read().to(health::get_metrics)))
        .service(at("/docs", GET).route(read().to(documents::get_docs)))
        .service(at("/docs/{file:.*}", GET).route(read().to(documents::get_docs_file)))
        .default_service(web::to(|| async { Err::<&str, _>(ApiError::RouteNotFound) }));
}

/// A path that answers methods it does not have with 405 and the list of those it has.
fn at(path: &str, methods: &'static str) -> Resource {
    web::resource(path).default_service(web::to(move || async move {
        Err::<&str, _>(ApiError::MethodNotAllowed(methods))
    }))
}

/// GET, and HEAD with it: the server leaves the body out by itself.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// How long a stopping service waits for the requests that still run.
const GRACE_SECONDS: u64 = 30;
/// How often the metrics are tidied.
const UPKEEP: Duration = Duration::from_secs(5);

/// Binds the listening address.
///
/// # Errors
///
/// When the address is taken or not of this machine.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address)
}

/// Serves until it is told to stop, then finishes the requests that still run.
///
/// # Errors
///
/// When the listener cannot be used.
pub async fn serve(
    listener: TcpListener,
    config: Config,
    store: Arc<dyn Store>,
    searches: SearchPool,
    stop: impl Future<Output = ()> + 'static,
) -> io::Result<()> {
    let metrics = Data::new(Metrics::new(health::ROUTES).map_err(io::Error::other)?);
    let upkeep = tokio::spawn(tidy_often(metrics.clone()));
    let ratings = tokio::spawn(keep_rated(store.clone()));
    let tidying = tokio::spawn(forget_old_jobs(store.clone(), config.jobs));
    let bell = JobBell::default();
    let (stopping, stop_work) = watch::channel(false);
    let tally = JobTally::default();
    let work = start_work(&config, &store, &searches, &bell, &tally, &stop_work);
    let streams = Data::new(JobStreams::new(bell.clone(), stop_work));
    let bell = Data::new(bell);
    let tally = Data::new(tally);
    let workers = config.workers.get();
    let config = Data::new(config);
    let store = Data::from(store);
    let in_flight = Data::new(InFlight::default());
    let searches = Data::new(searches);
    let desk = Data::new(Desk::new(cores()));
    let imports = Data::new(ImportGate::default());
    let server = HttpServer::new(move || {
        App::new()
            .app_data(config.clone())
            .app_data(store.clone())
            .app_data(in_flight.clone())
            .app_data(searches.clone())
            .app_data(desk.clone())
            .app_data(imports.clone())
            .app_data(bell.clone())
            .app_data(tally.clone())
            .app_data(streams.clone())
            .app_data(metrics.clone())
            .configure(routes)
            // The last one wraps the others.
            .wrap(Compress::default())
            .wrap(cors())
            .wrap(from_fn(envelope::envelope))
    })
    // A caller that closes its side is gone: what is computed for it stops.
    .h1_allow_half_closed(false)
    .listen(listener)?
    .workers(workers)
    .shutdown_timeout(GRACE_SECONDS)
    .disable_signals()
    .run();
    let handle = server.handle();
    let stopper = actix_web::rt::spawn(async move {
        stop.await;
        // Jobs go back to the others, and who follows them need not be waited for.
        let _ = stopping.send(true);
        handle.stop(true).await;
    });
    let served = server.await;
    upkeep.abort();
    ratings.abort();
    tidying.abort();
    // Dropped, it stops the workers too, where the server has ended by itself.
    stopper.abort();
    for worker in work {
        // One that has broken down has ended too.
        let _ = worker.await;
    }
    served
}

/// Starts the workers on jobs.
fn start_work(
    config: &Config,
    store: &Arc<dyn Store>,
    searches: &SearchPool,
    bell: &JobBell,
    tally: &JobTally,
    stop: &watch::Receiver<bool>,
) -> Vec<JoinHandle<()>> {
    let work = Arc::new(Work {
        limits: config.job_limits(),
        pool: searches.clone(),
        store: store.clone(),
    });
    let worker = |_| JobWorker {
        store: store.clone(),
        work: work.clone(),
        bell: bell.clone(),
        tally: tally.clone(),
        config: config.jobs,
        stop: stop.clone(),
    };
    (0..config.jobs.workers)
        .map(worker)
        .map(|worker| tokio::spawn(worker.run()))
        .collect()
}

async fn tidy_often(metrics: Data<Metrics>) {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        metrics.tidy();
    }
}

/// The headers that a page's script may read besides the ones it always may.
const EXPOSED: &str = "X-Request-Id, ETag, Link, Location, Content-Location, Content-Disposition, Allow, Retry-After, Server-Timing, Idempotency-Replayed";

/// Any page may call: nothing here depends on who the caller is.
fn cors() -> Cors {
    Cors::default()
        .allow_any_origin()
        .send_wildcard()
        .allow_any_method()
        .allow_any_header()
        .expose_headers(EXPOSED.split(", "))
        .max_age(86_400)
}
