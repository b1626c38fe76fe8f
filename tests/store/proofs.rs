//! Certificates of forced wins.

use std::sync::Arc;

use tengen::board::{Board, Color};
use tengen::proof::{Certificate, CertificateText, Node, Root};
use tengen::rules::Rule;
use tengen::store::Store;
use time::Duration;

use crate::base::Base;
use crate::sample::AT;

/// The certificate of a five that a colour makes at once.
pub fn five(color: Color) -> Arc<CertificateText> {
    let root = Root {
        rule: Rule::Freestyle,
        board: ".....\nxxxx.\n.....\noooo.\n....."
            .parse::<Board>()
            .unwrap(),
        to_move: color,
        attacker: color,
    };
    let stone = if color == Color::Black { "e4" } else { "e2" };
    let node = Node {
        stone: stone.parse().ok(),
        ..Node::default()
    };
    Arc::new(Certificate::new(root, &[node]).unwrap().written())
}

pub async fn a_certificate_is_kept_once_and_read_as_it_was_written(
    base: &Base,
    store: Arc<dyn Store>,
) {
    let [black, white] = Color::ALL.map(five);
    assert_eq!(store.certificate(black.id()).await.unwrap(), None);
    store
        .keep_certificates(std::slice::from_ref(&black), AT)
        .await
        .unwrap();
    // Again, beside a new one that comes twice.
    let some = [black.clone(), white.clone(), white.clone()];
    store
        .keep_certificates(&some, AT + Duration::HOUR)
        .await
        .unwrap();
    store.keep_certificates(&[], AT).await.unwrap();
    for kept in [&black, &white] {
        let text = store.certificate(kept.id()).await.unwrap();
        assert_eq!(text.as_deref(), Some(kept.as_str()));
    }
    let count = base
        .texts("SELECT CAST(octets AS TEXT) FROM certificates")
        .await;
    assert_eq!(count.len(), 2);
}

pub async fn certificates_kept_by_many_at_once_are_kept(_: &Base, store: Arc<dyn Store>) {
    let some = Color::ALL.map(five);
    let keeping = (0..8).map(|_| {
        let (store, some) = (store.clone(), some.clone());
        tokio::spawn(async move { store.keep_certificates(&some, AT).await })
    });
    for kept in keeping.collect::<Vec<_>>() {
        kept.await.unwrap().unwrap();
    }
    let text = store.certificate(some[0].id()).await.unwrap();
    assert_eq!(text.as_deref(), Some(some[0].as_str()));
}
