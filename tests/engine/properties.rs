//! What holds in every position, whatever the search has found so far.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tengen::board::Cell;
use tengen::engine::{Limits, Line, Memory, Options, Outcome, Score, StopReason, Verdict};
use tengen::rules::{Position, Status};

use crate::checker::{Claim, first_stone_wins_by_fours, wins_by_fours};
use crate::games::{Plan, plans};
use crate::oracle::{bridge, other};
use crate::slow::Table;
use crate::{nodes, search};

/// So many per cent of the cases asked for: the dearer the property, the fewer.
fn percent(share: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: (asked.cases.saturating_mul(share) / 100).max(1),
        failure_persistence: None,
        ..asked
    }
}

fn budgets() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1..20_u64, 100..400_u64]
}

/// Cells by their numbers in the order of the board.
fn some_cells(position: &Position, picks: &[prop::sample::Index]) -> Vec<Cell> {
    let cells: Vec<Cell> = position.board().size().cells().collect();
    picks.iter().map(|pick| *pick.get(&cells)).collect()
}

fn assert_line(position: &Position, line: &Line) {
    let mut after = position.clone();
    for cell in &line.moves {
        assert_eq!(
            after.play(*cell),
            Ok(()),
            "{:?} on\n{}",
            line,
            position.board()
        );
    }
    let mut first = position.clone();
    first
        .play(line.moves[0])
        .expect("the whole line could be played");
    match line.verdict {
        Verdict::ProvenWin => {
            assert_ne!(
                first_stone_wins_by_fours(position, &line.moves),
                Claim::Fails,
                "{:?} on\n{}",
                line,
                position.board()
            );
        }
        Verdict::ProvenLoss => {
            assert_ne!(
                wins_by_fours(&first, &line.moves[1..]),
                Claim::Fails,
                "{:?} on\n{}",
                line,
                position.board()
            );
        }
        Verdict::ProvenDraw => {
            let is_over = matches!(first.status(), Status::Drawn { .. });
            assert!(
                is_over || Table::of(&first).is_barren(),
                "{:?} on\n{}",
                line,
                position.board()
            );
        }
        Verdict::Unknown => assert_eq!(first.status(), Status::Ongoing),
    }
    // A win or a loss that the line plays out to its end is as far away as it says.
    if let (Some(plies), Status::Won { .. }) = (line.score.plies_to_end(), after.status()) {
        assert_eq!(
            usize::from(plies),
            line.moves.len(),
            "{:?} on\n{}",
            line,
            position.board()
        );
    }
}

/// What every outcome is like.
fn assert_outcome(position: &Position, options: &Options, outcome: &Outcome) {
    let choice: Vec<Cell> = position
        .legal_cells()
        .filter(|cell| options.only.is_empty() || options.only.contains(cell))
        .filter(|cell| !options.avoid.contains(cell))
        .collect();
    assert_eq!(
        outcome.lines.len(),
        options.lines.max(1).min(choice.len()),
        "on\n{}",
        position.board()
    );
    let mut firsts = Vec::new();
    for line in &outcome.lines {
        assert!(choice.contains(&line.moves[0]));
        assert!(
            !firsts.contains(&line.moves[0]),
            "{} is told twice",
            line.moves[0]
        );
        firsts.push(line.moves[0]);
        assert_line(position, line);
    }
    if choice.is_empty() {
        assert_eq!(outcome.stop, StopReason::Decided);
    }
}

/// The first line makes a five where it can, stops one where it can, and where nothing else is as urgent
/// leaves no open four that it could have hindered.
fn assert_no_blunder(position: &Position, outcome: &Outcome, budget: u64) {
    let Some(line) = outcome.lines.first() else {
        return;
    };
    let size = position.board().size();
    let own = bridge::color_of(position.to_move());
    let enemy = other(own);
    let played = bridge::place(line.moves[0], size);
    let mut table = Table::of(position);
    let fives = table.fives(own);
    if !fives.is_empty() {
        assert!(
            fives.contains(&played),
            "a five was missed: {:?} on\n{}",
            line,
            position.board()
        );
        return;
    }
    let theirs = table.fives(enemy);
    if !theirs.is_empty() {
        let mut stops = table.stops(own, &theirs);
        stops.retain(|stop| table.is_legal(own, *stop));
        assert!(
            stops.is_empty() || stops.contains(&played),
            "a five was let through: {:?} on\n{}",
            line,
            position.board()
        );
        return;
    }
    // A search that has hardly begun has not looked at what the other side can do.
    if budget < 100 {
        return;
    }
    let hinders = |table: &mut Table, place| {
        table.with(own, place, |table| table.open_fours(enemy).is_empty())
    };
    // A four puts the open four off by one answer; whether that helps, only a longer search tells.
    let is_four =
        |table: &mut Table, place| table.with(own, place, |table| !table.fives(own).is_empty());
    if !hinders(&mut table, played) {
        let better = table
            .legal_places(own)
            .into_iter()
            .find(|place| !is_four(&mut table, *place) && hinders(&mut table, *place));
        assert_eq!(
            better.map(|place| bridge::cell(place, size)),
            None,
            "an open four was let through: {:?} on\n{}",
            line,
            position.board()
        );
    }
}

fn assert_sorted(position: &Position, outcome: &Outcome) {
    let scores: Vec<_> = outcome.lines.iter().map(|line| line.score).collect();
    assert!(
        scores.is_sorted_by(|one, next| one >= next),
        "{:?} on\n{}",
        outcome,
        position.board()
    );
}

/// What the properties are about comes up in the random positions, on few of them already.
#[test]
fn the_random_positions_show_what_is_asked_about() {
    let mut runner = TestRunner::deterministic();
    let mut seen = [
        ("a five to make", 0),
        ("a five to stop", 0),
        ("fives that cannot be stopped", 0),
        ("an open four to hinder", 0),
        ("a forbidden cell", 0),
        ("a board almost full", 0),
    ];
    let mut count = |name| {
        let entry = seen.iter_mut().find(|(known, _)| *known == name);
        entry.expect("it is on the list").1 += 1;
    };
    for _ in 0..100 {
        let plan = plans().new_tree(&mut runner).expect("plans are made");
        let position = plan.current().position();
        let own = bridge::color_of(position.to_move());
        let mut table = Table::of(&position);
        let theirs = table.fives(other(own));
        if position.forbidden_cells().next().is_some() {
            count("a forbidden cell");
        }
        if table.empty_places().len() < 6 {
            count("a board almost full");
        }
        if !table.fives(own).is_empty() {
            count("a five to make");
        } else if !theirs.is_empty() {
            let can_be_stopped = !table.stops(own, &theirs).is_empty();
            count(if can_be_stopped {
                "a five to stop"
            } else {
                "fives that cannot be stopped"
            });
        } else if !table.open_fours(other(own)).is_empty() {
            count("an open four to hinder");
        }
    }
    assert!(seen.iter().all(|(_, times)| *times > 0), "{seen:?}");
}

proptest! {
    #![proptest_config(percent(20))]

    #[test]
    fn no_five_is_missed_and_no_four_let_through(plan in plans(), budget in budgets()) {
        let position = plan.position();
        let outcome = search(&position, &mut Memory::with_mebibytes(1), nodes(budget), &Options::default());
        assert_outcome(&position, &Options::default(), &outcome);
        assert_no_blunder(&position, &outcome, budget);
    }

    #[test]
    fn lines_are_legal_distinct_and_chosen_as_asked(
        plan in plans(),
        budget in budgets(),
        lines in prop_oneof![1..6_usize, Just(700)],
        only in prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(any::<prop::sample::Index>(), 1..20)],
        avoid in prop_oneof![1 => Just(Vec::new()), 1 => prop::collection::vec(any::<prop::sample::Index>(), 1..20)],
    ) {
        let position = plan.position();
        let (only, avoid) = (some_cells(&position, &only), some_cells(&position, &avoid));
        let options = Options { lines, only, avoid, ..Options::default() };
        let outcome = search(&position, &mut Memory::with_mebibytes(1), nodes(budget), &options);
        assert_outcome(&position, &options, &outcome);
    }

    #[test]
    fn the_best_line_of_a_finished_depth_comes_first(plan in plans(), depth in 1..3_u8, lines in 2..6_usize) {
        let position = plan.position();
        let options = Options { lines, ..Options::default() };
        let limits = Limits { depth: Some(depth), nodes: Some(2_000), time: None };
        let outcome = search(&position, &mut Memory::with_mebibytes(1), limits, &options);
        if outcome.stop != StopReason::Nodes {
            assert_sorted(&position, &outcome);
        }
    }

    #[test]
    fn the_best_line_of_a_search_cut_short_comes_first(plan in plans(), budget in budgets(), lines in 2..6_usize) {
        let position = plan.position();
        let options = Options { lines, ..Options::default() };
        let outcome = search(&position, &mut Memory::with_mebibytes(1), nodes(budget), &options);
        assert_sorted(&position, &outcome);
    }

    #[test]
    fn what_is_proven_has_the_score_for_it(plan in plans(), budget in budgets(), lines in 1..4_usize) {
        let position = plan.position();
        let options = Options { lines, ..Options::default() };
        let outcome = search(&position, &mut Memory::with_mebibytes(1), nodes(budget), &options);
        for line in &outcome.lines {
            let is_decided = line.score.plies_to_end().is_some();
            let agrees = match line.verdict {
                Verdict::ProvenWin => is_decided && line.score > Score::ZERO,
                Verdict::ProvenLoss => is_decided && line.score < Score::ZERO,
                Verdict::ProvenDraw => line.score == Score::ZERO,
                Verdict::Unknown => true,
            };
            assert!(agrees, "{:?} on\n{}", line, position.board());
        }
    }

    #[test]
    fn a_node_limit_is_kept_and_progress_goes_on(plan in plans(), budget in 0..400_u64) {
        let position = plan.position();
        let mut depths = Vec::new();
        let never = std::sync::atomic::AtomicBool::new(false);
        let search = tengen::engine::Search::new(&position, nodes(budget), Options::default());
        let outcome = search.run(&mut Memory::with_mebibytes(1), &never, &mut |progress| {
            assert_outcome(&position, &Options::default(), progress);
            depths.push(progress.depth);
        });
        assert!(outcome.nodes <= budget, "{} nodes of {budget}", outcome.nodes);
        assert_eq!(&depths[..], &(1..=depths.len() as u8).collect::<Vec<_>>()[..]);
        assert!(usize::from(outcome.depth) >= depths.len());
    }
}

/// What of an outcome does not depend on the clock.
fn told(outcome: Outcome) -> (Vec<Line>, u8, u64, StopReason) {
    (outcome.lines, outcome.depth, outcome.nodes, outcome.stop)
}

fn assert_same_again(plans: &[Plan], mebibytes: usize, limits: Limits, options: &Options) {
    let positions: Vec<Position> = plans.iter().map(Plan::position).collect();
    let mut shared = Memory::with_mebibytes(mebibytes);
    let mut first: Vec<_> = Vec::new();
    for position in &positions {
        first.push(told(search(
            position,
            &mut Memory::with_mebibytes(mebibytes),
            limits,
            options,
        )));
    }
    for round in 0..2 {
        for (position, first) in positions.iter().zip(&first) {
            shared.forget();
            let again = told(search(position, &mut shared, limits, options));
            assert_eq!(&again, first, "in round {round} on\n{}", position.board());
        }
    }
}

proptest! {
    #![proptest_config(percent(3))]

    #[test]
    fn equal_searches_have_equal_outcomes(
        plans in prop::collection::vec(plans(), 2),
        lines in 1..3_usize,
        budget in 0..1_000_u64,
    ) {
        assert_same_again(&plans, 1, nodes(budget), &Options { lines, ..Options::default() });
    }

    #[test]
    fn equal_searches_to_a_depth_have_equal_outcomes(plans in prop::collection::vec(plans(), 2), depth in 1..4_u8) {
        let limits = Limits { depth: Some(depth), nodes: Some(2_000), time: None };
        assert_same_again(&plans, 1, limits, &Options::default());
    }
}

proptest! {
    #![proptest_config(percent(10))]

    #[test]
    #[ignore = "long: cargo test --release --test engine -- --ignored"]
    fn equal_long_searches_have_equal_outcomes(plans in prop::collection::vec(plans(), 2)) {
        // So many nodes fill the memory several times over.
        assert_same_again(&plans, 1, nodes(300_000), &Options::default());
    }
}
