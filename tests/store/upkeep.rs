//! Counting again, backups, and the end of a store.

use std::fs;
use std::sync::Arc;

use tengen::store::{self, Added, Store, StoreError};

use crate::base::Base;
use crate::sample::{AT, Random, all, game, keep, random_game};

async fn fill(store: &Arc<dyn Store>, games: usize) {
    let mut random = Random::new(41);
    let games = (0..games).map(|number| random_game(&mut random, number));
    store.add(games.collect(), AT).await.unwrap();
}

pub async fn a_recount_changes_nothing_that_is_right(base: &Base, store: Arc<dyn Store>) {
    assert_eq!(store.recount().await.unwrap(), 0);
    // More than are read at once.
    fill(&store, 1_100).await;
    store.rate().await.unwrap();
    let (counts, games) = (base.counts().await, all(&store).await);
    let player = store.player("Ada").await.unwrap();
    assert!(counts.len() > 3_000);
    assert_eq!(store.recount().await.unwrap(), 1_100);
    assert_eq!(base.counts().await, counts);
    assert_eq!(all(&store).await, games);
    assert_eq!(store.player("Ada").await.unwrap(), player);
    assert!(store.rate().await.unwrap(), "ratings are made anew too");
    assert_eq!(store.player("Ada").await.unwrap(), player);
}

pub async fn a_recount_repairs_what_was_spoilt(base: &Base, store: Arc<dyn Store>) {
    fill(&store, 60).await;
    let counts = base.counts().await;
    let games = all(&store).await;
    for statement in [
        "UPDATE facets SET games = games + 3",
        // As if an opening had got a name since.
        "UPDATE facets SET opening = 'x' WHERE opening = ''",
        "UPDATE lengths SET games = 0",
        "UPDATE players SET games = -1, first_played = 0, last_played = NULL",
        "DELETE FROM player_tallies",
        "UPDATE explorer_moves SET black = 9 WHERE month = 0",
        "DELETE FROM explorer_moves WHERE month > 0",
        "DELETE FROM explorer_games WHERE seq > 20",
        "INSERT INTO explorer_games VALUES (1, 1, 1)",
        "INSERT INTO lengths VALUES ('caro', 999, 1)",
        "UPDATE games SET ply_count = 999 WHERE seq < 9",
        "UPDATE games SET symmetry_key = 1",
        "DELETE FROM game_tags WHERE seq > 20",
        "INSERT INTO game_tags SELECT 'stray', seq FROM games",
    ] {
        base.execute(statement).await;
        assert_ne!(base.counts().await, counts, "{statement}");
        assert_eq!(store.recount().await.unwrap(), 60);
        assert_eq!(base.counts().await, counts, "{statement}");
    }
    assert_eq!(all(&store).await, games);
    for game in games {
        store.delete(game.id, None).await.unwrap();
    }
    assert_eq!(base.counts().await, [""; 0]);
}

/// Octets as a statement has them.
fn octets(base: &Base, octets: &[u8]) -> String {
    let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    if base.is_postgres() {
        format!("decode('{digits}', 'hex')")
    } else {
        format!("x'{digits}'")
    }
}

pub async fn a_recount_mends_what_games_are_known_by(base: &Base, store: Arc<dyn Store>) {
    fill(&store, 3).await;
    let (counts, games) = (base.counts().await, all(&store).await);
    let first = games[0].game.fingerprint().unwrap();
    // The second game stands in the way of the first, which is behind it when it is looked at.
    for (seq, octets) in [(1, octets(base, &[0; 32])), (2, octets(base, &first))] {
        let statement = format!("UPDATE games SET fingerprint = {octets} WHERE seq = {seq}");
        base.execute(statement.leak()).await;
    }
    base.execute("UPDATE state SET last_seq = 1").await;
    assert_eq!(store.recount().await.unwrap(), 3);
    assert_eq!(base.counts().await, counts);
    let same = store.add(vec![games[0].game.clone()], AT).await.unwrap();
    assert_eq!(same, [Added::Known(games[0].clone())]);
    keep(&store, game("another")).await;
}

pub async fn a_backup_holds_the_games_of_its_moment(base: &Base, store: Arc<dyn Store>) {
    if base.is_postgres() {
        let refused = store.back_up(std::path::Path::new("games.backup")).await;
        assert!(matches!(refused, Err(StoreError::Unsupported(_))));
        return;
    }
    fill(&store, 50).await;
    let games = all(&store).await;
    let file = base.directory().join("it's a backup.db");
    // What a backup that was cut short has left.
    fs::write(base.directory().join("it's a backup.db.part"), "half").unwrap();
    store.back_up(&file).await.unwrap();
    keep(&store, game("after")).await;
    let again = store.back_up(&file).await;
    assert!(matches!(again, Err(StoreError::Unsupported(_))));
    let nowhere = base.directory().join("none").join("backup.db");
    assert!(store.back_up(&nowhere).await.is_err());
    let names = fs::read_dir(base.directory()).unwrap();
    let parts = names.filter(|name| {
        let name = name.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".part")
    });
    assert_eq!(parts.count(), 0);

    let url = format!("sqlite://{}", file.display());
    let copy = store::open(&url).await.unwrap();
    assert_eq!(all(&copy).await, games);
    assert_eq!(copy.recount().await.unwrap(), 50);
    keep(&copy, game("after")).await;
    copy.close().await;
}

pub async fn a_closed_store_answers_no_more(base: &Base, store: Arc<dyn Store>) {
    store.ping().await.unwrap();
    let kept = keep(&store, game("1")).await;
    store.close().await;
    let answers = [
        store.ping().await.err(),
        store.game(kept.id).await.err(),
        store.add(vec![game("2")], AT).await.err(),
    ];
    for error in answers {
        assert!(matches!(error, Some(StoreError::Ending)), "{error:?}");
    }
    let store = store::open_existing(&base.url).await.unwrap();
    assert_eq!(all(&store).await, [kept]);
    store.close().await;
}

pub async fn an_unknown_url_is_told(base: &Base, _: Arc<dyn Store>) {
    for url in ["games.db", "mysql://localhost/games", ""] {
        let refused = store::open(url).await.err();
        assert!(matches!(refused, Some(StoreError::UnknownUrl)), "{url}");
    }
    let none = format!("{}x", base.url);
    assert!(store::open_existing(&none).await.is_err());
    if !base.is_postgres() {
        assert!(!base.directory().join("games.dbx").exists());
    }
}
