//! `/v1/conversions`: game files of one format as another.

use actix_web::{HttpResponse, web};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::answer::ok;
use crate::api::code::Code;
use crate::api::desk::Desk;
use crate::api::error::{ApiError, InputError};
use crate::api::extract::{Body, Input};
use crate::api::faults::Faults;
use crate::api::query::QueryNames;
use crate::api::text::{Text, Whole, present};
use crate::api::warnings::{WarningView, warnings_of_reading, warnings_of_writing};
use crate::formats::{Defaults, Entry, Format, Reason, Refusal};
use crate::rules::Rule;
use crate::service::Limits;

/// Games in one format that are wanted in another.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConversionRequest)]
pub struct RawConversion {
    /// The format of the games; by what they begin with when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Format>, nullable = false)]
    from: Option<Text<Format>>,
    /// The format that is wanted: `sgf`, `psq`, `moves` or `ndjson`. The others are only read.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Format, required = true)]
    to: Option<Text<Format>>,
    /// The games as text, whatever encoding the text names. Give this or `octets`.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, example = "(;GM[4]SZ[15];B[hh];W[ig])")]
    text: Option<String>,
    /// The games as octets in base64 (RFC 4648, section 4): `renlib`, which is no text, and files in other encodings than UTF-8.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, format = "byte", content_encoding = "base64")]
    octets: Option<String>,
    /// The rule of games that do not say theirs; freestyle when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Rule>, nullable = false)]
    rule: Option<Text<Rule>>,
    /// The size of board of games that do not say theirs; 15 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 5, maximum = 25)]
    size: Option<Whole>,
}

/// Games to be converted.
pub struct Conversion {
    from: Format,
    to: Format,
    octets: Vec<u8>,
    /// Where the games were sent.
    place: &'static str,
    defaults: Defaults,
}

const TEXT: &str = "/text";
const OCTETS: &str = "/octets";

impl Input for RawConversion {
    type Valid = Conversion;

    const QUERY: QueryNames = &[];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Conversion> {
        let defaults = Defaults {
            rule: faults.rule(self.rule, "/rule").unwrap_or_default(),
            size: faults.size(self.size, "/size").unwrap_or_default(),
        };
        let to = target(self.to, faults);
        let is_named = self.from.is_some();
        let from = faults.choose(self.from, "/from", Code::InvalidField, &names(&Format::ALL));
        let (octets, place) = source(self.text, self.octets, faults)?;
        if from == Some(Format::Renlib) && place == TEXT {
            let detail = "renlib is no text; send it as octets";
            faults.note("/from", Code::InvalidField, detail);
        }
        let from = match from {
            None if !is_named => recognised(&octets, place, faults),
            named => named,
        };
        Some(Conversion {
            from: from?,
            to: to?,
            octets,
            place,
            defaults,
        })
    }
}

fn names(formats: &[Format]) -> String {
    let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
    names.join(", ")
}

/// The format that is wanted, if games are written so.
fn target(raw: Option<Text<Format>>, faults: &mut Faults) -> Option<Format> {
    let written = Format::ALL.into_iter().filter(|format| format.is_written());
    let written = names(&written.collect::<Vec<_>>());
    let Some(raw) = raw else {
        let detail = format!("say in which format the games are wanted: {written}");
        faults.note("/to", Code::MissingField, detail);
        return None;
    };
    let to = faults.choose(Some(raw), "/to", Code::InvalidField, &written)?;
    if !to.is_written() {
        let detail = format!("games are read from {to} and not written so; written are {written}");
        faults.note("/to", Code::InvalidField, detail);
        return None;
    }
    Some(to)
}

/// The games' octets, and where they were sent.
pub fn source(
    text: Option<String>,
    octets: Option<String>,
    faults: &mut Faults,
) -> Option<(Vec<u8>, &'static str)> {
    match (text, octets) {
        (Some(text), None) => Some((text.into_bytes(), TEXT)),
        (None, Some(octets)) => match BASE64_STANDARD.decode(octets) {
            Ok(octets) => Some((octets, OCTETS)),
            Err(_) => {
                let detail = "this is not base64 with padding (RFC 4648, section 4)";
                faults.note(OCTETS, Code::InvalidField, detail);
                None
            }
        },
        (Some(_), Some(_)) => {
            let detail = "give text or octets, not both";
            faults.note(OCTETS, Code::AmbiguousSource, detail);
            None
        }
        // What was there and could not be read is told already.
        (None, None) if faults.has(TEXT) || faults.has(OCTETS) => None,
        (None, None) => {
            faults.note(TEXT, Code::MissingField, "give text or octets");
            None
        }
    }
}

/// The format of games that begin like these; if none does, that is noted.
pub fn recognised(octets: &[u8], place: &str, faults: &mut Faults) -> Option<Format> {
    let format = Format::of(octets);
    if format.is_none() {
        let all = names(&Format::ALL);
        let detail = format!("no format is known by this beginning; name it: {all}");
        faults.note(place, Code::InvalidField, detail);
    }
    format
}

/// The games in the format that was wanted.
#[derive(Serialize, ToSchema)]
pub struct ConversionAnswer {
    /// The format that was read.
    from: Format,
    /// The format that is written.
    to: Format,
    /// The media type of what is written.
    #[schema(example = "application/x-go-sgf")]
    media_type: &'static str,
    /// How the names of such files end.
    #[schema(example = "sgf")]
    extension: &'static str,
    /// The games, one after another: a file of this format.
    text: String,
    /// How many games are written.
    #[schema(minimum = 1, maximum = 100)]
    games: usize,
    /// What did not come across, and what is wrong with the games.
    warnings: Vec<WarningView>,
    /// How many games could not be read.
    #[schema(maximum = 99)]
    refused_count: usize,
    /// Those, with the reasons: the first twenty.
    #[schema(max_items = 20)]
    refused: Vec<RefusedView>,
}

/// A game that could not be read.
#[derive(Serialize, ToSchema)]
#[schema(as = RefusedGame)]
struct RefusedView {
    /// Its number among all, from 1.
    number: usize,
    /// The line where it is wrong, from 1; of `renlib` 1.
    line: usize,
    /// The column there in characters, from 1; of `renlib` the octet.
    column: usize,
    /// What is wrong, as a name.
    #[schema(example = "occupied")]
    code: &'static str,
    /// What is wrong, in words.
    detail: String,
}

impl Conversion {
    /// Reads the games and writes them.
    ///
    /// # Errors
    ///
    /// When there are too many, or none that can be read.
    pub fn convert(&self) -> Result<ConversionAnswer, ApiError> {
        let entries = self.entries()?;
        let mut answer = ConversionAnswer {
            from: self.from,
            to: self.to,
            media_type: self.to.media_type(),
            extension: self.to.extension(),
            text: String::new(),
            games: 0,
            warnings: Vec::new(),
            refused_count: 0,
            refused: Vec::new(),
        };
        for Entry { number, game, .. } in &entries {
            match game {
                Ok(game) => {
                    let lost = self
                        .to
                        .write(game, &mut answer.text)
                        .map_err(|error| ApiError::Internal(error.to_string()))?;
                    answer.games += 1;
                    let warnings = &mut answer.warnings;
                    warnings.extend(warnings_of_reading(*number, self.from, game));
                    warnings.extend(warnings_of_writing(*number, self.to, lost));
                }
                Err(refusal) => {
                    answer.refused_count += 1;
                    if answer.refused.len() < Limits::ERRORS {
                        answer.refused.push(RefusedView::of(*number, refusal));
                    }
                }
            }
        }
        if answer.games == 0 {
            return Err(self.nothing(&entries));
        }
        Ok(answer)
    }

    /// What the octets hold, if it is not too much.
    fn entries(&self) -> Result<Vec<Entry>, ApiError> {
        let most = Limits::CONVERSION_GAMES;
        let entries = self.from.read(&self.octets, self.defaults);
        let entries: Vec<Entry> = entries.take(most + 1).collect();
        if entries.len() > most {
            let detail = format!("a conversion takes at most {most} games at once");
            return Err(self.fault(Code::LimitOutOfRange, detail));
        }
        Ok(entries)
    }

    /// Why no game could be read.
    fn nothing(&self, entries: &[Entry]) -> ApiError {
        let refusals = entries
            .iter()
            .filter_map(|entry| Some((entry.number, entry.game.as_ref().err()?)));
        let errors: Vec<InputError> = refusals
            .take(Limits::ERRORS)
            .map(|(number, refusal)| InputError {
                pointer: self.place.into(),
                code: code_of(&refusal.reason),
                detail: format!("game {number}, {refusal}"),
                evidence: None,
            })
            .collect();
        if errors.is_empty() {
            let detail = format!("there is no game in this {}", self.from);
            return self.fault(Code::InvalidField, detail);
        }
        ApiError::Input(errors)
    }

    fn fault(&self, code: Code, detail: String) -> ApiError {
        ApiError::Input(vec![InputError {
            pointer: self.place.into(),
            code,
            detail,
            evidence: None,
        }])
    }
}

impl RefusedView {
    fn of(number: usize, refusal: &Refusal) -> RefusedView {
        RefusedView {
            number,
            line: refusal.line,
            column: refusal.column,
            code: refusal.reason.name(),
            detail: refusal.reason.to_string(),
        }
    }
}

/// The code of a request of which nothing could be read: what is no move has one of its own.
const fn code_of(reason: &Reason) -> Code {
    match reason {
        Reason::NotAMove(_) => Code::UnreadableNotation,
        _ => Code::InvalidField,
    }
}

/// Converts games from one format to another.
///
/// Good games are converted though others are bad; those are told under `refused`. What a format cannot say, and what was
/// left behind in reading, is told under `warnings`, and so is a game that its rule does not allow.
#[utoipa::path(
    post, path = "/v1/conversions", tag = "files",
    request_body(content = RawConversion, examples(
        ("moves" = (summary = "Plain moves as SGF", value = json!({"to": "sgf", "text": "1. h8 i9 2. j10", "rule": "renju"}))),
        ("sgf" = (summary = "SGF with a comment and a pass as plain moves", value = json!({"from": "sgf", "to": "moves", "text": "(;GM[4]SZ[15]PB[Ada]C[The centre.];B[hh];W[tt];B[gg])"}))),
        ("refused" = (summary = "A good game and a bad one", value = json!({"to": "ndjson", "text": "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,8,0\nPiskvorky 15x15, 0:0, 0\n8,8,0\n9,8\n8,8,5\n"}))),
    )),
    responses((status = 200, description = "The games as they are written, and what did not come across.", body = ConversionAnswer))
)]
pub async fn create_conversion(
    request: Body<RawConversion>,
    desk: web::Data<Desk>,
) -> Result<HttpResponse, ApiError> {
    // Many games under a rule that forbids take longer to judge than others should wait for.
    let converted = desk.work(move || request.0.convert()).await?;
    Ok(ok(&converted?))
}
