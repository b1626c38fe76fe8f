//! Renju's forbidden cells as pictures: `x` Black, `o` White, `*` the cell asked about.
//!
//! Source of the definitions: the International Rules of Renju (RIF, 1996/1998), sections 3 and 9.

use tengen::board::{Board, Cell, Color, Direction, Symmetry};
use tengen::rules::forbidden::{
    Evidence, Four, Kind, MOST_TOLD, Three, Verdict, evidence, verdict,
};
use tengen::rules::{PlayError, Position, Rule, Status, WinReason};

use crate::oracle::{self, bridge};
use crate::wins::marked;
use crate::{board, cell, cells, faults, position, replay, won};

use Kind::{DoubleFour, DoubleThree, Overline};

/// The kinds that apply at the marked cell, first told first; none where Black may play. Asked in all
/// eight symmetries, and of White, whom nothing is forbidden.
fn assert_forbidden(diagram: &str, kinds: &[Kind]) {
    let first = kinds.first().copied();
    let expected = first.map_or(Verdict::Legal, Verdict::Forbidden);
    for (board, asked) in turned(diagram) {
        let told = evidence(&board, asked);
        let shown = format!("{asked}{board:?}");
        assert_eq!(told.kinds().collect::<Vec<_>>(), kinds, "{shown}");
        assert_eq!(told.verdict, expected, "{shown}");
        assert_eq!(verdict(&board, asked), expected, "{shown}");
        let (grid, place) = (bridge::grid_of(&board), bridge::place(asked, board.size()));
        let word = first.map_or("legal", Kind::name);
        assert_eq!(oracle::judge(&grid, place), word, "{shown}");
        let (fours, threes) = oracle::shapes(&grid, place);
        let shapes = (told.fours.len(), told.threes.len());
        assert_eq!(shapes, (fours.len(), threes.len()), "{shown}");
        let refusal = first.map_or(Ok(()), |kind| Err(PlayError::Forbidden(kind)));
        assert_eq!(
            position(Rule::Renju, &board, Color::Black).check(asked),
            refusal,
            "{shown}"
        );
        assert_eq!(
            position(Rule::Renju, &board, Color::White).check(asked),
            Ok(()),
            "{shown}"
        );
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
            assert_eq!(
                position(rule, &board, Color::Black).check(asked),
                Ok(()),
                "{rule} {shown}"
            );
        }
    }
}

/// The marked cell makes a five, whatever else it makes: Black wins there.
fn assert_five(diagram: &str) {
    for (board, asked) in turned(diagram) {
        let told = evidence(&board, asked);
        assert_eq!(told.verdict, Verdict::Five, "{asked}{board:?}");
        assert_eq!(verdict(&board, asked), Verdict::Five, "{asked}{board:?}");
        assert_eq!(told.kinds().next(), None, "{asked}{board:?}");
        let mut position = position(Rule::Renju, &board, Color::Black);
        assert_eq!(position.play(asked), Ok(()), "{asked}{board:?}");
        assert_eq!(
            position.status(),
            won(Color::Black, WinReason::Five),
            "{board:?}"
        );
    }
}

fn turned(diagram: &str) -> impl Iterator<Item = (Board, Cell)> {
    let (board, asked) = marked(diagram);
    Symmetry::ALL.into_iter().map(move |symmetry| {
        let turned = symmetry.apply_board(&board);
        (turned, symmetry.apply(asked, board.size()))
    })
}

/// A line through the marked cell, in the middle of an otherwise empty board.
fn line_alone(line: &str) -> String {
    let blank = format!("{}\n", ".".repeat(line.len()));
    let above = line.len() / 2;
    format!(
        "{}{line}\n{}",
        blank.repeat(above),
        blank.repeat(line.len() - 1 - above)
    )
}

/// The same with an open three down the column of the marked cell.
fn line_with_a_three(line: &str) -> String {
    let column = line.find('*').expect("a cell is marked");
    let mut rows: Vec<String> = line_alone(line).lines().map(str::to_owned).collect();
    let middle = line.len() / 2;
    for row in [middle - 1, middle - 2] {
        rows[row].replace_range(column..=column, "x");
    }
    rows.join("\n")
}

#[test]
fn black_overline_is_forbidden_in_renju() {
    for line in [
        "...xxxx*x......",
        "....xxx*xx.....",
        "....xxx*xxx....",
        "...xxxx*xxxx...",
        "..oxx*xxxo.....",
        "..ox*xxxxo.....",
    ] {
        assert_forbidden(&line_alone(line), &[Overline]);
    }
    // Not yet an overline: a gap is left.
    for line in ["..*xx.xxx......", "xxx.*xx........", "...*.xxxx......"] {
        assert_forbidden(&line_alone(line), &[]);
    }
}

#[test]
fn an_overline_along_the_edge_is_forbidden_too() {
    let below = "\n......".repeat(5);
    for line in ["xx*xxx", "xxxx*x", "x*xxxx"] {
        assert_forbidden(&format!("{line}{below}"), &[Overline]);
    }
    assert_forbidden(&format!("*xx.xx{below}"), &[]);
}

#[test]
fn an_overline_is_told_before_the_fours_and_threes_it_comes_with() {
    assert_forbidden(
        ".........
         ....x....
         ....x....
         ....x....
         .xxx*xx..
         ...x.....
         ..x......
         .x.......
         .........",
        &[Overline, DoubleFour],
    );
    assert_forbidden(
        "...........
         ...........
         ...........
         .....x.....
         .....x.....
         ..xxx*xx...
         ....x......
         ...x.......
         ...........
         ...........
         ...........",
        &[Overline, DoubleThree],
    );
}

#[test]
fn two_fours_in_two_lines_are_forbidden() {
    assert_forbidden(
        ".........
         ....x....
         ....x....
         ....x....
         .xxx*....
         .........
         .........
         .........
         .........",
        &[DoubleFour],
    );
    // Closed fours count as well as straight ones, and broken ones as well as unbroken ones.
    assert_forbidden(
        "....o....
         ....x....
         ....x....
         .........
         oxxx*....
         ....x....
         .........
         .........
         .........",
        &[DoubleFour],
    );
    assert_forbidden(
        ".........
         .x.......
         ..x......
         .........
         ....*.xxx
         .....x...
         .........
         .........
         .........",
        &[DoubleFour],
    );
}

#[test]
fn two_fours_in_one_line_are_forbidden() {
    for line in [
        "....x.x*x.x....",
        "....x.*xx.x....",
        "....x.xx*.x....",
        "....xx.*x.xx...",
        "...xx.x*.xx....",
        "...xxx.*.xxx...",
        "...ox.x*x.xo...",
        "..oxx.x*.xxo...",
        "..oxxx.*.xxxo..",
    ] {
        assert_forbidden(&line_alone(line), &[DoubleFour]);
    }
    for line in ["x.x*x.x", "xx.*x.xx", "xxx.*.xxx"] {
        let rows = line.len() - 1;
        let blank = format!("\n{}", ".".repeat(line.len()));
        assert_forbidden(&format!("{line}{}", blank.repeat(rows)), &[DoubleFour]);
    }
}

#[test]
fn one_four_is_allowed_and_a_straight_four_is_one() {
    for line in [
        "....xxx*.......",
        "...oxxx*.......",
        ".....xx*x......",
        "....xx.*x......",
        "...oxxx*o......",
        // The new stone is no part of the second four.
        "*.xxx.x........",
        ".......xx.xx.*x",
        // What would make six is no four.
        "....xx.*xx.....",
        "..xx.xx*.x.....",
    ] {
        assert_forbidden(&line_alone(line), &[]);
    }
}

#[test]
fn four_stones_that_only_a_six_would_complete_are_no_four() {
    // Down the column there is a four; the cell is forbidden exactly if the row is one too.
    for (line, is_four) in [
        ("....xxx*.......", true),
        ("..x.xxx*.......", true), // the right end makes five, the left one six
        ("..x.xxx*.x.....", false), // both ends make six
        ("..x.xxx*o......", false), // one end makes six, the other is closed
        ("...o.xx*x.x....", true),
        ("....xx.*xx.....", false), // the gap makes six
        ("....xx.*x......", true),
        ("...xxx.*xx.....", false),
        ("...x.xx*o......", true),
        ("..xx.xx*o......", false),
    ] {
        let mut rows: Vec<String> = line_alone(line).lines().map(str::to_owned).collect();
        for row in &mut rows[4..7] {
            row.replace_range(7..8, "x");
        }
        let kinds: &[Kind] = if is_four { &[DoubleFour] } else { &[] };
        assert_forbidden(&rows.join("\n"), kinds);
    }
}

#[test]
fn four_and_three_is_allowed() {
    assert_forbidden(&line_with_a_three("....xxx*......."), &[]);
    assert_forbidden(&line_with_a_three("...oxxx*......."), &[]);
    assert_forbidden(&line_with_a_three("....xx.*x......"), &[]);
}

#[test]
fn four_and_two_threes_are_a_double_three() {
    assert_forbidden(
        "...........
         ...........
         ...........
         .....x.x...
         .....xx....
         ..xxx*.....
         ...........
         ...........
         ...........
         ...........
         ...........",
        &[DoubleThree],
    );
}

#[test]
fn two_fours_and_a_three_are_a_double_four() {
    assert_forbidden(
        "...........
         ...........
         .....x.....
         .....x.x...
         .....xx....
         ..xxx*.....
         ...........
         ...........
         ...........
         ...........
         ...........",
        &[DoubleFour],
    );
}

#[test]
fn two_fours_and_two_threes_are_told_as_both_and_the_fours_first() {
    assert_forbidden(
        "...............
         ...............
         ...............
         ...............
         ...............
         .....x.x.......
         ......xx.......
         ....xx.*x.xx...
         ......x........
         .....x.........
         ...............
         ...............
         ...............
         ...............
         ...............",
        &[DoubleFour, DoubleThree],
    );
}

#[test]
fn case_7_a_three_needs_room_for_a_straight_four() {
    assert_forbidden(
        "...............
         ...............
         ...............
         ...............
         ...............
         ...............
         .......x.......
         ......x*x......
         .......x.......
         ...............
         ...............
         ...............
         ...............
         ...............
         ...............",
        &[DoubleThree],
    );
    assert_forbidden(
        "...............
         ...............
         ...............
         ...............
         ...............
         ...............
         .......x.......
         ....o.x*x.o....
         .......x.......
         ...............
         ...............
         ...............
         ...............
         ...............
         ...............",
        &[],
    );
    // With a sure three down the column, the cell is forbidden exactly if the row is a three.
    for (line, is_three) in [
        (".....xx*.......", true),
        ("......x*x......", true),
        (".......*xx.....", true),
        ("....oxx*.......", false), // closed
        ("...o.xx*.......", true),  // room to the right
        ("...o.xx*.o.....", false), // one free cell at each end
        ("..o..xx*.o.....", true),  // two and one
        ("...o.xx*..o....", true),
        ("....x.x*.......", true), // broken
        ("...ox.x*.......", false),
        ("....x.x*o......", false),
        ("..o.x.x*.o.....", true), // four cells and both ends
        ("...o.x.*x.o....", true),
        ("....ox.*x.o....", false),
        ("....x..*x......", false), // two gaps
        ("...x..x*.......", false),
        ("..x..xx*.......", true), // the far stone spoils one cell, not the other
        ("..x..xx*..x....", false), // far stones spoil both: they would make six
        ("..o..xx*..x....", true),
        ("..x..xx*.o.....", false),
        (".x.x.x.*.......", false),
        ("...xo.x*x.ox...", false), // one free cell at each end
        ("...xo.x*x..o...", true),
    ] {
        let kinds: &[Kind] = if is_three { &[DoubleThree] } else { &[] };
        assert_forbidden(&line_with_a_three(line), kinds);
    }
}

#[test]
fn the_edge_of_the_board_ends_a_three_like_a_white_stone() {
    for (line, is_three) in [
        ("xx*........", false), // no room on the edge
        ("x*x........", false),
        ("*xx........", false),
        (".xx*.......", true),
        (".x*x.......", true),
        (".*xx.......", true),
        ("x.x*.......", false),
        (".x.x*......", true),
        (".xx*.o.....", false),
        (".xx*..o....", true),
        ("........*xx", false),
        (".......*xx.", true),
        ("......*x.x.", true),
        ("......*x.xo", false),
    ] {
        let kinds: &[Kind] = if is_three { &[DoubleThree] } else { &[] };
        assert_forbidden(&line_with_a_three(line), kinds);
    }
}

#[test]
fn threes_in_any_two_directions_are_a_double_three() {
    let steps = [(0, 1), (1, 0), (1, 1), (1, -1)];
    for (index, one) in steps.into_iter().enumerate() {
        for other in &steps[index + 1..] {
            let mut grid = oracle::empty(15);
            for (down, right) in [one, *other] {
                for k in [1, -1] {
                    let (row, column) = (7 + k * down, 7 + k * right);
                    grid[row as usize][column as usize] = oracle::BLACK;
                }
            }
            let mut diagram = bridge::board_of(&grid).to_string();
            diagram.replace_range(7 * 16 + 7..7 * 16 + 8, "*");
            assert_forbidden(&diagram, &[DoubleThree]);
        }
    }
}

#[test]
fn case_8_three_with_one_beyond_a_gap_is_a_four_and_no_three() {
    // f8 g8 h8 . j8
    assert_forbidden(&line_alone(".....xx*.x....."), &[]);
    assert_forbidden(&line_with_a_three(".....xx*.x....."), &[]);
    let mut rows: Vec<String> = line_with_a_three(".....xx*.x.....")
        .lines()
        .map(str::to_owned)
        .collect();
    rows[4].replace_range(7..8, "x");
    assert_forbidden(&rows.join("\n"), &[DoubleFour]);
    let told = evidence(&board(15, "f8 g8 j8", ""), cell("h8"));
    assert_eq!(told.threes, []);
    let four = Four {
        direction: Direction::Horizontal,
        stones: cells("f8 g8 h8 j8"),
        five_cells: cells("i8"),
    };
    assert_eq!(told.fours, [four]);
}

#[test]
fn case_9_five_wins_whatever_else_the_stone_makes() {
    let board = board(15, "d8 e8 f8 g8 h9 h10 i7 j6", "");
    assert_eq!(verdict(&board, cell("h8")), Verdict::Five);
    // With a double three, a double four, an overline.
    assert_five(
        "...............
         ...............
         ...............
         ...............
         ...............
         .......x.......
         .......x.......
         ...xxxx*.......
         ........x......
         .........x.....
         ...............
         ...............
         ...............
         ...............
         ...............",
    );
    assert_five(
        "...............
         ...............
         ...............
         ...............
         .......x.......
         .......x.......
         .......x.......
         ...xxxx*.......
         ........x......
         .........x.....
         ..........x....
         ...............
         ...............
         ...............
         ...............",
    );
    assert_five(
        "...............
         ...............
         ...............
         ...............
         .......x.......
         .......x.......
         .......x.......
         ...xxxx*.......
         .......x.......
         .......x.......
         ...............
         ...............
         ...............
         ...............
         ...............",
    );
}

#[test]
fn case_6_a_three_whose_straight_four_cell_makes_a_five_is_no_three() {
    let diagram = "
        ...............
        ...............
        ...............
        ...............
        ...............
        .......x.......
        .......x.......
        .....x.*x......
        ......x........
        ......x........
        ......x........
        ......x........
        ......o........
        ...............
        ...............";
    assert_forbidden(diagram, &[]);
    // The three itself is told, and why it does not count.
    let (board, asked) = marked(diagram);
    let told = evidence(&board, asked);
    let row = &told.threes[0];
    assert_eq!(row.direction, Direction::Horizontal);
    assert!(!row.counts());
    assert_eq!(row.straight_four_cells[0].cell, cell("g8"));
    assert_eq!(row.straight_four_cells[0].evidence.verdict, Verdict::Five);
    // With two of the four stones below gone, the same three counts.
    assert_forbidden(
        &diagram.replacen("......x........", "...............", 2),
        &[DoubleThree],
    );
    // A second straight-four cell that makes no five lets the three count.
    let two_cells = diagram.replace(".....x.*x......", ".......*x......");
    let two_cells = two_cells.replace(".......*x......", ".......*xx.....");
    assert_forbidden(&two_cells, &[DoubleThree]);
}

#[test]
fn a_three_does_not_count_where_its_only_cell_is_an_overline() {
    let diagram = "
        ...............
        ...............
        ...............
        ...............
        ...............
        ......xx.......
        ......xx.......
        .....x.*x......
        ......x........
        ......x........
        ......x........
        ...............
        ...............
        ...............
        ...............";
    assert_forbidden(diagram, &[]);
    assert_reason(diagram, "g8", Verdict::Forbidden(Overline));
}

#[test]
fn a_three_does_not_count_where_its_only_cell_is_a_double_four() {
    let diagram = "
        ...............
        ...............
        ...............
        ...............
        ...............
        .......x.......
        .......x.......
        .....x.*x......
        ......x........
        ......x........
        ......x........
        ...............
        ...............
        ...............
        ...............";
    assert_forbidden(diagram, &[]);
    assert_reason(diagram, "g8", Verdict::Forbidden(DoubleFour));
    // White stones at both ends of the column leave no four there.
    let board = board(15, "h9 h10 f8 i8 g5 g6 g7", "g4 g9");
    assert_eq!(verdict(&board, cell("h8")), Verdict::Forbidden(DoubleThree));
}

#[test]
fn a_three_does_not_count_where_its_only_cell_is_a_double_three_itself() {
    let diagram = "
        ...............
        ...............
        ...............
        ...............
        ...............
        ....x..x.......
        .....x.x.......
        .....x.*x......
        ......x........
        ......x........
        ...............
        ...............
        ...............
        ...............
        ...............";
    assert_forbidden(diagram, &[]);
    assert_reason(diagram, "g8", Verdict::Forbidden(DoubleThree));
    // Where one of the inner threes is none, the outer one counts after all.
    let closed = diagram.replace(
        "...............\n        ....x..x.......",
        "...o...........\n        ....x..x.......",
    );
    assert_forbidden(&closed, &[DoubleThree]);
}

/// The row three of the marked cell has one straight-four cell, with this verdict.
fn assert_reason(diagram: &str, name: &str, verdict: Verdict) {
    let (board, asked) = marked(diagram);
    let told = evidence(&board, asked);
    let row = told
        .threes
        .iter()
        .find(|three| three.direction == Direction::Horizontal);
    let row = row.unwrap_or_else(|| panic!("there is a row three{board:?}"));
    assert!(!row.counts(), "{board:?}");
    let reasons: Vec<(Cell, Verdict)> = row
        .straight_four_cells
        .iter()
        .map(|extension| (extension.cell, extension.evidence.verdict))
        .collect();
    assert_eq!(reasons, [(cell(name), verdict)], "{board:?}");
    // The reason is told in full: it is what a question about that cell would answer.
    let mut later = board.clone();
    later.put(asked, Color::Black);
    assert_eq!(
        row.straight_four_cells[0].evidence,
        evidence(&later, cell(name))
    );
}

#[test]
fn evidence_names_the_stones_of_both_threes_and_their_cells() {
    let told = evidence(&board(15, "h7 h9 g8 i8", ""), cell("h8"));
    assert_eq!(told.verdict, Verdict::Forbidden(DoubleThree));
    assert!(told.fives.is_empty() && told.overlines.is_empty() && told.fours.is_empty());
    let [row, column] = &told.threes[..] else {
        panic!("two threes: {told:?}");
    };
    assert_eq!(row.direction, Direction::Horizontal);
    assert_eq!(row.stones, cells("g8 h8 i8"));
    assert_eq!(extensions(row), cells("f8 j8"));
    assert_eq!(column.direction, Direction::Vertical);
    assert_eq!(column.stones, cells("h7 h8 h9"));
    assert_eq!(extensions(column), cells("h6 h10"));
    for three in [row, column] {
        assert!(three.counts());
        for extension in &three.straight_four_cells {
            let inner = &extension.evidence;
            assert_eq!(inner.verdict, Verdict::Legal);
            // Each of them makes the straight four.
            let [four] = &inner.fours[..] else {
                panic!("one four: {inner:?}");
            };
            assert_eq!(four.five_cells.len(), 2);
            assert_eq!(four.direction, three.direction);
            assert!(three.stones.iter().all(|stone| four.stones.contains(stone)));
        }
    }
}

fn extensions(three: &Three) -> Vec<Cell> {
    three
        .straight_four_cells
        .iter()
        .map(|extension| extension.cell)
        .collect()
}

#[test]
fn evidence_names_each_four_with_the_cells_that_complete_it() {
    let fours = |black: &str, white: &str| evidence(&board(15, black, white), cell("h8")).fours;
    let four = |direction, stones: &str, five_cells: &str| Four {
        direction,
        stones: cells(stones),
        five_cells: cells(five_cells),
    };
    let row = Direction::Horizontal;
    assert_eq!(fours("e8 f8 g8", ""), [four(row, "e8 f8 g8 h8", "d8 i8")]);
    assert_eq!(fours("e8 f8 g8", "d8"), [four(row, "e8 f8 g8 h8", "i8")]);
    assert_eq!(fours("e8 f8 g8", "d8 i8"), []);
    assert_eq!(fours("e8 f8 g8 b8", "d8"), [four(row, "e8 f8 g8 h8", "i8")]);
    assert_eq!(fours("f8 g8 d8", ""), [four(row, "d8 f8 g8 h8", "e8")]);
    // A stone one beyond the end: that end would make six.
    assert_eq!(fours("e8 f8 g8 c8", ""), [four(row, "e8 f8 g8 h8", "i8")]);
    let two = [
        four(row, "e8 g8 h8 i8", "f8"),
        four(row, "g8 h8 i8 k8", "j8"),
    ];
    assert_eq!(fours("e8 g8 i8 k8", ""), two);
    let two = [
        four(row, "e8 f8 g8 h8", "d8 i8"),
        four(Direction::Vertical, "h8 h9 h10 h11", "h12"),
    ];
    assert_eq!(fours("e8 f8 g8 h9 h10 h11", "h7"), two);
    let two = [
        four(Direction::Diagonal, "e11 f10 g9 h8", "d12 i7"),
        four(Direction::Antidiagonal, "h8 i9 j10 l12", "k11"),
    ];
    assert_eq!(fours("e11 f10 g9 i9 j10 l12", ""), two);
}

#[test]
fn evidence_names_the_rows_of_five_and_of_six() {
    let told = evidence(&board(15, "d8 e8 f8 g8 h5 h6 h7 h9 h10", ""), cell("h8"));
    assert_eq!(told.verdict, Verdict::Five);
    assert_eq!(told.fives.len(), 1);
    assert_eq!(told.fives[0].direction, Direction::Horizontal);
    assert_eq!(told.fives[0].cells, cells("d8 e8 f8 g8 h8"));
    assert_eq!(told.overlines.len(), 1);
    assert_eq!(told.overlines[0].direction, Direction::Vertical);
    assert_eq!(told.overlines[0].cells, cells("h5 h6 h7 h8 h9 h10"));
}

/// A board climbed to for the size of the evidence at m13: whole, it would tell of 1,365,610 cells.
const TANGLE: &str = "\
.........................\n\
.........................\n\
..o.x.x.x.x.x.xx.x..xxx..\n\
....xx.x..xx....x..xx.x..\n\
.....x...x.xx.x.x.o.x....\n\
..x...x...x..x..x....oo..\n\
...xxxx..x..x..x......x..\n\
...ox.xox.x..x..x....o...\n\
...x.....xx....xx...xx...\n\
...x...x..x..x..xx.xxx...\n\
....xxx.x..xxx......x....\n\
..xx...x.o..o...xx.......\n\
...x.....x.x...xo........\n\
.....xx.....xx...oxx.xx..\n\
...xx....xx...xxxx.x.x...\n\
..x.x..xxx...x..x...xx...\n\
.....x.x..xx..x...x.x....\n\
...x.xx.x............xx..\n\
..xx..x..x.....x...x.x...\n\
....xx....xx....x.x......\n\
..ox.x.x.xx.xxx.x.xx.xx..\n\
.....x.x......xx....xx...\n\
....x....xx.xx...x..x....\n\
.........................\n\
.........................";

/// The cells that evidence tells of, and whether any of it is cut.
fn extent(evidence: &Evidence) -> (usize, bool) {
    let cells = evidence
        .threes
        .iter()
        .flat_map(|three| &three.straight_four_cells);
    let parts = cells.map(|cell| extent(&cell.evidence));
    parts.fold((1, evidence.is_cut), |(told, cut), part| {
        (told + part.0, cut || part.1)
    })
}

#[test]
fn evidence_of_any_board_is_bounded_and_its_verdict_stands() {
    let board: Board = TANGLE.parse().unwrap();
    let asked = cell("m13");
    let told = evidence(&board, asked);
    let (cells, is_cut) = extent(&told);
    assert!(is_cut && cells <= MOST_TOLD, "{cells} cells");
    assert!(
        cells > 20,
        "only {cells} cells are told: more levels have room"
    );
    assert_eq!(told.verdict, Verdict::Forbidden(DoubleThree));
    assert_eq!(told.kinds().collect::<Vec<_>>(), [DoubleThree]);
    // What is told is told of two threes that count, and no level of one of them is missing at the top.
    assert!(!told.is_cut && told.threes.iter().filter(|three| three.counts()).count() >= 2);
    for asked in board.size().cells().filter(|cell| board.is_empty(*cell)) {
        let told = evidence(&board, asked);
        assert_eq!(told.verdict, verdict(&board, asked), "{asked}");
        assert!(extent(&told).0 <= MOST_TOLD, "{asked}");
    }
}

#[test]
fn evidence_of_games_is_never_cut() {
    let board = board(15, "h7 h9 g8 i8", "");
    assert_eq!(extent(&evidence(&board, cell("h8"))), (5, false));
}

#[test]
fn a_lone_stone_makes_nothing() {
    let empty = Evidence {
        verdict: Verdict::Legal,
        fives: Vec::new(),
        overlines: Vec::new(),
        fours: Vec::new(),
        threes: Vec::new(),
        is_cut: false,
    };
    for lines in crate::SIZES {
        let board = board(lines, "", "");
        for asked in board.size().cells() {
            assert_eq!(verdict(&board, asked), Verdict::Legal);
            assert_eq!(evidence(&board, asked), empty);
        }
    }
}

#[test]
fn white_is_free_of_every_restriction_and_wins_with_six() {
    let board = board(15, "", "c8 d8 e8 g8 h8");
    let mut white = position(Rule::Renju, &board, Color::White);
    assert_eq!(white.forbidden_cells().count(), 0);
    assert_eq!(white.play(cell("f8")), Ok(()));
    assert_eq!(white.status(), won(Color::White, WinReason::Overline));
}

#[test]
fn a_forbidden_stone_in_a_record_stands_and_white_wins() {
    for (moves, kind) in [
        ("c8a1d8c1e8e1g8g1h8i1f8", Overline),
        ("e8a1f8c1g8e1h9g1h10i1h11k1h8", DoubleFour),
        ("g8a1i8c1h7e1h9g1h8", DoubleThree),
    ] {
        let ended = replay(Rule::Renju, moves);
        let plies = ended.plies();
        assert_eq!(faults(&ended), [format!("{plies} forbidden_{kind}")]);
        assert_eq!(plies % 2, 1, "Black played last");
        assert_eq!(ended.ended_at(), Some(plies));
        let status = won(Color::White, WinReason::Forbidden(kind));
        assert_eq!(ended.position().status(), status);
        assert_eq!(ended.position().winning_lines(), []);
        assert_eq!(ended.position().legal_cells().count(), 0);
        assert_eq!(
            usize::from(ended.position().board().stones().black),
            plies / 2 + 1
        );
        for more in ["o15", "h8", "pass", "z9", "o15o14"] {
            let longer = replay(Rule::Renju, &format!("{moves}{more}"));
            assert_eq!(longer.position(), ended.position(), "{more}");
            assert_eq!(longer.plies(), plies);
            let after = &faults(&longer)[1..];
            assert!(!after.is_empty());
            assert!(
                after.iter().all(|fault| fault.ends_with(" after_game_end")),
                "{more}"
            );
        }
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
            assert!(replay(rule, moves).is_legal(), "{rule} forbids nothing");
        }
    }
}

#[test]
fn a_refused_stone_leaves_the_position_as_it_was() {
    let board = board(15, "h7 h9 g8 i8", "a1 c1 e1 g1");
    let mut black = position(Rule::Renju, &board, Color::Black);
    let before = black.clone();
    assert_eq!(
        black.play(cell("h8")),
        Err(PlayError::Forbidden(DoubleThree))
    );
    assert_eq!(black, before);
    assert_eq!(black.forbidden_cells().collect::<Vec<_>>(), cells("h8"));
    assert!(!black.legal_cells().any(|legal| legal == cell("h8")));
    assert_eq!(black.play(cell("h7")), Err(PlayError::Occupied));
    assert_eq!(black.play(cell("p16")), Err(PlayError::OffBoard));
    assert_eq!(black, before);
    assert_eq!(black.status(), Status::Ongoing);
    let new = Position::new(Rule::Renju, board.size());
    assert_eq!(new.forbidden_cells().count(), 0);
}
