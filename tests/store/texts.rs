//! The one character that PostgreSQL does not keep.

use std::sync::Arc;

use tengen::board::{Board, BoardSize, Color};
use tengen::record::{GameResult, GameText};
use tengen::rules::Rule;
use tengen::store::{
    ExplorerQuery, Folded, GameFilter, PlayerOrder, PlayerPlace, PlayerSelection, Revision,
    Selection, Store, StoreError,
};

use crate::base::Base;
use crate::sample::{AT, all, between, game, keep, listed};

/// Texts with U+0000; the first begins as a name that is kept.
const NULS: [&str; 3] = ["Ada\0", "\0", "a\0b"];

pub async fn a_text_with_nul_is_not_kept_and_finds_nothing(_: &Base, store: Arc<dyn Store>) {
    let black = GameResult::Win(Color::Black);
    let mut ada = between("Ada", "Ada", black, "1");
    ada.text.event = Some("Ada".into());
    let ada = keep(&store, ada).await;
    for text in NULS {
        assert_not_kept(&store, text).await;
        assert_finds_nothing(&store, text).await;
    }
    assert_eq!(all(&store).await, [ada]);
}

async fn assert_not_kept(store: &Arc<dyn Store>, text: &str) {
    let told = |change: fn(&mut GameText, String)| {
        let mut game = game("2");
        change(&mut game.text, text.to_owned());
        game
    };
    let games = [
        told(|told, text| told.players.white = Some(text)),
        told(|told, text| told.event = Some(text)),
        told(|told, text| told.site = Some(text)),
        told(|told, text| told.round = Some(text)),
        told(|told, text| told.source = Some(text)),
        told(|told, text| told.tags = vec![text]),
    ];
    for game in games {
        let refused = store.add(vec![game.clone()], AT).await;
        assert!(matches!(refused, Err(StoreError::NoText)), "{refused:?}");
        let kept = all(store).await[0].id;
        let refused = store.describe(kept, Revision::FIRST, game.text, AT).await;
        assert!(matches!(refused, Err(StoreError::NoText)), "{refused:?}");
    }
}

async fn assert_finds_nothing(store: &Arc<dyn Store>, text: &str) {
    let filter = |change: fn(&mut GameFilter, String)| {
        let mut filter = GameFilter::default();
        change(&mut filter, text.to_owned());
        filter
    };
    for filter in [
        filter(|filter, text| filter.player = Some(text)),
        filter(|filter, text| filter.black = Some(text)),
        filter(|filter, text| filter.white = Some(text)),
        filter(|filter, text| filter.event = Some(text)),
        filter(|filter, text| filter.source = Some(text)),
        filter(|filter, text| filter.tag = Some(text)),
    ] {
        let selection = Selection {
            filter,
            ..Selection::default()
        };
        assert_eq!(listed(store, &selection, 5).await, []);
    }
    assert_eq!(store.player(text).await.unwrap(), None);
    let prefix = PlayerSelection {
        prefix: Some(text.to_owned()),
        ..PlayerSelection::default()
    };
    let behind = PlayerSelection {
        order: PlayerOrder::Name,
        after: Some(PlayerPlace::Name(text.to_owned())),
        ..PlayerSelection::default()
    };
    for selection in [prefix, behind] {
        assert_eq!(store.players(&selection, 5).await.unwrap().players, []);
    }
    let asked = ExplorerQuery {
        position: Folded::of(
            Rule::Freestyle,
            &Board::new(BoardSize::DEFAULT),
            Color::Black,
        ),
        since: None,
        until: None,
        player: Some(text.to_owned()),
        color: None,
        result: None,
        games: 5,
    };
    assert_eq!(store.explore(&asked).await.unwrap().moves, []);
}
