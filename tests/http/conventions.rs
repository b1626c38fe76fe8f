//! What holds for every answer: its id, its errors, its headers.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::{Answer, Server, request, shared};

/// Paths that answer a GET with 200.
const READABLE: &[&str] = &[
    "/v1/replays?moves=h8i9",
    "/v1/legal-moves?moves=h8i9",
    "/v1/threats?moves=h8i9",
    "/v1/hints?moves=h8i9&nodes=100",
    "/v1/analyses?moves=h8i9&nodes=100",
    "/v1/proofs?moves=h8i9&nodes=100",
    "/v1/defences?moves=h8i9&nodes=100",
    "/v1/boards.svg?moves=h8i9",
    "/v1/boards.png?moves=h8i9&pixels=64",
    "/v1/boards.txt?moves=h8i9",
    "/v1/games",
    "/v1/explorer?moves=h8i9",
    "/v1/players",
    "/v1/statistics",
    "/v1/rules",
    "/v1/meta",
    "/v1/problems/illegal_move",
    "/openapi.json",
    "/openapi.yaml",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// Paths whose answer follows from the request alone.
const UNCHANGING: &[&str] = &[
    "/v1/replays?moves=h8i9",
    "/v1/legal-moves?moves=h8i9",
    "/v1/threats?moves=h8i9",
    "/v1/hints?moves=h8i9&nodes=100",
    "/v1/analyses?moves=h8i9&nodes=100",
    "/v1/proofs?moves=h8i9&nodes=100",
    "/v1/defences?moves=h8i9&nodes=100",
    "/v1/boards.svg?moves=h8i9",
    "/v1/boards.png?moves=h8i9&pixels=64",
    "/v1/boards.txt?moves=h8i9",
    "/v1/rules",
    "/v1/problems/illegal_move",
    "/openapi.json",
    "/openapi.yaml",
];

const JSON: (&str, &str) = ("content-type", "application/json");

/// One request for each kind of error, with its status and code.
fn errors(server: &Server) -> Vec<(Answer, u16, &'static str)> {
    let long_query = format!("/v1/replays?moves={}", "h8".repeat(4_000));
    let long_body = format!("{{\"position\":{{\"moves\":\"{}\"}}}}", "h8".repeat(40_000));
    let origin = ("origin", "https://board.example");
    let get = |target: &str| server.get_with(target, &[origin]);
    let post =
        |target: &str, body: &str| server.send("POST", target, &[JSON, origin], body.as_bytes());
    vec![
        (post("/v1/replays", "{"), 400, "malformed_json"),
        (get("/v1/games?cursor=x"), 400, "malformed_cursor"),
        (get("/v1/meta?x=1"), 400, "unknown_query_parameter"),
        (get("/v2/replays"), 404, "route_not_found"),
        (get("/v1/games/x"), 404, "game_not_found"),
        (get("/v1/players/x"), 404, "player_not_found"),
        (get("/v1/proofs/x"), 404, "proof_not_found"),
        (get("/v1/jobs/x"), 404, "job_not_found"),
        (
            server.send("DELETE", "/v1/games", &[origin], b""),
            405,
            "method_not_allowed",
        ),
        (
            server.get_with("/v1/meta", &[origin, ("accept", "text/html")]),
            406,
            "not_acceptable",
        ),
        (post("/v1/replays", &long_body), 413, "body_too_large"),
        (get(&long_query), 414, "uri_too_long"),
        (
            server.send(
                "POST",
                "/v1/replays",
                &[("content-type", "text/plain"), origin],
                b"h8",
            ),
            415,
            "unsupported_media_type",
        ),
        (post("/v1/replays", "{}"), 422, "missing_field"),
        (get("/v1/hints?moves=h8h8"), 422, "illegal_move"),
    ]
}

#[test]
fn every_error_has_the_same_body() {
    let server = shared();
    for (answer, status, code) in errors(&server) {
        answer.problem(status, code);
    }
}

#[test]
fn every_error_is_open_to_other_sites() {
    let server = shared();
    for (answer, status, code) in errors(&server) {
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("*"),
            "{status} {code}"
        );
        let exposed = answer.header("access-control-expose-headers").unwrap_or("");
        assert!(
            exposed.to_lowercase().contains("x-request-id"),
            "{status} {code}"
        );
    }
}

#[test]
fn every_good_answer_is_open_to_other_sites() {
    let server = shared();
    let origin = ("origin", "https://board.example");
    for target in READABLE {
        let answer = server.get_with(target, &[origin]);
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("*"),
            "{target}"
        );
        let exposed = answer
            .header("access-control-expose-headers")
            .unwrap()
            .to_lowercase();
        for name in ["x-request-id", "etag", "link", "location"] {
            assert!(exposed.contains(name), "{target}: {exposed}");
        }
    }
    let body = json!({"position": {"moves": "h8"}}).to_string();
    let answer = server.send("POST", "/v1/hints", &[JSON, origin], body.as_bytes());
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let etag = server.get("/v1/rules").header("etag").unwrap().to_owned();
    let answer = server.get_with("/v1/rules", &[origin, ("if-none-match", &etag)]);
    assert_eq!(answer.status, 304);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
}

#[test]
fn a_preflight_is_granted() {
    let server = shared();
    for target in ["/v1/replays", "/v1/hints", "/v1/games"] {
        let headers = [
            ("origin", "https://board.example"),
            ("access-control-request-method", "POST"),
            (
                "access-control-request-headers",
                "content-type, x-request-id, if-none-match",
            ),
        ];
        let answer = server.send("OPTIONS", target, &headers, b"");
        assert!(
            matches!(answer.status, 200 | 204),
            "{target}: {}",
            answer.status
        );
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert!(
            answer
                .header("access-control-allow-methods")
                .unwrap()
                .contains("POST")
        );
        let granted = answer
            .header("access-control-allow-headers")
            .unwrap()
            .to_lowercase();
        for name in ["content-type", "x-request-id", "if-none-match"] {
            assert!(granted.contains(name), "{granted}");
        }
        assert!(answer.header("access-control-max-age").is_some());
        assert!(answer.body.is_empty());
    }
}

#[test]
fn a_callers_request_id_is_given_back() {
    let server = shared();
    for target in [
        "/v1/meta",
        "/v1/nothing",
        "/v1/hints?moves=h8h8",
        "/healthz",
        "/v1/meta?x=1",
    ] {
        let answer = server.get_with(target, &[("x-request-id", "my-id.7_A")]);
        assert_eq!(answer.header("x-request-id"), Some("my-id.7_A"), "{target}");
        if answer.status != 200 {
            assert_eq!(answer.json()["request_id"], "my-id.7_A", "{target}");
        }
    }
}

#[test]
fn a_trace_is_the_request_id_of_who_has_none() {
    let server = shared();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("00-{trace}-b7ad6b7169203331-01");
    let answer = server.get_with("/v1/meta", &[("traceparent", &parent)]);
    assert_eq!(answer.header("x-request-id"), Some(trace));
    let both = [("traceparent", parent.as_str()), ("x-request-id", "mine")];
    assert_eq!(
        server.get_with("/v1/meta", &both).header("x-request-id"),
        Some("mine")
    );
    let answer = server.get_with("/v1/nothing", &[("traceparent", &parent)]);
    assert_eq!(answer.problem(404, "route_not_found")["request_id"], trace);
}

#[test]
fn a_new_request_id_is_made_for_who_has_none_of_use() {
    let server = shared();
    let id = |headers: &[(&str, &str)]| {
        let answer = server.get_with("/v1/meta", headers);
        answer.header("x-request-id").unwrap().to_owned()
    };
    let first = id(&[]);
    assert!(first.len() >= 16, "{first}");
    assert_ne!(id(&[]), first);
    let long = "x".repeat(1_000);
    let nothing = format!("00-{}-b7ad6b7169203331-01", "0".repeat(32));
    for (name, value) in [
        ("x-request-id", ""),
        ("x-request-id", "two words"),
        ("x-request-id", &long),
        ("traceparent", "nonsense"),
        (
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        ),
        (
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
        ),
        // W3C Trace Context: a trace of zeros only is none.
        ("traceparent", &nothing),
    ] {
        let made = id(&[(name, value)]);
        assert!(
            made.len() >= 16 && made.len() <= 64,
            "{name} {value:?}: {made:?}"
        );
        assert!(!value.contains(&made), "{name} {value:?}: {made:?}");
    }
}

#[test]
fn a_path_without_the_method_names_those_it_has() {
    let server = shared();
    let computed = ["GET", "HEAD", "POST"];
    let read = ["GET", "HEAD"];
    let kept = ["DELETE", "GET", "HEAD", "PATCH"];
    let table: Vec<(&str, &[&str])> = vec![
        ("/v1/replays", &computed),
        ("/v1/legal-moves", &computed),
        ("/v1/threats", &computed),
        ("/v1/hints", &computed),
        ("/v1/analyses", &computed),
        ("/v1/reviews", &["POST"]),
        ("/v1/batches", &["POST"]),
        ("/v1/jobs", &["POST"]),
        ("/v1/jobs/019357a4-6c00-7000-8000-000000000000", &read),
        (
            "/v1/jobs/019357a4-6c00-7000-8000-000000000000/events",
            &read,
        ),
        (
            "/v1/jobs/019357a4-6c00-7000-8000-000000000000/cancellation",
            &["POST"],
        ),
        ("/v1/boards.svg", &computed),
        ("/v1/boards.png", &computed),
        ("/v1/boards.txt", &computed),
        ("/v1/conversions", &["POST"]),
        ("/v1/games", &computed),
        ("/v1/games/019357a4-6c00-7000-8000-000000000000", &kept),
        (
            "/v1/games/019357a4-6c00-7000-8000-000000000000/positions/1",
            &read,
        ),
        (
            "/v1/games/019357a4-6c00-7000-8000-000000000000/review",
            &read,
        ),
        ("/v1/proofs", &computed),
        ("/v1/proofs/x", &read),
        ("/v1/proof-checks", &["POST"]),
        ("/v1/defences", &computed),
        ("/v1/game-imports", &["POST"]),
        ("/v1/explorer", &read),
        ("/v1/players", &read),
        ("/v1/players/Ada%2FB", &read),
        ("/v1/statistics", &read),
        ("/v1/rules", &read),
        ("/v1/meta", &read),
        ("/v1/problems/illegal_move", &read),
        ("/openapi.json", &read),
        ("/openapi.yaml", &read),
        ("/healthz", &read),
        ("/readyz", &read),
        ("/metrics", &read),
        ("/docs", &read),
        ("/docs/", &read),
    ];
    let mut wrong = Vec::new();
    for (target, methods) in table {
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"] {
            if methods.contains(&method) {
                continue;
            }
            let answer = server.raw(&request(method, target.as_bytes(), &[], b""));
            if let Err(what) = answer.check_problem(405, "method_not_allowed") {
                wrong.push(format!("{method} {target}: {what}"));
                continue;
            }
            let mut allowed: Vec<_> = answer
                .header("allow")
                .unwrap_or("")
                .split(',')
                .map(str::trim)
                .collect();
            allowed.retain(|method| *method != "OPTIONS");
            allowed.sort_unstable();
            if allowed != methods {
                wrong.push(format!("{method} {target}: allows {allowed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn head_is_get_without_the_body() {
    let server = shared();
    let mut wrong = Vec::new();
    for target in READABLE.iter().chain(&["/docs/", "/docs/swagger-ui.css"]) {
        let got = server.get(target);
        let head = server.send("HEAD", target, &[], b"");
        if head.status != 200 || !head.body.is_empty() {
            wrong.push(format!(
                "{target}: {} with {} octets",
                head.status,
                head.body.len()
            ));
            continue;
        }
        for name in ["content-type", "etag", "cache-control"] {
            if head.header(name) != got.header(name) {
                wrong.push(format!("{target}: {name} {:?}", head.header(name)));
            }
        }
        // The counters go on counting.
        if *target != "/metrics" && head.header("content-length") != got.header("content-length") {
            wrong.push(format!(
                "{target}: length {:?}",
                head.header("content-length")
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let missing = server.send("HEAD", "/v1/nothing", &[], b"");
    assert_eq!(missing.status, 404);
    assert!(missing.body.is_empty());
}

#[test]
fn what_the_caller_has_is_not_sent_again() {
    let server = shared();
    for target in UNCHANGING {
        let got = server.get(target);
        assert_eq!(got.status, 200);
        let etag = got
            .header("etag")
            .unwrap_or_else(|| panic!("{target} has no tag"));
        assert!(
            etag.starts_with('"') && etag.len() > 2 && etag.ends_with('"'),
            "{target}: {etag}"
        );
        assert_eq!(server.get(target).header("etag"), Some(etag), "{target}");
        for tags in [etag, "*", &format!("W/{etag}"), &format!("\"x\", {etag}")] {
            let answer = server.get_with(target, &[("if-none-match", tags)]);
            assert_eq!(answer.status, 304, "{target} {tags}");
            assert!(answer.body.is_empty(), "{target}");
            assert_eq!(answer.header("etag"), Some(etag), "{target}");
            assert!(answer.header("x-request-id").is_some(), "{target}");
        }
        let answer = server.get_with(target, &[("if-none-match", "\"x\"")]);
        assert!(answer.body == got.body, "{target}");
    }
}

#[test]
fn different_questions_have_different_tags() {
    let server = shared();
    let mut tags: Vec<_> = [
        "/v1/replays?moves=h8i9",
        "/v1/replays?moves=h8i10",
        "/v1/replays?moves=h8i9&rule=renju",
        "/v1/legal-moves?moves=h8i9",
        "/v1/threats?moves=h8i9",
        "/v1/hints?moves=h8i9&nodes=100",
        "/v1/analyses?moves=h8i9&nodes=100",
        "/v1/hints?moves=h8i9&nodes=100&count=2",
        "/v1/hints?moves=h8i9&nodes=101",
        "/v1/boards.svg?moves=h8i9",
        "/v1/boards.svg?moves=h8i9&theme=dark",
        "/v1/boards.svg?moves=h8i9&numbers=true",
        "/v1/boards.svg?moves=h8i9&coordinates=false",
        "/v1/boards.svg?moves=h8i9&forbidden=true",
        "/v1/boards.svg?moves=h8i9&symmetry=rotate_90",
        "/v1/boards.svg?moves=h8i9&title=A",
        "/v1/boards.svg?moves=h8i9&marks=a1:1",
        "/v1/boards.svg?moves=h8i9&marks=a1:2",
        "/v1/boards.txt?moves=h8i9",
        "/v1/boards.png?moves=h8i9&pixels=64",
        "/v1/boards.png?moves=h8i9&pixels=65",
        "/v1/rules",
        "/v1/problems/occupied",
        "/openapi.json",
        "/openapi.yaml",
    ]
    .iter()
    .map(|target| server.get(target).header("etag").unwrap().to_owned())
    .collect();
    let count = tags.len();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), count);
}

#[test]
fn an_error_has_no_tag_even_for_who_takes_any() {
    let server = shared();
    for target in [
        "/v1/replays?moves=8h",
        "/v1/legal-moves?moves=h8h8",
        "/v1/threats?moves=h8h8",
        "/v1/hints?moves=h8&count=0",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, 422);
        assert!(answer.header("etag").is_none(), "{target}");
        let answer = server.get_with(target, &[("if-none-match", "\"x\"")]);
        assert_eq!(answer.status, 422, "{target}");
    }
}

#[test]
fn answers_are_packed_for_who_takes_them_so() {
    let server = shared();
    for target in ["/openapi.json", "/v1/replays?moves=h8i9j10&include=states"] {
        let plain = server.get(target);
        assert!(plain.header("content-encoding").is_none(), "nobody asked");
        for coding in ["gzip", "br"] {
            let packed = server.get_with(target, &[("accept-encoding", coding)]);
            assert_eq!(packed.status, 200);
            assert_eq!(packed.header("content-encoding"), Some(coding), "{target}");
            assert_eq!(packed.header("content-type"), plain.header("content-type"));
            let vary = packed.header("vary").unwrap().to_lowercase();
            assert!(vary.contains("accept-encoding"), "{target}: {vary}");
            assert!(
                packed.body.len() * 2 < plain.body.len(),
                "{target} {coding}"
            );
            if coding == "gzip" {
                assert_eq!(unpacked(&packed.body), plain.body, "{target}");
            }
        }
        for coding in ["identity", "gzip;q=0, br;q=0"] {
            let answer = server.get_with(target, &[("accept-encoding", coding)]);
            assert!(answer.header("content-encoding").is_none(), "{coding}");
            assert_eq!(answer.body, plain.body);
        }
    }
    let body = json!({"position": {"moves": "h8i9"}, "include": "states"}).to_string();
    let headers = [JSON, ("accept-encoding", "gzip")];
    let packed = server.send("POST", "/v1/replays", &headers, body.as_bytes());
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let plain = server.send("POST", "/v1/replays", &[JSON], body.as_bytes());
    assert_eq!(unpacked(&packed.body), plain.body);
}

/// What `gzip` makes of packed octets.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut gzip = Command::new("gzip")
        .arg("-dc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The packed answers are far shorter than a pipe holds.
    gzip.stdin.take().unwrap().write_all(packed).unwrap();
    let output = gzip.wait_with_output().unwrap();
    assert!(output.status.success());
    output.stdout
}

#[test]
fn a_strong_tag_stands_for_the_very_octets() {
    // RFC 9110, 8.8.3.3: the codings of a representation have different strong tags.
    let server = shared();
    let target = "/openapi.json";
    let plain = server.get(target);
    let packed = server.get_with(target, &[("accept-encoding", "gzip")]);
    assert_ne!(packed.body, plain.body);
    let tag = packed.header("etag").unwrap();
    assert!(
        tag.starts_with("W/") || plain.header("etag") != Some(tag),
        "{tag} is the tag of both codings"
    );
    // Whatever tag came with it, the caller that has the packed answer is not sent it again.
    let headers = [("accept-encoding", "gzip"), ("if-none-match", tag)];
    assert_eq!(server.get_with(target, &headers).status, 304);
}

#[test]
fn only_what_the_caller_accepts_is_sent() {
    let server = shared();
    for target in READABLE {
        let is_picture = target.starts_with("/v1/boards.");
        if is_picture || matches!(*target, "/healthz" | "/readyz" | "/metrics") {
            continue;
        }
        let answer = server.get_with(target, &[("accept", "image/png")]);
        answer.problem(406, "not_acceptable");
        for accepts in ["*/*", "application/*", "text/html, */*;q=0.1"] {
            assert_eq!(
                server.get_with(target, &[("accept", accepts)]).status,
                200,
                "{target} {accepts}"
            );
        }
    }
    let headers = [JSON, ("accept", "text/html")];
    let body = json!({"position": {"moves": "h8"}}).to_string();
    for target in [
        "/v1/replays",
        "/v1/legal-moves",
        "/v1/threats",
        "/v1/hints",
        "/v1/analyses",
        "/v1/reviews",
        "/v1/batches",
        "/v1/jobs",
        "/v1/games",
    ] {
        let answer = server.send("POST", target, &headers, body.as_bytes());
        answer.problem(406, "not_acceptable");
    }
}

#[test]
fn a_body_may_name_its_type_in_the_usual_ways() {
    let server = shared();
    let body = json!({"position": {"moves": "h8"}}).to_string();
    for media_type in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
    ] {
        let answer = server.send(
            "POST",
            "/v1/replays",
            &[("content-type", media_type)],
            body.as_bytes(),
        );
        assert_eq!(answer.status, 200, "{media_type}: {}", answer.text());
    }
}

#[test]
fn a_body_in_chunks_is_read_as_one() {
    let server = shared();
    let head = b"POST /v1/replays HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = b"10\r\n{\"position\":{\"mo\r\n7\r\nves\":\"h\r\n4\r\n8\"}}\r\n0\r\n\r\n";
    let answer = server.raw(&[&head[..], &chunks[..]].concat());
    assert_eq!(
        answer.ok(),
        server.replay(&json!({"position": {"moves": "h8"}})).ok()
    );
}

#[test]
fn many_requests_go_over_one_connection() {
    let server = shared();
    let one = "GET /v1/replays?moves=h8 HTTP/1.1\r\nHost: x\r\n\r\n";
    let bad = "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut stream = server.connect();
    stream
        .write_all(format!("{one}{bad}{one}").as_bytes())
        .unwrap();
    let mut stream = std::io::BufReader::new(stream);
    let answers = [(); 3].map(|()| crate::client::read_answer(&mut stream));
    assert_eq!(answers[0].ok(), answers[2].ok());
    answers[1].problem(404, "route_not_found");
}

#[test]
fn any_tag_is_known_only_where_there_is_an_answer() {
    let server = shared();
    let any = [("if-none-match", "*")];
    assert_eq!(
        server.get_with("/v1/legal-moves?moves=h8", &any).status,
        304
    );
    server
        .get_with("/v1/legal-moves?moves=h8h8", &any)
        .problem(422, "illegal_move");
}

#[test]
fn a_preflight_for_a_method_that_is_none_is_a_problem_like_others() {
    let raw = request(
        "OPTIONS",
        b"/v1/replays",
        &[
            ("origin", "https://example.org"),
            ("access-control-request-method", "FOO"),
        ],
        b"",
    );
    let answer = shared().raw(&raw);
    assert!(answer.status >= 400, "{}", answer.status);
    answer.problem(answer.status, "bad_request");
}

#[test]
fn the_answer_varies_with_the_coding_that_is_asked_for() {
    let server = shared();
    for target in ["/v1/replays?moves=h8", "/v1/meta", "/openapi.json"] {
        let plain = server.get(target);
        let tag = plain.header("etag").unwrap();
        let known = server.get_with(target, &[("if-none-match", tag)]);
        for answer in [&plain, &known] {
            let varies = answer.header("vary").unwrap_or("").to_lowercase();
            assert!(varies.contains("accept-encoding"), "{target}: {varies}");
        }
        assert_eq!(known.header("etag"), Some(tag));
    }
}
