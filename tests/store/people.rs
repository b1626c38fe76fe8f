//! Players, ratings and statistics.

use std::collections::BTreeMap;
use std::sync::Arc;

use tengen::board::Color;
use tengen::record::{GameResult, Opening};
use tengen::store::{
    Facet, Game, Player, PlayerOrder, PlayerPlace, PlayerSelection, Rating, Score, Statistics,
    Store,
};
use time::macros::datetime;

use crate::base::Base;
use crate::sample::{AT, Random, all, between, keep, random_game};

/// All players of a selection, page by page.
async fn listed(store: &Arc<dyn Store>, selection: &PlayerSelection, most: u32) -> Vec<Player> {
    let mut players = Vec::new();
    let mut selection = selection.clone();
    loop {
        let page = store.players(&selection, most).await.unwrap();
        players.extend(page.players);
        if page.next.is_none() {
            return players;
        }
        selection.after = page.next;
    }
}

fn ordered(order: PlayerOrder) -> PlayerSelection {
    PlayerSelection {
        order,
        ..PlayerSelection::default()
    }
}

/// A player as counted from the games.
fn counted(games: &[Game], name: &str) -> Player {
    let mut scores = BTreeMap::new();
    let mut dates = Vec::new();
    for game in games {
        let players = &game.game.text.players;
        for color in Color::ALL {
            if players[color].as_deref() != Some(name) {
                continue;
            }
            let rule = game.game.record.rule();
            let (_, _, score) = scores.entry((rule.name(), color.name())).or_insert((
                rule,
                color,
                Score::default(),
            ));
            match game.game.result {
                GameResult::Draw => score.draws += 1,
                GameResult::Win(winner) if winner == color => score.wins += 1,
                GameResult::Win(_) => score.losses += 1,
            }
            dates.extend(game.game.text.played_at);
        }
    }
    let first = dates.iter().min().copied();
    Player {
        name: name.to_owned(),
        scores: scores.into_values().collect(),
        seen: first.zip(dates.iter().max().copied()),
        rating: None,
    }
}

pub async fn players_are_counted_as_their_games_are(_: &Base, store: Arc<dyn Store>) {
    let mut random = Random::new(23);
    let games = (0..80).map(|number| random_game(&mut random, number));
    store.add(games.collect(), AT).await.unwrap();
    for number in 0..30 {
        let games = all(&store).await;
        let players = listed(&store, &ordered(PlayerOrder::Name), 2).await;
        let expected: Vec<Player> = players
            .iter()
            .map(|player| counted(&games, &player.name))
            .collect();
        assert_eq!(players, expected);
        for player in &players {
            assert!(player.total().games() > 0, "{player:?}");
            let one = store.player(&player.name).await.unwrap();
            assert_eq!(one.as_ref(), Some(player));
        }
        let told = random.pick(&games);
        let text = random_game(&mut random, 1_000 + number).text;
        store
            .describe(told.id, told.revision, text, AT)
            .await
            .unwrap();
        store.delete(games[0].id, None).await.unwrap();
    }
    assert_eq!(store.player("Nobody").await.unwrap(), None);
    for game in all(&store).await {
        store.delete(game.id, None).await.unwrap();
    }
    assert_eq!(listed(&store, &ordered(PlayerOrder::Name), 2).await, []);
    assert_eq!(store.statistics().await.unwrap(), Statistics::default());
}

pub async fn players_are_listed_in_every_order(_: &Base, store: Arc<dyn Store>) {
    let black = GameResult::Win(Color::Black);
    for number in 0..4 {
        let round = number.to_string();
        keep(&store, between("Zoe", "Ärger", black, &round)).await;
    }
    keep(&store, between("Zoe", "ada", black, "5")).await;
    keep(&store, between("Ada", "ada", black, "5")).await;
    // Against oneself counts as a game, but not for the rating.
    keep(&store, between("Solo", "Solo", GameResult::Draw, "6")).await;
    store.rate().await.unwrap();
    for most in [1, 2, 10] {
        let names = async |order| {
            let players = listed(&store, &ordered(order), most).await;
            players
                .into_iter()
                .map(|player| player.name)
                .collect::<Vec<_>>()
        };
        // By their octets.
        let by_name = names(PlayerOrder::Name).await;
        assert_eq!(by_name, ["Ada", "Solo", "Zoe", "ada", "Ärger"]);
        let by_games = names(PlayerOrder::Games).await;
        // A game against oneself is two, and of equals who came last is first.
        assert_eq!(by_games[..4], ["Zoe", "Ärger", "Solo", "ada"]);
        assert_eq!(by_games.len(), 5);
        let players = listed(&store, &ordered(PlayerOrder::Rating), most).await;
        let ratings: Vec<f64> = players
            .iter()
            .map(|player| player.rating.unwrap().value)
            .collect();
        assert_eq!(ratings.len(), 4);
        assert!(
            ratings.is_sorted_by(|one, other| one >= other),
            "{ratings:?}"
        );
    }
}

pub async fn a_game_against_oneself_counts_for_both_colours_wherever_games_are_counted(
    _: &Base,
    store: Arc<dyn Store>,
) {
    let black = GameResult::Win(Color::Black);
    let won = keep(&store, between("Solo", "Solo", black, "1")).await;
    keep(&store, between("Solo", "Solo", GameResult::Draw, "2")).await;
    for round in ["1", "2", "3"] {
        keep(&store, between("Ada", "Grace", black, round)).await;
    }
    let page = store
        .players(&ordered(PlayerOrder::Games), 1)
        .await
        .unwrap();
    let solo = page.players[0].clone();
    let expected = Score {
        wins: 1,
        losses: 1,
        draws: 2,
    };
    assert_eq!((solo.name.as_str(), solo.total()), ("Solo", expected));
    assert!(matches!(page.next, Some(PlayerPlace::Games(4, _))));
    assert_eq!(solo.by_color().black.games(), 2);
    assert_eq!(solo.by_color().white.games(), 2);
    assert_eq!(store.statistics().await.unwrap().players, 3);
    store.recount().await.unwrap();
    assert_eq!(store.player("Solo").await.unwrap(), Some(solo));
    // One of them goes with both its halves, and the other keeps the player.
    store.delete(won.id, None).await.unwrap();
    let page = listed(&store, &ordered(PlayerOrder::Games), 1).await;
    let games = page.iter().map(|player| player.total().games());
    assert_eq!(games.collect::<Vec<_>>(), [3, 3, 2]);
    for game in all(&store).await {
        store.delete(game.id, None).await.unwrap();
    }
    assert_eq!(store.player("Solo").await.unwrap(), None);
}

pub async fn a_prefix_chooses_names_by_their_letters(_: &Base, store: Arc<dyn Store>) {
    let black = GameResult::Win(Color::Black);
    let names = ["Ad", "Ada", "Adá", "Ad\u{10fffe}", "A%", "A_d", "ada", "B"];
    for name in names {
        keep(&store, between(name, name, black, "1")).await;
    }
    for (prefix, expected) in [
        ("Ad", &["Ad", "Ada", "Adá", "Ad\u{10fffe}"][..]),
        ("A", &["A%", "A_d", "Ad", "Ada", "Adá", "Ad\u{10fffe}"]),
        ("A%", &["A%"]),
        ("A_", &["A_d"]),
        ("C", &[]),
    ] {
        for order in [PlayerOrder::Name, PlayerOrder::Games] {
            let selection = PlayerSelection {
                prefix: Some(prefix.into()),
                order,
                after: None,
            };
            let mut found: Vec<String> = listed(&store, &selection, 2)
                .await
                .into_iter()
                .map(|player| player.name)
                .collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{prefix:?}");
        }
    }
}

pub async fn statistics_are_those_of_the_games(_: &Base, store: Arc<dyn Store>) {
    assert_eq!(store.statistics().await.unwrap(), Statistics::default());
    let mut random = Random::new(31);
    let games = (0..100).map(|number| random_game(&mut random, number));
    store.add(games.collect(), AT).await.unwrap();
    for _ in 0..10 {
        let games = all(&store).await;
        store.delete(random.pick(&games).id, None).await.unwrap();
    }
    let games = all(&store).await;
    let told = store.statistics().await.unwrap();
    let mut facets = Vec::<(Facet, u64)>::new();
    let mut lengths = Vec::<(_, u16, u64)>::new();
    for game in &games {
        let record = &game.game.record;
        let facet = Facet {
            rule: record.rule(),
            size: record.size(),
            opening: Opening::of(record),
            result: game.game.result,
            termination: game.game.termination,
        };
        match facets.iter_mut().find(|(known, _)| *known == facet) {
            Some((_, games)) => *games += 1,
            None => facets.push((facet, 1)),
        }
        let plies = u16::try_from(record.plies().len()).unwrap();
        let length = (record.rule(), plies);
        match lengths
            .iter_mut()
            .find(|(rule, plies, _)| (*rule, *plies) == length)
        {
            Some((_, _, games)) => *games += 1,
            None => lengths.push((length.0, length.1, 1)),
        }
    }
    assert_eq!(told.facets.len(), facets.len());
    assert!(facets.iter().all(|facet| told.facets.contains(facet)));
    assert_eq!(told.lengths.len(), lengths.len());
    assert!(lengths.iter().all(|length| told.lengths.contains(length)));
    let players = listed(&store, &PlayerSelection::default(), 3).await;
    assert_eq!(told.players, u64::try_from(players.len()).unwrap());
}

async fn rating(store: &Arc<dyn Store>, name: &str) -> Option<Rating> {
    store.player(name).await.unwrap().unwrap().rating
}

pub async fn players_are_rated_when_games_have_changed(_: &Base, store: Arc<dyn Store>) {
    assert!(!store.rate().await.unwrap(), "there is nothing to rate");
    let black = GameResult::Win(Color::Black);
    let mut first = between("Ada", "Bob", black, "1");
    first.text.played_at = Some(datetime!(2026-01-10 00:00 UTC));
    keep(&store, first).await;
    keep(&store, between("Solo", "Solo", black, "1")).await;
    assert_eq!(rating(&store, "Ada").await, None);
    assert!(store.rate().await.unwrap());
    assert!(!store.rate().await.unwrap(), "nothing has changed since");
    let (ada, bob) = (
        rating(&store, "Ada").await.unwrap(),
        rating(&store, "Bob").await.unwrap(),
    );
    // Equal new players: what one gets the other loses.
    assert!(ada.value > 1_600.0 && ada.deviation < 350.0, "{ada:?}");
    assert!((ada.value + bob.value - 3_000.0).abs() < 1e-6, "{bob:?}");
    assert_eq!(
        rating(&store, "Solo").await,
        None,
        "against oneself nothing is shown"
    );
    // Half a year later Bob wins against another; Ada, who does not play, is less certain.
    let mut second = between("Bob", "Eve", black, "2");
    second.text.played_at = Some(datetime!(2026-07-10 00:00 UTC));
    keep(&store, second).await;
    assert!(store.rate().await.unwrap());
    let later = rating(&store, "Ada").await.unwrap();
    assert_eq!(later.value, ada.value);
    assert!(later.deviation > ada.deviation);
    assert!(rating(&store, "Bob").await.unwrap().value > bob.value);
}

pub async fn ratings_follow_deleted_games(_: &Base, store: Arc<dyn Store>) {
    let black = GameResult::Win(Color::Black);
    let first = keep(&store, between("Ada", "Bob", black, "1")).await;
    keep(&store, between("Ada", "Solo", black, "2")).await;
    keep(&store, between("Bob", "Bob", black, "3")).await;
    store.rate().await.unwrap();
    let before = rating(&store, "Ada").await.unwrap();
    assert!(rating(&store, "Bob").await.is_some());
    store.delete(first.id, None).await.unwrap();
    assert!(store.rate().await.unwrap());
    assert!(rating(&store, "Ada").await.unwrap().value < before.value);
    assert_eq!(rating(&store, "Bob").await, None, "his only game has gone");
}
