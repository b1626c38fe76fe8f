//! Imports go one way: a room names only itself and the rooms below it.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the top to the bottom; rooms on one line are siblings that do not see each other.
const ROOMS: [&[&str]; 11] = [
    &["main"],
    &["cli"],
    &["gomocup", "bench", "api"],
    &["service"],
    &["store", "analysis"],
    &["formats", "picture"],
    &["engine"],
    &["proof"],
    &["record"],
    &["rules"],
    &["board"],
];

/// What a room may not name although it lies below.
const SKIPS: [(&str, &str); 6] = [
    ("engine", "record"),
    ("proof", "record"),
    ("formats", "engine"),
    ("picture", "engine"),
    ("formats", "proof"),
    ("picture", "proof"),
];

fn level(room: &str) -> usize {
    ROOMS
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("the room {room} is not on the list of rooms"))
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).expect("the sources can be read") {
        let path = entry.expect("the sources can be read").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The room of a source file: the first step of its path below `src`.
fn room_of(file: &Path) -> String {
    let first = file.components().next().expect("a file has a name");
    let name = Path::new(first.as_os_str())
        .file_stem()
        .expect("a file has a name");
    name.to_str().expect("names are ASCII").to_owned()
}

/// Every room that a source names, with the number of the line.
fn named_rooms(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.lines().enumerate().flat_map(|(number, line)| {
        line.match_indices("crate::").map(move |(at, prefix)| {
            let name = line[at + prefix.len()..]
                .split(|c: char| !c.is_ascii_lowercase())
                .next();
            (number + 1, name.unwrap_or_default().to_owned())
        })
    })
}

#[test]
fn every_import_goes_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    let mut climbs = Vec::new();
    for file in sources(&root) {
        let text = fs::read_to_string(&file).expect("the sources can be read");
        let inner = file.strip_prefix(&root).expect("the file lies below src");
        let room = room_of(inner);
        if room == "lib" {
            continue;
        }
        for (line, named) in named_rooms(&text) {
            seen += 1;
            let is_grouped = named.is_empty();
            let climbs_or_skips = !is_grouped
                && named != room
                && (level(&named) <= level(&room)
                    || SKIPS.contains(&(room.as_str(), named.as_str())));
            if is_grouped || climbs_or_skips {
                climbs.push(format!(
                    "src/{}:{line}: {room} names crate::{named}",
                    inner.display()
                ));
            }
        }
    }
    assert!(climbs.is_empty(), "{}", climbs.join("\n"));
    assert!(
        seen > 50,
        "the test has read {seen} imports: is it looking in the right place?"
    );
}

#[test]
fn http_and_sql_stay_in_their_rooms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut strays = Vec::new();
    for file in sources(&root) {
        let text = fs::read_to_string(&file).expect("the sources can be read");
        let inner = file.strip_prefix(&root).expect("the file lies below src");
        let room = room_of(inner);
        let speaks_http = text.contains("actix_web") && !["api", "cli"].contains(&room.as_str());
        let speaks_sql = text.contains("sqlx") && room != "store";
        if speaks_http || speaks_sql {
            strays.push(inner.display().to_string());
        }
    }
    assert!(
        strays.is_empty(),
        "HTTP or SQL outside its room: {}",
        strays.join(", ")
    );
}
