//! The store's calls: each takes a connection, and those that write take the right to write with it.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt;
use time::OffsetDateTime;

use super::games::{self, Arrival};
use super::recount::recount;
use super::{Pools, certificates, explorer, list, once, players, ratings, statistics};
use crate::proof::{CertificateId, CertificateText};
use crate::record::GameText;
use crate::store::filter::is_keepable;
use crate::store::{
    Added, AddedOnce, Changed, Explored, ExplorerQuery, Game, GameId, NewGame, Once, Page, Player,
    PlayerPage, PlayerSelection, Revision, Selection, Statistics, Store, StoreError,
};

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
        if !selection.filter.is_findable() {
            return Ok(Page::default());
        }
        let selection = selection.clone();
        self.at_one_moment(move |db| async move { list::page(db, &selection, most).await }.boxed())
            .await
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
        if !query.player.as_deref().is_none_or(is_keepable) {
            return Ok(Explored::default());
        }
        let query = query.clone();
        self.at_one_moment(|db| async move { explorer::explore(db, &query).await }.boxed())
            .await
    }

    async fn players(
        &self,
        selection: &PlayerSelection,
        most: u32,
    ) -> Result<PlayerPage, StoreError> {
        if !selection.is_findable() {
            return Ok(PlayerPage::default());
        }
        let selection = selection.clone();
        self.at_one_moment(move |db| {
            async move { players::page(db, &selection, most).await }.boxed()
        })
        .await
    }

    async fn player(&self, name: &str) -> Result<Option<Player>, StoreError> {
        if !is_keepable(name) {
            return Ok(None);
        }
        let name = name.to_owned();
        self.at_one_moment(|db| async move { players::player(db, &name).await }.boxed())
            .await
    }

    async fn statistics(&self) -> Result<Statistics, StoreError> {
        self.at_one_moment(|db| statistics::statistics(db).boxed())
            .await
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
