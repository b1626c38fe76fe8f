//! The README is true: its requests are sent as they stand there, and what it says of the answers holds.

use serde_json::Value;

use crate::client::{Answer, Server};

const README: &str = include_str!("../../README.md");
const BASE: &str = "http://127.0.0.1:8080";

/// The texts of the fenced blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = README.split(fence.as_str()).skip(1);
    parts
        .map(|part| part.split("```").next().unwrap().replace("\\\n", " "))
        .collect()
}

/// Sends a `curl` command as the README has it: a header, a path, and a body after `--json`.
fn send(server: &Server, command: &str) -> Answer {
    let (options, words) = command
        .split_once(BASE)
        .unwrap_or_else(|| panic!("another host: {command}"));
    let header = options.split_once("-H '").map(|(_, header)| {
        let header = header.split('\'').next().unwrap();
        header.split_once(": ").unwrap()
    });
    let target = words.split(['\'', ' ']).next().unwrap();
    match words.split_once("--json") {
        None => server.get_with(target, header.as_slice()),
        Some((_, body)) => {
            let body: Value = serde_json::from_str(body.trim().trim_matches('\'')).unwrap();
            server.post(target, &body)
        }
    }
}

#[test]
fn every_request_of_the_readme_is_answered_well() {
    let server = Server::start();
    let mut sent = 0;
    let mut answers = String::new();
    for block in blocks("sh") {
        for command in block.lines().filter(|line| line.starts_with("curl")) {
            let answer = send(&server, command);
            assert!(
                (200..300).contains(&answer.status),
                "{command}: {}",
                answer.text()
            );
            answers.push_str(answer.text());
            sent += 1;
        }
    }
    assert_eq!(
        sent, 17,
        "the README has other requests than this test knows"
    );
    for shown in [
        "\"result\":{\"status\":\"won\"",
        "\"kinds\":[\"double_three\"]",
        "\"must_defend\":[\"h7\"]",
    ] {
        let quoted = README
            .split('`')
            .find(|part| part.starts_with(shown))
            .unwrap();
        assert!(answers.contains(quoted), "no answer has {quoted}");
    }
}

#[test]
fn the_first_request_of_the_readme_gets_the_answer_that_is_shown() {
    let server = Server::start();
    let all = blocks("sh");
    let command = all.iter().find(|block| block.starts_with("curl")).unwrap();
    let shown: Value = serde_json::from_str(&blocks("json")[0]).unwrap();
    let answer = send(&server, command.trim()).ok();
    assert!(has_all(&answer, &shown), "{answer}");
}

/// Is all that is shown in the answer? The README leaves out the figures, which every change of the engine changes.
fn has_all(answer: &Value, shown: &Value) -> bool {
    match (answer, shown) {
        (Value::Object(answer), Value::Object(shown)) => shown.iter().all(|(name, shown)| {
            let value = answer.get(name);
            value.is_some_and(|value| has_all(value, shown))
        }),
        (Value::Array(answer), Value::Array(shown)) => {
            let mut pairs = answer.iter().zip(shown);
            answer.len() == shown.len() && pairs.all(|(value, shown)| has_all(value, shown))
        }
        (answer, shown) => answer == shown,
    }
}

#[test]
fn the_readme_lists_every_option_with_its_default() {
    let help = crate::client::tengen(&["serve", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let options: Vec<&str> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--")?.split(' ').next())
        .collect();
    assert!(options.len() > 5, "{help}");
    for option in options {
        let row = format!(
            "| `--{option}` | `TENGEN_{}`",
            option.replace('-', "_").to_uppercase()
        );
        assert!(README.contains(&row), "the README does not list --{option}");
    }
}
