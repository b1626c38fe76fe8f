//! What every reader promises, whatever octets it is given.

use tengen::formats::{Defaults, Format};
use tengen::record::Record;

/// Reads octets to the end. The reader must come back, give no more entries than there are octets, and tell places that
/// exist; what it reads must be fit to be judged and, where games are written so, to be read again as they are.
///
/// # Panics
///
/// When one of these is not so.
pub fn read(format: Format, octets: &[u8]) {
    let mut entries = 0;
    for entry in format.read(octets, Defaults::default()) {
        entries += 1;
        assert_eq!(entry.number, entries);
        assert!(entry.line >= 1);
        match entry.game {
            Err(refusal) => {
                assert!(refusal.line >= 1 && refusal.column >= 1, "{refusal}");
                assert!(!refusal.reason.name().is_empty());
            }
            Ok(game) => {
                assert!(game.record.plies().len() <= Record::MOST_PLIES);
                game.record.replay();
                let mut text = String::new();
                Format::Ndjson
                    .write(&game, &mut text)
                    .expect("games are written so");
                let mut again = Format::Ndjson.read(text.as_bytes(), Defaults::default());
                let again = again.next().expect("one game").game.expect("a good one");
                assert_eq!(again.record, game.record);
                assert_eq!(again.setup, game.setup);
                assert_eq!(again.text, game.text);
            }
        }
    }
    assert!(entries <= octets.len() + 1);
}

/// Recognises a format by its beginning; whatever it says, that reader must cope with the octets.
pub fn recognise(octets: &[u8]) {
    if let Some(format) = Format::of(octets) {
        read(format, octets);
    }
}
