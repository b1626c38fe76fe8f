use std::fmt::Write;

use time::{Time, UtcOffset};

use crate::board::{Board, BoardSize, Cell, Color, Square};
use crate::formats::date::written_day;
use crate::formats::one_line::one_line;
use crate::formats::plies::on_board;
use crate::formats::sgf::{point, tree};
use crate::formats::{Game, Loss, Losses, Setup};
use crate::record::{GameResult, Termination};

/// Writes a game as one tree on a line.
pub(in crate::formats) fn write(game: &Game, text: &mut String) -> Losses {
    let mut writer = Writer {
        text,
        lost: Losses::NONE,
    };
    writer.write_root(game);
    writer.write_moves(game);
    writer.text.push_str(")\n");
    writer.lost
}

struct Writer<'a> {
    text: &'a mut String,
    lost: Losses,
}

impl Writer<'_> {
    fn write_root(&mut self, game: &Game) {
        let version = env!("CARGO_PKG_VERSION");
        self.text.push_str("(;GM[4]FF[4]CA[UTF-8]");
        self.property("AP", &format!("Tengen:{version}"));
        self.property("SZ", &game.record.size().to_string());
        self.property("RU", game.record.rule().name());
        let told = &game.text;
        self.line("PB", told.players.black.as_deref());
        self.line("PW", told.players.white.as_deref());
        self.line("EV", told.event.as_deref());
        self.line("PC", told.site.as_deref());
        self.line("RO", told.round.as_deref());
        self.line("SO", told.source.as_deref());
        if let Some(at) = told.played_at {
            self.property("DT", &written_day(at));
            // The day is all that this property may say.
            let is_lost = at.to_offset(UtcOffset::UTC).time() != Time::MIDNIGHT;
            self.lost.insert_if(is_lost, Loss::Date);
        }
        self.lost.insert_if(!told.tags.is_empty(), Loss::Tags);
        self.write_end(game);
        if let Some(setup) = &game.setup {
            self.write_setup(setup);
        }
    }

    /// The result. An end on the board needs no word, since the stones tell it.
    fn write_end(&mut self, game: &Game) {
        let end = game.termination.filter(|end| !end.is_on_board());
        let how = match (game.result, end) {
            (Some(GameResult::Win(_)), Some(Termination::Resignation)) => "R",
            (Some(GameResult::Win(_)), Some(Termination::Timeout)) => "T",
            // Forfeit: what is neither.
            (Some(GameResult::Win(_)), Some(Termination::Other)) => "F",
            (_, Some(_)) => {
                self.lost.insert(Loss::Termination);
                ""
            }
            (_, None) => "",
        };
        match game.result {
            Some(GameResult::Win(Color::Black)) => self.property("RE", &format!("B+{how}")),
            Some(GameResult::Win(Color::White)) => self.property("RE", &format!("W+{how}")),
            Some(GameResult::Draw) => self.property("RE", "Draw"),
            None => {}
        }
    }

    fn write_setup(&mut self, setup: &Setup) {
        for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
            let stones: Vec<_> = stones(&setup.board, color).collect();
            if !stones.is_empty() {
                self.text.push_str(name);
            }
            for cell in stones {
                self.value(Some(cell), setup.board.size());
            }
        }
        let to_move = match setup.to_move {
            Color::Black => "B",
            Color::White => "W",
        };
        self.property("PL", to_move);
    }

    fn write_moves(&mut self, game: &Game) {
        let size = game.record.size();
        let mut color = game.first_to_move();
        for ply in game.record.plies() {
            let name = match color {
                Color::Black => ";B",
                Color::White => ";W",
            };
            self.text.push_str(name);
            let cell = on_board(*ply, size, &mut self.lost);
            self.value(cell, size);
            color = !color;
        }
    }

    /// A point in brackets; nothing in them is a pass.
    fn value(&mut self, cell: Option<Cell>, size: BoardSize) {
        self.text.push('[');
        self.text.extend(
            cell.and_then(|cell| point::written(cell, size))
                .into_iter()
                .flatten(),
        );
        self.text.push(']');
    }

    fn line(&mut self, name: &str, text: Option<&str>) {
        if let Some(line) = text.and_then(|text| one_line(text, &mut self.lost)) {
            self.property(name, &line);
        }
    }

    fn property(&mut self, name: &str, value: &str) {
        write!(self.text, "{name}[{}]", tree::escape(value))
            .expect("a text takes all that is written");
    }
}

fn stones(board: &Board, color: Color) -> impl Iterator<Item = Cell> {
    board
        .size()
        .cells()
        .filter(move |cell| board.at(*cell) == Square::Stone(color))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Defaults;
    use crate::formats::sgf::read;

    fn rewritten(text: &str) -> (String, Vec<Loss>) {
        let entry = read(text.as_bytes(), Defaults::default()).next().unwrap();
        let mut written = String::new();
        let lost = write(&entry.game.unwrap(), &mut written);
        (written, lost.iter().collect())
    }

    #[test]
    fn a_game_is_written_as_others_read_it() {
        let text = "(;SZ[15]RU[renju]PB[A\\]\\\\]DT[2026-11-30]RE[B+Resign];B[hh];W[];B[aa])";
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "(;GM[4]FF[4]CA[UTF-8]AP[Tengen:{version}]SZ[15]RU[renju]PB[A\\]\\\\]DT[2026-11-30]RE[B+R];B[hh];W[];B[aa])\n"
        );
        assert_eq!(rewritten(text), (expected, vec![]));
    }

    #[test]
    fn a_setup_is_written_with_the_turn() {
        let (written, lost) = rewritten("(;AB[hh][aa]AW[ii];B[jj])");
        assert!(
            written.ends_with("RU[freestyle]AB[aa][hh]AW[ii]PL[B];B[jj])\n"),
            "{written}"
        );
        assert_eq!(lost, []);
    }

    #[test]
    fn what_the_format_cannot_say_is_told() {
        let entry = read(b"(;B[hh])", Defaults::default()).next().unwrap();
        let mut game = entry.game.unwrap();
        game.result = Some(GameResult::Draw);
        game.termination = Some(Termination::Agreement);
        game.text.tags = vec!["x".into()];
        game.text.played_at = Some(time::macros::datetime!(2026-11-30 18:00 UTC));
        let lost: Vec<_> = write(&game, &mut String::new()).iter().collect();
        assert_eq!(lost, [Loss::Termination, Loss::Date, Loss::Tags]);
    }
}
