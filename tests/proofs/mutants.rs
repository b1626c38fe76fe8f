//! Wins with one thing changed: the verifier refuses what does not hold.

use tengen::board::{Cell, Color};
use tengen::engine::training::Chance;
use tengen::proof::{Certificate, MOST_POSITIONS, Node, Reason, Root, verify};
use tengen::rules::Rule;

use crate::naive;
use crate::solver::wins_by_chance;

/// A certificate before it is known to be one.
#[derive(Clone)]
struct Draft {
    root: Root,
    nodes: Vec<Node>,
}

/// The ways in which something is changed.
const WAYS: usize = 14;

/// One thing changed by chance; nothing where there is no such thing.
fn mutant(certificate: &Certificate, way: usize, chance: &mut Chance) -> Option<Draft> {
    let mut draft = Draft {
        root: certificate.root().clone(),
        nodes: certificate.nodes().to_vec(),
    };
    let count = draft.nodes.len();
    let (number, other) = (chance.below(count), chance.below(count));
    let cells: Vec<Cell> = draft.root.board.size().cells().collect();
    let cell = cells[chance.below(cells.len())];
    let node = &mut draft.nodes[number];
    let replies = node.replies.len();
    let reply = chance.below(replies.max(1));
    match way {
        0 | 1 => node.stone = Some(cell),
        2 if replies > 0 => drop(node.replies.remove(reply)),
        3 if replies > 0 => node.replies[reply].1 = other,
        4 if replies > 0 => node.replies[reply].0 = tengen::proof::Reply::Stone(cell),
        5 => node.otherwise = node.otherwise.xor(Some(other)),
        6 if node.otherwise.is_some() => node.otherwise = Some(other),
        7 => draft.nodes[number] = draft.nodes[other].clone(),
        8 => draft.nodes.swap(number, other),
        9 => {
            *node = Node {
                stone: node.stone,
                ..Node::default()
            }
        }
        10 => draft.root.rule = Rule::ALL[chance.below(4)],
        11 if draft.root.board.is_empty(cell) => {
            draft.root.board.put(cell, Color::ALL[chance.below(2)]);
        }
        12 if !draft.root.board.is_empty(cell) => drop(draft.root.board.take(cell)),
        13 => match chance.below(3) {
            0 => draft.root.attacker = !draft.root.attacker,
            1 => draft.root.to_move = !draft.root.to_move,
            _ => {
                draft.root.attacker = !draft.root.attacker;
                draft.root.to_move = !draft.root.to_move;
            }
        },
        _ => return None,
    }
    let is_same = draft.root == *certificate.root() && draft.nodes == certificate.nodes();
    (!is_same).then_some(draft)
}

/// What became of mutants.
#[derive(Debug, Default)]
struct Tally {
    made: u32,
    no_tree: u32,
    refuted: u32,
    /// They say something else that is as true, by the slow check.
    still_true: u32,
}

fn judge(certificates: &[Certificate], wanted: u32, seed: u64) -> Tally {
    let mut chance = Chance::new(seed);
    let mut tally = Tally::default();
    for round in 0.. {
        if tally.made >= wanted {
            break;
        }
        let certificate = &certificates[round % certificates.len()];
        let Some(draft) = mutant(certificate, round / certificates.len() % WAYS, &mut chance)
        else {
            continue;
        };
        tally.made += 1;
        let Ok(mutant) = Certificate::new(draft.root, &draft.nodes) else {
            tally.no_tree += 1;
            continue;
        };
        match verify(&mutant, MOST_POSITIONS) {
            Ok(_) => {
                assert!(
                    naive::holds(&mutant),
                    "survives wrongly: {}",
                    mutant.to_json()
                );
                tally.still_true += 1;
            }
            Err(refuted) => {
                let is_idle = matches!(refuted.reason, Reason::IdleNode | Reason::IdleReply(_));
                // What is refused for more than being idle is refused rightly: a part of it is looked at.
                if !is_idle && tally.refuted.is_multiple_of(4) {
                    assert!(!naive::holds(&mutant), "{refuted}: {}", mutant.to_json());
                }
                tally.refuted += 1;
            }
        }
    }
    tally
}

#[test]
fn no_mutant_survives_that_is_not_true() {
    let certificates = wins_by_chance(5, 5);
    let tally = judge(&certificates, 1_500, 6);
    assert!(tally.refuted >= 500, "{tally:?}");
    assert!(tally.still_true < tally.made / 3, "{tally:?}");
}

#[test]
#[ignore = "long: cargo test --release --test proofs -- --ignored"]
fn no_mutant_of_many_survives_that_is_not_true() {
    for seed in 0..10 {
        let certificates = wins_by_chance(100 + seed, 15);
        let tally = judge(&certificates, 10_000, seed);
        assert!(tally.refuted >= 3_000, "{tally:?}");
    }
}
