//! What this service plays, what it bounds and what its errors mean: `/v1/rules`, `/v1/meta` and
//! `/v1/problems/{code}`.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::Survey;
use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::negotiate::{accept, etag, tagged, unchanging};
use crate::api::review_view::ReviewScale;
use crate::board::{BoardSize, Color, Symmetry};
use crate::engine::Level;
use crate::formats::Format;
use crate::picture::{Pixels, Theme};
use crate::proof::Certificate;
use crate::record::Record;
use crate::rules::{Five, Rule};
use crate::service::{Config, Limits};
use crate::store::INDEXED_PLIES;

/// The rules that are played here.
#[derive(Serialize, ToSchema)]
pub struct RulesAnswer {
    rules: Vec<RuleView>,
}

/// One rule.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleDescription)]
struct RuleView {
    rule: Rule,
    /// The rule in words.
    description: &'static str,
    /// The row that Black wins with.
    black_wins_with: Winning,
    /// The row that White wins with.
    white_wins_with: Winning,
    /// Are overlines, double fours and double threes forbidden to Black?
    forbids: bool,
    /// Is a pass a ply, after the third?
    passes: bool,
}

/// The row that wins.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Winning {
    /// Five or more stones.
    FiveOrMore,
    /// Exactly five stones.
    ExactlyFive,
    /// Exactly five stones, not shut in by the other colour at both ends.
    ExactlyFiveNotShutIn,
}

impl RuleView {
    fn of(rule: Rule) -> RuleView {
        let winning = |color| match rule.five(color) {
            Five::AtLeast => Winning::FiveOrMore,
            Five::Exactly => Winning::ExactlyFive,
            Five::ExactlyOpen => Winning::ExactlyFiveNotShutIn,
        };
        RuleView {
            rule,
            description: match rule {
                Rule::Freestyle => "Five or more in a row win.",
                Rule::Standard => "Exactly five in a row win; six or more mean nothing.",
                Rule::Renju => {
                    "Black wins with exactly five and may make no overline, double four or double three, \
                     unless with a five; White wins with five or more."
                }
                Rule::Caro => {
                    "Exactly five in a row win, unless stones of the other colour lie at both ends; \
                     the edge of the board does not shut in."
                }
            },
            black_wins_with: winning(Color::Black),
            white_wins_with: winning(Color::White),
            forbids: rule == Rule::Renju,
            passes: rule.allows_pass(4),
        }
    }
}

/// Lists the rules.
#[utoipa::path(
    get, path = "/v1/rules", tag = "service",
    responses((status = 200, description = "The rules that are played here.", body = RulesAnswer))
)]
pub async fn get_rules(request: HttpRequest, _: NoQuery) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    unchanging(&request, async {
        Ok(answer::ok(&RulesAnswer {
            rules: Rule::ALL.map(RuleView::of).into(),
        }))
    })
    .await
}

/// What this service is and what it bounds.
#[derive(Serialize, ToSchema)]
pub struct MetaAnswer {
    /// `tengen`.
    name: &'static str,
    /// The version of the program.
    version: &'static str,
    rules: [Rule; 4],
    sizes: SizesView,
    limits: LimitsView,
    search: SearchView,
    /// The levels of play, the weakest first.
    levels: Vec<LevelView>,
    /// The formats of game files.
    formats: Vec<FormatView>,
    /// How moves are judged.
    reviews: ReviewScale,
    /// How pictures can look.
    pictures: PicturesView,
}

/// The sizes of board.
#[derive(Serialize, ToSchema)]
#[schema(as = Sizes)]
struct SizesView {
    smallest: u8,
    largest: u8,
    default: u8,
}

/// What a caller may send or ask for.
#[derive(Serialize, ToSchema)]
#[schema(as = Limits)]
struct LimitsView {
    /// The largest request body, in octets.
    body_bytes: usize,
    /// The longest path and query, in octets.
    url_bytes: usize,
    /// The largest file of an import, in octets.
    import_bytes: usize,
    /// The most records of a file that an import reads.
    import_records: usize,
    /// How long an import goes on reading records, in milliseconds; what is read by then is kept.
    import_time_ms: u64,
    /// The most records that the report of an import lists.
    import_listed: usize,
    /// How many imports run at once; others wait for some seconds.
    imports_at_once: usize,
    /// The most plies of a record.
    record_plies: usize,
    /// The most moves that a hint names.
    hint_count: i64,
    /// The longest time that a hint may be asked to take, in milliseconds.
    hint_time_ms: u64,
    /// The longest time that an analysis may be asked to take, in milliseconds.
    analysis_time_ms: u64,
    /// The longest time that all searches of a review may take together, in milliseconds.
    review_time_ms: u64,
    /// The time of each search of a review when the caller sets no limit at all, in milliseconds.
    review_ply_time_ms_default: u64,
    /// The largest certificate that is checked, in octets.
    proof_bytes: usize,
    /// The most nodes of a certificate.
    proof_nodes: usize,
    /// The most positions that a check of a certificate looks at.
    proof_check_positions: u64,
    /// The most octets of the certificates that one answer about defences makes.
    defence_bytes: usize,
    /// The longest time that an analysis may be asked to take in a job, in milliseconds.
    job_analysis_time_ms: u64,
    /// The longest time that all searches of a review may take together in a job, in milliseconds.
    job_review_time_ms: u64,
    /// The largest request for a job, in octets; what is no import may be as long as another body.
    job_bytes: usize,
    /// How many jobs may wait.
    jobs_waiting: u32,
    /// How many jobs are kept that have ended, and for how long in milliseconds.
    jobs_kept: u32,
    jobs_kept_ms: u64,
    /// How many streams of the events of jobs may be open.
    job_streams: usize,
    /// The most computations of a batch.
    batch_items: usize,
    /// The largest body of a batch, in octets; that of each item may be as long as another body.
    batch_bytes: usize,
    /// The longest time that all searches of a batch may take together, in milliseconds.
    batch_time_ms: u64,
    /// The same when the caller sets none.
    batch_time_ms_default: u64,
    /// The most lines of an analysis.
    analysis_lines: i64,
    /// The time of a search when the caller sets no limit at all, in milliseconds.
    search_time_ms_default: u64,
    /// The most positions that a search may be asked to look at.
    search_nodes: i64,
    /// The most stones that a search may be asked to look ahead.
    search_depth: i64,
    /// The most items on a page of a list.
    page_items: u32,
    /// The number of items on a page when the caller does not say.
    page_items_default: u32,
    /// The most top games that the explorer names, and the most recent ones.
    explorer_games: u32,
    /// The number of each when the caller does not say.
    explorer_games_default: u32,
    /// The number of plies of each game that the explorer counts.
    explorer_plies: usize,
    /// The longest name of a player, event, site, round, source or tag, in characters.
    text_chars: usize,
    /// The most tags of a game.
    tags: usize,
    /// The fewest pixels of a side of a PNG.
    picture_pixels_least: u16,
    /// The most pixels of a side of a PNG.
    picture_pixels: u16,
    /// The pixels of a side of a PNG when the caller does not say.
    picture_pixels_default: u16,
    /// The most marks on a picture.
    picture_marks: usize,
    /// The most threats that an answer lists.
    threats_listed: usize,
    /// The most forks that an answer lists.
    forks_listed: usize,
    /// The most games, good or bad, in a text that is converted.
    conversion_games: usize,
    /// The most faults told in one answer.
    errors: usize,
}

/// What the searches of the service share.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchCapacity)]
struct SearchView {
    /// How many run at once. Where there are two or more, one is kept for hints.
    threads: usize,
    /// How many jobs this server works on at once. Their searches give way to all others.
    job_workers: usize,
    /// How many threads each of them takes, unless nodes or depth bound it: then one.
    threads_per_search: usize,
    /// How many hints may wait, and as many analyses.
    queue: usize,
    /// How long a search may wait, in milliseconds. The time of a search counts from its start.
    wait_ms: u64,
    /// The memory of each search, in MiB.
    memory_mib: usize,
}

/// A level of play.
#[derive(Serialize, ToSchema)]
#[schema(as = Level)]
struct LevelView {
    #[schema(minimum = 1, maximum = 10)]
    level: u8,
    /// Its strength beside that of level 10, in Elo, measured by matches.
    elo: i32,
}

/// A format of game files.
#[derive(Serialize, ToSchema)]
#[schema(as = FormatDescription)]
struct FormatView {
    format: Format,
    media_type: &'static str,
    /// How the names of such files end.
    extension: &'static str,
    /// Are games written so? All formats are read.
    is_written: bool,
}

impl FormatView {
    const fn of(format: Format) -> FormatView {
        FormatView {
            format,
            media_type: format.media_type(),
            extension: format.extension(),
            is_written: format.is_written(),
        }
    }
}

/// How pictures can look.
#[derive(Serialize, ToSchema)]
#[schema(as = Pictures)]
struct PicturesView {
    themes: [Theme; 2],
    symmetries: [Symmetry; 8],
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Tells what this service is and what it bounds.
#[utoipa::path(
    get, path = "/v1/meta", tag = "service",
    responses((status = 200, description = "The version and the limits.", body = MetaAnswer))
)]
pub async fn get_meta(
    request: HttpRequest,
    config: web::Data<Config>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let (limits, search, jobs) = (config.limits, config.search, config.jobs);
    // The limits are chosen when the service starts, so they are part of the tag.
    let tag = etag(&["meta", &format!("{limits:?} {search:?} {jobs:?}")]);
    tagged(&request, &tag, async {
        Ok(answer::ok(&MetaAnswer {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            rules: Rule::ALL,
            sizes: SizesView {
                smallest: BoardSize::SMALLEST.lines(),
                largest: BoardSize::LARGEST.lines(),
                default: BoardSize::DEFAULT.lines(),
            },
            limits: LimitsView {
                body_bytes: limits.body_bytes,
                url_bytes: limits.url_bytes,
                import_bytes: limits.import_bytes,
                import_records: Limits::IMPORT_RECORDS,
                import_time_ms: millis(limits.import_time),
                import_listed: Limits::IMPORT_LISTED,
                imports_at_once: Limits::IMPORTS_AT_ONCE,
                record_plies: Record::MOST_PLIES,
                hint_count: Limits::HINT_COUNT,
                hint_time_ms: millis(limits.hint_time),
                analysis_time_ms: millis(limits.analysis_time),
                review_time_ms: millis(limits.review_time),
                review_ply_time_ms_default: millis(Limits::REVIEW_PLY_TIME_DEFAULT),
                proof_bytes: Certificate::MOST_OCTETS,
                proof_nodes: Certificate::MOST_NODES,
                proof_check_positions: Limits::PROOF_CHECK_POSITIONS,
                defence_bytes: Limits::DEFENCE_BYTES,
                job_analysis_time_ms: millis(jobs.analysis_time),
                job_review_time_ms: millis(jobs.review_time),
                job_bytes: limits.import_bytes.max(limits.body_bytes),
                jobs_waiting: jobs.waiting,
                jobs_kept: jobs.kept,
                jobs_kept_ms: millis(jobs.kept_for),
                job_streams: Limits::JOB_STREAMS,
                batch_items: Limits::BATCH_ITEMS,
                batch_bytes: limits.body_bytes.saturating_mul(Limits::BATCH_BODIES),
                batch_time_ms: millis(limits.batch_time),
                batch_time_ms_default: millis(Limits::BATCH_TIME_DEFAULT.min(limits.batch_time)),
                analysis_lines: Limits::ANALYSIS_LINES,
                search_time_ms_default: millis(Limits::SEARCH_TIME_DEFAULT),
                search_nodes: Limits::SEARCH_NODES,
                search_depth: Limits::SEARCH_DEPTH,
                page_items: limits.page_items,
                page_items_default: Limits::PAGE_DEFAULT.min(limits.page_items),
                explorer_games: Limits::EXPLORER_GAMES,
                explorer_games_default: Limits::EXPLORER_GAMES_DEFAULT,
                explorer_plies: INDEXED_PLIES,
                text_chars: Limits::TEXT_CHARS,
                tags: Limits::TAGS,
                picture_pixels_least: Pixels::FEWEST.count(),
                picture_pixels: Pixels::MOST.count(),
                picture_pixels_default: Pixels::DEFAULT.count(),
                picture_marks: Limits::PICTURE_MARKS,
                threats_listed: Survey::MOST_THREATS,
                forks_listed: Survey::MOST_FORKS,
                conversion_games: Limits::CONVERSION_GAMES,
                errors: Limits::ERRORS,
            },
            search: SearchView {
                threads: search.threads.get(),
                job_workers: jobs.workers,
                threads_per_search: search.threads_each.get(),
                queue: search.queue,
                wait_ms: millis(search.wait),
                memory_mib: search.memory_mib,
            },
            levels: Level::all()
                .map(|level| LevelView {
                    level: level.number(),
                    elo: level.elo(),
                })
                .collect(),
            formats: Format::ALL.map(FormatView::of).into(),
            reviews: ReviewScale::new(),
            pictures: PicturesView {
                themes: Theme::ALL,
                symmetries: Symmetry::ALL,
            },
        }))
    })
    .await
}

/// What an error code means.
#[derive(Serialize, ToSchema)]
pub struct ProblemAnswer {
    code: Code,
    /// The HTTP status that goes with it.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What it means.
    title: &'static str,
}

/// Explains an error code.
#[utoipa::path(
    get, path = "/v1/problems/{code}", tag = "service",
    params(("code" = Code, Path, description = "The code.")),
    responses((status = 200, description = "What the code means.", body = ProblemAnswer))
)]
pub async fn get_problem(
    request: HttpRequest,
    name: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let code = Code::ALL
        .into_iter()
        .find(|code| code.name() == name.as_str())
        .ok_or(ApiError::RouteNotFound)?;
    unchanging(&request, async {
        Ok(answer::ok(&ProblemAnswer {
            code,
            status: code.status().as_u16(),
            title: code.title(),
        }))
    })
    .await
}
