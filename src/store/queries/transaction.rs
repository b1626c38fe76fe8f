//! Connections, and work in one transaction.

use futures_util::future::BoxFuture;
use sqlx::pool::PoolOptions;
use sqlx::{Connection as _, Transaction};

use super::{Connection, Db, Pools, SNAPSHOT};
use crate::store::{PATIENCE, StoreError};

impl Pools {
    /// Reads in one transaction: all that is read is as it was at one moment, whatever is written meanwhile. It is done
    /// to its end though the caller leaves: a transaction that is dropped while it begins would spoil its connection.
    pub(super) async fn at_one_moment<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        let readers = self.readers.clone();
        let done = tokio::spawn(async move {
            let mut connection = readers.acquire().await?;
            finish(connection.begin_with(SNAPSHOT).await?, work).await
        });
        done.await
            .unwrap_or_else(|error| StoreError::of_task(error))
    }
}

/// A pool of so many connections, to be made.
pub fn pool(connections: u32) -> PoolOptions<Db> {
    PoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE)
}

/// Does some work in a transaction that has begun.
pub async fn finish<T, W>(mut transaction: Transaction<'_, Db>, work: W) -> Result<T, StoreError>
where
    W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>,
{
    let answer = work(&mut transaction).await?;
    transaction.commit().await?;
    Ok(answer)
}
