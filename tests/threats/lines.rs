//! One line with its threats, each kind under each rule. The line lies in the middle row of a board that
//! has nothing else on it, as long as the line: its ends are the edges of the board.

use tengen::board::{Board, Color};
use tengen::rules::Rule;

use crate::survey;

const ALL: &[Rule] = &Rule::ALL;
const FREE: &[Rule] = &[Rule::Freestyle];
const CARO: &[Rule] = &[Rule::Caro];
const EXACT: &[Rule] = &[Rule::Standard, Rule::Renju, Rule::Caro];
const NOT_CARO: &[Rule] = &[Rule::Freestyle, Rule::Standard, Rule::Renju];
const FIVE_ONLY: &[Rule] = &[Rule::Standard, Rule::Renju];

/// Under each of these rules the line has these threats of both colours and no others: kind, stones,
/// gains after `+`, defence after `-`, all as letters of columns.
#[track_caller]
fn assert_line(rules: &[Rule], line: &str, threats: &[&str]) {
    let size = line.len();
    let other = ".".repeat(size);
    let rows = (0..size).map(|row| if row == size / 2 { line } else { &other });
    let rows: Vec<&str> = rows.collect();
    let board: Board = rows.join("\n").parse().unwrap();
    for rule in rules {
        let survey = survey(*rule, &board, Color::Black);
        let found = survey.threats.iter().map(|threat| {
            let letters = |cells: &[tengen::board::Cell]| -> String {
                cells
                    .iter()
                    .map(|cell| char::from(b'a' + cell.column()))
                    .collect()
            };
            let pattern = &threat.pattern;
            let (cells, gain) = (letters(&pattern.cells), letters(&pattern.gain));
            let text = format!(
                "{} {cells} +{gain} -{}",
                pattern.kind.name(),
                letters(&threat.defence)
            );
            text
        });
        let found: Vec<_> = found.collect();
        assert_eq!(found, threats, "{rule} {line}");
        assert_eq!(survey.threat_count, threats.len());
    }
}

#[test]
fn an_open_four_is_stopped_by_nothing() {
    assert_line(ALL, ".xxxx..", &["open_four bcde +af -"]);
    assert_line(ALL, ".oooo..", &["open_four bcde +af -"]);
    assert_line(NOT_CARO, "o.xxxx.o", &["open_four cdef +bg -"]);
    assert_line(NOT_CARO, "o.xxxx..o", &["open_four cdef +bg -"]);
}

#[test]
fn a_stone_that_shuts_in_both_fives_makes_caros_four_a_plain_one() {
    // A stone on b or g takes one five and shuts in the other.
    assert_line(CARO, "o.xxxx.o", &["four cdef +bg -bg"]);
    assert_line(CARO, "o.xxxx..o", &["four cdef +bg -g"]);
    assert_line(CARO, "o..xxxx..o", &["open_four defg +ch -"]);
    // The edge does not shut in, but the stone on g does.
    assert_line(CARO, ".xxxx..", &["open_four bcde +af -"]);
    assert_line(CARO, ".xxxx.o", &["four bcde +af -a"]);
}

#[test]
fn a_four_has_one_end() {
    assert_line(NOT_CARO, "oxxxx..", &["four bcde +f -f"]);
    assert_line(ALL, "xxxx...", &["four abcd +e -e"]);
    assert_line(ALL, "oxxxxo.", &[]);
    // In caro the five can also be shut in from behind.
    assert_line(CARO, "oxxxx..", &["four bcde +f -fg"]);
    assert_line(CARO, "oxxxx.", &["four bcde +f -f"]);
}

#[test]
fn caros_shut_in_fives_are_no_gain() {
    assert_line(NOT_CARO, "oxxxx.o", &["four bcde +f -f"]);
    assert_line(CARO, "oxxxx.o", &[]);
    assert_line(NOT_CARO, "oxx.xxo", &["broken_four bcef +d -d"]);
    assert_line(CARO, "oxx.xxo", &[]);
}

#[test]
fn a_broken_four_has_its_gain_in_the_gap() {
    assert_line(ALL, "x.xxx..", &["broken_four acde +b -b"]);
    assert_line(ALL, ".xxx.x.", &["broken_four bcdf +e -e"]);
    assert_line(ALL, "xx.xx..", &["broken_four abde +c -c"]);
    assert_line(NOT_CARO, "oxx.xx.", &["broken_four bcef +d -d"]);
    assert_line(CARO, "oxx.xx.", &["broken_four bcef +d -dg"]);
}

#[test]
fn two_fours_in_one_line_are_two() {
    let fours = ["broken_four acde +b -b", "broken_four cdeg +f -f"];
    assert_line(ALL, "x.xxx.x", &fours);
    let fours = ["broken_four abde +c -c", "broken_four degh +f -f"];
    assert_line(ALL, "xx.xx.xx", &fours);
    let fours = ["broken_four abce +d -d", "broken_four eghi +f -f"];
    assert_line(ALL, "xxx.x.xxx", &fours);
}

#[test]
fn an_overline_is_a_gain_only_where_it_wins() {
    assert_line(FREE, "xxxx.x", &["four abcd +e -e"]);
    assert_line(EXACT, "xxxx.x", &[]);
    // A four beside a longer gap is told by its own stones; what is beyond may be a two as well.
    let beside = ["four efgh +i -i", "two jk +lm -ilmn"];
    assert_line(FREE, "...oxxxx.xx....", &beside);
    assert_line(FREE, "xxx.xxx", &["broken_four abcefg +d -d"]);
    assert_line(EXACT, "xxx.xxx", &[]);
    // White wins with it in renju.
    let whites = &[Rule::Freestyle, Rule::Renju];
    assert_line(whites, "oooo.o", &["four abcd +e -e"]);
    assert_line(whites, "ooo.ooo", &["broken_four abcefg +d -d"]);
    assert_line(&[Rule::Standard, Rule::Caro], "oooo.o", &[]);
    // The far stone leaves an exact five one end, and takes nothing from a free one.
    assert_line(FREE, ".xxxx.x", &["open_four bcde +af -"]);
    assert_line(FIVE_ONLY, ".xxxx.x", &["four bcde +a -a"]);
    let both = ["four abcd +e -e", "four fghi +e -e"];
    assert_line(FREE, "xxxx.xxxx", &both);
}

#[test]
fn an_open_three_is_stopped_at_both_ends() {
    assert_line(NOT_CARO, "..xxx..", &["open_three cde +bf -bf"]);
    // In caro a stone further out is enough: the open four would have a five that is shut in.
    assert_line(CARO, "..xxx..", &["open_three cde +bf -abfg"]);
    assert_line(CARO, "...xxx...", &["open_three def +cg -bcgh"]);
}

#[test]
fn a_three_blocked_two_away_is_open_on_one_side_only() {
    assert_line(NOT_CARO, "o.xxx..", &["open_three cde +f -bfg"]);
    assert_line(CARO, "o.xxx..", &[]);
    assert_line(ALL, "o.xxx.o", &[]);
    assert_line(ALL, "oxxx...", &[]);
}

#[test]
fn the_edge_of_the_board_takes_a_place_from_a_three() {
    assert_line(NOT_CARO, ".xxx...", &["open_three bcd +e -aef"]);
    assert_line(CARO, ".xxx...", &["open_three bcd +e -aefg"]);
    assert_line(ALL, ".xxx.", &[]);
    assert_line(ALL, "xxx....", &[]);
    assert_line(ALL, ".xxx..", &["open_three bcd +e -aef"]);
}

#[test]
fn a_broken_three_has_its_gain_in_the_gap() {
    assert_line(NOT_CARO, "..x.xx..", &["broken_three cef +d -bdg"]);
    assert_line(CARO, "..x.xx..", &["broken_three cef +d -abdgh"]);
    assert_line(ALL, "x.xx..", &[]);
}

#[test]
fn a_far_stone_takes_an_exact_three_one_of_its_gains() {
    assert_line(FREE, "x..xxx..", &["open_three def +cg -cg"]);
    assert_line(FIVE_ONLY, "x..xxx..", &["open_three def +g -cgh"]);
}

#[test]
fn what_lies_within_a_four_is_no_three_of_its_own() {
    // In freestyle a also makes an open four of the three on the left.
    assert_line(FREE, "..xxx.x.", &["broken_four cdeg +f -f"]);
    assert_line(FIVE_ONLY, "..xxx.x.", &["broken_four cdeg +f -f"]);
}

#[test]
fn a_two_is_on_its_way_to_a_three() {
    assert_line(NOT_CARO, "...xx...", &["two de +bcfg -cf"]);
    assert_line(CARO, "...xx...", &["two de +bcfg -bcfg"]);
    assert_line(ALL, "..x..", &[]);
    assert_line(ALL, ".xx..", &[]);
    assert_line(ALL, "oxx....", &[]);
    assert_line(NOT_CARO, ".x..x.", &["two be +cd -acdf"]);
}

#[test]
fn a_won_row_is_a_five_and_has_no_gain() {
    assert_line(ALL, ".xxxxx.", &["five bcdef + -"]);
    assert_line(FREE, "xxxxxx.", &["five abcdef + -"]);
    assert_line(EXACT, "xxxxxx.", &[]);
    assert_line(&[Rule::Renju], "oooooo.", &["five abcdef + -"]);
    assert_line(NOT_CARO, "oxxxxxo", &["five bcdef + -"]);
    assert_line(CARO, "oxxxxxo", &[]);
    // What would join a five that stands already makes none.
    assert_line(ALL, "xxxxx.xx......", &["five abcde + -"]);
}
