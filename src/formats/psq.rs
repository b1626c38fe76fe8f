//! Piskvork's file of one game: a header, a line a move as `x,y,time` from the top left corner and from 1,
//! then the players' programs and a code of the end. Files one after another are read too.

use std::fmt::Write;

use crate::board::{BoardSize, ByColor, Color};
use crate::formats::encoding::decode;
use crate::formats::lines::{Line, Lines};
use crate::formats::moves::untold;
use crate::formats::one_line::one_line;
use crate::formats::plies::{Plies, on_board};
use crate::formats::refusal::excerpt;
use crate::formats::rule_name::rule_named;
use crate::formats::{Defaults, Entry, Game, Loss, Losses, Reason, Refusal};
use crate::record::{Ply, Termination};
use crate::rules::Rule;

const EXPECTED: &str = "a header such as Piskvorky 15x15, 0:0, 0";
/// A name that is not known.
const UNKNOWN: &str = "?";
/// The code of a game that ended by time.
const TIMEOUT: &str = "2";

pub(super) fn read(octets: &[u8], defaults: Defaults) -> impl Iterator<Item = Entry> + Send {
    Reader {
        lines: Lines::of(decode(octets, None)),
        defaults,
        number: 0,
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    defaults: Defaults,
    number: usize,
}

/// What a header says.
struct Header {
    size: BoardSize,
    /// The colour of the first player named.
    first: Color,
}

impl Iterator for Reader<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let head = self.lines.skip_blank()?;
        self.number += 1;
        let game = self.read_game(head);
        // A header begins the next game, whatever was wrong with this one.
        while let Some(line) = self.lines.skip_blank() {
            if line.number > head.number && is_header(self.lines.text(line)) {
                break;
            }
            self.lines.pass(line);
        }
        Some(Entry {
            number: self.number,
            line: head.number,
            game,
        })
    }
}

impl Reader<'_> {
    fn read_game(&mut self, head: Line) -> Result<Game, Refusal> {
        let text = self.lines.text(head);
        let header = read_header(text).map_err(|reason| self.lines.refusal(head, 0, reason))?;
        self.lines.pass(head);
        let mut lost = Losses::NONE;
        let mut plies = Plies::new(header.size);
        while let Some(line) = self.lines.skip_blank() {
            let Some(point) = Point::read(self.lines.text(line)) else {
                break;
            };
            lost.insert_if(point.has_time, Loss::Times);
            plies
                .push(point.ply(header.size), self.lines.text(line))
                .map_err(|reason| self.lines.refusal(line, 0, reason))?;
            self.lines.pass(line);
        }
        if plies.count() == 0 {
            return Err(self.lines.refusal(head, 0, Reason::NoMoves));
        }
        let tail = self.read_tail()?;
        let rule = tail.iter().rev().find_map(|line| rule_of(line));
        let mut game = Game::new(plies.into_record(rule.unwrap_or(self.defaults.rule)));
        game.lost = lost;
        tell(&tail, header.first, &mut game);
        Ok(game)
    }

    /// The lines behind the moves, four at most. A move among them means that the first is a spoilt one.
    fn read_tail(&mut self) -> Result<Vec<String>, Refusal> {
        let mut tail = Vec::new();
        let mut first = None;
        while let Some(line) = self.lines.skip_blank() {
            let text = self.lines.text(line);
            if is_header(text) {
                break;
            }
            let first = *first.get_or_insert(line);
            if Point::read(text).is_some() {
                let reason = Reason::NotAMove(excerpt(self.lines.text(first)));
                return Err(self.lines.refusal(first, 0, reason));
            }
            if tail.len() < 4 {
                tail.push(text.trim().to_owned());
            }
            self.lines.pass(line);
        }
        Ok(tail)
    }
}

/// Takes what the lines behind the moves tell: the players in the order of the header, and the code.
fn tell(tail: &[String], first: Color, game: &mut Game) {
    let (names, code) = match tail {
        [names @ .., code] if is_code(code) => (names, Some(code.as_str())),
        names => (names, None),
    };
    let mut players = ByColor::default();
    for (name, color) in names.iter().zip([first, !first]) {
        if name != UNKNOWN {
            players[color] = one_line(name, &mut game.lost);
        }
    }
    game.text.players = players;
    game.lost.insert_if(names.len() > 2, Loss::Details);
    // Who ran out of time or broke down, the file does not say.
    game.termination = match code {
        Some(TIMEOUT) => Some(Termination::Timeout),
        Some("3" | "4") => Some(Termination::Other),
        _ => None,
    };
}

/// Is a line the code of the end: a number, that some writers put before the rule's name?
fn is_code(line: &str) -> bool {
    let number = line.split(',').next().unwrap_or_default().trim();
    let digits = number.strip_prefix('-').unwrap_or(number);
    !digits.is_empty() && digits.bytes().all(|octet| octet.is_ascii_digit())
}

/// The rule that some writers put behind the code.
fn rule_of(line: &str) -> Option<Rule> {
    let (_, name) = line.split_once(',')?;
    is_code(line).then(|| rule_named(name)).flatten()
}

fn is_header(line: &str) -> bool {
    let line = line.trim_start();
    let word = line.get(..9).unwrap_or_default();
    let rest = line.get(9..).unwrap_or_default().trim_start();
    word.eq_ignore_ascii_case("piskvorky") && rest.starts_with(|c: char| c.is_ascii_digit())
}

fn read_header(line: &str) -> Result<Header, Reason> {
    let unexpected = || Reason::Unexpected {
        found: excerpt(line),
        expected: EXPECTED,
    };
    if !is_header(line) {
        return Err(unexpected());
    }
    let mut parts = line.trim_start()[9..].split(',').map(str::trim);
    let size = parts.next().unwrap_or_default();
    let (width, height) = size.split_once(['x', 'X']).ok_or_else(unexpected)?;
    let lines: i64 = width.trim().parse().map_err(|_| unexpected())?;
    if height.trim().parse() != Ok(lines) {
        return Err(Reason::NotASize(excerpt(size)));
    }
    let first = match parts.nth(1) {
        Some("1") => Color::White,
        _ => Color::Black,
    };
    Ok(Header {
        size: BoardSize::try_from(lines)?,
        first,
    })
}

/// A line of a move.
struct Point {
    column: i64,
    row: i64,
    has_time: bool,
}

impl Point {
    fn read(line: &str) -> Option<Point> {
        let mut numbers = line.split(',').map(|text| whole(text.trim()));
        let point = Point {
            column: numbers.next()??,
            row: numbers.next()??,
            has_time: match numbers.next() {
                Some(time) => time? != 0,
                None => false,
            },
        };
        numbers.next().is_none().then_some(point)
    }

    fn ply(&self, size: BoardSize) -> Ply {
        Ply::stone_at_row(
            self.row.saturating_sub(1),
            self.column.saturating_sub(1),
            size,
        )
    }
}

/// A whole number; one of very many digits is as far off the board as the largest.
fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|octet| octet.is_ascii_digit());
    is_whole.then(|| text.parse().unwrap_or(i64::MAX))
}

/// Writes the file of a game, with the line ends of Piskvork.
pub(super) fn write(game: &Game, text: &mut String) -> Losses {
    let size = game.record.size();
    let mut lost: Losses = untold(game)
        .iter()
        .filter(|loss| !matches!(loss, Loss::Size | Loss::Players | Loss::Termination))
        .collect();
    let mut line = |parts: std::fmt::Arguments<'_>| {
        write!(text, "{parts}\r\n").expect("a text takes all that is written");
    };
    line(format_args!("Piskvorky {size}x{size}, 0:0, 0"));
    for ply in game.record.plies() {
        let cell = on_board(*ply, size, &mut lost);
        lost.insert_if(*ply == Ply::Pass, Loss::Passes);
        if let Some((cell, row)) = cell.and_then(|cell| Some((cell, cell.row(size)?))) {
            line(format_args!("{},{},0", cell.column() + 1, row + 1));
        }
    }
    let code = code_of(game, &mut lost);
    let names = Color::ALL.map(|color| game.text.players[color].as_deref());
    if code != "0" || names.iter().any(Option::is_some) {
        for name in names {
            line(format_args!("{}", written_name(name, &mut lost)));
        }
        line(format_args!("{code}"));
    }
    lost
}

/// The code of the end. What the stones tell needs none.
fn code_of(game: &Game, lost: &mut Losses) -> &'static str {
    match game.termination {
        Some(Termination::Timeout) => TIMEOUT,
        Some(end) => {
            lost.insert_if(!end.is_on_board(), Loss::Termination);
            "0"
        }
        None => "0",
    }
}

/// A name as a line that reads as nothing else.
fn written_name(name: Option<&str>, lost: &mut Losses) -> String {
    let Some(name) = name else {
        return UNKNOWN.to_owned();
    };
    match one_line(name, lost) {
        Some(line) if !is_header(&line) && !is_code(&line) && line != UNKNOWN => line,
        _ => {
            lost.insert(Loss::Players);
            UNKNOWN.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<Entry> {
        read(text.as_bytes(), Defaults::default()).collect()
    }

    fn only(text: &str) -> Result<Game, String> {
        let mut entries = read_all(text);
        assert_eq!(entries.len(), 1, "{entries:?}");
        let game = entries.remove(0).game;
        game.map_err(|refusal| refusal.to_string())
    }

    fn moves(game: &Game) -> String {
        let plies: Vec<_> = game.record.plies().iter().map(Ply::to_string).collect();
        plies.join(" ")
    }

    #[test]
    fn a_duplicate_point_is_told_with_its_line() {
        // Case 20: the time may be missing.
        let text = "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,8\n8,8,5";
        assert_eq!(
            only(text).unwrap_err(),
            "line 4, column 1: duplicate point at move 3: h8 holds a stone already"
        );
        let text = "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,8";
        assert_eq!(moves(&only(text).unwrap()), "h8 i8");
    }

    #[test]
    fn players_are_named_in_the_order_of_the_header() {
        for (starter, black, white) in [(0, "a.exe", "b.exe"), (1, "b.exe", "a.exe")] {
            let text =
                format!("Piskvorky 20x20, 11:11, {starter}\r\n1,20,0\r\na.exe\r\nb.exe\r\n0\r\n");
            let game = only(&text).unwrap();
            assert_eq!(moves(&game), "a1");
            assert_eq!(game.text.players.black.as_deref(), Some(black));
            assert_eq!(game.text.players.white.as_deref(), Some(white));
            assert_eq!(game.termination, None);
            assert!(game.lost.is_empty());
        }
    }

    #[test]
    fn the_code_tells_a_timeout_and_some_writers_the_rule() {
        let end = |tail: &str| {
            let game = only(&format!("Piskvorky 15x15, 0:0, 0\n8,8,3\n{tail}")).unwrap();
            assert!(game.lost.contains(Loss::Times));
            (game.termination, game.record.rule().name())
        };
        assert_eq!(end("a\nb\n2"), (Some(Termination::Timeout), "freestyle"));
        assert_eq!(end("a\nb\n-1"), (None, "freestyle"));
        assert_eq!(end("a\nb\n1,Renju"), (None, "renju"));
        assert_eq!(end("0"), (None, "freestyle"));
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let cases = [
            (
                "Piskvorky 15x15, 0:0, 0",
                "line 1, column 1: the game has no moves",
            ),
            (
                "Piskvorky 15x19, 0:0, 0\n8,8,0",
                "line 1, column 1: \"15x19\" is not the size of a board; a board is square",
            ),
            (
                "Piskvorky 30x30, 0:0, 0\n8,8,0",
                "line 1, column 1: a board has 5 to 25 lines, not 30",
            ),
            (
                "Piskvorky 15x15, 0:0, 0\n16,8,0",
                "line 2, column 1: stone \"16,8,0\" is not on the board of 15 lines (move 1; 0 is the setup)",
            ),
            (
                "Piskvorky 15x15, 0:0, 0\n8,8,0\n0,8,99999999999999999999",
                "line 3, column 1: stone \"0,8,9999999999999999\" is not on the board of 15 lines (move 2; 0 is the setup)",
            ),
            (
                "Piskvorky 15x15, 0:0, 0\n8,8,0\n9;8,0\n8,9,0",
                "line 3, column 1: \"9;8,0\" is not a move",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(only(text).unwrap_err(), message, "{text}");
        }
    }

    #[test]
    fn files_one_after_another_are_read() {
        let text = "x\nPiskvorky 15x15, 0:0, 0\n8,8,0\na\nb\n0\n\nPiskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n\
                    Piskvorky 9x9, 0:0, 0\n1,1,0\n";
        let entries = read_all(text);
        let told: Vec<_> = entries
            .iter()
            .map(|entry| (entry.number, entry.line, entry.game.is_ok()))
            .collect();
        assert_eq!(
            told,
            [(1, 1, false), (2, 2, true), (3, 8, false), (4, 11, true)]
        );
    }

    #[test]
    fn names_that_would_read_as_something_else_are_not_written() {
        let mut game = only("Piskvorky 15x15, 0:0, 0\n8,8,0").unwrap();
        game.text.players.black = Some("12,13".into());
        game.text.players.white = Some("b\nc".into());
        let mut text = String::new();
        let lost = write(&game, &mut text);
        assert_eq!(
            text,
            "Piskvorky 15x15, 0:0, 0\r\n8,8,0\r\n?\r\nb c\r\n0\r\n"
        );
        let told: Vec<_> = lost.iter().collect();
        assert_eq!(told, [Loss::Rule, Loss::Players, Loss::Text]);
    }
}
