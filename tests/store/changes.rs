//! Games described anew and forgotten.

use std::sync::Arc;

use tengen::board::Color;
use tengen::record::{GameResult, GameText};
use tengen::store::{Changed, Game, GameId, Revision, Store};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::base::Base;
use crate::sample::{AT, Random, all, between, game, keep, random_game};

const LATER: OffsetDateTime = datetime!(2026-03-02 12:00 UTC);

#[track_caller]
fn done(changed: Changed) -> Game {
    match changed {
        Changed::Done(game) => *game,
        other => panic!("not done: {other:?}"),
    }
}

pub async fn what_is_told_changes_at_the_expected_revision(_: &Base, store: Arc<dyn Store>) {
    let kept = keep(&store, game("1")).await;
    let text = GameText {
        event: Some("Fall".into()),
        tags: vec!["club".into()],
        played_at: Some(AT),
        ..kept.game.text.clone()
    };
    let describe = async |expected, text| {
        store
            .describe(kept.id, expected, text, LATER)
            .await
            .unwrap()
    };
    let second = done(describe(Revision::FIRST, text.clone()).await);
    assert_eq!(second.game.text, text);
    assert!(second.revision > kept.revision);
    assert_eq!(
        (second.created_at, second.updated_at),
        (kept.created_at, LATER)
    );
    assert_eq!(store.game(kept.id).await.unwrap(), Some(second.clone()));
    let stale = describe(Revision::FIRST, GameText::default()).await;
    assert_eq!(stale, Changed::OtherRevision(second.revision));
    let third = done(describe(second.revision, GameText::default()).await);
    assert_eq!(third.game.text, GameText::default());
    assert_eq!(store.game(kept.id).await.unwrap(), Some(third.clone()));
    let none = store
        .describe(GameId::new(), Revision::FIRST, GameText::default(), LATER)
        .await;
    assert_eq!(none.unwrap(), Changed::NoSuchGame);
    let stale = store.delete(kept.id, Some(second.revision)).await.unwrap();
    assert_eq!(stale, Changed::OtherRevision(third.revision));
    let gone = store.delete(kept.id, Some(third.revision)).await.unwrap();
    assert_eq!(gone, Changed::Done(Box::new(third)));
    let none = store.delete(kept.id, None).await.unwrap();
    assert_eq!(none, Changed::NoSuchGame);
}

pub async fn a_change_of_nothing_is_no_change(_: &Base, store: Arc<dyn Store>) {
    let mut dated = game("1");
    dated.text.played_at = Some(AT);
    let kept = keep(&store, dated).await;
    let mut same = kept.game.text.clone();
    // Another spelling of the same time.
    same.played_at = Some(datetime!(2026-03-01 13:00:00.000000001 +1));
    let changed = store.describe(kept.id, Revision::FIRST, same, LATER).await;
    assert_eq!(done(changed.unwrap()), kept);
}

pub async fn a_change_moves_all_counts(base: &Base, store: Arc<dyn Store>) {
    let mut random = Random::new(7);
    for number in 0..40 {
        keep(&store, random_game(&mut random, number)).await;
    }
    for number in 0..40 {
        let games = all(&store).await;
        let before = random.pick(&games);
        // What is told of another game, and a round that none has.
        let text = random_game(&mut random, 1_000 + number).text;
        let changed = store
            .describe(before.id, before.revision, text.clone(), LATER)
            .await;
        let changed = done(changed.unwrap());
        assert_eq!(changed.game.text, text);
        assert_eq!(changed.game.record, before.game.record);
        if number % 4 == 0 {
            let games = all(&store).await;
            let gone = random.pick(&games);
            done(store.delete(gone.id, None).await.unwrap());
        }
    }
    let counts = base.counts().await;
    // The games as they are now, kept for the first time.
    let other = if base.is_postgres() {
        Base::postgres(crate::base::postgres_server().unwrap()).await
    } else {
        Base::sqlite()
    };
    let twin = tengen::store::open(&other.url).await.unwrap();
    for game in all(&store).await {
        keep(&twin, game.game).await;
    }
    assert_eq!(other.counts().await, counts);
    twin.close().await;
    other.remove().await;
    store.recount().await.unwrap();
    assert_eq!(base.counts().await, counts);
}

pub async fn a_change_that_would_make_two_games_one_is_refused(base: &Base, store: Arc<dyn Store>) {
    let first = keep(&store, game("1")).await;
    let second = keep(&store, game("2")).await;
    let counts = base.counts().await;
    let changed = store
        .describe(second.id, Revision::FIRST, first.game.text.clone(), LATER)
        .await;
    assert_eq!(changed.unwrap(), Changed::SameAs(first.id));
    assert_eq!(store.game(second.id).await.unwrap(), Some(second));
    assert_eq!(base.counts().await, counts);
}

pub async fn a_deleted_game_leaves_nothing(base: &Base, store: Arc<dyn Store>) {
    let win = GameResult::Win(Color::Black);
    keep(&store, between("Ada", "Bob", win, "1")).await;
    let counts = base.counts().await;
    let mut second = between("Ada", "Eve", GameResult::Draw, "2");
    second.text.tags = vec!["club".into()];
    second.text.played_at = Some(AT);
    let second = keep(&store, second).await;
    assert_ne!(base.counts().await, counts);
    assert_eq!(
        done(store.delete(second.id, None).await.unwrap()),
        second.clone()
    );
    assert_eq!(store.game(second.id).await.unwrap(), None);
    assert_eq!(base.counts().await, counts);
    assert_eq!(store.player("Eve").await.unwrap(), None);
    let ada = store.player("Ada").await.unwrap().unwrap();
    assert_eq!(ada.seen, None, "the only date has gone");
}

pub async fn a_game_may_be_kept_again_after_it_was_deleted(_: &Base, store: Arc<dyn Store>) {
    let first = keep(&store, game("1")).await;
    store.delete(first.id, None).await.unwrap();
    let again = keep(&store, game("1")).await;
    assert_ne!(again.id, first.id);
    assert_eq!(all(&store).await, [again]);
}

pub async fn times_are_told_as_they_are_read_again(_: &Base, store: Arc<dyn Store>) {
    let at = AT + Duration::nanoseconds(123_456_789);
    let mut dated = game("1");
    // Not as `NewGame::judge` leaves it.
    dated.text.played_at = Some(datetime!(2026-03-01 13:00:00.123456789 +1));
    let added = store.add(vec![dated.clone()], at).await.unwrap().remove(0);
    let tengen::store::Added::New(kept) = added else {
        panic!("{added:?}")
    };
    assert_eq!(store.game(kept.id).await.unwrap(), Some(kept.clone()));
    assert_eq!(store.known(&[dated]).await.unwrap(), [true]);
    let text = GameText {
        played_at: Some(at + Duration::DAY),
        ..kept.game.text.clone()
    };
    let changed = store
        .describe(kept.id, Revision::FIRST, text, at + Duration::DAY)
        .await;
    let changed = done(changed.unwrap());
    assert_eq!(store.game(kept.id).await.unwrap(), Some(changed));
}
