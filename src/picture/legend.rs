use crate::board::{Cell, Color};
use crate::picture::{Mark, Picture};

/// What the signs on a picture say, in words, a line for each kind that is there: for readers who
/// see no picture, and beneath the board that is text.
pub(super) fn legend(picture: &Picture) -> Vec<String> {
    [
        last(picture),
        won(picture),
        told("Forbidden", &forbidden(picture), " "),
        told("Hints", &hints(picture), ", "),
        told("Threats", &threats(picture), ", "),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where the stones of a colour lie, with their numbers as far as they are known and in that order.
pub(super) fn stones(picture: &Picture, color: Color) -> Option<String> {
    let mut cells: Vec<Cell> = picture
        .board()
        .occupied()
        .filter(|(_, stone)| *stone == color)
        .map(|(cell, _)| cell)
        .collect();
    cells.sort_by_key(|cell| picture.number(*cell));
    let names: Vec<String> = cells.iter().map(|cell| numbered(picture, *cell)).collect();
    let heading = match color {
        Color::Black => "Black",
        Color::White => "White",
    };
    told(heading, &names, ", ")
}

fn last(picture: &Picture) -> Option<String> {
    let cell = picture.last()?;
    Some(format!("Last: {}", numbered(picture, cell)))
}

fn won(picture: &Picture) -> Option<String> {
    let rows: Vec<String> = picture
        .lines()
        .iter()
        .map(|line| {
            let cells: Vec<String> = line.cells().map(|cell| cell.to_string()).collect();
            cells.join(" ")
        })
        .collect();
    told("Won by", &rows, ", ")
}

fn forbidden(picture: &Picture) -> Vec<String> {
    picture
        .marks()
        .filter(|(_, mark)| *mark == Mark::Forbidden)
        .map(|(cell, _)| cell.to_string())
        .collect()
}

fn hints(picture: &Picture) -> Vec<String> {
    let mut hints: Vec<(u8, Cell)> = picture
        .marks()
        .filter_map(|(cell, mark)| match mark {
            Mark::Hint { rank } => Some((rank, cell)),
            Mark::Forbidden | Mark::Threat { .. } => None,
        })
        .collect();
    hints.sort_unstable();
    let words = hints.iter().map(|(rank, cell)| format!("{rank}. {cell}"));
    words.collect()
}

fn threats(picture: &Picture) -> Vec<String> {
    picture
        .marks()
        .filter_map(|(cell, mark)| match mark {
            Mark::Threat { by, letter } => Some(format!("{letter} {cell} ({by})")),
            Mark::Forbidden | Mark::Hint { .. } => None,
        })
        .collect()
}

/// A cell with the number of its stone, as in a list of moves.
fn numbered(picture: &Picture, cell: Cell) -> String {
    picture
        .number(cell)
        .map_or_else(|| cell.to_string(), |number| format!("{number}. {cell}"))
}

fn told(heading: &str, words: &[String], between: &str) -> Option<String> {
    (!words.is_empty()).then(|| format!("{heading}: {}", words.join(between)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardSize;
    use crate::picture::Letter;
    use crate::record::Record;
    use crate::record::notation::read_moves;
    use crate::rules::{Position, Rule};

    #[test]
    fn what_is_seen_is_told_in_words() {
        let moves = "h8 a1 h9 c1 h10 e1 h12 g1 h11";
        let plies = read_moves(moves, 20).unwrap();
        let record = Record::new(Rule::Freestyle, BoardSize::DEFAULT, plies);
        let by = Color::White;
        let letter = Letter::try_from('F').unwrap();
        let marks = [
            ("b2", Mark::Forbidden),
            ("c3", Mark::Forbidden),
            ("d4", Mark::Hint { rank: 2 }),
            ("e5", Mark::Hint { rank: 1 }),
            ("f6", Mark::Threat { by, letter }),
        ];
        let picture = Picture::of_replay(&record, &record.replay())
            .with_marks(marks.map(|(name, mark)| (name.parse().unwrap(), mark)))
            .unwrap();
        assert_eq!(
            legend(&picture),
            [
                "Last: 9. h11",
                "Won by: h8 h9 h10 h11 h12",
                "Forbidden: b2 c3",
                "Hints: 1. e5, 2. d4",
                "Threats: F f6 (white)",
            ]
        );
        assert_eq!(
            stones(&picture, Color::White),
            Some("White: 2. a1, 4. c1, 6. e1, 8. g1".into())
        );
    }

    #[test]
    fn of_an_empty_board_there_is_nothing_to_tell() {
        let picture = Picture::of_position(&Position::new(Rule::Caro, BoardSize::SMALLEST));
        assert!(legend(&picture).is_empty());
        assert_eq!(stones(&picture, Color::Black), None);
    }
}
