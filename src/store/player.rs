use time::OffsetDateTime;

use crate::board::{ByColor, Color};
use crate::rules::Rule;
use crate::store::filter::is_keepable;

/// How a player's games came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games that nobody won.
    pub draws: u64,
}

impl Score {
    /// All games.
    pub const fn games(self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Counts another score in.
    pub(super) fn add(&mut self, other: Score) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
    }
}

/// How strong a player is, by Glicko-2; see `rating.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating; 1500 is where everybody begins.
    pub value: f64,
    /// The rating deviation: the true strength lies within two of them with 95 %.
    pub deviation: f64,
}

/// A player of kept games.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The games by rule and colour; what was not played is absent.
    pub scores: Vec<(Rule, Color, Score)>,
    /// When the first and the last of the games with a date were played.
    pub seen: Option<(OffsetDateTime, OffsetDateTime)>,
    /// The rating, if a game against another player has been rated.
    pub rating: Option<Rating>,
}

impl Player {
    /// All games, by colour.
    pub fn by_color(&self) -> ByColor<Score> {
        let mut total = ByColor {
            black: Score::default(),
            white: Score::default(),
        };
        for (_, color, score) in &self.scores {
            total[*color].add(*score);
        }
        total
    }

    /// All games. One against oneself is two here, one with each colour, and so it is where players are listed by
    /// their games.
    pub fn total(&self) -> Score {
        let ByColor { mut black, white } = self.by_color();
        black.add(white);
        black
    }
}

/// What a list of players is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayerOrder {
    /// Who has the most games first.
    #[default]
    Games,
    /// The highest rating first; who has none is left out.
    Rating,
    /// The name, by its octets.
    Name,
}

/// The place of a player in a list.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerPlace {
    /// In a list by games: their number and the player's number.
    Games(i64, i64),
    /// In a list by rating: the rating and the player's number.
    Rating(f64, i64),
    /// In a list by names.
    Name(String),
}

/// Which players are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSelection {
    /// How the names begin.
    pub prefix: Option<String>,
    /// In which order.
    pub order: PlayerOrder,
    /// Behind this place; from the beginning when absent.
    pub after: Option<PlayerPlace>,
}

impl PlayerSelection {
    /// May there be players here? A place behind a name that none can have is none.
    pub(super) fn is_findable(&self) -> bool {
        let place = match &self.after {
            Some(PlayerPlace::Name(name)) => Some(name),
            Some(PlayerPlace::Games(..) | PlayerPlace::Rating(..)) | None => None,
        };
        let texts = [self.prefix.as_ref(), place];
        texts.into_iter().flatten().all(|text| is_keepable(text))
    }
}

/// A page of players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerPage {
    /// The players.
    pub players: Vec<Player>,
    /// The place of the last of them, if there are more behind it.
    pub next: Option<PlayerPlace>,
}
