//! Game files read from outside: the samples, whatever octets there are, and what was written itself.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tengen::board::{Board, BoardSize, ByColor, Color};
use tengen::formats::{Defaults, Entry, Format, Game, Loss, Losses, Setup};
use tengen::record::{GameResult, GameText, Ply, Record, Termination};
use tengen::rules::Rule;
use time::OffsetDateTime;

/// The samples, with the rule that some formats do not tell, and how many games and refusals are in them.
const SAMPLES: [(&str, Rule, usize, usize); 11] = [
    ("sample_collection.sgf", Rule::Freestyle, 9, 0),
    ("branches.sgf", Rule::Freestyle, 2, 2),
    ("sample_freestyle_15_1.psq", Rule::Freestyle, 1, 0),
    ("sample_freestyle_20_2.psq", Rule::Freestyle, 1, 0),
    ("sample_renju_15_1.psq", Rule::Renju, 1, 0),
    ("sample_renju_15_2.psq", Rule::Renju, 1, 0),
    ("sample.rif", Rule::Freestyle, 2, 5),
    ("tree.lib", Rule::Renju, 3, 0),
    ("swaps.pgn", Rule::Freestyle, 2, 1),
    ("games.ndjson", Rule::Freestyle, 2, 2),
    ("spellings.txt", Rule::Freestyle, 4, 0),
];

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    fs::read(path.join(name)).expect("the samples can be read")
}

fn entries(name: &str, rule: Rule) -> Vec<Entry> {
    let octets = sample(name);
    let format = Format::of(&octets).expect("the format of a sample is known");
    let defaults = Defaults {
        rule,
        ..Defaults::default()
    };
    format.read(&octets, defaults).collect()
}

fn games(name: &str, rule: Rule) -> Vec<Game> {
    let entries = entries(name, rule).into_iter();
    entries.filter_map(|entry| entry.game.ok()).collect()
}

fn refusals(name: &str) -> Vec<String> {
    let entries = entries(name, Rule::Freestyle).into_iter();
    let refused = entries.filter_map(|entry| entry.game.err());
    refused.map(|refusal| refusal.to_string()).collect()
}

fn moves(game: &Game) -> String {
    let plies: Vec<_> = game.record.plies().iter().map(Ply::to_string).collect();
    plies.join(" ")
}

fn losses(game: &Game) -> Vec<Loss> {
    game.lost.iter().collect()
}

#[test]
fn every_sample_has_its_games_and_its_refusals() {
    for (name, rule, good, bad) in SAMPLES {
        let entries = entries(name, rule);
        let is_good = |entry: &&Entry| entry.game.is_ok();
        let counted = entries.iter().filter(is_good).count();
        assert_eq!(
            (counted, entries.len() - counted),
            (good, bad),
            "{name}: {entries:?}"
        );
        for (index, entry) in entries.iter().enumerate() {
            assert_eq!(entry.number, index + 1, "{name}");
        }
    }
}

#[test]
fn games_of_engines_end_as_their_files_say() {
    for (name, rule, ..) in SAMPLES {
        if !name.starts_with("sample_") {
            continue;
        }
        for game in games(name, rule) {
            let replay = game.record.replay();
            assert!(replay.is_legal(), "{name}: {:?}", replay.violations());
            let ending = replay.ending().map(|(result, _)| result);
            if game.result.is_some() {
                assert_eq!(ending, game.result, "{name}");
            }
        }
    }
}

#[test]
fn a_tournament_file_names_its_players() {
    let game = games("sample_renju_15_1.psq", Rule::Renju).remove(0);
    assert_eq!(game.text.players.black.as_deref(), Some("pbrain-rapfi.exe"));
    assert!(moves(&game).starts_with("h8 g9 "), "{}", moves(&game));
    assert_eq!(losses(&game), [Loss::Times]);
}

#[test]
fn branches_encodings_and_setups_of_sgf_are_understood() {
    let games = games("branches.sgf", Rule::Freestyle);
    assert_eq!(moves(&games[0]), "h8 i9 i6 pass g9");
    assert_eq!(games[0].record.rule(), Rule::Renju);
    assert_eq!(games[0].text.players.black.as_deref(), Some("五子"));
    // The second octets of these two are a backslash and a bracket.
    assert_eq!(games[0].text.players.white.as_deref(), Some("昞昡"));
    assert_eq!(games[0].result, Some(GameResult::Win(Color::Black)));
    assert_eq!(games[0].termination, Some(Termination::Timeout));
    assert_eq!(
        losses(&games[0]),
        [Loss::Variations, Loss::Comments, Loss::Marks]
    );
    assert_eq!(moves(&games[1]), "h8 i9");
    assert_eq!(games[1].first_to_move(), Color::White);
    let expected = [
        "line 5, column 17: duplicate point at move 2: h8 holds a stone already",
        "line 6, column 6: game kind \"2\" is not five-in-a-row (4; Go, 1, is taken for it)",
    ];
    assert_eq!(refusals("branches.sgf"), expected);
}

#[test]
fn the_database_gives_two_games_and_five_reasons() {
    // Case 21.
    let games = games("sample.rif", Rule::Freestyle);
    let told: Vec<_> = games
        .iter()
        .map(|game| (game.record.plies().len(), game.result.map(GameResult::name)))
        .collect();
    assert_eq!(told, [(15, Some("black")), (3, Some("draw"))]);
    assert_eq!(games[1].text.players.black.as_deref(), Some("White & Co"));
    assert_eq!(games[1].text.event.as_deref(), Some("Made-up Cup"));
    let expected = [
        "line 11, column 1: the game has no moves",
        "line 12, column 1: a game with the number \"3\" came before",
        "line 13, column 101: \"zz9\" is not a move",
        "line 14, column 1: \"x\" is not a result",
        "line 15, column 98: duplicate point at move 2: h8 holds a stone already",
    ];
    assert_eq!(refusals("sample.rif"), expected);
}

#[test]
fn lines_of_a_tree_and_seats_at_a_table_are_told_apart() {
    let lines = games("tree.lib", Rule::Renju);
    let lines: Vec<_> = lines
        .iter()
        .map(|game| (moves(game), losses(game)))
        .collect();
    let line = |text: &str, lost: &[Loss]| (text.to_owned(), lost.to_vec());
    let expected = [
        line("h8 h9 i9", &[Loss::Comments]),
        line("h8 h9 g9", &[Loss::Comments]),
        line("h8 i9", &[Loss::Comments, Loss::Marks]),
    ];
    assert_eq!(lines, expected);
    let seats = games("swaps.pgn", Rule::Freestyle);
    assert_eq!(seats[0].text.players.black.as_deref(), Some("bob"));
    assert_eq!(seats[0].result, Some(GameResult::Win(Color::White)));
    assert_eq!(moves(&seats[1]), "h8 i9 j8 a1 a2 o15 o14 n1");
    assert_eq!(seats[1].result, Some(GameResult::Win(Color::Black)));
    assert_eq!(seats[1].record.rule(), Rule::Standard);
}

fn sizes() -> impl Strategy<Value = BoardSize> {
    (5_i64..=25).prop_map(|lines| BoardSize::try_from(lines).expect("in range"))
}

/// A text of one line, with what formats must escape.
fn line() -> impl Strategy<Value = Option<String>> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        r#"[\[\]\\(){};:,"'.?0-9 x-]{0,8}"#,
        Just("Piskvorky 15x15, 0:0, 0".to_owned()),
        Just("五子棋 連珠 gömöku".to_owned()),
    ];
    proptest::collection::vec(piece, 0..3).prop_map(|pieces| {
        let text = pieces.concat();
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    })
}

fn texts() -> impl Strategy<Value = GameText> {
    let tags = proptest::collection::vec(line(), 0..3);
    let names = (line(), line());
    let at = proptest::option::of(0_i64..4_000_000_000);
    (names, line(), line(), line(), at, line(), tags).prop_map(
        |((black, white), event, site, round, at, source, tags)| GameText {
            players: ByColor { black, white },
            event,
            site,
            round,
            played_at: at.and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok()),
            source,
            tags: tags.into_iter().flatten().collect(),
        },
    )
}

/// A beginning and plies that fit on its board, some of them passes.
fn courses() -> impl Strategy<Value = (Option<Setup>, BoardSize, Vec<Ply>)> {
    let cells = sizes().prop_flat_map(|size| {
        let cells: Vec<_> = size.cells().collect();
        (
            Just(size),
            Just(cells).prop_shuffle(),
            0_usize..8,
            1_usize..40,
            any::<u64>(),
        )
    });
    (cells, any::<bool>()).prop_map(|((size, cells, laid, played, passes), is_white)| {
        let mut board = Board::new(size);
        for (index, cell) in cells.iter().take(laid).enumerate() {
            board.put(*cell, Color::of_ply(index + 1));
        }
        let to_move = if is_white { Color::White } else { Color::Black };
        let setup = (laid > 0 || is_white).then_some(Setup { board, to_move });
        let stones = cells.iter().skip(laid).take(played.min(17)).enumerate();
        let plies = stones.flat_map(|(index, cell)| {
            let pass = (passes >> index & 7 == 7).then_some(Ply::Pass);
            [Some(Ply::Stone(*cell)), pass].into_iter().flatten()
        });
        (setup, size, plies.collect())
    })
}

fn whole_games() -> impl Strategy<Value = Game> {
    let rule = prop::sample::select(Rule::ALL.to_vec());
    let result = proptest::option::of(prop::sample::select(GameResult::ALL.to_vec()));
    let end = proptest::option::of(prop::sample::select(Termination::ALL.to_vec()));
    (courses(), rule, result, end, texts()).prop_map(
        |((setup, size, plies), rule, result, termination, text)| Game {
            setup,
            result,
            termination,
            text,
            ..Game::new(Record::new(rule, size, plies))
        },
    )
}

/// The game as it is read again when these are lost. An end by the stones need not be told.
fn without(game: &Game, lost: Losses, format: Format) -> Game {
    let mut rest = game.clone();
    let is_lost = |loss| lost.contains(loss);
    let text = &mut rest.text;
    let lines = [
        (Loss::Event, &mut text.event),
        (Loss::Site, &mut text.site),
        (Loss::Round, &mut text.round),
        (Loss::Source, &mut text.source),
    ];
    for (loss, line) in lines {
        *line = line.take().filter(|_| !is_lost(loss));
    }
    if is_lost(Loss::Tags) {
        text.tags.clear();
    }
    if is_lost(Loss::Date) {
        let day = text
            .played_at
            .map(|at| at.replace_time(time::Time::MIDNIGHT));
        text.played_at = day.filter(|_| format == Format::Sgf);
    }
    rest.result = rest.result.filter(|_| !is_lost(Loss::Result));
    rest.setup = rest.setup.filter(|_| !is_lost(Loss::Setup));
    let is_told = |end: &Termination| format == Format::Ndjson || !end.is_on_board();
    rest.termination = rest
        .termination
        .filter(|end| is_told(end) && !is_lost(Loss::Termination));
    if is_lost(Loss::Passes) {
        let plies = rest.record.plies().iter().copied();
        let stones = plies.filter(|ply| *ply != Ply::Pass).collect();
        rest.record = Record::new(rest.record.rule(), rest.record.size(), stones);
    }
    rest
}

fn written(format: Format, game: &Game) -> (String, Losses) {
    let mut text = String::new();
    let lost = format.write(game, &mut text).expect("games are written so");
    (text, lost)
}

fn read_back(format: Format, game: &Game, text: &str) -> Vec<Game> {
    let defaults = Defaults {
        rule: game.record.rule(),
        size: game.record.size(),
    };
    let entries = format.read(text.as_bytes(), defaults);
    let games = entries.map(|entry| entry.game.expect("what is written can be read"));
    games.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_written_reads_back_but_for_the_losses_told(game in whole_games()) {
        for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
            let (text, lost) = written(format, &game);
            let mut back = read_back(format, &game, &text);
            prop_assert_eq!(back.len(), 1, "{}", text);
            let mut expected = without(&game, lost, format);
            // One name of the two may be lost.
            if lost.contains(Loss::Players) {
                expected.text.players = back[0].text.players.clone();
            }
            prop_assert_eq!(back.remove(0), expected, "{} {:?}\n{}", format, lost, text);
            prop_assert_eq!(Format::of(text.as_bytes()), Some(format), "{}", text);
        }
    }

    #[test]
    fn games_written_one_after_another_are_read_one_after_another(
        games in proptest::collection::vec(whole_games(), 1..4),
    ) {
        for format in [Format::Sgf, Format::Psq, Format::Ndjson] {
            let mut text = String::new();
            for game in &games {
                format.write(game, &mut text).expect("games are written so");
            }
            prop_assert_eq!(format.read(text.as_bytes(), Defaults::default()).count(), games.len());
        }
    }

    #[test]
    fn texts_of_several_lines_are_put_on_one(name in "[a-z]{1,5}[\n\r\t][a-z]{1,5}\\PC{0,3}z") {
        let size = BoardSize::DEFAULT;
        let plies = vec![Ply::Stone(size.centre())];
        let mut game = Game::new(Record::new(Rule::Renju, size, plies));
        game.text.players.black = Some(name.clone());
        for format in [Format::Sgf, Format::Psq, Format::Ndjson] {
            let (text, lost) = written(format, &game);
            prop_assert!(lost.contains(Loss::Text));
            let back = read_back(format, &game, &text).remove(0);
            let expected = name.replace(['\n', '\r', '\t'], " ");
            prop_assert_eq!(back.text.players.black, Some(expected));
        }
    }

    #[test]
    fn no_octets_make_a_reader_panic(octets in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = Format::of(&octets);
        for format in Format::ALL {
            let count = format.read(&octets, Defaults::default()).count();
            prop_assert!(count <= octets.len() + 1, "{}: {} entries", format, count);
        }
    }

    #[test]
    fn spoilt_samples_make_no_reader_panic(
        which in prop::sample::select(SAMPLES.to_vec()),
        spots in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..8),
    ) {
        let mut octets = sample(which.0);
        for (spot, octet, how) in spots {
            let at = spot.index(octets.len());
            match how {
                0 => octets[at] = octet,
                1 => octets.insert(at, octet),
                _ => octets.truncate(at.max(1)),
            }
        }
        let _ = Format::of(&octets);
        for format in Format::ALL {
            for entry in format.read(&octets, Defaults::default()) {
                if let Ok(game) = entry.game {
                    prop_assert!(game.record.plies().len() <= Record::MOST_PLIES);
                }
            }
        }
    }
}
