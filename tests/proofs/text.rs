//! The text form: one for each win, read back strictly.

use sha2::{Digest, Sha256};
use tengen::board::Color;
use tengen::proof::{Certificate, CertificateError};
use tengen::rules::Rule;

use crate::{cell, certificate, node, root};

const ROWS: &str = "\
    .......
    .......
    .xxx...
    .......
    .......
    .o.o...
    .......";

fn example() -> Certificate {
    let nodes = [
        node("e5", "a5=1", Some(2)),
        node("f5", "", None),
        node("a5", "", None),
    ];
    certificate(root(Rule::Freestyle, ROWS, Color::Black), &nodes)
}

const TEXT: &str = r#"{"version":1,"rule":"freestyle","size":7,"black":["b5","c5","d5"],"white":["b2","d2"],"to_move":"black","attacker":"black","nodes":[{"m":"e5","r":{"a5":1},"o":2},{"m":"f5"},{"m":"a5"}]}"#;

#[test]
fn a_certificate_has_one_text_and_its_hash_as_id() {
    assert_eq!(example().to_json(), TEXT);
    assert_eq!(Certificate::from_json(TEXT), Ok(example()));
    let id = example().id().to_string();
    assert_eq!(id.parse(), Ok(example().id()));
    assert_eq!(example().written().as_str(), TEXT);
    // What any other program makes of the text.
    assert_eq!(id, format!("{:x}", Sha256::digest(TEXT)));
}

#[test]
fn equal_trees_are_equal_however_they_are_given() {
    let root = root(Rule::Freestyle, ROWS, Color::Black);
    // Other numbers, a node twice, one that nothing leads to, a reply that is met like all others.
    let nodes = [
        node("e5", "g1=3 a5=4", Some(1)),
        node("a5", "", None),
        node("g7", "", Some(1)),
        node("a5", "", None),
        node("f5", "", None),
    ];
    assert_eq!(certificate(root, &nodes).to_json(), TEXT);
}

#[test]
fn blanks_and_the_order_of_members_do_not_matter() {
    let text = TEXT.replace(',', " ,\n ").replace(
        r#"{"m":"e5" ,
 "r":{"a5":1} ,
 "o":2}"#,
        r#"{"o":2, "m":"e5", "r":{"a5":1}}"#,
    );
    assert_ne!(text, TEXT);
    assert_eq!(Certificate::from_json(&text), Ok(example()));
}

/// The fault of the text with one part changed.
fn fault(from: &str, to: &str) -> CertificateError {
    assert!(TEXT.contains(from), "{from}");
    let text = TEXT.replacen(from, to, 1);
    Certificate::from_json(&text).expect_err(&text)
}

#[test]
fn a_fault_is_named_with_its_place() {
    for (from, to, place) in [
        (r#""version":1"#, r#""version":2"#, "version"),
        ("freestyle", "chess", "rule"),
        (r#""size":7"#, r#""size":4"#, "size"),
        (r#""c5","d5""#, r#""c5","c5""#, "black[2]"),
        (r#""c5","d5""#, r#""c5","z5""#, "black[2]"),
        (r#""b2""#, r#""b8""#, "white[0]"),
        (r#""to_move":"black""#, r#""to_move":"red""#, "to_move"),
        (r#"{"m":"f5"}"#, r#"{"m":"F5"}"#, "nodes[1].m"),
        (r#"{"m":"f5"}"#, r#"{"m":"f5","x":1}"#, "nodes[1]"),
        (r#"{"m":"f5"}"#, "[]", "nodes[1]"),
        (r#"{"a5":1}"#, r#"{"a55":1}"#, "nodes[0].r"),
    ] {
        let CertificateError::Unreadable { place: told, .. } = fault(from, to) else {
            panic!("{to}: {:?}", fault(from, to));
        };
        assert!(told.starts_with(place), "{to}: {told}");
    }
}

#[test]
fn nodes_that_are_no_tree_are_refused() {
    let other = |from: &str, to: &str, error: CertificateError| assert_eq!(fault(from, to), error);
    other(
        r#""o":2"#,
        r#""o":7"#,
        CertificateError::UnknownNode { node: 0, next: 7 },
    );
    other(r#""o":2"#, r#""o":0"#, CertificateError::Circle { node: 0 });
    other(
        r#"{"m":"f5"}"#,
        r#"{"m":"h5"}"#,
        CertificateError::OffBoard {
            node: 1,
            cell: cell("h5"),
        },
    );
    other(r#"{"m":"f5"}"#, "{}", CertificateError::NoStone { node: 1 });
    other(
        r#",{"m":"f5"},{"m":"a5"}"#,
        "",
        CertificateError::UnknownNode { node: 0, next: 2 },
    );
    let twice = fault(r#"{"a5":1}"#, r#"{"a5":1,"a5":2}"#);
    assert!(
        matches!(twice, CertificateError::NamedTwice { node: 0, .. }),
        "{twice}"
    );
    other(
        r#""r":{"a5":1},"o":2"#,
        r#""r":{"a5":2},"o":1"#,
        CertificateError::NotInOrder { node: 0 },
    );
    other(
        r#"{"m":"a5"}]"#,
        r#"{"m":"a5"},{"m":"a5"}]"#,
        CertificateError::NotInOrder { node: 3 },
    );
    other(
        r#""to_move":"black""#,
        r#""to_move":"white""#,
        CertificateError::NotTheAttackersTurn,
    );
    assert_eq!(
        Certificate::from_json(&TEXT.replace(
            r#"[{"m":"e5","r":{"a5":1},"o":2},{"m":"f5"},{"m":"a5"}]"#,
            "[]"
        )),
        Err(CertificateError::NoNodes)
    );
}

#[test]
fn long_texts_and_long_chains_are_refused_and_not_followed() {
    let long = " ".repeat(Certificate::MOST_OCTETS + 1);
    assert_eq!(
        Certificate::from_json(&long),
        Err(CertificateError::TooLong(Certificate::MOST_OCTETS))
    );
    let root = root(Rule::Freestyle, ROWS, Color::Black);
    let mut nodes: Vec<_> = (1..100_000)
        .map(|next| node("a1", "", Some(next)))
        .collect();
    nodes.push(node("a1", "", None));
    let error = Certificate::new(root.clone(), &nodes).expect_err("the chain is long");
    assert!(matches!(error, CertificateError::TooDeep { .. }), "{error}");
    let nodes = vec![node("a1", "", None); Certificate::MOST_NODES + 1];
    assert_eq!(
        Certificate::new(root, &nodes),
        Err(CertificateError::TooManyNodes)
    );
    let (head, _) = TEXT.split_once(r#"{"m":"#).expect("the text has nodes");
    let many = format!("{head}{}{{}}]}}", "{},".repeat(1_000_000));
    assert_eq!(
        Certificate::from_json(&many),
        Err(CertificateError::TooManyNodes)
    );
}
