use std::collections::HashSet;
use std::panic::resume_unwind;
use std::time::Instant;

use time::OffsetDateTime;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::board::Color;
use crate::formats::{Defaults, Entry, Format, Game, Loss, Losses, Setup};
use crate::record::Termination;
use crate::service::Limits;
use crate::store::{Added, GameId, NewGame, NotAGame, Store, StoreError};

/// How many records are judged, and how many games kept, at once.
const RECORDS_AT_ONCE: usize = 500;

/// How a file is imported.
#[derive(Clone, Copy, Debug)]
pub struct ImportPlan {
    /// The file's format.
    pub format: Format,
    /// What is taken where the file does not say it.
    pub defaults: Defaults,
    /// What becomes of good games.
    pub keeping: Keeping,
    /// The most records that are read; what is behind them is left alone.
    pub most_records: usize,
    /// When reading stops, if it must; what is not read by then is left alone.
    pub until: Option<Instant>,
}

impl ImportPlan {
    /// Why no more than so many records are read, if that is so.
    fn bound(&self, read: usize) -> Option<Bound> {
        if read >= self.most_records {
            Some(Bound::Records)
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            Some(Bound::Time)
        } else {
            None
        }
    }
}

/// What keeps an import from reading a file to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// As many records are read as may.
    Records,
    /// The time is up.
    Time,
}

impl Bound {
    /// Both.
    pub const ALL: [Bound; 2] = [Bound::Records, Bound::Time];

    /// The name in files and URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Bound::Records => "records",
            Bound::Time => "time",
        }
    }
}

/// Where an import has left the rest of a file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Why.
    pub bound: Bound,
    /// The number of the first record that is not read.
    pub number: usize,
    /// The line where that begins, from 1; of binary files 1.
    pub line: usize,
}

/// What becomes of the good games of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// They are kept, as of this time.
    At(OffsetDateTime),
    /// They are judged like those that are kept, and not kept.
    Never,
}

/// What became of one record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line where it begins, from 1; of binary files 1.
    pub line: usize,
    /// What became of it.
    pub fate: Fate,
    /// What could not be taken over. That the end is lost means that the file says who won and not how, and the
    /// stones do not tell: the game counts as ended by something else.
    pub lost: Losses,
}

/// What becomes of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is kept now.
    Stored(GameId),
    /// It was kept before, or came before in the file. Whose name it has, a trial does not ask.
    Known(Option<GameId>),
    /// It would be kept.
    Storable,
    /// It is no game that can be kept.
    Refused(Unfit),
}

/// Why a record is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// A name for the kind of fault, in snake case.
    pub code: &'static str,
    /// The line where that shows, from 1; the first of the record where only the whole is at fault.
    pub line: usize,
    /// The column in characters, from 1, where it is known; of binary files the octet.
    pub column: Option<usize>,
    /// What is wrong, in words.
    pub detail: String,
}

impl Unfit {
    /// The code of a record that the rules do not allow.
    pub const ILLEGAL_MOVE: &'static str = "illegal_move";
    /// The code of a record that does not say how it ended, where the stones do not tell.
    pub const OPEN: &'static str = "missing_field";
    /// The code of a record whose stones contradict the end that is told.
    pub const MISMATCH: &'static str = "result_mismatch";
    /// The code of a record that does not begin with an empty board and Black.
    pub const SETUP: &'static str = "setup";
}

/// How many records of a file became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// All that were read.
    pub read: usize,
    /// Those that are kept now.
    pub stored: usize,
    /// Those that would be kept.
    pub storable: usize,
    /// Those that were kept before.
    pub known: usize,
    /// Those that are no games.
    pub refused: usize,
    /// Where reading has stopped, if the file goes on behind it.
    pub cut: Option<Cut>,
}

impl ImportCounts {
    /// Counts one more record.
    pub fn count(&mut self, imported: &Imported) {
        self.read += 1;
        match imported.fate {
            Fate::Stored(_) => self.stored += 1,
            Fate::Storable => self.storable += 1,
            Fate::Known(_) => self.known += 1,
            Fate::Refused(_) => self.refused += 1,
        }
    }
}

/// Keeps the good games of a file, some hundreds at a time, and tells of every record in the order of the file. Reading
/// and judging run beside the asynchronous threads, never far ahead of keeping: when the plan's time is up, what is read is
/// still kept. Dropped on the way, it stops with the record at hand; what is kept by then stays.
///
/// # Errors
///
/// [`StoreError`] when the store cannot go on. What was told before is done; the rest can be had by the same import again.
pub async fn import(
    store: &dyn Store,
    file: impl AsRef<[u8]> + Send + 'static,
    plan: ImportPlan,
    mut tell: impl FnMut(&Imported),
) -> Result<ImportCounts, StoreError> {
    let (sender, mut judged) = channel(1);
    let judging = spawn_blocking(move || judge_all(file.as_ref(), plan, &sender));
    let mut counts = ImportCounts::default();
    let mut seen = HashSet::new();
    while let Some(some) = judged.recv().await {
        for imported in settle(store, some, plan.keeping, &mut seen).await? {
            counts.count(&imported);
            tell(&imported);
        }
    }
    counts.cut = finished(judging).await?;
    Ok(counts)
}

/// What the judging thread has to say in the end. Its panic is one of the caller's.
async fn finished(judging: JoinHandle<Option<Cut>>) -> Result<Option<Cut>, StoreError> {
    judging.await.or_else(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => Err(StoreError::Ending),
    })
}

/// A record that is read and judged.
struct Judged {
    number: usize,
    line: usize,
    lost: Losses,
    game: Result<NewGame, Unfit>,
}

/// Judges the records of a file and hands them over, some at a time; tells where it has stopped before the end.
fn judge_all(file: &[u8], plan: ImportPlan, sender: &Sender<Vec<Judged>>) -> Option<Cut> {
    let mut judged = Vec::new();
    let mut cut = None;
    for (read, entry) in plan.format.read(file, plan.defaults).enumerate() {
        // Nobody waits for it any more.
        if sender.is_closed() {
            return None;
        }
        if let Some(bound) = plan.bound(read) {
            let Entry { number, line, .. } = entry;
            cut = Some(Cut {
                bound,
                number,
                line,
            });
            break;
        }
        judged.push(Judged::of(entry));
        if judged.len() == RECORDS_AT_ONCE {
            let _ = sender.blocking_send(std::mem::take(&mut judged));
        }
    }
    if !judged.is_empty() {
        let _ = sender.blocking_send(judged);
    }
    cut
}

impl Judged {
    fn of(entry: Entry) -> Judged {
        let Entry { number, line, game } = entry;
        let mut lost = Losses::NONE;
        let game = match game {
            Ok(game) => judge(game, &mut lost).map_err(|(code, detail)| Unfit {
                code,
                line,
                column: None,
                detail,
            }),
            Err(refusal) => Err(Unfit {
                code: refusal.reason.name(),
                line: refusal.line,
                column: Some(refusal.column),
                detail: refusal.reason.to_string(),
            }),
        };
        Judged {
            number,
            line,
            lost,
            game,
        }
    }
}

/// The game as it can be kept, or code and words for why it cannot.
fn judge(game: Game, lost: &mut Losses) -> Result<NewGame, (&'static str, String)> {
    *lost = game.lost;
    let Game {
        record,
        setup,
        result,
        mut termination,
        mut text,
        ..
    } = game;
    if setup.is_some_and(|setup| !is_usual(&setup)) {
        let detail = "the game begins with stones set up; games are kept from the empty board on";
        return Err((Unfit::SETUP, detail.into()));
    }
    if text.tags.len() > Limits::TAGS {
        text.tags.truncate(Limits::TAGS);
        lost.insert(Loss::Tags);
    }
    // Databases tell who won, and seldom how.
    if result.is_some() && termination.is_none() && record.replay().ending().is_none() {
        termination = Some(Termination::Other);
        lost.insert(Loss::Termination);
    }
    NewGame::judge(record, result, termination, text).map_err(|fault| match fault {
        NotAGame::Violations(_) => (Unfit::ILLEGAL_MOVE, fault.to_string()),
        NotAGame::Mismatch(_) => (Unfit::MISMATCH, fault.to_string()),
        NotAGame::Open { .. } => {
            let detail = "the stones leave the game open, and the file does not say who won";
            (Unfit::OPEN, detail.into())
        }
    })
}

/// Is this how every game begins, only told?
fn is_usual(setup: &Setup) -> bool {
    let stones = setup.board.stones();
    stones.black == 0 && stones.white == 0 && setup.to_move == Color::Black
}

/// Keeps the good ones of some records, or asks which are kept already, and tells what became of each.
async fn settle(
    store: &dyn Store,
    judged: Vec<Judged>,
    keeping: Keeping,
    seen: &mut HashSet<[u8; 32]>,
) -> Result<Vec<Imported>, StoreError> {
    let mut games = Vec::with_capacity(judged.len());
    let mut told = Vec::with_capacity(judged.len());
    for Judged {
        number,
        line,
        lost,
        game,
    } in judged
    {
        let unfit = game.map(|game| games.push(game)).err();
        told.push((number, line, lost, unfit));
    }
    let mut fates = match keeping {
        _ if games.is_empty() => Vec::new(),
        Keeping::At(at) => store
            .add(games, at)
            .await?
            .into_iter()
            .map(Fate::of)
            .collect(),
        Keeping::Never => tried(store, &games, seen).await?,
    }
    .into_iter();
    let imported = told
        .into_iter()
        .map(|(number, line, lost, unfit)| Imported {
            number,
            line,
            lost,
            fate: unfit.map_or_else(
                || fates.next().expect("each good game has a fate"),
                Fate::Refused,
            ),
        });
    Ok(imported.collect())
}

impl Fate {
    fn of(added: Added) -> Fate {
        match added {
            Added::New(game) => Fate::Stored(game.id),
            Added::Known(game) => Fate::Known(Some(game.id)),
        }
    }
}

/// What would become of these games. Those that came before in the file are remembered, since they are not kept.
async fn tried(
    store: &dyn Store,
    games: &[NewGame],
    seen: &mut HashSet<[u8; 32]>,
) -> Result<Vec<Fate>, StoreError> {
    let known = store.known(games).await?;
    let fates = games.iter().zip(known).map(|(game, is_known)| {
        let is_first = seen.insert(game.fingerprint()?);
        Ok(if is_known || !is_first {
            Fate::Known(None)
        } else {
            Fate::Storable
        })
    });
    fates.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(format: Format, text: &str) -> Vec<Judged> {
        let entries = format.read(text.as_bytes(), Defaults::default());
        entries.map(Judged::of).collect()
    }

    /// The end of a good record, or the code of a bad one, with what was lost.
    fn fates(format: Format, text: &str) -> Vec<(&'static str, Vec<Loss>)> {
        let told = |judged: Judged| {
            let word = match judged.game {
                Ok(game) => game.termination.name(),
                Err(unfit) => unfit.code,
            };
            (word, judged.lost.iter().collect())
        };
        judged(format, text).into_iter().map(told).collect()
    }

    #[test]
    fn an_end_that_is_half_told_is_something_else_and_one_untold_is_refused() {
        let text = "(;SZ[15]RE[B+];B[hh];W[ii])(;SZ[15]RE[W+R];B[hh];W[ii])(;SZ[15];B[hh];W[ii])\
            (;SZ[15]RE[B+];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea])\
            (;SZ[15]RE[W+];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea])\
            (;SZ[15]RE[W+];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea];W[fa])";
        let expected = [
            ("other", vec![Loss::Termination]),
            ("resignation", vec![]),
            (Unfit::OPEN, vec![]),
            ("five", vec![]),
            (Unfit::MISMATCH, vec![]),
            (Unfit::ILLEGAL_MOVE, vec![]),
        ];
        assert_eq!(fates(Format::Sgf, text), expected);
    }

    #[test]
    fn a_beginning_with_stones_is_refused_and_an_empty_one_is_none() {
        let empty = "\".....\",\".....\",\".....\",\".....\",\".....\"";
        let line = |board: &str, to_move: &str| {
            format!(
                "{{\"board\":[{board}],\"to_move\":\"{to_move}\",\"moves\":\"a1\",\"result\":\"draw\",\"termination\":\"agreement\"}}\n"
            )
        };
        let one = empty.replacen('.', "x", 1);
        let text = [
            line(empty, "black"),
            line(empty, "white"),
            line(&one, "white"),
        ]
        .concat();
        let words: Vec<_> = fates(Format::Ndjson, &text)
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(words, ["agreement", Unfit::SETUP, Unfit::SETUP]);
    }

    #[test]
    fn more_tags_than_a_game_may_have_are_cut_and_told() {
        let line = |tags: usize| {
            let tags: Vec<_> = (0..tags).map(|tag| format!("\"{tag}\"")).collect();
            format!(
                "{{\"moves\":\"h8\",\"result\":\"black\",\"termination\":\"timeout\",\"tags\":[{}]}}\n",
                tags.join(",")
            )
        };
        let text = [line(Limits::TAGS), line(Limits::TAGS + 1)].concat();
        let judged = judged(Format::Ndjson, &text);
        let lost: Vec<Vec<_>> = judged
            .iter()
            .map(|judged| judged.lost.iter().collect())
            .collect();
        assert_eq!(lost, [vec![], vec![Loss::Tags]]);
        for judged in judged {
            let game = judged.game.expect("a good one");
            assert_eq!(game.text.tags.len(), Limits::TAGS);
        }
    }

    #[test]
    fn judging_stops_when_nobody_waits() {
        let text = "{\"moves\":\"h8\"}\n".repeat(3 * RECORDS_AT_ONCE);
        let plan = ImportPlan {
            format: Format::Ndjson,
            defaults: Defaults::default(),
            keeping: Keeping::Never,
            most_records: usize::MAX,
            until: None,
        };
        let (sender, receiver) = channel(1);
        drop(receiver);
        assert_eq!(judge_all(text.as_bytes(), plan, &sender), None);
        let up_to = |most_records| ImportPlan {
            most_records,
            ..plan
        };
        let (sender, _receiver) = channel(4);
        let whole = up_to(3 * RECORDS_AT_ONCE);
        assert_eq!(judge_all(text.as_bytes(), whole, &sender), None, "all");
        let (sender, mut receiver) = channel(4);
        let plan = up_to(RECORDS_AT_ONCE + 1);
        let more = Cut {
            bound: Bound::Records,
            number: RECORDS_AT_ONCE + 2,
            line: RECORDS_AT_ONCE + 2,
        };
        assert_eq!(judge_all(text.as_bytes(), plan, &sender), Some(more));
        assert_eq!(
            receiver.try_recv().map(|some| some.len()),
            Ok(RECORDS_AT_ONCE)
        );
        assert_eq!(receiver.try_recv().map(|some| some.len()), Ok(1));
        let (sender, _receiver) = channel(4);
        let late = ImportPlan {
            until: Some(Instant::now()),
            ..plan
        };
        let at_once = Cut {
            bound: Bound::Time,
            number: 1,
            line: 1,
        };
        assert_eq!(judge_all(text.as_bytes(), late, &sender), Some(at_once));
        assert_eq!(judge_all(b"", late, &sender), None, "nothing is left");
    }
}
