//! Boards with what threatens on them: what depends on more than one line, and what has to be done.

use tengen::analysis::{Prospect, Survey};
use tengen::board::{Board, Cell, Color};
use tengen::record::Record;
use tengen::record::notation::read_moves;
use tengen::rules::{Position, Rule};

use crate::{names, survey, words};

const ALL: &[Rule] = &Rule::ALL;
const NOT_RENJU: &[Rule] = &[Rule::Freestyle, Rule::Standard, Rule::Caro];

/// A board of fifteen lines with stones on these cells, separated by blanks.
fn board(black: &str, white: &str) -> Board {
    let mut board = Board::new(tengen::board::BoardSize::DEFAULT);
    for (cells, color) in [(black, Color::Black), (white, Color::White)] {
        for cell in cells.split_whitespace() {
            board.put(cell.parse().unwrap(), color);
        }
    }
    board
}

/// Black's threats in row 8, in words.
fn rows(survey: &Survey) -> Vec<String> {
    let own = survey.threats.iter().filter(|threat| {
        let is_row = threat.pattern.direction.name() == "horizontal";
        is_row && threat.color == Color::Black && threat.pattern.cells[0].height() == 7
    });
    own.map(|threat| words(&threat.pattern)).collect()
}

#[test]
fn a_gain_that_renju_forbids_is_none() {
    // Only f8 could make the three straight; there it would be an overline in the column.
    let overline = board("c8 d8 e8 f5 f6 f7 f9 f10", "a8");
    let three = ["open_three c8 d8 e8: f8"];
    assert_eq!(rows(&survey(Rule::Renju, &overline, Color::Black)), [""; 0]);
    assert_eq!(
        rows(&survey(Rule::Standard, &overline, Color::Black)),
        three
    );
    // In freestyle it wins: a five is all that such a stone makes.
    assert_eq!(
        rows(&survey(Rule::Freestyle, &overline, Color::Black)),
        [""; 0]
    );
}

#[test]
fn whether_a_gain_is_forbidden_is_judged_to_the_bottom() {
    // On f8 a four and two threes: forbidden.
    let forbidden = board("c8 d8 e8 f9 f10 g9 h10", "a8");
    assert_eq!(
        rows(&survey(Rule::Renju, &forbidden, Color::Black)),
        [""; 0]
    );
    let three = ["open_three c8 d8 e8: f8"];
    assert_eq!(
        rows(&survey(Rule::Standard, &forbidden, Color::Black)),
        three
    );
    // White stones in the column leave that three no straight four, so f8 may be played.
    let allowed = board("c8 d8 e8 f9 f10 g9 h10", "a8 f6 f12");
    assert_eq!(rows(&survey(Rule::Renju, &allowed, Color::Black)), three);
    // A two's gain is judged with the next one behind it: on e8 Black makes a three that can go on at f8 only.
    let two = board("c8 d8 f9 f10 g9 h10", "a8");
    let gain = |rule| {
        let found = rows(&survey(rule, &two, Color::Black));
        found.into_iter().find(|row| row.starts_with("two c8 d8"))
    };
    assert_eq!(gain(Rule::Standard).as_deref(), Some("two c8 d8: e8 f8"));
    assert_eq!(gain(Rule::Renju), None);
}

#[test]
fn a_five_is_a_gain_in_renju_even_where_more_is_made() {
    let board = board("d8 e8 f8 g8 h9 h10 h11 h7 h6", "c8");
    let found = survey(Rule::Renju, &board, Color::Black);
    assert_eq!(names(&found.win_now), "h8");
    assert!(rows(&found).contains(&"four d8 e8 f8 g8: h8".to_owned()));
}

#[test]
fn a_cell_forbidden_to_black_is_no_defence() {
    let board = board("c8 h9 h10 i9 j10", "d8 e8 f8 g8");
    for (rule, cells) in [
        (Rule::Renju, ""),
        (Rule::Freestyle, "h8"),
        (Rule::Standard, "h8"),
    ] {
        let survey = survey(rule, &board, Color::Black);
        let four = &survey.threats[0];
        assert_eq!(words(&four.pattern), "four d8 e8 f8 g8: h8", "{rule}");
        assert_eq!(names(&four.defence), cells, "{rule}");
        let must = survey.must_defend.map(|cells| names(&cells));
        assert_eq!(must.as_deref(), Some(cells), "{rule}");
    }
}

#[test]
fn who_wins_now_need_not_defend() {
    let board: Board = "xxxx...\n.......\n.......\n.......\n.......\n.......\noooo..."
        .parse()
        .unwrap();
    for rule in ALL {
        for (to_move, cell) in [(Color::Black, "e7"), (Color::White, "e1")] {
            let found = survey(*rule, &board, to_move);
            assert_eq!(names(&found.win_now), cell);
            assert_eq!(found.must_defend, None);
            assert_eq!(found.must_defend_next, None);
        }
    }
}

#[test]
fn every_stone_that_stops_every_five_is_told() {
    let must = |rule, diagram: &str| {
        let found = survey(rule, &diagram.parse().unwrap(), Color::Black);
        found.must_defend.map(|cells| names(&cells))
    };
    let one = ".......\n.......\n.......\nxoooo..\n.......\n.......\n......x";
    assert_eq!(must(Rule::Standard, one).as_deref(), Some("f4"));
    assert_eq!(must(Rule::Caro, one).as_deref(), Some("f4 g4"));
    let open = ".......\n.......\n.......\n.oooo..\n.......\n.......\nx.....x";
    for rule in ALL {
        assert_eq!(must(*rule, open).as_deref(), Some(""), "{rule}");
    }
    let two = "o......\no......\no......\no......\n.......\n.......\n.oooo.x";
    for rule in ALL {
        assert_eq!(must(*rule, two).as_deref(), Some(""), "{rule}");
    }
    let crossed = "o......\no......\no......\no......\n.oooo.x\n.......\n......x";
    for rule in ALL {
        // One cell makes both fives, but the row has another one. In caro the stone also shuts that in.
        let cells = if *rule == Rule::Caro { "a3" } else { "" };
        assert_eq!(must(*rule, crossed).as_deref(), Some(cells), "{rule}");
    }
    let crossed = "o......\no......\no......\no......\n.oooox.\n.......\n......x";
    for rule in ALL {
        assert_eq!(must(*rule, crossed).as_deref(), Some("a3"), "{rule}");
    }
}

#[test]
fn an_open_three_has_to_be_seen_to_unless_one_is_faster() {
    let next = |rule, diagram: &str| {
        let found = survey(rule, &diagram.parse().unwrap(), Color::Black);
        assert_eq!(found.must_defend, None);
        found.must_defend_next.map(|cells| names(&cells))
    };
    let three = ".........\n.........\n..x......\n.........\n...ooo...\n.........\n.........\n....x..x.\n.........";
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
        assert_eq!(next(rule, three).as_deref(), Some("c5 g5"), "{rule}");
    }
    assert_eq!(next(Rule::Caro, three).as_deref(), Some("b5 c5 g5 h5"));
    let faster = ".........\n.........\n..x......\n.........\n...ooo...\n.........\n.........\n...xxx...\n.........";
    let nothing = ".........\n.........\n..x......\n.........\n...oo....\n.........\n.........\n....x..x.\n.........";
    for rule in ALL {
        assert_eq!(next(*rule, faster), None, "{rule}");
        assert_eq!(next(*rule, nothing), None, "{rule}");
    }
}

/// Under each of these rules a colour has this fork on a cell, made of these patterns; or none.
#[track_caller]
fn assert_fork(
    rules: &[Rule],
    diagram: &str,
    color: Color,
    cell: &str,
    fork: Option<(&str, &[&str])>,
) {
    let cell: Cell = cell.parse().unwrap();
    for rule in rules {
        let survey = survey(*rule, &diagram.parse().unwrap(), Color::White);
        let found = survey
            .forks
            .iter()
            .find(|fork| fork.cell == cell && fork.color == color);
        let found = found.map(|fork| {
            let patterns = fork.patterns.iter().map(words);
            (fork.kind.name(), patterns.collect::<Vec<_>>())
        });
        let expected =
            fork.map(|(kind, patterns)| (kind, patterns.iter().map(ToString::to_string).collect()));
        assert_eq!(found, expected, "{rule} {cell}\n{diagram}");
    }
}

#[test]
fn two_fours_are_a_fork_but_for_black_in_renju() {
    let crossed = ".........\n....o....\n....x....\n....x....\n.oxx.x...\n....x....\n.........\n..oo..o..\n.........";
    let fours: &[&str] = &["four c5 d5 e5 f5: g5", "four e4 e5 e6 e7: e3"];
    assert_fork(
        NOT_RENJU,
        crossed,
        Color::Black,
        "e5",
        Some(("double_four", fours)),
    );
    assert_fork(&[Rule::Renju], crossed, Color::Black, "e5", None);
    let line = "...........\n...........\n...........\n.x.xx..x...\n...........\n...o.......\n...........\n......o....\n.o.........\n..........o\n...........";
    let fours: &[&str] = &["broken_four b8 d8 e8 f8: c8", "broken_four d8 e8 f8 h8: g8"];
    assert_fork(
        NOT_RENJU,
        line,
        Color::Black,
        "f8",
        Some(("double_four", fours)),
    );
    assert_fork(&[Rule::Renju], line, Color::Black, "f8", None);
    let whites = line.replace('o', "-").replace('x', "o").replace('-', "x");
    assert_fork(
        ALL,
        &whites,
        Color::White,
        "f8",
        Some(("double_four", fours)),
    );
}

#[test]
fn a_four_and_a_three_are_a_fork_for_all() {
    let diagram = ".........\n.........\n....x....\n....x....\n.oxx.x...\n.........\n.........\n..oo..o..\n.........";
    let patterns: &[&str] = &["four c5 d5 e5 f5: g5", "open_three e5 e6 e7: e4 e8"];
    assert_fork(
        ALL,
        diagram,
        Color::Black,
        "e5",
        Some(("four_three", patterns)),
    );
}

#[test]
fn two_threes_are_a_fork_but_for_black_in_renju() {
    let diagram = ".........\n.........\n....x....\n....x....\n..xx.....\n.........\n.........\n..o...oo.\n.........";
    let patterns: &[&str] = &["open_three c5 d5 e5: b5 f5", "open_three e5 e6 e7: e4 e8"];
    assert_fork(
        NOT_RENJU,
        diagram,
        Color::Black,
        "e5",
        Some(("double_three", patterns)),
    );
    assert_fork(&[Rule::Renju], diagram, Color::Black, "e5", None);
    let overlay = survey(Rule::Renju, &diagram.parse().unwrap(), Color::Black).overlay;
    let cell: Cell = "e5".parse().unwrap();
    let sight = overlay.iter().find(|sight| sight.cell == cell).unwrap();
    assert_eq!(sight.prospects.black, Some(Prospect::Forbidden));
}

#[test]
fn the_overlay_tells_the_strongest_thing_of_each_cell() {
    let diagram = ".........\n.........\n.........\n.........\n..xxx....\n.........\n.........\noooo.....\n.........";
    let found = survey(Rule::Standard, &diagram.parse().unwrap(), Color::Black);
    let prospect = |cell: &str| {
        let cell: Cell = cell.parse().unwrap();
        let sight = found.overlay.iter().find(|sight| sight.cell == cell);
        sight.map_or((None, None), |sight| {
            (sight.prospects.black, sight.prospects.white)
        })
    };
    assert_eq!(prospect("e2"), (Some(Prospect::Two), Some(Prospect::Five)));
    assert_eq!(prospect("b5").0, Some(Prospect::OpenFour));
    assert_eq!(prospect("a5").0, Some(Prospect::Four));
    assert_eq!(prospect("d4").0, Some(Prospect::Two));
    assert_eq!(prospect("i9"), (None, None));
    assert_eq!(prospect("c5"), (None, None));
}

#[test]
fn a_finished_game_has_threats_and_no_more_to_do() {
    for moves in ["a1a3b1b3c1c3d1d3e1", "h7a1h9c1g8e1i8g1h8"] {
        let plies = read_moves(moves, 20).unwrap();
        let record = Record::new(Rule::Renju, tengen::board::BoardSize::DEFAULT, plies);
        let position: Position = record.replay().into_position();
        let survey = Survey::of(&position);
        assert!(!survey.threats.is_empty());
        assert_eq!(survey.win_now, []);
        assert_eq!(survey.must_defend, None);
        assert_eq!(survey.must_defend_next, None);
        assert_eq!(survey.forks, []);
        assert_eq!(survey.overlay, []);
    }
}

#[test]
fn an_empty_and_a_full_board_threaten_nothing() {
    let full = "xxoox\nooxxo\nxxoox\nooxxo\nxxooo";
    for diagram in [full, ".....\n.....\n.....\n.....\n....."] {
        for rule in ALL {
            let survey = survey(*rule, &diagram.parse().unwrap(), Color::Black);
            assert_eq!(survey.threats, []);
            assert_eq!(survey.overlay, []);
        }
    }
}
