//! The program: its commands, its settings, and how it starts and stops.

use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Directory, Server, read_answer, tengen};

/// Longer than anything here takes, shorter than the patience of an operator.
const SOON: Duration = Duration::from_secs(10);

#[track_caller]
fn output(arguments: &[&str]) -> Output {
    ended(tengen(arguments))
}

/// What a program says that must end by itself.
#[track_caller]
fn ended(mut command: Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > SOON {
            child.kill().unwrap();
            panic!("it runs on: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// A server on this database that must not come up, started in a directory of the test's own.
#[track_caller]
fn refused(directory: &Path, url: &str) -> Output {
    let mut command = tengen(&["serve", "--listen", "127.0.0.1:0", "--database-url", url]);
    command.current_dir(directory);
    ended(command)
}

/// The program failed with a line that says why.
#[track_caller]
fn assert_failed(output: &Output, word: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains(word), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(output.stdout.is_empty(), "it did not listen");
}

#[test]
fn help_and_version_are_told() {
    let help = output(&["--help"]);
    assert!(help.status.success());
    let text = String::from_utf8(help.stdout).unwrap();
    for word in [
        "serve",
        "engine",
        "bench",
        "openapi",
        "backup",
        "recount",
        "--listen",
        "--database-url",
    ] {
        assert!(text.contains(word), "{text}");
    }
    let help = output(&["serve", "--help"]);
    assert!(help.status.success());
    let text = String::from_utf8(help.stdout).unwrap();
    for word in ["TENGEN_LISTEN", "TENGEN_DATABASE_URL"] {
        assert!(text.contains(word), "{text}");
    }
    let version = output(&["--version"]);
    assert!(version.status.success());
    assert!(
        String::from_utf8(version.stdout)
            .unwrap()
            .contains(env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    for arguments in [
        &["nonsense"][..],
        &["serve", "--nonsense"],
        &["serve", "nonsense"],
        &["serve", "--listen", "nowhere"],
        &["serve", "--listen", "127.0.0.1:99999"],
        &["serve", "--listen"],
        &["serve", "--page-items", "0"],
        &["serve", "--page-items", "many"],
        &["serve", "--search-threads", "0"],
        &["serve", "--search-queue", "0"],
        &["serve", "--search-memory-mib", "0"],
        &["serve", "--hint-time-ms", "0"],
        &["serve", "--body-bytes", "-1"],
        &["openapi", "--listen", "127.0.0.1:0"],
        &["backup"],
        &["recount", "games.db"],
    ] {
        let output = output(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let directory = Directory::new();
    let mut command = tengen(&["serve"]);
    command
        .env("TENGEN_LISTEN", "nowhere")
        .env("TENGEN_DATABASE_URL", directory.database_url());
    assert_eq!(ended(command).status.code(), Some(2));
}

#[test]
fn a_taken_address_exits_with_1_and_a_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let directory = Directory::new();
    let output = output(&[
        "serve",
        "--listen",
        &address,
        "--database-url",
        &directory.database_url(),
    ]);
    assert_failed(&output, &address);
}

#[test]
fn a_database_that_cannot_be_used_exits_with_1_and_a_line() {
    let directory = Directory::new();
    let no_directory = directory.path().join("file");
    fs::write(&no_directory, "not a directory").unwrap();
    let no_database = directory.path().join("text.db");
    fs::write(
        &no_database,
        "this is no database, and it is longer than the head of one ".repeat(20),
    )
    .unwrap();
    for url in [
        format!("sqlite://{}/games.db", no_directory.display()),
        format!("sqlite://{}/none/games.db", directory.path().display()),
        format!("sqlite://{}", no_database.display()),
        format!("sqlite://{}", directory.path().display()),
        "postgres://nowhere/games".to_owned(),
        "games.db".to_owned(),
    ] {
        assert_failed(&refused(directory.path(), &url), &url);
    }
    let text = fs::read_to_string(&no_database).unwrap();
    assert!(text.starts_with("this is no database"), "it was left alone");
}

#[test]
fn the_environment_sets_what_the_command_line_does_not() {
    let directory = Directory::new();
    let mut command = tengen(&[]);
    command
        .env("TENGEN_LISTEN", "127.0.0.1:0")
        .env("TENGEN_DATABASE_URL", directory.database_url())
        .env("TENGEN_PAGE_ITEMS", "7")
        .env("TENGEN_SEARCH_THREADS", "3");
    let server = Server::run(command, directory.clone());
    assert_eq!(server.meta().ok()["limits"]["page_items"], 7);
    assert_eq!(server.meta().ok()["search"]["threads"], 3);
    assert!(directory.path().join("games.db").exists());
    drop(server);

    let mut command = tengen(&["serve", "--page-items", "9", "--listen", "127.0.0.1:0"]);
    command
        .env("TENGEN_LISTEN", "203.0.113.1:1")
        .env("TENGEN_DATABASE_URL", directory.database_url())
        .env("TENGEN_PAGE_ITEMS", "7");
    let server = Server::run(command, directory);
    assert_eq!(
        server.meta().ok()["limits"]["page_items"],
        9,
        "the command line goes first"
    );
}

#[test]
fn the_log_can_be_lines_of_json() {
    let server = Server::start_with(&["--log", "debug", "--log-format", "json"]);
    server
        .get_with("/v1/meta", &[("x-request-id", "find-me")])
        .ok();
    let directory = server.directory();
    server.stop();
    let log = fs::read_to_string(directory.path().join("log.txt")).unwrap();
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    assert!(
        lines
            .iter()
            .any(|line| line.to_string().contains("find-me")),
        "{log}"
    );
}

#[test]
fn an_idle_server_stops_when_it_is_told() {
    for signal in ["TERM", "INT"] {
        let server = Server::start();
        server.meta().ok();
        let address = server.address().to_owned();
        server.signal(signal);
        let started = Instant::now();
        assert_eq!(server.wait(SOON).code(), Some(0), "{signal}");
        assert!(started.elapsed() < SOON);
        assert!(
            TcpStream::connect(address).is_err(),
            "nobody listens any more"
        );
    }
}

#[test]
fn a_server_may_be_stopped_as_soon_as_it_says_that_it_listens() {
    for _ in 0..5 {
        Server::start().stop();
    }
}

#[test]
fn an_open_connection_that_asks_nothing_does_not_keep_a_server_from_stopping() {
    let server = Server::start();
    let silent = server.connect();
    let mut kept_alive = server.connect();
    kept_alive
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut kept_alive = BufReader::new(kept_alive);
    assert_eq!(read_answer(&mut kept_alive).status, 200);
    server.signal("TERM");
    assert_eq!(server.wait(SOON).code(), Some(0));
    drop((silent, kept_alive));
}

#[test]
fn a_request_under_way_is_finished_before_the_server_stops() {
    let server = Server::start();
    let directory = server.directory();
    let body = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}}).to_string();
    let (first, second) = body.split_at(body.len() / 2);
    let mut stream = server.connect();
    let head = format!(
        "POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{first}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Time for the head to be read, so that the request is under way.
    thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    thread::sleep(Duration::from_millis(300));
    stream.write_all(second.as_bytes()).unwrap();
    let answer = read_answer(&mut BufReader::new(stream));
    let kept = answer.json_of(201);
    assert_eq!(server.wait(SOON).code(), Some(0));

    let server = Server::start_in(directory, &[]);
    assert_eq!(server.games("").ok()["games"], json!([kept]));
}

#[test]
fn a_stopped_server_leaves_one_database_file() {
    let server = Server::start();
    let directory = server.directory();
    let game = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}});
    server.keep_game(&game).json_of(201);
    server.stop();
    let mut names: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "log.txt")
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["games.db"], "what was written ahead is in the file");
}

#[test]
fn a_damaged_database_exits_with_1_and_a_line() {
    let directory = Directory::new();
    let server = Server::start_in(directory.clone(), &[]);
    server.meta().ok();
    server.stop();
    let path = directory.path().join("games.db");
    let length = fs::metadata(&path).unwrap().len();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(length / 2)
        .unwrap();
    let url = directory.database_url();
    assert_failed(&refused(directory.path(), &url), &url);
}
