//! What this service plays, what it bounds and what its errors mean: `/v1/rules`, `/v1/meta` and
//! `/v1/problems/{code}`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::negotiate::{accept, etag, tagged, unchanging};
use crate::board::{BoardSize, Color};
use crate::record::Record;
use crate::rules::{Five, Rule};
use crate::service::{Config, Limits};

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
    unchanging(&request, || {
        Ok(answer::ok(&RulesAnswer {
            rules: Rule::ALL.map(RuleView::of).into(),
        }))
    })
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
    /// The most plies of a record.
    record_plies: usize,
    /// The most moves that a hint names.
    hint_count: i64,
    /// The longest time that a hint may be asked to take, in milliseconds.
    hint_time_ms: i64,
    /// The most items on a page of a list.
    page_items: u32,
    /// The number of items on a page when the caller does not say.
    page_items_default: u32,
    /// The longest name of a player, event, site, round, source or tag, in characters.
    text_chars: usize,
    /// The most tags of a game.
    tags: usize,
    /// The most faults told in one answer.
    errors: usize,
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
    let limits = config.limits;
    // The limits are chosen when the service starts, so they are part of the tag.
    let tag = etag(&["meta", &format!("{limits:?}")]);
    tagged(&request, &tag, || {
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
                record_plies: Record::MOST_PLIES,
                hint_count: Limits::HINT_COUNT,
                hint_time_ms: Limits::HINT_TIME_MS,
                page_items: limits.page_items,
                page_items_default: Limits::PAGE_DEFAULT.min(limits.page_items),
                text_chars: Limits::TEXT_CHARS,
                tags: Limits::TAGS,
                errors: Limits::ERRORS,
            },
        }))
    })
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
    unchanging(&request, || {
        Ok(answer::ok(&ProblemAnswer {
            code,
            status: code.status().as_u16(),
            title: code.title(),
        }))
    })
}
