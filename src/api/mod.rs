//! HTTP: the only room that knows status codes, headers, JSON and the OpenAPI document.
//!
//! [`serve`] is the way in; the routes below it are the service's table of contents. A request passes
//! the envelope (`envelope.rs`), is read by an extractor (`extract.rs`, `query.rs`, and `pieces.rs` for what does not fit), answered by the file of its
//! endpoint, and every error gets its body from `error.rs`.

mod about;
mod answer;
mod code;
mod documents;
mod envelope;
mod error;
mod extract;
mod faults;
mod forbidden;
mod game_list;
mod games;
mod health;
mod hints;
mod legal_moves;
mod moves;
mod negotiate;
mod openapi;
mod pieces;
mod position;
mod query;
mod replays;
mod rows;
mod text;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use actix_cors::Cors;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data, ServiceConfig, get, head, post};
use actix_web::{App, HttpServer, Resource};

use crate::service::Config;
use crate::store::Store;

use error::ApiError;
use health::Metrics;
pub use openapi::document;

const GET: &str = "GET, HEAD";
const GET_POST: &str = "GET, HEAD, POST";

#[rustfmt::skip]
fn routes(config: &mut ServiceConfig) {
    config
        .service(at("/v1/replays", GET_POST).route(post().to(replays::create_replay)).route(get().to(replays::get_replay)).route(head().to(replays::get_replay)))
        .service(at("/v1/legal-moves", GET_POST).route(post().to(legal_moves::create_legal_moves)).route(get().to(legal_moves::get_legal_moves)).route(head().to(legal_moves::get_legal_moves)))
        .service(at("/v1/hints", GET_POST).route(post().to(hints::create_hint)).route(get().to(hints::get_hint)).route(head().to(hints::get_hint)))
        .service(at("/v1/games", GET_POST).route(post().to(games::create_game)).route(get().to(game_list::list_games)).route(head().to(game_list::list_games)))
        .service(at("/v1/games/{id}", GET).route(get().to(games::get_game)).route(head().to(games::get_game)))
        .service(at("/v1/rules", GET).route(get().to(about::get_rules)).route(head().to(about::get_rules)))
        .service(at("/v1/meta", GET).route(get().to(about::get_meta)).route(head().to(about::get_meta)))
        .service(at("/v1/problems/{code}", GET).route(get().to(about::get_problem)).route(head().to(about::get_problem)))
        .service(at("/openapi.json", GET).route(get().to(documents::get_openapi_json)).route(head().to(documents::get_openapi_json)))
        .service(at("/openapi.yaml", GET).route(get().to(documents::get_openapi_yaml)).route(head().to(documents::get_openapi_yaml)))
        .service(at("/healthz", GET).route(get().to(health::get_healthz)).route(head().to(health::get_healthz)))
        .service(at("/readyz", GET).route(get().to(health::get_readyz)).route(head().to(health::get_readyz)))
        .service(at("/metrics", GET).route(get().to(health::get_metrics)).route(head().to(health::get_metrics)))
        .service(at("/docs", GET).route(get().to(documents::get_docs)).route(head().to(documents::get_docs)))
        .service(at("/docs/{file:.*}", GET).route(get().to(documents::get_docs_file)).route(head().to(documents::get_docs_file)))
        .default_service(web::to(|| async { Err::<&str, _>(ApiError::RouteNotFound) }));
}

/// A path that answers methods it does not have with 405 and the list of those it has.
fn at(path: &str, methods: &'static str) -> Resource {
    web::resource(path).default_service(web::to(move || async move {
        Err::<&str, _>(ApiError::MethodNotAllowed(methods))
    }))
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
    store: Store,
    stop: impl Future<Output = ()> + 'static,
) -> io::Result<()> {
    let metrics = Data::new(Metrics::new(&health::ROUTES).map_err(io::Error::other)?);
    let upkeep = tokio::spawn(tidy_often(metrics.clone()));
    let workers = config.workers.get();
    let config = Data::new(config);
    let store = Data::new(store);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(config.clone())
            .app_data(store.clone())
            .app_data(metrics.clone())
            .configure(routes)
            // The last one wraps the others.
            .wrap(Compress::default())
            .wrap(cors())
            .wrap(from_fn(envelope::envelope))
    })
    .listen(listener)?
    .workers(workers)
    .shutdown_timeout(GRACE_SECONDS)
    .disable_signals()
    .run();
    let handle = server.handle();
    let stopper = actix_web::rt::spawn(async move {
        stop.await;
        handle.stop(true).await;
    });
    let served = server.await;
    upkeep.abort();
    stopper.abort();
    served
}

async fn tidy_often(metrics: Data<Metrics>) {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        metrics.tidy();
    }
}

/// The headers that a page's script may read besides the ones it always may.
const EXPOSED: &str = "X-Request-Id, ETag, Link, Location, Content-Location, Allow, Retry-After";

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
