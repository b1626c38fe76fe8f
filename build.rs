//! Names the build after its sources, so that answers of different builds have different entity tags.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;

fn main() {
    let mut hasher = DefaultHasher::new();
    for place in ["src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={place}");
        hash(Path::new(place), &mut hasher);
    }
    // Built into the program by a macro that the compiler does not watch.
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rustc-env=TENGEN_BUILD={:016x}", hasher.finish());
}

fn hash(place: &Path, hasher: &mut DefaultHasher) {
    if place.is_dir() {
        let entries = fs::read_dir(place).expect("the sources can be read");
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("the sources can be read").path())
            .collect();
        paths.sort();
        paths.iter().for_each(|path| hash(path, hasher));
    } else {
        place.hash(hasher);
        fs::read(place)
            .expect("the sources can be read")
            .hash(hasher);
    }
}
