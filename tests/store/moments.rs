//! Answers that are read in several statements, while games come and go.

use std::sync::Arc;

use tengen::board::{Board, BoardSize, Color};
use tengen::record::GameResult;
use tengen::rules::Rule;
use tengen::store::{ExplorerQuery, Folded, Game, PlayerPlace, PlayerSelection, Store};

use crate::base::Base;
use crate::sample::{between, keep};

/// So many games come and go again, one by one.
const GAMES: usize = 120;

/// The facets and the lengths are of the same games, and each of these has brought another player for White.
async fn assert_statistics_agree(store: &Arc<dyn Store>) {
    let statistics = store.statistics().await.unwrap();
    let facets: u64 = statistics.facets.iter().map(|(_, games)| games).sum();
    let lengths: u64 = statistics.lengths.iter().map(|(_, _, games)| games).sum();
    assert_eq!(facets, lengths);
    assert_eq!(facets + 1, statistics.players);
}

/// As many games are named as are counted, as far as they are named.
async fn assert_explorer_agrees(store: &Arc<dyn Store>) {
    let board = Board::new(BoardSize::DEFAULT);
    let asked = ExplorerQuery {
        position: Folded::of(Rule::Freestyle, &board, Color::Black),
        since: None,
        until: None,
        player: None,
        color: None,
        result: None,
        games: 1_000,
    };
    let explored = store.explore(&asked).await.unwrap();
    let counted: u64 = explored
        .moves
        .iter()
        .map(|played| played.tally.games())
        .sum();
    assert_eq!(explored.recent.len(), usize::try_from(counted).unwrap());
}

/// The player with the most games stands where these put him.
async fn assert_players_agree(store: &Arc<dyn Store>) {
    let page = store.players(&PlayerSelection::default(), 1).await.unwrap();
    let games = i64::try_from(page.players[0].total().games()).unwrap();
    let Some(PlayerPlace::Games(place, _)) = page.next else {
        panic!("there are two players at least")
    };
    assert_eq!(place, games);
}

/// Keeps a game of Ada's against a player who has no other.
async fn keep_against(store: &Arc<dyn Store>, name: &str) -> Game {
    let game = between("Ada", name, GameResult::Win(Color::Black), "1");
    keep(store, game).await
}

async fn come_and_go(store: Arc<dyn Store>) {
    let mut kept = Vec::new();
    for number in 0..GAMES {
        kept.push(keep_against(&store, &format!("Player {number}")).await);
    }
    for game in kept {
        store.delete(game.id, None).await.unwrap();
    }
}

pub async fn answers_agree_with_themselves_while_games_come_and_go(
    _: &Base,
    store: Arc<dyn Store>,
) {
    keep_against(&store, "Grace").await;
    let writing = tokio::spawn(come_and_go(store.clone()));
    while !writing.is_finished() {
        assert_statistics_agree(&store).await;
        assert_explorer_agrees(&store).await;
        assert_players_agree(&store).await;
    }
    writing.await.unwrap();
}
