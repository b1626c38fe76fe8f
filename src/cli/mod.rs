//! The command line: `tengen serve` and what works on its games, `tengen engine`, `tengen verify`, `tengen bench` and
//! `tengen openapi`.

mod export;
mod import;
mod verify;

use std::io::{self, BufReader, Write};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::api;
use crate::bench;
use crate::gomocup;
use crate::service::{Config, JobConfig, Limits, SearchConfig, SearchPool, cores};
use crate::store::{self, Store, StoreError};

/// A headless service for five-in-a-row: replays records, judges positions, suggests moves, keeps games.
///
/// Without a command it serves, with the defaults and what the environment says.
#[derive(Parser)]
#[command(
    name = "tengen",
    version,
    after_help = "What `serve` takes, as --listen and --database-url, is told by: tengen serve --help"
)]
struct Tengen {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve HTTP until told to stop (SIGTERM or Ctrl-C)
    Serve(Box<Serve>),
    /// Keep the games of files
    Import(import::Import),
    /// Write kept games into a file
    Export(export::Export),
    /// Print the OpenAPI document in YAML
    Openapi,
    /// Play over standard input and output by the Gomocup protocol, for tournament programs
    Engine,
    /// Check the certificate of a forced win by the rules alone
    Verify(verify::Verify),
    /// Search fixed positions; the sum of the nodes tells whether the search has changed
    Bench(Bench),
    /// Write a whole copy of the games into a new file, while the service goes on
    Backup(Backup),
    /// Make anew, from the games alone, what explorer, players and statistics tell and by what games are found
    Recount(Database),
}

/// Where commands beside `serve` find the games.
#[derive(Args)]
struct Database {
    /// Where the games are kept
    #[arg(
        long,
        env = "TENGEN_DATABASE_URL",
        default_value = "sqlite://tengen.db"
    )]
    database_url: String,
}

#[derive(Args)]
struct Backup {
    /// The file, which must not be there yet
    file: PathBuf,
    #[command(flatten)]
    database: Database,
}

#[derive(Args)]
struct Bench {
    /// How many stones to look ahead everywhere, instead of what each position has
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100))]
    depth: Option<u8>,
}

#[derive(Args)]
struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, env = "TENGEN_LISTEN", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// How many threads answer requests; one for each core when absent
    #[arg(long, env = "TENGEN_WORKERS")]
    workers: Option<NonZeroUsize>,
    /// Where the games are kept; the file is made if there is none
    #[arg(
        long,
        env = "TENGEN_DATABASE_URL",
        default_value = "sqlite://tengen.db"
    )]
    database_url: String,
    /// What to log: error, warn, info, debug (every request), or a filter as `warn,tengen=debug`
    #[arg(long, env = "TENGEN_LOG", default_value = "info")]
    log: EnvFilter,
    /// How to log
    #[arg(long, env = "TENGEN_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    /// The largest request body, in octets
    #[arg(long, env = "TENGEN_BODY_BYTES", default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(256..=16_777_216))]
    body_bytes: u32,
    /// The largest file of an import, in octets
    #[arg(long, env = "TENGEN_IMPORT_BYTES", default_value_t = 8_388_608, value_parser = clap::value_parser!(u32).range(256..=1_073_741_824))]
    import_bytes: u32,
    /// How long an import over HTTP goes on reading records, in milliseconds
    #[arg(long, env = "TENGEN_IMPORT_TIME_MS", default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    import_time_ms: u32,
    /// The longest path and query of a request, in octets
    #[arg(long, env = "TENGEN_URL_BYTES", default_value_t = 8_000, value_parser = clap::value_parser!(u16).range(256..=60_000))]
    url_bytes: u16,
    /// The most games on a page
    #[arg(long, env = "TENGEN_PAGE_ITEMS", default_value_t = Limits::default().page_items, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    page_items: u32,
    /// How many searches run at once; one for each core when absent
    #[arg(long, env = "TENGEN_SEARCH_THREADS", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    search_threads: Option<u16>,
    /// How many threads one search takes, unless nodes or depth bound it
    #[arg(long, env = "TENGEN_THREADS_PER_SEARCH", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads_per_search: u16,
    /// How many hints may wait for a search thread, and as many analyses
    #[arg(long, env = "TENGEN_SEARCH_QUEUE", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    search_queue: u32,
    /// The memory of each search, in MiB
    #[arg(long, env = "TENGEN_SEARCH_MEMORY_MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    search_memory_mib: u32,
    /// The longest time a hint may be asked to take, in milliseconds
    #[arg(long, env = "TENGEN_HINT_TIME_MS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=600_000))]
    hint_time_ms: u32,
    /// The longest time an analysis may be asked to take, in milliseconds
    #[arg(long, env = "TENGEN_ANALYSIS_TIME_MS", default_value_t = 30_000, value_parser = clap::value_parser!(u32).range(1..=600_000))]
    analysis_time_ms: u32,
    /// The longest time that the searches of a review may take together, in milliseconds
    #[arg(long, env = "TENGEN_REVIEW_TIME_MS", default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    review_time_ms: u32,
    /// The longest time that the searches of a batch may take together, in milliseconds
    #[arg(long, env = "TENGEN_BATCH_TIME_MS", default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    batch_time_ms: u32,
    /// How many jobs are worked on at once; with 0 they are left to other servers on the same database
    #[arg(long, env = "TENGEN_JOB_WORKERS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=256))]
    job_workers: u16,
    /// How many jobs may wait
    #[arg(long, env = "TENGEN_JOB_QUEUE", default_value_t = JobConfig::default().waiting, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    job_queue: u32,
    /// How long a job stays with a server that is not heard of, in milliseconds
    #[arg(long, env = "TENGEN_JOB_LEASE_MS", default_value_t = 30_000, value_parser = clap::value_parser!(u32).range(100..=3_600_000))]
    job_lease_ms: u32,
    /// The longest time an analysis may be asked to take in a job, in milliseconds
    #[arg(long, env = "TENGEN_JOB_ANALYSIS_TIME_MS", default_value_t = 600_000, value_parser = clap::value_parser!(u32).range(1..=86_400_000))]
    job_analysis_time_ms: u32,
    /// The longest time that the searches of a review may take together in a job, in milliseconds
    #[arg(long, env = "TENGEN_JOB_REVIEW_TIME_MS", default_value_t = 1_800_000, value_parser = clap::value_parser!(u32).range(1..=86_400_000))]
    job_review_time_ms: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    /// Lines for people
    Text,
    /// A JSON object a line
    Json,
}

/// Runs what the command line asks for. Usage errors exit with 2, failures with 1 and one line.
pub fn run() -> ExitCode {
    // Without a command the program serves, as if that had been said.
    let command = Tengen::parse()
        .command
        .or_else(|| Tengen::parse_from(["tengen", "serve"]).command);
    let done = match command {
        Some(Command::Openapi) => print_openapi(),
        Some(Command::Import(import)) => import.run(),
        Some(Command::Export(export)) => export.run(),
        Some(Command::Engine) => play(),
        Some(Command::Verify(verify)) => verify.run(),
        Some(Command::Bench(Bench { depth })) => {
            bench::run(depth, io::stdout()).map_err(|error| error.to_string())
        }
        Some(Command::Serve(serve)) => serve.run(),
        Some(Command::Backup(Backup { file, database })) => database
            .with_store(async |store| store.back_up(&file).await)
            .map_err(|error| format!("cannot back up to {}: {error}", file.display())),
        Some(Command::Recount(database)) => database
            .with_store(async |store| store.recount().await)
            .and_then(|games| tell(&format!("counted {games} games"))),
        None => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Standard error may be closed; then there is nobody to tell.
            let _ = writeln!(io::stderr(), "tengen: {message}");
            ExitCode::FAILURE
        }
    }
}

fn play() -> Result<(), String> {
    gomocup::play(BufReader::new(io::stdin()), io::stdout().lock())
        .map_err(|error| error.to_string())
}

fn print_openapi() -> Result<(), String> {
    let yaml = api::document()
        .to_yaml()
        .map_err(|error| error.to_string())?;
    io::stdout()
        .write_all(yaml.as_bytes())
        .map_err(|error| error.to_string())
}

fn tell(line: &str) -> Result<(), String> {
    writeln!(io::stdout(), "{line}").map_err(|error| error.to_string())
}

impl Database {
    /// Does some work with the games that are kept there.
    fn with_store<T>(
        self,
        work: impl AsyncFnOnce(&dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, String> {
        actix_web::rt::System::new().block_on(async {
            let store = store::open_existing(&self.database_url)
                .await
                .map_err(|error| unusable(&self.database_url, &error))?;
            let done = work(&*store).await;
            store.close().await;
            done.map_err(|error| error.to_string())
        })
    }
}

fn unusable(database_url: &str, error: &StoreError) -> String {
    format!(
        "cannot use the database {}: {error}",
        without_password(database_url)
    )
}

/// A URL as it may be shown.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    if !scheme.starts_with("postgres") {
        return url.to_owned();
    }
    // PostgreSQL takes a password behind the question mark too.
    let place = rest.split('?').next().unwrap_or(rest);
    let Some((user, host)) = place.rsplit_once('@') else {
        return format!("{scheme}://{place}");
    };
    let name = user.split(':').next().unwrap_or(user);
    format!("{scheme}://{name}@{host}")
}

impl Serve {
    fn run(self) -> Result<(), String> {
        start_log(self.log, self.log_format);
        let whole = |number: u32| usize::try_from(number).map_err(|error| error.to_string());
        let millis = |number: u32| Duration::from_millis(u64::from(number));
        let threads = self.search_threads.map(usize::from);
        let config = Config {
            listen: self.listen,
            workers: self.workers.unwrap_or_else(cores),
            database_url: self.database_url,
            limits: Limits {
                body_bytes: whole(self.body_bytes)?,
                import_bytes: whole(self.import_bytes)?,
                import_time: millis(self.import_time_ms),
                url_bytes: usize::from(self.url_bytes),
                page_items: self.page_items,
                hint_time: millis(self.hint_time_ms),
                analysis_time: millis(self.analysis_time_ms),
                review_time: millis(self.review_time_ms),
                batch_time: millis(self.batch_time_ms),
            },
            search: SearchConfig {
                threads: threads.and_then(NonZeroUsize::new).unwrap_or_else(cores),
                threads_each: NonZeroUsize::new(usize::from(self.threads_per_search))
                    .unwrap_or(NonZeroUsize::MIN),
                queue: whole(self.search_queue)?,
                memory_mib: whole(self.search_memory_mib)?,
                ..SearchConfig::default()
            },
            jobs: JobConfig {
                workers: usize::from(self.job_workers),
                lease: millis(self.job_lease_ms),
                waiting: self.job_queue,
                analysis_time: millis(self.job_analysis_time_ms),
                review_time: millis(self.job_review_time_ms),
                ..JobConfig::default()
            },
        };
        actix_web::rt::System::new().block_on(serve(config))
    }
}

fn start_log(filter: EnvFilter, format: LogFormat) {
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}

async fn serve(config: Config) -> Result<(), String> {
    let listener = api::bind(config.listen)
        .map_err(|error| format!("cannot listen on {}: {error}", config.listen))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let store = open_store(&config.database_url).await?;
    let searches = SearchPool::start(config.search)
        .map_err(|error| format!("cannot start the search threads: {error}"))?;
    // Listened for before anybody hears that the service is there, and can tell it to stop.
    let stop = told_to_stop(1).map_err(|error| error.to_string())?;
    let stop_at_once = told_to_stop(2).map_err(|error| error.to_string())?;
    // Standard output may be closed; the service runs all the same.
    let _ = greet(address);
    let served = tokio::select! {
        served = api::serve(listener, config, store.clone(), searches.clone(), stop) => served,
        () = stop_at_once => Err(io::Error::other("stopped before all requests were answered")),
    };
    // Takes some milliseconds, and nothing else is left to be done on this thread.
    searches.shutdown();
    store.close().await;
    served.map_err(|error| error.to_string())
}

async fn open_store(url: &str) -> Result<Arc<dyn Store>, String> {
    store::open(url)
        .await
        .map_err(|error| unusable(url, &error))
}

/// Comes when the process has been told to stop so many times, by SIGTERM or Ctrl-C. Such a signal no
/// longer ends the process by itself from here on.
#[cfg(unix)]
fn told_to_stop(times: usize) -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        for _ in 0..times {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
    })
}

/// Comes when the process has been told to stop so many times, by Ctrl-C.
#[cfg(not(unix))]
fn told_to_stop(times: usize) -> io::Result<impl Future<Output = ()>> {
    Ok(async move {
        for _ in 0..times {
            // Without a handler Ctrl-C ends the process, which stops it too.
            let _ = tokio::signal::ctrl_c().await;
        }
    })
}

fn greet(address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "Tengen listens on http://{address}")?;
    writeln!(out, "The documentation is at http://{address}/docs/")?;
    writeln!(out, "Try: curl 'http://{address}/v1/hints?moves=h8i9j7'")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn a_url_is_shown_without_its_password() {
        for (url, shown) in [
            ("sqlite://games.db?mode=rwc", "sqlite://games.db?mode=rwc"),
            ("postgres://localhost/games", "postgres://localhost/games"),
            (
                "postgres://ada@db:5432/games",
                "postgres://ada@db:5432/games",
            ),
            (
                "postgresql://ada:se:cr@t@db/games",
                "postgresql://ada@db/games",
            ),
            ("postgres://db/games?password=secret", "postgres://db/games"),
            ("games.db", "games.db"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
