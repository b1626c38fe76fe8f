//! `GET /v1/statistics`: all kept games in numbers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::game_view::OpeningView;
use crate::api::negotiate::accept;
use crate::api::tally::{TallyView, share};
use crate::record::{Opening, Termination};
use crate::rules::Rule;
use crate::store::{Facet, Statistics, Store};

/// All kept games in numbers.
#[derive(Serialize, ToSchema)]
pub struct StatisticsAnswer {
    /// All games.
    totals: TallyView,
    /// The number of players.
    players: u64,
    /// The games by rule; a rule without games is absent, here and below.
    by_rule: Vec<RuleTally>,
    /// The games by what ended them, the most frequent first.
    by_termination: Vec<TerminationCount>,
    /// How long the games are.
    lengths: Vec<LengthView>,
    /// The openings that were played, under all rules and in all orientations, the most played first. Games that begin
    /// with none of the 26 are not counted here.
    openings: Vec<OpeningTally>,
}

/// How games under a rule came out.
#[derive(Serialize, ToSchema)]
struct RuleTally {
    rule: Rule,
    #[serde(flatten)]
    tally: TallyView,
}

/// How many games ended so.
#[derive(Serialize, ToSchema)]
struct TerminationCount {
    termination: Termination,
    games: u64,
}

/// How long games under a rule are, in plies.
#[derive(Serialize, ToSchema)]
#[schema(as = Lengths)]
struct LengthView {
    rule: Rule,
    /// The number of games.
    games: u64,
    /// The arithmetic mean.
    mean: f64,
    /// Half of the games are not longer and half are not shorter; between two lengths it is their mean.
    median: f64,
    shortest: u16,
    longest: u16,
}

/// How games with an opening came out.
#[derive(Serialize, ToSchema)]
struct OpeningTally {
    #[serde(flatten)]
    opening: OpeningView,
    #[serde(flatten)]
    tally: TallyView,
}

impl StatisticsAnswer {
    fn of(statistics: &Statistics) -> StatisticsAnswer {
        let tally_of = |is_meant: &dyn Fn(&Facet) -> bool| -> TallyView {
            let meant = statistics
                .facets
                .iter()
                .filter(|(facet, _)| is_meant(facet));
            meant
                .map(|(facet, games)| TallyView::of(facet.result, *games))
                .sum()
        };
        let rules = Rule::ALL.map(|rule| RuleTally {
            rule,
            tally: tally_of(&|facet| facet.rule == rule),
        });
        let ends = Termination::ALL.map(|termination| TerminationCount {
            termination,
            games: tally_of(&|facet| facet.termination == termination).games(),
        });
        let mut ends: Vec<_> = ends.into_iter().filter(|end| end.games > 0).collect();
        ends.sort_by_key(|end| Reverse(end.games));
        let openings = Opening::all().map(|opening| OpeningTally {
            opening: OpeningView::of(opening),
            tally: tally_of(&|facet| facet.opening == Some(opening)),
        });
        let mut openings: Vec<_> = openings
            .filter(|opening| opening.tally.games() > 0)
            .collect();
        openings.sort_by_key(|opening| Reverse(opening.tally.games()));
        StatisticsAnswer {
            totals: tally_of(&|_| true),
            players: statistics.players,
            by_rule: rules
                .into_iter()
                .filter(|rule| rule.tally.games() > 0)
                .collect(),
            by_termination: ends,
            lengths: Rule::ALL
                .into_iter()
                .filter_map(|rule| LengthView::of(rule, &statistics.lengths))
                .collect(),
            openings,
        }
    }
}

impl LengthView {
    /// The lengths of a rule's games, if there are any.
    fn of(rule: Rule, lengths: &[(Rule, u16, u64)]) -> Option<LengthView> {
        let own = lengths
            .iter()
            .filter(|(of, _, games)| *of == rule && *games > 0);
        let counts: BTreeMap<u16, u64> = own.map(|(_, plies, games)| (*plies, *games)).collect();
        let games: u64 = counts.values().sum();
        let plies: u64 = counts
            .iter()
            .map(|(plies, games)| u64::from(*plies) * games)
            .sum();
        // The length of the game of this number, from 0, when the shortest comes first.
        let nth = |number: u64| {
            let mut before = 0;
            counts.iter().find_map(|(plies, games)| {
                before += games;
                (before > number).then_some(*plies)
            })
        };
        let middle = [nth((games.checked_sub(1)?) / 2)?, nth(games / 2)?];
        let (shortest, longest) = (*counts.keys().next()?, *counts.keys().next_back()?);
        Some(LengthView {
            rule,
            games,
            mean: share(plies, games),
            median: middle.map(f64::from).iter().sum::<f64>() / 2.0,
            shortest,
            longest,
        })
    }
}

/// Tells all kept games in numbers.
#[utoipa::path(
    get, path = "/v1/statistics", tag = "collection",
    responses((status = 200, description = "All kept games in numbers.", body = StatisticsAnswer, example = json!({
        "totals": {"games": 4, "black": 3, "white": 0, "draw": 1},
        "players": 2,
        "by_rule": [
            {"rule": "freestyle", "games": 3, "black": 2, "white": 0, "draw": 1},
            {"rule": "renju", "games": 1, "black": 1, "white": 0, "draw": 0},
        ],
        "by_termination": [
            {"termination": "five", "games": 1},
            {"termination": "resignation", "games": 1},
            {"termination": "timeout", "games": 1},
            {"termination": "agreement", "games": 1},
        ],
        "lengths": [
            {"rule": "freestyle", "games": 3, "mean": 5.0, "median": 3.0, "shortest": 3, "longest": 9},
            {"rule": "renju", "games": 1, "mean": 4.0, "median": 4.0, "shortest": 4, "longest": 4},
        ],
        "openings": [
            {"abbreviation": "D4", "name": "Kagetsu", "games": 1, "black": 1, "white": 0, "draw": 0},
            {"abbreviation": "I3", "name": "Kosei", "games": 1, "black": 0, "white": 0, "draw": 1},
            {"abbreviation": "I4", "name": "Suigetsu", "games": 1, "black": 1, "white": 0, "draw": 0},
        ],
    })))
)]
pub async fn get_statistics(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let statistics = store.statistics().await?;
    Ok(answer::ok(&StatisticsAnswer::of(&statistics)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_by_their_middle_and_their_ends() {
        let lengths = |counts: &[(u16, u64)]| {
            let counts = counts
                .iter()
                .map(|(plies, games)| (Rule::Caro, *plies, *games));
            let mut all: Vec<_> = counts.collect();
            all.push((Rule::Renju, 99, 1_000));
            let view = LengthView::of(Rule::Caro, &all)?;
            Some((
                view.games,
                view.mean,
                view.median,
                view.shortest,
                view.longest,
            ))
        };
        for (counts, expected) in [
            (&[][..], None),
            (&[(7, 0)], None),
            (&[(7, 1)], Some((1, 7.0, 7.0, 7, 7))),
            (&[(7, 1), (10, 1)], Some((2, 8.5, 8.5, 7, 10))),
            (&[(7, 1), (10, 2)], Some((3, 9.0, 10.0, 7, 10))),
            (&[(2, 2), (6, 2)], Some((4, 4.0, 4.0, 2, 6))),
            (&[(1, 3), (9, 1)], Some((4, 3.0, 1.0, 1, 9))),
        ] {
            assert_eq!(lengths(counts), expected, "{counts:?}");
        }
    }
}
