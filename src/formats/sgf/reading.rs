use crate::board::{Board, BoardSize, Color};
use crate::formats::date::read_date;
use crate::formats::one_line::one_line;
use crate::formats::plies::Plies;
use crate::formats::rule_name::{rule_named, rule_numbered};
use crate::formats::sgf::point::{read_cells, read_move};
use crate::formats::sgf::tree::unescape;
use crate::formats::{Game, Loss, Losses, Reason, Setup};
use crate::record::{GameResult, GameText, Ply, Termination};
use crate::rules::Rule;

/// A game as far as it is read.
pub(super) struct Reading {
    /// The stones set up.
    board: Board,
    /// Whose turn the file says it is.
    to_move: Option<Color>,
    /// The plies, once there is one, and who played the first.
    played: Option<(Plies, Color)>,
    result: Option<GameResult>,
    termination: Option<Termination>,
    rule: Option<Rule>,
    /// What the name of the game tells of the rule, since some programs write it there.
    named_rule: Option<Rule>,
    has_rule_text: bool,
    text: GameText,
    pub(super) lost: Losses,
}

impl Reading {
    pub(super) fn new(size: BoardSize) -> Reading {
        Reading {
            board: Board::new(size),
            to_move: None,
            played: None,
            result: None,
            termination: None,
            rule: None,
            named_rule: None,
            has_rule_text: false,
            text: GameText::default(),
            lost: Losses::NONE,
        }
    }

    /// Takes a value of a property.
    pub(super) fn take(&mut self, name: &str, raw: &str) -> Result<(), Reason> {
        match name {
            "B" => return self.play(Color::Black, raw),
            "W" => return self.play(Color::White, raw),
            "AB" => return self.set_up(Some(Color::Black), raw),
            "AW" => return self.set_up(Some(Color::White), raw),
            "AE" => return self.set_up(None, raw),
            "PL" if self.played.is_none() => self.to_move = color_of(raw),
            "PB" | "PW" | "EV" | "RO" | "PC" | "SO" | "DT" | "RE" | "RU" | "GN" => {
                self.take_text(name, &unescape(raw));
            }
            "" | "PL" | "FF" | "CA" | "AP" | "ST" | "GM" | "SZ" | "MN" | "KM" | "HA" => {}
            _ => self.lost.insert(loss_of(name)),
        }
        Ok(())
    }

    fn play(&mut self, color: Color, raw: &str) -> Result<(), Reason> {
        let ply = read_move(raw, self.board.size())?;
        let board = &self.board;
        let (plies, first) = self
            .played
            .get_or_insert_with(|| (Plies::on(board.clone()), color));
        let expected = if plies.count() % 2 == 0 {
            *first
        } else {
            !*first
        };
        if color != expected {
            plies.push(Ply::Pass, "")?;
            self.lost.insert(Loss::Passes);
        }
        plies.push(ply, raw)
    }

    fn set_up(&mut self, color: Option<Color>, raw: &str) -> Result<(), Reason> {
        if self.played.is_some() {
            return Err(Reason::LateSetup);
        }
        for cell in read_cells(raw, self.board.size())? {
            if !self.board.is_empty(cell) {
                self.board.take(cell);
            }
            if let Some(color) = color {
                self.board.put(cell, color);
            }
        }
        Ok(())
    }

    fn take_text(&mut self, name: &str, value: &str) {
        let text = &mut self.text;
        let told = match name {
            "PB" => &mut text.players.black,
            "PW" => &mut text.players.white,
            "EV" => &mut text.event,
            "RO" => &mut text.round,
            "PC" => &mut text.site,
            "SO" => &mut text.source,
            "DT" => {
                text.played_at = read_date(value);
                let is_lost = text.played_at.is_none() && !value.trim().is_empty();
                return self.lost.insert_if(is_lost, Loss::Date);
            }
            "RE" => return self.take_result(value.trim()),
            "RU" => {
                self.rule = rule_named(value).or_else(|| rule_numbered(value));
                self.has_rule_text = !value.trim().is_empty();
                return;
            }
            _ => {
                self.named_rule = rule_named(value);
                let is_lost = self.named_rule.is_none() && !value.trim().is_empty();
                return self.lost.insert_if(is_lost, Loss::Details);
            }
        };
        *told = one_line(value, &mut self.lost);
    }

    fn take_result(&mut self, value: &str) {
        let (winner, how) = value.split_once('+').unwrap_or((value, ""));
        let how = how.trim().to_ascii_lowercase();
        self.result = match winner.trim().to_ascii_lowercase().as_str() {
            "b" | "black" if winner.len() < value.len() => Some(GameResult::Win(Color::Black)),
            "w" | "white" if winner.len() < value.len() => Some(GameResult::Win(Color::White)),
            "0" | "draw" => Some(GameResult::Draw),
            _ => None,
        };
        self.termination = match how.as_str() {
            "r" | "resign" | "resignation" => Some(Termination::Resignation),
            "t" | "time" | "timeout" => Some(Termination::Timeout),
            "f" | "forfeit" => Some(Termination::Other),
            _ => None,
        };
        let is_unknown = matches!(value, "" | "?");
        self.lost
            .insert_if(self.result.is_none() && !is_unknown, Loss::Result);
    }

    pub(super) fn into_game(mut self, default: Rule) -> Game {
        let rule = self.rule.or(self.named_rule);
        let is_lost = self.has_rule_text && rule.is_none();
        self.lost.insert_if(is_lost, Loss::Rule);
        let (plies, to_move) = match self.played {
            Some((plies, first)) => (plies, Some(first)),
            None => (Plies::on(self.board.clone()), self.to_move),
        };
        let setup = Setup::new(self.board, to_move);
        let is_needed = setup.to_move == Color::White || setup.board.occupied().next().is_some();
        Game {
            record: plies.into_record(rule.unwrap_or(default)),
            setup: is_needed.then_some(setup),
            result: self.result,
            termination: self.termination,
            text: self.text,
            lost: self.lost,
        }
    }
}

fn color_of(raw: &str) -> Option<Color> {
    match raw.trim().as_bytes().first()?.to_ascii_lowercase() {
        b'b' | b'1' => Some(Color::Black),
        b'w' | b'2' => Some(Color::White),
        _ => None,
    }
}

/// What is lost with a property that is not read.
fn loss_of(name: &str) -> Loss {
    match name {
        "C" | "N" | "GC" => Loss::Comments,
        "LB" | "L" | "MA" | "M" | "TR" | "SQ" | "CR" | "DD" | "SL" | "AR" | "LN" | "TE" | "BM"
        | "DO" | "IT" | "DM" | "GB" | "GW" | "UC" | "HO" | "V" | "VW" | "TB" | "TW" | "FG"
        | "PM" => Loss::Marks,
        "BL" | "WL" | "OB" | "OW" | "TM" | "OT" => Loss::Times,
        "BR" | "WR" => Loss::Ratings,
        "QPR" | "QSLW" => Loss::Opening,
        _ => Loss::Details,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::formats::sgf::read;
    use crate::formats::{Defaults, Entry};

    fn read_all(text: &str) -> Vec<Entry> {
        read(text.as_bytes(), Defaults::default()).collect()
    }

    fn only(text: &str) -> Game {
        let mut entries = read_all(text);
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0).game.unwrap()
    }

    fn moves(text: &str) -> String {
        let plies = only(text).record.plies().to_vec();
        let plies: Vec<_> = plies.iter().map(Ply::to_string).collect();
        plies.join(" ")
    }

    fn refusal(text: &str) -> String {
        let mut entries = read_all(text);
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0).game.unwrap_err().to_string()
    }

    #[test]
    fn stones_are_set_up_from_lists_and_rectangles() {
        // Cases 17 and 18.
        let setup = |text: &str| {
            let setup = only(text).setup.unwrap();
            let mut stones: Vec<_> = setup
                .board
                .occupied()
                .map(|(cell, color)| format!("{color} {cell}"))
                .collect();
            stones.sort();
            (stones.join(", "), setup.to_move.name())
        };
        let (stones, to_move) = setup("(;GM[4]SZ[15]AB[ha:hc]AW[ab])");
        assert_eq!(stones, "black h13, black h14, black h15, white a14");
        assert_eq!(to_move, "black");
        let (stones, _) = setup("(;SZ[15]AB[ee]AB[ef]AW[dd]AW[ed])");
        assert_eq!(stones, "black e10, black e11, white d12, white e12");
        assert_eq!(setup("(;AB[hh])").1, "white");
        assert_eq!(setup("(;AB[hh]PL[B])").1, "black");
        assert_eq!(setup("(;AB[hh];B[ii])").1, "black");
        assert_eq!(setup("(;AB[hh][ii]AE[ii])").0, "black h8");
        assert_eq!(setup("(;;W[ii])"), (String::new(), "white"));
        assert_eq!(
            refusal("(;AB[hh];W[ii];AW[jj])"),
            "line 1, column 19: stones are set up after the first move"
        );
        let reason = "line 1, column 15: duplicate point at move 1: h8 holds a stone already";
        assert_eq!(
            refusal("(;AB[hh]\n\n;;;;;;;;;;;;;W[hh])")
                .replace("line 3", "line 1")
                .replace("column 16", "column 15"),
            reason
        );
    }

    #[test]
    fn passes_are_written_or_left_out() {
        // Case 19.
        let text = "(;GM[4]SZ[15];B[hh];W[tt];B[gg];W[])";
        assert_eq!(moves(text), "h8 pass g9 pass");
        let game = only("(;B[hh];B[gg];W[aa])");
        assert!(game.lost.contains(Loss::Passes));
        assert_eq!(moves("(;B[hh];B[gg];W[aa])"), "h8 pass g9 a15");
    }

    #[test]
    fn a_game_tells_its_rule_players_date_and_end() {
        let text = "(;GM[4]FF[4]RU[Renju]PB[A\\]nn]PW[Bo\nb]EV[Cup]RO[3]PC[Here]SO[Book]\
            DT[2026-11-30]RE[W+Resign]GN[x]C[y]BL[9]BR[1]LB[aa:A]XX[1];B[hh])";
        let game = only(text);
        assert_eq!(game.record.rule(), Rule::Renju);
        assert_eq!(game.text.players.black.as_deref(), Some("A]nn"));
        assert_eq!(game.text.players.white.as_deref(), Some("Bo b"));
        assert_eq!(game.text.event.as_deref(), Some("Cup"));
        assert_eq!(game.text.played_at, Some(datetime!(2026-11-30 00:00 UTC)));
        assert_eq!(game.result, Some(GameResult::Win(Color::White)));
        assert_eq!(game.termination, Some(Termination::Resignation));
        let lost: Vec<_> = game.lost.iter().collect();
        let expected = [
            Loss::Text,
            Loss::Comments,
            Loss::Marks,
            Loss::Times,
            Loss::Ratings,
            Loss::Details,
        ];
        assert_eq!(lost, expected);
        assert_eq!(only("(;GN[Yamaguchi];B[hh])").record.rule(), Rule::Renju);
        assert_eq!(only("(;GN[1]RU[4];B[hh])").record.rule(), Rule::Renju);
        let strange = only("(;RU[chess]RE[Void];B[hh])");
        assert_eq!(
            strange.lost.iter().collect::<Vec<_>>(),
            [Loss::Rule, Loss::Result]
        );
    }

    #[test]
    fn results_are_read_in_their_spellings() {
        for (text, result, end) in [
            ("B+", "black", None),
            ("W+R", "white", Some(Termination::Resignation)),
            ("b+Time", "black", Some(Termination::Timeout)),
            ("B+3.5", "black", None),
            ("0", "draw", None),
            ("Draw", "draw", None),
            ("Void", "none", None),
            ("?", "none", None),
            ("", "none", None),
            ("B", "none", None),
        ] {
            let game = only(&format!("(;RE[{text}];B[hh])"));
            assert_eq!(
                game.result.map_or("none", GameResult::name),
                result,
                "{text}"
            );
            assert_eq!(game.termination, end, "{text}");
        }
    }
}
