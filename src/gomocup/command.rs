use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use crate::board::{BoardSize, Cell};
use crate::gomocup::Refusal;
use crate::rules::Rule;

/// What a line tells the engine to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Start(BoardSize),
    Restart,
    Begin,
    /// The other side's stone, to be answered.
    Turn(Point),
    /// The engine's own stone, as the manager wants it.
    Play(Point),
    TakeBack(Point),
    /// Stones follow, up to `DONE`.
    Board(Then),
    Done,
    Info(Info),
    About,
    /// Asks for the best move so far.
    Stop,
    End,
    /// An empty line, or something of no use here.
    Nothing,
    Unknown,
}

/// What comes after the last stone of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Move,
    Wait,
}

/// What the manager lets the engine know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Info {
    /// The time for each move; none means at once.
    TurnTime(Duration),
    /// The time for a game; absent when there is no limit.
    GameTime(Option<Duration>),
    /// What is left of the time for this game.
    TimeLeft(Option<Duration>),
    /// The most memory, in octets; absent when there is no limit.
    Memory(Option<NonZeroU64>),
    Rule(Result<Rule, Unplayed>),
    /// How many threads may search.
    Threads(NonZeroUsize),
    /// Who is playing. Nothing follows from it but that a manager is there, not a mere script.
    GameType,
}

/// A rule that is not played here as the protocol means it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unplayed {
    /// A rule close to it is.
    Nearly(Rule),
    Not,
}

/// A point, counted from the top left. It may lie beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    x: u8,
    y: u8,
}

/// A point with what lies on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) point: Point,
    pub(super) holds: Holds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Own,
    Other,
    /// Nobody can play there: in continuous games a stone of an earlier row, in renju a forbidden point.
    Blocked,
}

/// Stands for a time without end.
const ENDLESS: i64 = 2_147_483_647;

impl Command {
    /// Reads a line, with blanks, line ends and small letters as they come.
    pub(super) fn read(line: &str) -> Result<Command, Refusal> {
        let (word, rest) = first_word(line);
        Ok(match word.to_ascii_uppercase().as_str() {
            "" => Command::Nothing,
            "START" => Command::Start(size(rest).ok_or(Refusal::UnsupportedSize)?),
            "RECTSTART" => return Err(Refusal::NotSquare),
            "RESTART" => Command::Restart,
            "BEGIN" => Command::Begin,
            "TURN" => Command::Turn(Point::read(rest)?),
            "PLAY" => Command::Play(Point::read(rest)?),
            "TAKEBACK" => Command::TakeBack(Point::read(rest)?),
            "BOARD" => Command::Board(Then::Move),
            "YXBOARD" => Command::Board(Then::Wait),
            "DONE" => Command::Done,
            "INFO" => Info::read(rest).map_or(Command::Nothing, Command::Info),
            "ABOUT" => Command::About,
            "STOP" | "YXSTOP" => Command::Stop,
            "END" => Command::End,
            _ => Command::Unknown,
        })
    }
}

impl Info {
    /// Reads a key and its value, which is the rest of the line; absent for what is of no use here.
    fn read(text: &str) -> Option<Info> {
        let (key, value) = first_word(text);
        let number = || value.parse::<i64>().ok();
        Some(match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => Info::TurnTime(millis(number()?)),
            "timeout_match" => Info::GameTime(match number()? {
                0 | ENDLESS => None,
                number => Some(millis(number)),
            }),
            // It can be less than nothing when time has run out.
            "time_left" => Info::TimeLeft(match number()? {
                ENDLESS => None,
                number => Some(millis(number)),
            }),
            "max_memory" => Info::Memory(NonZeroU64::new(
                u64::try_from(number()?).unwrap_or_default(),
            )),
            "rule" => Info::Rule(rule(number()?)),
            "thread_num" => Info::Threads(threads(number()?)),
            "game_type" => Info::GameType,
            _ => return None,
        })
    }
}

impl Point {
    pub(super) fn of(cell: Cell, size: BoardSize) -> Option<Point> {
        let y = cell.row(size)?;
        Some(Point {
            x: cell.column(),
            y,
        })
    }

    pub(super) fn cell(self, size: BoardSize) -> Option<Cell> {
        Cell::from_row(self.y, self.x, size)
    }

    fn read(text: &str) -> Result<Point, Refusal> {
        let number = |text: &str| text.trim().parse().map_err(|_| Refusal::NoSuchPoint);
        let (x, y) = text.split_once(',').ok_or(Refusal::NoSuchPoint)?;
        Ok(Point {
            x: number(x)?,
            y: number(y)?,
        })
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl Field {
    /// Reads a line between `BOARD` and `DONE`.
    pub(super) fn read(line: &str) -> Option<Field> {
        let (point, holds) = line.rsplit_once(',')?;
        let holds = match holds.trim() {
            "1" => Holds::Own,
            "2" => Holds::Other,
            "3" => Holds::Blocked,
            _ => return None,
        };
        Some(Field {
            point: Point::read(point).ok()?,
            holds,
        })
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

fn size(text: &str) -> Option<BoardSize> {
    BoardSize::try_from(text.parse::<i64>().ok()?).ok()
}

/// At least one.
fn threads(number: i64) -> NonZeroUsize {
    let number = usize::try_from(number).ok();
    number
        .and_then(NonZeroUsize::new)
        .unwrap_or(NonZeroUsize::MIN)
}

fn millis(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or_default())
}

/// The protocol's rule is a sum of 1 (exactly five), 2 (continuous games, which change nothing within one
/// game), 4 (renju) and 8 (caro). Caro with exactly five is what Gomocup plays.
fn rule(number: i64) -> Result<Rule, Unplayed> {
    match number & !2 {
        0 => Ok(Rule::Freestyle),
        1 => Ok(Rule::Standard),
        4 => Ok(Rule::Renju),
        9 => Ok(Rule::Caro),
        8 => Err(Unplayed::Nearly(Rule::Caro)),
        _ => Err(Unplayed::Not),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_however_they_are_spaced_and_written() {
        let turn = Command::Turn(Point { x: 7, y: 8 });
        for line in [
            "TURN 7,8",
            "turn 7,8\r\n",
            "  Turn\t 7 ,\t8 \r\n",
            "TURN  07,8",
        ] {
            assert_eq!(Command::read(line), Ok(turn), "{line:?}");
        }
        for line in ["", "\r\n", " \t \n"] {
            assert_eq!(Command::read(line), Ok(Command::Nothing), "{line:?}");
        }
        for line in ["TURN7,8", "TURNS 7,8", "\u{fffd}", "SWAP2BOARD", "7,7"] {
            assert_eq!(Command::read(line), Ok(Command::Unknown), "{line:?}");
        }
        for line in [
            "TURN",
            "TURN 7",
            "TURN 7;8",
            "TURN -1,8",
            "TURN 7,8,9",
            "TURN 7,256",
        ] {
            assert_eq!(Command::read(line), Err(Refusal::NoSuchPoint), "{line:?}");
        }
    }

    #[test]
    fn the_value_of_an_info_is_the_rest_of_the_line() {
        let info = |line| Command::read(line);
        assert_eq!(info("INFO folder C:/John's AI"), Ok(Command::Nothing));
        assert_eq!(info("INFO folder END"), Ok(Command::Nothing));
        for line in [
            "INFO",
            "INFO x",
            "INFO evaluate 1,1",
            "INFO timeout_turn",
            "INFO thread_num",
        ] {
            assert_eq!(info(line), Ok(Command::Nothing), "{line}");
        }
        let memory = NonZeroU64::new(1 << 20);
        assert_eq!(
            info("info  MAX_MEMORY\t1048576 "),
            Ok(Command::Info(Info::Memory(memory)))
        );
    }

    #[test]
    fn times_may_be_none_endless_or_overdrawn() {
        let second = Some(Duration::from_secs(1));
        for (line, info) in [
            ("timeout_turn 0", Info::TurnTime(Duration::ZERO)),
            ("timeout_turn -5", Info::TurnTime(Duration::ZERO)),
            ("timeout_match 0", Info::GameTime(None)),
            ("timeout_match 1000", Info::GameTime(second)),
            ("time_left 1000", Info::TimeLeft(second)),
            ("time_left 0", Info::TimeLeft(Some(Duration::ZERO))),
            ("time_left -70", Info::TimeLeft(Some(Duration::ZERO))),
            ("time_left 2147483647", Info::TimeLeft(None)),
            ("max_memory 0", Info::Memory(None)),
            ("thread_num 4", Info::Threads(threads(4))),
            ("thread_num -1", Info::Threads(NonZeroUsize::MIN)),
        ] {
            assert_eq!(Info::read(line), Some(info), "{line}");
        }
    }

    #[test]
    fn a_rule_is_a_sum_of_which_continuous_games_are_left_out() {
        for (number, played) in [
            (0, Ok(Rule::Freestyle)),
            (1, Ok(Rule::Standard)),
            (2, Ok(Rule::Freestyle)),
            (3, Ok(Rule::Standard)),
            (4, Ok(Rule::Renju)),
            (6, Ok(Rule::Renju)),
            (8, Err(Unplayed::Nearly(Rule::Caro))),
            (9, Ok(Rule::Caro)),
            (5, Err(Unplayed::Not)),
            (12, Err(Unplayed::Not)),
            (-1, Err(Unplayed::Not)),
        ] {
            assert_eq!(rule(number), played, "{number}");
        }
    }
}
