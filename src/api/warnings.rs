//! What a conversion warns of: what does not come across, and games that their rule does not allow.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::formats::{Format, Game, Loss, Losses, Setup};
use crate::record::Ply;
use crate::rules::{PlayError, Position};

/// What is not as it was, or not as it should be.
#[derive(Serialize, ToSchema)]
#[schema(as = ConversionWarning)]
pub struct WarningView {
    /// The number of the game among all that were sent, from 1.
    #[schema(minimum = 1)]
    game: usize,
    /// Whether reading or writing has lost it.
    during: During,
    code: WarningCode,
    /// Is the game that is written another one, not only one less told of?
    changes_the_game: bool,
    /// What is lost or wrong, in words.
    detail: String,
}

/// When something is lost.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum During {
    /// It was there, and is not understood here.
    Reading,
    /// It was understood, and cannot be written.
    Writing,
}

/// A loss by its name, or that the moves are not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
struct WarningCode(&'static str);

impl WarningCode {
    const ILLEGAL_MOVE: WarningCode = WarningCode("illegal_move");
}

impl PartialSchema for WarningCode {
    fn schema() -> RefOr<Schema> {
        let names = Loss::ALL.into_iter().map(Loss::name);
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "What is lost, or that the rule does not allow the moves.",
            ))
            .enum_values(Some(names.chain([WarningCode::ILLEGAL_MOVE.0])))
            .into()
    }
}

impl ToSchema for WarningCode {
    fn name() -> Cow<'static, str> {
        "WarningCode".into()
    }
}

/// What reading a game has left behind, and what is wrong with its moves.
pub fn warnings_of_reading(number: usize, from: Format, game: &Game) -> Vec<WarningView> {
    let lost = game.lost.iter().map(|loss| WarningView {
        game: number,
        during: During::Reading,
        code: WarningCode(loss.name()),
        changes_the_game: false,
        detail: left_behind(loss, from),
    });
    let illegal = violation(game).map(|detail| WarningView {
        game: number,
        during: During::Reading,
        code: WarningCode::ILLEGAL_MOVE,
        changes_the_game: false,
        detail,
    });
    lost.chain(illegal).collect()
}

/// What a format cannot say of a game.
pub fn warnings_of_writing(
    number: usize,
    to: Format,
    lost: Losses,
) -> impl Iterator<Item = WarningView> {
    lost.iter().map(move |loss| WarningView {
        game: number,
        during: During::Writing,
        code: WarningCode(loss.name()),
        changes_the_game: loss.changes_the_game(),
        detail: format!("files of {to} do not tell {}", noun(loss)),
    })
}

fn left_behind(loss: Loss, from: Format) -> String {
    match loss {
        Loss::Rule => "the rule's name is not understood; the rule asked for is taken".into(),
        Loss::Passes => "the text leaves passes out; they are put in".into(),
        Loss::Text => "part of a text: lines are put on one, and what is too long is cut".into(),
        other => format!("left behind in reading {from}: {}", noun(other)),
    }
}

const fn noun(loss: Loss) -> &'static str {
    match loss {
        Loss::Rule => "the rule",
        Loss::Size => "the size of the board",
        Loss::Setup => "the stones set up before the first move",
        Loss::OffBoard => "where stones off the board are",
        Loss::Passes => "passes; later stones change colour",
        Loss::Result => "who won",
        Loss::Termination => "what ended the game",
        Loss::Players => "a player's name",
        Loss::Event => "the event",
        Loss::Site => "the site",
        Loss::Round => "the round",
        Loss::Date => "the date or the time of day",
        Loss::Source => "the source",
        Loss::Tags => "the tags",
        Loss::Text => "part of a text",
        Loss::Variations => "the branches beside the main line",
        Loss::Comments => "comments",
        Loss::Marks => "marks on the board and judgements of moves",
        Loss::Times => "the times of moves",
        Loss::Ratings => "the ranks or ratings of players",
        Loss::Opening => "how the opening was agreed",
        Loss::Details => "other details",
    }
}

/// The first ply that the rule does not allow, in words.
fn violation(game: &Game) -> Option<String> {
    let told = |number: usize, ply: &Ply, why: &str| Some(format!("ply {number}, {ply}: {why}"));
    let Some(Setup { board, to_move }) = &game.setup else {
        let replay = game.record.replay();
        let first = replay.violations().first()?;
        return told(first.ply, &first.played, &first.fault.to_string());
    };
    let mut position = match Position::from_board(game.record.rule(), board.clone(), *to_move) {
        Ok(position) => position,
        Err(error) => return Some(format!("the stones set up: {error}")),
    };
    // A stone set up stands for a ply, so that passes are allowed where they are in a game.
    let before = board.occupied().count();
    game.record
        .plies()
        .iter()
        .enumerate()
        .find_map(|(index, ply)| {
            let played = match ply {
                Ply::Stone(cell) => position.play(*cell),
                Ply::Pass => position.pass(before + index + 1),
                Ply::Outside(_) => Err(PlayError::OffBoard),
            };
            let error = played.err()?;
            told(index + 1, ply, &error.to_string())
        })
}
