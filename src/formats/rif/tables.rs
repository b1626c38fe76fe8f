use std::collections::HashMap;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use crate::board::ByColor;
use crate::formats::one_line::one_line;
use crate::formats::rule_name::rule_named;
use crate::formats::{Loss, Losses};
use crate::record::GameText;
use crate::rules::Rule;

/// The most characters of an attribute: a long one that many games name would be copied for each.
const LONGEST_VALUE: usize = 1000;

/// The attributes of an element; one given twice counts once.
pub(super) struct Attributes(HashMap<String, String>);

impl Attributes {
    pub(super) fn of(element: &BytesStart<'_>) -> Attributes {
        let mut attributes = element.attributes();
        // The reader's own check for twins compares each with each.
        let pairs = attributes.with_checks(false).flatten().map(|attribute| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.unwrap_or_else(|_| attribute.value.clone());
            let value = value.chars().take(LONGEST_VALUE).collect();
            (attribute.key.as_ref().to_owned(), value)
        });
        Attributes(pairs.collect())
    }

    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }
}

/// The names behind the numbers.
#[derive(Default)]
pub(super) struct Tables {
    countries: HashMap<String, String>,
    rules: HashMap<String, String>,
    players: HashMap<String, String>,
    tournaments: HashMap<String, Tournament>,
}

struct Tournament {
    name: String,
    /// The country's number.
    country: String,
    /// Is the day told on which it began?
    is_dated: bool,
}

impl Tables {
    /// Takes a row of a table.
    pub(super) fn take(&mut self, element: &BytesStart<'_>) {
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
                let tournament = Tournament {
                    name,
                    country: row.get("country").to_owned(),
                    is_dated: !row.get("start").is_empty() || !row.get("year").is_empty(),
                };
                self.tournaments.insert(id, tournament);
            }
        }
    }

    /// The rule of a game. The whole database is renju's; a name that tells none is one of an opening.
    pub(super) fn rule(&self, game: &Attributes) -> Rule {
        let name = self.rules.get(game.get("rule"));
        name.and_then(|name| rule_named(name))
            .unwrap_or(Rule::Renju)
    }

    /// What the rows tell of a game. When the tournament began is left behind: it is not when the game was played.
    pub(super) fn text(&self, game: &Attributes, lost: &mut Losses) -> GameText {
        let tournament = self.tournaments.get(game.get("tournament"));
        lost.insert_if(tournament.is_some_and(|row| row.is_dated), Loss::Date);
        let country = tournament.and_then(|row| self.countries.get(&row.country));
        let mut line = |text: Option<&String>| one_line(text?, lost);
        GameText {
            players: ByColor {
                black: line(self.players.get(game.get("black"))),
                white: line(self.players.get(game.get("white"))),
            },
            event: line(tournament.map(|row| &row.name)),
            site: line(country),
            round: line(Some(&game.get("round").to_owned())),
            ..GameText::default()
        }
    }
}
