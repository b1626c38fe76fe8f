//! `tengen import`: the games of files, kept.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use time::OffsetDateTime;

use super::open_store;
use crate::board::BoardSize;
use crate::formats::{Defaults, Format, Losses};
use crate::rules::Rule;
use crate::service::{Fate, ImportCounts, ImportPlan, Imported, Keeping, import};
use crate::store::Store;

/// What `tengen import` takes. The exit code is 0 when every record of every file is kept now or was before.
#[derive(Args)]
pub struct Import {
    /// The files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Their format: sgf, psq, rif, renlib, playok, moves or ndjson; by what each begins with when absent
    #[arg(long)]
    format: Option<Format>,
    /// The rule of games that do not say theirs: freestyle, standard, renju or caro
    #[arg(long, default_value_t)]
    rule: Rule,
    /// The size of board of games that do not say theirs
    #[arg(long, default_value_t, value_parser = size)]
    size: BoardSize,
    /// Judge every record and keep none
    #[arg(long)]
    dry_run: bool,
    /// Where the games are kept; the file is made if there is none
    #[arg(
        long,
        env = "TENGEN_DATABASE_URL",
        default_value = "sqlite://tengen.db"
    )]
    database_url: String,
}

/// The size of a board on the command line.
pub fn size(text: &str) -> Result<BoardSize, String> {
    let lines: i64 = text.parse().map_err(|_| "it is no number")?;
    BoardSize::try_from(lines).map_err(|error| error.to_string())
}

impl Import {
    /// Imports one file after the other. What is wrong goes to standard error, the sum to standard output.
    ///
    /// # Errors
    ///
    /// When the database cannot be used, a file cannot be read, or a record is refused.
    pub fn run(self) -> Result<(), String> {
        actix_web::rt::System::new().block_on(async {
            let store = open_store(&self.database_url).await?;
            let done = self.import_all(store.as_ref()).await;
            store.close().await;
            done
        })
    }

    async fn import_all(&self, store: &dyn Store) -> Result<(), String> {
        let mut sum = ImportCounts::default();
        let mut unread = 0;
        for path in &self.files {
            match self.import_file(store, path).await {
                Ok(counts) => add(&mut sum, counts),
                Err(Failure::File(why)) => {
                    unread += 1;
                    tell(&format!("{}: {why}", path.display()));
                }
                Err(Failure::Store(why)) => return Err(why),
            }
        }
        // Standard output may be closed; what is kept is kept.
        let _ = writeln!(io::stdout(), "{}", told(sum));
        match (sum.refused, unread) {
            (0, 0) => Ok(()),
            (refused, 0) => Err(format!("{refused} of {} records are refused", sum.read)),
            (refused, unread) => Err(format!(
                "{unread} of {} files cannot be read, {refused} of {} records are refused",
                self.files.len(),
                sum.read
            )),
        }
    }

    async fn import_file(&self, store: &dyn Store, path: &Path) -> Result<ImportCounts, Failure> {
        let file = read(path).map_err(|error| Failure::File(error.to_string()))?;
        let format = self.format.or_else(|| Format::of(&file));
        let format = format.ok_or_else(|| {
            Failure::File("no format is known by this beginning; name it by --format".into())
        })?;
        let plan = ImportPlan {
            format,
            defaults: Defaults {
                rule: self.rule,
                size: self.size,
            },
            keeping: if self.dry_run {
                Keeping::Never
            } else {
                Keeping::At(OffsetDateTime::now_utc())
            },
            most_records: usize::MAX,
            until: None,
        };
        let mut report = Report::new(path, &file);
        let counts = import(store, file, plan, |imported| report.add(imported)).await;
        let left_behind = report.end();
        let counts = counts.map_err(|error| {
            Failure::Store(format!("{}: stopped halfway: {error}", path.display()))
        })?;
        let (name, told) = (path.display(), told(counts));
        tell(&format!("{name}: {format}: {told}{left_behind}"));
        Ok(counts)
    }
}

/// Why a file is not imported.
enum Failure {
    /// It cannot be read. Others may.
    File(String),
    /// The database cannot go on.
    Store(String),
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut file = Vec::new();
        io::stdin().lock().read_to_end(&mut file)?;
        return Ok(file);
    }
    fs::read(path)
}

/// Standard error may be closed; then there is nobody to tell.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn told(counts: ImportCounts) -> String {
    let ImportCounts {
        read,
        stored,
        storable,
        known,
        refused,
        ..
    } = counts;
    let good = if storable > 0 {
        format!("{storable} storable")
    } else {
        format!("{stored} stored")
    };
    format!("{read} read, {good}, {known} known, {refused} refused")
}

fn add(sum: &mut ImportCounts, counts: ImportCounts) {
    sum.read += counts.read;
    sum.stored += counts.stored;
    sum.storable += counts.storable;
    sum.known += counts.known;
    sum.refused += counts.refused;
}

/// Tells of the records of a file as they come.
struct Report<'a> {
    path: &'a Path,
    bar: ProgressBar,
    lost: Losses,
}

impl Report<'_> {
    fn new<'a>(path: &'a Path, file: &[u8]) -> Report<'a> {
        Report {
            path,
            bar: bar(path, file),
            lost: Losses::NONE,
        }
    }

    fn add(&mut self, imported: &Imported) {
        self.lost = self.lost.and(imported.lost);
        let line = u64::try_from(imported.line).unwrap_or(u64::MAX);
        self.bar.set_position(line);
        self.bar.set_message(imported.number.to_string());
        if let Fate::Refused(unfit) = &imported.fate {
            let column = unfit.column.unwrap_or(1);
            let place = format!("{}:{}:{column}", self.path.display(), unfit.line);
            self.bar
                .suspend(|| tell(&format!("{place}: {}", unfit.detail)));
        }
    }

    /// Takes the bar away and tells what was left behind.
    fn end(self) -> String {
        self.bar.finish_and_clear();
        let names: Vec<_> = self.lost.iter().map(|loss| loss.name()).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("; left behind: {}", names.join(", "))
        }
    }
}

/// How far a file is read, by its lines; on a terminal only, so that logs stay readable.
fn bar(path: &Path, file: &[u8]) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let lines = file.split(|octet| *octet == b'\n').count();
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {msg} records, {eta}")
        .expect("the template is well-formed");
    ProgressBar::new(u64::try_from(lines).unwrap_or(u64::MAX))
        .with_style(style)
        .with_prefix(path.display().to_string())
}
