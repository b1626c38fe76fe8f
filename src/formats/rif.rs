//! RenjuNet's database: one XML document with tables of countries, rules, players and tournaments, and the
//! games that name their rows. The tables come first; the games are read one at a time.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::Cursor;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader as XmlReader, XmlVersion};

use crate::board::{BoardSize, ByColor, Color};
use crate::formats::encoding::{decode, label};
use crate::formats::one_line::one_line;
use crate::formats::place::Place;
use crate::formats::plies::Plies;
use crate::formats::refusal::{excerpt, message};
use crate::formats::rule_name::rule_named;
use crate::formats::{Entry, Game, Loss, Losses, Reason, Refusal};
use crate::record::{GameResult, GameText};
use crate::rules::Rule;

pub(super) fn read(octets: &[u8]) -> impl Iterator<Item = Entry> + Send {
    let text = decode(octets, label(octets, b"encoding=\"", b'"'));
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let mut xml = XmlReader::from_reader(Cursor::new(text));
    xml.config_mut().allow_dangling_amp = true;
    Reader {
        xml,
        place: Place::START,
        tables: Tables::default(),
        numbers: HashSet::new(),
        games: 0,
        is_done: false,
    }
}

struct Reader<T> {
    xml: XmlReader<Cursor<T>>,
    /// Where the last game began.
    place: Place,
    tables: Tables,
    /// The numbers of the games so far.
    numbers: HashSet<String>,
    games: usize,
    is_done: bool,
}

/// The names behind the numbers.
#[derive(Default)]
struct Tables {
    countries: HashMap<String, String>,
    rules: HashMap<String, String>,
    players: HashMap<String, String>,
    /// The name and the country's number.
    tournaments: HashMap<String, (String, String)>,
}

/// The attributes of an element; one given twice counts once.
struct Attributes(HashMap<String, String>);

impl Attributes {
    fn of(element: &BytesStart<'_>) -> Attributes {
        let mut attributes = element.attributes();
        // The reader's own check for twins compares each with each.
        let pairs = attributes.with_checks(false).flatten().map(|attribute| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_or_else(|_| attribute.value.to_string(), |value| value.into());
            (attribute.key.as_ref().to_owned(), value)
        });
        Attributes(pairs.collect())
    }

    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }
}

/// A game as far as it is read.
struct Reading {
    attributes: Attributes,
    moves: String,
    /// The octet where the moves begin.
    moves_at: Option<usize>,
    has_info: bool,
    inner: Option<Inner>,
}

/// The element of a game whose text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    Move,
    Info,
}

impl<T: AsRef<[u8]>> Iterator for Reader<T> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.is_done {
            return None;
        }
        let mut buffer = Vec::new();
        let mut game: Option<Reading> = None;
        loop {
            buffer.clear();
            let start = self.octets_read();
            match self.xml.read_event_into(&mut buffer) {
                Err(error) => return Some(self.fault(Reason::Xml(message(&error)))),
                Ok(Event::Eof) if game.is_some() => return Some(self.fault(Reason::CutOff)),
                Ok(Event::Eof) => {
                    self.is_done = true;
                    return None;
                }
                Ok(event) => {
                    if let Some(done) = self.take_event(event, start, &mut game) {
                        return Some(self.entry(done));
                    }
                }
            }
        }
    }
}

impl<T: AsRef<[u8]>> Reader<T> {
    /// The octet up to which the document is read.
    fn octets_read(&self) -> usize {
        usize::try_from(self.xml.buffer_position()).unwrap_or(usize::MAX)
    }

    /// Takes an event; gives the game that it ends.
    fn take_event(
        &mut self,
        event: Event<'_>,
        start: usize,
        game: &mut Option<Reading>,
    ) -> Option<Reading> {
        match event {
            Event::Start(element) if element.name().as_ref() == "game" => {
                *game = Some(self.begin(&element, start));
            }
            Event::Empty(element) if element.name().as_ref() == "game" => {
                return Some(self.begin(&element, start));
            }
            Event::End(element) if element.name().as_ref() == "game" => return game.take(),
            Event::Start(element) | Event::Empty(element) => match game {
                Some(game) => game.inner = inner_of(element.name().as_ref()),
                None => self.tables.take(&element),
            },
            Event::End(_) => {
                if let Some(game) = game {
                    game.inner = None;
                }
            }
            Event::Text(text) => take_text(game.as_mut(), &text, start),
            Event::CData(text) => take_text(game.as_mut(), &text, start),
            // A reference is no move.
            Event::GeneralRef(name) => take_text(game.as_mut(), &format!("&{};", &*name), start),
            _ => {}
        }
        None
    }

    fn begin(&mut self, element: &BytesStart<'_>, start: usize) -> Reading {
        self.games += 1;
        self.place = self
            .place
            .forward(self.xml.get_ref().get_ref().as_ref(), start);
        Reading {
            attributes: Attributes::of(element),
            moves: String::new(),
            moves_at: None,
            has_info: false,
            inner: None,
        }
    }

    /// A fault of the document, behind which nothing is read.
    fn fault(&mut self, reason: Reason) -> Entry {
        self.is_done = true;
        let at = usize::try_from(self.xml.error_position()).unwrap_or(usize::MAX);
        let at = if reason == Reason::CutOff {
            self.octets_read()
        } else {
            at
        };
        let place = self
            .place
            .forward(self.xml.get_ref().get_ref().as_ref(), at);
        Entry {
            number: self.games + 1,
            line: place.line,
            game: Err(place.refusal(reason)),
        }
    }

    fn entry(&mut self, reading: Reading) -> Entry {
        let number = reading.attributes.get("id").to_owned();
        let game = if self.numbers.insert(number.clone()) {
            self.tables.game(&reading)
        } else {
            Err((None, Reason::RepeatedNumber(excerpt(&number))))
        };
        Entry {
            number: self.games,
            line: self.place.line,
            game: game.map_err(|(character, reason)| self.refusal(&reading, character, reason)),
        }
    }

    /// A refusal of a game, at a character of its moves or at its beginning.
    fn refusal(&self, reading: &Reading, character: Option<usize>, reason: Reason) -> Refusal {
        let octets = self.xml.get_ref().get_ref().as_ref();
        let Some((at, character)) = reading.moves_at.zip(character) else {
            return self.place.refusal(reason);
        };
        let before = reading.moves.chars().take(character.saturating_sub(1));
        let length: usize = before.map(char::len_utf8).sum();
        self.place.forward(octets, at + length).refusal(reason)
    }
}

fn inner_of(name: &str) -> Option<Inner> {
    match name {
        "move" => Some(Inner::Move),
        "info" => Some(Inner::Info),
        _ => None,
    }
}

fn take_text(game: Option<&mut Reading>, text: &str, start: usize) {
    let Some(game) = game else {
        return;
    };
    match game.inner {
        Some(Inner::Move) => {
            game.moves_at.get_or_insert(start);
            game.moves.push_str(text);
        }
        Some(Inner::Info) => game.has_info |= !text.trim().is_empty(),
        None => {}
    }
}

impl Tables {
    /// Takes a row of a table.
    fn take(&mut self, element: &BytesStart<'_>) {
        let name = element.name();
        let kind = name.as_ref();
        if !matches!(kind, "country" | "rule" | "player" | "tournament") {
            return;
        }
        let row = Attributes::of(element);
        let (id, name) = (row.get("id").to_owned(), row.get("name").to_owned());
        match kind {
            "country" => drop(self.countries.insert(id, name)),
            "rule" => drop(self.rules.insert(id, name)),
            "player" => {
                let whole = format!("{name} {}", row.get("surname"));
                self.players.insert(id, whole);
            }
            _ => {
                let country = row.get("country").to_owned();
                self.tournaments.insert(id, (name, country));
            }
        }
    }

    /// The game, or why it is none and at which character of its moves.
    fn game(&self, reading: &Reading) -> Result<Game, (Option<usize>, Reason)> {
        let told = |name: &str| reading.attributes.get(name);
        let mut plies = Plies::new(BoardSize::DEFAULT);
        let moves = plies.push_moves(&reading.moves);
        moves.map_err(|(at, reason)| (Some(at), reason))?;
        if plies.count() == 0 {
            return Err((None, Reason::NoMoves));
        }
        let result = match told("bresult") {
            "1" => GameResult::Win(Color::Black),
            "0" => GameResult::Win(Color::White),
            "0.5" => GameResult::Draw,
            other => return Err((None, Reason::NotAResult(excerpt(other)))),
        };
        let mut lost = reading.losses();
        let rule = self.rules.get(told("rule"));
        let rule = rule.and_then(|name| rule_named(name));
        // The whole database is renju's; a name that tells none is one of an opening.
        let mut game = Game::new(plies.into_record(rule.unwrap_or(Rule::Renju)));
        game.result = Some(result);
        game.text = self.text(reading, &mut lost);
        game.lost = lost;
        Ok(game)
    }

    fn text(&self, reading: &Reading, lost: &mut Losses) -> GameText {
        let told = |name: &str| reading.attributes.get(name);
        let mut line = |text: Option<&String>| one_line(text?, lost);
        let tournament = self.tournaments.get(told("tournament"));
        let country = tournament.and_then(|(_, country)| self.countries.get(country));
        GameText {
            players: ByColor {
                black: line(self.players.get(told("black"))),
                white: line(self.players.get(told("white"))),
            },
            event: line(tournament.map(|(name, _)| name)),
            site: line(country),
            round: line(Some(&told("round").to_owned())),
            ..GameText::default()
        }
    }
}

impl Reading {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Ply;

    const TABLES: &str = "<database><countries><country id=\"1\" name=\"Testland\"/></countries>\n\
        <rules><rule id=\"1\" name=\"RIF\">text</rule><rule id=\"2\" name=\"Freestyle\"/></rules>\n\
        <players><player id=\"1\" name=\"Ann\" surname=\"Black\"/>\
        <player id=\"2\" surname=\"White &amp; Co\"/></players>\n\
        <tournaments><tournament id=\"1\" name=\"Cup\" country=\"1\"/></tournaments><games>\n";

    fn read_all(games: &str) -> Vec<Result<Game, String>> {
        read(format!("{TABLES}{games}").as_bytes())
            .map(|entry| entry.game.map_err(|refusal| refusal.to_string()))
            .collect()
    }

    #[test]
    fn a_game_names_the_rows_of_the_tables() {
        let game = "<game id=\"7\" tournament=\"1\" round=\"3\" rule=\"1\" black=\"2\" white=\"1\" \
            bresult=\"0.5\" alt=\"a1\"><move>h8 i9</move><info>x</info></game></games></database>";
        let games = read_all(game);
        assert_eq!(games.len(), 1);
        let game = games[0].as_ref().unwrap();
        assert_eq!(game.record.rule(), Rule::Renju);
        let plies: Vec<_> = game.record.plies().iter().map(Ply::to_string).collect();
        assert_eq!(plies, ["h8", "i9"]);
        assert_eq!(game.result, Some(GameResult::Draw));
        assert_eq!(game.text.players.black.as_deref(), Some("White & Co"));
        assert_eq!(game.text.players.white.as_deref(), Some("Ann Black"));
        assert_eq!(game.text.event.as_deref(), Some("Cup"));
        assert_eq!(game.text.site.as_deref(), Some("Testland"));
        assert_eq!(game.text.round.as_deref(), Some("3"));
        let lost: Vec<_> = game.lost.iter().collect();
        assert_eq!(lost, [Loss::Comments, Loss::Opening]);
    }

    #[test]
    fn bad_games_are_told_and_the_others_read() {
        let told: Vec<_> = read_all(
            "<game id=\"1\" bresult=\"1\"><move>h8 zz9</move></game>\n\
             <game id=\"1\" bresult=\"1\"><move>h8</move></game>\n\
             <game id=\"2\" bresult=\"1\"/>\n <game id=\"3\"><move>h8</move></game>\n\
             <game id=\"4\" bresult=\"1\"><move>h8</move></game><game id=\"5\"><move>",
        )
        .into_iter()
        .map(|game| game.map(|_| ()))
        .collect();
        let refusal = |text: &str| Err(text.to_owned());
        let expected = [
            refusal("line 5, column 35: \"zz9\" is not a move"),
            refusal("line 6, column 1: a game with the number \"1\" came before"),
            refusal("line 7, column 1: the game has no moves"),
            refusal("line 8, column 2: \"\" is not a result"),
            Ok(()),
            refusal("line 9, column 67: the text ends in the middle of the game"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn behind_a_fault_of_the_xml_nothing_is_read() {
        let game = "<game id=\"4\" bresult=\"1\"><move>h8</move></game>";
        let told = read_all(&format!("{game}</nonsense>{game}"));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].is_ok());
        assert!(told[1].as_ref().unwrap_err().contains("the XML is faulty"));
    }
}
