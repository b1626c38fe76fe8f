//! Tengen's own format: one JSON object a line, with the members that the service's games have.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::board::{Board, BoardSize, ByColor, Color};
use crate::formats::date::{read_moment, written_moment};
use crate::formats::one_line::one_line;
use crate::formats::place::Place;
use crate::formats::plies::{Plies, on_board};
use crate::formats::refusal::{excerpt, message};
use crate::formats::{Defaults, Entry, Game, Loss, Losses, Reason, Refusal, Setup};
use crate::record::notation::read_move;
use crate::record::{GameText, Ply};

/// A game as it is written; absent members say nothing.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_move: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Moves>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    termination: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<Players<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    played_at: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<Cow<'a, str>>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Players<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    black: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<Cow<'a, str>>,
}

/// The moves as one text or as a list.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Moves {
    Text(String),
    List(Vec<String>),
}

pub(super) fn read(octets: &[u8], defaults: Defaults) -> impl Iterator<Item = Entry> + Send {
    // A byte order mark is no JSON.
    let octets = octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(octets);
    let lines = octets.split(|octet| *octet == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines.enumerate().map(move |(index, (line, octets))| Entry {
        number: index + 1,
        line: line + 1,
        game: read_line(octets, defaults).map_err(|refusal| Refusal {
            line: line + 1,
            ..refusal
        }),
    })
}

fn read_line(octets: &[u8], defaults: Defaults) -> Result<Game, Refusal> {
    let start = octets.len() - octets.trim_ascii_start().len();
    let place = Place::START.forward(octets, start);
    let text = str::from_utf8(octets).map_err(|error| {
        let place = place.forward(octets, error.valid_up_to());
        place.refusal(Reason::NotUtf8)
    })?;
    // A derived reader would take a list of the members too.
    if !text.trim_start().starts_with('{') {
        return Err(place.refusal(Reason::Unexpected {
            found: excerpt(text),
            expected: "an object",
        }));
    }
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| {
        let at = error.column().saturating_sub(1);
        let place = Place::START.forward(octets, at);
        place.refusal(Reason::Json(without_place(&message(&error))))
    })?;
    line.into_game(defaults)
        .map_err(|reason| place.refusal(reason))
}

/// A message of the JSON reader without the line, which is always its first.
fn without_place(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

impl Line<'_> {
    fn into_game(self, defaults: Defaults) -> Result<Game, Reason> {
        let rule = chosen(self.rule.as_deref(), Reason::NotARule)?.unwrap_or(defaults.rule);
        let setup = read_setup(self.board, self.to_move.as_deref(), self.size)?;
        if self.moves.is_none() && setup.is_none() {
            return Err(Reason::NoMoves);
        }
        let size = match (&setup, self.size) {
            (Some(setup), _) => setup.board.size(),
            (None, Some(lines)) => BoardSize::try_from(lines)?,
            (None, None) => defaults.size,
        };
        let mut plies = setup
            .as_ref()
            .map_or_else(|| Plies::new(size), |setup| Plies::on(setup.board.clone()));
        read_moves(self.moves, &mut plies)?;
        let mut lost = Losses::NONE;
        let mut told = |text: Option<Cow<'_, str>>| one_line(&text?, &mut lost);
        let players = self.players.unwrap_or_default();
        let text = GameText {
            players: ByColor {
                black: told(players.black),
                white: told(players.white),
            },
            event: told(self.event),
            site: told(self.site),
            round: told(self.round),
            source: told(self.source),
            tags: self
                .tags
                .into_iter()
                .filter_map(|tag| told(Some(tag)))
                .collect(),
            played_at: self.played_at.as_deref().map(moment).transpose()?,
        };
        Ok(Game {
            record: plies.into_record(rule),
            setup,
            result: chosen(self.result.as_deref(), Reason::NotAResult)?,
            termination: chosen(self.termination.as_deref(), Reason::NotATermination)?,
            text,
            lost,
        })
    }

    fn of(game: &Game, lost: &mut Losses) -> Line<'static> {
        let size = game.record.size();
        let plies = game.record.plies().iter();
        let moves: Vec<_> = plies
            .map(|ply| on_board(*ply, size, lost).map_or(Ply::Pass, Ply::Stone))
            .map(|ply| ply.to_string())
            .collect();
        let mut told = |text: &Option<String>| one_line(text.as_ref()?, lost).map(Cow::Owned);
        let text = &game.text;
        let players = Players {
            black: told(&text.players.black),
            white: told(&text.players.white),
        };
        let is_named = players.black.is_some() || players.white.is_some();
        let mut line = Line {
            rule: Some(game.record.rule().name().into()),
            size: Some(size.lines().into()),
            board: None,
            to_move: None,
            moves: Some(Moves::Text(moves.join(" "))),
            result: game.result.map(|result| result.name().into()),
            termination: game.termination.map(|end| end.name().into()),
            players: is_named.then_some(players),
            event: told(&text.event),
            site: told(&text.site),
            round: told(&text.round),
            played_at: None,
            source: told(&text.source),
            tags: text
                .tags
                .iter()
                .filter_map(|tag| told(&Some(tag.clone())))
                .collect(),
        };
        line.played_at = text.played_at.and_then(written_moment).map(Cow::Owned);
        lost.insert_if(
            line.played_at.is_none() && text.played_at.is_some(),
            Loss::Date,
        );
        if let Some(setup) = &game.setup {
            let rows = setup.board.rows().map(|row| row.as_str().to_owned());
            line.board = Some(rows.collect());
            line.to_move = Some(setup.to_move.name().into());
        }
        line
    }
}

/// A value by its name.
fn chosen<T: std::str::FromStr>(
    name: Option<&str>,
    refused: fn(String) -> Reason,
) -> Result<Option<T>, Reason> {
    name.map(|name| name.parse().map_err(|_| refused(excerpt(name))))
        .transpose()
}

fn moment(text: &str) -> Result<time::OffsetDateTime, Reason> {
    read_moment(text).ok_or_else(|| Reason::NotATime(excerpt(text)))
}

fn read_moves(moves: Option<Moves>, plies: &mut Plies) -> Result<(), Reason> {
    match moves {
        None => Ok(()),
        Some(Moves::Text(text)) => plies.push_moves(&text).map_err(|(_, reason)| reason),
        Some(Moves::List(moves)) => moves.iter().try_for_each(|text| {
            let ply = read_move(text).ok_or_else(|| Reason::NotAMove(excerpt(text)))?;
            plies.push(ply, text)
        }),
    }
}

/// The stones that lie there first; by their number when the turn is not told.
fn read_setup(
    rows: Option<Vec<String>>,
    to_move: Option<&str>,
    size: Option<i64>,
) -> Result<Option<Setup>, Reason> {
    let to_move = chosen::<Color>(to_move, |name| Reason::Unexpected {
        found: name,
        expected: "a colour",
    })?;
    let Some(rows) = rows else {
        return match to_move {
            None => Ok(None),
            Some(_) => Err(Reason::NotABoard("to_move is told without it".into())),
        };
    };
    let board: Board = rows
        .join("\n")
        .parse()
        .map_err(|error| Reason::NotABoard(message(&error)))?;
    if size.is_some_and(|size| size != i64::from(board.size().lines())) {
        return Err(Reason::NotABoard("the size told is another".into()));
    }
    Ok(Some(Setup::new(board, to_move)))
}

/// Writes the object of a game on a line.
pub(super) fn write(game: &Game, text: &mut String) -> Losses {
    let mut lost = Losses::NONE;
    let line = Line::of(game, &mut lost);
    text.push_str(&serde_json::to_string(&line).expect("texts and numbers are JSON"));
    text.push('\n');
    lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameResult, Termination};
    use crate::rules::Rule;

    fn read_all(text: &str) -> Vec<Result<Game, String>> {
        read(text.as_bytes(), Defaults::default())
            .map(|entry| entry.game.map_err(|refusal| refusal.to_string()))
            .collect()
    }

    #[test]
    fn an_object_a_line_is_a_game() {
        let text = "{\"rule\":\"renju\",\"size\":19,\"moves\":\"h8i9\",\"result\":\"draw\",\
            \"termination\":\"agreement\",\"players\":{\"black\":\"Ann\"},\"event\":\"Cup\",\
            \"played_at\":\"2026-11-30T18:00:00Z\",\"tags\":[\"x\"]}\r\n\n{\"moves\":[\"h8\",\"pass\"]}\n";
        let games = read_all(text);
        assert_eq!(games.len(), 2);
        let game = games[0].as_ref().unwrap();
        assert_eq!(game.record.rule(), Rule::Renju);
        assert_eq!(game.record.size().lines(), 19);
        assert_eq!(game.result, Some(GameResult::Draw));
        assert_eq!(game.termination, Some(Termination::Agreement));
        assert_eq!(game.text.tags, ["x"]);
        let mut written = String::new();
        assert!(write(game, &mut written).is_empty());
        assert_eq!(read_all(&written), [Ok(game.clone())]);
        let plies = games[1].as_ref().unwrap().record.plies().to_vec();
        assert_eq!(plies[1], Ply::Pass);
    }

    #[test]
    fn a_board_is_where_the_game_begins() {
        let rows = "\"board\":[\"x....\",\".....\",\".....\",\".....\",\".....\"]";
        let games = read_all(&format!(
            "{{{rows},\"moves\":\"b1\"}}\n{{{rows},\"moves\":\"a5\"}}\n{{{rows},\"size\":15}}\n{{\"to_move\":\"white\"}}"
        ));
        let game = games[0].as_ref().unwrap();
        assert_eq!(game.first_to_move(), Color::White);
        let mut written = String::new();
        write(game, &mut written);
        assert_eq!(read_all(&written), [Ok(game.clone())]);
        assert!(games[1..].iter().all(Result::is_err), "{games:?}");
    }

    #[test]
    fn faults_are_told_with_their_lines() {
        let text = "{\"movs\":\"h8\"}\n[]\n {\"rule\":\"chess\"}\n{\"moves\":\"h8 8h\"}\n{\"moves\":\n\
            {\"moves\":\"h8\",\"result\":\"1-0\"}\n{\"moves\":\"h8\",\"played_at\":\"today\"}\n{\"size\":4,\"moves\":\"\"}\n{\"rule\":\"renju\",\"rule\":\"renju\"}\n{}";
        let refusals: Vec<_> = read_all(text).into_iter().map(Result::unwrap_err).collect();
        assert_eq!(refusals.len(), 10);
        assert!(
            refusals[0]
                .starts_with("line 1, column 7: the JSON is not a game: unknown field `movs`"),
            "{}",
            refusals[0]
        );
        let expected = [
            "line 2, column 1: \"[]\" stands where an object is expected",
            "line 3, column 2: \"chess\" is not a rule; the rules are freestyle, standard, renju and caro",
            "line 4, column 1: \"8h\" is not a move",
            "line 5, column 9: the JSON is not a game: EOF while parsing a value",
            "line 6, column 1: \"1-0\" is not a result",
            "line 7, column 1: \"today\" is not a time; a time is written as 2026-11-30T18:00:00Z (RFC 3339)",
            "line 8, column 1: a board has 5 to 25 lines, not 4",
            "line 9, column 22: the JSON is not a game: duplicate field `rule`",
            "line 10, column 1: the game has no moves",
        ];
        assert_eq!(refusals[1..], expected);
        let octets = b"{\"event\":\"\xff\"}";
        let entry = read(octets, Defaults::default()).next().unwrap();
        let refusal = entry.game.unwrap_err();
        assert_eq!((refusal.column, refusal.reason), (11, Reason::NotUtf8));
    }
}
