//! The command line: `tengen serve`, `tengen engine` and `tengen openapi`.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::api;
use crate::gomocup;
use crate::service::{Config, Limits};
use crate::store::Store;

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
    /// Print the OpenAPI document in YAML
    Openapi,
    /// Play over standard input and output by the Gomocup protocol
    Engine,
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
    /// The longest path and query of a request, in octets
    #[arg(long, env = "TENGEN_URL_BYTES", default_value_t = 8_000, value_parser = clap::value_parser!(u16).range(256..=60_000))]
    url_bytes: u16,
    /// The most games on a page
    #[arg(long, env = "TENGEN_PAGE_ITEMS", default_value_t = Limits::default().page_items, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    page_items: u32,
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
        Some(Command::Engine) => play(),
        Some(Command::Serve(serve)) => serve.run(),
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
    gomocup::play(io::stdin().lock(), io::stdout().lock()).map_err(|error| error.to_string())
}

fn print_openapi() -> Result<(), String> {
    let yaml = api::document()
        .to_yaml()
        .map_err(|error| error.to_string())?;
    io::stdout()
        .write_all(yaml.as_bytes())
        .map_err(|error| error.to_string())
}

impl Serve {
    fn run(self) -> Result<(), String> {
        start_log(self.log, self.log_format);
        let config = Config {
            listen: self.listen,
            workers: self.workers.unwrap_or_else(cores),
            database_url: self.database_url,
            limits: Limits {
                body_bytes: usize::try_from(self.body_bytes).map_err(|error| error.to_string())?,
                url_bytes: usize::from(self.url_bytes),
                page_items: self.page_items,
            },
        };
        actix_web::rt::System::new().block_on(serve(config))
    }
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
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
    let store = Store::open(&config.database_url)
        .await
        .map_err(|error| format!("cannot use the database {}: {error}", config.database_url))?;
    // Listened for before anybody hears that the service is there, and can tell it to stop.
    let stop = told_to_stop(1).map_err(|error| error.to_string())?;
    let stop_at_once = told_to_stop(2).map_err(|error| error.to_string())?;
    // Standard output may be closed; the service runs all the same.
    let _ = greet(address);
    let served = tokio::select! {
        served = api::serve(listener, config, store.clone(), stop) => served,
        () = stop_at_once => Err(io::Error::other("stopped before all requests were answered")),
    };
    store.close().await;
    served.map_err(|error| error.to_string())
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
