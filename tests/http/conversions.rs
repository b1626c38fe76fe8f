//! `/v1/conversions`: game files of one format as another.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, shared};

/// A conversion that succeeds.
#[track_caller]
fn converted(client: &Client, body: &Value) -> Value {
    let told = client.post("/v1/conversions", body).ok();
    assert!(told["games"].as_u64().unwrap() >= 1, "{told}");
    told
}

/// The text that is written.
#[track_caller]
fn written(client: &Client, to: &str, text: &str) -> String {
    let told = converted(client, &json!({"to": to, "text": text}));
    told["text"].as_str().unwrap().to_owned()
}

/// The warnings, as (game, when, code).
#[track_caller]
fn warnings(told: &Value) -> Vec<(u64, &str, &str)> {
    let list = told["warnings"].as_array().unwrap().iter();
    list.map(|warning| {
        assert!(!warning["detail"].as_str().unwrap().is_empty());
        (
            warning["game"].as_u64().unwrap(),
            warning["during"].as_str().unwrap(),
            warning["code"].as_str().unwrap(),
        )
    })
    .collect()
}

/// The octets of a sample in base64, written here by the book (RFC 4648, section 4).
fn base64(octets: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in octets.chunks(3) {
        let mut bits = [0; 3];
        bits[..part.len()].copy_from_slice(part);
        let [first, second, third] = bits.map(u32::from);
        let bits = first << 16 | second << 8 | third;
        for place in 0..4 {
            let digit = bits >> (18 - 6 * place) & 63;
            text.push(if place <= part.len() {
                char::from(DIGITS[usize::try_from(digit).unwrap()])
            } else {
                '='
            });
        }
    }
    text
}

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    fs::read(path.join(name)).unwrap()
}

/// The games of a text in Tengen's own format, one a line.
fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn sgf_has_a_column_i() {
    // Case 16.
    let server = shared();
    let text = "(;GM[4]SZ[15];B[hh];W[ig])";
    assert_eq!(written(&server, "moves", text), "h8 i9\n");
    let back = written(&server, "sgf", "h8 i9");
    assert!(back.contains(";B[hh];W[ig]"), "{back}");
}

#[test]
fn stones_set_up_are_kept() {
    // Cases 17 and 18: lists of points, and properties that come twice.
    let server = shared();
    for (text, stones) in [
        (
            "(;GM[4]SZ[15]AB[ha:hc]AW[ab])",
            vec![("h15", 'x'), ("h14", 'x'), ("h13", 'x'), ("a14", 'o')],
        ),
        (
            "(;SZ[15]AB[ee]AB[ef]AW[dd]AW[ed])",
            vec![("e11", 'x'), ("e10", 'x'), ("d12", 'o'), ("e12", 'o')],
        ),
    ] {
        let games = lines(&written(&server, "ndjson", text));
        let rows: Vec<&str> = games[0]["board"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_str().unwrap())
            .collect();
        let stones_there: usize = rows.iter().map(|row| row.matches(['x', 'o']).count()).sum();
        assert_eq!(stones_there, stones.len(), "{rows:?}");
        for (cell, stone) in stones {
            let column = usize::from(cell.as_bytes()[0] - b'a');
            let row = 15 - cell[1..].parse::<usize>().unwrap();
            assert_eq!(rows[row].chars().nth(column), Some(stone), "{cell}");
        }
        // What cannot say it says so.
        let told = converted(&server, &json!({"to": "moves", "text": text}));
        let warning = told["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|warning| warning["code"] == "setup")
            .unwrap_or_else(|| panic!("no warning of the setup: {told}"));
        assert_eq!(warning["during"], "writing");
        assert_eq!(warning["changes_the_game"], true);
    }
}

#[test]
fn both_spellings_of_a_pass_in_sgf_are_read() {
    // Case 19.
    let server = shared();
    let text = "(;GM[4]SZ[15];B[hh];W[tt];B[gg];W[])";
    let told = converted(&server, &json!({"to": "moves", "text": text}));
    assert_eq!(told["text"], "h8 pass g9 pass\n");
    // Freestyle has no passes.
    assert!(warnings(&told).contains(&(1, "reading", "illegal_move")));
}

#[test]
fn a_repeated_point_of_a_psq_is_told_with_its_line() {
    // Case 20.
    let server = shared();
    let good = "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,8\n";
    assert_eq!(written(&server, "moves", good), "h8 i8\n");
    let bad = format!("{good}8,8,5\n");
    let problem = server
        .post("/v1/conversions", &json!({"to": "moves", "text": bad}))
        .problem(422, "invalid_field");
    assert_eq!(problem["errors"][0]["pointer"], "/text");
    let detail = problem["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("line 4"), "{detail}");
    assert!(detail.contains("duplicate point at move 3"), "{detail}");
}

#[test]
fn the_good_games_of_a_database_are_converted_and_the_bad_ones_told() {
    // Case 21.
    let server = shared();
    let text = String::from_utf8(sample("sample.rif")).unwrap();
    let told = converted(&server, &json!({"to": "ndjson", "text": text}));
    assert_eq!(told["from"], "rif");
    assert_eq!(told["to"], "ndjson");
    assert_eq!(told["games"], 2);
    let games = lines(told["text"].as_str().unwrap());
    assert_eq!(games.len(), 2);
    assert_eq!(games[1]["moves"], "h8 i9 i7");
    assert_eq!(told["refused_count"], 5);
    let refused: Vec<_> = told["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| {
            (
                game["number"].as_u64().unwrap(),
                game["line"].as_u64().unwrap(),
                game["column"].as_u64().unwrap(),
                game["code"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        refused,
        [
            (3, 11, 1, "no_moves"),
            (4, 12, 1, "repeated_number"),
            (5, 13, 101, "not_a_move"),
            (6, 14, 1, "not_a_result"),
            (7, 15, 98, "occupied"),
        ]
    );
    assert!(warnings(&told).contains(&(1, "reading", "opening")));
    assert!(warnings(&told).contains(&(2, "reading", "comments")));
}

#[test]
fn plain_moves_are_read_in_all_spellings() {
    // Case 22.
    let server = shared();
    for text in ["h8 i9 j10", "H8I9J10", "h8,i9,j10", "1. h8 i9 2. j10"] {
        assert_eq!(written(&server, "moves", text), "h8 i9 j10\n", "{text}");
        let psq = written(&server, "psq", text);
        assert!(psq.contains("\n8,8,"), "{psq}");
        assert_eq!(written(&server, "moves", &psq), "h8 i9 j10\n", "{text}");
    }
    let text = String::from_utf8(sample("spellings.txt")).unwrap();
    assert_eq!(
        written(&server, "moves", &text),
        "h8 i9 j10\n".repeat(4),
        "the four, one after another"
    );
}

#[test]
fn what_is_written_is_read_back_as_the_same_games() {
    let server = shared();
    let formats = server.meta().ok()["formats"].clone();
    let written: Vec<_> = formats
        .as_array()
        .unwrap()
        .iter()
        .filter(|format| format["is_written"] == true)
        .collect();
    assert_eq!(written.len(), 4);
    let mut compared = 0;
    for name in [
        "sample_collection.sgf",
        "branches.sgf",
        "sample_renju_15_1.psq",
        "sample.rif",
        "tree.lib",
        "swaps.pgn",
        "games.ndjson",
        "spellings.txt",
    ] {
        let octets = base64(&sample(name));
        let body = json!({"to": "ndjson", "octets": octets, "rule": "renju"});
        let own = converted(&server, &body);
        let games = lines(own["text"].as_str().unwrap());
        for format in &written {
            let body = json!({"to": format["format"], "octets": octets, "rule": "renju"});
            let told = converted(&server, &body);
            assert_eq!(told["media_type"], format["media_type"]);
            assert_eq!(told["extension"], format["extension"]);
            assert_eq!(told["games"], own["games"], "{name} {format}");
            assert_eq!(told["refused"], own["refused"], "{name} {format}");
            let warnings = told["warnings"].as_array().unwrap();
            let is_changed = warnings.iter().any(|w| w["changes_the_game"] == true);
            // Games of several sizes do not come back where the size is not told.
            let is_unsized = warnings.iter().any(|warning| warning["code"] == "size")
                && games.iter().any(|game| game["size"] != 15);
            if is_changed || is_unsized {
                continue;
            }
            compared += 1;
            let body = json!({
                "from": format["format"], "to": "ndjson", "text": told["text"], "rule": "renju",
            });
            let back = converted(&server, &body);
            let back = lines(back["text"].as_str().unwrap());
            assert_eq!(back.len(), games.len(), "{name} {format}");
            for (back, game) in back.iter().zip(&games) {
                assert_eq!(back["moves"], game["moves"], "{name} {format}");
                assert_eq!(back["board"], game["board"], "{name} {format}");
            }
        }
    }
    assert!(compared >= 24, "only {compared} compared");
}

#[test]
fn a_tree_is_taken_as_octets() {
    let server = shared();
    let octets = base64(&sample("tree.lib"));
    let told = converted(&server, &json!({"to": "moves", "octets": octets}));
    assert_eq!(told["from"], "renlib");
    assert_eq!(told["text"], "h8 h9 i9\nh8 h9 g9\nh8 i9\n");
    assert_eq!(told["media_type"], "text/plain");
    assert!(warnings(&told).contains(&(3, "reading", "marks")));
}

#[test]
fn a_text_is_what_it_is_and_octets_are_what_the_file_says() {
    let server = shared();
    // The text has been in UTF-8 since it came in JSON, whatever it says of itself.
    let sgf = "(;CA[GB2312]GM[4]SZ[15]PB[五子];B[hh])";
    assert!(written(&server, "sgf", sgf).contains("PB[五子]"));
    let gbk = b"(;CA[GB2312]GM[4]SZ[15]PB[\xce\xe5\xd7\xd3];B[hh])";
    let told = converted(&server, &json!({"to": "sgf", "octets": base64(gbk)}));
    let text = told["text"].as_str().unwrap();
    assert!(text.contains("PB[五子]"), "{text}");
}

#[test]
fn rule_and_size_are_taken_where_a_format_says_neither() {
    let server = shared();
    let game = |body: Value| {
        let told = converted(&server, &body);
        lines(told["text"].as_str().unwrap()).remove(0)
    };
    let plain = game(json!({"to": "ndjson", "text": "h8 s19", "size": 19, "rule": "caro"}));
    assert_eq!(
        (&plain["rule"], &plain["size"]),
        (&json!("caro"), &json!(19))
    );
    let plain = game(json!({"to": "ndjson", "text": "h8"}));
    assert_eq!(
        (&plain["rule"], &plain["size"]),
        (&json!("freestyle"), &json!(15))
    );
    let sgf = "(;GM[4]SZ[15]RU[renju];B[hh])";
    let told = game(json!({"to": "ndjson", "text": sgf, "size": 19, "rule": "caro"}));
    assert_eq!(
        (&told["rule"], &told["size"]),
        (&json!("renju"), &json!(15))
    );
}

#[test]
fn what_does_not_come_across_is_told() {
    let server = shared();
    let sgf =
        "(;GM[4]SZ[15]RU[renju]PB[Ada]PW[Grace]EV[Cup]RE[B+R]C[A comment];B[hh](;W[ig])(;W[aa]))";
    let told = converted(&server, &json!({"to": "moves", "text": sgf}));
    assert_eq!(
        warnings(&told),
        [
            (1, "reading", "variations"),
            (1, "reading", "comments"),
            (1, "writing", "rule"),
            (1, "writing", "size"),
            (1, "writing", "result"),
            (1, "writing", "termination"),
            (1, "writing", "players"),
            (1, "writing", "event"),
        ]
    );
    let told = converted(&server, &json!({"to": "ndjson", "text": "h8 i9"}));
    assert_eq!(warnings(&told), [], "Tengen's own format says all");
}

#[test]
fn a_game_against_its_rule_is_converted_with_a_warning() {
    let server = shared();
    let told_of = |text: &str, rule: &str| {
        let told = converted(
            &server,
            &json!({"to": "ndjson", "text": text, "rule": rule}),
        );
        let mut list = told["warnings"].as_array().unwrap().iter();
        list.find(|warning| warning["code"] == "illegal_move")
            .map(|warning| warning["detail"].as_str().unwrap().to_owned())
    };
    let five = "h8 a1 h9 c1 h10 e1 h12 g1 h11";
    assert_eq!(told_of(five, "freestyle"), None);
    let on = told_of(&format!("{five} o1"), "freestyle").unwrap();
    assert!(on.starts_with("ply 10, o1"), "{on}");
    let double = "h7 a1 h9 c1 g8 e1 i8 g1 h8";
    assert_eq!(told_of(double, "standard"), None);
    let forbidden = told_of(double, "renju").unwrap();
    assert!(forbidden.starts_with("ply 9, h8"), "{forbidden}");
    // From stones set up: White has five already, and Black may not go on.
    let setup = "(;GM[4]SZ[15]AW[aa:ea]AB[hh][hg][hf][he];B[oo])";
    let over = told_of(setup, "freestyle").unwrap();
    assert!(over.starts_with("ply 1, o1"), "{over}");
    let setup = "(;GM[4]SZ[15]AB[aa:ca]AW[hh][hg][hf];B[da];W[oo];B[ea])";
    assert_eq!(told_of(setup, "freestyle"), None);
}

#[test]
fn where_nothing_can_be_read_every_reason_is_told() {
    let server = shared();
    let text = "8h\nh8 h8\nz9\n";
    let problem = server
        .post(
            "/v1/conversions",
            &json!({"from": "moves", "to": "sgf", "text": text}),
        )
        .problem(422, "unreadable_notation");
    let told: Vec<_> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| {
            let detail = error["detail"].as_str().unwrap();
            let place = detail.split(':').next().unwrap();
            (
                error["pointer"].as_str().unwrap(),
                error["code"].as_str().unwrap(),
                place,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("/text", "unreadable_notation", "game 1, line 1, column 1"),
            ("/text", "invalid_field", "game 2, line 2, column 1"),
            ("/text", "invalid_field", "game 3, line 3, column 1"),
        ]
    );
    let many = "8h\n".repeat(50);
    let answer = server.post(
        "/v1/conversions",
        &json!({"from": "moves", "to": "sgf", "text": many}),
    );
    assert_eq!(answer.faults(422, "unreadable_notation").len(), 20);
}

#[test]
fn the_faults_of_a_conversion_are_told_at_once() {
    let server = shared();
    let body = json!({"from": "pgn", "to": "rif", "text": "h8", "rule": "go", "size": 4, "x": 1});
    let mut faults = server
        .post("/v1/conversions", &body)
        .faults(422, "unknown_field");
    faults.sort_unstable();
    let fault = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
    assert_eq!(
        faults,
        [
            fault("/from", "invalid_field"),
            fault("/rule", "unsupported_rule"),
            fault("/size", "unsupported_size"),
            fault("/to", "invalid_field"),
            fault("/x", "unknown_field"),
        ]
    );
}

#[test]
fn meta_tells_the_formats_that_are_read_and_written() {
    let server = shared();
    let formats = server.meta().ok()["formats"].clone();
    let told: Vec<_> = formats
        .as_array()
        .unwrap()
        .iter()
        .map(|format| {
            (
                format["format"].as_str().unwrap(),
                format["is_written"] == true,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("sgf", true),
            ("psq", true),
            ("rif", false),
            ("renlib", false),
            ("playok", false),
            ("moves", true),
            ("ndjson", true),
        ]
    );
    for (format, is_written) in told {
        let answer = server.post("/v1/conversions", &json!({"to": format, "text": "h8"}));
        assert_eq!(answer.status == 200, is_written, "{format}");
    }
}
