//! Another holds the database, or the disk is full.

use std::process::Command;
use std::time::{Duration, Instant};

use sqlx::{Connection, Executor};

use crate::base::Base;
use crate::client::{Answer, Directory, Server, tengen};
use crate::writers::{
    assert_kept, assert_sound, assert_try_again, at_once, listed, numbered, run, serve,
};

/// The store waits five seconds; who stands behind another waits for both.
const PATIENCE: Duration = Duration::from_secs(12);

#[test]
fn a_database_that_another_holds_is_busy_and_keeps_nothing() {
    let base = Base::sqlite();
    let server = serve(&base);
    let kept = server.keep_game(&numbered(0)).json_of(201);
    let mut other = run(base.connect_sqlite());
    // Connections of sqlx have threads of their own: this one is held beyond the runtime.
    run(other.execute("BEGIN EXCLUSIVE")).unwrap();
    let begun = Instant::now();
    for answer in at_once(2, |number| server.keep_game(&numbered(1 + number))) {
        assert_try_again(&answer, "busy");
    }
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    // Who reads does not wait.
    let begun = Instant::now();
    assert_eq!(server.games("").ok()["games"], serde_json::json!([kept]));
    server.get("/readyz").ok();
    assert!(begun.elapsed() < Duration::from_secs(2));
    // And a second server comes up.
    let second = serve(&base);
    assert_eq!(listed(&second).len(), 1);
    run(async {
        other.execute("ROLLBACK").await.unwrap();
        other.close().await.unwrap();
    });
    assert_eq!(listed(&server).len(), 1, "nothing was kept");
    server.keep_game(&numbered(1)).json_of(201);
    assert_eq!(listed(&second).len(), 2);
    second.stop();
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}

/// A server that may make no file longer than so many blocks of 512 octets. The limit stands for a full disk: the
/// system refuses to write in the same way.
fn serve_within(base: &Base, blocks: u32) -> Server {
    let program = tengen(&[]);
    let mut command = Command::new("sh");
    let limit = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &limit]).arg(program.get_program());
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--log",
        "off",
        "--database-url",
        &base.url,
    ]);
    Server::run(command, Directory::new())
}

/// Takes the limit away, where there is a program for it.
fn can_grow_again(server: &Server) -> bool {
    let limits = format!("--pid={}", server.id());
    let raised = Command::new("prlimit")
        .args([&limits, "--fsize=unlimited"])
        .status();
    raised.is_ok_and(|status| status.success())
}

#[track_caller]
fn id_of(answer: &Answer) -> String {
    answer.json_of(201)["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_full_disk_is_told_and_leaves_no_half_game() {
    let base = Base::sqlite();
    let server = serve_within(&base, 2_000);
    let mut kept = Vec::new();
    let refused = loop {
        let answer = server.keep_game(&numbered(kept.len()));
        if answer.status != 201 {
            break answer;
        }
        kept.push(id_of(&answer));
        assert!(kept.len() < 5_000, "the disk is never full");
    };
    assert_try_again(&refused, "full");
    let next = kept.len();
    // Again and again: the first failure must not leave the connection in the midst of a transaction.
    for _ in 0..5 {
        assert_try_again(&server.keep_game(&numbered(next)), "full");
    }
    assert_kept(&server, &kept);
    assert_eq!(listed(&server).len(), kept.len());
    server.game(&kept[0]).ok();
    server.get("/readyz").ok();
    // A server that starts on the full disk reads too.
    let second = serve_within(&base, 2_000);
    assert_eq!(listed(&second).len(), kept.len());
    drop(second);

    // There is room again, and the same server goes on.
    if can_grow_again(&server) {
        for number in next..next + 10 {
            kept.push(id_of(&server.keep_game(&numbered(number))));
        }
    }
    assert_kept(&server, &kept);
    assert_eq!(listed(&server).len(), kept.len());
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}
