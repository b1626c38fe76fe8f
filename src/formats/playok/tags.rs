use crate::board::{BoardSize, ByColor, Color};
use crate::formats::date::read_date;
use crate::formats::one_line::one_line;
use crate::formats::playok::turns::{Ending, Turns};
use crate::formats::refusal::excerpt;
use crate::formats::{Defaults, Game, Loss, Losses, Reason};
use crate::record::{GameResult, GameText};
use crate::rules::Rule;

/// PlayOK's number of gomoku, where exactly five win (no game of 357 contradicts).
const GOMOKU: &str = "61";

/// What the tags of a game say.
pub(super) struct Tags {
    rule: Rule,
    pub(super) size: BoardSize,
    /// The first seat's and the second's.
    names: [Option<String>; 2],
    result: Option<Ending>,
    day: Option<String>,
    time: Option<String>,
    text: GameText,
    lost: Losses,
}

impl Tags {
    pub(super) fn new(defaults: Defaults) -> Tags {
        Tags {
            rule: defaults.rule,
            size: defaults.size,
            names: [None, None],
            result: None,
            day: None,
            time: None,
            text: GameText::default(),
            lost: Losses::NONE,
        }
    }

    /// Takes a line such as `[Event "?"]`.
    pub(super) fn take(&mut self, line: &str) -> Result<(), Reason> {
        let unexpected = || Reason::Unexpected {
            found: excerpt(line),
            expected: "a tag such as [Site \"PlayOK\"]",
        };
        let inner = line.trim().strip_prefix('[').ok_or_else(unexpected)?;
        let (name, rest) = inner.split_once('"').ok_or_else(unexpected)?;
        let (value, end) = rest.rsplit_once('"').ok_or_else(unexpected)?;
        if end.trim() != "]" {
            return Err(unexpected());
        }
        let value = unescape(value);
        if value == "?" || value == "-" {
            return Ok(());
        }
        match name.trim() {
            "Black" => self.names[0] = one_line(&value, &mut self.lost),
            "White" => self.names[1] = one_line(&value, &mut self.lost),
            "Event" => self.text.event = one_line(&value, &mut self.lost),
            "Site" => self.text.site = one_line(&value, &mut self.lost),
            "Round" => self.text.round = one_line(&value, &mut self.lost),
            "Date" => self.day = Some(value),
            "Time" => self.time = Some(value),
            "Result" => {
                let result = Ending::read(&value);
                self.result = Some(result.ok_or_else(|| Reason::NotAResult(excerpt(&value)))?);
            }
            "GameType" => self.take_kind(&value)?,
            "TimeControl" => self.lost.insert(Loss::Times),
            "BlackElo" | "WhiteElo" => self.lost.insert(Loss::Ratings),
            _ => self.lost.insert(Loss::Details),
        }
        Ok(())
    }

    /// Takes the kind of game and the board's size, as `61,15`.
    fn take_kind(&mut self, value: &str) -> Result<(), Reason> {
        let mut parts = value.split(',').map(str::trim);
        if parts.next() == Some(GOMOKU) {
            self.rule = Rule::Standard;
        } else {
            self.lost.insert(Loss::Rule);
        }
        if let Some(lines) = parts.next() {
            let lines: i64 = lines
                .parse()
                .map_err(|_| Reason::NotASize(excerpt(value)))?;
            self.size = BoardSize::try_from(lines)?;
        }
        Ok(())
    }

    pub(super) fn into_game(self, turns: Turns) -> Game {
        let [first, second] = self.names;
        let players = match turns.first_seat {
            Color::Black => ByColor {
                black: first,
                white: second,
            },
            Color::White => ByColor {
                black: second,
                white: first,
            },
        };
        let result = match self.result.or(turns.result) {
            Some(Ending::First) => Some(GameResult::Win(turns.first_seat)),
            Some(Ending::Second) => Some(GameResult::Win(!turns.first_seat)),
            Some(Ending::Draw) => Some(GameResult::Draw),
            Some(Ending::Open) | None => None,
        };
        let mut lost = self.lost.and(turns.lost);
        let date = self.day.map(|day| {
            let time = self.time.unwrap_or_default();
            read_date(&format!("{day} {time}")).or_else(|| read_date(&day))
        });
        lost.insert_if(date == Some(None), Loss::Date);
        Game {
            record: turns.plies.into_record(self.rule),
            setup: None,
            result,
            termination: None,
            text: GameText {
                players,
                played_at: date.flatten(),
                ..self.text
            },
            lost,
        }
    }
}

/// A tag's value without the backslashes before quotes and backslashes.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => characters.next().unwrap_or('\\'),
            other => other,
        });
    }
    text
}
