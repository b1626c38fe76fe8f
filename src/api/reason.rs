//! The reason for a move, in words.

use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::{Reason, ReasonCode};
use crate::api::text::named;
use crate::board::Cell;

named!(ReasonCode, "Why a move is good.");

/// Why a move is good, by the rules alone.
#[derive(Serialize, ToSchema)]
#[schema(as = Reason)]
pub struct ReasonView {
    code: ReasonCode,
    /// The cells it is about: where its side goes on to win or to make an open four, or where the other side would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cells: Option<Vec<Cell>>,
    /// The reason in a sentence.
    text: String,
}

impl ReasonView {
    /// The whole reason.
    pub fn of(reason: Reason) -> ReasonView {
        let names: Vec<_> = reason.cells.iter().map(Cell::to_string).collect();
        let places = format!(" at {}", names.join(" and "));
        let text = sentence(reason.code, if names.is_empty() { "" } else { &places });
        ReasonView {
            code: reason.code,
            cells: Some(reason.cells),
            text,
        }
    }

    /// The reason without a word of where.
    pub fn without_cells(code: ReasonCode) -> ReasonView {
        ReasonView {
            code,
            cells: None,
            text: sentence(code, ""),
        }
    }
}

/// What a code says, with its places or without.
fn sentence(code: ReasonCode, at: &str) -> String {
    match code {
        ReasonCode::WinNow => "This stone wins.".into(),
        ReasonCode::BlockFive => format!("The other side would win{at}."),
        ReasonCode::OnlyMove => "No other move is allowed.".into(),
        ReasonCode::MakesOpenFour => format!("This makes an open four, which wins{at}."),
        ReasonCode::MakesDoubleFour => format!("This makes two fours, which win{at}."),
        ReasonCode::MakesFourThree => format!("This makes a four and an open three, to go on{at}."),
        ReasonCode::BlocksOpenThree => format!("The other side would make an open four{at}."),
        ReasonCode::MakesDoubleThree => format!("This makes two open threes, to go on{at}."),
        ReasonCode::BlocksFork => format!("The other side would make two threats at once{at}."),
        ReasonCode::MakesFour => format!("This makes a four, which threatens to win{at}."),
        ReasonCode::MakesOpenThree => {
            format!("This makes an open three, to become an open four{at}.")
        }
        ReasonCode::Builds => "This builds own lines and hinders the other side's.".into(),
    }
}
