//! `/v1/statistics`: all games in numbers, counted here one by one.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tengen::board::BoardSize;
use tengen::record::{Opening, Record, notation};
use tengen::rules::Rule;

use crate::client::Server;
use crate::collection::{Game, PLAYERS, keep_many, names};
use crate::players::keep_the_examples;

fn tally<'a>(games: impl Iterator<Item = &'a Game>) -> Value {
    let mut counts = [0; 3];
    for game in games {
        let order = ["black", "white", "draw"];
        counts[order.iter().position(|name| *name == game.result).unwrap()] += 1;
    }
    let [black, white, draw] = counts;
    json!({"games": black + white + draw, "black": black, "white": white, "draw": draw})
}

/// A JSON object with the members of two.
fn with(mut one: Value, other: Value) -> Value {
    for (name, value) in other.as_object().unwrap() {
        one[name.as_str()] = value.clone();
    }
    one
}

/// The opening by its abbreviation and name, as the library knows it.
fn opening(game: &Game) -> Option<(&'static str, &'static str)> {
    let size = BoardSize::try_from(i64::from(game.size)).unwrap();
    let plies = notation::read_moves(&names(&game.cells), 100).unwrap();
    let opening = Opening::of(&Record::new(Rule::Freestyle, size, plies))?;
    Some((opening.abbreviation(), opening.name()))
}

/// The items of a list by what tells them apart, and that they come in the order of their games.
#[track_caller]
fn by_name(list: &Value, name: &str) -> BTreeMap<String, Value> {
    let items = list.as_array().unwrap();
    let games = |item: &Value| item["games"].as_u64().unwrap();
    assert!(
        items.is_sorted_by(|one, next| games(one) >= games(next)),
        "{list}"
    );
    items
        .iter()
        .map(|item| (item[name].as_str().unwrap().to_owned(), item.clone()))
        .collect()
}

#[test]
fn an_empty_collection_has_nothing_to_tell() {
    let told = Server::start().get("/v1/statistics").ok();
    let expected = json!({
        "totals": {"games": 0, "black": 0, "white": 0, "draw": 0}, "players": 0,
        "by_rule": [], "by_termination": [], "lengths": [], "openings": [],
    });
    assert_eq!(told, expected);
}

#[test]
fn the_numbers_are_those_of_a_count_of_the_games_one_by_one() {
    let server = Server::start();
    let games = keep_many(&server, 200);
    let told = server.get("/v1/statistics").ok();
    assert_eq!(told["totals"], tally(games.iter()));
    assert_eq!(told["players"], PLAYERS.len());

    let rules = ["freestyle", "renju", "caro"];
    let under = |rule: &'static str| games.iter().filter(move |game| game.rule == rule);
    let expected: Vec<_> = rules
        .map(|rule| with(json!({"rule": rule}), tally(under(rule))))
        .into();
    assert_eq!(told["by_rule"], json!(expected));

    let mut lengths = Vec::new();
    for rule in rules {
        let mut plies: Vec<usize> = under(rule).map(|game| game.cells.len()).collect();
        plies.sort_unstable();
        let (count, sum) = (plies.len(), plies.iter().sum::<usize>());
        lengths.push(json!({
            "rule": rule, "games": count, "mean": sum as f64 / count as f64,
            "median": (plies[(count - 1) / 2] + plies[count / 2]) as f64 / 2.0,
            "shortest": plies[0], "longest": plies[count - 1],
        }));
    }
    let mut told_lengths = told["lengths"].clone();
    for (told, expected) in told_lengths
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .zip(&lengths)
    {
        let mean = |lengths: &Value| lengths["mean"].as_f64().unwrap();
        assert!(
            (mean(told) - mean(expected)).abs() < 1e-12,
            "{told} {expected}"
        );
        // Reading a number may round its last digit.
        told["mean"] = expected["mean"].clone();
    }
    assert_eq!(told_lengths, json!(lengths));

    let mut ends = BTreeMap::new();
    let mut openings = BTreeMap::new();
    for game in &games {
        let same_end = games
            .iter()
            .filter(|other| other.termination == game.termination);
        ends.insert(
            game.termination.to_owned(),
            json!({"termination": game.termination, "games": same_end.count()}),
        );
        if let Some((short, name)) = opening(game) {
            let same = games
                .iter()
                .filter(|other| opening(other) == Some((short, name)));
            let item = with(json!({"abbreviation": short, "name": name}), tally(same));
            openings.insert(short.to_owned(), item);
        }
    }
    assert_eq!(by_name(&told["by_termination"], "termination"), ends);
    assert_eq!(by_name(&told["openings"], "abbreviation"), openings);
    assert!(
        ends.len() == 4 && openings.len() > 10,
        "{ends:?} {openings:?}"
    );
}

#[test]
fn a_game_that_is_sent_again_does_not_count_again() {
    let server = Server::start();
    let game = json!({"position": {"moves": "h8i9j7"}, "players": {"black": "Ada", "white": "Bob"}, "result": "draw", "termination": "agreement"});
    server.keep_game(&game).json_of(201);
    let before = ["/v1/statistics", "/v1/players/Ada", "/v1/explorer?moves=h8"]
        .map(|target| (target, server.get(target).ok()));
    server.keep_game(&game).ok();
    for (target, before) in before {
        assert_eq!(server.get(target).ok(), before, "{target}");
    }
}

#[test]
fn the_documented_answer_is_given() {
    let server = Server::start();
    keep_the_examples(&server);
    let document = serde_json::to_value(tengen::api::document()).unwrap();
    let shown = &document["paths"]["/v1/statistics"]["get"]["responses"]["200"]["content"]["application/json"]
        ["example"];
    let told = server.get("/v1/statistics").ok();
    assert_eq!(&told, shown, "{told:#}");
}

#[test]
fn no_query_is_read() {
    let answer = Server::start().get("/v1/statistics?rule=renju");
    answer.problem(400, "unknown_query_parameter");
}
