//! What the service tells of itself: rules, meta, problems, documents, health and metrics.

use serde_json::{Value, json};

use crate::client::{Server, shared, tengen, texts};

#[test]
fn the_four_rules_are_told() {
    let server = shared();
    let told = server.get("/v1/rules").ok();
    let rules = told["rules"].as_array().unwrap();
    let mut names: Vec<_> = rules
        .iter()
        .map(|rule| rule["rule"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["caro", "freestyle", "renju", "standard"]);
    for rule in rules {
        assert!(!rule["description"].as_str().unwrap().is_empty());
        let is_renju = rule["rule"] == "renju";
        assert_eq!(rule["forbids"], is_renju);
        assert_eq!(rule["passes"], is_renju);
    }
}

#[test]
fn the_service_tells_its_name_and_version() {
    let server = shared();
    let meta = server.meta().ok();
    assert_eq!(meta["name"], "tengen");
    assert_eq!(meta["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        meta["sizes"],
        json!({"smallest": 5, "largest": 25, "default": 15})
    );
    let mut rules = texts(&meta["rules"]);
    rules.sort_unstable();
    assert_eq!(rules, ["caro", "freestyle", "renju", "standard"]);
}

#[test]
fn the_levels_are_told_with_their_strength() {
    let server = shared();
    let meta = server.meta().ok();
    let levels = meta["levels"].as_array().unwrap();
    let numbers: Vec<_> = levels.iter().map(|level| level["level"].as_u64()).collect();
    assert_eq!(numbers, (1..=10).map(Some).collect::<Vec<_>>());
    let strengths: Vec<_> = levels
        .iter()
        .map(|level| level["elo"].as_i64().unwrap())
        .collect();
    assert!(strengths.is_sorted(), "{strengths:?}");
    assert_eq!(strengths[9], 0, "the others are told beside the strongest");
}

/// All problems that are shown anywhere in a document, as (code, status).
fn problems<'a>(document: &'a Value, found: &mut Vec<(&'a str, u64)>) {
    match document {
        Value::Object(members) => {
            let code = members.get("code").and_then(Value::as_str);
            let status = members.get("status").and_then(Value::as_u64);
            found.extend(code.zip(status));
            members.values().for_each(|value| problems(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| problems(item, found)),
        _ => {}
    }
}

#[test]
fn every_code_of_the_document_has_a_page() {
    let server = shared();
    let document = server.get("/openapi.json").ok();
    let mut codes = Vec::new();
    problems(&document, &mut codes);
    codes.sort_unstable();
    codes.dedup();
    assert!(codes.len() > 20, "{codes:?}");
    for (code, status) in codes {
        let page = server.get(&format!("/v1/problems/{code}")).ok();
        assert_eq!(page["code"], code);
        assert_eq!(page["status"], status, "{code}");
        assert!(!page["title"].as_str().unwrap().is_empty());
    }
}

#[test]
fn the_type_of_a_problem_leads_to_its_page() {
    let server = shared();
    for (target, status, code) in [
        ("/v1/nothing", 404, "route_not_found"),
        ("/v1/hints?moves=h8h8", 422, "illegal_move"),
        (
            "/v1/replays?board=xxxxx/...../ooooo/...../.....&setup=true",
            422,
            "illegal_position",
        ),
    ] {
        let problem = server.get(target).problem(status, code);
        let page = server.get(problem["type"].as_str().unwrap()).ok();
        assert_eq!(page["title"], problem["title"]);
        // And the codes of the single faults have pages too.
        for error in problem["errors"].as_array().unwrap() {
            let code = error["code"].as_str().unwrap();
            assert_eq!(
                server.get(&format!("/v1/problems/{code}")).ok()["code"],
                code
            );
        }
    }
    server
        .get("/v1/problems/nothing")
        .problem(404, "route_not_found");
}

#[test]
fn the_document_is_served_in_both_forms_and_printed() {
    let server = shared();
    let document = server.get("/openapi.json").ok();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for path in [
        "/v1/replays",
        "/v1/legal-moves",
        "/v1/threats",
        "/v1/hints",
        "/v1/analyses",
        "/v1/games",
    ] {
        assert!(document["paths"][path]["get"].is_object(), "{path}");
        assert!(document["paths"][path]["post"].is_object(), "{path}");
    }
    let yaml = server.get("/openapi.yaml");
    assert_eq!(yaml.status, 200);
    assert_eq!(yaml.header("content-type"), Some("application/yaml"));
    assert!(yaml.text().starts_with("openapi: 3.1"));
    let printed = tengen(&["openapi"]).output().unwrap();
    assert!(printed.status.success());
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), yaml.text());
}

#[test]
fn every_path_of_the_document_is_served() {
    let server = shared();
    let document = server.get("/openapi.json").ok();
    for (path, item) in document["paths"].as_object().unwrap() {
        let target = path.replace("{id}", "x").replace("{name}", "x");
        let target = target.replace("{code}", "occupied");
        for method in item
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| *name == "get" || *name == "post")
        {
            let answer = server.send(&method.to_uppercase(), &target, &[], b"");
            assert_ne!(answer.status, 405, "{method} {path}");
            if answer.status == 404 {
                let code = answer.json()["code"].as_str().unwrap().to_owned();
                let of_kept = [
                    "game_not_found",
                    "player_not_found",
                    "proof_not_found",
                    "job_not_found",
                ];
                let is_kept = of_kept.contains(&code.as_str());
                assert!(is_kept, "{method} {path}: {code}");
            }
        }
    }
}

/// The values of an attribute in a page.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let mark = format!("{name}=\"");
    let pieces = page.split(mark.as_str()).skip(1);
    pieces
        .map(|piece| piece.split('"').next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_documentation_needs_no_other_host() {
    let server = shared();
    let moved = server.get("/docs");
    assert!((300..400).contains(&moved.status), "{}", moved.status);
    assert_eq!(moved.header("location"), Some("/docs/"));
    let page = server.get("/docs/");
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-type")
            .unwrap()
            .starts_with("text/html")
    );
    let mut parts = attributes(page.text(), "src");
    parts.extend(attributes(page.text(), "href"));
    assert!(parts.iter().any(|part| part.ends_with(".js")), "{parts:?}");
    for part in parts {
        assert!(!part.contains("//"), "{part} is on another host");
        let target = part.trim_start_matches("./");
        let answer = server.get(&format!("/docs/{target}"));
        assert_eq!(answer.status, 200, "{part}");
        assert!(!answer.body.is_empty(), "{part}");
    }
    let start = server.get("/docs/swagger-initializer.js");
    assert!(
        start.text().contains("\"/openapi.json\""),
        "{}",
        start.text()
    );
    for scheme in ["http://", "https://", "\"//"] {
        assert!(!start.text().contains(scheme), "{}", start.text());
    }
    server
        .get("/docs/nothing.js")
        .problem(404, "route_not_found");
    server
        .get("/docs/..%2f..%2fCargo.toml")
        .problem(404, "route_not_found");
}

#[test]
fn a_running_service_is_alive_and_ready() {
    let server = shared();
    for target in ["/healthz", "/readyz"] {
        assert_eq!(server.get(target).ok(), json!({"status": "ok"}), "{target}");
    }
}

/// The sum of the counters of a route and a class of status.
fn counted(server: &Server, route: &str, class: &str) -> f64 {
    let metrics = server.get("/metrics");
    let lines = metrics.text().lines();
    lines
        .filter(|line| line.starts_with("http_requests_total{"))
        .filter(|line| {
            line.contains(&format!("\"{route}\"")) && line.contains(&format!("\"{class}\""))
        })
        .map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
        .sum()
}

#[test]
fn the_metrics_count_requests() {
    let server = Server::start();
    let before = counted(&server, "/v1/rules", "2xx");
    for _ in 0..3 {
        server.get("/v1/rules").ok();
    }
    assert_eq!(counted(&server, "/v1/rules", "2xx") - before, 3.0);
    let before = counted(&server, "/v1/hints", "4xx");
    server.get("/v1/hints").problem(422, "missing_field");
    assert_eq!(counted(&server, "/v1/hints", "4xx") - before, 1.0);
}

#[test]
fn the_metrics_count_searches() {
    let server = Server::start();
    let finished = "searches_total{end=\"finished\"}";
    assert_eq!(server.metric(finished), 0.0);
    for _ in 0..3 {
        server.get("/v1/hints?moves=h8i9&nodes=10").ok();
    }
    server.get("/v1/analyses?moves=h8i9&nodes=10").ok();
    assert_eq!(server.metric(finished), 4.0);
    for name in [
        "searches_running",
        "searches_waiting",
        "searches_total{end=\"cancelled\"}",
        "searches_total{end=\"failed\"}",
        "searches_total{end=\"refused\"}",
    ] {
        assert_eq!(server.metric(name), 0.0, "{name}");
    }
}

#[test]
fn the_metrics_are_prometheus_text() {
    let server = shared();
    server.get("/v1/rules").ok();
    let metrics = server.get("/metrics");
    assert!(
        metrics
            .header("content-type")
            .unwrap()
            .starts_with("text/plain; version=0.0.4")
    );
    let mut samples = 0;
    for line in metrics.text().lines().filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix("# ") {
            assert!(
                comment.starts_with("HELP ") || comment.starts_with("TYPE "),
                "{line}"
            );
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap();
        let name = name.split('{').next().unwrap();
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
            "{line}"
        );
        value.parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
        samples += 1;
    }
    assert!(samples > 0);
}

#[test]
fn a_path_that_nobody_has_does_not_fill_the_metrics() {
    let server = Server::start();
    let lines = || {
        server
            .get("/metrics")
            .text()
            .lines()
            .filter(|line| !line.contains("http_request_seconds"))
            .count()
    };
    let before = lines();
    for number in 0..50 {
        server
            .get(&format!("/v1/nothing-{number}"))
            .problem(404, "route_not_found");
    }
    assert_eq!(lines(), before);
}
