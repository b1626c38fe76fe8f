//! Writers, and what must hold of what they leave behind.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::base::Base;
use crate::client::{Answer, Client, Directory, Server, tengen};

/// A game with players, date and tags, so that every table has a part in it; each number is another game.
pub fn numbered(number: usize) -> Value {
    let moves = [
        "h8i9j7g9h10",
        "h8h9j8",
        "h9h8i10",
        "h8",
        "g8i9j7g10h11k12l13",
    ];
    let players = [
        "Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Tony",
    ];
    let rule = ["freestyle", "renju"][number % 2];
    let result = ["black", "white"][number / 3 % 2];
    json!({
        "position": {"rule": rule, "moves": moves[number % moves.len()]},
        "players": {"black": players[number % 7], "white": players[number / 7 % 7]},
        "result": result,
        "termination": "resignation",
        "event": format!("Event {}", number % 11),
        "round": number.to_string(),
        "played_at": format!("2026-{:02}-10T12:00:00Z", number % 12 + 1),
        "tags": ["club", format!("tag {}", number % 5)],
    })
}

/// Sends games that none has sent before until the server goes, and counts those that it has acknowledged; their ids.
pub fn write_until_gone(client: &Client, numbers: &AtomicUsize, kept: &AtomicUsize) -> Vec<String> {
    let mut acknowledged = Vec::new();
    loop {
        let body = numbered(numbers.fetch_add(1, Ordering::Relaxed)).to_string();
        // A connection that breaks in the middle has acknowledged nothing.
        let Some(answer) = client.try_post("/v1/games", &body) else {
            return acknowledged;
        };
        acknowledged.push(answer.json_of(201)["id"].as_str().unwrap().to_owned());
        kept.fetch_add(1, Ordering::Relaxed);
    }
}

/// The ids of all games, by their list.
pub fn listed(client: &Client) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.games(&format!("limit=200{cursor}")).ok();
        let games = page["games"].as_array().unwrap().iter();
        ids.extend(games.map(|game| game["id"].as_str().unwrap().to_owned()));
        match page.get("next_cursor") {
            Some(next) => cursor = format!("&cursor={}", next.as_str().unwrap()),
            None => break,
        }
    }
    let distinct: BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "a game is listed once");
    ids
}

/// All of these are kept, and each is told whole.
pub fn assert_kept(client: &Client, acknowledged: &[String]) {
    let listed: BTreeSet<_> = listed(client).into_iter().collect();
    for id in acknowledged {
        assert!(listed.contains(id), "{id} was acknowledged");
    }
}

pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(work)
}

/// The file is sound, and what is counted is what a recount by the program counts.
pub async fn assert_sound(base: &Base) {
    if !base.is_postgres() {
        assert_eq!(base.texts("PRAGMA integrity_check").await, ["ok"]);
        let strays = "SELECT \"table\" FROM pragma_foreign_key_check";
        assert_eq!(base.texts(strays).await, [""; 0]);
    }
    let counts = base.counts().await;
    let output = tengen(&["recount", "--database-url", &base.url])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let now = base.counts().await;
    for (one, other) in counts.iter().zip(&now) {
        assert_eq!(one, other);
    }
    assert_eq!(counts.len(), now.len());
}

/// The request may be sent again, and the answer says so.
#[track_caller]
pub fn assert_try_again(answer: &Answer, word: &str) {
    let problem = answer.problem(503, "database_busy");
    assert!(
        problem["detail"].as_str().unwrap().contains(word),
        "{problem}"
    );
    let seconds = answer.header("retry-after").unwrap();
    assert!(seconds.parse::<u32>().unwrap() > 0);
}

/// A server on a database, its log in a directory of its own.
pub fn serve(base: &Base) -> Server {
    serve_with(base, &[])
}

/// The same, with more arguments.
pub fn serve_with(base: &Base, arguments: &[&str]) -> Server {
    serve_at(&base.url, arguments)
}

/// A server on the database of a URL, with more arguments.
pub fn serve_at(database_url: &str, arguments: &[&str]) -> Server {
    let mut command = tengen(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        database_url,
        "--workers",
        "2",
    ]);
    command.args(arguments);
    Server::run(command, Directory::new())
}

/// So many threads that each do the same with a number of their own; what they found.
pub fn at_once<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}
