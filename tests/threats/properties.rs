//! What holds on every board: the survey is that of the slow definition, kind by kind, and a turned board
//! has the turned survey.

use proptest::prelude::*;

use tengen::analysis::{Pattern, Survey, ThreatKind};
use tengen::board::{Board, Cell, Color, Direction, Symmetry};
use tengen::rules::{Position, Rule, Status};

use crate::oracle::bridge::{self, color_of, place, places};
use crate::oracle::{BLACK, EMPTY, Grid, Place, WHITE};
use crate::slow;

/// So many per cent of the cases asked for.
fn percent(share: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: (asked.cases.saturating_mul(share) / 100).max(1),
        failure_persistence: None,
        ..asked
    }
}

/// Seven places of a line, one of their colours for each; what lies outside the board is left out.
#[derive(Clone, Debug)]
struct Stroke {
    from: (u8, u8),
    direction: u8,
    stones: [u8; 7],
}

fn strokes() -> impl Strategy<Value = Stroke> {
    // Mostly of one colour, so that rows arise, with gaps and now and then the other's stone.
    let stone = prop_oneof![5 => Just(BLACK), 4 => Just(EMPTY), 1 => Just(WHITE)];
    let stones = prop::array::uniform7(stone);
    (any::<(u8, u8)>(), 0..4_u8, stones, any::<bool>()).prop_map(
        |(from, direction, stones, turned)| Stroke {
            from,
            direction,
            stones: stones.map(|stone| match stone {
                BLACK if turned => WHITE,
                WHITE if turned => BLACK,
                stone => stone,
            }),
        },
    )
}

/// A board with rows on it on which not both sides have won.
fn positions(sizes: Vec<usize>, most_strokes: usize) -> impl Strategy<Value = Position> {
    let rule = prop::sample::select(Rule::ALL.to_vec());
    let strokes = prop::collection::vec(strokes(), 1..=most_strokes);
    let drawn = (rule, prop::sample::select(sizes), strokes, any::<bool>());
    drawn.prop_filter_map("both have won", |(rule, size, strokes, is_black)| {
        let board = bridge::board_of(&drawing(size, &strokes));
        let to_move = if is_black { Color::Black } else { Color::White };
        Position::from_board(rule, board, to_move).ok()
    })
}

fn drawing(size: usize, strokes: &[Stroke]) -> Grid {
    let mut grid = vec![vec![EMPTY; size]; size];
    for stroke in strokes {
        let (down, right) = [(0, 1), (1, 0), (1, 1), (1, -1)][usize::from(stroke.direction)];
        let start = (
            usize::from(stroke.from.0) % size,
            usize::from(stroke.from.1) % size,
        );
        for (step, stone) in (0_i32..).zip(stroke.stones) {
            let row = usize::try_from(start.0 as i32 + step * down).ok();
            let column = usize::try_from(start.1 as i32 + step * right).ok();
            let square = row
                .zip(column)
                .and_then(|(row, column)| grid.get_mut(row)?.get_mut(column));
            if let Some(square) = square
                && stone != EMPTY
            {
                *square = stone;
            }
        }
    }
    grid
}

/// The threats as the slow definition has them.
fn plain(survey: &Survey, board: &Board) -> Vec<slow::Threat> {
    let size = board.size();
    let of = |cells: &[Cell]| places(cells.iter().copied(), size);
    let threats = survey.threats.iter().map(|threat| slow::Threat {
        color: color_of(threat.color),
        kind: threat.pattern.kind.name(),
        stones: of(&threat.pattern.cells),
        gain: of(&threat.pattern.gain),
        defence: of(&threat.defence),
    });
    let mut threats: Vec<_> = threats.collect();
    threats.sort_unstable();
    threats
}

fn assert_as_slow(position: &Position) {
    let (board, rule) = (position.board(), position.rule());
    let (grid, size) = (bridge::grid_of(board), board.size());
    let survey = Survey::of(position);
    let (found, expected) = (plain(&survey, board), slow::threats(&grid, rule.name()));
    for kind in ThreatKind::ALL {
        let of_kind = |threats: &[slow::Threat]| -> Vec<slow::Threat> {
            let own = threats.iter().filter(|threat| threat.kind == kind.name());
            own.cloned().collect()
        };
        assert_eq!(
            of_kind(&found),
            of_kind(&expected),
            "{rule} {}{board:?}",
            kind.name()
        );
    }
    assert_eq!(survey.threat_count, expected.len());
    if position.status() == Status::Ongoing {
        assert_looks_as_slow(position, &survey, &grid);
        let own = color_of(position.to_move());
        let must = |cells: &Option<Vec<Cell>>| {
            cells
                .as_ref()
                .map(|cells| places(cells.iter().copied(), size))
        };
        let (now, next) = slow_musts(&grid, rule.name(), own);
        assert_eq!(
            must(&survey.must_defend),
            now,
            "{rule} {own} to move{board:?}"
        );
        assert_eq!(
            must(&survey.must_defend_next),
            next,
            "{rule} {own} to move{board:?}"
        );
    }
}

/// The overlay, the forks and the wins at once.
fn assert_looks_as_slow(position: &Position, survey: &Survey, grid: &Grid) {
    let (board, rule) = (position.board(), position.rule());
    let size = board.size();
    let mut overlay = survey
        .overlay
        .iter()
        .map(|sight| (place(sight.cell, size), sight.prospects));
    let mut next = overlay.next();
    for at in slow::empty_places(grid) {
        let prospects = next
            .filter(|(cell, _)| *cell == at)
            .map(|(_, prospects)| prospects);
        if prospects.is_some() {
            next = overlay.next();
        }
        let prospects = prospects.unwrap_or_default();
        for color in Color::ALL {
            let (prospect, fork) = slow::look(grid, rule.name(), color_of(color), at);
            let found = prospects[color].map(tengen::analysis::Prospect::name);
            assert_eq!(found, prospect, "{rule} {color} {at:?}{board:?}");
            let mut forks = survey.forks.iter();
            let told = forks.find(|fork| fork.color == color && place(fork.cell, size) == at);
            // Of too many some are left out.
            if told.is_some() || survey.fork_count == survey.forks.len() {
                let told = told.map(|fork| fork.kind.name());
                assert_eq!(told, fork, "{rule} {color} {at:?}{board:?}");
            }
            if color == position.to_move() {
                let wins_now = survey.win_now.iter().any(|cell| place(*cell, size) == at);
                assert_eq!(wins_now, prospect == Some("five"), "{rule} {at:?}{board:?}");
            }
        }
    }
    assert!(
        next.is_none(),
        "the overlay tells of a cell that is not empty"
    );
}

type Must = Option<Vec<Place>>;

/// What has to be stopped now, or else next.
fn slow_musts(grid: &Grid, rule: &str, own: u8) -> (Must, Must) {
    let mut board = grid.clone();
    let mut any = |color: u8, does: fn(&mut Grid, &str, u8, Place) -> bool| {
        let mut empty = slow::empty_places(grid).into_iter();
        empty.any(|place| does(&mut board, rule, color, place))
    };
    let enemy = BLACK + WHITE - own;
    if any(own, slow::wins) {
        (None, None)
    } else if any(enemy, slow::wins) {
        (Some(slow::stops(grid, rule, own, slow::wins)), None)
    } else if any(enemy, slow::opens_four) && !any(own, slow::opens_four) {
        (None, Some(slow::stops(grid, rule, own, slow::opens_four)))
    } else {
        (None, None)
    }
}

fn turned(cells: &[Cell], symmetry: Symmetry, board: &Board) -> Vec<Cell> {
    let turned = cells.iter().map(|cell| symmetry.apply(*cell, board.size()));
    let mut turned: Vec<Cell> = turned.collect();
    turned.sort_unstable();
    turned
}

/// The direction of a turned line: the one in which two of its cells lie.
fn direction_of(cells: &[Cell]) -> Direction {
    let lies_in = |direction: &Direction| {
        let steps = (-8..=8).filter(|step| *step != 0);
        let others = steps.filter_map(|step| direction.walk(cells[0], step));
        others.into_iter().any(|cell| cell == cells[1])
    };
    Direction::ALL
        .into_iter()
        .find(lies_in)
        .expect("the cells lie in a line")
}

/// A survey turned, in an order that does not depend on the turn.
fn seen(survey: &Survey, symmetry: Symmetry, board: &Board) -> Vec<String> {
    let turn = |cells: &[Cell]| turned(cells, symmetry, board);
    let pattern = |pattern: &Pattern| {
        let cells = turn(&pattern.cells);
        let direction = direction_of(&cells);
        if symmetry == Symmetry::Identity {
            assert_eq!(direction, pattern.direction);
        }
        format!(
            "{} {direction} {cells:?} {:?}",
            pattern.kind.name(),
            turn(&pattern.gain)
        )
    };
    let mut lines: Vec<String> = Vec::new();
    for threat in &survey.threats {
        let defence = turn(&threat.defence);
        lines.push(format!(
            "{} {} {defence:?}",
            threat.color,
            pattern(&threat.pattern)
        ));
    }
    for fork in &survey.forks {
        let mut patterns: Vec<_> = fork.patterns.iter().map(pattern).collect();
        patterns.sort_unstable();
        let cell = turn(&[fork.cell]);
        lines.push(format!(
            "{} {cell:?} {:?} {patterns:?}",
            fork.color, fork.kind
        ));
    }
    for sight in &survey.overlay {
        lines.push(format!("{:?} {:?}", turn(&[sight.cell]), sight.prospects));
    }
    lines.push(format!("win {:?}", turn(&survey.win_now)));
    let musts = [&survey.must_defend, &survey.must_defend_next];
    lines.push(format!(
        "must {:?}",
        musts.map(|must| must.as_ref().map(|cells| turn(cells)))
    ));
    lines.sort_unstable();
    lines
}

proptest! {
    #![proptest_config(percent(100))]

    #[test]
    fn small_boards_have_the_threats_of_the_definition(position in positions(vec![5, 6, 7, 8, 9], 4)) {
        assert_as_slow(&position);
    }
}

proptest! {
    #![proptest_config(percent(4))]

    #[test]
    fn large_boards_have_the_threats_of_the_definition(position in positions(vec![12, 15, 19], 14)) {
        assert_as_slow(&position);
    }
}

proptest! {
    #![proptest_config(percent(15))]

    #[test]
    fn a_turned_board_has_the_turned_threats(position in positions(vec![5, 8, 11, 15, 20, 25], 20)) {
        let survey = Survey::of(&position);
        let is_whole = survey.fork_count == survey.forks.len() && survey.threat_count == survey.threats.len();
        prop_assume!(is_whole);
        for symmetry in Symmetry::ALL {
            let board = symmetry.apply_board(position.board());
            let other = Position::from_board(position.rule(), board, position.to_move()).expect("a turned position is one");
            let other = seen(&Survey::of(&other), Symmetry::Identity, position.board());
            prop_assert_eq!(seen(&survey, symmetry, position.board()), other, "{}{:?}", symmetry, position.board());
        }
    }
}
