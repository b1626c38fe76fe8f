//! How fast games are kept and found: imports beside bare inserts of the same rows, then pages, players and the
//! explorer over a large database, and what one more game costs there.
//!
//! `cargo bench --bench store` makes a database of 1,000,000 games under `target/tmp`; another number may be given
//! in `TENGEN_BENCH_GAMES`. The next run finds it there; to make it anew, remove it. Everything is told as figures of
//! this one run.

mod bare;
mod library;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use library::{Chance, Library, player};
use tengen::board::{Board, BoardSize, Color};
use tengen::record::{GameResult, Ply, Record, Termination};
use tengen::rules::Rule;
use tengen::store::{
    self, Direction, ExplorerQuery, Folded, GameFilter, Order, PlayerSelection, Selection, SortKey,
    Store, StoreError,
};
use time::OffsetDateTime;

/// How many games are kept in one transaction, as an import does it.
const AT_ONCE: usize = 500;
/// How many games are imported beside bare inserts.
const COMPARED: usize = 20_000;
/// How many callers ask at once, and how often each.
const CLIENTS: u64 = 8;
const QUESTIONS: usize = 200;
/// How many games a small database has.
const SMALL: usize = 10_000;
/// How many single games tell what one costs.
const SINGLE: usize = 200;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let games: usize = match std::env::var("TENGEN_BENCH_GAMES") {
        Ok(number) => number.parse()?,
        Err(_) => 1_000_000,
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("store-bench");
    let passing = folder.join("passing");
    if passing.exists() {
        std::fs::remove_dir_all(&passing)?;
    }
    std::fs::create_dir_all(&passing)?;
    compare(&passing).await?;
    large(&folder, games).await?;
    std::fs::remove_dir_all(&passing)?;
    Ok(())
}

fn say(line: &str) {
    use std::io::Write;
    // Standard output may be closed; then nobody listens.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Imports games, then writes the same rows again without the program.
async fn compare(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut library = Library::new(1);
    let games: Vec<_> = (0..COMPARED).map(|_| library.game()).collect();
    let file = folder.join("imported.db");
    let store = store::open(&url(&file)).await?;
    let begun = Instant::now();
    for games in games.chunks(AT_ONCE) {
        store.add(games.to_vec(), OffsetDateTime::now_utc()).await?;
    }
    let imported = begun.elapsed();
    store.close().await;
    let rows = bare::rows(&file).await?;
    let copied = bare::copy(&file, &folder.join("bare.db"), AT_ONCE).await?;
    let rate = |time: Duration| rows as f64 / time.as_secs_f64();
    say(&format!(
        "import: {COMPARED} games, {rows} rows, {:.0} games/s, {:.0} rows/s; bare inserts {:.0} rows/s; ratio {:.2}",
        COMPARED as f64 / imported.as_secs_f64(),
        rate(imported),
        rate(copied),
        rate(imported) / rate(copied),
    ));
    Ok(())
}

async fn large(folder: &Path, games: usize) -> Result<(), Box<dyn std::error::Error>> {
    let file = folder.join(format!("large-{games}.db"));
    let store = store::open(&url(&file)).await?;
    fill(&*store, games).await?;
    let rated = Instant::now();
    store.rate().await?;
    say(&format!(
        "rated all players in {:.1} s",
        rated.elapsed().as_secs_f64()
    ));
    ask(&store).await?;
    compare_one_more(folder, &*store, games).await?;
    store.close().await;
    let size = std::fs::metadata(&file)?.len();
    say(&format!(
        "database: {} MiB, {} octets a game",
        size >> 20,
        size / u64::try_from(games)?
    ));
    Ok(())
}

/// Makes the games of a database, unless an earlier run has left them.
async fn fill(store: &dyn Store, games: usize) -> Result<(), StoreError> {
    if kept(store).await? > 0 {
        say(&format!("found {games} games of an earlier run"));
        return Ok(());
    }
    let mut library = Library::new(2);
    let begun = Instant::now();
    let mut left = games;
    while left > 0 {
        let some = AT_ONCE.min(left);
        let more = (0..some).map(|_| library.game()).collect();
        store.add(more, OffsetDateTime::now_utc()).await?;
        left -= some;
    }
    say(&format!(
        "made {games} games in {:.0} s",
        begun.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// How many games a database has.
async fn kept(store: &dyn Store) -> Result<u64, StoreError> {
    let facets = store.statistics().await?.facets;
    Ok(facets.iter().map(|(_, games)| games).sum())
}

/// What one more game costs in a large database and in a small one, by turns: a disk is not always as fast.
async fn compare_one_more(
    folder: &Path,
    large: &dyn Store,
    games: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let file = folder.join("passing/small.db");
    let small = store::open(&url(&file)).await?;
    fill(&*small, SMALL).await?;
    // Another seed for each run, as the games of the last are still there.
    let mut library = Library::new(kept(large).await?);
    let (mut in_small, mut in_large) = (Vec::new(), Vec::new());
    for _ in 0..SINGLE {
        in_small.push(cost_of_one(&*small, &mut library).await?);
        in_large.push(cost_of_one(large, &mut library).await?);
    }
    small.close().await;
    let (small, large) = (median(in_small), median(in_large));
    say(&format!(
        "one more game: {:.2} ms at {SMALL} games, {:.2} ms at {games}; ratio {:.2}",
        millis(small),
        millis(large),
        large.as_secs_f64() / small.as_secs_f64(),
    ));
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The time to keep one game, on the disk.
async fn cost_of_one(store: &dyn Store, library: &mut Library) -> Result<Duration, StoreError> {
    let game = library.game();
    let begun = Instant::now();
    store.add(vec![game], OffsetDateTime::now_utc()).await?;
    Ok(begun.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// What callers ask.
#[derive(Clone, Copy)]
enum Question {
    Page,
    Players,
    Explorer,
}

/// Asks each kind of question by several callers at once.
async fn ask(store: &Arc<dyn Store>) -> Result<(), Box<dyn std::error::Error>> {
    for (name, question) in [
        ("filtered page", Question::Page),
        ("player page", Question::Players),
        ("explorer", Question::Explorer),
    ] {
        let mut callers = Vec::new();
        for caller in 0..CLIENTS {
            let store = Arc::clone(store);
            callers.push(tokio::spawn(async move {
                let mut chance = Chance(100 + caller);
                let mut library = Library::new(1_000 + caller);
                let mut times = Vec::with_capacity(QUESTIONS);
                for _ in 0..QUESTIONS {
                    times.push(one(&*store, question, &mut chance, &mut library).await?);
                }
                Ok::<_, StoreError>(times)
            }));
        }
        let mut times = Vec::new();
        for caller in callers {
            times.extend(caller.await??);
        }
        times.sort_by_key(|(time, _)| *time);
        let at = |share: usize| millis(times[times.len() * share / 1_000].0);
        let slowest = times.last().expect("something was asked");
        say(&format!(
            "{name}: median {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, slowest {:.0} ms ({})",
            at(500),
            at(900),
            at(990),
            millis(slowest.0),
            slowest.1,
        ));
    }
    Ok(())
}

async fn one(
    store: &dyn Store,
    question: Question,
    chance: &mut Chance,
    library: &mut Library,
) -> Result<(Duration, String), StoreError> {
    let mut asked = String::new();
    let begun;
    match question {
        Question::Page => {
            let selection = selection(chance);
            let _ = write!(asked, "{:?} {:?}", selection.filter, selection.order);
            begun = Instant::now();
            let first = store.page(&selection, 50).await?;
            if let Some(next) = first.next {
                let time = begun.elapsed();
                let second = Selection {
                    after: Some(next),
                    ..selection
                };
                let begun = Instant::now();
                store.page(&second, 50).await?;
                return Ok((time.max(begun.elapsed()), asked));
            }
        }
        Question::Players => {
            let name = player(chance);
            let _ = write!(asked, "{name}");
            begun = Instant::now();
            store.player(&name).await?;
            store.players(&PlayerSelection::default(), 50).await?;
        }
        Question::Explorer => {
            let ply = chance.below_as_index(13);
            let record = library.game().record.prefix(ply);
            let _ = write!(asked, "ply {ply}");
            let query = ExplorerQuery {
                position: folded(&record),
                since: None,
                until: None,
                player: None,
                color: None,
                result: None,
                games: 5,
            };
            begun = Instant::now();
            store.explore(&query).await?;
        }
    }
    Ok((begun.elapsed(), asked))
}

fn folded(record: &Record) -> Folded {
    let mut board = Board::new(record.size());
    let mut color = Color::Black;
    for ply in record.plies() {
        if let Ply::Stone(cell) = ply {
            board.put(*cell, color);
        }
        color = !color;
    }
    Folded::of(record.rule(), &board, color)
}

/// A page that somebody might ask for: one to three filters, any order.
fn selection(chance: &mut Chance) -> Selection {
    let mut filter = GameFilter::default();
    for _ in 0..=chance.below(3) {
        match chance.below(11) {
            0 => filter.rule = Some(Rule::ALL[chance.below_as_index(4)]),
            1 => filter.size = Some(BoardSize::DEFAULT),
            2 => filter.player = Some(player(chance)),
            3 => filter.result = Some(GameResult::ALL[chance.below_as_index(3)]),
            4 => filter.termination = Some(Termination::ALL[chance.below_as_index(9)]),
            5 => filter.event = Some(format!("Event {}", chance.below(500))),
            6 => filter.source = Some(format!("source {}", chance.below(10))),
            7 => filter.tag = Some(format!("tag {}", chance.below(30))),
            8 => filter.min_plies = Some(u16::try_from(chance.below(60)).expect("small")),
            9 => filter.black = Some(player(chance)),
            _ => {
                let days = i64::try_from(chance.below(7_000)).expect("small");
                let begin = OffsetDateTime::from_unix_timestamp(1_000_000_000).expect("a time");
                filter.played_from = Some(begin + time::Duration::days(days));
                filter.played_before = Some(begin + time::Duration::days(days + 30));
            }
        }
    }
    let key = [SortKey::Arrival, SortKey::PlayedAt, SortKey::Plies][chance.below_as_index(3)];
    let direction = [Direction::Ascending, Direction::Descending][chance.below_as_index(2)];
    Selection {
        filter,
        order: Order { key, direction },
        after: None,
    }
}
