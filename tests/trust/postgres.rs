//! The program on PostgreSQL, alone and four times over.

use std::collections::BTreeSet;

use serde_json::json;

use crate::base::{Base, postgres_server};
use crate::client::tengen;
use crate::writers::{assert_sound, at_once, listed, numbered, run, serve};

#[test]
fn a_server_on_postgres_keeps_and_finds_games() {
    let Some(server) = postgres_server() else {
        return;
    };
    let base = run(Base::postgres(server));
    let server = serve(&base);
    server.get("/readyz").ok();
    let answer = server.keep_game(&numbered(1));
    let kept = answer.json_of(201);
    assert_eq!(server.keep_game(&numbered(1)).ok(), kept);
    assert_eq!(server.get(answer.header("location").unwrap()).ok(), kept);
    for number in 2..6 {
        server.keep_game(&numbered(number)).json_of(201);
    }
    let found = server
        .games("player=Grace&rule=renju&result=black&limit=1")
        .ok();
    assert_eq!(found["games"], json!([kept]));
    assert_eq!(listed(&server).len(), 5);
    server
        .game("019357a4-6c00-7000-8000-000000000000")
        .problem(404, "game_not_found");
    server.stop();
    let server = serve(&base);
    assert_eq!(listed(&server).len(), 5);
    let refused = tengen(&["backup", "games.backup", "--database-url", &base.url])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        String::from_utf8(refused.stderr)
            .unwrap()
            .contains("pg_dump")
    );
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}

#[test]
fn four_servers_on_one_database_lose_and_double_nothing() {
    let Some(server) = postgres_server() else {
        return;
    };
    let base = run(Base::postgres(server));
    // All four find an empty database.
    let servers = at_once(4, |_| serve(&base));
    const OWN: usize = 25;
    const COMMON: usize = 15;
    let found = at_once(8, |writer| {
        let server = &servers[writer % 4];
        let mut own = Vec::new();
        let mut common = Vec::new();
        for number in 0..OWN {
            let kept = server.keep_game(&numbered(1_000 * (writer + 1) + number));
            own.push(kept.json_of(201)["id"].as_str().unwrap().to_owned());
            if number < COMMON {
                let answer = server.keep_game(&numbered(number));
                assert!([200, 201].contains(&answer.status), "{}", answer.text());
                let id = answer.json()["id"].as_str().unwrap().to_owned();
                common.push((id, answer.status == 201));
            }
        }
        (own, common)
    });
    let mut all = BTreeSet::new();
    for (own, common) in &found {
        all.extend(own.iter().cloned());
        let ids: Vec<_> = common.iter().map(|(id, _)| id).collect();
        let first: Vec<_> = found[0].1.iter().map(|(id, _)| id).collect();
        assert_eq!(ids, first, "one record has one id");
        all.extend(common.iter().map(|(id, _)| id.clone()));
    }
    let new = found.iter().flat_map(|(_, common)| common);
    assert_eq!(new.filter(|(_, is_new)| *is_new).count(), COMMON);
    assert_eq!(all.len(), 8 * OWN + COMMON);
    let lists: Vec<_> = servers.iter().map(|server| listed(server)).collect();
    for list in &lists {
        assert_eq!(*list, lists[0], "all tell the same in the same order");
        assert_eq!(list.iter().cloned().collect::<BTreeSet<_>>(), all);
    }
    for server in servers {
        server.stop();
    }
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}

#[test]
fn a_text_that_postgres_cannot_keep_gets_the_same_answer_as_on_sqlite() {
    let Some(server) = postgres_server() else {
        return;
    };
    let bases = [Base::sqlite(), run(Base::postgres(server))];
    let servers = bases.each_ref().map(serve);
    for (path, status) in [
        ("/v1/games?player=a%00", 422),
        ("/v1/games?black=%00", 422),
        ("/v1/games?white=a%00b", 422),
        ("/v1/games?event=a%00", 422),
        ("/v1/games?source=a%00", 422),
        ("/v1/games?tag=a%00", 422),
        ("/v1/explorer?moves=h8&player=a%00", 422),
        ("/v1/players?prefix=a%00", 422),
        ("/v1/players/a%00", 404),
        // Behind the name a\0, with the right checksum.
        ("/v1/players?sort=name&cursor=cd3de6846100", 400),
    ] {
        for server in &servers {
            let answer = server.get(path);
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
        }
    }
    let mut game = numbered(1);
    game["event"] = json!("a\0b");
    for server in servers {
        let faults = server.keep_game(&game).faults(422, "invalid_field");
        assert_eq!(faults, [("/event".to_owned(), "invalid_field".to_owned())]);
        // A file's text becomes one line.
        let line =
            json!({"moves": "h8", "result": "black", "termination": "timeout", "event": "a\0b"});
        let import = server.post("/v1/game-imports?format=ndjson", &line).ok();
        assert_eq!(import["counts"]["stored"], 1, "{import}");
        let found = server.games("event=a%20b").ok();
        assert_eq!(found["games"].as_array().unwrap().len(), 1);
        server.stop();
    }
    run(async {
        for base in bases {
            assert_sound(&base).await;
            base.remove().await;
        }
    });
}
