//! Power goes, or somebody kills the program.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::base::Base;
use crate::writers::{assert_kept, assert_sound, at_once, listed, run, serve, write_until_gone};

const KILLS: u64 = 20;
const WRITERS: usize = 4;

#[test]
fn what_was_acknowledged_outlives_twenty_kills_under_load() {
    let base = Base::sqlite();
    let (numbers, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut acknowledged = Vec::new();
    // A moment that differs from run to run; a failure tells it.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let mut moment = u64::from(now.subsec_nanos()) | 1;
    for kill in 0..KILLS {
        moment = moment
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let pause = Duration::from_millis(20 + (moment >> 33) % 230);
        let server = serve(&base);
        assert_kept(&server, &acknowledged);
        let before = kept.load(Ordering::Relaxed);
        let found = thread::scope(|scope| {
            let writing =
                scope.spawn(|| at_once(WRITERS, |_| write_until_gone(&server, &numbers, &kept)));
            // Every other time in the midst of work, however slow the machine is; else at any moment.
            if kill % 2 == 0 {
                server.until("a game was kept", |_| kept.load(Ordering::Relaxed) > before);
            }
            thread::sleep(pause);
            server.signal("KILL");
            writing.join().unwrap()
        });
        acknowledged.extend(found.into_iter().flatten());
        drop(server);
        assert!(
            base.directory().join("games.db").exists(),
            "kill {kill} after {pause:?}"
        );
    }
    assert_eq!(acknowledged.len(), kept.into_inner());
    assert!(acknowledged.len() >= 10, "{}", acknowledged.len());
    let server = serve(&base);
    assert_kept(&server, &acknowledged);
    for id in acknowledged.iter().step_by(10) {
        server.game(id).ok();
    }
    // What was under way when the program died may be there as well, as a whole.
    let found = listed(&server).len();
    let most = acknowledged.len() + usize::try_from(KILLS).unwrap() * WRITERS;
    assert!((acknowledged.len()..=most).contains(&found), "{found}");
    server.stop();
    run(async {
        assert_sound(&base).await;
        base.remove().await;
    });
}
