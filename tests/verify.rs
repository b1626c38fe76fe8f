//! `tengen verify` from outside.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const WIN: &str = r#"{"version":1,"rule":"freestyle","size":7,"black":["b5","c5","d5"],"white":["b2","d2"],"to_move":"black","attacker":"black","nodes":[{"m":"e5","r":{"a5":1},"o":2},{"m":"f5"},{"m":"a5"}]}"#;

/// What the program says of a text that it reads from its input.
fn verify(text: &str, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["verify", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().expect("the input is a pipe");
    input.write_all(text.as_bytes()).expect("the program reads");
    drop(input);
    program.wait_with_output().expect("the program ends")
}

/// The line on which a text fails.
fn fault(text: &str, arguments: &[&str]) -> String {
    let output = verify(text, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("the program writes text")
}

#[test]
fn a_win_that_holds_is_told_with_its_plies_nodes_and_id() {
    let output = verify(WIN, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = String::from_utf8(output.stdout).expect("the program writes text");
    let start = "valid: black wins in 3 plies; 3 nodes, ";
    assert!(told.starts_with(start), "{told}");
    assert!(told.contains(" positions, sha256 "), "{told}");
}

#[test]
fn what_does_not_hold_is_told_with_the_node_and_the_reason() {
    let told = fault(&WIN.replace(r#"{"m":"f5"}"#, r#"{"m":"f6"}"#), &[]);
    assert!(told.contains("node 1, ply 3: f6 does not win"), "{told}");
    let told = fault(&WIN.replace(r#""o":2"#, r#""o":9"#), &[]);
    assert!(told.contains("node 0 names node 9"), "{told}");
    let told = fault(WIN, &["--positions", "2"]);
    assert!(told.contains("more than 2 positions"), "{told}");
    assert_eq!(fault("", &[]).lines().count(), 1);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let program = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["verify", "no/such/file"])
        .output();
    let output = program.expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).expect("the program writes text");
    assert!(told.contains("cannot read no/such/file"), "{told}");
}
