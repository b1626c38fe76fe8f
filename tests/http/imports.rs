//! `/v1/game-imports` and `tengen import`: the games of files, kept.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Directory, Server, request, shared, tengen};

/// Black wins with the ninth ply.
const WON: &str = "h8 a1 h9 c1 h10 e1 h12 g1 h11";

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games")
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(samples().join(name)).unwrap()
}

/// Sends a file; the query goes without its question mark.
fn import(client: &Client, query: &str, file: impl AsRef<[u8]>) -> Answer {
    let target = format!("/v1/game-imports?{query}");
    let headers = [("content-type", "application/octet-stream")];
    client.send("POST", &target, &headers, file.as_ref())
}

/// The counts of a report: stored, storable, known, refused; with all of them read.
#[track_caller]
fn counts(report: &Value) -> [u64; 4] {
    let count = |name: &str| report["counts"][name].as_u64().unwrap();
    let counts = ["stored", "storable", "known", "refused"].map(count);
    assert_eq!(count("read"), counts.iter().sum::<u64>(), "{report}");
    counts
}

/// The codes of the refused records of a report.
fn codes(report: &Value) -> Vec<&str> {
    let records = report["records"].as_array().unwrap().iter();
    records
        .filter_map(|record| record["code"].as_str())
        .collect()
}

/// A won game on a line of JSON; each number is another game.
fn line(number: usize) -> String {
    json!({"moves": WON, "round": number.to_string()}).to_string() + "\n"
}

fn kept(client: &Client) -> usize {
    client.games("limit=200").ok()["games"]
        .as_array()
        .unwrap()
        .len()
}

/// The samples, the query that says what their formats do not, their kept games and the codes of the others.
#[rustfmt::skip]
const SAMPLES: [(&str, &str, u64, &[&str]); 16] = [
    ("sample_collection.sgf", "", 9, &[]),
    ("branches.sgf", "", 1, &["setup", "occupied", "other_game"]),
    ("sample_freestyle_15_1.psq", "", 1, &[]),
    ("sample_freestyle_15_2.psq", "", 1, &[]),
    ("sample_freestyle_15_3.psq", "", 1, &[]),
    ("sample_freestyle_20_1.psq", "", 1, &[]),
    ("sample_freestyle_20_2.psq", "", 1, &[]),
    ("sample_freestyle_20_3.psq", "", 1, &[]),
    ("sample_renju_15_1.psq", "rule=renju", 1, &[]),
    ("sample_renju_15_2.psq", "rule=renju", 1, &[]),
    ("sample_renju_15_3.psq", "rule=renju", 1, &[]),
    ("sample.rif", "", 2, &["no_moves", "repeated_number", "not_a_move", "not_a_result", "occupied"]),
    ("tree.lib", "rule=renju", 0, &["missing_field", "missing_field", "missing_field"]),
    // Made for the reader: the stones of the first game go on after its end.
    ("swaps.pgn", "", 1, &["illegal_move", "off_board"]),
    ("games.ndjson", "", 1, &["occupied", "json", "missing_field"]),
    ("spellings.txt", "", 0, &["missing_field", "missing_field", "missing_field", "missing_field"]),
];

#[test]
fn every_sample_is_imported_or_refused_for_its_reasons_and_known_afterwards() {
    let server = Server::start();
    let names: Vec<_> = SAMPLES.iter().map(|(name, ..)| *name).collect();
    let mut total = 0;
    for entry in fs::read_dir(samples()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "SOURCE" || names.contains(&name.as_str()),
            "{name} is not tried"
        );
    }
    for (name, query, good, bad) in SAMPLES {
        let file = sample(name);
        let refused = u64::try_from(bad.len()).unwrap();
        let tried = import(&server, &format!("{query}&dry_run=true"), &file).ok();
        assert_eq!(counts(&tried), [0, good, 0, refused], "{name}: {tried}");
        assert_eq!(kept(&server), total, "{name}: a dry run keeps nothing");
        let report = import(&server, query, &file).ok();
        assert_eq!(counts(&report), [good, 0, 0, refused], "{name}: {report}");
        assert_eq!(codes(&report), bad, "{name}");
        assert_eq!(report["file_cut"], false);
        assert_eq!(report["records_cut"], false);
        total += usize::try_from(good).unwrap();
        assert_eq!(kept(&server), total, "{name}");
        let again = import(&server, query, &file).ok();
        assert_eq!(counts(&again), [0, 0, good, refused], "{name}: {again}");
        assert_eq!(kept(&server), total, "{name}");
        let ids = |report: &Value| -> Vec<Value> {
            let records = report["records"].as_array().unwrap().iter();
            records.map(|record| record["id"].clone()).collect()
        };
        assert_eq!(ids(&again), ids(&report), "{name}: the same games");
    }
}

#[test]
fn an_imported_game_is_told_as_its_file_has_it() {
    let server = Server::start();
    let file = "(;GM[4]SZ[19]RU[renju]PB[Ann \\] B]PW[中村]EV[Cup]RO[3]DT[2026-11-30]RE[W+T]C[x];B[jj];W[ik])";
    let report = import(&server, "", file).ok();
    assert_eq!(report["format"], "sgf");
    assert_eq!(report["dry_run"], false);
    let record = &report["records"][0];
    assert_eq!((&record["number"], &record["line"]), (&json!(1), &json!(1)));
    assert_eq!(record["status"], "stored");
    assert_eq!(record["warnings"], json!(["comments"]));
    assert!(record.get("code").is_none() && record.get("column").is_none());
    let game = server.game(record["id"].as_str().unwrap()).ok();
    let position = json!({"rule": "renju", "size": 19, "moves": ["j10", "i9"]});
    assert_eq!(game["position"], position);
    assert_eq!(
        game["players"],
        json!({"black": "Ann ] B", "white": "中村"})
    );
    assert_eq!(game["result"], "white");
    assert_eq!(game["termination"], "timeout");
    assert_eq!(game["event"], "Cup");
    assert_eq!(game["round"], "3");
    assert_eq!(game["played_at"], "2026-11-30T00:00:00Z");
}

#[test]
fn who_won_is_enough_and_how_is_other_with_a_warning() {
    let server = Server::start();
    let report = import(&server, "", "(;GM[4]SZ[15]RE[B+];B[hh];W[ii])").ok();
    let record = &report["records"][0];
    assert_eq!(record["warnings"], json!(["termination"]));
    let game = server.game(record["id"].as_str().unwrap()).ok();
    assert_eq!(
        (&game["result"], &game["termination"]),
        (&json!("black"), &json!("other"))
    );
}

#[test]
fn the_query_says_what_plain_moves_do_not() {
    let server = Server::start();
    let report = import(&server, "format=moves&rule=standard&size=19", WON).ok();
    let id = report["records"][0]["id"].as_str().unwrap().to_owned();
    let position = &server.game(&id).ok()["position"];
    assert_eq!(
        (&position["rule"], &position["size"]),
        (&json!("standard"), &json!(19))
    );
    // Under another rule it is another game, or none.
    let six = "h8 a1 h9 c1 h10 e1 h12 g1 h13 i1 h11";
    let freestyle = import(&server, "", six).ok();
    assert_eq!(counts(&freestyle), [1, 0, 0, 0]);
    let standard = import(&server, "rule=standard", six).ok();
    assert_eq!(codes(&standard), ["missing_field"]);
    let small = import(&server, "size=9", WON).ok();
    assert_eq!(codes(&small), ["off_board"]);
}

#[test]
fn the_format_is_named_by_the_query_else_by_the_type_else_by_the_file() {
    let server = shared();
    let sgf = "(;GM[4]SZ[15];B[hh])";
    let ask = |query: &str, content_type: &str, file: &str| {
        let target = format!("/v1/game-imports?dry_run=true&{query}");
        server.send(
            "POST",
            &target,
            &[("content-type", content_type)],
            file.as_bytes(),
        )
    };
    for (query, content_type, file, format) in [
        ("", "application/octet-stream", sgf, "sgf"),
        ("", "text/plain", sgf, "sgf"),
        ("", "application/x-www-form-urlencoded", sgf, "sgf"),
        ("", "application/x-piskvork", sgf, "psq"),
        ("", "Application/X-NDJSON; charset=utf-8", sgf, "ndjson"),
        ("format=rif", "application/x-go-sgf", sgf, "rif"),
        ("format=moves", "application/x-go-sgf", sgf, "moves"),
        ("", "text/plain; charset=utf-8", "h8 i9", "moves"),
        ("", "", "{\"moves\":\"h8\"}", "ndjson"),
        ("", "", "Piskvorky 15x15, 0:0, 0\n8,8,0\n", "psq"),
    ] {
        let report = ask(query, content_type, file).ok();
        assert_eq!(report["format"], format, "{query} {content_type} {file}");
    }
    for file in ["", "hello", "[{\"moves\":\"h8\"}]"] {
        let problem =
            ask("", "application/octet-stream", file).problem(415, "unsupported_media_type");
        assert!(
            problem["detail"].as_str().unwrap().contains("renlib"),
            "{problem}"
        );
    }
    assert_eq!(counts(&ask("format=sgf", "", "").ok()), [0, 0, 0, 0]);
}

#[test]
fn what_is_refused_is_told_with_line_column_and_reason_and_stops_no_other() {
    let server = Server::start();
    let open = r#"{"moves":"h8 i9"}"#;
    let lines: [(&str, u64, Option<u64>, &str); 9] = [
        (r#" {"moves":"h8 8h"}"#, 2, Some(2), "not_a_move"),
        (r#"{"moves":"h8 h8"}"#, 3, Some(1), "occupied"),
        (
            r#"{"moves":"h8","size":26}"#,
            4,
            Some(1),
            "unsupported_size",
        ),
        (r#"{"moves":"h8","x":1}"#, 5, Some(17), "json"),
        (open, 6, None, "missing_field"),
        (
            r#"{"moves":"h8 i9","termination":"timeout"}"#,
            7,
            None,
            "missing_field",
        ),
        (
            r#"{"moves":"h8 pass","result":"black"}"#,
            8,
            None,
            "illegal_move",
        ),
        (
            r#"{"moves":"h8 i9","result":"draw","termination":"resignation"}"#,
            9,
            None,
            "result_mismatch",
        ),
        (
            r#"{"board":["x....",".....",".....",".....","....."],"moves":"b1","result":"white"}"#,
            10,
            None,
            "setup",
        ),
    ];
    let mut file = line(1);
    for (text, ..) in lines {
        file.push_str(text);
        file.push('\n');
    }
    file.push_str(&line(2));
    let report = import(&server, "", &file).ok();
    assert_eq!(counts(&report), [2, 0, 0, 9], "{report:#}");
    let records = report["records"].as_array().unwrap();
    assert_eq!(records.len(), 11);
    for (record, (text, line, column, code)) in records[1..].iter().zip(lines) {
        assert_eq!(record["status"], "refused", "{text}");
        assert_eq!(record["code"], code, "{text}");
        assert_eq!(record["line"], line, "{text}");
        assert_eq!(
            record.get("column").and_then(Value::as_u64),
            column,
            "{text}"
        );
        assert!(!record["detail"].as_str().unwrap().is_empty(), "{text}");
        assert!(record.get("id").is_none(), "{text}");
    }
    assert_eq!(records[10]["number"], 11);
    assert_eq!(records[10]["status"], "stored");
    assert_eq!(kept(&server), 2);
    let detail = records[7]["detail"].as_str().unwrap();
    assert!(detail.contains("ply 2, pass"), "{detail}");
}

#[test]
fn a_game_twice_in_a_file_is_known_the_second_time_in_earnest_and_in_a_dry_run() {
    let server = Server::start();
    let file = [line(1), line(2), line(1)].concat();
    let statuses = |report: &Value| -> Vec<String> {
        let records = report["records"].as_array().unwrap().iter();
        records
            .map(|record| record["status"].as_str().unwrap().to_owned())
            .collect()
    };
    let tried = import(&server, "dry_run=true", &file).ok();
    assert_eq!(tried["dry_run"], true);
    assert_eq!(statuses(&tried), ["storable", "storable", "known"]);
    import(&server, "", line(2)).ok();
    let tried = import(&server, "dry_run=true", &file).ok();
    assert_eq!(statuses(&tried), ["storable", "known", "known"]);
    let done = import(&server, "dry_run=false", &file).ok();
    assert_eq!(statuses(&done), ["stored", "known", "known"]);
    assert_eq!(done["records"][0]["id"], done["records"][2]["id"]);
}

#[test]
fn a_long_report_keeps_room_for_what_is_refused() {
    let server = Server::start();
    let listed = server.meta().ok()["limits"]["import_listed"]
        .as_u64()
        .unwrap();
    let listed = usize::try_from(listed).unwrap();
    let mut file: String = (0..listed).map(line).collect();
    file.push_str("{}\n{\n");
    let report = import(&server, "", &file).ok();
    let stored = u64::try_from(listed).unwrap();
    assert_eq!(counts(&report), [stored, 0, 0, 2]);
    let records = report["records"].as_array().unwrap();
    assert_eq!(records.len(), listed);
    assert_eq!(report["records_cut"], true);
    assert_eq!(codes(&report), ["no_moves", "json"]);
    assert_eq!(records[listed - 1]["number"], listed + 2);
    assert_eq!(records[listed - 3]["number"], listed - 2);
}

#[test]
fn a_file_is_read_up_to_as_many_records_as_told() {
    let server = shared();
    let most = server.meta().ok()["limits"]["import_records"]
        .as_u64()
        .unwrap();
    let file = "?\n".repeat(usize::try_from(most + 1).unwrap());
    let cut = import(&server, "dry_run=true&format=moves", file).ok();
    assert_eq!(counts(&cut), [0, 0, 0, most]);
    assert_eq!(cut["file_cut"], true);
    let rest = json!({"bound": "records", "number": most + 1, "line": most + 1});
    assert_eq!(cut["unread"], rest);
}

#[test]
fn an_import_whose_time_is_up_keeps_what_it_has_read_and_says_where_the_rest_begins() {
    let server = Server::start_with(&["--import-time-ms", "50"]);
    assert_eq!(server.meta().ok()["limits"]["import_time_ms"], 50);
    // More than any machine judges in that time.
    let file: String = (0..60_000).map(line).collect();
    let report = import(&server, "", &file).ok();
    let [stored, storable, known, refused] = counts(&report);
    assert_eq!([storable, known, refused], [0, 0, 0], "{report}");
    assert!(stored < 60_000);
    let rest = json!({"bound": "time", "number": stored + 1, "line": stored + 1});
    assert_eq!(
        (&report["file_cut"], &report["unread"]),
        (&json!(true), &rest)
    );
    assert_eq!(server.get("/v1/statistics").ok()["totals"]["games"], stored);
    // A file that is read in time has no rest.
    let whole = import(&server, "", line(0)).ok();
    assert_eq!(whole["file_cut"], false);
    assert!(whole.get("unread").is_none());
    let default = shared().meta().ok()["limits"]["import_time_ms"].clone();
    assert_eq!(default, 60_000);
}

#[test]
fn a_file_may_be_as_long_as_told_and_no_longer() {
    let server = Server::start_with(&["--import-bytes", "1000"]);
    assert_eq!(server.meta().ok()["limits"]["import_bytes"], 1_000);
    let padded = |octets: usize| line(1) + &" ".repeat(octets - line(1).len());
    assert_eq!(
        counts(&import(&server, "", padded(1_000)).ok()),
        [1, 0, 0, 0]
    );
    import(&server, "", padded(1_001)).problem(413, "body_too_large");
    // Longer than other bodies may be.
    let long = line(2) + &" ".repeat(100_000);
    assert_eq!(
        counts(&import(&shared(), "dry_run=true", long).ok()),
        [0, 1, 0, 0]
    );
    let default = shared().meta().ok()["limits"]["import_bytes"].clone();
    assert_eq!(default, 8 * 1024 * 1024);
}

#[test]
fn wrong_imports_are_refused_as_a_whole() {
    let server = shared();
    // Refused before the file is read, which ends the connection: each has one of its own.
    let ask = |query: &str, headers: &[(&str, &str)]| {
        let target = format!("/v1/game-imports?{query}");
        server.raw(&request(
            "POST",
            target.as_bytes(),
            headers,
            line(1).as_bytes(),
        ))
    };
    for (query, status, code, place) in [
        ("x=1", 400, "unknown_query_parameter", "x"),
        ("format=pgn", 422, "invalid_field", "format"),
        ("format=SGF", 422, "invalid_field", "format"),
        ("rule=go", 422, "unsupported_rule", "rule"),
        ("size=4", 422, "unsupported_size", "size"),
        ("size=x", 422, "invalid_field", "size"),
        ("dry_run=yes", 422, "invalid_field", "dry_run"),
        ("dry_run=1", 422, "invalid_field", "dry_run"),
        ("rule=renju&rule=renju", 422, "invalid_field", "rule"),
    ] {
        let faults = ask(query, &[]).faults(status, code);
        assert_eq!(faults, [(place.to_owned(), code.to_owned())], "{query}");
    }
    ask("", &[("content-encoding", "gzip")]).problem(415, "unsupported_media_type");
    ask("", &[("accept", "text/html")]).problem(406, "not_acceptable");
    let got = server.get("/v1/game-imports");
    got.problem(405, "method_not_allowed");
    assert_eq!(got.header("allow"), Some("POST"));
}

#[test]
fn a_file_that_breaks_off_is_no_file() {
    let server = Server::start();
    let mut stream = server.connect();
    let file = line(1);
    let head = format!(
        "POST /v1/game-imports HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{file}",
        file.len() + 1
    );
    stream.write_all(head.as_bytes()).unwrap();
    drop(stream);
    // Others go on, and nothing was kept of it.
    assert_eq!(counts(&import(&server, "", line(2)).ok()), [1, 0, 0, 0]);
    assert_eq!(kept(&server), 1);
}

#[test]
fn several_imports_at_once_all_come_to_their_end() {
    let server = Server::start();
    let stored: u64 = thread::scope(|scope| {
        let imports: Vec<_> = (0..6)
            .map(|part| {
                let file: String = (0..300).map(|number| line(1_000 * part + number)).collect();
                let server = &server;
                scope.spawn(move || counts(&import(server, "", file).ok())[0])
            })
            .collect();
        imports
            .into_iter()
            .map(|import| import.join().unwrap())
            .sum()
    });
    assert_eq!(stored, 1_800);
}

/// Ends a run of the program: exit code, standard output, standard error.
#[track_caller]
fn ended(output: Output) -> (Option<i32>, String, String) {
    let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    assert!(!errors.contains("panicked"), "{errors}");
    (output.status.code(), out, errors)
}

/// Runs `tengen import` on the database of a directory, with the directory to work in.
#[track_caller]
fn run(directory: &Directory, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = tengen(&["import", "--database-url", &directory.database_url()]);
    command.args(arguments).current_dir(directory.path());
    ended(command.output().unwrap())
}

#[test]
fn the_program_imports_files_and_says_where_they_are_wrong() {
    let directory = Directory::new();
    fs::write(
        directory.path().join("good.ndjson"),
        [line(1), line(2)].concat(),
    )
    .unwrap();
    fs::write(
        directory.path().join("bad.sgf"),
        "(;SZ[15]RE[B+R];B[hh]C[x])\n(;SZ[15];B[hh];W[hh])\n(;SZ[15];B[hh])",
    )
    .unwrap();
    let good = run(&directory, &["--dry-run", "good.ndjson"]);
    let report = "good.ndjson: ndjson: 2 read, 2 storable, 0 known, 0 refused\n";
    assert_eq!(
        good,
        (
            Some(0),
            "2 read, 2 storable, 0 known, 0 refused\n".into(),
            report.into()
        )
    );
    let (code, out, errors) = run(&directory, &["good.ndjson", "bad.sgf", "good.ndjson"]);
    assert_eq!(
        (code, out.as_str()),
        (Some(1), "7 read, 3 stored, 2 known, 2 refused\n")
    );
    let errors: Vec<_> = errors.lines().collect();
    assert_eq!(
        errors,
        [
            "good.ndjson: ndjson: 2 read, 2 stored, 0 known, 0 refused",
            "bad.sgf:2:18: duplicate point at move 2: h8 holds a stone already",
            "bad.sgf:3:1: the stones leave the game open, and the file does not say who won",
            "bad.sgf: sgf: 3 read, 1 stored, 0 known, 2 refused; left behind: comments",
            "good.ndjson: ndjson: 2 read, 0 stored, 2 known, 0 refused",
            "tengen: 2 of 7 records are refused",
        ]
    );
    let server = Server::start_in(directory, &[]);
    assert_eq!(kept(&server), 3);
}

#[test]
fn the_program_goes_on_behind_a_file_that_it_cannot_read() {
    let directory = Directory::new();
    fs::write(directory.path().join("moves.txt"), WON).unwrap();
    fs::write(directory.path().join("prose.txt"), "hello").unwrap();
    let arguments = [
        "--rule",
        "standard",
        "--size",
        "19",
        "none.sgf",
        "prose.txt",
        "moves.txt",
    ];
    let (code, out, errors) = run(&directory, &arguments);
    assert_eq!(
        (code, out.as_str()),
        (Some(1), "1 read, 1 stored, 0 known, 0 refused\n")
    );
    assert!(errors.contains("none.sgf: "), "{errors}");
    assert!(errors.contains("prose.txt: no format is known"), "{errors}");
    assert!(
        errors.ends_with("tengen: 2 of 3 files cannot be read, 0 of 1 records are refused\n"),
        "{errors}"
    );
    let (code, _, errors) = run(&directory, &["--format", "moves", "prose.txt"]);
    assert_eq!(code, Some(1));
    assert!(
        errors.starts_with("prose.txt:1:1: \"hello\" is not a move"),
        "{errors}"
    );
    let server = Server::start_in(directory, &[]);
    let position = &server.games("").ok()["games"][0]["position"];
    assert_eq!(
        (&position["rule"], &position["size"]),
        (&json!("standard"), &json!(19))
    );
}

#[test]
fn the_program_reads_standard_input() {
    let directory = Directory::new();
    let mut command = tengen(&["import", "--database-url", &directory.database_url(), "-"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(line(1).as_bytes())
        .unwrap();
    let (code, out, _) = ended(child.wait_with_output().unwrap());
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "1 read, 1 stored, 0 known, 0 refused\n")
    );
}

#[test]
fn a_wrong_command_line_imports_and_exports_nothing() {
    let directory = Directory::new();
    for arguments in [
        &["import"][..],
        &["import", "--format", "pgn", "x"],
        &["import", "--rule", "go", "x"],
        &["import", "--size", "4", "x"],
        &["import", "--size", "x", "x"],
        &["export", "--format", "rif"],
        &["export", "--format", "x"],
        &["export", "--result", "x"],
        &["export", "--opening", "D14"],
        &["export", "x"],
    ] {
        let mut command = tengen(arguments);
        command.env("TENGEN_DATABASE_URL", directory.database_url());
        let (code, out, errors) = ended(command.output().unwrap());
        assert_eq!(
            (code, out.as_str()),
            (Some(2), ""),
            "{arguments:?}: {errors}"
        );
        assert!(!directory.path().join("games.db").exists(), "{arguments:?}");
    }
    for command in [&["import", "x"][..], &["export"]] {
        let mut command = tengen(command);
        command.args(["--database-url", "games.db"]);
        let (code, _, errors) = ended(command.output().unwrap());
        assert_eq!(code, Some(1));
        assert!(
            errors.starts_with("tengen: cannot use the database games.db"),
            "{errors}"
        );
    }
}
