//! Tengen: five-in-a-row (gomoku, renju, caro) as a library and an HTTP service.
//!
//! Replay a record through the rules:
//!
//! ```
//! use tengen::board::{BoardSize, Color};
//! use tengen::record::{Record, notation::read_moves};
//! use tengen::rules::{Rule, Status, WinReason};
//!
//! let moves = read_moves("h8 a1 h9 c1 h10 e1 h12 g1 h11", 20).expect("all are moves");
//! let replay = Record::new(Rule::Standard, BoardSize::DEFAULT, moves).replay();
//! assert!(replay.is_legal());
//! let won = Status::Won { winner: Color::Black, by: WinReason::Five };
//! assert_eq!(replay.position().status(), won);
//! assert_eq!(replay.ended_at(), Some(9));
//! ```
//!
//! Ask why a cell is forbidden in renju:
//!
//! ```
//! use tengen::board::Board;
//! use tengen::rules::forbidden::{Kind, evidence};
//!
//! let board: Board = ".......\n...x...\n...x...\n.xx....\n.......\n.......\n.......".parse()?;
//! let evidence = evidence(&board, "d4".parse()?);
//! assert_eq!(evidence.kinds().collect::<Vec<_>>(), [Kind::DoubleThree]);
//! assert!(evidence.threes.iter().all(|three| three.counts()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Ask for a move:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use tengen::board::{Board, Color};
//! use tengen::engine::{Limits, Memory, Options, Search};
//! use tengen::rules::{Position, Rule};
//!
//! let board: Board = "oooo...\n.......\n..xxx..\n.......\n.......\n.......\n.......".parse()?;
//! let position = Position::from_board(Rule::Freestyle, board, Color::Black)?;
//! let limits = Limits { nodes: Some(1_000), ..Limits::default() };
//! let search = Search::new(&position, limits, Options::default());
//! let found = search.run(&mut Memory::with_mebibytes(1), &AtomicBool::new(false), &mut |_| {});
//! assert_eq!(found.lines[0].moves[0].to_string(), "e7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rooms, from the wire down: [`cli`], [`gomocup`] (a protocol of tournaments), [`bench`] (how fast and whether changed) and [`api`] (HTTP) over [`service`] (what runs), [`store`]
//! (kept games), [`analysis`] (what is found, in the words of the game), [`formats`] (games as files), [`picture`] (a position drawn), [`engine`] (looks for moves and forced wins), [`proof`] (checks forced wins), [`record`] (games as written), [`rules`] and [`board`].
//! Each names only the rooms below it.

pub mod analysis;
pub mod api;
pub mod bench;
pub mod board;
pub mod cli;
pub mod engine;
pub mod formats;
pub mod gomocup;
pub mod picture;
pub mod proof;
pub mod record;
pub mod rules;
pub mod service;
pub mod store;
