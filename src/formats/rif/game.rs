use quick_xml::events::BytesStart;

use crate::board::{BoardSize, Color};
use crate::formats::plies::Plies;
use crate::formats::refusal::excerpt;
use crate::formats::rif::tables::{Attributes, Tables};
use crate::formats::{Game, Loss, Losses, Reason};
use crate::record::GameResult;

/// A game as far as it is read.
pub(super) struct Reading {
    pub(super) attributes: Attributes,
    pub(super) moves: String,
    /// The octet where the moves begin.
    pub(super) moves_at: Option<usize>,
    has_info: bool,
    inner: Option<Inner>,
}

/// The element of a game whose text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    Move,
    Info,
}

impl Reading {
    /// The game that an element begins.
    pub(super) fn of(element: &BytesStart<'_>) -> Reading {
        Reading {
            attributes: Attributes::of(element),
            moves: String::new(),
            moves_at: None,
            has_info: false,
            inner: None,
        }
    }

    /// Goes into an element of the game.
    pub(super) fn enter(&mut self, name: &str) {
        self.inner = match name {
            "move" => Some(Inner::Move),
            "info" => Some(Inner::Info),
            _ => None,
        };
    }

    /// Goes out of it.
    pub(super) const fn leave(&mut self) {
        self.inner = None;
    }

    /// Takes a piece of text that begins at this octet.
    pub(super) fn take_text(&mut self, text: &str, at: usize) {
        match self.inner {
            Some(Inner::Move) => {
                self.moves_at.get_or_insert(at);
                self.moves.push_str(text);
            }
            Some(Inner::Info) => self.has_info |= !text.trim().is_empty(),
            None => {}
        }
    }

    /// The game, or why it is none and at which character of its moves.
    pub(super) fn game(&self, tables: &Tables) -> Result<Game, (Option<usize>, Reason)> {
        let mut plies = Plies::new(BoardSize::DEFAULT);
        let moves = plies.push_moves(&self.moves);
        moves.map_err(|(at, reason)| (Some(at), reason))?;
        if plies.count() == 0 {
            return Err((None, Reason::NoMoves));
        }
        let result = match self.attributes.get("bresult") {
            "1" => GameResult::Win(Color::Black),
            "0" => GameResult::Win(Color::White),
            "0.5" => GameResult::Draw,
            other => return Err((None, Reason::NotAResult(excerpt(other)))),
        };
        let mut lost = self.losses();
        let mut game = Game::new(plies.into_record(tables.rule(&self.attributes)));
        game.result = Some(result);
        game.text = tables.text(&self.attributes, &mut lost);
        game.lost = lost;
        Ok(game)
    }

    fn losses(&self) -> Losses {
        let is_told = |name: &str| !self.attributes.get(name).is_empty();
        let losses = [
            (self.has_info, Loss::Comments),
            (is_told("alt") || is_told("swap"), Loss::Opening),
            (is_told("btime") || is_told("wtime"), Loss::Times),
            (is_told("publisher"), Loss::Details),
        ];
        let lost = losses.into_iter().filter(|(is_lost, _)| *is_lost);
        lost.map(|(_, loss)| loss).collect()
    }
}
