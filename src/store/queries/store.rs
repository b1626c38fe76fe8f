//! The store's calls: each takes a connection, and those that write take the right to write with it.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt;
use time::OffsetDateTime;

use super::counts::{self, Change};
use super::games::{self, Arrival};
use super::rows::{game_of, select_games};
use super::{Connection, Pools, certificates, explorer, list, once, players, ratings, statistics};
use crate::proof::{CertificateId, CertificateText};
use crate::record::GameText;
use crate::store::explorer::Trace;
use crate::store::{
    Added, AddedOnce, Changed, Explored, ExplorerQuery, Game, GameId, NewGame, Once, Page, Player,
    PlayerPage, PlayerSelection, Revision, Selection, Statistics, Store, StoreError,
};

/// How many games are read at once where all are read.
const GAMES_AT_ONCE: i64 = 1_000;

#[async_trait]
impl Store for Pools {
    async fn ping(&self) -> Result<(), StoreError> {
        let mut db = self.reader().await?;
        sqlx::query("SELECT seq FROM games LIMIT 1")
            .execute(&mut *db)
            .await?;
        Ok(())
    }

    async fn add(&self, games: Vec<NewGame>, at: OffsetDateTime) -> Result<Vec<Added>, StoreError> {
        let arrivals = games
            .into_iter()
            .map(|game| Arrival::new(game, at))
            .collect();
        self.write(move |db| games::add(db, arrivals).boxed()).await
    }

    async fn add_once(
        &self,
        once: Once,
        game: NewGame,
        at: OffsetDateTime,
    ) -> Result<AddedOnce, StoreError> {
        self.write(move |db| once::add_once(db, once, game, at).boxed())
            .await
    }

    async fn known(&self, games: &[NewGame]) -> Result<Vec<bool>, StoreError> {
        let fingerprints = games
            .iter()
            .map(NewGame::fingerprint)
            .collect::<Result<Vec<_>, _>>()?;
        let mut db = self.reader().await?;
        let known = games::known(&mut db, &fingerprints).await?;
        let is_known = |fingerprint| known.contains_key(fingerprint);
        Ok(fingerprints.iter().map(is_known).collect())
    }

    async fn game(&self, id: GameId) -> Result<Option<Game>, StoreError> {
        let mut db = self.reader().await?;
        let found = games::by_id(&mut db, id.0).await?;
        Ok(found.map(|(_, game)| game))
    }

    async fn page(&self, selection: &Selection, most: u32) -> Result<Page, StoreError> {
        let mut db = self.reader().await?;
        list::page(&mut db, selection, most).await
    }

    async fn describe(
        &self,
        id: GameId,
        expected: Revision,
        text: GameText,
        at: OffsetDateTime,
    ) -> Result<Changed, StoreError> {
        self.write(move |db| games::describe(db, id, expected, text, at).boxed())
            .await
    }

    async fn delete(&self, id: GameId, expected: Option<Revision>) -> Result<Changed, StoreError> {
        self.write(move |db| games::delete(db, id, expected).boxed())
            .await
    }

    async fn explore(&self, query: &ExplorerQuery) -> Result<Explored, StoreError> {
        let mut db = self.reader().await?;
        explorer::explore(&mut db, query).await
    }

    async fn players(
        &self,
        selection: &PlayerSelection,
        most: u32,
    ) -> Result<PlayerPage, StoreError> {
        let mut db = self.reader().await?;
        players::page(&mut db, selection, most).await
    }

    async fn player(&self, name: &str) -> Result<Option<Player>, StoreError> {
        let mut db = self.reader().await?;
        players::player(&mut db, name).await
    }

    async fn statistics(&self) -> Result<Statistics, StoreError> {
        let mut db = self.reader().await?;
        statistics::statistics(&mut db).await
    }

    async fn keep_certificates(
        &self,
        certificates: &[Arc<CertificateText>],
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        // The same wins come up again and again, and writers have to wait for each other.
        let new = {
            let mut db = self.reader().await?;
            certificates::unknown(&mut db, certificates).await?
        };
        if new.is_empty() {
            return Ok(());
        }
        self.write(move |db| async move { certificates::keep(db, &new, at).await }.boxed())
            .await
    }

    async fn certificate(&self, id: CertificateId) -> Result<Option<String>, StoreError> {
        let mut db = self.reader().await?;
        certificates::text(&mut db, id).await
    }

    async fn rate(&self) -> Result<bool, StoreError> {
        let (changes, ratings) = {
            let mut db = self.reader().await?;
            let Some(changes) = ratings::unrated_changes(&mut db).await? else {
                return Ok(false);
            };
            (changes, ratings::rate(&mut db).await?)
        };
        self.write(move |db| async move { ratings::keep(db, &ratings, changes).await }.boxed())
            .await?;
        Ok(true)
    }

    async fn recount(&self) -> Result<u64, StoreError> {
        self.write(|db| recount(db).boxed()).await
    }

    async fn back_up(&self, file: &Path) -> Result<(), StoreError> {
        self.copy_to(file).await
    }

    async fn close(&self) {
        self.end().await;
    }
}

/// Counts all games anew. The caller holds the right to write.
async fn recount(db: &mut Connection) -> Result<u64, StoreError> {
    for statement in [
        "DELETE FROM explorer_moves",
        "DELETE FROM explorer_games",
        "DELETE FROM player_tallies",
        "DELETE FROM lengths",
        "UPDATE facets SET games = 0",
        "UPDATE players SET games = 0, first_played = NULL, last_played = NULL",
        // Ratings follow from the games too.
        "UPDATE state SET changes = changes + 1",
    ] {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    let mut games = 0;
    let mut last = 0;
    loop {
        let some = games_after(db, last).await?;
        let Some((seq, _)) = some.last() else { break };
        last = *seq;
        games += u64::try_from(some.len()).unwrap_or(0);
        recount_some(db, &some).await?;
    }
    for statement in [
        "DELETE FROM players WHERE games = 0",
        "DELETE FROM facets WHERE games = 0",
    ] {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    Ok(games)
}

async fn recount_some(db: &mut Connection, games: &[(i64, Game)]) -> Result<(), StoreError> {
    let traces: Vec<_> = games
        .iter()
        .map(|(_, game)| Trace::of(&game.game.record))
        .collect();
    let changes: Vec<_> = games
        .iter()
        .zip(&traces)
        .map(|((_, game), trace)| Change {
            game: &game.game,
            trace,
        })
        .collect();
    let refs = counts::count(db, &changes, 1).await?;
    let seqs = games.iter().map(|(seq, _)| *seq);
    explorer::remember(db, seqs.clone().zip(&traces)).await?;
    let facets = refs.iter().map(|refs| refs.facet);
    games::set_facets(db, facets.zip(seqs)).await
}

async fn games_after(db: &mut Connection, seq: i64) -> Result<Vec<(i64, Game)>, StoreError> {
    let mut query = select_games();
    query
        .push(" WHERE games.seq > ")
        .push_bind(seq)
        .push(" ORDER BY games.seq LIMIT ")
        .push_bind(GAMES_AT_ONCE);
    let rows = query.build().fetch_all(&mut *db).await?;
    rows.iter().map(game_of).collect()
}
