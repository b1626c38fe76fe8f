//! What holds in every game: the fast rules against the slow oracle, undo, the eight symmetries, keys,
//! notation, and records full of faults. `PROPTEST_CASES` (256 if not set) scales all of it.

mod oracle;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use tengen::board::{Board, Cell, Color, Key, Symmetry};
use tengen::record::notation::{read_move, read_moves};
use tengen::record::{Fault, Ply, Record, Replay};
use tengen::rules::forbidden::{self, Evidence, Kind, Verdict};
use tengen::rules::{LineWords, Position, Rule, Status, WinReason, scan, winning_lines, wins};

use oracle::bridge;
use oracle::{BLACK, EMPTY, Grid, Place, Shape, WHITE, Written};

/// So many per cent of the cases asked for: the dearer the property, the fewer.
fn percent(share: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: (asked.cases.saturating_mul(share) / 100).max(1),
        failure_persistence: None,
        ..asked
    }
}

/// Where the stones of a random game go.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Anywhere.
    Scattered,
    /// Next to other stones.
    Clustered,
    /// Where a row of the mover's own grows.
    Rows,
    /// The same, or where a row of the enemy's is stopped, and the game is kept going: fives and
    /// forbidden cells are mostly left alone, so that longer rows and closed fives come about.
    Prolonged,
    /// Where the mover has stones in many directions, the game kept going as well, so that fours and
    /// threes meet and threes lie within threes.
    Tangled,
}

/// A random game before it is played out: each number picks a ply.
#[derive(Clone, Debug)]
struct Plan {
    rule: Rule,
    lines: usize,
    style: Style,
    picks: Vec<u16>,
}

fn rules() -> impl Strategy<Value = Rule> {
    prop::sample::select(Rule::ALL.to_vec())
}

fn plans() -> impl Strategy<Value = Plan> {
    let lines = prop_oneof![
        3 => 5_usize..=8,
        3 => 9_usize..=14,
        3 => Just(15_usize),
        1 => 16_usize..=25,
    ];
    let styles = prop::sample::select(vec![
        Style::Scattered,
        Style::Clustered,
        Style::Rows,
        Style::Prolonged,
        Style::Prolonged,
        Style::Tangled,
        Style::Tangled,
    ]);
    let picks = prop::collection::vec(any::<u16>(), 0..120);
    (rules(), lines, styles, picks).prop_map(|(rule, lines, style, picks)| Plan {
        rule,
        lines,
        style,
        picks,
    })
}

impl Plan {
    /// The plies of the game, up to its end or until the picks are used up.
    fn play(&self) -> Vec<Written> {
        let mut grid = oracle::empty(self.lines);
        let mut plies: Vec<Written> = Vec::new();
        for pick in &self.picks {
            if plies.len() >= self.lines * self.lines && empty_places(&grid).is_empty() {
                break;
            }
            let color = if plies.len().is_multiple_of(2) {
                BLACK
            } else {
                WHITE
            };
            if self.rule == Rule::Renju && plies.len() > 3 && pick % 37 < 2 {
                let ends = plies.last() == Some(&None);
                plies.push(None);
                if ends {
                    break;
                }
                continue;
            }
            let Some(place) = self.choose(&grid, color, usize::from(*pick)) else {
                break;
            };
            plies.push(Some((place.0 as i32, place.1 as i32)));
            let forbidden = !oracle::is_legal(&grid, self.rule.name(), color, place);
            grid[place.0][place.1] = color;
            if forbidden || self.has_won(&grid, place) {
                break;
            }
        }
        plies
    }

    fn has_won(&self, grid: &Grid, place: Place) -> bool {
        !oracle::winning_rows_through(grid, self.rule.name(), place).is_empty()
    }

    fn choose(&self, grid: &Grid, color: u8, pick: usize) -> Option<Place> {
        let all = empty_places(grid);
        let near: Vec<Place> = all
            .iter()
            .copied()
            .filter(|place| has_neighbour(grid, *place))
            .collect();
        let (places, looks) = match self.style {
            Style::Scattered => (all, 1),
            _ if near.is_empty() => (all, 1),
            Style::Clustered => (near, 1),
            Style::Rows => (near, 5),
            Style::Prolonged | Style::Tangled => (near, 8),
        };
        let seen = (0..looks).filter_map(|look| {
            let index = (pick + look * 7919) % places.len().max(1);
            places.get(index).copied()
        });
        let prolongs =
            matches!(self.style, Style::Prolonged | Style::Tangled) && !pick.is_multiple_of(40);
        let stops = matches!(self.style, Style::Prolonged) && pick.is_multiple_of(3);
        seen.max_by_key(|place| {
            let mut next = grid.clone();
            next[place.0][place.1] = color;
            let ends = self.has_won(&next, *place)
                || !oracle::is_legal(grid, self.rule.name(), color, *place);
            if stops {
                next[place.0][place.1] = oracle::other(color);
            }
            let mut rows = stones_around(&next, *place);
            rows.sort_unstable();
            let worth = match self.style {
                Style::Tangled => rows.iter().filter(|row| **row > 1).count(),
                _ => rows[3],
            };
            (!(prolongs && ends), worth)
        })
    }

    fn record(&self) -> Record {
        let size = bridge::size(self.lines);
        let plies = self.play().into_iter();
        Record::new(
            self.rule,
            size,
            plies.map(|ply| bridge::ply(ply, size)).collect(),
        )
    }
}

fn empty_places(grid: &Grid) -> Vec<Place> {
    let lines = 0..grid.len();
    lines
        .clone()
        .flat_map(|row| lines.clone().map(move |column| (row, column)))
        .filter(|(row, column)| grid[*row][*column] == EMPTY)
        .collect()
}

fn has_neighbour(grid: &Grid, (row, column): Place) -> bool {
    let rows = row.saturating_sub(1)..grid.len().min(row + 2);
    rows.into_iter().any(|row| {
        let columns = column.saturating_sub(1)..grid.len().min(column + 2);
        grid[row][columns].iter().any(|stone| *stone != EMPTY)
    })
}

/// How many stones of a stone's own colour lie within four steps, itself counted, in each direction.
fn stones_around(grid: &Grid, (row, column): Place) -> [usize; 4] {
    let color = grid[row][column];
    [(0, 1), (1, 0), (1, 1), (1, -1_i32)].map(|(down, right)| {
        let stone = |k: i32| {
            let row = usize::try_from(row as i32 + k * down).ok()?;
            let column = usize::try_from(column as i32 + k * right).ok()?;
            grid.get(row)?.get(column).copied()
        };
        (-4..=4).filter(|k| stone(*k) == Some(color)).count()
    })
}

/// What the random games are to have shown: each way to end, and each thing a rule passes over.
#[derive(Debug, Default)]
struct Seen {
    fives: usize,
    overlines: usize,
    full_boards: usize,
    passes: usize,
    overline_fouls: usize,
    double_fours: usize,
    double_threes: usize,
    white_overlines_in_renju: usize,
    sixes_without_a_win: usize,
    closed_fives_without_a_win: usize,
    two_rows_at_once: usize,
    forbidden_cells: usize,
    threes_that_do_not_count: usize,
    threes_that_do_not_count_for_a_double_three: usize,
}

impl Seen {
    fn add(&mut self, record: &Record) {
        let replay = record.replay();
        let position = replay.position();
        let board = position.board();
        match position.status() {
            Status::Won { winner, by } => {
                self.two_rows_at_once += usize::from(position.winning_lines().len() > 1);
                let renju = record.rule() == Rule::Renju;
                match by {
                    WinReason::Five => self.fives += 1,
                    WinReason::Overline => {
                        self.overlines += 1;
                        self.white_overlines_in_renju +=
                            usize::from(renju && winner == Color::White);
                    }
                    WinReason::Forbidden(Kind::Overline) => self.overline_fouls += 1,
                    WinReason::Forbidden(Kind::DoubleFour) => self.double_fours += 1,
                    WinReason::Forbidden(Kind::DoubleThree) => self.double_threes += 1,
                }
            }
            Status::Drawn { by } => match by {
                tengen::rules::DrawReason::BoardFull => self.full_boards += 1,
                tengen::rules::DrawReason::Passes => self.passes += 1,
            },
            Status::Ongoing => {
                let rows = scan(board, Rule::Freestyle);
                let rows = rows.black.iter().chain(&rows.white);
                for row in rows {
                    match record.rule() {
                        Rule::Caro if row.length == 5 => self.closed_fives_without_a_win += 1,
                        _ => self.sixes_without_a_win += 1,
                    }
                }
            }
        }
        if record.rule() == Rule::Renju {
            self.add_board(board);
        }
    }

    /// What Black would make on the empty cells of a board in renju.
    fn add_board(&mut self, board: &Board) {
        let empty = board.size().cells().filter(|cell| board.is_empty(*cell));
        for evidence in empty.map(|cell| forbidden::evidence(board, cell)) {
            let is_forbidden = matches!(evidence.verdict, Verdict::Forbidden(_));
            self.forbidden_cells += usize::from(is_forbidden);
            for three in evidence.threes.iter().filter(|three| !three.counts()) {
                self.threes_that_do_not_count += 1;
                let nested = three.straight_four_cells.iter().any(|extension| {
                    extension.evidence.verdict == Verdict::Forbidden(Kind::DoubleThree)
                });
                self.threes_that_do_not_count_for_a_double_three += usize::from(nested);
            }
        }
    }
}

#[test]
fn the_random_games_show_all_there_is_in_the_rules() {
    let mut runner = TestRunner::deterministic();
    let mut seen = Seen::default();
    for _ in 0..700 {
        let plan = plans().new_tree(&mut runner).expect("a plan").current();
        seen.add(&plan.record());
    }
    for _ in 0..30 {
        let grid = tangles().new_tree(&mut runner).expect("a grid").current();
        seen.add_board(&bridge::board_of(&grid));
    }
    let Seen {
        fives,
        overlines,
        full_boards,
        passes,
        overline_fouls,
        double_fours,
        double_threes,
        white_overlines_in_renju,
        sixes_without_a_win,
        closed_fives_without_a_win,
        two_rows_at_once,
        forbidden_cells,
        threes_that_do_not_count,
        threes_that_do_not_count_for_a_double_three,
    } = seen;
    for count in [
        fives,
        overlines,
        full_boards,
        passes,
        overline_fouls,
        double_fours,
        double_threes,
        white_overlines_in_renju,
        sixes_without_a_win,
        closed_fives_without_a_win,
        two_rows_at_once,
        forbidden_cells,
        threes_that_do_not_count,
        threes_that_do_not_count_for_a_double_three,
    ] {
        assert!(count > 0, "{seen:?}");
    }
}

/// Both colours' winning rows on a board, by all three detections and by the oracle.
fn assert_detections_agree(board: &Board, rule: Rule) {
    let grid = bridge::grid_of(board);
    let found = scan(board, rule);
    let words = LineWords::of(board);
    for color in Color::ALL {
        let expected = oracle::winning_rows(&grid, rule.name(), bridge::color_of(color));
        let rows = bridge::rows_of(found[color].iter().copied(), board.size());
        assert_eq!(rows, expected, "scan, {rule} {color}{board:?}");
        let has_won = words.has_won(color, rule);
        assert_eq!(
            has_won,
            !expected.is_empty(),
            "words, {rule} {color}{board:?}"
        );
        for (cell, _) in board.occupied().filter(|(_, stone)| *stone == color) {
            let place = bridge::place(cell, board.size());
            let mut through = expected.clone();
            through.retain(|row| row.contains(&place));
            let lines = winning_lines(board, cell, color, rule);
            assert_eq!(
                bridge::rows_of(lines.iter(), board.size()),
                through,
                "around {cell}, {rule}{board:?}"
            );
            assert_eq!(
                wins(board, cell, color, rule),
                !through.is_empty(),
                "{cell} {rule}{board:?}"
            );
        }
    }
}

/// A position of a game against the grid it must have and the end the oracle tells.
fn assert_position(position: &Position, grid: &Grid, plies: usize, end: Option<oracle::End>) {
    let (board, rule) = (position.board(), position.rule());
    assert_eq!(&bridge::grid_of(board), grid, "{rule}{board:?}");
    assert_eq!(*board, bridge::board_of(grid));
    assert_eq!(
        position.to_move(),
        Color::of_ply(plies + 1),
        "{rule}{board:?}"
    );
    assert_eq!(
        position.key(),
        Key::of(board, position.to_move()),
        "{rule}{board:?}"
    );
    assert_eq!(
        position.status() == Status::Ongoing,
        end.is_none(),
        "{rule} {end:?}{board:?}"
    );
    let winner = match end {
        Some((winner, "five" | "overline")) => winner,
        _ => None,
    };
    let rows = winner.map(|winner| oracle::winning_rows(grid, rule.name(), winner));
    let told = bridge::rows_of(position.winning_lines(), board.size());
    assert_eq!(told, rows.unwrap_or_default(), "{rule}{board:?}");
    // What the stones alone tell is what the game told, but for passes and forbidden stones.
    if !matches!(end, Some((_, "passes" | "forbidden"))) {
        let set_up = Position::from_board(rule, board.clone(), position.to_move());
        let status = set_up.map(|position| position.status());
        assert_eq!(status, Ok(position.status()), "{rule}{board:?}");
    }
}

/// Legal and forbidden cells of a position against the oracle.
fn assert_cells(position: &Position) {
    let (board, rule) = (position.board(), position.rule());
    let (size, to_move) = (board.size(), position.to_move());
    let grid = bridge::grid_of(board);
    let goes_on = position.status() == Status::Ongoing;
    let is_legal =
        |place: &Place| oracle::is_legal(&grid, rule.name(), bridge::color_of(to_move), *place);
    let (legal, forbidden): (Vec<Place>, Vec<Place>) = empty_places(&grid)
        .into_iter()
        .filter(|_| goes_on)
        .partition(is_legal);
    let shown = format!("{rule} {to_move}{board:?}");
    assert_eq!(
        bridge::places(position.legal_cells(), size),
        legal,
        "{shown}"
    );
    assert_eq!(
        bridge::places(position.forbidden_cells(), size),
        forbidden,
        "{shown}"
    );
    for cell in position.legal_cells().chain(position.forbidden_cells()) {
        let can = position.clone().play(cell);
        assert_eq!(can, position.check(cell), "{cell} {shown}");
    }
}

proptest! {
    #![proptest_config(percent(150))]

    #[test]
    fn every_position_of_a_game_is_the_oracles(plan in plans()) {
        let written = plan.play();
        let game = oracle::replay(plan.rule.name(), plan.lines, &written);
        let mut grid = oracle::empty(plan.lines);
        let mut shown = 0;
        let record = plan.record();
        let replay = Replay::with_each(&record, |replay| {
            let plies = replay.plies();
            assert_eq!(plies, shown);
            shown += 1;
            if let Some(Some((row, column))) = plies.checked_sub(1).map(|last| written[last]) {
                let color = bridge::color_of(Color::of_ply(plies));
                grid[row as usize][column as usize] = color;
            }
            let end = game.end.filter(|_| plies == game.plies);
            assert_position(replay.position(), &grid, plies, end);
            // The stone to come, asked about before it lies there.
            if let Some(Some((row, column))) = written.get(plies) {
                let place = (*row as usize, *column as usize);
                let color = Color::of_ply(plies + 1);
                let mut next = grid.clone();
                next[place.0][place.1] = bridge::color_of(color);
                let rows = oracle::winning_rows_through(&next, plan.rule.name(), place);
                let cell = bridge::cell(place, record.size());
                let board = replay.position().board();
                let lines = winning_lines(board, cell, color, plan.rule);
                assert_eq!(bridge::rows_of(lines.iter(), record.size()), rows);
                assert_eq!(wins(board, cell, color, plan.rule), !rows.is_empty());
            }
        });
        prop_assert_eq!(shown, written.len() + 1);
        prop_assert_eq!(replay.plies(), game.plies);
        prop_assert_eq!(bridge::end_of(&replay), game.end);
        prop_assert_eq!(bridge::violations_of(&replay), game.violations);
    }
}

proptest! {
    #![proptest_config(percent(100))]

    #[test]
    fn the_win_detections_agree_in_games(plan in plans()) {
        let record = plan.record();
        Replay::with_each(&record, |replay| {
            let plies = replay.plies();
            if plies % 4 == 0 || plies + 2 > record.plies().len() {
                assert_detections_agree(replay.position().board(), plan.rule);
            }
        });
    }

    #[test]
    fn legal_and_forbidden_cells_are_the_oracles(plan in plans()) {
        let record = plan.record();
        // The dear positions are those of renju with Black to move.
        let every = if plan.rule == Rule::Renju && plan.lines > 9 { 10 } else { 5 };
        Replay::with_each(&record, |replay| {
            let plies = replay.plies();
            if plies % every == 0 || plies + 2 > record.plies().len() {
                assert_cells(replay.position());
            }
        });
    }

    #[test]
    fn undo_gives_the_replay_of_the_shorter_record(plan in plans()) {
        let record = plan.record();
        let mut shown = Vec::new();
        let whole = Replay::with_each(&record, |replay| shown.push(replay.clone()));
        prop_assert_eq!(shown.last(), Some(&whole));
        prop_assert_eq!(record.replay(), whole);
        for (plies, replay) in shown.iter().enumerate() {
            let shorter = record.prefix(plies);
            prop_assert_eq!(shorter.plies(), &record.plies()[..plies]);
            if plies % 7 == 0 || plies + 3 > shown.len() {
                prop_assert_eq!(&shorter.replay(), replay, "{} plies", plies);
            }
        }
    }

    #[test]
    fn symmetric_games_have_symmetric_answers(plan in plans()) {
        let record = plan.record();
        let size = record.size();
        let replay = record.replay();
        let board = replay.position().board();
        let (least, _) = Key::least(board, replay.position().to_move());
        for symmetry in Symmetry::ALL {
            let turn = |ply: &Ply| match ply {
                Ply::Stone(cell) => Ply::Stone(symmetry.apply(*cell, size)),
                other => *other,
            };
            let plies = record.plies().iter().map(turn).collect();
            let turned = Record::new(record.rule(), size, plies).replay();
            let position = turned.position();
            prop_assert_eq!(position.board(), &symmetry.apply_board(board));
            prop_assert_eq!(position.status(), replay.position().status());
            prop_assert_eq!(turned.plies(), replay.plies());
            prop_assert_eq!(turned.ended_at(), replay.ended_at());
            prop_assert_eq!(bridge::violations_of(&turned), bridge::violations_of(&replay));
            let image = |cells: &mut dyn Iterator<Item = Cell>| {
                bridge::places(cells.map(|cell| symmetry.apply(cell, size)), size)
            };
            prop_assert_eq!(
                bridge::places(position.legal_cells(), size),
                image(&mut replay.position().legal_cells())
            );
            prop_assert_eq!(
                bridge::places(position.forbidden_cells(), size),
                image(&mut replay.position().forbidden_cells())
            );
            let mut rows: Vec<Vec<Place>> = replay
                .position()
                .winning_lines()
                .iter()
                .map(|line| image(&mut line.cells()))
                .collect();
            rows.sort();
            prop_assert_eq!(bridge::rows_of(position.winning_lines(), size), rows);
            // The symmetry key is shared, and the symmetry told with it leads to it.
            let (key, to_least) = Key::least(position.board(), position.to_move());
            prop_assert_eq!(key, least);
            let there = to_least.apply_board(position.board());
            prop_assert_eq!(Key::of(&there, position.to_move()), least);
            // Undone, all is as it was.
            prop_assert_eq!(&symmetry.inverse().apply_board(position.board()), board);
        }
    }

    #[test]
    fn equal_stones_have_equal_keys_in_whatever_order_they_came(plan in plans()) {
        let replay = plan.record().replay();
        let (board, to_move) = (replay.position().board(), replay.position().to_move());
        let mut stones: Vec<(Cell, Color)> = board.occupied().collect();
        stones.reverse();
        let mut key = Key::empty(board.size());
        let mut again = Board::new(board.size());
        for (cell, color) in stones {
            key = key.with_stone(cell, color);
            again.put(cell, color);
        }
        let key = if to_move == Color::White { key.with_turn_passed() } else { key };
        prop_assert_eq!(key, replay.position().key());
        prop_assert_eq!(key, Key::of(&again, to_move));
        prop_assert_ne!(key, Key::of(&again, !to_move));
        prop_assert_eq!(key.to_string().parse(), Ok(key));
        if let Some((cell, color)) = board.occupied().next() {
            again.take(cell);
            prop_assert_ne!(key, Key::of(&again, to_move));
            again.put(cell, !color);
            prop_assert_ne!(key, Key::of(&again, to_move));
        }
    }

    #[test]
    fn notation_and_diagrams_read_back(plan in plans()) {
        let record = plan.record();
        let names: Vec<String> = record.plies().iter().map(Ply::to_string).collect();
        let numbered: Vec<String> = names
            .chunks(2)
            .enumerate()
            .map(|(turn, pair)| format!("{}. {}", turn + 1, pair.join(" ")))
            .collect();
        for text in [
            names.concat(),
            names.join(" "),
            names.join(", "),
            names.concat().to_uppercase(),
            numbered.join("\n"),
        ] {
            let read = read_moves(&text, 20);
            prop_assert_eq!(read.as_deref(), Ok(record.plies()), "{}", text);
        }
        for (name, ply) in names.iter().zip(record.plies()) {
            prop_assert_eq!(read_move(name), Some(*ply));
        }
        let replay = record.replay();
        let board = replay.position().board();
        prop_assert_eq!(&board.to_string().parse::<Board>(), &Ok(board.clone()));
    }

    #[test]
    fn games_go_on_in_as_many_ways_as_the_oracle_counts(mut plan in plans()) {
        plan.lines = plan.lines.min(9);
        let replay = plan.record().replay();
        let position = replay.position();
        let grid = bridge::grid_of(position.board());
        let ways: usize = position
            .legal_cells()
            .map(|cell| {
                let mut next = position.clone();
                next.play(cell).expect("the cell is legal");
                next.legal_cells().count()
            })
            .sum();
        let counted = if position.status() == Status::Ongoing {
            let to_move = bridge::color_of(position.to_move());
            oracle::perft(&grid, plan.rule.name(), to_move, 2)
        } else {
            0
        };
        prop_assert_eq!(ways as u64, counted, "{}{:?}", plan.rule, position.board());
    }
}

/// Stones in any number anywhere: what no game leads to.
fn grids() -> impl Strategy<Value = Grid> {
    let lines = prop_oneof![4 => 5_usize..=9, 1 => 10_usize..=25];
    let stones = prop::sample::select(vec![
        vec![EMPTY, BLACK, WHITE],
        vec![EMPTY, EMPTY, BLACK, BLACK, BLACK, WHITE],
        vec![EMPTY, WHITE, WHITE, WHITE],
        vec![BLACK, BLACK, BLACK, WHITE],
        vec![EMPTY, EMPTY, BLACK],
    ]);
    (lines, stones).prop_flat_map(|(lines, stones)| {
        let row = prop::collection::vec(prop::sample::select(stones), lines);
        prop::collection::vec(row, lines)
    })
}

/// Black stones thinly over a board, so that threes lie within threes.
fn tangles() -> impl Strategy<Value = Grid> {
    let empty = vec![EMPTY; 7];
    let stones = prop::sample::select(vec![
        [empty.clone(), vec![BLACK; 2]].concat(),
        [empty.clone(), vec![BLACK; 3]].concat(),
        [empty, vec![BLACK; 3], vec![WHITE]].concat(),
    ]);
    (8_usize..=15, stones).prop_flat_map(|(lines, stones)| {
        let row = prop::collection::vec(prop::sample::select(stones), lines);
        prop::collection::vec(row, lines)
    })
}

proptest! {
    #![proptest_config(percent(500))]

    #[test]
    fn the_win_detections_agree_on_any_board(grid in grids(), rule in rules()) {
        let board = bridge::board_of(&grid);
        assert_detections_agree(&board, rule);
        let [black, white] = [BLACK, WHITE]
            .map(|color| !oracle::winning_rows(&grid, rule.name(), color).is_empty());
        for to_move in Color::ALL {
            match Position::from_board(rule, board.clone(), to_move) {
                Err(_) => prop_assert!(black && white),
                Ok(position) => {
                    let winner = match position.status() {
                        Status::Won { winner, .. } => Some(winner),
                        Status::Drawn { .. } => {
                            prop_assert!(board.is_full());
                            None
                        }
                        Status::Ongoing => {
                            prop_assert!(!board.is_full());
                            None
                        }
                    };
                    prop_assert_eq!(winner == Some(Color::Black), black);
                    prop_assert_eq!(winner == Some(Color::White), white);
                    prop_assert_eq!(position.key(), Key::of(&board, to_move));
                }
            }
        }
    }

    #[test]
    fn verdicts_on_any_board_are_the_oracles(grid in prop_oneof![grids(), tangles()]) {
        let board = bridge::board_of(&grid);
        // On large boards some cells must do.
        let empty = empty_places(&grid);
        let every = 1 + empty.len() / 40;
        for place in empty.into_iter().step_by(every) {
            let cell = bridge::cell(place, board.size());
            let verdict = word(forbidden::verdict(&board, cell));
            prop_assert_eq!(verdict, oracle::judge(&grid, place), "{}{:?}", cell, board);
        }
    }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Legal => "legal",
        Verdict::Five => "five",
        Verdict::Forbidden(kind) => kind.name(),
    }
}

/// The evidence about a cell and, through every three, about the cells behind it.
fn assert_evidence(grid: &mut Grid, place: Place, evidence: &Evidence) {
    let size = bridge::size(grid.len());
    let shown = format!("{}{:?}", bridge::cell(place, size), bridge::board_of(grid));
    assert_eq!(
        word(evidence.verdict),
        oracle::judge(grid, place),
        "{shown}"
    );
    if let Verdict::Forbidden(kind) = evidence.verdict {
        assert_eq!(evidence.kinds().next(), Some(kind), "{shown}");
    } else {
        assert_eq!(evidence.kinds().next(), None, "{shown}");
    }
    let (fours, threes) = oracle::shapes(grid, place);
    let told: Vec<Shape> = evidence
        .fours
        .iter()
        .map(|four| shape(&four.stones, &four.five_cells, grid))
        .collect();
    assert_eq!(sorted(told), fours, "fours at {shown}");
    let told: Vec<Shape> = evidence
        .threes
        .iter()
        .map(|three| {
            let cells: Vec<Cell> = three
                .straight_four_cells
                .iter()
                .map(|extension| extension.cell)
                .collect();
            shape(&three.stones, &cells, grid)
        })
        .collect();
    if evidence.is_cut {
        // A tangle whose whole evidence would be too large: told down to some level, and there says so.
        assert!(
            told.is_empty() && !threes.is_empty(),
            "threes cut at {shown}"
        );
    } else {
        assert_eq!(sorted(told), threes, "threes at {shown}");
    }
    grid[place.0][place.1] = BLACK;
    let rows = oracle::winning_rows_through(grid, "freestyle", place);
    let mut told: Vec<Vec<Place>> = evidence
        .fives
        .iter()
        .chain(&evidence.overlines)
        .map(|row| bridge::places(row.cells.iter().copied(), size))
        .collect();
    told.sort();
    assert_eq!(told, rows, "rows at {shown}");
    assert!(evidence.fives.iter().all(|row| row.cells.len() == 5));
    for three in &evidence.threes {
        let mut playable = false;
        for extension in &three.straight_four_cells {
            let next = bridge::place(extension.cell, size);
            playable |= oracle::judge(grid, next) == "legal";
            assert_evidence(grid, next, &extension.evidence);
        }
        assert_eq!(three.counts(), playable, "{shown}");
    }
    grid[place.0][place.1] = EMPTY;
}

fn shape(stones: &[Cell], needs: &[Cell], grid: &Grid) -> Shape {
    let size = bridge::size(grid.len());
    Shape {
        stones: bridge::places(stones.iter().copied(), size),
        needs: bridge::places(needs.iter().copied(), size),
    }
}

fn sorted(mut shapes: Vec<Shape>) -> Vec<Shape> {
    shapes.sort();
    shapes
}

proptest! {
    #![proptest_config(percent(150))]

    #[test]
    fn evidence_tells_what_the_oracle_sees(
        mut grid in prop_oneof![
            plans().prop_map(|plan| bridge::grid_of(plan.record().replay().position().board())),
            tangles(),
        ],
        skip in 0_usize..6,
    ) {
        let board = bridge::board_of(&grid);
        let empty = empty_places(&grid);
        let every = 1 + empty.len() / 20;
        for place in empty.into_iter().skip(skip).step_by(every) {
            let evidence = forbidden::evidence(&board, bridge::cell(place, board.size()));
            assert_evidence(&mut grid, place, &evidence);
        }
    }
}

/// Anything a record may say, most of it wrong.
fn junk(lines: i32) -> impl Strategy<Value = Written> {
    prop_oneof![
        6 => (0..lines, 0..lines).prop_map(Some),
        3 => (0..3, 0..3).prop_map(Some),
        2 => (-2..lines + 2, -2..lines + 2).prop_map(Some),
        1 => (any::<i32>(), any::<i32>()).prop_map(Some),
        1 => Just(None),
        1 => Just(Some((i32::MIN, i32::MAX))),
    ]
}

fn assert_replay(rule: Rule, lines: usize, written: &[Written]) {
    let size = bridge::size(lines);
    let plies = written.iter().map(|ply| bridge::ply(*ply, size)).collect();
    let record = Record::new(rule, size, plies);
    let replay = record.replay();
    let game = oracle::replay(rule.name(), lines, written);
    let shown = format!("{rule} {:?}{:?}", record.plies(), replay.position().board());
    assert_eq!(bridge::violations_of(&replay), game.violations, "{shown}");
    assert_eq!(replay.is_legal(), game.violations.is_empty());
    assert_eq!(replay.plies(), game.plies, "{shown}");
    assert_eq!(bridge::end_of(&replay), game.end, "{shown}");
    assert_eq!(replay.ended_at(), game.end.map(|_| game.plies), "{shown}");
    assert_position(replay.position(), &game.grid, game.plies, game.end);
    assert_eq!(
        record.prefix(game.plies).replay().position(),
        replay.position(),
        "{shown}"
    );
    for violation in replay.violations() {
        assert_eq!(violation.played, record.plies()[violation.ply - 1]);
        if let Fault::Forbidden(kind, evidence) = &violation.fault {
            assert_eq!(evidence.verdict, Verdict::Forbidden(*kind), "{shown}");
            assert_eq!(evidence.kinds().next(), Some(*kind), "{shown}");
        }
    }
    // Within the legal part the evidence is that of the board before the stone.
    if let Some(violation) = replay.violations().first()
        && let (Fault::Forbidden(_, evidence), Ply::Stone(cell)) =
            (&violation.fault, violation.played)
    {
        let before = record.prefix(violation.ply - 1).replay();
        assert_eq!(
            **evidence,
            forbidden::evidence(before.position().board(), cell),
            "{shown}"
        );
    }
}

proptest! {
    #![proptest_config(percent(400))]

    #[test]
    fn junk_records_are_judged_as_by_the_oracle(
        rule in rules(),
        (lines, written) in (5..=9).prop_flat_map(|lines| {
            (Just(lines), prop::collection::vec(junk(lines), 0..80))
        }),
    ) {
        let lines = usize::try_from(lines).expect("the size is small");
        assert_replay(rule, lines, &written);
    }

    #[test]
    fn games_with_junk_put_in_are_judged_as_by_the_oracle(
        plan in plans(),
        put_in in prop::collection::vec((any::<prop::sample::Index>(), junk(12)), 0..6),
        added in prop::collection::vec(junk(12), 0..4),
    ) {
        let mut written = plan.play();
        for (place, ply) in put_in {
            let place = place.index(written.len() + 1);
            written.insert(place, ply);
        }
        written.extend(added);
        assert_replay(plan.rule, plan.lines, &written);
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(
        text in prop_oneof![
            any::<String>(),
            "\\PC{0,60}",
            "[a-zA-Z0-9 .,;]{0,60}",
            "([a-pA-P][0-9]{1,2}[ ,;]?|pass|PASS|[0-9]{1,3}[.] ?){0,30}",
            prop::collection::vec(any::<u8>(), 0..60)
                .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        ],
        most in 1_usize..25,
    ) {
        match read_moves(&text, most) {
            Ok(plies) => {
                let names: Vec<String> = plies.iter().map(Ply::to_string).collect();
                prop_assert_eq!(read_moves(&names.join(" "), most), Ok(plies));
            }
            Err(faults) => {
                prop_assert!((1..=most).contains(&faults.len()));
                let length = text.chars().count();
                let mut last = 0;
                for fault in faults {
                    prop_assert!(last < fault.at && fault.at <= length, "{:?}", fault);
                    let there: String = text.chars().skip(fault.at - 1).collect();
                    prop_assert!(there.starts_with(&fault.text), "{:?}", fault);
                    last = fault.at;
                }
            }
        }
        if let Some(ply) = read_move(&text) {
            prop_assert_eq!(read_move(&ply.to_string()), Some(ply));
        }
    }

    #[test]
    fn any_text_is_a_cell_or_refused(
        text in prop_oneof![any::<String>(), "\\PC{0,4}", "[a-zA-Z][0-9]{0,3}", "[a-y][1-9]", "[a-y]1[0-9]"],
    ) {
        if let Ok(cell) = text.parse::<Cell>() {
            prop_assert_eq!(cell.to_string(), text);
        }
    }

    #[test]
    fn any_text_is_a_board_or_refused(
        text in prop_oneof![
            any::<String>(),
            "[.xo \n]{0,80}",
            "([.xo]{5}\n){5}",
            "([.xo]{4,6} ?\n?){4,6}",
            "([.xoé*]{5}\r?\n){5}",
        ],
    ) {
        match text.parse::<Board>() {
            Ok(board) => {
                let stones: String =
                    text.chars().filter(|character| matches!(character, '.' | 'x' | 'o')).collect();
                prop_assert_eq!(board.to_string().replace('\n', ""), stones);
                prop_assert_eq!(board.to_string().parse(), Ok(board));
            }
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                prop_assert!(error.line < 26, "{:?}", error);
            }
        }
    }
}
