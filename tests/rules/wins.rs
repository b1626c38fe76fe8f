//! What wins under which rule: lengths, gaps, two lines at once, closed ends, full boards.

use tengen::board::{Board, BoardSize, Cell, Color, Direction};
use tengen::record::{Ply, Record};
use tengen::rules::forbidden::Kind;
use tengen::rules::{
    IllegalPosition, LineWords, PlayError, Position, Rule, Status, WinReason, scan, winning_lines,
};

use crate::oracle::{self, bridge};
use crate::{BOARD_FULL, SIZES, board, cell, cells, faults, position, replay, stones, won};

const FIVE: WinReason = WinReason::Five;
const OVERLINE: WinReason = WinReason::Overline;

/// Plays the cell marked `*` of a diagram for `x` or for `o`, and tells what came of it.
fn play_marked(rule: Rule, color: Color, diagram: &str) -> Result<Position, PlayError> {
    let (board, marked) = marked(diagram);
    let mut position = position(rule, &board, color);
    assert_eq!(position.status(), Status::Ongoing, "{rule}{board:?}");
    position.play(marked)?;
    // The three detections and the position agree on what is there now.
    let after = position.board();
    let has_row = LineWords::of(after).has_won(color, rule);
    assert_eq!(
        scan(after, rule)[color].is_empty(),
        !has_row,
        "{rule}{after:?}"
    );
    let rows = bridge::rows_of(position.winning_lines(), after.size());
    assert_eq!(rows.is_empty(), !has_row, "{rule}{after:?}");
    let by_oracle = oracle::winning_rows(
        &bridge::grid_of(after),
        rule.name(),
        bridge::color_of(color),
    );
    assert_eq!(rows, by_oracle, "{rule}{after:?}");
    let lines = winning_lines(after, marked, color, rule);
    assert_eq!(bridge::rows_of(lines.iter(), after.size()), rows);
    Ok(position)
}

/// A board and its one cell marked `*`.
pub(crate) fn marked(diagram: &str) -> (Board, Cell) {
    let board: Board = diagram
        .replace('*', ".")
        .parse()
        .unwrap_or_else(|error| panic!("{error} in {diagram}"));
    let marks = diagram
        .split_whitespace()
        .enumerate()
        .flat_map(|(row, text)| {
            let columns = text.chars().enumerate();
            columns
                .filter(|(_, mark)| *mark == '*')
                .map(move |(column, _)| (row, column))
        });
    let marks: Vec<_> = marks.collect();
    let [place] = marks[..] else {
        panic!("one cell is marked in {diagram}");
    };
    let marked = bridge::cell(place, board.size());
    (board, marked)
}

fn status_after(rule: Rule, color: Color, diagram: &str) -> Result<Status, PlayError> {
    play_marked(rule, color, diagram).map(|position| position.status())
}

/// A line as a diagram of its own: the top row of a board of that many lines.
fn on_a_board(line: &str) -> String {
    let below = format!("{}\n", ".".repeat(line.len()));
    format!("{line}\n{}", below.repeat(line.len() - 1))
}

fn swap_colors(diagram: &str) -> String {
    let swapped = diagram.chars().map(|character| match character {
        'x' => 'o',
        'o' => 'x',
        other => other,
    });
    swapped.collect()
}

#[test]
fn the_classic_rows_win_and_the_classic_others_do_not() {
    // (row, column) from the top left corner, as the first tests of such a game have them.
    let line = |places: [(u8, u8); 5]| {
        let cells = places.map(|(row, column)| Cell::from_row(row, column, BoardSize::DEFAULT));
        cells.map(|cell| cell.expect("the place is on the board"))
    };
    let winning = [
        [(7, 3), (7, 4), (7, 5), (7, 6), (7, 7)],
        [(3, 7), (4, 7), (5, 7), (6, 7), (7, 7)],
        [(3, 3), (4, 4), (5, 5), (6, 6), (7, 7)],
        [(3, 11), (4, 10), (5, 9), (6, 8), (7, 7)],
        [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)],
        [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)],
    ];
    let answers = cells("a1 c1 e1 g1");
    let played = |five: &[Cell]| {
        let mut plies = Vec::new();
        for (turn, stone) in five.iter().enumerate() {
            plies.push(Ply::Stone(*stone));
            plies.extend(answers.get(turn).copied().map(Ply::Stone));
        }
        plies
    };
    for rule in Rule::ALL {
        for five in winning.map(line) {
            let replay = Record::new(rule, BoardSize::DEFAULT, played(&five)).replay();
            assert_eq!(
                replay.position().status(),
                won(Color::Black, FIVE),
                "{rule}"
            );
            assert_eq!(replay.ended_at(), Some(9));
        }
        let broken = line([(7, 3), (7, 4), (7, 6), (7, 7), (7, 8)]);
        let replay = Record::new(rule, BoardSize::DEFAULT, played(&broken)).replay();
        assert_eq!(replay.position().status(), Status::Ongoing, "{rule}");
        let four = line(winning[0]);
        let replay = Record::new(rule, BoardSize::DEFAULT, played(&four[..4])).replay();
        assert_eq!(replay.position().status(), Status::Ongoing, "{rule}");
        assert_eq!(replay.position().to_move(), Color::Black);
    }
}

#[test]
fn case_1_five_into_the_corner_ends_the_game() {
    for rule in Rule::ALL {
        let replay = replay(rule, "o1a1n1c1m1e1l1g1k1");
        assert_eq!(replay.position().status(), won(Color::Black, FIVE));
        assert_eq!(replay.ended_at(), Some(9));
        assert!(replay.is_legal());
    }
}

#[test]
fn case_2_five_ends_the_game_at_once_and_a_tenth_stone_is_a_fault() {
    for rule in Rule::ALL {
        let replay = replay(rule, "h8a1h9c1h10e1h12g1h11o15");
        assert_eq!(replay.position().status(), won(Color::Black, FIVE));
        assert_eq!(replay.ended_at(), Some(9));
        assert_eq!(faults(&replay), ["10 after_game_end"]);
        assert_eq!(replay.plies(), 9);
        assert!(replay.position().board().is_empty(cell("o15")));
    }
}

#[test]
fn case_3_three_and_two_joined_are_six() {
    let moves = "c8a1d8c1e8e1g8g1h8i1f8";
    let status = |rule| replay(rule, moves).position().status();
    assert_eq!(status(Rule::Freestyle), won(Color::Black, OVERLINE));
    assert_eq!(status(Rule::Standard), Status::Ongoing);
    assert_eq!(status(Rule::Caro), Status::Ongoing);
    assert_eq!(
        replay(Rule::Standard, moves).position().to_move(),
        Color::White
    );
    let forbidden = WinReason::Forbidden(Kind::Overline);
    assert_eq!(status(Rule::Renju), won(Color::White, forbidden));
    assert_eq!(
        faults(&replay(Rule::Renju, moves)),
        ["11 forbidden_overline"]
    );
}

#[test]
fn case_4_a_diagonal_that_ends_in_the_last_column_wins() {
    for rule in Rule::ALL {
        let replay = replay(rule, "l5a1m4c1n3e1o2g1k6");
        assert_eq!(replay.position().status(), won(Color::Black, FIVE));
    }
}

#[test]
fn case_5_a_row_does_not_go_on_in_the_next_one() {
    for rule in Rule::ALL {
        let replay = replay(rule, "a15h8b15h9c15h10d15i8e14");
        assert_eq!(replay.position().status(), Status::Ongoing);
        assert!(replay.is_legal());
    }
}

#[test]
fn a_gap_filled_wins_whichever_stone_was_lacking() {
    for diagram in [
        "*xxxx....",
        "x*xxx....",
        "xx*xx....",
        "xxx*x....",
        "xxxx*....",
    ] {
        for (color, diagram) in [
            (Color::Black, on_a_board(diagram)),
            (Color::White, swap_colors(&on_a_board(diagram))),
        ] {
            for rule in Rule::ALL {
                let status = status_after(rule, color, &diagram);
                assert_eq!(status, Ok(won(color, FIVE)), "{rule} {diagram}");
            }
        }
    }
}

#[test]
fn two_pieces_joined_count_by_their_length_under_each_rule() {
    for (one, other) in [
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 3),
        (3, 4),
        (4, 2),
        (4, 3),
        (4, 4),
    ] {
        let line = format!(".{}*{}.....", "x".repeat(one), "x".repeat(other));
        let diagram = on_a_board(&line);
        let black = |rule| status_after(rule, Color::Black, &diagram);
        let white = |rule| status_after(rule, Color::White, &swap_colors(&diagram));
        let overline = |color| Ok(won(color, OVERLINE));
        assert_eq!(black(Rule::Freestyle), overline(Color::Black), "{line}");
        assert_eq!(white(Rule::Freestyle), overline(Color::White), "{line}");
        for rule in [Rule::Standard, Rule::Caro] {
            assert_eq!(black(rule), Ok(Status::Ongoing), "{rule} {line}");
            assert_eq!(white(rule), Ok(Status::Ongoing), "{rule} {line}");
        }
        let forbidden = Err(PlayError::Forbidden(Kind::Overline));
        assert_eq!(black(Rule::Renju), forbidden, "{line}");
        assert_eq!(white(Rule::Renju), overline(Color::White), "{line}");
    }
}

#[test]
fn a_six_that_grows_stays_no_win_where_exactly_five_is_asked() {
    // A whole row of the largest board, but for the gaps that are filled here one by one.
    let size = BoardSize::LARGEST;
    for rule in [Rule::Standard, Rule::Caro] {
        for color in Color::ALL {
            let mut board = Board::new(size);
            let row: Vec<Cell> = size.cells().take(25).collect();
            for (column, cell) in row.iter().enumerate() {
                if column % 4 != 3 {
                    board.put(*cell, color);
                }
            }
            for (column, cell) in row.iter().enumerate().filter(|(column, _)| column % 4 == 3) {
                let mut position = position(rule, &board, color);
                assert_eq!(position.play(*cell), Ok(()), "{rule} {column}");
                assert_eq!(position.status(), Status::Ongoing, "{rule} {column}");
                assert_eq!(position.winning_lines(), []);
                board.put(*cell, color);
            }
            let full_row = position(rule, &board, !color);
            assert_eq!(full_row.status(), Status::Ongoing, "{rule}");
        }
    }
}

/// Directions and lengths of the winning rows, in the order of the directions.
fn told(position: &Position) -> Vec<(Direction, i8)> {
    let lines = position.winning_lines();
    let mut told: Vec<(Direction, i8)> = lines
        .iter()
        .map(|line| (line.direction, line.length))
        .collect();
    told.sort_unstable();
    told
}

#[test]
fn two_rows_at_once_are_both_told() {
    let cross = "
        .........
        .........
        ....x....
        ....x....
        ..xx*xx..
        ....x....
        ....x....
        .........
        .........";
    for rule in Rule::ALL {
        let position = play_marked(rule, Color::Black, cross).expect("five wins");
        assert_eq!(position.status(), won(Color::Black, FIVE));
        let both = [(Direction::Horizontal, 5), (Direction::Vertical, 5)];
        assert_eq!(told(&position), both, "{rule}");
        let cells: Vec<Vec<Cell>> = position
            .winning_lines()
            .iter()
            .map(|line| line.cells().collect())
            .collect();
        assert_eq!(cells[0], crate::cells("c5 d5 e5 f5 g5"));
        assert_eq!(cells[1], crate::cells("e3 e4 e5 e6 e7"));
    }
}

#[test]
fn four_rows_at_once_are_all_told() {
    let star = "
        *xxxx...x
        xx.......
        x.x......
        x..x.....
        x...x....
        .........
        .........
        .........
        x........";
    let position = play_marked(Rule::Renju, Color::Black, star).expect("five wins");
    assert_eq!(
        told(&position),
        [
            (Direction::Horizontal, 5),
            (Direction::Vertical, 5),
            (Direction::Diagonal, 5)
        ]
    );
    let star = "
        x...x...x
        .x..x..x.
        ..x.x.x..
        ...xxx...
        xxxx*xxxx
        ...xxx...
        ..x.x.x..
        .x..x..x.
        x...x...x";
    let position = play_marked(Rule::Freestyle, Color::Black, star).expect("overlines win");
    assert_eq!(position.status(), won(Color::Black, OVERLINE));
    assert_eq!(
        told(&position),
        Direction::ALL.map(|direction| (direction, 9))
    );
    for rule in [Rule::Standard, Rule::Caro] {
        assert_eq!(status_after(rule, Color::Black, star), Ok(Status::Ongoing));
    }
    let small = "
        x.x.x
        .xxx.
        xx*xx
        .xxx.
        x.x.x";
    for rule in Rule::ALL {
        for (color, diagram) in [
            (Color::Black, small.into()),
            (Color::White, swap_colors(small)),
        ] {
            let position = play_marked(rule, color, &diagram).expect("fives win");
            assert_eq!(
                told(&position),
                Direction::ALL.map(|direction| (direction, 5)),
                "{rule}"
            );
        }
    }
}

#[test]
fn five_and_a_longer_row_at_once_win_by_the_five() {
    let diagram = "
        .........
        .........
        ....x....
        ....x....
        ..xx*xxx.
        ....x....
        ....x....
        .........
        .........";
    for rule in Rule::ALL {
        for (color, diagram) in [
            (Color::Black, diagram.into()),
            (Color::White, swap_colors(diagram)),
        ] {
            let position = play_marked(rule, color, &diagram).expect("five beats overline");
            assert_eq!(position.status(), won(color, FIVE), "{rule} {color}");
            let rows = told(&position);
            let longer_wins =
                rule == Rule::Freestyle || (rule, color) == (Rule::Renju, Color::White);
            if longer_wins {
                assert_eq!(rows, [(Direction::Horizontal, 6), (Direction::Vertical, 5)]);
            } else {
                assert_eq!(rows, [(Direction::Vertical, 5)], "{rule} {color}");
            }
        }
    }
}

#[test]
fn in_caro_five_wins_unless_enemy_stones_close_both_ends() {
    let wins = Ok(won(Color::Black, FIVE));
    let goes_on = Ok(Status::Ongoing);
    for (line, expected) in [
        (".xxxx*......", wins), // against the edge at neither end
        ("xxxx*.......", wins), // the edge at one end
        ("xxxx*o......", wins), // the edge does not close
        (".xxxx*o.....", wins), // closed at one end
        ("..oxxxx*....", wins),
        ("..oxxxx*o...", goes_on), // closed at both
        ("..oxx*xxo...", goes_on), // closed at both, whichever stone comes last
        ("..o*xxxxo...", goes_on),
        ("o.xxxx*o....", wins), // an enemy stone one further does not close
        ("o.xxxx*.o...", wins),
        (".....oxxxx*o", goes_on),
        ("......oxxxx*", wins),    // the edge at the other end
        (".oxxxx*xo...", goes_on), // six is nothing, closed or not
        ("..xxxx*x....", goes_on),
        ("..xxx*xxx...", goes_on),
    ] {
        let diagram = on_a_board(line);
        assert_eq!(
            status_after(Rule::Caro, Color::Black, &diagram),
            expected,
            "{line}"
        );
        let swapped = status_after(Rule::Caro, Color::White, &swap_colors(&diagram));
        let for_white = expected.map(|status| match status {
            Status::Won { by, .. } => won(Color::White, by),
            other => other,
        });
        assert_eq!(swapped, for_white, "{line}");
    }
}

#[test]
fn in_caro_edges_at_both_ends_do_not_close() {
    for line in ["*xxxx", "xx*xx", "xxxx*"] {
        let diagram = on_a_board(line);
        assert_eq!(
            status_after(Rule::Caro, Color::Black, &diagram),
            Ok(won(Color::Black, FIVE))
        );
    }
    for diagram in [
        "x....\n.x...\n..*..\n...x.\n....x",
        "....x\n...x.\n..*..\n.x...\nx....",
        "..x..\n..x..\n..*..\n..x..\n..x..",
    ] {
        assert_eq!(
            status_after(Rule::Caro, Color::Black, diagram),
            Ok(won(Color::Black, FIVE))
        );
    }
}

#[test]
fn in_caro_every_direction_can_be_closed() {
    for diagram in [
        "o......\n.x.....\n..x....\n...*...\n....x..\n.....x.\n......o",
        "......o\n.....x.\n....x..\n...*...\n..x....\n.x.....\no......",
        "...o...\n...x...\n...x...\n...*...\n...x...\n...x...\n...o...",
        ".......\n.......\n.......\noxx*xxo\n.......\n.......\n.......",
    ] {
        assert_eq!(
            status_after(Rule::Caro, Color::Black, diagram),
            Ok(Status::Ongoing),
            "{diagram}"
        );
        for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
            let status = status_after(rule, Color::Black, diagram);
            assert_eq!(status, Ok(won(Color::Black, FIVE)), "{rule} {diagram}");
        }
        let end = diagram.find('o').expect("both ends are closed");
        let half_open = format!("{}.{}", &diagram[..end], &diagram[end + 1..]);
        let status = status_after(Rule::Caro, Color::Black, &half_open);
        assert_eq!(status, Ok(won(Color::Black, FIVE)), "{half_open}");
    }
}

#[test]
fn in_caro_only_the_open_one_of_two_fives_is_told() {
    let diagram = "
        .........
        ....o....
        ....x....
        ....x....
        .oxx*xx..
        ....x....
        ....x....
        ....o....
        .........";
    let position = play_marked(Rule::Caro, Color::Black, diagram).expect("one five is open");
    assert_eq!(position.status(), won(Color::Black, FIVE));
    assert_eq!(told(&position), [(Direction::Horizontal, 5)]);
}

#[test]
fn in_caro_a_closed_five_does_not_win_later_either() {
    // Black's row h4 to h8 is closed at h3 and h9 before its last stone; the game goes on elsewhere.
    let moves = "h4h3h5h9h6a1h7a3h8a5o15a7o13";
    let replay = replay(Rule::Caro, moves);
    assert_eq!(replay.position().status(), Status::Ongoing);
    assert!(replay.is_legal());
    assert_eq!(scan(replay.position().board(), Rule::Caro).black, []);
}

#[test]
fn a_board_without_history_is_searched_everywhere_and_two_winners_are_refused() {
    let white_won = board(15, "a1 b1 c1 d1", "o11 o12 o13 o14 o15");
    for rule in Rule::ALL {
        let position = position(rule, &white_won, Color::Black);
        assert_eq!(position.status(), won(Color::White, FIVE), "{rule}");
        assert_eq!(told(&position), [(Direction::Vertical, 5)]);
        assert_eq!(position.legal_cells().count(), 0);
    }
    let both = board(15, "a1 b1 c1 d1 e1", "o11 o12 o13 o14 o15");
    for rule in Rule::ALL {
        let refused = Position::from_board(rule, both.clone(), Color::Black);
        assert_eq!(refused, Err(IllegalPosition::TwoWinners), "{rule}");
    }
    let overline = board(15, "a1 b1 c1 d1 e1", "o10 o11 o12 o13 o14 o15");
    let refused = |rule| Position::from_board(rule, overline.clone(), Color::Black).is_err();
    assert!(refused(Rule::Freestyle) && refused(Rule::Renju));
    assert!(!refused(Rule::Standard) && !refused(Rule::Caro));
}

/// A full board without five in a row: pairs along each row, each row the other way round.
fn full_board(lines: usize) -> Record {
    let size = bridge::size(lines);
    let (mut black, mut white) = (Vec::new(), Vec::new());
    for row in 0..lines {
        for column in 0..lines {
            let cell = bridge::cell((row, column), size);
            if (column / 2 + row) % 2 == 0 {
                black.push(cell);
            } else {
                white.push(cell);
            }
        }
    }
    let mut plies = Vec::new();
    for (turn, stone) in black.iter().enumerate() {
        plies.push(Ply::Stone(*stone));
        plies.extend(white.get(turn).copied().map(Ply::Stone));
    }
    Record::new(Rule::Freestyle, size, plies)
}

#[test]
fn a_full_board_without_a_winner_is_a_draw() {
    for lines in SIZES {
        let full = full_board(lines);
        for rule in Rule::ALL {
            let record = Record::new(rule, full.size(), full.plies().to_vec());
            let replay = record.replay();
            let board = replay.position().board();
            assert_eq!(faults(&replay), [""; 0], "{rule}{board:?}");
            assert_eq!(replay.position().status(), BOARD_FULL, "{rule}{board:?}");
            assert_eq!(replay.ended_at(), Some(lines * lines));
            assert_eq!(replay.position().winning_lines(), []);
            let again = Position::from_board(rule, board.clone(), Color::Black);
            assert_eq!(again.map(|position| position.status()), Ok(BOARD_FULL));
            let before = record.prefix(lines * lines - 1).replay();
            assert_eq!(before.position().status(), Status::Ongoing);
            assert_eq!(before.position().legal_cells().count(), 1);
            for more in [Ply::Pass, Ply::Stone(cell("a1")), Ply::stone_at(-1, 99)] {
                let plies = [full.plies(), &[more]].concat();
                let replay = Record::new(rule, full.size(), plies).replay();
                let told = [format!("{} after_game_end", lines * lines + 1)];
                assert_eq!(faults(&replay), told, "{rule}");
            }
        }
    }
}

#[test]
fn the_last_cell_can_win_instead_of_drawing() {
    let drawing: Board = "xxxxx\noxoxo\nooxxo\nxooxo\noxxoo"
        .parse()
        .expect("a board of five lines");
    let size = drawing.size();
    let of = |color| {
        let occupied = drawing.occupied().filter(move |(_, stone)| *stone == color);
        occupied.map(|(cell, _)| cell).collect::<Vec<Cell>>()
    };
    let (mut black, white) = (of(Color::Black), of(Color::White));
    // One cell of the top row comes last.
    black.rotate_left(3);
    let mut plies = Vec::new();
    for (turn, stone) in black.iter().enumerate() {
        plies.push(*stone);
        plies.extend(white.get(turn));
    }
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
        let record = Record::new(rule, size, stones(plies.clone()));
        let replay = record.replay();
        assert_eq!(
            replay.position().status(),
            won(Color::Black, FIVE),
            "{rule}"
        );
        assert_eq!(replay.ended_at(), Some(25));
    }
}
