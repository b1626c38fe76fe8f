//! Lists of games: filters, orders, pages.

use std::cmp::Ordering;
use std::sync::Arc;

use tengen::board::Key;
use tengen::record::{GameResult, Opening, Termination};
use tengen::rules::Rule;
use tengen::store::{Direction, Game, GameFilter, Order, Selection, SortKey, Store};
use time::macros::datetime;

use crate::base::Base;
use crate::sample::{AT, NAMES, Random, all, game, keep, listed, random_game, record, size};

fn orders() -> impl Iterator<Item = Order> {
    let keys = [SortKey::Arrival, SortKey::PlayedAt, SortKey::Plies];
    keys.into_iter().flat_map(|key| {
        [Direction::Ascending, Direction::Descending].map(|direction| Order { key, direction })
    })
}

/// Sorts games that are given as they came.
fn sorted(mut games: Vec<Game>, order: Order) -> Vec<Game> {
    let compare = |one: &Game, other: &Game| match order.key {
        SortKey::Arrival => Ordering::Equal,
        // Absent comes before present.
        SortKey::PlayedAt => one.game.text.played_at.cmp(&other.game.text.played_at),
        SortKey::Plies => {
            let plies = |game: &Game| game.game.record.plies().len();
            plies(one).cmp(&plies(other))
        }
    };
    games.sort_by(compare);
    if order.direction == Direction::Descending {
        games.reverse();
    }
    games
}

fn symmetry_key(game: &Game) -> Key {
    let replay = game.game.record.replay();
    let position = replay.position();
    Key::least(position.board(), position.to_move()).0
}

type Fits = Box<dyn Fn(&Game) -> bool>;

fn filters(games: &[Game]) -> Vec<(GameFilter, Fits)> {
    let any = GameFilter::default;
    let mut filters: Vec<(GameFilter, Fits)> = vec![(any(), Box::new(|_| true))];
    for rule in [Rule::Renju, Rule::Caro] {
        let filter = GameFilter {
            rule: Some(rule),
            ..any()
        };
        filters.push((
            filter,
            Box::new(move |game| game.game.record.rule() == rule),
        ));
    }
    for name in NAMES {
        let is = |told: &Option<String>| told.as_deref() == Some(name);
        let black = GameFilter {
            black: Some(name.into()),
            ..any()
        };
        let white = GameFilter {
            white: Some(name.into()),
            result: Some(GameResult::Draw),
            ..any()
        };
        let player = GameFilter {
            player: Some(name.into()),
            ..any()
        };
        let both = GameFilter {
            player: Some(name.into()),
            black: Some(NAMES[0].into()),
            ..any()
        };
        filters.push((
            black,
            Box::new(move |game| is(&game.game.text.players.black)),
        ));
        filters.push((
            white,
            Box::new(move |game| {
                is(&game.game.text.players.white) && game.game.result == GameResult::Draw
            }),
        ));
        filters.push((
            player,
            Box::new(move |game| {
                let players = &game.game.text.players;
                is(&players.black) || is(&players.white)
            }),
        ));
        filters.push((
            both,
            Box::new(move |game| {
                let players = &game.game.text.players;
                players.black.as_deref() == Some(NAMES[0])
                    && (is(&players.black) || is(&players.white))
            }),
        ));
    }
    for lines in [7, 15, 20] {
        let size = size(lines);
        let filter = GameFilter {
            size: Some(size),
            ..any()
        };
        filters.push((
            filter,
            Box::new(move |game| game.game.record.size() == size),
        ));
    }
    for termination in Termination::ALL {
        let filter = GameFilter {
            termination: Some(termination),
            ..any()
        };
        filters.push((
            filter,
            Box::new(move |game| game.game.termination == termination),
        ));
    }
    let opening = Opening::of(&record("h8h9h10")).unwrap();
    filters.push((
        GameFilter {
            opening: Some(opening),
            ..any()
        },
        Box::new(move |game| Opening::of(&game.game.record) == Some(opening)),
    ));
    filters.push((
        GameFilter {
            event: Some("It's".into()),
            ..any()
        },
        Box::new(|game| game.game.text.event.as_deref() == Some("It's")),
    ));
    filters.push((
        GameFilter {
            source: Some("book".into()),
            tag: Some("%".into()),
            ..any()
        },
        Box::new(|game| {
            game.game.text.source.as_deref() == Some("book")
                && game.game.text.tags.iter().any(|tag| tag == "%")
        }),
    ));
    let (from, before) = (
        datetime!(2025-11-01 23:00 UTC),
        datetime!(2026-01-15 23:00 UTC),
    );
    filters.push((
        GameFilter {
            played_from: Some(from),
            played_before: Some(before),
            ..any()
        },
        Box::new(move |game| {
            let at = game.game.text.played_at;
            at.is_some_and(|at| (from..before).contains(&at))
        }),
    ));
    filters.push((
        GameFilter {
            played_before: Some(before),
            ..any()
        },
        Box::new(move |game| game.game.text.played_at.is_some_and(|at| at < before)),
    ));
    filters.push((
        GameFilter {
            min_plies: Some(4),
            max_plies: Some(9),
            rule: Some(Rule::Freestyle),
            ..any()
        },
        Box::new(|game| {
            (4..=9).contains(&game.game.record.plies().len())
                && game.game.record.rule() == Rule::Freestyle
        }),
    ));
    let key = symmetry_key(&games[0]);
    filters.push((
        GameFilter {
            symmetry_key: Some(key),
            ..any()
        },
        Box::new(move |game| symmetry_key(game) == key),
    ));
    for nobody in ["", "ada", "Ad", "Ada%", "_da"] {
        let filter = GameFilter {
            player: Some(nobody.into()),
            ..any()
        };
        filters.push((filter, Box::new(|_| false)));
    }
    filters
}

pub async fn every_filter_in_every_order_finds_what_fits(_: &Base, store: Arc<dyn Store>) {
    let mut random = Random::new(3);
    let games = (0..150).map(|number| random_game(&mut random, number));
    store.add(games.collect(), AT).await.unwrap();
    let games = all(&store).await;
    assert_eq!(games.len(), 150);
    let mut found_some = 0;
    for (filter, fits) in filters(&games) {
        let fitting: Vec<Game> = games.iter().filter(|game| fits(game)).cloned().collect();
        found_some += usize::from(!fitting.is_empty());
        for order in orders() {
            let selection = Selection {
                filter: filter.clone(),
                order,
                after: None,
            };
            let expected = sorted(fitting.clone(), order);
            for most in [7, 200] {
                let found = listed(&store, &selection, most).await;
                let ids = |games: &[Game]| games.iter().map(|game| game.id).collect::<Vec<_>>();
                assert_eq!(ids(&found), ids(&expected), "{selection:?}, {most} a page");
                assert_eq!(found, expected);
            }
        }
    }
    assert!(found_some > 28, "only {found_some} filters found games");
}

pub async fn pages_neither_skip_nor_repeat_while_games_come(_: &Base, store: Arc<dyn Store>) {
    let mut random = Random::new(5);
    let games = (0..30).map(|number| random_game(&mut random, number));
    store.add(games.collect(), AT).await.unwrap();
    let mut number = 30;
    for order in orders() {
        for player in [None, Some("Ada".to_owned())] {
            let filter = GameFilter {
                player: player.clone(),
                ..GameFilter::default()
            };
            let mut selection = Selection {
                filter,
                order,
                after: None,
            };
            let before = listed(&store, &selection, 500).await;
            let mut seen = Vec::new();
            loop {
                let page = store.page(&selection, 3).await.unwrap();
                seen.extend(page.games.into_iter().map(|game| game.id));
                let Some(next) = page.next else { break };
                selection.after = Some(next);
                let mut more = random_game(&mut random, number);
                more.text.players.black = player.clone();
                keep(&store, more).await;
                number += 1;
            }
            let ids: Vec<_> = before.iter().map(|game| game.id).collect();
            let old: Vec<_> = seen.iter().filter(|id| ids.contains(id)).collect();
            assert!(old.into_iter().eq(&ids), "{selection:?}");
            let mut distinct = seen.clone();
            distinct.sort_unstable_by_key(ToString::to_string);
            distinct.dedup();
            assert_eq!(distinct.len(), seen.len(), "{selection:?}");
        }
        // Pages go by what is there: a hundred games are enough for the next order.
        for old in all(&store).await.iter().skip(40) {
            store.delete(old.id, None).await.unwrap();
        }
    }
}

pub async fn a_full_page_has_no_next_one(_: &Base, store: Arc<dyn Store>) {
    for round in ["1", "2", "3"] {
        keep(&store, game(round)).await;
    }
    for order in orders() {
        let selection = Selection {
            order,
            ..Selection::default()
        };
        assert!(store.page(&selection, 3).await.unwrap().next.is_none());
        let page = store.page(&selection, 2).await.unwrap();
        assert_eq!(page.games.len(), 2);
        assert!(page.next.is_some());
    }
}

pub async fn games_that_stand_together_far_down_a_list_are_found(_: &Base, store: Arc<dyn Store>) {
    // So far down that a walk to them is given up.
    let games = (0..2_000).map(|number| {
        let mut game = game(&number.to_string());
        let source = if number < 1_940 { "first" } else { "last" };
        game.text.source = Some(source.to_owned());
        game.text.played_at = Some(AT + time::Duration::seconds(number));
        game
    });
    store.add(games.collect(), AT).await.unwrap();
    for order in orders() {
        let selection = Selection {
            filter: GameFilter {
                source: Some("last".to_owned()),
                ..GameFilter::default()
            },
            order,
            after: None,
        };
        let mut rounds: Vec<u32> = listed(&store, &selection, 3)
            .await
            .iter()
            .map(|game| game.game.text.round.as_ref().unwrap().parse().unwrap())
            .collect();
        if order.direction == Direction::Descending {
            rounds.reverse();
        }
        assert!(
            rounds.iter().copied().eq(1_940..2_000),
            "{order:?}: {rounds:?}"
        );
    }
}
