use std::sync::Arc;

use crate::formats::{self, Format, NotWritten};
use crate::store::{Selection, Store, StoreError};

/// How many games are read and written at once.
const GAMES_AT_ONCE: u32 = 500;

/// Kept games as a file, piece by piece: as much is in memory as a piece needs, however many games there are. Games
/// that come in or go meanwhile do not disturb the walk.
pub struct Export {
    store: Arc<dyn Store>,
    /// What is still to come; nothing at the end.
    rest: Option<Selection>,
    format: Format,
    /// How many games may still be written.
    left: u64,
    games: u64,
}

impl Export {
    /// The games of a selection in its order, in a format, at most so many.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] when games are not written in that format.
    pub fn of(
        store: Arc<dyn Store>,
        selection: Selection,
        format: Format,
        most: u64,
    ) -> Result<Export, NotWritten> {
        if !format.is_written() {
            return Err(NotWritten(format));
        }
        Ok(Export {
            store,
            rest: Some(selection),
            format,
            left: most,
            games: 0,
        })
    }

    /// How many games are written so far.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The next games, some hundreds, as text; nothing when all are written.
    ///
    /// # Errors
    ///
    /// When the store cannot read them. The next call tries again.
    pub async fn next(&mut self) -> Result<Option<String>, StoreError> {
        let Some(selection) = self.rest.as_mut().filter(|_| self.left > 0) else {
            return Ok(None);
        };
        let most = u32::try_from(self.left).map_or(GAMES_AT_ONCE, |left| left.min(GAMES_AT_ONCE));
        let page = self.store.page(selection, most).await?;
        let mut text = String::new();
        for kept in &page.games {
            self.format
                .write(&formats::Game::from(&kept.game), &mut text)
                .expect("the format is one that is written");
            self.games += 1;
            self.left -= 1;
        }
        match page.next {
            Some(place) => selection.after = Some(place),
            None => self.rest = None,
        }
        Ok((!text.is_empty()).then_some(text))
    }
}
