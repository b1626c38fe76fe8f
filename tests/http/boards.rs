//! `/v1/boards.svg`, `/v1/boards.png` and `/v1/boards.txt`: pictures of positions.

use std::thread;
use std::time::Duration;

use resvg::tiny_skia::Pixmap;
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::client::{Answer, Client, Server, query_of, shared, sorted};

const SVG: &str = "/v1/boards.svg";
const PNG: &str = "/v1/boards.png";
const TXT: &str = "/v1/boards.txt";

/// A picture by POST, which is that of the GET twin to the octet.
#[track_caller]
fn drawn(client: &Client, path: &str, body: &Value) -> Answer {
    let posted = client.post(path, body);
    let query = query_of(body);
    let got = client.get(&format!("{path}?{query}"));
    assert_eq!(posted.status, 200, "{}", posted.text());
    assert_eq!(got.status, 200, "{query}: {}", got.text());
    assert!(got.body == posted.body, "{path}?{query}");
    assert_eq!(got.header("content-type"), posted.header("content-type"));
    posted
}

#[track_caller]
fn text(client: &Client, body: &Value) -> String {
    drawn(client, TXT, body).text().to_owned()
}

/// The first element of a kind, in words.
#[track_caller]
fn words<'a>(document: &'a Document<'_>, element: &str) -> &'a str {
    let mut all = document.descendants();
    let found = all.find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", element)));
    found.and_then(|node| node.text()).unwrap()
}

#[test]
fn a_text_shows_the_stones_the_last_move_and_the_won_row() {
    let server = shared();
    let body = json!({
        "position": {"size": 9, "moves": "e5a1e6c1e7a3e4a5e3"},
        "players": {"black": "Ada", "white": "Grace"},
    });
    let answer = drawn(&server, TXT, &body);
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    // The names are isolated from one another, whichever way each is written.
    let expected = "\u{2068}Ada\u{2069} – \u{2068}Grace\u{2069}

9 . . . . . . . . .
8 . . . . . . . . .
7 . . . . X . . . .
6 . . . . X . . . .
5 o . . . X . . . .
4 . . . . X . . . .
3 o . . .(X). . . .
2 . . . . . . . . .
1 o . o . . . . . .
  a b c d e f g h i

Last: 9. e3
Won by: e3 e4 e5 e6 e7
";
    assert_eq!(answer.text(), expected);
}

#[test]
fn a_board_shows_the_last_stone_and_the_marks_it_is_given() {
    let server = shared();
    let body = json!({
        "position": {"board": [".....", ".xo..", "..x..", "...o.", "....."]},
        "last_move": "d2",
        "marks": "a1:! b2:1,c2:12;e5:F:black",
        "coordinates": false,
    });
    let expected = " . . . . F
 . x o . .
 . . x . .
 . 1 +(o).
 ! . . . .

Last: d2
Forbidden: a1
Hints: 1. b2, 12. c2
Threats: F e5 (black)
";
    assert_eq!(text(&server, &body), expected);
    // The same as a list, and by row and column.
    let mut listed = body.clone();
    listed["last_move"] = json!({"row": 3, "col": 3});
    listed["marks"] = json!([
        {"cell": {"row": 4, "col": 0}, "kind": "forbidden"},
        {"cell": "b2", "kind": "hint"},
        {"cell": "C2", "kind": "hint", "rank": 12},
        {"cell": "e5", "kind": "threat", "by": "black", "letter": "F"},
    ]);
    for path in [SVG, TXT] {
        let one = server.post(path, &body);
        assert_eq!(one.status, 200, "{}", one.text());
        assert_eq!(one.text(), server.post(path, &listed).text(), "{path}");
    }
}

#[test]
fn of_two_marks_on_a_cell_the_weightier_is_seen() {
    let server = shared();
    for (marks, seen) in [
        ("c3:F:white c3:2", '2'),
        ("c3:2 c3:1", '1'),
        ("c3:1 c3:2", '1'),
        ("c3:1 c3:!", '!'),
        ("c3:! c3:1", '!'),
    ] {
        let body =
            json!({"position": {"size": 5, "moves": "a1"}, "marks": marks, "coordinates": false});
        let text = text(&server, &body);
        let row: Vec<char> = text.lines().nth(2).unwrap().chars().collect();
        assert_eq!(row[5], seen, "{marks}: {text}");
    }
}

#[test]
fn forbidden_cells_are_those_of_the_legal_moves() {
    let server = shared();
    let mut seen = 0;
    for moves in [
        "h7a1h9c1g8e1i8g1",
        "h7a1h9c1g8e1i8",
        "f8a1g8c1j8e1h5g1h6i1h7k1",
        "d8a1f8c1h8e1j8g1",
    ] {
        for rule in ["renju", "freestyle"] {
            let position = json!({"rule": rule, "moves": moves});
            let told = server
                .legal_moves(&json!({"position": position.clone()}))
                .ok();
            let cells = told["forbidden"].as_array().unwrap().iter();
            let cells: Value = cells.map(|item| item["cell"].clone()).collect();
            let names = sorted(&cells);
            let shown = text(
                &server,
                &json!({"position": position.clone(), "forbidden": true}),
            );
            let line = shown.lines().find_map(|l| l.strip_prefix("Forbidden: "));
            let mut found: Vec<_> = line.unwrap_or("").split_whitespace().collect();
            found.sort_unstable();
            assert_eq!(found, names, "{rule} {moves}");
            assert_eq!(shown.matches('!').count(), names.len(), "{shown}");
            seen += names.len();
            let without = text(&server, &json!({"position": position}));
            assert!(!without.contains('!'), "nobody asked: {without}");
        }
    }
    assert_eq!(seen, 3);
}

/// The middles of all stones of a colour, by column.
fn circles(document: &Document<'_>, fill: &str) -> Vec<(f64, f64)> {
    let number = |node: &Node<'_, '_>, name| node.attribute(name).unwrap().parse().unwrap();
    let is_stone = |node: &Node<'_, '_>| {
        let group = node.parent().unwrap();
        group.attribute("fill") == Some(fill) && group.attribute("stroke").is_some()
    };
    let mut found: Vec<(f64, f64)> = document
        .descendants()
        .filter(|node| node.tag_name().name() == "circle" && is_stone(node))
        .map(|node| (number(&node, "cx"), number(&node, "cy")))
        .collect();
    found.sort_by(|one, other| one.partial_cmp(other).unwrap());
    found
}

#[test]
fn stones_in_the_svg_stand_on_their_cells() {
    let server = shared();
    let body = json!({"position": {"moves": "a1 o1 o15 a15 h8"}});
    let answer = drawn(&server, SVG, &body);
    let document = Document::parse(answer.text()).unwrap();
    let black = circles(&document, "#1a1a1a");
    let white = circles(&document, "#fdfdfb");
    let [a1, h8, o15] = black[..] else {
        panic!("three black stones, not {black:?}");
    };
    let [a15, o1] = white[..] else {
        panic!("two white stones, not {white:?}");
    };
    // Column from the left, row from the bottom, where y grows downwards.
    assert!(a1.0 < o15.0 && a1.1 > o15.1, "{a1:?} {o15:?}");
    assert_eq!((a15.0, a15.1), (a1.0, o15.1));
    assert_eq!((o1.0, o1.1), (o15.0, a1.1));
    assert_eq!(h8, ((a1.0 + o15.0) / 2.0, (a1.1 + o15.1) / 2.0));
    let view: Vec<f64> = document
        .root_element()
        .attribute("viewBox")
        .unwrap()
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    assert!(o1.0 < view[2] && o1.1 < view[3], "{view:?}");
    assert_eq!(words(&document, "title"), "A board of 15 lines");
    let told = words(&document, "desc");
    assert!(told.contains("Black: 1. a1, 3. o15, 5. h8"), "{told}");
    assert!(told.contains("White: 2. o1, 4. a15"), "{told}");
}

#[test]
fn numbers_coordinates_and_themes_change_what_is_drawn_and_no_word() {
    let server = shared();
    let plain = json!({"position": {"moves": "h8i9j10"}});
    let desc = |svg: &str| words(&Document::parse(svg).unwrap(), "desc").to_owned();
    let of = |name: &str, value: Value| {
        let mut body = plain.clone();
        body[name] = value;
        drawn(&server, SVG, &body).text().to_owned()
    };
    let drawn_plain = drawn(&server, SVG, &plain).text().to_owned();
    for (name, usual, other) in [
        ("numbers", json!(false), json!(true)),
        ("coordinates", json!(true), json!(false)),
        ("theme", json!("light"), json!("dark")),
        ("symmetry", json!("identity"), json!("rotate_180")),
        ("forbidden", json!(false), json!(false)),
    ] {
        assert_eq!(of(name, usual), drawn_plain, "{name}");
        if name != "forbidden" {
            let drawn = of(name, other);
            assert_ne!(drawn, drawn_plain, "{name}");
            assert_eq!(desc(&drawn), desc(&drawn_plain), "{name}");
        }
    }
}

#[test]
fn a_turned_picture_is_that_of_the_turned_record() {
    let server = shared();
    let turn = |moves: &[(u8, u8)], by: &dyn Fn((u8, u8)) -> (u8, u8)| -> String {
        let cells = moves.iter().map(|cell| by(*cell));
        let cells = cells.map(|(column, row)| format!("{}{}", char::from(b'a' + column), row + 1));
        cells.collect()
    };
    let moves = [(0, 0), (1, 4), (6, 2), (3, 3), (5, 5)];
    let grid = |moves: &str, symmetry: &str| -> Vec<String> {
        let body = json!({"position": {"size": 7, "moves": moves}, "symmetry": symmetry, "coordinates": false});
        text(&server, &body)
            .lines()
            .take(7)
            .map(str::to_owned)
            .collect()
    };
    let straight = turn(&moves, &|cell| cell);
    for (symmetry, by) in [
        (
            "rotate_180",
            &(|(x, y): (u8, u8)| (6 - x, 6 - y)) as &dyn Fn((u8, u8)) -> (u8, u8),
        ),
        // To the right: the lower left corner goes to the upper left.
        ("rotate_90", &|(x, y)| (y, 6 - x)),
        ("rotate_270", &|(x, y)| (6 - y, x)),
        ("flip_columns", &|(x, y)| (6 - x, y)),
        ("flip_rows", &|(x, y)| (x, 6 - y)),
    ] {
        let turned = turn(&moves, by);
        assert_ne!(turned, straight);
        assert_eq!(
            grid(&straight, symmetry),
            grid(&turned, "identity"),
            "{symmetry}"
        );
    }
    // The names of cells turn with the board.
    let quarter = text(
        &server,
        &json!({"position": {"size": 7, "moves": straight}, "symmetry": "rotate_90"}),
    );
    assert!(quarter.contains("Last: 5. f6"), "{quarter}");
}

/// What the head of a PNG says: its width and height.
#[track_caller]
fn png_size(octets: &[u8]) -> (u32, u32) {
    assert_eq!(&octets[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&octets[12..16], b"IHDR");
    let number = |at: usize| u32::from_be_bytes(octets[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_png_has_the_pixels_it_is_asked_for() {
    let server = shared();
    let position = json!({"size": 5, "moves": "c3"});
    for pixels in [64, 99, 256] {
        let body = json!({"position": position, "pixels": pixels});
        let answer = drawn(&server, PNG, &body);
        assert_eq!(answer.header("content-type"), Some("image/png"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(png_size(&answer.body), (pixels, pixels));
    }
    let default = server.meta().ok()["limits"]["picture_pixels_default"]
        .as_u64()
        .unwrap();
    let answer = server.post(PNG, &json!({"position": position}));
    let (width, height) = png_size(&answer.body);
    assert_eq!((u64::from(width), u64::from(height)), (default, default));
    // A title takes no room where there are no letters.
    let titled =
        json!({"position": position, "pixels": 99, "title": "A long title of a small board"});
    assert_eq!(png_size(&drawn(&server, PNG, &titled).body), (99, 99));
}

#[test]
fn the_pixels_of_a_png_are_those_of_the_stones() {
    let server = shared();
    let shade = |moves: &str, theme: &str, (x, y): (u32, u32)| -> u8 {
        let body = json!({
            "position": {"size": 5, "moves": moves},
            "coordinates": false, "theme": theme, "pixels": 205,
        });
        let pixmap = Pixmap::decode_png(&drawn(&server, PNG, &body).body).unwrap();
        let pixel = pixmap.pixel(x, y).unwrap();
        assert_eq!(pixel.alpha(), 255, "the ground covers all");
        pixel.green()
    };
    // Without coordinates the middle cell is in the middle; a1 lies at the lower left.
    let (middle, corner) = ((102, 102), (27, 177));
    for theme in ["light", "dark"] {
        assert!(shade("c3a1", theme, middle) < 40, "{theme}");
        assert!(shade("c3a1", theme, corner) > 220, "{theme}");
        assert!(shade("a1c3", theme, middle) > 220, "{theme}");
        assert!(shade("a1c3", theme, corner) < 40, "{theme}");
    }
    let bare = |theme| shade("e5", theme, (2, 202));
    assert!(
        bare("light") > 180 && bare("dark") < 80,
        "the pages are light and dark"
    );
}

#[test]
fn markup_in_names_is_text() {
    let server = shared();
    let evil = "</text></title><script>alert(1)</script><a href='javascript:x'>\"&lt;";
    for body in [
        json!({"position": {"moves": "h8"}, "title": evil}),
        json!({"position": {"moves": "h8"}, "players": {"black": evil, "white": "x"}}),
        json!({"position": {"moves": "h8"}, "players": {"white": evil}}),
    ] {
        let answer = drawn(&server, SVG, &body);
        let svg = answer.text();
        let document = Document::parse(svg).unwrap();
        for node in document.descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            assert!(
                [
                    "svg", "title", "desc", "rect", "path", "g", "circle", "text"
                ]
                .contains(&name),
                "{name} in {svg}"
            );
            for attribute in node.attributes() {
                let name = attribute.name();
                assert!(
                    !name.starts_with("on") && !name.contains("href") && name != "style",
                    "{name} in {svg}"
                );
            }
        }
        assert!(words(&document, "title").contains(evil), "{svg}");
        // And in a text it is what it is.
        assert!(text(&server, &body).contains(evil));
    }
}

#[test]
fn an_svg_that_is_opened_by_itself_may_do_nothing() {
    let server = shared();
    let answer = server.get("/v1/boards.svg?moves=h8&title=%3Cscript%3E");
    assert_eq!(answer.header("content-type"), Some("image/svg+xml"));
    assert_eq!(
        answer.header("content-security-policy"),
        Some("default-src 'none'; style-src 'unsafe-inline'")
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn a_tag_stands_for_what_was_asked_however_it_was_spelt() {
    let server = shared();
    let spellings = [
        "moves=h8i9j10&theme=dark&numbers=true",
        "numbers=true&theme=dark&moves=h8i9j10",
        "moves=1.%20H8%20i9%202.%20j10&rule=freestyle&size=15&theme=dark&numbers=true",
        "moves=h8,i9,j10&theme=dark&numbers=true&coordinates=true&symmetry=identity&forbidden=false&marks=",
    ];
    for path in [SVG, PNG] {
        let answers = spellings.map(|query| server.get(&format!("{path}?{query}")));
        let tag = answers[0].header("etag").unwrap();
        for (answer, query) in answers.iter().zip(spellings) {
            assert_eq!(answer.status, 200, "{query}: {}", answer.status);
            assert_eq!(answer.header("etag"), Some(tag), "{path}?{query}");
            assert!(answer.body == answers[0].body, "{path}?{query}");
            let known = server.get_with(&format!("{path}?{query}"), &[("if-none-match", tag)]);
            assert_eq!(known.status, 304);
            assert!(known.body.is_empty());
        }
        let kept = server.get("/v1/legal-moves?moves=h8");
        assert_eq!(
            answers[0].header("cache-control"),
            kept.header("cache-control")
        );
        assert!(kept.header("cache-control").is_some());
    }
    // A POST has none, like the others.
    let posted = server.post(SVG, &json!({"position": {"moves": "h8"}}));
    assert!(posted.header("etag").is_none());
}

#[test]
fn a_picture_is_sent_to_who_takes_pictures() {
    let server = shared();
    let browser = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";
    for (path, good, bad) in [
        (SVG, "image/svg+xml", "image/png"),
        (PNG, "image/png", "image/svg+xml"),
        (TXT, "text/plain", "application/json"),
    ] {
        let target = format!("{path}?moves=h8");
        for accepts in [good, "*/*", browser] {
            let answer = server.get_with(&target, &[("accept", accepts)]);
            assert_eq!(answer.status, 200, "{target} {accepts}");
        }
        let answer = server.get_with(&target, &[("accept", bad)]);
        answer.problem(406, "not_acceptable");
    }
}

#[test]
fn lines_and_characters_are_packed_and_pixels_are_not() {
    let server = shared();
    let packed = |path: &str| {
        let headers = [("accept-encoding", "gzip")];
        let answer = server.get_with(&format!("{path}?moves=h8i9"), &headers);
        answer.header("content-encoding").map(str::to_owned)
    };
    assert_eq!(packed(SVG).as_deref(), Some("gzip"));
    assert_eq!(packed(TXT).as_deref(), Some("gzip"));
    // They are packed already.
    assert_eq!(packed(PNG), None);
}

#[test]
fn a_large_picture_holds_nobody_up() {
    let server = Server::start_with(&["--workers", "1"]);
    let body = json!({"position": {"moves": "h8"}, "pixels": 2500});
    thread::scope(|scope| {
        let drawing = scope.spawn(|| server.post(PNG, &body).status);
        // Drawn on the only worker, at most two of these would be answered before it.
        let mut answered = 0;
        while !drawing.is_finished() {
            assert_eq!(server.get("/healthz").status, 200);
            answered += 1;
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(drawing.join().unwrap(), 200);
        assert!(answered >= 4, "{answered} answered meanwhile");
    });
}

#[test]
fn meta_tells_how_pictures_can_look() {
    let server = shared();
    let told = server.meta().ok()["pictures"].clone();
    assert_eq!(told["themes"], json!(["light", "dark"]));
    let symmetries = told["symmetries"].as_array().unwrap();
    assert_eq!(symmetries.len(), 8);
    for symmetry in symmetries {
        let symmetry = symmetry.as_str().unwrap();
        let answer = server.get(&format!("{SVG}?moves=h8&symmetry={symmetry}"));
        assert_eq!(answer.status, 200, "{symmetry}");
    }
}
