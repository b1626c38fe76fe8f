//! Files of SQLite that the program finds: of the first version, of a newer one, of others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sqlx::migrate::Migrator;
use sqlx::{Connection, Executor, SqliteConnection};
use tengen::board::Color;
use tengen::store::{self, ExplorerQuery, Folded, GameId, PlayerSelection, Revision, Store};
use time::macros::datetime;

use crate::base::Base;
use crate::proofs::five;
use crate::sample::{AT, all, record};

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(test);
}

/// Black's row and column of nine plies, as octets: h8 a1 h9 c1 h10 e1 h12 g1 h11.
fn nine_plies() -> Vec<u8> {
    let cells = [
        (7, 7),
        (0, 0),
        (7, 8),
        (2, 0),
        (7, 9),
        (4, 0),
        (7, 11),
        (6, 0),
        (7, 10),
    ];
    let numbers = cells.map(|(column, height): (u16, u16)| height * 25 + column);
    numbers.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// Makes the file of an earlier version, to which these migrations lead.
async fn make_version(base: &Base, migrations: &[&str]) -> SqliteConnection {
    let directory = base.directory().join("migrations");
    fs::create_dir(&directory).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    for migration in migrations {
        fs::copy(source.join(migration), directory.join(migration)).unwrap();
    }
    let migrator = Migrator::new(directory.as_path()).await.unwrap();
    let url = format!("{}?mode=rwc", base.url);
    let mut db = SqliteConnection::connect(&url).await.unwrap();
    db.execute("PRAGMA journal_mode = WAL").await.unwrap();
    migrator.run(&mut db).await.unwrap();
    db
}

/// Makes the file that the first version would have left, with so many games.
async fn make_first_version(base: &Base, games: u8) {
    let mut db = make_version(base, &["0001_games.sql"]).await;
    for number in 0..games {
        let is_won = number % 2 == 0;
        let plies = if is_won {
            nine_plies()
        } else {
            nine_plies()[..6].to_vec()
        };
        sqlx::query(
            "INSERT INTO games (id, fingerprint, rule, size, plies, result, termination, black, white, event, \
             site, round, played_at, source, tags, created_at) \
             VALUES (?, ?, 'freestyle', 15, ?, ?, ?, 'Ada', ?, 'Spring', NULL, ?, ?, NULL, ?, ?)",
        )
        .bind(id_of(number).1)
        .bind(vec![number; 32])
        .bind(plies)
        .bind(if is_won { "black" } else { "draw" })
        .bind(if is_won { "five" } else { "agreement" })
        .bind((number % 3 == 0).then_some("Grace"))
        .bind(number.to_string())
        .bind(is_won.then_some("2025-11-30T18:00:00.5Z"))
        .bind(if is_won { "[\"club\",\"long\"]" } else { "[]" })
        .bind(format!("2026-01-02T03:04:{:02}.123456789Z", number % 60))
        .execute(&mut db)
        .await
        .unwrap();
    }
    db.close().await.unwrap();
}

/// A game's name, whose order is not that of arrival.
fn id_of(number: u8) -> (GameId, Vec<u8>) {
    let text = format!("019357a4-6c00-7000-8000-0000000000{:02x}", 255 - number);
    let octets = text.replace('-', "");
    let octets = (0..16).map(|at| u8::from_str_radix(&octets[2 * at..2 * at + 2], 16).unwrap());
    (text.parse().unwrap(), octets.collect())
}

async fn assert_moved(store: &Arc<dyn Store>, base: &Base, expected: u8) {
    let games = all(store).await;
    assert_eq!(games.len(), usize::from(expected));
    for (number, kept) in (0..expected).zip(&games) {
        assert_eq!(kept.id, id_of(number).0);
        assert_eq!(kept.game.text.round, Some(number.to_string()));
        assert_eq!(kept.revision, Revision::FIRST);
        let at = datetime!(2026-01-02 03:04:00.123456 UTC)
            + time::Duration::seconds((number % 60).into());
        assert_eq!((kept.created_at, kept.updated_at), (at, at));
        let is_won = number % 2 == 0;
        assert_eq!(kept.game.record.plies().len(), if is_won { 9 } else { 3 });
        let played_at = kept.game.text.played_at;
        assert_eq!(
            played_at,
            is_won.then_some(datetime!(2025-11-30 18:00:00.5 UTC))
        );
        assert_eq!(kept.game.text.tags.len(), if is_won { 2 } else { 0 });
    }
    let expected = u64::from(expected);
    let ada = store.player("Ada").await.unwrap().unwrap();
    assert_eq!(ada.by_color()[Color::Black].games(), expected);
    assert_eq!(ada.total().wins, expected.div_ceil(2));
    let players = store
        .players(&PlayerSelection::default(), 10)
        .await
        .unwrap();
    assert_eq!(players.players.len(), 2);
    let empty = record("").replay();
    let position = empty.position();
    let query = ExplorerQuery {
        position: Folded::of(position.rule(), position.board(), position.to_move()),
        since: None,
        until: None,
        player: None,
        color: None,
        result: None,
        games: 3,
    };
    let told = store.explore(&query).await.unwrap();
    assert_eq!(told.moves.len(), 1);
    assert_eq!(told.moves[0].tally.games(), expected);
    let counts = base.counts().await;
    assert_eq!(store.recount().await.unwrap(), expected);
    assert_eq!(base.counts().await, counts);
}

#[test]
fn a_file_of_the_first_version_opens_with_all_its_games() {
    run(async {
        let base = Base::sqlite();
        make_first_version(&base, 200).await;
        let store = store::open(&base.url).await.unwrap();
        assert_moved(&store, &base, 200).await;
        store.close().await;
        // And again as a file of today, with nothing left of the first version.
        let store = store::open(&base.url).await.unwrap();
        assert_moved(&store, &base, 200).await;
        let left = base
            .texts("SELECT name FROM sqlite_master WHERE name = 'games_to_move'")
            .await;
        assert_eq!(left, [""; 0]);
        // Old games are known by today's fingerprints.
        let first = all(&store).await.remove(0);
        assert_eq!(store.known(&[first.game]).await.unwrap(), [true]);
        store.close().await;
        base.remove().await;
    });
}

#[test]
fn an_empty_file_of_the_first_version_opens() {
    run(async {
        let base = Base::sqlite();
        make_first_version(&base, 0).await;
        let store = store::open(&base.url).await.unwrap();
        assert_eq!(all(&store).await, []);
        store.close().await;
        base.remove().await;
    });
}

#[test]
fn a_file_from_before_there_were_certificates_keeps_them_now() {
    run(async {
        let base = Base::sqlite();
        let db = make_version(&base, &["0001_games.sql", "0002_explorer.sql"]).await;
        db.close().await.unwrap();
        base.execute("DROP TABLE games_to_move").await;
        let store = store::open(&base.url).await.unwrap();
        let certificate = five(Color::White);
        store
            .keep_certificates(std::slice::from_ref(&certificate), AT)
            .await
            .unwrap();
        let text = store.certificate(certificate.id()).await.unwrap();
        assert_eq!(text.as_deref(), Some(certificate.as_str()));
        store.close().await;
        base.remove().await;
    });
}

#[test]
fn programs_that_start_together_move_the_games_once() {
    run(async {
        for games in [0, 100] {
            let base = Base::sqlite();
            if games > 0 {
                make_first_version(&base, games).await;
            }
            let opened: Vec<_> = (0..4)
                .map(|_| {
                    let url = base.url.clone();
                    tokio::spawn(async move { store::open(&url).await })
                })
                .collect();
            for store in opened {
                let store = store.await.unwrap().unwrap();
                assert_eq!(all(&store).await.len(), usize::from(games));
                store.close().await;
            }
            base.remove().await;
        }
    });
}

/// The files of a directory with what they hold.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap();
    let entries = entries.map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// What a program says that must end by itself.
fn ended(mut child: Child) -> Output {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("it runs on: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// No command of the program uses the file, and each says why in one line and leaves it as it is.
fn assert_refused(base: &Base, why: &str) {
    assert_all_refuse(base, &["serve", "recount", "backup"], why);
}

/// The same of some commands.
fn assert_all_refuse(base: &Base, commands: &[&str], why: &str) {
    let before = files(base.directory());
    let backup = base.directory().join("backup.db");
    for command in commands {
        let arguments = match *command {
            "serve" => &["--listen", "127.0.0.1:0"][..],
            "backup" => &[backup.to_str().unwrap()],
            _ => &[],
        };
        let child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args([command, "--database-url", &base.url])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = ended(child);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains(why) && told.contains(&base.url), "{told}");
        assert!(output.stdout.is_empty());
        assert!(
            files(base.directory()) == before,
            "{command} has changed a file"
        );
    }
}

async fn make(base: &Base, statements: &'static str) {
    let url = format!("{}?mode=rwc", base.url);
    let mut db = SqliteConnection::connect(&url).await.unwrap();
    db.execute(statements).await.unwrap();
    db.close().await.unwrap();
}

#[test]
fn a_file_of_another_program_is_refused_and_left_alone() {
    run(async {
        for statements in [
            "CREATE TABLE games (seq INTEGER PRIMARY KEY, id TEXT)",
            "CREATE TABLE cooking (recipe TEXT)",
            "PRAGMA journal_mode = WAL; CREATE TABLE cooking (recipe TEXT)",
            "PRAGMA application_id = 1",
            // Another program that keeps its schema by the same means.
            "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
             installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, \
             checksum BLOB NOT NULL, execution_time BIGINT NOT NULL); \
             INSERT INTO _sqlx_migrations VALUES (20240101000000, 'recipes', '', TRUE, x'00', 1)",
        ] {
            let base = Base::sqlite();
            make(&base, statements).await;
            assert_refused(&base, "it is not a database of Tengen");
            base.remove().await;
        }
    });
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    run(async {
        for text in [
            "x",
            "short",
            &"a longer text that is no database\n".repeat(300),
        ] {
            let base = Base::sqlite();
            fs::write(base.directory().join("games.db"), text).unwrap();
            assert_refused(&base, "it is not a database of Tengen");
            base.remove().await;
        }
    });
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    run(async {
        for mode in ["PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = WAL"] {
            let base = Base::sqlite();
            let store = store::open(&base.url).await.unwrap();
            store.close().await;
            base.execute(mode).await;
            base.execute(
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9999, 'tomorrow', TRUE, x'00', 1)",
            )
            .await;
            assert_refused(&base, "it was made by a newer version of Tengen");
            base.remove().await;
        }
    });
}

#[test]
fn a_backup_or_a_recount_makes_no_database() {
    run(async {
        let base = Base::sqlite();
        assert_all_refuse(&base, &["recount", "backup"], "cannot use the database");
        base.remove().await;
    });
}
