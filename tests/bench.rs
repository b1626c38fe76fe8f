//! `tengen bench` from outside.

use std::process::Command;

/// What the program says, but for how fast it was.
fn bench(arguments: &[&str]) -> Vec<String> {
    let program = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .arg("bench")
        .args(arguments)
        .output();
    let output = program.expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("the program writes text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let speed = lines.pop().expect("the program writes lines");
    let (name, number) = speed.split_once(' ').expect("a name and a number");
    assert!(
        name == "nodes/s" && number.parse::<u64>().is_ok(),
        "{speed}"
    );
    lines
}

/// The number after a word.
fn number(line: &str, word: &str) -> u64 {
    let mut words = line.split_whitespace().skip_while(|found| *found != word);
    words
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("no {word} in {line}"))
}

#[test]
fn the_signature_is_the_same_each_time_and_the_sum_of_all_nodes() {
    let first = bench(&["--depth", "1"]);
    assert_eq!(bench(&["--depth", "1"]), first);
    let (sum, tasks) = first.split_last().expect("the program writes lines");
    assert_eq!(tasks.len(), 12);
    let nodes = |line: &String| number(line, "nodes");
    assert_eq!(nodes(sum), tasks.iter().map(nodes).sum::<u64>());
    for rule in ["freestyle", "standard", "renju", "caro"] {
        assert!(tasks.iter().any(|line| line.contains(rule)), "{rule}");
    }
}
