//! Games handed in.

use std::sync::Arc;

use tengen::board::Color;
use tengen::record::{GameResult, GameText};
use tengen::store::{Added, AddedOnce, GameId, Once, Revision, Store};
use time::macros::datetime;
use time::{Duration, UtcOffset};

use crate::base::Base;
use crate::oracle::turned_record;
use crate::sample::{AT, all, ended, game, keep, record};

pub async fn a_game_is_kept_and_read_as_it_was_given(_: &Base, store: Arc<dyn Store>) {
    let mut text = GameText {
        event: Some("Spring 'of' \"26\"".into()),
        site: Some("京都".into()),
        round: Some("3".into()),
        played_at: Some(datetime!(2025-12-31 23:59:59.123456789 +1)),
        source: Some("\\%_".into()),
        tags: vec!["b".into(), "a".into(), "b".into()],
        ..GameText::default()
    };
    text.players.black = Some("Ada; DROP TABLE games".into());
    let given = ended(record("h8i9j7"), GameResult::Win(Color::White), text);
    let at = datetime!(2026-03-01 12:00:00.000000999 UTC);
    let added = store.add(vec![given.clone()], at).await.unwrap().remove(0);
    let Added::New(kept) = added else {
        panic!("{added:?}")
    };
    assert_eq!(kept.game, given);
    assert_eq!(kept.revision, Revision::FIRST);
    assert_eq!(kept.created_at, AT);
    assert_eq!(kept.updated_at, AT);
    assert_eq!(
        kept.game.text.played_at,
        Some(datetime!(2025-12-31 22:59:59.123456 UTC))
    );
    assert_eq!(store.game(kept.id).await.unwrap(), Some(kept.clone()));
    assert_eq!(all(&store).await, std::slice::from_ref(&kept));
    assert_eq!(store.game(GameId::new()).await.unwrap(), None);
    let offset = kept.game.text.played_at.map(|at| at.offset());
    assert_eq!(offset, Some(UtcOffset::UTC));
}

pub async fn the_same_game_is_kept_once(_: &Base, store: Arc<dyn Store>) {
    let first = keep(&store, game("1")).await;
    let mut copy = game("1");
    copy.text.source = Some("another book".into());
    copy.text.tags = vec!["copied".into()];
    let later = AT + Duration::HOUR;
    let added = store.add(vec![copy.clone()], later).await.unwrap();
    assert_eq!(added, [Added::Known(first.clone())]);
    assert_eq!(all(&store).await, [first]);
    let other = game("2");
    let known = store.known(&[other, copy, game("1")]).await.unwrap();
    assert_eq!(known, [false, true, true]);
    assert!(store.known(&[]).await.unwrap().is_empty());
    // An image of a game is another game.
    let mut image = game("1");
    image.record = turned_record(&image.record, 1);
    keep(&store, image).await;
}

pub async fn a_game_twice_in_one_list_is_kept_once(_: &Base, store: Arc<dyn Store>) {
    let before = keep(&store, game("0")).await;
    let list = vec![game("1"), game("0"), game("1"), game("2"), game("1")];
    let added = store.add(list, AT).await.unwrap();
    let kept = all(&store).await;
    assert_eq!(kept.len(), 3);
    assert_eq!(
        added,
        [
            Added::New(kept[1].clone()),
            Added::Known(before),
            Added::Known(kept[1].clone()),
            Added::New(kept[2].clone()),
            Added::Known(kept[1].clone()),
        ]
    );
    assert_eq!(store.add(vec![], AT).await.unwrap(), []);
}

/// More than one statement carries.
pub async fn many_games_at_once_are_kept_in_their_order(_: &Base, store: Arc<dyn Store>) {
    let games: Vec<_> = (0..2_100)
        .map(|number| {
            let mut game = game(&number.to_string());
            game.text.players.white = Some(format!("player {number}"));
            game
        })
        .collect();
    let added = store.add(games.clone(), AT).await.unwrap();
    assert!(added.iter().all(|added| matches!(added, Added::New(_))));
    let kept = all(&store).await;
    assert!(kept.iter().map(|game| &game.game).eq(&games));
    let known = store.known(&games).await.unwrap();
    assert!(known.len() == 2_100 && known.into_iter().all(|is_known| is_known));
    let again = store.add(games, AT).await.unwrap();
    assert!(again.iter().all(|added| matches!(added, Added::Known(_))));
}

fn once(key: &str, digest: u8) -> Once {
    Once {
        key: key.into(),
        digest: [digest; 32],
    }
}

pub async fn a_key_keeps_a_game_once(_: &Base, store: Arc<dyn Store>) {
    let add = async |once, game| store.add_once(once, game, AT).await.unwrap();
    let AddedOnce::Done(Added::New(kept)) = add(once("a", 1), game("1")).await else {
        panic!("a new key and a new game")
    };
    let again = add(once("a", 1), game("1")).await;
    assert_eq!(again, AddedOnce::Repeated(kept.clone()));
    // The key counts, not what is sent with it.
    let again = add(once("a", 1), game("2")).await;
    assert_eq!(again, AddedOnce::Repeated(kept.clone()));
    let other = add(once("a", 2), game("2")).await;
    assert_eq!(other, AddedOnce::OtherRequest);
    let known = add(once("b", 1), game("1")).await;
    assert_eq!(known, AddedOnce::Done(Added::Known(kept.clone())));
    assert_eq!(all(&store).await, std::slice::from_ref(&kept));
    // A repeated answer tells the game as it is now.
    let text = GameText {
        event: Some("Fall".into()),
        ..kept.game.text.clone()
    };
    store
        .describe(kept.id, Revision::FIRST, text, AT)
        .await
        .unwrap();
    let AddedOnce::Repeated(now) = add(once("a", 1), game("1")).await else {
        panic!("a used key")
    };
    assert_eq!(now.game.text.event.as_deref(), Some("Fall"));
    store.delete(kept.id, None).await.unwrap();
    let gone = add(once("a", 1), game("1")).await;
    assert_eq!(gone, AddedOnce::Deleted);
    assert_eq!(all(&store).await, []);
}

pub async fn a_key_is_remembered_for_a_day(_: &Base, store: Arc<dyn Store>) {
    let add = async |game, at| store.add_once(once("a", 1), game, at).await.unwrap();
    let first = add(game("1"), AT).await;
    assert!(matches!(first, AddedOnce::Done(Added::New(_))), "{first:?}");
    let day = add(game("1"), AT + Duration::hours(24)).await;
    assert!(matches!(day, AddedOnce::Repeated(_)), "{day:?}");
    // To be asked again does not make a key live longer.
    let later = AT + Duration::hours(24) + Duration::SECOND;
    let forgotten = add(game("2"), later).await;
    let is_new = matches!(forgotten, AddedOnce::Done(Added::New(_)));
    assert!(is_new, "{forgotten:?}");
}

pub async fn games_added_by_many_at_once_are_kept_once(base: &Base, store: Arc<dyn Store>) {
    let other = tengen::store::open(&base.url).await.unwrap();
    let mut tasks = Vec::new();
    for sender in 0..6 {
        let store = [&store, &other][sender % 2].clone();
        tasks.push(tokio::spawn(async move {
            let mut names = Vec::new();
            for number in 0..10 {
                let added = if sender < 3 {
                    let list = vec![game("all"), game(&number.to_string())];
                    store.add(list, AT).await.unwrap()
                } else {
                    let key = once(&number.to_string(), 1);
                    match store
                        .add_once(key, game(&number.to_string()), AT)
                        .await
                        .unwrap()
                    {
                        AddedOnce::Done(added) => vec![added],
                        AddedOnce::Repeated(game) => vec![Added::Known(game)],
                        other => panic!("{other:?}"),
                    }
                };
                names.extend(added);
            }
            names
        }));
    }
    let mut new = 0;
    let mut ids = Vec::new();
    for task in tasks {
        for added in task.await.unwrap() {
            let (Added::New(game) | Added::Known(game)) = &added;
            new += usize::from(matches!(added, Added::New(_)));
            ids.push((game.game.text.round.clone(), game.id.to_string()));
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 11, "one name for each game");
    assert_eq!(new, 11, "each game was new once");
    assert_eq!(all(&other).await.len(), 11);
    other.close().await;
}
