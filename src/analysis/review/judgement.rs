/// How good a move was beside the best one.
///
/// ```
/// use tengen::analysis::Judgement;
///
/// assert_eq!(Judgement::of_loss(0.0), Judgement::Best);
/// assert_eq!(Judgement::of_loss(0.07), Judgement::Inaccuracy);
/// assert_eq!(Judgement::of_loss(1.0), Judgement::Blunder);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judgement {
    /// As good as the best, within what a search can tell.
    Best,
    /// A little worse.
    Good,
    /// Worse than need be.
    Inaccuracy,
    /// It gives away much.
    Mistake,
    /// It gives away a fifth of the chances or more.
    Blunder,
}

impl Judgement {
    /// All of them, the best first.
    pub const ALL: [Judgement; 5] = [
        Judgement::Best,
        Judgement::Good,
        Judgement::Inaccuracy,
        Judgement::Mistake,
        Judgement::Blunder,
    ];

    /// The judgement of a move that has lost so much of the chance to win.
    pub fn of_loss(loss: f64) -> Judgement {
        let fits = |judgement: &Judgement| loss < judgement.loss_below();
        let mut all = Judgement::ALL.into_iter();
        all.find(fits).unwrap_or(Judgement::Blunder)
    }

    /// Moves judged so have lost less than this of the chance to win.
    pub const fn loss_below(self) -> f64 {
        match self {
            Judgement::Best => 0.01,
            Judgement::Good => 0.05,
            Judgement::Inaccuracy => 0.1,
            Judgement::Mistake => 0.2,
            Judgement::Blunder => f64::INFINITY,
        }
    }

    /// The name in snake case, as `inaccuracy`.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Best => "best",
            Judgement::Good => "good",
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }
}

/// What is remarkable about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// A proven win was there, and is gone.
    MissedWin,
    /// The other side has a proven win that was not there.
    AllowedWin,
    /// Every other move loses.
    OnlyMove,
    /// Every move loses.
    ForcedLoss,
    /// A win was proven, and this one takes longer.
    LateWin,
    /// It makes a four and an open three, two fours, or two open threes, and the other side cannot win first.
    DoubleThreat,
}

impl Tag {
    /// All of them.
    pub const ALL: [Tag; 6] = [
        Tag::MissedWin,
        Tag::AllowedWin,
        Tag::OnlyMove,
        Tag::ForcedLoss,
        Tag::LateWin,
        Tag::DoubleThreat,
    ];

    /// The name in snake case, as `missed_win`.
    pub const fn name(self) -> &'static str {
        match self {
            Tag::MissedWin => "missed_win",
            Tag::AllowedWin => "allowed_win",
            Tag::OnlyMove => "only_move",
            Tag::ForcedLoss => "forced_loss",
            Tag::LateWin => "late_win",
            Tag::DoubleThreat => "double_threat",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_judgement_has_its_losses() {
        for (loss, judgement) in [
            (0.0, Judgement::Best),
            (0.0099, Judgement::Best),
            (0.01, Judgement::Good),
            (0.0499, Judgement::Good),
            (0.05, Judgement::Inaccuracy),
            (0.0999, Judgement::Inaccuracy),
            (0.1, Judgement::Mistake),
            (0.1999, Judgement::Mistake),
            (0.2, Judgement::Blunder),
            (1.0, Judgement::Blunder),
        ] {
            assert_eq!(Judgement::of_loss(loss), judgement, "{loss}");
        }
    }

    proptest! {
        #[test]
        fn who_loses_more_is_judged_no_better(one in 0.0..=1.0_f64, other in 0.0..=1.0_f64) {
            let (less, more) = (one.min(other), one.max(other));
            prop_assert!(Judgement::of_loss(less) <= Judgement::of_loss(more));
        }
    }
}
