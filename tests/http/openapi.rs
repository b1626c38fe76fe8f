//! The OpenAPI document says what the service does: it is in step with the code, and every example in it
//! is tried on the running program.

use serde_json::{Value, json};

use crate::client::{Answer, Server, shared};

fn document() -> Value {
    serde_json::to_value(tengen::api::document()).unwrap()
}

/// The document's part behind a reference.
fn follow<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    match part["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => part,
    }
}

/// A validator for a schema of the document, with the components that it may refer to.
fn validator(document: &Value, schema: &Value) -> jsonschema::Validator {
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&whole)
        .unwrap()
}

fn assert_valid(document: &Value, schema: &Value, value: &Value, what: &str) {
    let faults: Vec<_> = validator(document, schema)
        .iter_errors(value)
        .map(|fault| format!("{} at {}", fault, fault.instance_path))
        .collect();
    assert!(
        faults.is_empty(),
        "{what} does not fit its schema: {}\n{value:#}",
        faults.join("; ")
    );
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let each = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (path.clone(), method.clone(), operation.clone()))
    });
    each.collect()
}

/// The answer fits what the document says of its status.
fn assert_documented(document: &Value, operation: &Value, answer: &Answer, what: &str) {
    let response = &operation["responses"][answer.status.to_string()];
    assert!(
        !response.is_null(),
        "{what}: status {} is not documented",
        answer.status
    );
    let media_type = answer.header("content-type").unwrap_or("");
    let media_type = media_type.split(';').next().unwrap_or("");
    let content = &response["content"][media_type];
    assert!(
        !content.is_null(),
        "{what}: {media_type} is not documented for {}",
        answer.status
    );
    if media_type.ends_with("json") {
        let body: Value = answer.json();
        assert_valid(document, &content["schema"], &body, what);
    }
}

#[test]
fn openapi_yaml_is_what_the_code_says() {
    let kept = include_str!("../../openapi.yaml");
    let made = tengen::api::document().to_yaml().unwrap();
    assert!(
        kept == made,
        "openapi.yaml is out of step; renew it: cargo run -- openapi > openapi.yaml"
    );
}

#[test]
fn every_example_of_a_request_gets_the_answer_that_is_shown() {
    let document = document();
    let server = Server::start();
    let mut tried = 0;
    for (path, method, operation) in operations(&document) {
        let Some(examples) =
            operation["requestBody"]["content"]["application/json"]["examples"].as_object()
        else {
            continue;
        };
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        for (name, example) in examples {
            let what = format!("{method} {path}, example {name}");
            let body = &example["value"];
            assert_valid(&document, schema, body, &what);
            let answer = server.post(&path, body);
            assert!(
                answer.status < 300,
                "{what}: {} {}",
                answer.status,
                answer.text()
            );
            assert_documented(&document, &operation, &answer, &what);
            let shown = &operation["responses"]["200"]["content"]["application/json"]["examples"]
                [name]["value"];
            if !shown.is_null() {
                let answered: Value = answer.json();
                assert_eq!(&answered, shown, "{what}");
            }
            let shown =
                &operation["responses"]["200"]["content"]["text/plain"]["examples"][name]["value"];
            if !shown.is_null() {
                assert_eq!(answer.text(), shown, "{what}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 20, "only {tried} examples tried");
}

#[test]
fn the_example_of_a_kept_game_is_what_keeping_it_gives() {
    let document = document();
    let server = Server::start();
    let operation = &document["paths"]["/v1/games"]["post"];
    let request =
        &operation["requestBody"]["content"]["application/json"]["examples"]["won"]["value"];
    let answer = server.post("/v1/games", request);
    let mut answered: Value = answer.json();
    let shown = &operation["responses"]["201"]["content"]["application/json"]["example"];
    answered["id"] = shown["id"].clone();
    answered["created_at"] = shown["created_at"].clone();
    answered["updated_at"] = shown["updated_at"].clone();
    assert_eq!(&answered, shown);
}

#[test]
fn every_example_of_a_parameter_is_answered_as_documented() {
    let document = document();
    let server = shared();
    let mut tried = 0;
    for (path, method, operation) in operations(&document) {
        if method != "get" {
            continue;
        }
        let mut target = path.clone();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let example = match &parameter["example"] {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            };
            if parameter["in"] == "path" {
                let value = example.unwrap_or_else(|| "illegal_move".into());
                target = target.replace(&format!("{{{name}}}"), &value);
            } else if let Some(value) = example {
                let mark = if target.contains('?') { '&' } else { '?' };
                target = format!("{target}{mark}{name}={value}");
            }
        }
        let answer = server.get(&target);
        assert_documented(&document, &operation, &answer, &target);
        let is_kept = path.starts_with("/v1/games/{id}")
            || path.starts_with("/v1/jobs/{id}")
            || ["/v1/players/{name}", "/v1/proofs/{sha256}"].contains(&path.as_str());
        let expected = if is_kept { 404 } else { 200 };
        assert_eq!(answer.status, expected, "{target}: {}", answer.text());
        tried += 1;
    }
    assert!(tried >= 12, "only {tried} paths tried");
}

#[test]
fn every_error_is_documented_with_an_example_that_its_own_page_confirms() {
    let document = document();
    let server = shared();
    for (path, method, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let content = &response["content"]["application/problem+json"];
            for (code, example) in content["examples"].as_object().into_iter().flatten() {
                let what = format!("{method} {path} {status} {code}");
                let problem = &follow(&document, example)["value"];
                assert_valid(&document, &content["schema"], problem, &what);
                assert_eq!(problem["code"], json!(code), "{what}");
                assert_eq!(problem["status"].to_string(), *status, "{what}");
            }
        }
    }
    for (code, example) in document["components"]["examples"].as_object().unwrap() {
        let kind = example["value"]["type"].as_str().unwrap();
        let answer = server.get(kind);
        let page: Value = answer.json();
        assert_eq!(page["code"], json!(code));
        assert_eq!(page["status"], example["value"]["status"]);
    }
}

#[test]
fn every_schema_that_is_referred_to_is_there() {
    let document = document();
    let text = document.to_string();
    let mut found = 0;
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer} is nowhere");
        found += 1;
    }
    assert!(found > 50);
}
