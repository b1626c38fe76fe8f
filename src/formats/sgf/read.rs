use std::borrow::Cow;

use crate::board::{Board, BoardSize, Color};
use crate::formats::date::read_date;
use crate::formats::encoding::{decode, label};
use crate::formats::one_line::one_line;
use crate::formats::place::{Fault, Place};
use crate::formats::plies::Plies;
use crate::formats::refusal::excerpt;
use crate::formats::rule_name::rule_named;
use crate::formats::sgf::point::{read_cells, read_move};
use crate::formats::sgf::tree::{MainLine, Token, extent, next_start, unescape};
use crate::formats::{Defaults, Entry, Game, Loss, Losses, Reason, Refusal, Setup};
use crate::record::{GameResult, GameText, Ply, Termination};
use crate::rules::Rule;

/// The game of Go, as which many programs keep five-in-a-row, and the size of its board.
const GO: (&str, i64) = ("1", 19);
/// Gomoku and renju.
const FIVE_IN_A_ROW: &str = "4";

pub(in crate::formats) fn read(
    octets: &[u8],
    defaults: Defaults,
) -> impl Iterator<Item = Entry> + Send {
    Reader {
        text: decode(octets, label(octets, b"CA[", b']')),
        at: 0,
        place: Place::START,
        defaults,
        number: 0,
    }
}

struct Reader<'a> {
    text: Cow<'a, str>,
    at: usize,
    place: Place,
    defaults: Defaults,
    number: usize,
}

impl Iterator for Reader<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let Some(start) = next_start(&self.text, self.at) else {
            return self.without_tree();
        };
        self.place = self.place.forward(self.text.as_bytes(), start);
        self.number += 1;
        let (range, is_closed) = extent(&self.text, start);
        self.at = range.end;
        let tree = &self.text[range];
        let game = if is_closed {
            read_tree(tree, self.defaults).map_err(|Fault { at, reason }| {
                let place = self.place.forward(self.text.as_bytes(), start + at);
                place.refusal(reason)
            })
        } else {
            Err(self.place.refusal(Reason::CutOff))
        };
        Some(Entry {
            number: self.number,
            line: self.place.line,
            game,
        })
    }
}

impl Reader<'_> {
    /// A text without any tree is one refusal, unless it is blank.
    fn without_tree(&mut self) -> Option<Entry> {
        let is_foreign = self.number == 0 && !self.text.trim().is_empty();
        self.number += 1;
        is_foreign.then(|| Entry {
            number: 1,
            line: 1,
            game: Err(Refusal {
                line: 1,
                column: 1,
                reason: Reason::Unexpected {
                    found: excerpt(&self.text),
                    expected: "a game tree, that begins with (;",
                },
            }),
        })
    }
}

fn read_tree(tree: &str, defaults: Defaults) -> Result<Game, Fault> {
    let size = read_size(tree, defaults.size)?;
    let mut reading = Reading::new(size);
    let mut line = MainLine::of(tree);
    for token in line.by_ref() {
        if let Token::Value { name, raw, at } = token? {
            reading
                .take(&name, raw)
                .map_err(|reason| Fault { at, reason })?;
        }
    }
    let has_variations = line.has_variations();
    reading.lost.insert_if(has_variations, Loss::Variations);
    Ok(reading.into_game(defaults.rule))
}

/// The board's size, which the root tells, and that it is our game.
fn read_size(tree: &str, default: BoardSize) -> Result<BoardSize, Fault> {
    let mut nodes = 0;
    let mut size = None;
    let mut is_go = false;
    for token in MainLine::of(tree) {
        match token? {
            Token::Node => nodes += 1,
            Token::Value { name, raw, at } => match &*name {
                "SZ" => {
                    let told = read_lines(raw).map_err(|reason| Fault { at, reason })?;
                    size = Some(told);
                }
                "GM" if raw.trim() == GO.0 => is_go = true,
                "GM" if raw.trim() != FIVE_IN_A_ROW => {
                    let reason = Reason::OtherGame(excerpt(raw));
                    return Err(Fault { at, reason });
                }
                _ => {}
            },
        }
        if nodes > 1 {
            break;
        }
    }
    let go = BoardSize::try_from(GO.1).unwrap_or(default);
    Ok(size.unwrap_or(if is_go { go } else { default }))
}

/// The lines of a square board, as `15` or `15:15`.
fn read_lines(raw: &str) -> Result<BoardSize, Reason> {
    let not_a_size = || Reason::NotASize(excerpt(raw));
    let (width, height) = raw.split_once(':').unwrap_or((raw, raw));
    let lines: i64 = width.trim().parse().map_err(|_| not_a_size())?;
    if height.trim().parse() != Ok(lines) {
        return Err(not_a_size());
    }
    Ok(BoardSize::try_from(lines)?)
}

/// A game as far as it is read.
struct Reading {
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
    lost: Losses,
}

impl Reading {
    fn new(size: BoardSize) -> Reading {
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
    fn take(&mut self, name: &str, raw: &str) -> Result<(), Reason> {
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
                self.rule = rule_named(value);
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

    fn into_game(mut self, default: Rule) -> Game {
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
    fn the_letter_i_is_used() {
        // Case 16.
        assert_eq!(moves("(;GM[4]SZ[15];B[hh];W[ig])"), "h8 i9");
        assert_eq!(moves("(;GM[4]SZ[15];B[h8];W[I9])"), "h8 i9");
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

    #[test]
    fn the_size_is_told_or_taken() {
        let size = |text: &str| only(text).record.size().lines();
        assert_eq!(size("(;GM[4];B[aa])"), 15);
        assert_eq!(size("(;GM[1];B[aa])"), 19);
        assert_eq!(size("(;SZ[20:20];B[tt])"), 20);
        let reason = "\"15:19\" is not the size of a board; a board is square";
        assert_eq!(
            refusal("(;SZ[15:19])"),
            format!("line 1, column 6: {reason}")
        );
        let reason = "game kind \"2\" is not five-in-a-row (4; Go, 1, is taken for it)";
        assert_eq!(refusal("(;GM[2])"), format!("line 1, column 6: {reason}"));
    }

    #[test]
    fn bad_games_are_told_and_the_others_read() {
        let text = "note\n(;B[hh]) (;B[h\n8])\n (;B[hh];W[hh])(;9) (;B[zz])\n(;W[aa](;B[bb])(;B[cc]))(;B[dd]";
        let told: Vec<_> = read_all(text)
            .into_iter()
            .map(|entry| match entry.game {
                Ok(_) => format!("{} at {}", entry.number, entry.line),
                Err(refusal) => refusal.to_string(),
            })
            .collect();
        let expected = [
            "1 at 2",
            "line 2, column 14: \"h\\n8\" is not a move",
            "line 4, column 12: duplicate point at move 2: h8 holds a stone already",
            "line 4, column 18: \"9)\" stands where a property, a node or a branch is expected",
            "line 4, column 25: stone \"zz\" is not on the board of 15 lines (move 1; 0 is the setup)",
            "6 at 5",
            "line 5, column 25: the text ends in the middle of the game",
        ];
        assert_eq!(told, expected);
        assert!(
            only("(;W[aa](;B[bb])(;B[cc]))")
                .lost
                .contains(Loss::Variations)
        );
        assert_eq!(read_all(" \n"), []);
        assert!(refusal("hello").contains("a game tree"));
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let depth = 200_000;
        let text = format!("{}{}", "(;".repeat(depth), ")".repeat(depth));
        assert_eq!(read_all(&text).len(), 1);
        assert_eq!(
            refusal(&"(;".repeat(depth)),
            "line 1, column 1: the text ends in the middle of the game"
        );
    }

    #[test]
    fn names_come_out_of_the_encoding_that_the_file_tells() {
        let octets = b"(;CA[GB2312]PB[\xce\xe5\xd7\xd3];B[hh])";
        let entry = read(octets, Defaults::default()).next().unwrap();
        let game = entry.game.unwrap();
        assert_eq!(game.text.players.black.as_deref(), Some("五子"));
    }
}
