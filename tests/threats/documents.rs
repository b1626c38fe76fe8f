//! The pictures in `docs/analysis.md` are what is found on their boards.

use tengen::analysis::Threat;
use tengen::board::{Board, Cell, Color};
use tengen::picture::{Letter, Look, Mark, Picture, Title, write_text};
use tengen::rules::{Position, Rule};

use crate::survey;

const DOCUMENT: &str = include_str!("../../docs/analysis.md");

/// The stones of a picture in text; its marks lie on empty cells.
fn stones(picture: &str) -> Board {
    let rows = picture.lines().filter_map(|line| {
        let cells = line.strip_prefix(|first: char| first.is_ascii_digit())?;
        Some(cells.replace(' ', "").to_lowercase())
    });
    let text = rows.collect::<Vec<_>>().join("\n");
    let is_kept = |mark: char| matches!(mark, 'x' | 'o' | '\n');
    let text: String = text
        .chars()
        .map(|mark| if is_kept(mark) { mark } else { '.' })
        .collect();
    text.parse()
        .unwrap_or_else(|error| panic!("{error}: {picture}"))
}

fn marks(threat: &Threat) -> impl Iterator<Item = (Cell, Mark)> {
    let (gain, defence) = (&threat.pattern.gain, &threat.defence);
    let only_defence = defence.iter().filter(|cell| !gain.contains(cell));
    gain.iter().chain(only_defence).map(|cell| {
        let letter = match (gain.contains(cell), defence.contains(cell)) {
            (true, true) => 'B',
            (true, false) => 'G',
            (false, _) => 'D',
        };
        let letter = Letter::try_from(letter).unwrap();
        let by = Color::Black;
        (*cell, Mark::Threat { by, letter })
    })
}

#[test]
fn the_pictures_of_the_document_are_what_is_found() {
    let mut seen = 0;
    for block in DOCUMENT.split("```text\n").skip(1) {
        let shown = block.split("```").next().unwrap();
        let title = shown.lines().next().unwrap();
        let (rule, kind) = title.split_once(": ").unwrap();
        let (rule, board): (Rule, Board) = (rule.parse().unwrap(), stones(shown));
        let survey = survey(rule, &board, Color::Black);
        let is_shown =
            |threat: &&Threat| threat.color == Color::Black && threat.pattern.kind.name() == kind;
        let own: Vec<&Threat> = survey.threats.iter().filter(is_shown).collect();
        assert_eq!(own.len(), 1, "{shown}");
        let position = Position::from_board(rule, board, Color::Black).unwrap();
        let picture = Picture::of_position(&position)
            .with_marks(marks(own[0]))
            .unwrap()
            .with_title(Title::new(title));
        let drawn = write_text(&picture, Look::default());
        assert_eq!(drawn, shown, "\n{drawn}");
        seen += 1;
    }
    assert!(seen >= 12, "only {seen} pictures");
}
