use crate::analysis::making::Making;
use crate::analysis::review::accuracy::accuracy_of;
use crate::analysis::review::{Judgement, Tag, Worth};
use crate::analysis::{Reason, Threats};
use crate::board::{Cell, Color};
use crate::engine::{Line, Verdict};
use crate::record::Ply;
use crate::rules::{Position, wins};

/// A ply of a record, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPly {
    /// Its number in the record, from 1.
    pub number: usize,
    /// Who played it.
    pub color: Color,
    /// What was played.
    pub played: Ply,
    /// What the position was worth to the player, with the best move.
    pub before: Worth,
    /// What it is worth to the player after the move.
    pub after: Worth,
    /// How much of the chance to win the move has lost; never below 0.
    pub loss: f64,
    /// The same as a number from 0 to 100, see [`accuracy_of`].
    pub accuracy: f64,
    /// How good the move was; nothing where no move changes the outcome.
    pub judgement: Option<Judgement>,
    /// What is remarkable about it, each once, in the order of [`Tag::ALL`].
    pub tags: Vec<Tag>,
    /// The move that was better, where the difference matters.
    pub better: Option<Better>,
}

/// A move that was better than the one that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Better {
    /// What was expected to be played, the move first. Never empty.
    pub line: Vec<Cell>,
    /// What it was worth to the player.
    pub worth: Worth,
    /// Why it is good.
    pub reason: Reason,
}

impl JudgedPly {
    /// From this loss on the better move is told.
    pub const TELLS_BETTER: f64 = Judgement::Good.loss_below();

    /// Does a tag hold?
    pub fn has(&self, tag: Tag) -> bool {
        self.tags.contains(&tag)
    }
}

/// A ply to be judged, with what is known of the positions around it.
pub(super) struct Step<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// The position in which it was played.
    pub position: &'a Position,
    pub played: Ply,
    /// What was found there: the best move, and the next best if there is one.
    pub lines: &'a [Line],
    /// What the position after the move is worth to the player.
    pub after: Worth,
    /// What it is worth to the player two plies on, if the other side has answered as the engine would. Then
    /// that is deeper knowledge of the same line.
    pub later: Option<Worth>,
}

impl Step<'_> {
    /// Does the judgement depend on what is seen two plies on? A search does not see every win to its end that it
    /// would prove one move later.
    pub fn wants_later(&self) -> bool {
        self.before().verdict == Verdict::ProvenWin && !self.is_best() && !self.after.is_won()
    }

    pub fn judge(&self) -> JudgedPly {
        let (before, after) = (self.before(), self.after);
        let loss = if self.is_best() || self.win_shows_later().is_some() {
            // What the engine itself would have played costs nothing, however the next look at it turns out.
            0.0
        } else {
            (before.win_probability() - after.win_probability()).max(0.0)
        };
        // Where every move loses or nobody can win there is nothing to do well or badly.
        let is_settled = before.is_lost() || before.verdict == Verdict::ProvenDraw;
        let tags = self.tags();
        JudgedPly {
            number: self.number,
            color: self.position.to_move(),
            played: self.played,
            before,
            after,
            loss,
            accuracy: accuracy_of(loss),
            judgement: (!is_settled).then(|| Judgement::of_loss(loss)),
            better: self.better(loss, &tags),
            tags,
        }
    }

    fn before(&self) -> Worth {
        self.lines.first().map_or(Worth::unknown(), Worth::of)
    }

    /// Is it the move that the engine would have played?
    fn is_best(&self) -> bool {
        let best = self.lines.first().and_then(|line| line.moves.first());
        best.is_some_and(|best| self.played == Ply::Stone(*best))
    }

    fn tags(&self) -> Vec<Tag> {
        let holds = |tag: &Tag| match tag {
            Tag::MissedWin => self.wants_later() && self.win_shows_later().is_none(),
            Tag::AllowedWin => self.allows_win(),
            Tag::OnlyMove => self.is_only_move(),
            Tag::ForcedLoss => self.before().is_lost(),
            Tag::LateWin => self.is_late_win(),
            Tag::DoubleThreat => self.makes_double_threat(),
        };
        Tag::ALL.into_iter().filter(holds).collect()
    }

    /// The proven win that is there again after the other side's best answer: so it was never gone.
    fn win_shows_later(&self) -> Option<Worth> {
        let is_won = |later: &Worth| later.verdict == Verdict::ProvenWin;
        self.later.filter(is_won).filter(|_| self.wants_later())
    }

    fn allows_win(&self) -> bool {
        self.after.verdict == Verdict::ProvenLoss && !self.before().is_lost() && !self.is_best()
    }

    fn is_only_move(&self) -> bool {
        let next = self.lines.get(1).map(Worth::of);
        self.is_best() && !self.before().is_lost() && next.is_some_and(Worth::is_lost)
    }

    fn is_late_win(&self) -> bool {
        let before = self.before();
        if before.verdict != Verdict::ProvenWin || self.is_best() {
            return false;
        }
        let (kept, ahead) = match self.win_shows_later() {
            Some(later) => (later, 2),
            None => (self.after, 1),
        };
        let plies = |worth: Worth| worth.score.plies_to_end();
        kept.is_won() && plies(kept).map(|plies| plies + ahead) > plies(before)
    }

    fn makes_double_threat(&self) -> bool {
        let Ply::Stone(cell) = self.played else {
            return false;
        };
        let (board, rule) = (self.position.board(), self.position.rule());
        let color = self.position.to_move();
        let makes_two =
            Making::of(board, cell, color, rule).is_some_and(|making| making.shape.is_fork());
        if !makes_two {
            return false;
        }
        let mut after = board.clone();
        after.put(cell, color);
        let mut empty = board.size().cells().filter(|next| after.is_empty(*next));
        !empty.any(|next| wins(&after, next, !color, rule))
    }

    fn better(&self, loss: f64, tags: &[Tag]) -> Option<Better> {
        let is_slower = tags.contains(&Tag::MissedWin) || tags.contains(&Tag::LateWin);
        if loss < JudgedPly::TELLS_BETTER && !is_slower {
            return None;
        }
        let line = self.lines.first()?;
        Some(Better {
            line: line.moves.clone(),
            worth: Worth::of(line),
            reason: Threats::of(self.position).reason_for(*line.moves.first()?),
        })
    }
}
