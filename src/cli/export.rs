//! `tengen export`: kept games, written into a file.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::import::size;
use super::open_store;
use crate::board::BoardSize;
use crate::formats::Format;
use crate::record::{GameResult, Opening};
use crate::rules::Rule;
use crate::service;
use crate::store::{Direction, GameFilter, Order, Selection, SortKey, Store};

/// What `tengen export` takes. Without conditions all games are written, in the order in which they came.
#[derive(Args)]
pub struct Export {
    /// The format: ndjson (tells all), sgf, psq or moves
    #[arg(long, default_value_t = Format::Ndjson, value_parser = written)]
    format: Format,
    /// Only games under this rule: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// Only games on a board of so many lines
    #[arg(long, value_parser = size)]
    size: Option<BoardSize>,
    /// Only games of this player, with either colour
    #[arg(long)]
    player: Option<String>,
    /// Only games of this player with the black stones
    #[arg(long)]
    black: Option<String>,
    /// Only games of this player with the white stones
    #[arg(long)]
    white: Option<String>,
    /// Only games with this result: black, white or draw
    #[arg(long)]
    result: Option<GameResult>,
    /// Only games of this event
    #[arg(long)]
    event: Option<String>,
    /// Only games from this source
    #[arg(long)]
    source: Option<String>,
    /// Only games with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only games with this opening: D1 to D13, I1 to I13
    #[arg(long)]
    opening: Option<Opening>,
    /// Where the games are written; `-` is standard output
    #[arg(long, short, default_value = "-", value_name = "FILE")]
    output: PathBuf,
    /// Where the games are kept
    #[arg(
        long,
        env = "TENGEN_DATABASE_URL",
        default_value = "sqlite://tengen.db"
    )]
    database_url: String,
}

/// A format on the command line in which games are written.
fn written(text: &str) -> Result<Format, String> {
    let format: Format = text
        .parse()
        .map_err(|_| "the formats are ndjson, sgf, psq and moves")?;
    if format.is_written() {
        Ok(format)
    } else {
        Err(format!("games are read from {format} and not written so"))
    }
}

impl Export {
    /// Writes the games. Their number goes to standard error.
    ///
    /// # Errors
    ///
    /// When the database cannot be read or the file cannot be written.
    pub fn run(self) -> Result<(), String> {
        actix_web::rt::System::new().block_on(async {
            let store = open_store(&self.database_url).await?;
            let done = self.export(store.clone()).await;
            store.close().await;
            done
        })
    }

    async fn export(self, store: Arc<dyn Store>) -> Result<(), String> {
        let mut output = output(&self.output)
            .map_err(|error| format!("cannot write {}: {error}", self.output.display()))?;
        let selection = Selection {
            filter: GameFilter {
                rule: self.rule,
                size: self.size,
                player: self.player,
                black: self.black,
                white: self.white,
                result: self.result,
                event: self.event,
                source: self.source,
                tag: self.tag,
                opening: self.opening,
                ..GameFilter::default()
            },
            order: Order {
                key: SortKey::Arrival,
                direction: Direction::Ascending,
            },
            after: None,
        };
        let mut export = service::Export::of(store, selection, self.format, u64::MAX)
            .map_err(|error| error.to_string())?;
        while let Some(piece) = export.next().await.map_err(|error| error.to_string())? {
            match output.write_all(piece.as_bytes()) {
                Ok(()) => {}
                // The reader at the other end of a pipe has had enough.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => {
                    return Err(format!("cannot write {}: {error}", self.output.display()));
                }
            }
        }
        let _ = writeln!(io::stderr(), "{} games written", export.games());
        Ok(())
    }
}

fn output(path: &Path) -> io::Result<Box<dyn Write>> {
    if path.as_os_str() == "-" {
        Ok(Box::new(io::stdout()))
    } else {
        Ok(Box::new(File::create(path)?))
    }
}
