//! RenjuNet's database: one XML document with tables of countries, rules, players and tournaments, and the
//! games that name their rows. The tables come first; the games are read one at a time.

mod game;
mod tables;

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Cursor;

use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};

use crate::formats::encoding::{decode, label};
use crate::formats::place::Place;
use crate::formats::refusal::{excerpt, message};
use crate::formats::rif::game::Reading;
use crate::formats::rif::tables::Tables;
use crate::formats::{Entry, Reason, Refusal};

pub(super) fn read(octets: &[u8]) -> impl Iterator<Item = Entry> + Send {
    let double = label(octets, b"encoding=\"", b'"');
    let name = double.or_else(|| label(octets, b"encoding='", b'\''));
    let text = decode(octets, name);
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
        given: 0,
        depth: 0,
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
    /// How many entries are given.
    given: usize,
    /// How many elements are open.
    depth: usize,
    is_done: bool,
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
                Ok(Event::Eof) => return self.end(),
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

    /// At the end of the document: a refusal if it is cut off, or no database.
    fn end(&mut self) -> Option<Entry> {
        self.is_done = true;
        let octets = self.xml.get_ref().get_ref().as_ref();
        let is_blank = octets.iter().all(u8::is_ascii_whitespace);
        let is_foreign = self.given == 0 && !is_blank;
        if self.depth > 0 {
            Some(self.fault(Reason::CutOff))
        } else {
            let found = excerpt(&String::from_utf8_lossy(&octets[..octets.len().min(80)]));
            let expected = "a database with games";
            is_foreign.then(|| self.fault(Reason::Unexpected { found, expected }))
        }
    }

    /// Takes an event; gives the game that it ends.
    fn take_event(
        &mut self,
        event: Event<'_>,
        start: usize,
        game: &mut Option<Reading>,
    ) -> Option<Reading> {
        match &event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Start(element) if element.name().as_ref() == "game" => {
                *game = Some(self.begin(&element, start));
            }
            Event::Empty(element) if element.name().as_ref() == "game" => {
                return Some(self.begin(&element, start));
            }
            Event::End(element) if element.name().as_ref() == "game" => return game.take(),
            Event::Start(element) | Event::Empty(element) => match game {
                Some(game) => game.enter(element.name().as_ref()),
                None => self.tables.take(&element),
            },
            other => {
                if let Some(game) = game {
                    take_inner(&other, start, game);
                }
            }
        }
        None
    }

    fn begin(&mut self, element: &BytesStart<'_>, start: usize) -> Reading {
        self.place = self
            .place
            .forward(self.xml.get_ref().get_ref().as_ref(), start);
        Reading::of(element)
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
        self.given += 1;
        Entry {
            number: self.given,
            line: place.line,
            game: Err(place.refusal(reason)),
        }
    }

    fn entry(&mut self, reading: Reading) -> Entry {
        let number = reading.attributes.get("id").to_owned();
        // A game without a number repeats none.
        let game = if number.is_empty() || self.numbers.insert(number.clone()) {
            reading.game(&self.tables)
        } else {
            Err((None, Reason::RepeatedNumber(excerpt(&number))))
        };
        self.given += 1;
        Entry {
            number: self.given,
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

/// Takes what stands within a game.
fn take_inner(event: &Event<'_>, start: usize, game: &mut Reading) {
    match event {
        Event::End(_) => game.leave(),
        Event::Text(text) => game.take_text(text, start),
        Event::CData(text) => game.take_text(text, start),
        // A reference is no move.
        Event::GeneralRef(name) => game.take_text(&format!("&{};", &**name), start),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Game, Loss};
    use crate::record::{GameResult, Ply};
    use crate::rules::Rule;

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

    #[test]
    fn other_documents_and_cut_ones_are_told() {
        let refused = |text: &str| {
            let entries: Vec<_> = read(text.as_bytes()).collect();
            assert_eq!(entries.len(), 1, "{entries:?}");
            entries[0].game.clone().unwrap_err().reason
        };
        assert!(matches!(refused("<svg/>"), Reason::Unexpected { .. }));
        assert_eq!(refused("<database>"), Reason::CutOff);
        assert_eq!(read(b" \n").count(), 0);
    }
}
