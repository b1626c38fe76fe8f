//! `/v1/game-imports`: the games of a file, kept.

use std::time::{Duration, Instant};

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Input, Query, is_identity, receive};
use crate::api::faults::Faults;
use crate::api::query::{QueryName, QueryNames};
use crate::api::text::{Text, Whole, named, present};
use crate::formats::{Defaults, Format, Loss};
use crate::rules::Rule;
use crate::service::{
    Bound, Config, Cut, Fate, ImportCounts, ImportGate, ImportPlan, Imported, Keeping, Limits,
    Unfit, import,
};
use crate::store::Store;

named!(Loss, "What of a game could not be taken over.");
named!(Bound as "ImportBound", "What keeps an import from reading a file to its end: `import_records` or `import_time_ms` of `/v1/meta`.");

/// How a file is to be imported.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RawImport {
    /// The file's format; by `Content-Type` when absent, and by what the file begins with where that names none.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Format>, nullable = false)]
    format: Option<Text<Format>>,
    /// The rule of games that do not say theirs; freestyle when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Rule>, nullable = false)]
    rule: Option<Text<Rule>>,
    /// The size of board of games that do not say theirs; 15 when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u8>, nullable = false, minimum = 5, maximum = 25)]
    size: Option<Whole>,
    /// `true` judges every record and keeps none.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false)]
    dry_run: Option<bool>,
}

/// A valid request for an import.
pub struct ImportRequest {
    format: Option<Format>,
    defaults: Defaults,
    dry_run: bool,
}

impl Input for RawImport {
    type Valid = ImportRequest;

    const QUERY: QueryNames = &[&[
        QueryName::text("format", "/format"),
        QueryName::text("rule", "/rule"),
        QueryName::number("size", "/size"),
        QueryName::flag("dry_run", "/dry_run"),
    ]];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<ImportRequest> {
        Some(ImportRequest {
            format: faults.choose(self.format, "/format", Code::InvalidField, &Format::names()),
            defaults: Defaults {
                rule: faults.rule(self.rule, "/rule").unwrap_or_default(),
                size: faults.size(self.size, "/size").unwrap_or_default(),
            },
            dry_run: self.dry_run.unwrap_or(false),
        })
    }
}

/// What became of the records of a file.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportReport)]
pub struct ReportView {
    /// The format that was read.
    format: Format,
    /// Was nothing to be kept?
    dry_run: bool,
    counts: CountsView,
    /// Has the file more records than the import has read? Those were left alone.
    file_cut: bool,
    /// Where the rest begins that was not read, if `file_cut`. Send it as a file of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    unread: Option<UnreadView>,
    /// The records in the order of the file; of very many first those that are refused.
    #[schema(max_items = 1000)]
    records: Vec<RecordView>,
    /// Are there records that the list leaves out?
    records_cut: bool,
}

/// The rest of a file, that was not read.
#[derive(Serialize, ToSchema)]
#[schema(as = UnreadRecords)]
struct UnreadView {
    bound: Bound,
    /// The number of its first record in the file, from 1.
    number: usize,
    /// The line where that begins, from 1; of `renlib` 1.
    line: usize,
}

/// How many records became what.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportCounts)]
pub struct CountsView {
    read: usize,
    /// Kept now.
    stored: usize,
    /// Would be kept, were this no dry run.
    storable: usize,
    /// The same as one that is kept already, or as an earlier one of the file.
    known: usize,
    /// No games that can be kept.
    refused: usize,
}

/// What became of a record.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportedRecord)]
struct RecordView {
    /// Its number in the file, from 1.
    number: usize,
    /// The line where it begins, or where it is wrong, from 1; of `renlib` 1.
    line: usize,
    /// The column where it is wrong, from 1, in characters; of `renlib` in octets. Absent when the record as a whole is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<usize>,
    status: RecordStatus,
    /// The name of the kept game. A dry run does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "uuid")]
    id: Option<String>,
    /// Why it is refused: `illegal_move`, `missing_field` (how the game ended), `result_mismatch`, `setup` (it does not begin with an
    /// empty board), or a name for what the reader stumbled over, as `not_a_move`, `occupied`, `off_board` or `cut_off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "illegal_move")]
    code: Option<&'static str>,
    /// Why it is refused, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
    /// What could not be taken over. `termination` means that the file says who won and not how, and the stones do not tell: the
    /// game is kept as ended by `other`. `rule`: the rule's name is not understood, the default is taken.
    warnings: Vec<Loss>,
}

/// What became of a record, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RecordStatus {
    /// It is kept now.
    Stored,
    /// It was kept before.
    Known,
    /// It is no game that can be kept.
    Refused,
    /// It would be kept, were this no dry run.
    Storable,
}

impl RecordView {
    fn of(imported: &Imported) -> RecordView {
        let mut view = RecordView {
            number: imported.number,
            line: imported.line,
            column: None,
            status: RecordStatus::Storable,
            id: None,
            code: None,
            detail: None,
            warnings: imported.lost.iter().collect(),
        };
        match &imported.fate {
            Fate::Storable => {}
            Fate::Stored(id) => {
                view.status = RecordStatus::Stored;
                view.id = Some(id.to_string());
            }
            Fate::Known(id) => {
                view.status = RecordStatus::Known;
                view.id = id.map(|id| id.to_string());
            }
            Fate::Refused(Unfit {
                code,
                line,
                column,
                detail,
            }) => {
                view.status = RecordStatus::Refused;
                view.line = *line;
                view.column = *column;
                view.code = Some(code);
                view.detail = Some(detail.clone());
            }
        }
        view
    }
}

/// The records that are listed: refused ones go first where there is no room for all.
#[derive(Default)]
pub struct Listed {
    refused: Vec<RecordView>,
    others: Vec<RecordView>,
}

impl Listed {
    /// Adds a record, if there is room.
    pub fn add(&mut self, imported: &Imported) {
        let list = match imported.fate {
            Fate::Refused(_) => &mut self.refused,
            Fate::Stored(_) | Fate::Known(_) | Fate::Storable => &mut self.others,
        };
        if list.len() < Limits::IMPORT_LISTED {
            list.push(RecordView::of(imported));
        }
    }

    /// In the order of the file.
    fn into_records(self) -> Vec<RecordView> {
        let room = Limits::IMPORT_LISTED - self.refused.len();
        let mut records = self.refused;
        records.extend(self.others.into_iter().take(room));
        records.sort_by_key(|record| record.number);
        records
    }
}

impl CountsView {
    /// How many records became what.
    pub fn of(counts: ImportCounts) -> CountsView {
        CountsView {
            read: counts.read,
            stored: counts.stored,
            storable: counts.storable,
            known: counts.known,
            refused: counts.refused,
        }
    }
}

impl ReportView {
    /// What became of the records of a file.
    pub fn of(format: Format, dry_run: bool, counts: ImportCounts, listed: Listed) -> ReportView {
        let records = listed.into_records();
        ReportView {
            format,
            dry_run,
            counts: CountsView::of(counts),
            file_cut: counts.cut.is_some(),
            unread: counts.cut.map(UnreadView::from),
            records_cut: records.len() < counts.read,
            records,
        }
    }
}

impl From<Cut> for UnreadView {
    fn from(cut: Cut) -> UnreadView {
        let Cut {
            bound,
            number,
            line,
        } = cut;
        UnreadView {
            bound,
            number,
            line,
        }
    }
}

/// Describes a file that need not be text in the OpenAPI document.
struct Octets;

impl PartialSchema for Octets {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
            .description(Some("A file as it is."))
            .into()
    }
}

impl ToSchema for Octets {}

/// How long a file may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// Keeps the games of a file.
///
/// The body is the file as it is. Every good game is kept, though others are refused; each record of the file is told of, with
/// line, column and reason where it is refused. The same file again changes nothing: its games are known then.
/// A game must have ended: by its stones, or by what the file says of it. Where a file says who won and not how,
/// and the stones do not tell, the game is kept as ended by `other`. What is kept when the service must give up stays kept; send the file again.
///
/// An import reads at most `import_records` records and for at most `import_time_ms` (both in `/v1/meta`), counted from when the
/// whole file has come. What is read by then is kept and told of as usual; `file_cut` and `unread` say that there is more, and where.
#[utoipa::path(
    post, path = "/v1/game-imports", tag = "games",
    params(RawImport),
    request_body(description = "A file of games, of the format that `format` or `Content-Type` names or that it is recognised as. `text/plain` and types that \
        are not listed here say nothing.", content(
        (String = "application/x-go-sgf", example = json!("(;GM[4]FF[4]SZ[15]RU[renju]PB[Ada]PW[Grace]RE[B+R];B[hh];W[ig];B[ji])")),
        (String = "application/x-piskvork", example = json!("Piskvorky 15x15, 0:0, 0\n8,8,0\n1,1,0\n8,7,0\n3,1,0\n8,6,0\n5,1,0\n8,5,0\n7,1,0\n8,4,0\n")),
        (String = "application/x-ndjson", example = json!("{\"rule\":\"freestyle\",\"moves\":\"h8 a1 h9 c1 h10 e1 h12 g1 h11\",\"players\":{\"black\":\"Ada\"}}\n")),
        (String = "application/x-playok"),
        (String = "application/xml"),
        (String = "text/plain", example = json!("h8 a1 h9 c1 h10 e1 h12 g1 h11\n")),
        (Octets = "application/x-renlib"),
        (Octets = "application/octet-stream"),
    )),
    responses((status = 200, description = "What became of every record.", body = ReportView, example = json!({
        "format": "sgf", "dry_run": false,
        "counts": {"read": 2, "stored": 1, "storable": 0, "known": 0, "refused": 1},
        "file_cut": false,
        "records": [
            {"number": 1, "line": 1, "status": "stored", "id": "019357a4-6c00-7000-8000-000000000000", "warnings": ["comments"]},
            {"number": 2, "line": 4, "column": 17, "status": "refused", "code": "occupied", "detail": "duplicate point at move 2: h8 holds a stone already", "warnings": []}
        ],
        "records_cut": false
    })))
)]
pub async fn create_import(
    request: HttpRequest,
    query: Query<RawImport>,
    payload: web::Payload,
    config: web::Data<Config>,
    gate: web::Data<ImportGate>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let asked = query.0;
    let headers = request.headers();
    if !is_identity(headers) {
        let detail = "send the file without a content encoding";
        return Err(ApiError::UnsupportedFile(detail.into()));
    }
    // Before the file is taken in: what waits holds nothing.
    let _place = gate.enter().await?;
    let file = receive(&request, payload, config.limits.import_bytes, PATIENCE)
        .await?
        .ok_or_else(|| ApiError::BadRequest("the body breaks off".into()))?;
    let said = headers.get(header::CONTENT_TYPE);
    let format = asked
        .format
        .or_else(|| format_of(said.and_then(|said| said.to_str().ok())?))
        .or_else(|| Format::of(&file))
        .ok_or_else(unknown_format)?;
    let plan = ImportPlan {
        format,
        defaults: asked.defaults,
        keeping: if asked.dry_run {
            Keeping::Never
        } else {
            Keeping::At(OffsetDateTime::now_utc())
        },
        most_records: Limits::IMPORT_RECORDS,
        until: Instant::now().checked_add(config.limits.import_time),
    };
    let mut listed = Listed::default();
    let counts = import(store.get_ref(), file, plan, |imported| listed.add(imported)).await?;
    Ok(answer::ok(&ReportView::of(
        format,
        asked.dry_run,
        counts,
        listed,
    )))
}

/// The format that a content type names. `text/plain` is said of any text.
fn format_of(content_type: &str) -> Option<Format> {
    let essence = content_type.split(';').next().unwrap_or("").trim();
    Format::ALL.into_iter().find(|format| {
        *format != Format::Moves && format.media_type().eq_ignore_ascii_case(essence)
    })
}

fn unknown_format() -> ApiError {
    ApiError::UnsupportedFile(format!(
        "no format is known by this beginning; name it as format: {}",
        Format::names()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Losses;
    use crate::store::GameId;

    fn imported(number: usize, is_good: bool) -> Imported {
        let fate = if is_good {
            Fate::Stored(GameId::new())
        } else {
            Fate::Refused(Unfit {
                code: Unfit::OPEN,
                line: number,
                column: None,
                detail: String::new(),
            })
        };
        Imported {
            number,
            line: number,
            fate,
            lost: Losses::NONE,
        }
    }

    /// The numbers listed of so many records, of which these are refused.
    fn numbers(records: usize, is_refused: fn(usize) -> bool) -> Vec<usize> {
        let mut listed = Listed::default();
        for number in 1..=records {
            listed.add(&imported(number, !is_refused(number)));
        }
        let records = listed.into_records();
        records.iter().map(|record| record.number).collect()
    }

    #[test]
    fn a_long_list_keeps_what_is_refused() {
        let most = Limits::IMPORT_LISTED;
        let all: Vec<_> = (1..=most).collect();
        assert_eq!(numbers(most, |number| number % 2 == 0), all);
        assert_eq!(numbers(most + 1, |_| false), all);
        assert_eq!(numbers(2 * most, |_| true), all);
        let late = numbers(most + 3, |number| number > 1_000);
        assert_eq!(late.len(), most);
        assert_eq!(late[most - 4..], [997, 1_001, 1_002, 1_003]);
    }

    #[test]
    fn a_content_type_names_a_format_or_nothing() {
        for format in Format::ALL {
            let expected = Some(format).filter(|format| *format != Format::Moves);
            assert_eq!(format_of(format.media_type()), expected);
        }
        let spelt = format_of("Application/X-Go-SGF ; charset=utf-8");
        assert_eq!(spelt, Some(Format::Sgf));
        assert_eq!(format_of("application/octet-stream"), None);
        assert_eq!(format_of(""), None);
    }
}
