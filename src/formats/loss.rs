use std::fmt;

/// What does not come across: what a reader has to leave behind, or what a format cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// The rule; of a reader: the rule's name is not understood, the default is taken.
    Rule,
    /// The board's size.
    Size,
    /// The stones that were set up before the first ply: what is written is another game.
    Setup,
    /// Stones on places that the board has not; where the format has passes, a pass is written for each.
    OffBoard,
    /// Passes, so that later stones change colour; of a reader: the text leaves passes out, they were put in.
    Passes,
    /// Who won.
    Result,
    /// What ended the game, where the stones do not tell.
    Termination,
    /// A player's name.
    Players,
    /// The tournament or match.
    Event,
    /// Where it was played.
    Site,
    /// The round of the event.
    Round,
    /// When it was played, or the time of that day.
    Date,
    /// Where the record comes from.
    Source,
    /// Words to find it by.
    Tags,
    /// Part of a text: what had several lines is put on one, what was too long is cut.
    Text,
    /// Branches beside the main line.
    Variations,
    /// Comments.
    Comments,
    /// Labels, arrows, marks and judgements of moves.
    Marks,
    /// Clocks and times.
    Times,
    /// The players' ranks and ratings.
    Ratings,
    /// How the opening was agreed: swaps and offered moves.
    Opening,
    /// Anything else.
    Details,
}

impl Loss {
    /// All of them.
    pub const ALL: [Loss; 22] = [
        Loss::Rule,
        Loss::Size,
        Loss::Setup,
        Loss::OffBoard,
        Loss::Passes,
        Loss::Result,
        Loss::Termination,
        Loss::Players,
        Loss::Event,
        Loss::Site,
        Loss::Round,
        Loss::Date,
        Loss::Source,
        Loss::Tags,
        Loss::Text,
        Loss::Variations,
        Loss::Comments,
        Loss::Marks,
        Loss::Times,
        Loss::Ratings,
        Loss::Opening,
        Loss::Details,
    ];

    /// The name in snake case, as `variations`.
    pub const fn name(self) -> &'static str {
        match self {
            Loss::Rule => "rule",
            Loss::Size => "size",
            Loss::Setup => "setup",
            Loss::OffBoard => "off_board",
            Loss::Passes => "passes",
            Loss::Result => "result",
            Loss::Termination => "termination",
            Loss::Players => "players",
            Loss::Event => "event",
            Loss::Site => "site",
            Loss::Round => "round",
            Loss::Date => "date",
            Loss::Source => "source",
            Loss::Tags => "tags",
            Loss::Text => "text",
            Loss::Variations => "variations",
            Loss::Comments => "comments",
            Loss::Marks => "marks",
            Loss::Times => "times",
            Loss::Ratings => "ratings",
            Loss::Opening => "opening",
            Loss::Details => "details",
        }
    }

    /// Does a text written with this loss read as another game, not only as one less told of?
    pub const fn changes_the_game(self) -> bool {
        matches!(self, Loss::Setup | Loss::OffBoard | Loss::Passes)
    }

    /// A bit of its own.
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of losses.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses(u32);

impl Losses {
    /// No loss.
    pub const NONE: Losses = Losses(0);

    /// Adds a loss, if it is not there.
    pub fn insert(&mut self, loss: Loss) {
        self.0 |= loss.bit();
    }

    /// Adds a loss if that is so.
    pub(super) fn insert_if(&mut self, is_lost: bool, loss: Loss) {
        if is_lost {
            self.insert(loss);
        }
    }

    /// Is this among them?
    pub const fn contains(self, loss: Loss) -> bool {
        self.0 & loss.bit() != 0
    }

    /// Is nothing lost?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The losses of both.
    #[must_use]
    pub const fn and(self, other: Losses) -> Losses {
        Losses(self.0 | other.0)
    }

    /// The losses, in the order of [`Loss::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Loss> {
        Loss::ALL
            .into_iter()
            .filter(move |loss| self.contains(*loss))
    }
}

impl FromIterator<Loss> for Losses {
    fn from_iter<I: IntoIterator<Item = Loss>>(losses: I) -> Losses {
        let mut all = Losses::NONE;
        for loss in losses {
            all.insert(loss);
        }
        all
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_twice() {
        for loss in Loss::ALL {
            let mut losses = Losses::NONE;
            losses.insert(loss);
            losses.insert(loss);
            assert_eq!(losses.iter().collect::<Vec<_>>(), [loss]);
        }
        let all: Losses = Loss::ALL.into_iter().collect();
        assert_eq!(all.iter().count(), Loss::ALL.len());
        assert!(Losses::NONE.is_empty());
    }
}
