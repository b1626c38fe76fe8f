use time::OffsetDateTime;

use crate::board::ByColor;

/// What is told of a game besides its moves and its end. What is not known is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameText {
    /// The players' names.
    pub players: ByColor<Option<String>>,
    /// The tournament or match.
    pub event: Option<String>,
    /// Where it was played.
    pub site: Option<String>,
    /// The round of the event.
    pub round: Option<String>,
    /// When it was played, in UTC.
    pub played_at: Option<OffsetDateTime>,
    /// Where the record comes from.
    pub source: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

impl GameText {
    /// All texts, whatever they tell.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let ByColor { black, white } = &self.players;
        let told = [
            black,
            white,
            &self.event,
            &self.site,
            &self.round,
            &self.source,
        ];
        let told = told.into_iter().flatten();
        told.chain(&self.tags).map(String::as_str)
    }
}
