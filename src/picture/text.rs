use crate::board::{Cell, Color, Square};
use crate::picture::frame::Frame;
use crate::picture::legend::legend;
use crate::picture::{Look, Mark, Picture, Visibility};

/// Writes a picture as text: the title, the board as a diagram, and its signs in words.
///
/// Stones are `x` and `o`, in capitals where a row has won, and the last one stands in brackets. On
/// empty cells, `!` is forbidden, a digit the rank of a hint (`+` beyond 9), a letter a threat. Themes
/// and numbers on stones have no place here; the number of the last stone is told below the board.
///
/// ```
/// use tengen::board::BoardSize;
/// use tengen::picture::{Look, Picture, write_text};
/// use tengen::record::{Record, notation::read_moves};
/// use tengen::rules::Rule;
///
/// let moves = read_moves("c3 d4", 20).expect("all are moves");
/// let record = Record::new(Rule::Freestyle, BoardSize::SMALLEST, moves);
/// let picture = Picture::of_replay(&record, &record.replay());
/// assert_eq!(
///     write_text(&picture, Look::default()),
///     "5 . . . . .\n4 . . .(o).\n3 . . x . .\n2 . . . . .\n1 . . . . .\n  a b c d e\n\nLast: 2. d4\n"
/// );
/// ```
pub fn write_text(picture: &Picture, look: Look) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Some(title) = picture.title() {
        lines.extend([title.to_string(), String::new()]);
    }
    lines.extend(diagram(picture, look));
    let words = legend(picture);
    if !words.is_empty() {
        lines.push(String::new());
        lines.extend(words);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The board, a line for each row and one for the columns' names.
fn diagram(picture: &Picture, look: Look) -> Vec<String> {
    let frame = Frame::new(picture.board().size(), look.symmetry);
    let (columns, rows) = match look.coordinates {
        Visibility::Shown => (frame.column_names(), frame.row_names()),
        Visibility::Hidden => (Vec::new(), Vec::new()),
    };
    let grid = Grid {
        label: longest(&rows),
        pitch: longest(&columns).max(1) + 1,
    };
    let mut lines: Vec<String> = symbols(picture, look, frame)
        .iter()
        .enumerate()
        .map(|(index, symbols)| {
            let name = rows.get(index).map_or("", String::as_str);
            grid.line(name, symbols.iter().map(char::to_string))
        })
        .collect();
    if let Some(place) = picture.last().map(|cell| frame.place(cell))
        && let Some(line) = lines.get_mut(usize::from(place.row))
    {
        *line = bracketed(line, grid.column(place.column));
    }
    if !columns.is_empty() {
        lines.push(grid.line("", columns.into_iter()));
    }
    lines
}

/// The stones as a diagram of the board has them, with the signs put over.
fn symbols(picture: &Picture, look: Look, frame: Frame) -> Vec<Vec<char>> {
    let turned = look.symmetry.apply_board(picture.board());
    let mut symbols: Vec<Vec<char>> = turned
        .rows()
        .map(|row| row.as_str().chars().collect())
        .collect();
    let mut put = |cell: Cell, symbol: char| {
        let place = frame.place(cell);
        let row = symbols.get_mut(usize::from(place.row));
        if let Some(shown) = row.and_then(|row| row.get_mut(usize::from(place.column))) {
            *shown = symbol;
        }
    };
    for cell in picture.lines().iter().flat_map(|line| line.cells()) {
        match picture.board().at(cell) {
            Square::Stone(Color::Black) => put(cell, 'X'),
            Square::Stone(Color::White) => put(cell, 'O'),
            Square::Empty | Square::Outside => {}
        }
    }
    for (cell, mark) in picture.marks() {
        if picture.board().is_empty(cell) {
            put(cell, symbol(mark));
        }
    }
    symbols
}

fn symbol(mark: Mark) -> char {
    match mark {
        Mark::Forbidden => '!',
        Mark::Hint { rank } => char::from_digit(u32::from(rank), 10).unwrap_or('+'),
        Mark::Threat { letter, .. } => letter.as_char(),
    }
}

/// How wide the names of the rows are, and how far apart the columns.
#[derive(Clone, Copy)]
struct Grid {
    label: usize,
    pitch: usize,
}

impl Grid {
    fn line(self, name: &str, cells: impl Iterator<Item = String>) -> String {
        let Grid { label, pitch } = self;
        let cells: String = cells.map(|cell| format!("{cell:>pitch$}")).collect();
        format!("{name:>label$}{cells}")
    }

    /// Where the symbol of a column is in a line.
    fn column(self, column: u8) -> usize {
        self.label + self.pitch * (usize::from(column) + 1) - 1
    }
}

/// A line with the symbol at a place in brackets.
fn bracketed(line: &str, place: usize) -> String {
    let mut line: Vec<char> = line.chars().collect();
    line.resize(line.len().max(place + 2), ' ');
    if let Some([before, _, after]) = line.get_mut(place.saturating_sub(1)..place + 2) {
        (*before, *after) = ('(', ')');
    }
    line.into_iter().collect()
}

fn longest(names: &[String]) -> usize {
    names.iter().map(String::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, BoardSize, Symmetry};
    use crate::picture::{Letter, Title};
    use crate::record::Record;
    use crate::record::notation::read_moves;
    use crate::rules::{Position, Rule};

    fn bare() -> Look {
        Look {
            coordinates: Visibility::Hidden,
            ..Look::default()
        }
    }

    #[test]
    fn without_coordinates_and_blanks_it_is_the_diagram_of_the_board() {
        let text = "x...o\n.....\n..x..\n.....\no....\n";
        let board: Board = text.parse().unwrap();
        let position = Position::from_board(Rule::Caro, board, Color::Black).unwrap();
        let written = write_text(&Picture::of_position(&position), bare());
        assert_eq!(written.replace(' ', ""), text);
    }

    #[test]
    fn signs_stand_on_the_board_and_below() {
        let plies = read_moves("a1 e5 b1 d5 c1 c5 d1 a5 e1", 20).unwrap();
        let record = Record::new(Rule::Freestyle, BoardSize::SMALLEST, plies);
        let by = Color::White;
        let letter = Letter::try_from('T').unwrap();
        let marks = [
            ("a2", Mark::Forbidden),
            ("b3", Mark::Threat { by, letter }),
            ("c3", Mark::Hint { rank: 1 }),
            ("d3", Mark::Hint { rank: 10 }),
        ];
        let picture = Picture::of_replay(&record, &record.replay())
            .with_marks(marks.map(|(name, mark)| (name.parse().unwrap(), mark)))
            .unwrap()
            .with_title(Title::new("<Ito> & Wu"));
        let board = "o . o o o\n . . . . .\n . T 1 + .\n ! . . . .\n X X X X(X)\n";
        let words = "Last: 9. e1\nWon by: a1 b1 c1 d1 e1\nForbidden: a2\nHints: 1. c3, 10. d3\nThreats: T b3 (white)\n";
        assert_eq!(
            write_text(&picture, bare()),
            format!("<Ito> & Wu\n\n {board}\n{words}")
        );
    }

    #[test]
    fn coordinates_turn_with_the_board() {
        let plies = read_moves("a1 l12", 20).unwrap();
        let size = BoardSize::try_from(12).unwrap();
        let record = Record::new(Rule::Freestyle, size, plies);
        let picture = Picture::of_replay(&record, &record.replay());
        let look = Look {
            symmetry: Symmetry::Rotate90,
            ..Look::default()
        };
        let text = write_text(&picture, look);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a  x  .  .  .  .  .  .  .  .  .  .  .");
        assert_eq!(lines[11], "l  .  .  .  .  .  .  .  .  .  .  . (o)");
        assert_eq!(lines[12], "   1  2  3  4  5  6  7  8  9 10 11 12");
    }
}
