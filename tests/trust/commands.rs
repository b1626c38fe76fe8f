//! `tengen backup` and `tengen recount` beside a server that writes.

use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::base::Base;
use crate::client::{Directory, Server, tengen};
use crate::writers::{
    assert_kept, assert_sound, at_once, listed, numbered, run, serve, write_until_gone,
};

fn output(arguments: &[&str]) -> Output {
    tengen(arguments).output().unwrap()
}

#[track_caller]
fn told(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_backup_beside_a_server_that_writes_has_what_was_acknowledged_before() {
    let base = Base::sqlite();
    let server = serve(&base);
    let (numbers, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let goes_on = |more| {
        let before = kept.load(Ordering::Relaxed);
        server.until("games are kept", |_| {
            kept.load(Ordering::Relaxed) >= before + more
        });
    };
    let mut before = Vec::new();
    for number in 0..20 {
        let kept = server.keep_game(&numbered(1_000_000 + number)).json_of(201);
        before.push(kept["id"].as_str().unwrap().to_owned());
    }
    let file = base.directory().join("backup.db");
    let path = file.to_str().unwrap();
    let after = thread::scope(|scope| {
        let writing = scope.spawn(|| at_once(2, |_| write_until_gone(&server, &numbers, &kept)));
        goes_on(5);
        let done = output(&["backup", path, "--database-url", &base.url]);
        assert!(told(&done).is_empty(), "no news are good news");
        // The file is there now, and stays as it is.
        let again = output(&["backup", path, "--database-url", &base.url]);
        assert_eq!(again.status.code(), Some(1));
        let line = String::from_utf8(again.stderr).unwrap();
        assert!(line.contains(path) && line.lines().count() == 1, "{line}");
        goes_on(2);
        server.signal("KILL");
        writing.join().unwrap().concat()
    });
    drop(server);
    assert_eq!(after.len(), kept.into_inner());

    let url = format!("sqlite://{path}");
    let command = tengen(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url]);
    let copy = Server::run(command, Directory::new());
    assert_kept(&copy, &before);
    copy.keep_game(&numbered(2_000_000)).json_of(201);
    copy.stop();
    // As sound as the database that it was made of.
    let mut copied = Base::sqlite();
    let home = std::mem::replace(&mut copied.url, url);
    run(async {
        assert_sound(&copied).await;
        copied.url = home;
        copied.remove().await;
        assert_sound(&base).await;
        base.remove().await;
    });
}

#[test]
fn a_recount_tells_the_number_of_games() {
    let base = Base::sqlite();
    let server = serve(&base);
    for number in 0..3 {
        server.keep_game(&numbered(number)).json_of(201);
    }
    let counted = output(&["recount", "--database-url", &base.url]);
    assert_eq!(told(&counted), "counted 3 games\n");
    server.keep_game(&numbered(3)).json_of(201);
    assert_eq!(listed(&server).len(), 4);
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}
