//! A game reviewed: each ply beside the best one, from what the engine found in each position.
//!
//! A [`Review`] tells which position is to be searched next and takes what was found there; it judges each ply
//! as soon as it knows enough. It searches nothing itself. Begin reading with [`Review`], then `step.rs`.

mod accuracy;
mod judgement;
mod report;
mod step;
mod summary;
mod worth;

pub use accuracy::{ACCURACY_DECAY, accuracy_of};
pub use judgement::{Judgement, Tag};
pub use report::{PlayerReport, Report};
pub use step::{Better, JudgedPly};
pub use worth::Worth;

use crate::board::Color;
use crate::engine::Line;
use crate::record::{Ply, Record, Replay};
use crate::rules::{Position, Status};
use step::Step;

/// A game that is being reviewed.
///
/// ```
/// use tengen::analysis::Review;
/// use tengen::board::BoardSize;
/// use tengen::engine::{Limits, Memory, Options, Search};
/// use tengen::record::{Record, notation::read_moves};
/// use tengen::rules::Rule;
///
/// let moves = read_moves("h8h12h9a1h10c1h11e1a15", 20).expect("all are moves");
/// let mut review = Review::of(&Record::new(Rule::Freestyle, BoardSize::DEFAULT, moves));
/// let limits = Limits { nodes: Some(100), ..Limits::default() };
/// let options = Options { lines: Review::LINES, ..Options::default() };
/// let mut memory = Memory::with_mebibytes(1);
/// while let Some(position) = review.next_position() {
///     let search = Search::new(position, limits, options.clone());
///     let found = search.run(&mut memory, &Default::default(), &mut |_| {});
///     review.add(found.lines);
/// }
/// // Black could have won at once.
/// let last = review.judged().last().expect("nine plies were played");
/// assert!(last.tags.contains(&tengen::analysis::Tag::MissedWin));
/// ```
#[derive(Clone, Debug)]
pub struct Review {
    plies: Vec<Ply>,
    /// The position before each ply, and the last one.
    positions: Vec<Position>,
    /// What was found in the first of them.
    found: Vec<Vec<Line>>,
    judged: Vec<JudgedPly>,
    ended_at: Option<usize>,
}

impl Review {
    /// How many lines a search is to name: the best move, and the next best, which tells whether there was a choice.
    pub const LINES: usize = 2;

    /// The review of the legal part of a record, with a forbidden stone that ends it.
    pub fn of(record: &Record) -> Review {
        let mut positions = Vec::with_capacity(record.plies().len() + 1);
        let replay = Replay::with_each(record, |replay| positions.push(replay.position().clone()));
        Review {
            plies: record.plies()[..replay.plies()].to_vec(),
            ended_at: replay.ended_at(),
            positions,
            found: Vec::new(),
            judged: Vec::new(),
        }
    }

    /// How many positions are to be searched: each once, and the end of a game not at all.
    pub fn searches(&self) -> usize {
        let is_open = |position: &&Position| position.status() == Status::Ongoing;
        self.positions.iter().filter(is_open).count()
    }

    /// The position that is to be searched next; none when all have been.
    pub fn next_position(&self) -> Option<&Position> {
        let next = self.positions.get(self.found.len())?;
        (next.status() == Status::Ongoing).then_some(next)
    }

    /// Takes what was found in the next position, the best line first, and gives the plies that can be judged now.
    pub fn add(&mut self, lines: Vec<Line>) -> &[JudgedPly] {
        if self.next_position().is_some() {
            self.found.push(lines);
        }
        let known = self.judged.len();
        while let Some(judged) = self.judge_next() {
            self.judged.push(judged);
        }
        &self.judged[known..]
    }

    /// The plies that are judged so far: all of them once no position is left.
    pub fn judged(&self) -> &[JudgedPly] {
        &self.judged
    }

    /// The last position.
    ///
    /// # Panics
    ///
    /// Never: there is one before the first ply.
    pub fn last_position(&self) -> &Position {
        self.positions.last().expect("a game has a first position")
    }

    /// The ply that ended the game.
    pub const fn ended_at(&self) -> Option<usize> {
        self.ended_at
    }

    /// Black's chance to win in each position that is known, a draw counting half.
    pub fn chances(&self) -> Vec<f64> {
        let worth = (0..self.positions.len()).map_while(|index| self.worth(index, Color::Black));
        worth.map(Worth::win_probability).collect()
    }

    /// What all plies that are judged tell together.
    pub fn report(&self) -> Report {
        Report::of(self)
    }

    /// What a position is worth to a side, once that is known.
    fn worth(&self, index: usize, side: Color) -> Option<Worth> {
        let position = self.positions.get(index)?;
        if let Some(worth) = Worth::of_end(position.status(), side) {
            return Some(worth);
        }
        let own = self
            .found
            .get(index)?
            .first()
            .map_or(Worth::unknown(), Worth::of);
        Some(if position.to_move() == side {
            own
        } else {
            own.reversed()
        })
    }

    /// Judges the next ply, if enough is known.
    fn judge_next(&self) -> Option<JudgedPly> {
        let index = self.judged.len();
        let position = &self.positions[index];
        let side = position.to_move();
        let mut step = Step {
            number: index + 1,
            position,
            played: *self.plies.get(index)?,
            lines: self.found.get(index)?,
            after: self.worth(index + 1, side)?,
            later: None,
        };
        if step.wants_later() && index + 2 < self.positions.len() {
            let later = self.worth(index + 2, side)?;
            step.later = self.is_answered_well(index + 1).then_some(later);
        }
        Some(step.judge())
    }

    /// Was the engine's own move played in a position?
    fn is_answered_well(&self, index: usize) -> bool {
        let best = self.found.get(index).and_then(|lines| lines.first());
        let best = best.and_then(|line| line.moves.first()).copied();
        best.map(Ply::Stone) == self.plies.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::BoardSize;
    use crate::engine::{Score, Verdict};
    use crate::record::notation::read_moves;
    use crate::rules::Rule;

    /// A line of one move.
    fn line(cell: &str, score: Score, verdict: Verdict) -> Line {
        Line {
            moves: vec![cell.parse().unwrap()],
            score,
            verdict,
            certificate: None,
        }
    }

    fn points(cell: &str, points: i32) -> Line {
        line(cell, Score::points(points), Verdict::Unknown)
    }

    /// A proven win.
    fn win(cell: &str, plies: u16) -> Line {
        line(cell, Score::win_in(plies), Verdict::ProvenWin)
    }

    /// A loss that the search sees and nothing proves.
    fn loss(cell: &str, plies: u16) -> Line {
        line(cell, Score::loss_in(plies), Verdict::Unknown)
    }

    fn proven_loss(cell: &str) -> Line {
        line(cell, Score::loss_in(2), Verdict::ProvenLoss)
    }

    fn draw(cell: &str) -> Line {
        line(cell, Score::ZERO, Verdict::ProvenDraw)
    }

    fn record(rule: Rule, moves: &str) -> Record {
        let plies = read_moves(moves, 1).expect("all are moves");
        Record::new(rule, BoardSize::DEFAULT, plies)
    }

    /// The review of a record in which every position was found even.
    fn even(rule: Rule, moves: &str) -> Review {
        let mut review = Review::of(&record(rule, moves));
        while review.next_position().is_some() {
            review.add(vec![points("o1", 0), points("o2", 0)]);
        }
        review
    }

    /// What is found before Black's h8, before White's i9 and after it, and how h8 is judged.
    struct Case {
        found: [Vec<Line>; 3],
        judgement: Option<Judgement>,
        tags: &'static [Tag],
        tells_better: bool,
    }

    fn case(
        before: &[Line],
        between: &[Line],
        after: &[Line],
        judgement: impl Into<Option<Judgement>>,
        tags: &'static [Tag],
        tells_better: bool,
    ) -> Case {
        Case {
            found: [before.to_vec(), between.to_vec(), after.to_vec()],
            judgement: judgement.into(),
            tags,
            tells_better,
        }
    }

    #[test]
    fn a_move_is_judged_by_what_was_found_around_it() {
        use Judgement::{Best, Blunder, Good, Inaccuracy, Mistake};
        let even = [points("j10", 0)];
        let reply = |points_for_white| [points("i9", points_for_white)];
        let ahead = [points("h9", 50), points("g9", 40)];
        #[rustfmt::skip]
        let cases = [
            // The engine's own move loses nothing, whatever is found later.
            case(&[points("h8", 50), points("h9", 40)], &reply(-45), &even, Best, &[], false),
            case(&[points("h8", 50), points("h9", 40)], &reply(90), &even, Best, &[], false),
            case(&[points("h8", 50)], &[win("i9", 5)], &even, Best, &[], false),
            // Other moves lose what they lose.
            case(&ahead, &reply(-90), &even, Best, &[], false),
            case(&ahead, &reply(-49), &even, Best, &[], false),
            case(&ahead, &reply(-30), &even, Good, &[], false),
            case(&ahead, &reply(0), &even, Inaccuracy, &[], true),
            case(&ahead, &reply(60), &even, Mistake, &[], true),
            case(&ahead, &reply(200), &even, Blunder, &[], true),
            // Proven wins that are there and go.
            case(&[win("h9", 5)], &reply(0), &even, Blunder, &[Tag::MissedWin], true),
            case(&[win("h9", 5)], &reply(-900), &even, Best, &[Tag::MissedWin], true),
            case(&[win("h9", 1)], &[win("i9", 1)], &even, Blunder, &[Tag::MissedWin, Tag::AllowedWin], true),
            case(&[points("h9", 0)], &[win("i9", 7)], &even, Blunder, &[Tag::AllowedWin], true),
            case(&[points("h9", 0), proven_loss("g9")], &[win("i9", 7)], &even, Blunder, &[Tag::AllowedWin], true),
            // A win that only the search sees is not said to be missed or allowed.
            case(&[line("h9", Score::win_in(5), Verdict::Unknown)], &reply(0), &even, Blunder, &[], true),
            case(&[points("h9", 0)], &[line("i9", Score::win_in(5), Verdict::Unknown)], &even, Blunder, &[], true),
            // A win that is kept, as long or longer.
            case(&[win("h8", 5)], &[loss("i9", 8)], &even, Best, &[], false),
            case(&[win("h9", 5)], &[loss("i9", 4)], &even, Best, &[], false),
            case(&[win("h9", 5)], &[loss("i9", 6)], &even, Best, &[Tag::LateWin], true),
            // After the other side's best answer it is there again: it was never gone.
            case(&[win("h9", 5)], &reply(0), &[win("j10", 5)], Best, &[Tag::LateWin], true),
            case(&[win("h9", 5)], &reply(0), &[win("j10", 3)], Best, &[], false),
            // After a bad answer that says nothing.
            case(&[win("h9", 5)], &[points("j9", 0)], &[win("j10", 3)], Blunder, &[Tag::MissedWin], true),
            // Choices that are none.
            case(&[points("h8", -20), proven_loss("h9")], &reply(20), &even, Best, &[Tag::OnlyMove], false),
            case(&[points("h8", -20), loss("h9", 8)], &reply(20), &even, Best, &[Tag::OnlyMove], false),
            case(&[loss("h8", 6), loss("h9", 4)], &[win("i9", 5)], &even, None, &[Tag::ForcedLoss], false),
            case(&[loss("h9", 6), loss("h8", 4)], &[win("i9", 3)], &even, None, &[Tag::ForcedLoss], false),
            case(&[proven_loss("h9"), proven_loss("h8")], &[win("i9", 1)], &even, None, &[Tag::ForcedLoss], false),
            case(&[draw("h9"), draw("h8")], &[draw("i9")], &[draw("j10")], None, &[], false),
            // Nothing was found at all.
            case(&[], &[], &[], Best, &[], false),
        ];
        for (number, case) in cases.into_iter().enumerate() {
            let mut review = Review::of(&record(Rule::Freestyle, "h8i9"));
            for lines in case.found {
                review.add(lines);
            }
            let [judged, _] = review.judged() else {
                panic!("two plies are judged");
            };
            assert_eq!(judged.judgement, case.judgement, "{number}: {judged:?}");
            assert_eq!(judged.tags, case.tags, "{number}: {judged:?}");
            assert_eq!(
                judged.better.is_some(),
                case.tells_better,
                "{number}: {judged:?}"
            );
        }
    }

    #[test]
    fn a_double_threat_is_one_only_in_time() {
        for (moves, is_double_threat) in [
            ("h8g8i8a1j8a3k9a5k10a7k8", true),
            // White makes five first.
            ("h8g8i8a1j8a2k9a3k10a4k8", false),
            // A four alone.
            ("h8g8i8a1j8a3k9a5a15a7k8", false),
            // Two open threes.
            ("h8a1i8a3j9a5j10a7j8", true),
        ] {
            let review = even(Rule::Freestyle, moves);
            let last = review.judged().last().expect("stones were played");
            assert_eq!(last.has(Tag::DoubleThreat), is_double_threat, "{moves}");
        }
    }

    #[test]
    fn a_forbidden_stone_is_judged_as_the_loss_that_it_is() {
        let review = even(Rule::Renju, "h7a1h9c1g8e1i8g1h8");
        let last = review.judged().last().expect("stones were played");
        assert_eq!(last.judgement, Some(Judgement::Blunder));
        assert_eq!(last.tags, [Tag::AllowedWin]);
        assert_eq!(review.ended_at(), Some(9));
        let summary = review.report().summary;
        assert!(
            summary.starts_with(
                "White won with ply 9, for which Black made a forbidden double three."
            ),
            "{summary}"
        );
    }

    #[test]
    fn a_pass_is_judged_beside_the_best_stone() {
        let mut review = Review::of(&record(Rule::Renju, "h8 i9 j7 pass"));
        for score in [0, 0, 0, 100, 300] {
            review.add(vec![points("a1", score)]);
        }
        let last = review.judged().last().expect("plies were played");
        assert_eq!(
            (last.played, last.judgement),
            (Ply::Pass, Some(Judgement::Blunder))
        );
    }

    #[test]
    fn a_ply_is_judged_as_soon_as_enough_is_known() {
        let mut review = Review::of(&record(Rule::Freestyle, "h8i9j10"));
        assert_eq!(review.searches(), 4);
        let mut judged = Vec::new();
        // The first ply might have given away a win: the third position has to be seen.
        for lines in [
            win("a1", 5),
            points("i9", 0),
            points("j10", 0),
            points("b1", 0),
        ] {
            judged.push(review.add(vec![lines]).len());
        }
        assert_eq!(judged, [0, 0, 2, 1]);
        assert!(
            review.add(vec![points("c1", 0)]).is_empty(),
            "there is nothing more to find"
        );
    }

    #[test]
    fn the_players_are_counted_apart_and_the_dearest_plies_told_first() {
        let mut review = Review::of(&record(Rule::Freestyle, "h8i9j10k11l12"));
        // For the side to move: Black loses some, White more, Black nearly all.
        for score in [0, 100, 200, 300, -300, 0] {
            review.add(vec![points("a1", score)]);
        }
        let report = review.report();
        let losses: Vec<f64> = review.judged().iter().map(|ply| ply.loss).collect();
        assert!(losses[2] > losses[1] && losses[1] > losses[0], "{losses:?}");
        assert_eq!(report.turning_points[..2], [3, 2], "{losses:?}");
        assert_eq!(report.players[Color::Black].plies, 3);
        assert_eq!(report.players[Color::White].plies, 2);
        let told: usize = Judgement::ALL
            .map(|judgement| report.players[Color::Black].count(judgement))
            .iter()
            .sum();
        assert_eq!(told, 3);
        assert!(report.summary.contains("at ply 3"), "{}", report.summary);
    }

    #[test]
    fn a_game_without_plies_has_a_review() {
        let review = even(Rule::Caro, "");
        assert_eq!(review.judged(), []);
        assert_eq!(review.chances().len(), 1);
        let report = review.report();
        assert_eq!(report.players[Color::Black].accuracy, None);
        assert_eq!(
            report.summary,
            "No ply has been played, and the game is even. There is no move to be judged."
        );
    }

    /// What may be found in a position: the best move may be the one that was played.
    fn found(played: &'static str) -> impl Strategy<Value = Vec<Line>> {
        let one = move |cell: &'static str| {
            prop_oneof![
                (-2_000..2_000).prop_map(move |score| points(cell, score)),
                (1..9_u16).prop_map(move |plies| win(cell, plies)),
                (1..9_u16).prop_map(move |plies| loss(cell, plies)),
                Just(proven_loss(cell)),
                Just(draw(cell)),
            ]
        };
        let lines = (
            prop::sample::select(vec![played, "o1"]).prop_flat_map(one),
            one("o2"),
            0..3_usize,
        );
        lines.prop_map(|(first, second, count)| {
            let mut lines = vec![first, second];
            lines.sort_by_key(|line| std::cmp::Reverse(line.score));
            lines.truncate(count);
            lines
        })
    }

    const PLAYED: [&str; 8] = ["h8", "i9", "j7", "g9", "h6", "k5", "f8", "e9"];

    fn all_found() -> impl Strategy<Value = Vec<Vec<Line>>> {
        let cells = PLAYED.into_iter().chain(["a1"]);
        cells.map(found).collect::<Vec<_>>()
    }

    proptest! {
        #[test]
        fn whatever_is_found_gives_numbers_in_range(all in all_found()) {
            let mut review = Review::of(&record(Rule::Freestyle, &PLAYED.concat()));
            let judged: usize = all.into_iter().map(|lines| review.add(lines).len()).sum();
            prop_assert_eq!(judged, PLAYED.len());
            let plies = review.judged();
            for (index, ply) in plies.iter().enumerate() {
                prop_assert_eq!(ply.number, index + 1);
                for worth in [ply.before, ply.after] {
                    prop_assert!((0.0..=1.0).contains(&worth.win_probability()));
                }
                prop_assert!((0.0..=1.0).contains(&ply.loss), "{:?}", ply);
                prop_assert!((0.0..=100.0).contains(&ply.accuracy), "{:?}", ply);
                prop_assert_eq!(ply.has(Tag::ForcedLoss), ply.before.is_lost());
                prop_assert!(!ply.before.is_lost() || ply.judgement.is_none());
                prop_assert!(!(ply.has(Tag::MissedWin) && ply.has(Tag::LateWin)));
                let is_expected = ply.judgement.is_none_or(|judgement| judgement == Judgement::of_loss(ply.loss));
                prop_assert!(is_expected, "{:?}", ply);
            }
            for pair in plies.windows(2) {
                // What is left to one side is what the other begins with.
                prop_assert_eq!(pair[0].after.reversed(), pair[1].before);
            }
            prop_assert_eq!(review.chances().len(), PLAYED.len() + 1);
            let report = review.report();
            prop_assert!(report.turning_points.len() <= Report::TURNING_POINTS);
            let sentences = report.summary.matches(". ").count() + 1;
            prop_assert!((2..=5).contains(&sentences) && report.summary.ends_with('.'), "{}", report.summary);
            for color in Color::ALL {
                let accuracy = report.players[color].accuracy;
                prop_assert!(accuracy.is_none_or(|accuracy| (0.0..=100.0).contains(&accuracy)));
            }
        }
    }
}
