//! A picture as it is asked for: the position, and how it is to be seen.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::faults::Faults;
use crate::api::game_text::checked;
use crate::api::games::RawPlayers;
use crate::api::marks::{Marked, RawMarks};
use crate::api::moves::RawMove;
use crate::api::negotiate::etag;
use crate::api::position::{self, RawPosition, Source};
use crate::api::query::QueryName;
use crate::api::text::{Text, Whole, object, present};
use crate::board::{Cell, Symmetry};
use crate::picture::{Look, Mark, Picture, Pixels, Theme, Title, Visibility};
use crate::rules::Position;

/// A position and how it is to be seen.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BoardRequest)]
pub struct RawDrawing {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// The colours; `light` when absent. Not for `/v1/boards.txt`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Theme>, nullable = false)]
    theme: Option<Text<Theme>>,
    /// Are the letters of the columns and the numbers of the rows shown? They are when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    coordinates: Option<bool>,
    /// Are the numbers of the plies shown on the stones? They are not when absent. Only with `moves`, and not for `/v1/boards.txt`.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    numbers: Option<bool>,
    /// How the board is turned, its coordinates with it; `identity` when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Symmetry>, nullable = false)]
    symmetry: Option<Text<Symmetry>>,
    /// Are the cells crossed that renju forbids to Black, when it is Black's turn? They are not when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    forbidden: Option<bool>,
    /// The stone that was played last. Only with `board`: `moves` say it themselves.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RawMove>, nullable = false)]
    last_move: Option<RawMove>,
    /// What else is to be seen on cells, as the moves of a hint. A cell shows one mark: a forbidden cell goes before a hint, a hint before a threat, a better hint before a worse.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RawMarks>, nullable = false)]
    marks: Option<RawMarks>,
    /// What the picture is called. A PNG has no letters and does not show it.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    title: Option<String>,
    /// The players, whose names are the title.
    #[serde(default, deserialize_with = "object")]
    #[schema(nullable = false)]
    players: Option<RawPlayers>,
    /// The side of the PNG; 800 when absent. Only for `/v1/boards.png`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u16>, nullable = false, minimum = 64, maximum = 4096)]
    pixels: Option<Whole>,
}

/// The names in a query that all forms have besides the position's.
pub const QUERY: &[QueryName] = &[
    QueryName::flag("coordinates", "/coordinates"),
    QueryName::text("symmetry", "/symmetry"),
    QueryName::flag("forbidden", "/forbidden"),
    QueryName::text("last_move", "/last_move"),
    QueryName::text("marks", "/marks"),
    QueryName::text("title", "/title"),
    QueryName::text("black", "/players/black"),
    QueryName::text("white", "/players/white"),
];
/// The names that only forms with colours have.
pub const COLORED_QUERY: &[QueryName] = &[
    QueryName::text("theme", "/theme"),
    QueryName::flag("numbers", "/numbers"),
];
/// The name that only the form with pixels has.
pub const PIXELS_QUERY: &[QueryName] = &[QueryName::number("pixels", "/pixels")];

/// What a picture is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines and circles, of any size.
    Svg,
    /// Pixels.
    Png,
    /// Characters.
    Text,
}

/// A picture to be drawn.
#[derive(Debug)]
pub struct Drawing {
    source: Source,
    /// How it is to be seen.
    pub look: Look,
    /// How large.
    pub pixels: Pixels,
    forbidden: Visibility,
    last: Option<Cell>,
    marks: Vec<Marked>,
    title: Option<Title>,
}

impl RawDrawing {
    /// Turns the request into what is to be drawn, or notes its faults.
    pub fn validate(self, form: Form, faults: &mut Faults) -> Option<Drawing> {
        self.note_strangers(form, faults);
        let theme = faults.choose(self.theme, "/theme", Code::InvalidField, "light, dark");
        let names = Symmetry::ALL.map(Symmetry::name).join(", ");
        let symmetry = faults.choose(self.symmetry, "/symmetry", Code::InvalidField, &names);
        let pixels = match self.pixels {
            None => Some(Pixels::DEFAULT),
            Some(Whole(count)) => Pixels::try_from(count)
                .map_err(|error| faults.note("/pixels", Code::LimitOutOfRange, error.to_string()))
                .ok(),
        };
        let title = title(self.title, self.players, faults);
        let source = position::required(self.position, faults);
        // Beside a position that cannot be read the marks are looked at nevertheless.
        let size = source.as_ref().map(Source::size).unwrap_or_default();
        let last = self
            .last_move
            .and_then(|cell| cell.into_cell("/last_move", size, faults));
        let marks = match self.marks {
            Some(marks) => marks.validate(size, faults),
            None => Some(Vec::new()),
        };
        let source = source?;
        match &source {
            Source::Record { .. } if last.is_some() => {
                let detail = "this goes with a board; moves say it themselves";
                faults.note("/last_move", Code::InvalidField, detail);
            }
            Source::Position(_) if self.numbers == Some(true) => {
                let detail = "the stones of a board without history have no numbers";
                faults.note("/numbers", Code::InvalidField, detail);
            }
            Source::Record { .. } | Source::Position(_) => {}
        }
        let default = Look::default();
        Some(Drawing {
            source,
            look: Look {
                theme: theme.unwrap_or(default.theme),
                coordinates: shown(self.coordinates).unwrap_or(default.coordinates),
                numbers: shown(self.numbers).unwrap_or(default.numbers),
                symmetry: symmetry.unwrap_or(default.symmetry),
            },
            pixels: pixels?,
            forbidden: shown(self.forbidden).unwrap_or(Visibility::Hidden),
            last,
            marks: marks?,
            title,
        })
    }

    /// Notes the members that the form has not.
    fn note_strangers(&self, form: Form, faults: &mut Faults) {
        let strangers = [
            ("/theme", form == Form::Text && self.theme.is_some()),
            ("/numbers", form == Form::Text && self.numbers.is_some()),
            ("/pixels", form != Form::Png && self.pixels.is_some()),
        ];
        for (pointer, is_strange) in strangers {
            if is_strange {
                let detail = match form {
                    Form::Text => "a text has neither colours nor numbers on stones nor pixels",
                    Form::Svg | Form::Png => "only a PNG has pixels",
                };
                faults.note(pointer, Code::UnknownField, detail);
            }
        }
    }
}

fn shown(is_shown: Option<bool>) -> Option<Visibility> {
    is_shown.map(|is_shown| {
        if is_shown {
            Visibility::Shown
        } else {
            Visibility::Hidden
        }
    })
}

/// The title, by itself or made of the players' names.
fn title(title: Option<String>, players: Option<RawPlayers>, faults: &mut Faults) -> Option<Title> {
    if title.is_some() && players.is_some() {
        let detail = "give a title or the players, whose names make one";
        faults.note("/title", Code::AmbiguousSource, detail);
        return None;
    }
    let names = RawPlayers::validate(players, faults);
    match checked(title, "/title", faults) {
        Some(text) => {
            let title = Title::new(&text);
            if title.is_none() {
                let detail = "nothing of this title can be seen";
                faults.note("/title", Code::InvalidField, detail);
            }
            title
        }
        None => Title::of_players(&names),
    }
}

impl Drawing {
    /// The entity tag of the picture under a path: it follows from what was understood, however it was
    /// spelt.
    pub fn etag(&self, path: &str) -> String {
        etag(&[path, &format!("{self:?}")])
    }

    /// What is to be seen.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules, or a mark or the last stone is where it cannot be.
    pub fn picture(&self) -> Result<Picture, ApiError> {
        let mut picture = match &self.source {
            Source::Position(position) => {
                self.with_forbidden(Picture::of_position(position), position)
            }
            Source::Record { record, is_listed } => {
                let replay = record.replay();
                if !replay.is_legal() {
                    return Err(ApiError::of_violations(replay.violations(), *is_listed));
                }
                self.with_forbidden(Picture::of_replay(record, &replay), replay.position())
            }
        };
        let mut faults = Faults::default();
        for Marked {
            cell,
            mark,
            pointer,
        } in &self.marks
        {
            if let Err(error) = picture.mark_cell(*cell, *mark) {
                faults.note(pointer, Code::InvalidField, error.to_string());
            }
        }
        let picture = picture.with_title(self.title.clone());
        let picture = match self.last {
            Some(cell) => picture
                .with_last(cell)
                .map_err(|error| faults.note("/last_move", Code::InvalidField, error.to_string()))
                .ok(),
            None => Some(picture),
        };
        faults.settle(picture)
    }

    /// The picture with the cells crossed that are forbidden in a position, if that is asked for.
    fn with_forbidden(&self, mut picture: Picture, position: &Position) -> Picture {
        if self.forbidden == Visibility::Shown {
            for cell in position.forbidden_cells() {
                picture
                    .mark_cell(cell, Mark::Forbidden)
                    .expect("the cells are of the position that is shown");
            }
        }
        picture
    }
}
