//! What is told of a kept game changed, a game forgotten, a request done only once, and a game in other forms.

use std::thread;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Server};

/// Black wins with the ninth ply.
const WON: &str = "h8a1h9c1h10e1h12g1h11";

fn won_by(black: &str) -> Value {
    json!({
        "position": {"moves": WON},
        "players": {"black": black, "white": "Grace"},
        "event": "Spring",
        "tags": ["club"],
    })
}

/// Keeps a new game: its path and its tag.
#[track_caller]
fn keep(client: &Client, game: &Value) -> (String, String) {
    let kept = client.keep_game(game);
    kept.json_of(201);
    let header = |name| kept.header(name).unwrap().to_owned();
    (header("location"), header("etag"))
}

fn change(client: &Client, path: &str, tag: &str, body: &Value) -> Answer {
    let headers = [
        ("content-type", "application/merge-patch+json"),
        ("if-match", tag),
    ];
    client.send("PATCH", path, &headers, body.to_string().as_bytes())
}

fn post_once(client: &Client, key: &str, body: &Value) -> Answer {
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", key),
    ];
    client.send("POST", "/v1/games", &headers, body.to_string().as_bytes())
}

#[test]
fn what_is_told_changes_and_the_rest_stays() {
    let server = Server::start();
    let (path, tag) = keep(&server, &won_by("Ada"));
    let body = json!({
        "players": {"black": "Ada Lovelace"},
        "event": null,
        "site": "London",
        "played_at": "2026-11-30T19:00:00.5+01:00",
        "tags": ["final", "final"],
    });
    let changed = change(&server, &path, &tag, &body);
    let game = changed.ok();
    assert_eq!(
        game["players"],
        json!({"black": "Ada Lovelace", "white": "Grace"})
    );
    assert_eq!(game.get("event"), None);
    assert_eq!(game["site"], "London");
    assert_eq!(game["played_at"], "2026-11-30T18:00:00.5Z");
    assert_eq!(game["tags"], json!(["final"]));
    assert_eq!(game["plies"], 9);
    assert_eq!(game["result"], "black");
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let read = server.get(&path);
    assert_eq!(read.ok(), game);
    assert_eq!(read.header("etag"), changed.header("etag"));
    // The lists know it under its new name only.
    let found = |query: &str| server.games(query).ok()["games"].as_array().unwrap().len();
    assert_eq!(found("player=Ada%20Lovelace"), 1);
    assert_eq!(found("player=Ada"), 0);
    assert_eq!((found("tag=final"), found("tag=club")), (1, 0));
    assert_eq!(found("event=Spring"), 0);
}

#[test]
fn a_change_must_know_what_it_changes() {
    let server = Server::start();
    let (path, tag) = keep(&server, &won_by("Ada"));
    let body = json!({"event": "Autumn"});
    let json = [("content-type", "application/json")];
    let unconditional = server.send("PATCH", &path, &json, body.to_string().as_bytes());
    unconditional.problem(428, "precondition_required");
    change(&server, &path, "\"other\"", &body).problem(412, "precondition_failed");
    change(&server, &path, &format!("W/{tag}"), &body).problem(412, "precondition_failed");
    assert_eq!(server.get(&path).ok()["event"], "Spring");
    let changed = change(&server, &path, &format!("\"x\", {tag}"), &body);
    assert_eq!(changed.ok()["event"], "Autumn");
    change(&server, &path, &tag, &json!({"event": "Winter"})).problem(412, "precondition_failed");
    assert_eq!(
        change(&server, &path, "*", &json!({"event": "Winter"})).ok()["event"],
        "Winter"
    );
    // What changes nothing leaves the tag alone.
    let tag = server.get(&path).header("etag").unwrap().to_owned();
    let same = change(&server, &path, &tag, &json!({"event": "Winter"}));
    assert_eq!(same.header("etag"), Some(tag.as_str()));
}

#[test]
fn of_many_changes_at_once_with_one_tag_one_is_done() {
    let server = Server::start();
    let (path, tag) = keep(&server, &won_by("Ada"));
    let done: usize = thread::scope(|scope| {
        let changes: Vec<_> = (0..8)
            .map(|round: usize| {
                let (server, path, tag) = (&server, &path, &tag);
                scope.spawn(move || {
                    let body = json!({"round": round.to_string()});
                    let answer = change(server, path, tag, &body);
                    if answer.status != 200 {
                        answer.problem(412, "precondition_failed");
                    }
                    usize::from(answer.status == 200)
                })
            })
            .collect();
        changes.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(done, 1);
}

#[test]
fn a_game_cannot_become_another_one() {
    let server = Server::start();
    let (one, _) = keep(&server, &won_by("Ada"));
    let (other, tag) = keep(&server, &won_by("Emmy"));
    let answer = change(&server, &other, &tag, &json!({"players": {"black": "Ada"}}));
    let problem = answer.problem(409, "duplicate_game");
    let id = one.rsplit('/').next().unwrap();
    assert!(problem["detail"].as_str().unwrap().contains(id));
    assert_eq!(server.get(&other).ok()["players"]["black"], "Emmy");
}

#[test]
fn wrong_changes_are_all_told_at_once_and_nothing_changes() {
    let server = Server::start();
    let (path, tag) = keep(&server, &won_by("Ada"));
    let before = server.get(&path).ok();
    for (body, faults) in [
        (
            json!({"event": " ", "site": 7, "players": {"black": "a\nb", "red": "x"}}),
            vec![
                ("/site", "invalid_field"),
                ("/players/red", "unknown_field"),
                ("/players/black", "invalid_field"),
                ("/event", "invalid_field"),
            ],
        ),
        (
            json!({"played_at": "yesterday", "tags": [null, "x"]}),
            vec![
                ("/played_at", "invalid_field"),
                ("/tags/0", "invalid_field"),
            ],
        ),
        (
            json!({"position": {"moves": "h8"}, "result": "white"}),
            vec![("/position", "unknown_field"), ("/result", "unknown_field")],
        ),
        (
            json!({"players": null}),
            vec![("/players", "invalid_field")],
        ),
        (json!({"tags": null}), vec![("/tags", "invalid_field")]),
    ] {
        let answer = change(&server, &path, &tag, &body);
        let mut found = answer.faults(422, answer.json()["code"].as_str().unwrap());
        found.sort();
        let mut faults: Vec<_> = faults
            .into_iter()
            .map(|(pointer, code)| (pointer.to_owned(), code.to_owned()))
            .collect();
        faults.sort();
        assert_eq!(found, faults, "{body}");
    }
    let text = change(&server, &path, &tag, &json!([]));
    assert_eq!(text.status, 422);
    assert_eq!(server.get(&path).ok(), before);
}

#[test]
fn a_forgotten_game_is_gone_from_everywhere() {
    let server = Server::start();
    let (path, tag) = keep(&server, &won_by("Ada"));
    let (other, _) = keep(&server, &won_by("Emmy"));
    let delete = |tag: Option<&str>| {
        let headers: Vec<_> = tag.map(|tag| ("if-match", tag)).into_iter().collect();
        server.send("DELETE", &path, &headers, b"")
    };
    delete(Some("\"other\"")).problem(412, "precondition_failed");
    let deleted = delete(Some(&tag));
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    delete(None).problem(404, "game_not_found");
    server.get(&path).problem(404, "game_not_found");
    change(&server, &path, "*", &json!({"event": "x"})).problem(404, "game_not_found");
    let left = server.games("").ok();
    assert_eq!(left["games"].as_array().unwrap().len(), 1);
    assert!(other.ends_with(left["games"][0]["id"].as_str().unwrap()));
    // It may come again, under another name.
    let (again, _) = keep(&server, &won_by("Ada"));
    assert_ne!(again, path);
}

#[test]
fn a_request_with_a_key_is_done_once() {
    let server = Server::start();
    let first = post_once(&server, "key-1", &won_by("Ada"));
    let game = first.json_of(201);
    assert_eq!(first.header("idempotency-replayed"), None);
    let again = post_once(&server, "key-1", &won_by("Ada"));
    assert_eq!(again.json_of(201), game);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.header("location"), first.header("location"));
    post_once(&server, "key-1", &won_by("Emmy")).problem(422, "idempotency_key_reused");
    // Another key for the same game: it is known.
    assert_eq!(post_once(&server, "key-2", &won_by("Ada")).ok(), game);
    // A refused request does not use its key up.
    let illegal = json!({"position": {"moves": "h8h8"}});
    post_once(&server, "key-3", &illegal).problem(422, "illegal_move");
    post_once(&server, "key-3", &won_by("Emmy")).json_of(201);
    assert_eq!(server.games("").ok()["games"].as_array().unwrap().len(), 2);
    let path = first.header("location").unwrap().to_owned();
    assert_eq!(server.send("DELETE", &path, &[], b"").status, 204);
    post_once(&server, "key-1", &won_by("Ada")).problem(422, "idempotency_key_reused");
}

#[test]
fn a_key_outlives_the_server_and_many_at_once_keep_one_game() {
    let server = Server::start();
    let answers: Vec<Answer> = thread::scope(|scope| {
        let posts: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| post_once(&server, "many", &won_by("Ada"))))
            .collect();
        posts.into_iter().map(|post| post.join().unwrap()).collect()
    });
    let mut kept = 0;
    for answer in &answers {
        match answer.status {
            201 => kept += 1,
            _ => {
                answer.problem(409, "idempotency_in_progress");
                assert_eq!(answer.header("retry-after"), Some("1"));
            }
        }
    }
    assert!(kept >= 1);
    let directory = server.directory();
    server.kill();
    let server = Server::start_in(directory, &[]);
    let again = post_once(&server, "many", &won_by("Ada"));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(server.games("").ok()["games"].as_array().unwrap().len(), 1);
}

#[test]
fn a_key_that_is_none_is_a_fault_of_the_header() {
    let server = Server::start();
    for key in ["", &"k".repeat(256)] {
        let faults = post_once(&server, key, &won_by("Ada")).faults(422, "invalid_field");
        assert_eq!(faults, [("Idempotency-Key".into(), "invalid_field".into())]);
    }
}

#[test]
fn a_game_comes_in_the_form_that_is_asked_for() {
    let server = Server::start();
    let (path, _) = keep(&server, &won_by("Ada <b>&\"x\""));
    let form = |accept: &str| server.get_with(&path, &[("accept", accept)]);
    let sgf = form("application/x-go-sgf");
    assert_eq!(
        sgf.header("content-type"),
        Some("application/x-go-sgf; charset=utf-8")
    );
    assert!(
        sgf.text().contains("SZ[15]") && sgf.text().contains(";B[hh];W[ao]"),
        "{}",
        sgf.text()
    );
    let psq = form("application/x-piskvork");
    assert!(psq.text().starts_with("Piskvorky 15x15,"), "{}", psq.text());
    assert_eq!(form("text/plain").text(), "h8 a1 h9 c1 h10 e1 h12 g1 h11\n");
    let ours: Value = serde_json::from_str(form("application/x-ndjson").text()).unwrap();
    assert_eq!(ours["players"]["white"], "Grace");
    let svg = form("image/svg+xml");
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    let drawing = roxmltree::Document::parse(svg.text()).unwrap();
    let texts: String = drawing
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    assert!(texts.contains("Ada <b>&\"x\""), "{texts}");
    assert!(svg.header("content-security-policy").is_some());
    form("image/png").problem(406, "not_acceptable");
    assert_eq!(form("*/*").header("content-type"), Some("application/json"));
    // Each form has its own tag, and a caller who has it gets nothing again.
    let tags: Vec<_> = [&sgf, &psq, &svg]
        .iter()
        .map(|answer| answer.header("etag").unwrap())
        .collect();
    assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
    let headers = [("accept", "image/svg+xml"), ("if-none-match", tags[2])];
    assert_eq!(server.get_with(&path, &headers).status, 304);
    assert_eq!(
        svg.header("vary").map(|vary| vary.contains("accept")),
        Some(true)
    );
}

#[test]
fn each_position_of_a_game_is_that_of_its_replay() {
    let server = Server::start();
    let (path, _) = keep(&server, &won_by("Ada"));
    for ply in 0..=9 {
        let position = server.get(&format!("{path}/positions/{ply}"));
        let body =
            json!({"position": {"moves": server.get(&path).ok()["position"]["moves"]}, "ply": ply});
        assert_eq!(position.ok(), server.replay(&body).ok(), "{ply}");
        let headers = [("if-none-match", position.header("etag").unwrap())];
        let again = server.get_with(&format!("{path}/positions/{ply}"), &headers);
        assert_eq!(again.status, 304);
    }
    for ply in ["10", "-1", "01", "x", "1.0"] {
        let answer = server.get(&format!("{path}/positions/{ply}"));
        answer.problem(404, "position_not_found");
    }
    let other = format!("{path}/positions/1").replace("/v1/games/", "/v1/games/x");
    server.get(&other).problem(404, "game_not_found");
}

#[test]
fn a_contradicted_claim_is_shown_what_the_stones_say() {
    let server = Server::start();
    let mut game = won_by("Ada");
    game["result"] = json!("white");
    let problem = server.keep_game(&game).problem(422, "result_mismatch");
    let evidence = &problem["errors"][0]["evidence"];
    assert_eq!(evidence["winner"], "black");
    assert_eq!(evidence["at_ply"], 9);
    assert_eq!(
        evidence["lines"][0]["cells"],
        json!(["h8", "h9", "h10", "h11", "h12"])
    );
}

#[test]
fn openings_are_named() {
    let server = Server::start();
    let (path, _) = keep(
        &server,
        &json!({"position": {"rule": "renju", "moves": "h8h9i9"}, "result": "draw", "termination": "agreement"}),
    );
    assert_eq!(
        server.get(&path).ok()["opening"],
        json!({"abbreviation": "D4", "name": "Kagetsu"})
    );
    keep(
        &server,
        &json!({"position": {"rule": "renju", "moves": "h8i8i7"}, "result": "draw", "termination": "agreement"}),
    );
    let found = |opening: &str| {
        let page = server.games(&format!("opening={opening}")).ok();
        page["games"].as_array().unwrap().len()
    };
    assert_eq!((found("D4"), found("D5")), (2, 0));
}
