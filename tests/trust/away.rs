//! The server of PostgreSQL goes away and comes back, or ends a connection.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::thread;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, PgConnection};
use tokio::runtime::Runtime;

use crate::base::{Base, postgres_server};
use crate::client::Client;
use crate::writers::{assert_sound, assert_try_again, listed, numbered, run, serve, serve_at};

/// A way to a server that can be cut and mended.
struct Bridge {
    here: SocketAddr,
    cables: Arc<Mutex<Cables>>,
}

/// Both ends of each connection over a bridge; none can be made while it is cut.
struct Cables {
    is_cut: bool,
    ends: Vec<TcpStream>,
}

impl Bridge {
    fn to(there: String) -> Bridge {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let bridge = Bridge {
            here: listener.local_addr().unwrap(),
            cables: Arc::new(Mutex::new(Cables {
                is_cut: false,
                ends: Vec::new(),
            })),
        };
        let cables = bridge.cables.clone();
        thread::spawn(move || {
            for near in listener.incoming() {
                let mut cables = cables.lock().unwrap();
                // What is not taken is closed at once.
                if !cables.is_cut {
                    cables.lay(near.unwrap(), TcpStream::connect(&there).unwrap());
                }
            }
        });
        bridge
    }

    fn cut(&self) {
        let mut cables = self.cables.lock().unwrap();
        cables.is_cut = true;
        for end in cables.ends.drain(..) {
            // It may be closed already.
            let _ = end.shutdown(std::net::Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.cables.lock().unwrap().is_cut = false;
    }
}

impl Cables {
    fn lay(&mut self, near: TcpStream, far: TcpStream) {
        for (from, to) in [(&near, &far), (&far, &near)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            thread::spawn(move || {
                // A cut cable ends it.
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(std::net::Shutdown::Both);
            });
        }
        self.ends.extend([near, far]);
    }
}

/// Nothing that needs the database is answered, and all of it says when to come again.
#[track_caller]
fn assert_away(client: &Client, id: &str) {
    for path in [
        "/v1/games",
        &format!("/v1/games/{id}"),
        "/v1/explorer?moves=h8",
        "/v1/players",
        "/v1/statistics",
        "/readyz",
    ] {
        assert_try_again(&client.get(path), "database");
    }
    assert_try_again(&client.keep_game(&numbered(7)), "database");
    client.get("/healthz").ok();
}

#[test]
fn a_database_that_goes_away_is_told_and_found_again() {
    let Some(postgres) = postgres_server() else {
        return;
    };
    let base = run(Base::postgres(postgres));
    let options = PgConnectOptions::from_str(&base.url).unwrap();
    let bridge = Bridge::to(format!("{}:{}", options.get_host(), options.get_port()));
    let options = options.host("127.0.0.1").port(bridge.here.port());
    let server = serve_at(options.to_url_lossy().as_str(), &[]);
    let mut kept = Vec::new();
    // Twice: what was found again may be lost again.
    for number in 0..2 {
        let answer = server.keep_game(&numbered(number)).json_of(201);
        kept.insert(0, answer["id"].as_str().unwrap().to_owned());
        bridge.cut();
        assert_away(&server, &kept[0]);
        bridge.mend();
        server.get("/readyz").ok();
        assert_eq!(listed(&server), kept);
    }
    server.keep_game(&numbered(7)).json_of(201);
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}

#[test]
fn a_connection_that_the_database_ends_fails_one_request_and_no_more() {
    let Some(postgres) = postgres_server() else {
        return;
    };
    let base = run(Base::postgres(postgres));
    let server = serve(&base);
    // A connection lives no longer than its runtime.
    let runtime = Runtime::new().unwrap();
    let mut other = runtime.block_on(PgConnection::connect(&base.url)).unwrap();
    // Who waits for this lock, the writers' own, is in the midst of a statement.
    let lock = other.execute("SELECT pg_advisory_lock(x'546e676e'::bigint)");
    runtime.block_on(lock).unwrap();
    let answer = thread::scope(|scope| {
        let asked = scope.spawn(|| server.keep_game(&numbered(0)));
        let waiting = "SELECT CAST(pid AS TEXT) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        server.until("a writer waits", |_| !run(base.texts(waiting)).is_empty());
        run(base.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        ));
        asked.join().unwrap()
    });
    assert_try_again(&answer, "database");
    // Connections that stood idle are gone as well, which nobody notices.
    server.get("/readyz").ok();
    server.keep_game(&numbered(0)).json_of(201);
    assert_eq!(listed(&server).len(), 1);
    drop(other);
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}
