//! Forced wins from outside: certificates, what the verifier makes of them, and what the solver finds, held
//! against rules that are written without either.
//!
//! What takes long is `--ignored`, and is meant for a release build.

mod mutants;
mod naive;
#[expect(dead_code, reason = "the tests of the rules use more of it")]
#[path = "../oracle/mod.rs"]
mod oracle;
mod puzzles;
mod solver;
mod text;
mod verifier;

use std::sync::atomic::AtomicBool;

use tengen::board::{Board, Cell, Color};
use tengen::engine::{Force, Limits, Memory, Solution, Solve, SolveOptions};
use tengen::proof::{Certificate, Node, Reply, Root};
use tengen::rules::{Position, Rule};

fn cell(name: &str) -> Cell {
    name.parse().expect("the test names a cell")
}

fn board(rows: &str) -> Board {
    rows.parse().expect("the test draws a board")
}

/// The position of a picture in which the attacker is to move.
fn root(rule: Rule, rows: &str, attacker: Color) -> Root {
    Root {
        rule,
        board: board(rows),
        to_move: attacker,
        attacker,
    }
}

/// A node by its stone (empty: none), its named replies as `a1=3 pass=4`, and the node after all others.
fn node(stone: &str, replies: &str, otherwise: Option<usize>) -> Node {
    let named = replies.split_whitespace().map(|text| {
        let (reply, next) = text.split_once('=').expect("a reply and a node");
        let reply = match reply {
            "pass" => Reply::Pass,
            name => Reply::Stone(cell(name)),
        };
        (reply, next.parse().expect("the number of a node"))
    });
    Node {
        stone: (!stone.is_empty()).then(|| cell(stone)),
        replies: named.collect(),
        otherwise,
    }
}

fn certificate(root: Root, nodes: &[Node]) -> Certificate {
    Certificate::new(root, nodes).expect("the nodes are a tree")
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn force(force: Force) -> SolveOptions {
    SolveOptions {
        force,
        ..SolveOptions::default()
    }
}

/// What is found by a look that nobody cancels.
fn solve(position: &Position, limits: Limits, options: SolveOptions) -> Solution {
    let mut memory = Memory::with_mebibytes(4);
    Solve::new(position, limits, options).run(&mut memory, &AtomicBool::new(false))
}
