//! Pictures as a viewer takes them: SVG that any reader of XML understands, whatever the players are
//! called, and PNG whose pixels are looked at. The SVG files in `tests/data/pictures` are compared octet by
//! octet; `TENGEN_RENEW=1 cargo test --test picture` writes them anew. `PROPTEST_CASES` (64 if not set)
//! scales the random pictures.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use roxmltree::Document;

use tengen::board::{Board, BoardSize, ByColor, Cell, Color, Square, Symmetry};
use tengen::picture::{
    Letter, Look, Mark, Picture, Pixels, Theme, Title, Visibility, draw_png, draw_svg, write_text,
};
use tengen::record::notation::read_moves;
use tengen::record::{Ply, Record};
use tengen::rules::{Position, Rule};

fn cell(name: &str) -> Cell {
    name.parse().expect("the name of a cell")
}

fn size(lines: u8) -> BoardSize {
    BoardSize::try_from(i64::from(lines)).expect("a supported size")
}

fn played(rule: Rule, lines: u8, moves: &str) -> Picture {
    let plies = read_moves(moves, 20).expect("all are moves");
    let record = Record::new(rule, size(lines), plies);
    let replay = record.replay();
    assert!(replay.is_legal(), "{:?}", replay.violations());
    Picture::of_replay(&record, &replay)
}

/// A won game, with numbers, on 15 lines.
fn won_game() -> (Picture, Look) {
    let moves = "h8 h9 i8 g8 i9 i7 j10 g7 k11 g6 l12";
    let players = ByColor {
        black: Some("Ann <ann@example.org>".to_owned()),
        white: Some("\"Bo\" & Co.".to_owned()),
    };
    let picture = played(Rule::Freestyle, 15, moves).with_title(Title::of_players(&players));
    let look = Look {
        numbers: Visibility::Shown,
        ..Look::default()
    };
    (picture, look)
}

/// A position with every kind of mark, on 19 lines, dark and turned.
fn marked_position() -> (Picture, Look) {
    let letter = |character| Letter::try_from(character).expect("a letter that is no stone");
    let threat = |by, character| Mark::Threat {
        by,
        letter: letter(character),
    };
    let marks = [
        ("j10", Mark::Forbidden),
        ("k13", Mark::Hint { rank: 1 }),
        ("d4", Mark::Hint { rank: 12 }),
        ("h8", threat(Color::Black, 'F')),
        ("m11", threat(Color::White, 'T')),
    ];
    let picture = played(Rule::Renju, 19, "j9 a1 j8 k12 k10 l12 l10 m12")
        .with_marks(marks.map(|(name, mark)| (cell(name), mark)))
        .expect("the marks are on empty cells");
    let look = Look {
        theme: Theme::Dark,
        symmetry: Symmetry::FlipAntidiagonal,
        ..Look::default()
    };
    (picture, look)
}

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/pictures")
        .join(name)
}

fn assert_kept(name: &str, drawn: &str) {
    let path = kept(name);
    if std::env::var_os("TENGEN_RENEW").is_some() {
        fs::write(&path, drawn).expect("the test data can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == drawn,
        "{} differs; look at what has changed, then TENGEN_RENEW=1 cargo test --test picture",
        path.display()
    );
}

#[test]
fn pictures_are_the_kept_ones_to_the_octet() {
    let (picture, look) = won_game();
    assert_kept("won_game_15.svg", &draw_svg(&picture, look));
    assert_kept("won_game_15.txt", &write_text(&picture, look));
    let (picture, look) = marked_position();
    assert_kept("marked_position_19.svg", &draw_svg(&picture, look));
    assert_kept("marked_position_19.txt", &write_text(&picture, look));
}

/// What a picture may consist of: nothing that runs, loads, links or styles.
const ELEMENTS: [&str; 8] = [
    "svg", "title", "desc", "rect", "text", "path", "g", "circle",
];
const ATTRIBUTES: [&str; 18] = [
    "viewBox",
    "role",
    "width",
    "height",
    "x",
    "y",
    "cx",
    "cy",
    "r",
    "d",
    "fill",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-linejoin",
    "font-family",
    "font-size",
    "text-anchor",
];

/// Reads an SVG as XML and checks what it consists of and that its circles are within its bounds.
fn assert_is_picture(svg: &str, title: Option<&Title>) {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let bounds: Vec<i32> = root
        .attribute("viewBox")
        .expect("a picture has bounds")
        .split(' ')
        .map(|number| number.parse().expect("bounds are whole numbers"))
        .collect();
    for node in root.descendants().filter(|node| node.is_element()) {
        assert!(ELEMENTS.contains(&node.tag_name().name()), "{node:?}");
        for attribute in node.attributes() {
            assert!(ATTRIBUTES.contains(&attribute.name()), "{node:?}");
        }
        let length = |name: &str| {
            node.attribute(name)
                .map(|text| text.parse::<i32>().expect("a whole number"))
        };
        if let (Some(x), Some(y), Some(r)) = (length("cx"), length("cy"), length("r")) {
            assert!(x >= r && x + r <= bounds[2], "{node:?}");
            assert!(y >= r && y + r <= bounds[3], "{node:?}");
        }
    }
    let first = root.first_element_child().expect("a picture has a title");
    assert_eq!(first.tag_name().name(), "title");
    if let Some(title) = title {
        assert_eq!(first.text(), Some(title.as_str()));
    }
}

#[test]
fn no_name_of_a_player_breaks_a_picture() {
    for name in [
        "<script>alert(1)</script>",
        "]]>",
        "<![CDATA[",
        "--> <!--",
        "\"/><image href=\"https://example.org\"/>",
        "'onload='alert(1)",
        "</title></svg>",
        "&#x0;&lt;&bogus;",
        "\u{202e}txt.exe\u{202c}",
        "\u{200f}שלום\u{200e} & <b>",
        "a\0b\u{1}c\u{8}d\u{b}e\u{1f}f\u{7f}g\u{9f}h",
        "\u{fffe}\u{ffff}\u{feff}\u{10ffff}",
        "a\u{301}\u{301}\u{301} 👩‍👩‍👧‍👦 名人",
        "%s {} \\ $x `y`",
    ] {
        let title = Title::new(name);
        let picture = won_game().0.with_title(title.clone());
        assert_is_picture(&draw_svg(&picture, Look::default()), title.as_ref());
        assert!(draw_png(&picture, Look::default(), Pixels::FEWEST).is_ok());
        let text = write_text(&picture, Look::default());
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    }
}

fn pixels(picture: &Picture, look: Look, side: i64) -> Pixmap {
    let side = Pixels::try_from(side).expect("a supported side");
    let png = draw_png(picture, look, side).expect("a picture is drawn");
    Pixmap::decode_png(&png).expect("a PNG is a PNG")
}

/// The colour at a point, as it is written in SVG.
fn colour(pixmap: &Pixmap, x: u32, y: u32) -> String {
    let pixel = pixmap.pixel(x, y).expect("the point is on the picture");
    let pixel = pixel.demultiply();
    assert_eq!(pixel.alpha(), 255);
    format!(
        "#{:02x}{:02x}{:02x}",
        pixel.red(),
        pixel.green(),
        pixel.blue()
    )
}

#[test]
fn a_png_has_the_size_asked_for_and_is_not_blank() {
    let (picture, look) = won_game();
    for side in [64, 65, 500, 900, 1500] {
        let pixmap = pixels(&picture, look, side);
        assert_eq!(i64::from(pixmap.width()), side);
        assert_eq!(i64::from(pixmap.height()), side);
        let first = pixmap.pixel(0, 0);
        assert!(pixmap.pixels().iter().any(|pixel| Some(*pixel) != first));
        assert!(pixmap.pixels().iter().all(|pixel| pixel.alpha() == 255));
    }
}

/// Looks at every cell of a board drawn without coordinates and with a pixel for five units: a cell
/// is about 20 pixels wide and the outermost begin about 5 pixels from the edge.
fn assert_stones_are_where_they_should_be(board: &Board, look: Look, colours: [&str; 3]) {
    let position =
        Position::from_board(Rule::Caro, board.clone(), Color::Black).expect("nobody has won");
    let picture = Picture::of_position(&position);
    let lines = u32::from(board.size().lines());
    let pixmap = pixels(&picture, look, i64::from(20 * lines + 10));
    for cell in board.size().cells() {
        let seen = look.symmetry.apply(cell, board.size());
        let column = u32::from(seen.column());
        let row = lines - 1 - u32::from(seen.height());
        // Off the lines that cross in the middle of the cell.
        let (x, y) = (20 * column + 5 + 13, 20 * row + 5 + 13);
        let expected = match board.at(cell) {
            Square::Stone(Color::Black) => colours[0],
            Square::Stone(Color::White) => colours[1],
            Square::Empty | Square::Outside => colours[2],
        };
        assert_eq!(colour(&pixmap, x, y), expected, "{cell}\n{board}");
    }
}

#[test]
fn stones_are_where_they_should_be() {
    let light = ["#1a1a1a", "#fdfdfb", "#f0dcb0"];
    let dark = ["#0b0c0e", "#e9ebee", "#2e343d"];
    for lines in [5, 6, 15, 19, 25] {
        let mut board = Board::new(size(lines));
        for cell in size(lines).cells() {
            // Along each line all remainders follow each other: no five in a row at any size.
            match (cell.column() + 2 * cell.height()) % 5 {
                0 | 1 => board.put(cell, Color::Black),
                2 => board.put(cell, Color::White),
                _ => {}
            }
        }
        for symmetry in [Symmetry::Identity, Symmetry::Rotate90] {
            for (theme, colours) in [(Theme::Light, light), (Theme::Dark, dark)] {
                let look = Look {
                    theme,
                    symmetry,
                    coordinates: Visibility::Hidden,
                    numbers: Visibility::Hidden,
                };
                assert_stones_are_where_they_should_be(&board, look, colours);
            }
        }
    }
}

#[test]
fn a_row_that_has_won_is_drawn_over_its_stones() {
    let (picture, look) = won_game();
    let look = Look {
        numbers: Visibility::Hidden,
        coordinates: Visibility::Hidden,
        ..look
    };
    // One pixel a unit: 15 lines of 100 and 24 at both sides.
    let pixmap = pixels(&picture, look, 1548);
    for index in 0..5 {
        let (column, row) = (7 + index, 7 - index);
        let (x, y) = (74 + 100 * column, 74 + 100 * row);
        assert_eq!(colour(&pixmap, x, y), "#d55e00");
    }
    assert_eq!(colour(&pixmap, 74 + 600, 74 + 700), "#fdfdfb");
}

fn looks() -> impl Strategy<Value = Look> {
    let shown = || prop::sample::select(vec![Visibility::Shown, Visibility::Hidden]);
    let themes = prop::sample::select(Theme::ALL.to_vec());
    let symmetries = prop::sample::select(Symmetry::ALL.to_vec());
    (themes, shown(), shown(), symmetries).prop_map(|(theme, coordinates, numbers, symmetry)| {
        Look {
            theme,
            coordinates,
            numbers,
            symmetry,
        }
    })
}

/// A picture of a random game, with marks wherever they are accepted.
fn pictures() -> impl Strategy<Value = Picture> {
    let rules = prop::sample::select(Rule::ALL.to_vec());
    let plies = prop::collection::vec((0..25u8, 0..25u8), 0..120);
    let marks = prop::collection::vec((0..25u8, 0..25u8, any::<u8>()), 0..40);
    let titles = prop_oneof![any::<String>(), "[<>&'\"\\]\\[!\u{0}-\u{1f}-]{0,300}"];
    (rules, 5..=25u8, plies, marks, titles).prop_map(|(rule, lines, plies, marks, title)| {
        let on_board = |column: u8, height: u8| Cell::new(column % lines, height % lines);
        let mut stones: Vec<Cell> = Vec::new();
        for cell in plies.iter().filter_map(|(x, y)| on_board(*x, *y)) {
            if !stones.contains(&cell) {
                stones.push(cell);
            }
        }
        let plies = stones.into_iter().map(Ply::Stone).collect();
        let record = Record::new(rule, size(lines), plies);
        let mut picture = Picture::of_replay(&record, &record.replay());
        for (x, y, pick) in marks {
            let at = on_board(x, y).expect("the remainder is on the board");
            if let Ok(marked) = picture.clone().with_marks([(at, mark(pick))]) {
                picture = marked;
            }
        }
        picture.with_title(Title::new(&title))
    })
}

fn mark(pick: u8) -> Mark {
    let by = Color::of_ply(usize::from(pick));
    match (pick % 3, Letter::try_from(char::from(b'A' + pick % 26))) {
        (0, Ok(letter)) => Mark::Threat { by, letter },
        (1, _) => Mark::Forbidden,
        _ => Mark::Hint { rank: pick },
    }
}

fn cases() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: (asked.cases / 4).max(1),
        failure_persistence: None,
        ..asked
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_picture_is_xml_and_the_same_when_drawn_again(picture in pictures(), look in looks()) {
        let svg = draw_svg(&picture, look);
        assert_is_picture(&svg, None);
        prop_assert_eq!(draw_svg(&picture.clone(), look), svg);
    }

    #[test]
    fn every_picture_is_understood_by_the_renderer(picture in pictures(), look in looks()) {
        let pixmap = pixels(&picture, look, 64);
        prop_assert_eq!((pixmap.width(), pixmap.height()), (64, 64));
    }

    #[test]
    fn every_picture_is_text_of_a_line_a_row(picture in pictures(), look in looks()) {
        let untitled = write_text(&picture.with_title(None), look);
        let board = untitled.lines().take_while(|line| !line.is_empty()).count();
        let names = usize::from(look.coordinates == Visibility::Shown);
        prop_assert!((5 + names..=25 + names).contains(&board), "{untitled}");
    }
}
