//! Kept games as files: `GET /v1/games` in other forms than JSON, and `tengen export`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use serde_json::{Value, json};
use tengen::formats::{Defaults, Format};

use crate::client::{Answer, Client, Directory, Server, tengen};

const NDJSON: &str = "application/x-ndjson";

/// So many games on lines of JSON, each another one, of three results.
fn lines(games: usize) -> String {
    let line = |number: usize| {
        let result = ["black", "white", "draw"][number % 3];
        json!({
            "rule": "renju",
            "size": 15,
            "moves": "h8 i9 j7",
            "result": result,
            "termination": "other",
            "players": {"black": format!("Ann {}", number % 7), "white": "中村"},
            "round": number.to_string(),
            "tags": ["a", "b"],
        })
        .to_string()
            + "\n"
    };
    (0..games).map(line).collect()
}

#[track_caller]
fn import(client: &Client, file: &str) -> u64 {
    let answer = client.send(
        "POST",
        "/v1/game-imports",
        &[("content-type", NDJSON)],
        file.as_bytes(),
    );
    answer.ok()["counts"]["stored"].as_u64().unwrap()
}

/// The games of a selection as a file; the query goes without its question mark.
fn file(client: &Client, query: &str, media_type: &str) -> Answer {
    client.get_with(&format!("/v1/games?{query}"), &[("accept", media_type)])
}

/// Does an answer say that it depends on what the caller accepts?
fn varies(answer: &Answer) -> bool {
    let names = answer.header("vary").unwrap_or_default();
    names.starts_with("accept, accept-encoding")
}

/// All games of a selection, page by page.
fn pages(client: &Client, query: &str) -> Vec<Value> {
    let mut games = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.games(&format!("{query}&limit=200{cursor}")).ok();
        games.extend(page["games"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return games,
        }
    }
}

fn parsed(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a line of JSON and a game on a page both tell.
fn told(game: &Value) -> Value {
    let position = game.get("position").unwrap_or(game);
    let moves = match &position["moves"] {
        Value::String(moves) => moves.split(' ').map(Value::from).collect(),
        moves => moves.clone(),
    };
    json!({
        "rule": position["rule"], "size": position["size"], "moves": moves,
        "players": game["players"], "result": game["result"], "termination": game["termination"],
        "round": game["round"], "tags": game["tags"],
    })
}

#[test]
fn a_stream_is_what_the_pages_are_in_every_format() {
    let server = Server::start();
    let games = 2_000;
    assert_eq!(import(&server, &lines(games)), 2_000);
    let paged: Vec<_> = pages(&server, "").iter().map(told).collect();
    assert_eq!(paged.len(), games);
    let stream = file(&server, "", NDJSON);
    assert_eq!(stream.status, 200);
    let content_type = stream.header("content-type");
    assert_eq!(content_type, Some("application/x-ndjson; charset=utf-8"));
    let disposition = stream.header("content-disposition");
    assert_eq!(disposition, Some("inline; filename=\"games.ndjson\""));
    assert!(varies(&stream));
    assert!(
        stream.header("content-length").is_none(),
        "it comes in chunks"
    );
    let streamed: Vec<_> = parsed(stream.text()).iter().map(told).collect();
    assert!(streamed == paged, "the stream differs from the pages");
    for format in [Format::Sgf, Format::Psq, Format::Moves] {
        let stream = file(&server, "", format.media_type());
        assert_eq!(stream.status, 200, "{format}");
        let said = stream.header("content-type").unwrap();
        assert!(said.starts_with(format.media_type()), "{said}");
        let entries = format.read(&stream.body, Defaults::default());
        let read = entries.filter(|entry| entry.game.is_ok()).count();
        assert_eq!(read, games, "{format}");
    }
    let won: Vec<_> = pages(&server, "result=draw&player=Ann+3")
        .iter()
        .map(told)
        .collect();
    assert!((90..100).contains(&won.len()));
    let stream = file(&server, "result=draw&player=Ann+3", NDJSON);
    let streamed: Vec<_> = parsed(stream.text()).iter().map(told).collect();
    assert_eq!(streamed, won);
}

#[test]
fn a_stream_is_imported_again_without_loss() {
    let server = Server::start();
    import(&server, &lines(30));
    let exported = file(&server, "", NDJSON);
    let other = Server::start();
    assert_eq!(import(&other, exported.text()), 30);
    let mut before: Vec<_> = exported.text().lines().map(str::to_owned).collect();
    let mut after: Vec<_> = file(&other, "", NDJSON)
        .text()
        .lines()
        .map(str::to_owned)
        .collect();
    // The newest come first, and that has changed.
    before.sort();
    after.sort();
    assert_eq!(before, after);
}

#[test]
fn a_stream_has_at_most_as_many_games_as_asked_for_and_begins_at_the_cursor() {
    let server = Server::start();
    import(&server, &lines(20));
    let all = parsed(file(&server, "", NDJSON).text());
    assert_eq!(all.len(), 20);
    let few = parsed(file(&server, "limit=7", NDJSON).text());
    assert_eq!(few, all[..7]);
    let page = server.games("limit=7").ok();
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = parsed(file(&server, &format!("cursor={cursor}"), NDJSON).text());
    assert_eq!(rest, all[7..]);
    let faults = file(&server, "limit=201", NDJSON).faults(422, "limit_out_of_range");
    assert_eq!(
        faults,
        [("limit".to_owned(), "limit_out_of_range".to_owned())]
    );
    file(&server, "cursor=x", NDJSON).problem(400, "malformed_cursor");
    file(&server, "x=1", NDJSON).problem(400, "unknown_query_parameter");
}

#[test]
fn a_page_comes_unless_a_file_is_liked_better() {
    let server = Server::start();
    import(&server, &lines(1));
    for (accept, content_type) in [
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        (
            "application/json, application/x-ndjson;q=0.5",
            "application/json",
        ),
        ("application/json;q=0.5, application/x-ndjson", NDJSON),
        ("text/*", "text/plain"),
        ("application/x-go-sgf", "application/x-go-sgf"),
        ("application/x-piskvork", "application/x-piskvork"),
    ] {
        let answer = file(&server, "", accept);
        assert_eq!(answer.status, 200, "{accept}");
        let said = answer.header("content-type").unwrap();
        assert_eq!(said.split(';').next(), Some(content_type), "{accept}");
        assert!(varies(&answer), "{accept}");
    }
    file(&server, "", "text/html").problem(406, "not_acceptable");
    file(&server, "", "application/x-renlib").problem(406, "not_acceptable");
    let head = server.send("HEAD", "/v1/games", &[("accept", NDJSON)], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn a_stream_of_no_games_is_empty() {
    let server = Server::start();
    let empty = file(&server, "player=nobody", NDJSON);
    assert_eq!((empty.status, empty.text()), (200, ""));
}

#[test]
fn a_caller_that_leaves_in_the_middle_harms_nobody() {
    let server = Server::start();
    import(&server, &lines(3_000));
    for _ in 0..20 {
        let mut stream = server.connect();
        let head = format!("GET /v1/games HTTP/1.1\r\nHost: x\r\nAccept: {NDJSON}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.read_exact(&mut [0; 1_000]).unwrap();
    }
    assert_eq!(parsed(file(&server, "", NDJSON).text()).len(), 3_000);
    // Nothing of it is an error of the service.
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

/// Runs `tengen export` on the database of a directory: exit code, standard output, standard error.
#[track_caller]
fn export(directory: &Directory, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = tengen(&["export", "--database-url", &directory.database_url()]);
    command.args(arguments).current_dir(directory.path());
    let output = command.output().unwrap();
    let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_program_exports_what_it_has_imported() {
    let directory = Directory::new();
    let given = lines(1_200);
    fs::write(directory.path().join("given.ndjson"), &given).unwrap();
    let url = directory.database_url();
    let mut command = tengen(&["import", "--database-url", &url, "given.ndjson"]);
    assert!(
        command
            .current_dir(directory.path())
            .status()
            .unwrap()
            .success()
    );

    let (code, out, errors) = export(&directory, &[]);
    assert_eq!((code, errors.as_str()), (Some(0), "1200 games written\n"));
    assert!(
        out == given,
        "in the order in which they came, and nothing lost"
    );

    let conditions = [
        "--result", "draw", "--player", "Ann 3", "-o", "some.sgf", "--format", "sgf",
    ];
    let (code, out, errors) = export(&directory, &conditions);
    let expected = (0..1_200)
        .filter(|number| number % 3 == 2 && number % 7 == 3)
        .count();
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert_eq!(errors, format!("{expected} games written\n"));
    let written = fs::read(directory.path().join("some.sgf")).unwrap();
    let read = Format::Sgf.read(&written, Defaults::default());
    assert_eq!(read.filter(|entry| entry.game.is_ok()).count(), expected);

    let (code, out, errors) = export(&directory, &["--rule", "caro"]);
    assert_eq!(
        (code, out.as_str(), errors.as_str()),
        (Some(0), "", "0 games written\n")
    );
    let (code, _, errors) = export(&directory, &["-o", "none/x"]);
    assert_eq!(code, Some(1));
    assert!(
        errors.starts_with("tengen: cannot write none/x"),
        "{errors}"
    );
}

/// The most memory that a process has had, in KiB.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[ignore = "keeps 100,000 games first, which takes minutes"]
fn a_stream_of_100_000_games_takes_no_more_memory_than_one_of_few() {
    let server = Server::start();
    for part in 0..200 {
        let games = lines(500).replace("\"Ann", &format!("\"Ann {part}"));
        assert_eq!(import(&server, &games), 500);
    }
    let directory = server.directory();
    server.stop();
    // The memory of searches is taken in the first seconds, and would be counted.
    let small = ["--search-threads", "1", "--search-memory-mib", "1"];
    let server = Server::start_in(directory, &small);
    server.get("/v1/hints?moves=h8&nodes=1").ok();
    file(&server, "limit=200", NDJSON);
    let before = peak(server.process());
    let mut stream = server.connect();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let head = format!(
        "GET /v1/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: {NDJSON}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let lines = BufReader::new(stream).lines();
    let games = lines
        .filter(|line| line.as_ref().unwrap().contains("\"moves\""))
        .count();
    let grown = (peak(server.process()) - before) / 1_024;
    // A line may be cut by a chunk's length, never in two places.
    assert!(games >= 99_000, "{games}");
    assert!(grown < 32, "{grown} MiB more");
}
