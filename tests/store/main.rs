//! What the store promises, on both databases: each test is run on a file of SQLite, and on a database of
//! PostgreSQL if `TENGEN_TEST_POSTGRES_URL` names a server where databases may be made.

#![allow(
    clippy::unwrap_used,
    reason = "in a test whatever is missing is a failure, and the helpers are not test functions themselves"
)]

mod base;
mod changes;
mod explorer;
mod jobs;
mod keeping;
mod lists;
mod migrations;
mod moments;
mod oracle;
mod people;
mod proofs;
mod sample;
mod texts;
mod upkeep;

use std::future::Future;
use std::sync::Arc;

use tengen::store::{self, Store};

use base::Base;

/// Runs a test on a new database.
fn on(base: impl Future<Output = Base>, test: impl AsyncFnOnce(&Base, Arc<dyn Store>)) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let base = base.await;
        let store = store::open(&base.url).await.unwrap();
        test(&base, store.clone()).await;
        store.close().await;
        base.remove().await;
    });
}

/// Makes tests of functions, on each database.
macro_rules! on_both {
    ($($room:ident: $($test:ident)*;)*) => {
        mod sqlite {
            $(mod $room { $(
                #[test]
                fn $test() {
                    crate::on(async { crate::Base::sqlite() }, crate::$room::$test);
                }
            )* })*
        }

        mod postgres {
            $(mod $room { $(
                #[test]
                fn $test() {
                    if let Some(server) = crate::base::postgres_server() {
                        crate::on(crate::Base::postgres(server), crate::$room::$test);
                    }
                }
            )* })*
        }
    };
}

on_both! {
    keeping:
        a_game_is_kept_and_read_as_it_was_given
        the_same_game_is_kept_once
        a_game_twice_in_one_list_is_kept_once
        many_games_at_once_are_kept_in_their_order
        a_key_keeps_a_game_once
        a_key_is_remembered_for_a_day
        games_added_by_many_at_once_are_kept_once;
    changes:
        what_is_told_changes_at_the_expected_revision
        a_change_of_nothing_is_no_change
        a_change_moves_all_counts
        a_change_that_would_make_two_games_one_is_refused
        a_deleted_game_leaves_nothing
        a_game_may_be_kept_again_after_it_was_deleted
        times_are_told_as_they_are_read_again;
    lists:
        every_filter_in_every_order_finds_what_fits
        pages_neither_skip_nor_repeat_while_games_come
        a_full_page_has_no_next_one
        games_that_stand_together_far_down_a_list_are_found;
    explorer:
        the_explorer_counts_as_the_definition_does
        all_images_and_orders_of_a_position_are_one
        a_player_is_asked_for_with_either_colour
        months_bound_what_is_counted
        the_highest_rated_games_come_first;
    people:
        players_are_counted_as_their_games_are
        players_are_listed_in_every_order
        a_game_against_oneself_counts_for_both_colours_wherever_games_are_counted
        a_prefix_chooses_names_by_their_letters
        statistics_are_those_of_the_games
        players_are_rated_when_games_have_changed
        ratings_follow_deleted_games;
    jobs:
        a_job_is_taken_once_and_told_as_it_stands
        jobs_are_given_out_in_order_and_each_to_one_owner
        what_is_told_of_a_job_is_numbered_without_gaps
        a_job_whose_lease_has_run_out_is_given_to_another
        a_job_ends_once
        a_job_that_is_given_back_is_as_new
        a_job_that_waits_is_cancelled_at_once_and_one_that_runs_by_its_owner
        no_more_jobs_wait_than_may
        old_jobs_are_forgotten
        many_owners_end_every_job_once;
    moments:
        answers_agree_with_themselves_while_games_come_and_go;
    proofs:
        a_certificate_is_kept_once_and_read_as_it_was_written
        certificates_kept_by_many_at_once_are_kept;
    texts:
        a_text_with_nul_is_not_kept_and_finds_nothing;
    upkeep:
        a_recount_changes_nothing_that_is_right
        a_recount_repairs_what_was_spoilt
        a_recount_mends_what_games_are_known_by
        a_backup_holds_the_games_of_its_moment
        a_closed_store_answers_no_more
        an_unknown_url_is_told;
}
