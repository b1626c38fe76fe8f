//! `/v1/reviews` and `/v1/games/{id}/review`: a game judged ply by ply.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::analysis::Review;
use crate::api::code::Code;
use crate::api::envelope::request_id;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::finding::Pov;
use crate::api::games::find;
use crate::api::negotiate::{VARIES_BY_FORM, choose, etag, tagged};
use crate::api::position::{self, RawPosition, Source};
use crate::api::query::{QueryName, QueryNames};
use crate::api::review_view::ReviewAnswer;
use crate::api::reviewing::{Reviewing, Spent, Telling};
use crate::api::stream::{Event, Form, has_had_all};
use crate::api::terms::{self, RawSearchLimits, Terms};
use crate::api::text::{Text, object, present};
use crate::picture::{Theme, Title};
use crate::record::Record;
use crate::service::{Config, Limits, SearchPool, Searcher, Urgency};
use crate::store::Store;

const SVG: &str = "image/svg+xml";
const ANSWERS: &[&str] = &["application/json", Form::SSE, Form::NDJSON, SVG];

/// A game to be reviewed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReviewRequest)]
pub struct RawReview {
    /// The game's moves; a board without history is no game.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// What the search of each position may use.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Option<RawSearchLimits>, nullable = false)]
    limits: Option<RawSearchLimits>,
    /// For whom `before` and `after` are told; for the player of each ply when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Pov>, nullable = false)]
    pov: Option<Text<Pov>>,
    /// The colours of the chart; `light` when absent. Seen only as `image/svg+xml`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Theme>, nullable = false)]
    theme: Option<Text<Theme>>,
}

/// How a kept game is to be reviewed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawGameReview {
    #[serde(default, deserialize_with = "object")]
    limits: Option<RawSearchLimits>,
    #[serde(default, deserialize_with = "present")]
    pov: Option<Text<Pov>>,
    #[serde(default, deserialize_with = "present")]
    theme: Option<Text<Theme>>,
}

/// A valid request for a review.
pub struct ReviewRequest {
    source: Source,
    terms: Terms,
    telling: Telling,
}

/// A valid request for the review of a kept game.
pub struct GameReviewRequest {
    terms: Terms,
    telling: Telling,
}

impl Input for RawReview {
    type Valid = ReviewRequest;

    const QUERY: QueryNames = &[];
    const ANSWERS: &'static [&'static str] = ANSWERS;

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<ReviewRequest> {
        let terms = terms_of(self.limits, limits, faults);
        let telling = telling_of(self.pov, self.theme, faults);
        let source = position::required(self.position, faults)?;
        if let Source::Position(_) = source {
            let detail = "a game is reviewed by its moves, not as a board";
            faults.note("/position/moves", Code::MissingField, detail);
            return None;
        }
        Some(ReviewRequest {
            source,
            terms: terms?,
            telling,
        })
    }
}

impl Input for RawGameReview {
    type Valid = GameReviewRequest;

    const QUERY: QueryNames = &[
        terms::LIMITS_QUERY,
        &[
            QueryName::text("pov", "/pov"),
            QueryName::text("theme", "/theme"),
        ],
    ];
    const ANSWERS: &'static [&'static str] = ANSWERS;

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<GameReviewRequest> {
        let terms = terms_of(self.limits, limits, faults);
        let telling = telling_of(self.pov, self.theme, faults);
        Some(GameReviewRequest {
            terms: terms?,
            telling,
        })
    }
}

fn terms_of(raw: Option<RawSearchLimits>, limits: &Limits, faults: &mut Faults) -> Option<Terms> {
    let (default, longest) = (Limits::REVIEW_PLY_TIME_DEFAULT, limits.analysis_time);
    Terms::of_limits(raw, default, longest, faults)
}

fn telling_of(pov: Option<Text<Pov>>, theme: Option<Text<Theme>>, faults: &mut Faults) -> Telling {
    let choice = "to_move, black, white";
    let pov = faults.choose(pov, "/pov", Code::InvalidField, choice);
    let theme = faults.choose(theme, "/theme", Code::InvalidField, "light, dark");
    Telling {
        pov: pov.unwrap_or(Pov::ToMove),
        theme: theme.unwrap_or_default(),
    }
}

impl ReviewRequest {
    /// The review that is asked for.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules, or its searches would take too long together.
    pub fn begin(self, limits: &Limits) -> Result<Reviewing, ApiError> {
        // Refuses what breaks the rules.
        self.source.position()?;
        let Source::Record { record, .. } = self.source else {
            return Err(ApiError::Internal("a board was taken for a game".into()));
        };
        begin(record, self.terms, self.telling, limits)
    }
}

fn begin(
    record: Record,
    terms: Terms,
    telling: Telling,
    limits: &Limits,
) -> Result<Reviewing, ApiError> {
    let review = Review::of(&record);
    Ok(Reviewing {
        terms: shared(terms, review.searches(), limits.review_time)?,
        record,
        review,
        telling,
        title: None,
        spent: Spent::default(),
    })
}

/// The terms of so many searches that may take so long together. A time that the caller has set is kept to or refused, any
/// other is cut to an equal share.
fn shared(mut terms: Terms, searches: usize, together: Duration) -> Result<Terms, ApiError> {
    let share = together / u32::try_from(searches.max(1)).unwrap_or(u32::MAX);
    let time = terms.limits.time.unwrap_or(share);
    if terms.has_own_time && time > share {
        let mut faults = Faults::default();
        let detail = format!(
            "{searches} positions of {} ms each are more than {} ms; set less time, or make it a job",
            time.as_millis(),
            together.as_millis()
        );
        faults.note("/limits/time_ms", Code::UseJob, detail);
        return Err(faults.into());
    }
    terms.limits.time = Some(time.min(share));
    Ok(terms)
}

/// Reviews a game.
///
/// Each position of the game is searched once, one after the other, by an analysis that hints go before. Each ply is set beside
/// the best move there was: what the position was worth `before` and `after`, the `loss` in chance to win,
/// an `accuracy` from 0 to 100, a `judgement`, `tags`, and the `better` move where it matters.
///
/// A search ends with the first of its limits; without any it takes 100 ms. All searches together may take no longer than
/// `review_time_ms` of `/v1/meta`: a `time_ms` that is too long for the number of positions is refused as `use_job`. With `nodes` or
/// `depth` and no `time_ms` equal questions get equal answers, byte for byte. (Should such a search take longer than its share of the time of all, it is cut
/// off; the answer then has an `elapsed_ms` and is not to be kept.) Any other answer depends on the clock and says `Cache-Control: no-store`.
///
/// As `text/event-stream` or `application/x-ndjson` the answer comes in events: `accepted` at once, `ply` for each ply as soon as it is
/// judged (by its position and the next one, sometimes by one more), then `result` with the answer and `done`, or `error` with a problem. As `image/svg+xml` it is a chart of Black's
/// chances with the turning points marked.
#[utoipa::path(
    post, path = "/v1/reviews", tag = "analysis",
    request_body(content = RawReview, examples(
        ("missed" = (summary = "Black misses a five and White makes one", value = json!({"position": {"rule": "freestyle", "size": 9, "moves": "e5e6d5d6c5c6b5b6a1a6"}, "limits": {"nodes": 300}}))),
        ("going_on" = (summary = "A game that goes on, told for White", value = json!({"position": {"rule": "renju", "moves": "h8 h9 j6"}, "pov": "white", "limits": {"nodes": 300}}))),
    )),
    responses(
        (status = 200, description = "The game judged, the events on the way to it, or a chart.", content(
            (ReviewAnswer<'_> = "application/json"),
            (Event = "text/event-stream"),
            (Event = "application/x-ndjson"),
            (String = "image/svg+xml"),
        )),
    )
)]
pub async fn create_review(
    request: HttpRequest,
    body: Body<RawReview>,
    config: web::Data<Config>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let form = choose(&request, ANSWERS)?;
    let reviewing = body.0.begin(&config.limits)?;
    respond(&request, reviewing, form, &pool, store).await
}

/// Reviews a kept game, as `POST /v1/reviews` does.
///
/// With `nodes` or `depth` and no `time_ms` the answer carries an entity tag. A renju game that Black lost by a forbidden stone is reviewed with that stone.
#[utoipa::path(
    get, path = "/v1/games/{id}/review", tag = "games",
    params(
        ("id" = String, Path, description = "The game's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000"),
        ("time_ms" = Option<u16>, Query, description = "As `/limits/time_ms` in the body of `POST /v1/reviews`.", minimum = 1, maximum = 30000),
        ("nodes" = Option<u32>, Query, description = "As `/limits/nodes` in the body of `POST /v1/reviews`.", minimum = 1, maximum = 1000000000),
        ("depth" = Option<u8>, Query, description = "As `/limits/depth` in the body of `POST /v1/reviews`.", minimum = 1, maximum = 100),
        ("pov" = Option<Pov>, Query, description = "As `/pov` in the body of `POST /v1/reviews`."),
        ("theme" = Option<Theme>, Query, description = "As `/theme` in the body of `POST /v1/reviews`."),
    ),
    responses(
        (status = 200, description = "The game judged, the events on the way to it, or a chart.", content(
            (ReviewAnswer<'_> = "application/json"),
            (Event = "text/event-stream"),
            (Event = "application/x-ndjson"),
            (String = "image/svg+xml"),
        )),
        (status = 204, description = "The caller has had the last event: `Last-Event-ID` says so."),
    )
)]
pub async fn get_review(
    request: HttpRequest,
    id: web::Path<String>,
    query: Query<RawGameReview>,
    config: web::Data<Config>,
    store: web::Data<dyn Store>,
    pool: web::Data<SearchPool>,
) -> Result<HttpResponse, ApiError> {
    let form = choose(&request, ANSWERS)?;
    let game = find(store.get_ref(), &id).await?;
    let GameReviewRequest { terms, telling } = query.0;
    let title = Title::of_players(&game.game.text.players);
    // A game's moves never change, its players' names can. What a search finds may depend on how much it can remember.
    let asked = format!(
        "{terms:?} {telling:?} {title:?} {}",
        config.search.memory_mib
    );
    let tag = etag(&["review", &game.id.to_string(), &asked, form]);
    let reviewing = begin(game.game.record, terms, telling, &config.limits);
    let reviewing = reviewing.map_err(|error| error.into_query(RawGameReview::QUERY))?;
    let reviewing = Reviewing { title, ..reviewing };
    let is_event = Form::of(form).is_some();
    let mut response = if is_event && has_had_all(&request) {
        HttpResponse::NoContent().finish()
    } else if terms.is_repeatable && !is_event {
        tagged(
            &request,
            &tag,
            respond(&request, reviewing, form, &pool, store),
        )
        .await?
    } else {
        respond(&request, reviewing, form, &pool, store).await?
    };
    let headers = response.headers_mut();
    headers.insert(VARIES_BY_FORM.0, VARIES_BY_FORM.1);
    Ok(response)
}

async fn respond(
    request: &HttpRequest,
    reviewing: Reviewing,
    form: &str,
    pool: &SearchPool,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let searcher = Searcher::new(pool, store.clone().into_inner(), Urgency::Analysis);
    match Form::of(form) {
        Some(form) => {
            let id = request_id(request);
            reviewing.respond_in_events(form, pool.clone(), store.into_inner(), id)
        }
        None if form == SVG => reviewing.respond_drawn(&searcher).await,
        None => reviewing.respond_at_once(&searcher).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine;

    fn terms(own_ms: Option<u64>, longest_ms: u64) -> Terms {
        Terms {
            limits: engine::Limits {
                time: Some(Duration::from_millis(own_ms.unwrap_or(longest_ms))),
                ..engine::Limits::default()
            },
            is_repeatable: false,
            has_own_time: own_ms.is_some(),
            level: engine::Level::FULL,
            seed: 0,
        }
    }

    #[test]
    fn a_time_of_the_callers_is_kept_to_or_refused_and_any_other_shared() {
        let minute = Duration::from_secs(60);
        for (own_ms, searches, shared_ms) in [
            (Some(1_000), 60, Some(1_000)),
            (Some(1_000), 61, None),
            (Some(1), 60_000, Some(1)),
            (None, 600, Some(100)),
            (None, 1_200, Some(50)),
            (None, 0, Some(100)),
        ] {
            let shared = shared(terms(own_ms, 100), searches, minute);
            let time = shared.ok().and_then(|terms| terms.limits.time);
            assert_eq!(
                time,
                shared_ms.map(Duration::from_millis),
                "{own_ms:?} {searches}"
            );
        }
    }
}
