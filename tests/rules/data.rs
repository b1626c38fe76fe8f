//! Positions with known answers; where they come from, `tests/data/README.md` tells.

use serde_json::Value;
use tengen::board::{Cell, Color};
use tengen::rules::forbidden::{Verdict, evidence, verdict};
use tengen::rules::{PlayError, Position, Rule, Status};

use crate::oracle::{self, bridge};
use crate::{board, cell};

const POINTS: &str = include_str!("../data/forbidden/points.jsonl");
const BOARDS: &str = include_str!("../data/forbidden/boards.jsonl");
const FUZZ_BOARDS: &str = include_str!("../data/forbidden/fuzz_boards.jsonl");
const WIN_CHECKS: &str = include_str!("../data/forbidden/win_checks.jsonl");

fn entries(file: &str) -> Vec<Value> {
    file.lines()
        .map(|line| serde_json::from_str(line).expect("each line is an object"))
        .collect()
}

fn text<'a>(entry: &'a Value, field: &str) -> &'a str {
    entry[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is a text in {entry}"))
}

fn names(entry: &Value, field: &str) -> String {
    let names = entry[field].as_array();
    let names = names.unwrap_or_else(|| panic!("{field} is a list in {entry}"));
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    names.join(" ")
}

fn board_in(entry: &Value) -> tengen::board::Board {
    let lines = entry["size"]
        .as_u64()
        .and_then(|lines| usize::try_from(lines).ok());
    let lines = lines.unwrap_or_else(|| panic!("a size in {entry}"));
    board(lines, &names(entry, "black"), &names(entry, "white"))
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Legal => "legal",
        Verdict::Five => "five",
        Verdict::Forbidden(kind) => kind.name(),
    }
}

#[test]
fn every_point_has_its_known_verdict() {
    let entries = entries(POINTS);
    assert_eq!(entries.len(), 133);
    for entry in &entries {
        let board = board_in(entry);
        let point = cell(text(entry, "point"));
        let expected = text(entry, "expect");
        let shown = format!("{} {point}{board:?}", text(entry, "id"));
        assert_eq!(word(verdict(&board, point)), expected, "{shown}");
        assert_eq!(word(evidence(&board, point).verdict), expected, "{shown}");
        let place = bridge::place(point, board.size());
        assert_eq!(
            oracle::judge(&bridge::grid_of(&board), place),
            expected,
            "oracle: {shown}"
        );
    }
}

#[test]
fn every_board_has_its_known_forbidden_cells_and_no_others() {
    let mut entries = entries(BOARDS);
    assert_eq!(entries.len(), 36);
    entries.extend(crate::data::entries(FUZZ_BOARDS));
    assert_eq!(entries.len(), 1737);
    for entry in &entries {
        let board = board_in(entry);
        let to_move: Color = text(entry, "to_move").parse().expect("a colour");
        let position = crate::position(Rule::Renju, &board, to_move);
        let shown = format!("{}{board:?}", text(entry, "id"));
        assert_eq!(position.status(), Status::Ongoing, "{shown}");
        let mut found: Vec<(Cell, String)> = position
            .forbidden_cells()
            .map(|cell| {
                let kind = evidence(&board, cell).kinds().next();
                (cell, kind.map_or("none", |kind| kind.name()).to_owned())
            })
            .collect();
        found.sort();
        let expected = entry["forbidden"].as_object();
        let expected = expected.unwrap_or_else(|| panic!("an object in {shown}"));
        let mut expected: Vec<(Cell, String)> = expected
            .iter()
            .map(|(name, kind)| (cell(name), kind.as_str().unwrap_or_default().to_owned()))
            .collect();
        expected.sort();
        assert_eq!(found, expected, "{shown}");
        let legal = position.legal_cells().count();
        let empty = board
            .size()
            .cells()
            .filter(|cell| board.is_empty(*cell))
            .count();
        assert_eq!(legal, empty - expected.len(), "{shown}");
    }
}

#[test]
fn the_oracle_finds_the_same_forbidden_cells() {
    // Every board of the hand-made ones and every twelfth of the others: the oracle is slow.
    let made = entries(FUZZ_BOARDS).into_iter().step_by(12);
    for entry in entries(BOARDS).into_iter().chain(made) {
        let board = board_in(&entry);
        let grid = bridge::grid_of(&board);
        for cell in board.size().cells().filter(|cell| board.is_empty(*cell)) {
            let judged = oracle::judge(&grid, bridge::place(cell, board.size()));
            let known = entry["forbidden"][cell.to_string()].as_str();
            let judged = Some(judged).filter(|judged| !matches!(*judged, "legal" | "five"));
            assert_eq!(judged, known, "{} {cell}{board:?}", text(&entry, "id"));
        }
    }
}

#[test]
fn every_stone_asked_about_wins_or_not_as_known() {
    let entries = entries(WIN_CHECKS);
    assert_eq!(entries.len(), 41);
    for entry in &entries {
        let rule: Rule = text(entry, "rule").parse().expect("a rule");
        let color: Color = text(entry, "colour").parse().expect("a colour");
        let board = board_in(entry);
        let stone = cell(text(entry, "move"));
        let shown = format!("{} {stone}{board:?}", text(entry, "id"));
        let mut position = Position::from_board(rule, board, color).expect("not both have won");
        let winner = match position.play(stone) {
            Ok(()) => match position.status() {
                Status::Won { winner, .. } => Some(winner),
                Status::Ongoing | Status::Drawn { .. } => None,
            },
            Err(PlayError::Forbidden(_)) => Some(!color),
            Err(error) => panic!("{error}: {shown}"),
        };
        assert_eq!(
            winner.map(Color::name),
            entry["winner"].as_str(),
            "{rule} {shown}"
        );
    }
}
