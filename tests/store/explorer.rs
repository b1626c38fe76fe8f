//! What was played from a position.

use std::sync::Arc;

use tengen::board::Color;
use tengen::record::{GameResult, GameText, Record};
use tengen::store::{Explored, ExplorerQuery, Folded, Game, Month, Revision, Store};
use time::macros::datetime;

use crate::base::Base;
use crate::oracle::{Asked, Counts, explored, turned_record};
use crate::sample::{AT, NAMES, Random, all, between, ended, keep, random_game, record};

/// The position at a record's end.
fn folded(record: &Record) -> Folded {
    let replay = record.replay();
    let position = replay.position();
    Folded::of(record.rule(), position.board(), position.to_move())
}

fn query(position: &Record, asked: &Asked) -> ExplorerQuery {
    let month = |(year, month): (i32, u8)| Month::new(year.try_into().unwrap(), month).unwrap();
    ExplorerQuery {
        position: folded(position),
        since: asked.since.map(month),
        until: asked.until.map(month),
        player: asked.player.map(str::to_owned),
        color: asked.color,
        result: asked.result,
        games: 5,
    }
}

fn counts(told: &Explored) -> Counts {
    let mut counts = Counts::new();
    for played in &told.moves {
        let plies = played.plies.iter().map(ToString::to_string).collect();
        let tally = played.tally;
        let before = counts.insert(plies, [tally.black, tally.white, tally.draw]);
        assert_eq!(before, None, "a move is told once");
    }
    counts
}

/// Asks the store and the slow count the same.
async fn compare(store: &Arc<dyn Store>, games: &[Game], position: &Record, asked: &Asked) -> u64 {
    let told = store.explore(&query(position, asked)).await.unwrap();
    let (expected, there) = explored(games, position, asked);
    assert_eq!(counts(&told), expected, "{position:?} {asked:?}");
    let sums: Vec<u64> = told
        .moves
        .iter()
        .map(|played| played.tally.games())
        .collect();
    assert!(sums.is_sorted_by(|one, other| one >= other), "{sums:?}");
    let recent: Vec<&Game> = there.into_iter().take(5).collect();
    assert!(told.recent.iter().eq(recent), "{position:?} {asked:?}");
    assert!(!told.is_cut);
    sums.iter().sum()
}

fn random_asked(random: &mut Random) -> Asked {
    let months = [(2025, 10), (2025, 11), (2025, 12), (2026, 1), (2026, 2)];
    let mut asked = Asked::default();
    if random.below(2) == 0 {
        asked.player = Some(*random.pick(&NAMES));
        asked.color = *random.pick(&[None, Some(Color::Black), Some(Color::White)]);
    }
    if random.below(3) == 0 {
        asked.result = Some(*random.pick(&GameResult::ALL));
    }
    if random.below(3) == 0 {
        asked.since = Some(*random.pick(&months));
    }
    if random.below(3) == 0 {
        asked.until = Some(*random.pick(&months));
    }
    asked
}

/// A position that a game went through, or one beyond the last that is counted, turned in some way.
fn random_position(random: &mut Random, games: &[Game]) -> Record {
    let record = &random.pick(games).game.record;
    let most = record.plies().len().min(18);
    let plies = if random.below(2) == 0 {
        random.below(3).min(most)
    } else {
        random.below(most + 1)
    };
    turned_record(&record.prefix(plies), random.below(8))
}

pub async fn the_explorer_counts_as_the_definition_does(_: &Base, store: Arc<dyn Store>) {
    let mut random = Random::new(11);
    let games = (0..120).map(|number| random_game(&mut random, number));
    store.add(games.collect(), AT).await.unwrap();
    let mut counted = 0;
    for round in 0..6 {
        let games = all(&store).await;
        for _ in 0..25 {
            let position = random_position(&mut random, &games);
            counted += compare(&store, &games, &position, &Asked::default()).await;
            let asked = random_asked(&mut random);
            counted += compare(&store, &games, &position, &asked).await;
        }
        // Counts follow what becomes of the games.
        for number in 0..6 {
            let games = all(&store).await;
            let gone = random.pick(&games);
            store.delete(gone.id, None).await.unwrap();
            let told = random.pick(&games);
            let text = random_game(&mut random, 1_000 * (round + 1) + number).text;
            store
                .describe(told.id, told.revision, text, AT)
                .await
                .unwrap();
        }
    }
    assert!(counted > 1_000, "only {counted} games were met");
}

pub async fn all_images_and_orders_of_a_position_are_one(_: &Base, store: Arc<dyn Store>) {
    let win = GameResult::Win(Color::Black);
    // The same three stones in another order, the last move the same; each turned in its own way.
    let one = record("h8h9j10k11");
    let other = record("j10h9h8k11");
    for way in 0..8 {
        let text = GameText {
            round: Some(way.to_string()),
            ..GameText::default()
        };
        keep(&store, ended(turned_record(&one, way), win, text.clone())).await;
        let text = GameText {
            site: Some("other".into()),
            ..text
        };
        keep(&store, ended(turned_record(&other, way), win, text)).await;
    }
    for way in 0..8 {
        for asked in [&one, &other] {
            let position = turned_record(&asked.prefix(3), way);
            let last = turned_record(asked, way).plies()[3];
            let told = store
                .explore(&query(&position, &Asked::default()))
                .await
                .unwrap();
            assert_eq!(told.moves.len(), 1);
            assert_eq!(
                told.moves[0].plies,
                [last],
                "in the orientation of who asks"
            );
            assert_eq!(told.moves[0].tally.black, 16);
        }
    }
    // From the empty board a move and its images are one.
    let empty = store
        .explore(&query(&one.prefix(0), &Asked::default()))
        .await
        .unwrap();
    let mut images: Vec<usize> = empty
        .moves
        .iter()
        .map(|played| played.plies.len())
        .collect();
    images.sort_unstable();
    assert_eq!(images, [1, 4], "the centre, and a cell on a diagonal");
}

pub async fn a_player_is_asked_for_with_either_colour(_: &Base, store: Arc<dyn Store>) {
    let black = GameResult::Win(Color::Black);
    keep(&store, between("Ada", "Bob", black, "1")).await;
    keep(&store, between("Bob", "Ada", black, "2")).await;
    keep(&store, between("Ada", "Ada", GameResult::Draw, "3")).await;
    keep(&store, between("Bob", "Eve", black, "4")).await;
    let games = all(&store).await;
    let empty = record("");
    for (color, expected) in [(None, 3), (Some(Color::Black), 2), (Some(Color::White), 2)] {
        let asked = Asked {
            player: Some("Ada"),
            color,
            ..Asked::default()
        };
        assert_eq!(compare(&store, &games, &empty, &asked).await, expected);
    }
    let nobody = Asked {
        player: Some("ada"),
        ..Asked::default()
    };
    assert_eq!(compare(&store, &games, &empty, &nobody).await, 0);
}

pub async fn months_bound_what_is_counted(_: &Base, store: Arc<dyn Store>) {
    let dates = [
        None,
        Some(datetime!(0000-01-01 00:00 UTC)),
        Some(datetime!(2025-12-31 23:59:59.999999 UTC)),
        Some(datetime!(2026-01-01 00:00 UTC)),
        Some(datetime!(2026-01-31 23:59:59 UTC)),
        Some(datetime!(9999-12-31 23:59:59 UTC)),
    ];
    for (number, played_at) in dates.into_iter().enumerate() {
        let text = GameText {
            played_at,
            round: Some(number.to_string()),
            ..GameText::default()
        };
        keep(&store, ended(record("h8"), GameResult::Draw, text)).await;
    }
    let games = all(&store).await;
    let empty = record("");
    for (since, until, expected) in [
        (None, None, 6),
        (Some((0, 1)), None, 5),
        (None, Some((9999, 12)), 5),
        (Some((2026, 1)), Some((2026, 1)), 2),
        (Some((2025, 12)), Some((2025, 12)), 1),
        (None, Some((2025, 12)), 2),
        (Some((9999, 12)), None, 1),
        (Some((2026, 2)), Some((2026, 1)), 0),
    ] {
        for player in [None, Some("Ada")] {
            let asked = Asked {
                since,
                until,
                player,
                ..Asked::default()
            };
            let counted = compare(&store, &games, &empty, &asked).await;
            assert_eq!(counted, if player.is_none() { expected } else { 0 });
        }
    }
    // A game goes to another month when its date changes.
    let text = GameText {
        played_at: Some(datetime!(2026-01-15 00:00 UTC)),
        ..games[0].game.text.clone()
    };
    store
        .describe(games[0].id, Revision::FIRST, text, AT)
        .await
        .unwrap();
    let asked = Asked {
        since: Some((2026, 1)),
        until: Some((2026, 1)),
        ..Asked::default()
    };
    let games = all(&store).await;
    assert_eq!(compare(&store, &games, &empty, &asked).await, 3);
}

pub async fn the_highest_rated_games_come_first(_: &Base, store: Arc<dyn Store>) {
    let black = GameResult::Win(Color::Black);
    for number in 0..3 {
        let round = number.to_string();
        keep(&store, between("Strong", "Middle", black, &round)).await;
        keep(&store, between("Middle", "Weak", black, &round)).await;
        keep(&store, between("Strong", "Weak", black, &round)).await;
        keep(&store, crate::sample::game(&round)).await;
    }
    let everything = query(&record(""), &Asked::default());
    let told = store.explore(&everything).await.unwrap();
    assert_eq!(told.top, [], "nobody is rated");
    assert!(store.rate().await.unwrap());
    let told = store.explore(&everything).await.unwrap();
    let pairs: Vec<_> = told
        .top
        .iter()
        .map(|game| {
            let players = &game.game.text.players;
            (players.black.as_deref(), players.white.as_deref())
        })
        .collect();
    let best = (Some("Strong"), Some("Middle"));
    assert_eq!(pairs[..3], [best; 3]);
    assert_eq!(pairs.len(), 5);
    let none = ExplorerQuery {
        games: 0,
        ..everything
    };
    let told = store.explore(&none).await.unwrap();
    assert!(told.top.is_empty() && told.recent.is_empty() && !told.moves.is_empty());
}
