use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::board::{BoardSize, Cell};
use crate::engine::{Limits, Options, Outcome, Score, Search, StopReason};
use crate::gomocup::Refusal;
use crate::gomocup::clock::{Budget, Clock};
use crate::gomocup::command::{Command, Field, Info, Point, Then, Unplayed};
use crate::gomocup::game::{Game, Side};
use crate::gomocup::input::{Cut, Line};
use crate::gomocup::table::{Table, warm_up};
use crate::rules::{Position, Rule};
use crate::service::cores;

/// The engine at the board: hears lines and answers them.
pub(super) struct Player {
    rule: Rule,
    /// Absent before the first `START`.
    game: Option<Game>,
    /// Present between `BOARD` and `DONE`.
    listing: Option<Listing>,
    clock: Clock,
    /// How many threads search.
    threads: NonZeroUsize,
    table: Table,
    reports: Reports,
    /// What the manager is to hear with the next answer: it does not listen after `INFO`.
    note: Option<String>,
    /// When the last line was dealt with. One that came before waited for the engine, not the engine for it.
    idle_since: Instant,
}

/// What the player has to say to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Nothing,
    Lines(String),
    End,
}

/// Whether each move comes with a line on what the search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reports {
    Given,
    Kept,
}

/// The fields of a board as they come, absent where a line is none.
struct Listing {
    since: Instant,
    then: Then,
    fields: Vec<Option<Field>>,
}

/// A move that is asked for.
#[derive(Clone, Copy)]
struct Turn<'a> {
    since: Instant,
    cut: &'a Cut,
}

/// More lines than this are no board, and not worth keeping.
const MOST_FIELDS: usize = 1000;
/// A search for a move at once: some milliseconds. One that is cut short looks at no fewer positions, so that
/// a script which says all it has to say and ends still gets moves with some thought in them.
const AT_ONCE: Limits = Limits {
    time: None,
    nodes: Some(1_000),
    depth: None,
};
/// The time of a search that comes too late to have any.
const LEAST: Duration = Duration::from_millis(2);
/// A move waits for the memory for at most this part of its time.
const PATIENCE: u32 = 4;

impl Player {
    pub(super) fn new() -> Player {
        Player {
            rule: Rule::default(),
            game: None,
            listing: None,
            clock: Clock::default(),
            threads: NonZeroUsize::MIN,
            table: Table::new(),
            reports: Reports::Kept,
            note: None,
            idle_since: Instant::now(),
        }
    }

    pub(super) fn answer(&mut self, line: &Line) -> Answer {
        let answer = match self.hear(line) {
            Ok(Answer::Lines(text)) => Answer::Lines(self.with_note(text)),
            Ok(answer) => answer,
            Err(refusal) => Answer::Lines(self.with_note(format!("ERROR {refusal}"))),
        };
        self.idle_since = Instant::now();
        answer
    }

    fn hear(&mut self, line: &Line) -> Result<Answer, Refusal> {
        let command = Command::read(&line.text);
        let turn = Turn {
            since: line.read_at.max(self.idle_since),
            cut: &line.cut,
        };
        if let Some(mut listing) = self.listing.take() {
            match command {
                Ok(Command::Start(_) | Command::Restart | Command::End) => {}
                Ok(Command::Done) => return self.take_over(&listing, turn.cut),
                Ok(Command::Info(_) | Command::Stop | Command::Nothing) => {
                    self.listing = Some(listing);
                }
                _ => {
                    listing.note(&line.text);
                    self.listing = Some(listing);
                    return Ok(Answer::Nothing);
                }
            }
        }
        self.obey(command?, turn)
    }

    fn obey(&mut self, command: Command, turn: Turn<'_>) -> Result<Answer, Refusal> {
        match command {
            Command::Start(size) => self.start(size),
            Command::Restart => self.start(self.game()?.size()),
            Command::Begin if self.game()?.is_empty() => self.think(turn),
            Command::Begin => Err(Refusal::NotEmpty),
            Command::Turn(point) => {
                self.game_mut()?.put(point, Side::Other)?;
                self.think(turn)
            }
            Command::Play(point) => {
                self.game_mut()?.put(point, Side::Own)?;
                Ok(Answer::Lines(point.to_string()))
            }
            Command::TakeBack(point) => {
                self.game_mut()?.take_back(point)?;
                Ok(Answer::ok())
            }
            Command::Board(then) => {
                self.listing = Some(Listing {
                    since: turn.since,
                    then,
                    fields: Vec::new(),
                });
                Ok(Answer::Nothing)
            }
            Command::Info(info) => {
                self.note(info);
                Ok(Answer::Nothing)
            }
            Command::About => Ok(Answer::Lines(format!(
                "name=\"Tengen\", version=\"{}\", author=\"The Tengen authors\"",
                env!("CARGO_PKG_VERSION")
            ))),
            Command::Stop | Command::Nothing => Ok(Answer::Nothing),
            Command::End => Ok(Answer::End),
            Command::Done | Command::Unknown => Ok(Answer::Lines("UNKNOWN command".into())),
        }
    }

    fn start(&mut self, size: BoardSize) -> Result<Answer, Refusal> {
        self.game = Some(Game::new(size));
        self.clock.restart();
        self.table.forget();
        warm_up(self.rule);
        Ok(Answer::ok())
    }

    /// Goes on from the board that was listed.
    fn take_over(&mut self, listing: &Listing, cut: &Cut) -> Result<Answer, Refusal> {
        let game = self.game()?;
        let board = Game::from_fields(game.size(), &listing.fields)?;
        if !board.is_akin_to(game) {
            self.table.forget();
        }
        self.game = Some(board);
        match listing.then {
            Then::Move => self.think(Turn {
                since: listing.since,
                cut,
            }),
            Then::Wait => Ok(Answer::Nothing),
        }
    }

    fn note(&mut self, info: Info) {
        match info {
            Info::TurnTime(time) => self.clock.set_turn(time),
            Info::GameTime(time) => self.clock.set_game(time),
            Info::TimeLeft(time) => self.clock.set_left(time),
            Info::Memory(octets) => self.table.resize(octets),
            Info::Rule(Ok(rule)) => self.set_rule(rule),
            Info::Rule(Err(Unplayed::Nearly(rule))) => {
                self.set_rule(rule);
                self.note = Some(format!("{rule} is played with exactly five in a row"));
            }
            Info::Rule(Err(Unplayed::Not)) => {
                self.note = Some(format!(
                    "this rule is not played here; {} stands",
                    self.rule
                ));
            }
            // More threads than cores search no faster.
            Info::Threads(threads) => self.threads = threads.min(cores()),
            Info::GameType => self.reports = Reports::Given,
        }
    }

    fn set_rule(&mut self, rule: Rule) {
        self.note = None;
        if rule != self.rule {
            self.rule = rule;
            // What is remembered is true under the old rule only.
            self.table.forget();
            warm_up(rule);
        }
    }

    /// Chooses and plays a move.
    fn think(&mut self, turn: Turn<'_>) -> Result<Answer, Refusal> {
        let game = self.game()?;
        let size = game.size();
        let position = game.position(self.rule)?;
        let options = Options {
            avoid: game.blocked().to_vec(),
            threads: self.threads,
            ..Options::default()
        };
        let Some(outcome) = self.search(&position, &options, turn) else {
            return Ok(Answer::End);
        };
        self.clock.spend(turn.since.elapsed());
        let cell = outcome.lines.first().and_then(|line| line.moves.first());
        let point = cell
            .and_then(|cell| Point::of(*cell, size))
            .ok_or(Refusal::NoMove)?;
        self.game_mut()?.put(point, Side::Own)?;
        Ok(Answer::Lines(match (self.reports, outcome.depth) {
            // A search that has not finished its first depth has found nothing to tell.
            (Reports::Kept, _) | (_, 0) => point.to_string(),
            (Reports::Given, _) => format!("{}\n{point}", report(&outcome, size)),
        }))
    }

    /// Searches in the time there is; nothing comes of it when `END` is what stops it.
    fn search(
        &mut self,
        position: &Position,
        options: &Options,
        turn: Turn<'_>,
    ) -> Option<Outcome> {
        let budget = self.clock.budget();
        let memory = self.table.memory(turn.left_of(budget) / PATIENCE, turn.cut);
        let limits = match budget {
            Budget::AtOnce => AT_ONCE,
            // Of no time at all comes no move worth playing, and a late one is no later for this.
            Budget::Within(_) => Limits {
                time: Some(turn.left_of(budget).max(LEAST)),
                ..Limits::default()
            },
        };
        let search = Search::new(position, limits, options.clone());
        let outcome = search.run(memory, turn.cut.search(), &mut |_| {});
        if outcome.stop != StopReason::Cancelled {
            return Some(outcome);
        }
        if AT_ONCE.nodes.is_some_and(|nodes| outcome.nodes < nodes) {
            let search = Search::new(position, AT_ONCE, options.clone());
            return Some(search.run(memory, &AtomicBool::new(false), &mut |_| {}));
        }
        (!turn.cut.is_end()).then_some(outcome)
    }

    fn game(&self) -> Result<&Game, Refusal> {
        self.game.as_ref().ok_or(Refusal::NotStarted)
    }

    fn game_mut(&mut self) -> Result<&mut Game, Refusal> {
        self.game.as_mut().ok_or(Refusal::NotStarted)
    }

    fn with_note(&mut self, text: String) -> String {
        match self.note.take() {
            Some(note) => format!("MESSAGE {note}\n{text}"),
            None => text,
        }
    }
}

impl Turn<'_> {
    fn left_of(self, budget: Budget) -> Duration {
        match budget {
            Budget::AtOnce => Duration::ZERO,
            Budget::Within(time) => time.saturating_sub(self.since.elapsed()),
        }
    }
}

impl Answer {
    fn ok() -> Answer {
        Answer::Lines("OK".into())
    }
}

impl Listing {
    fn note(&mut self, line: &str) {
        if self.fields.len() < MOST_FIELDS {
            self.fields.push(Field::read(line));
        }
    }
}

/// What a search has found, in the words that other engines have made usual, points as the protocol has them.
fn report(outcome: &Outcome, size: BoardSize) -> String {
    let line = outcome.lines.first();
    let score = line.map_or(Score::ZERO, |line| line.score);
    let moves: &[Cell] = line.map_or(&[], |line| &line.moves);
    let furthest = moves.len().max(usize::from(outcome.depth));
    let millis = outcome.elapsed.as_millis();
    let speed = u128::from(outcome.nodes) / millis.max(1);
    let mut text = format!(
        "MESSAGE depth {}-{furthest} ev {} n {} n/ms {speed} tm {millis} pv",
        outcome.depth,
        worth(score),
        outcome.nodes,
    );
    for point in moves.iter().filter_map(|cell| Point::of(*cell, size)) {
        // Writing to a text cannot fail.
        let _ = write!(text, " {point}");
    }
    text
}

/// Points, or how many stones it takes to the end of the game.
fn worth(score: Score) -> String {
    match score.plies_to_end() {
        Some(plies) if score > Score::ZERO => format!("+M{plies}"),
        Some(plies) => format!("-M{plies}"),
        None => score.number().to_string(),
    }
}
