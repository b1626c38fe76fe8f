use crate::board::{BoardSize, Color};
use crate::formats::plies::Plies;
use crate::formats::refusal::excerpt;
use crate::formats::{Loss, Losses, Reason};
use crate::record::notation::read_move;

/// A result by seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    First,
    Second,
    Draw,
    Open,
}

impl Ending {
    pub(super) fn read(text: &str) -> Option<Ending> {
        match text {
            "1-0" => Some(Ending::First),
            "0-1" => Some(Ending::Second),
            "1/2-1/2" => Some(Ending::Draw),
            "*" => Some(Ending::Open),
            _ => None,
        }
    }
}

/// The moves of a game, as far as they are read.
pub(super) struct Turns {
    pub(super) plies: Plies,
    /// The turns so far, words and empty ones counted: the first seat has the first, and they alternate.
    turns: usize,
    /// The colour that the first seat holds.
    pub(super) first_seat: Color,
    pub(super) result: Option<Ending>,
    pub(super) lost: Losses,
}

impl Turns {
    pub(super) fn new(size: BoardSize) -> Turns {
        Turns {
            plies: Plies::new(size),
            turns: 0,
            first_seat: Color::Black,
            result: None,
            lost: Losses::NONE,
        }
    }

    /// Takes a line of moves. A fault tells its octet.
    pub(super) fn take(&mut self, line: &str) -> Result<(), (usize, Reason)> {
        let mut rest = line;
        loop {
            rest = rest.trim_start();
            let at = line.len() - rest.len();
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (token, after) = rest.split_at(end);
            if token.is_empty() {
                return Ok(());
            }
            self.take_token(token).map_err(|reason| (at, reason))?;
            rest = after;
        }
    }

    fn take_token(&mut self, token: &str) -> Result<(), Reason> {
        if let Some(result) = Ending::read(token) {
            self.result = Some(result);
            return Ok(());
        }
        let move_text = match token.split_once('.') {
            Some((number, rest)) if number.bytes().all(|octet| octet.is_ascii_digit()) => rest,
            _ => token,
        };
        match move_text {
            // The number of a move.
            "" => return Ok(()),
            "--" => self.lost.insert(Loss::Opening),
            "black" => self.choose(Color::Black),
            "white" => self.choose(Color::White),
            text => {
                let ply = read_move(text).ok_or_else(|| Reason::NotAMove(excerpt(text)))?;
                self.plies.push(ply, text)?;
            }
        }
        self.turns += 1;
        Ok(())
    }

    /// The seat whose turn it is takes a colour.
    fn choose(&mut self, color: Color) {
        self.lost.insert(Loss::Opening);
        let is_first_seat = self.turns.is_multiple_of(2);
        self.first_seat = if is_first_seat { color } else { !color };
    }
}
