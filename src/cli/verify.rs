//! `tengen verify`: a certificate of a forced win, checked by the rules alone.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::proof::{Certificate, MOST_POSITIONS, Refuted, verify};

/// What `tengen verify` takes.
#[derive(Args)]
pub struct Verify {
    /// The certificate; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The most positions that are looked at
    #[arg(long, default_value_t = MOST_POSITIONS)]
    positions: u64,
}

impl Verify {
    /// Writes what was checked, in a line. A certificate that does not hold is an error, which names its first
    /// bad node.
    pub fn run(self) -> Result<(), String> {
        let name = self.file.display();
        let text = read(&self.file).map_err(|error| format!("cannot read {name}: {error}"))?;
        let certificate =
            Certificate::from_json(&text).map_err(|error| format!("{name}: {error}"))?;
        let verified =
            verify(&certificate, self.positions).map_err(|refuted| told(&name, &refuted))?;
        writeln!(
            io::stdout(),
            "valid: {} wins in {} plies; {} nodes, {} positions, sha256 {}",
            certificate.root().attacker,
            verified.plies,
            verified.nodes,
            verified.positions,
            certificate.id()
        )
        .map_err(|error| error.to_string())
    }
}

/// The text of a file, or as much of it as shows that it is too long.
fn read(file: &Path) -> io::Result<String> {
    let most = u64::try_from(Certificate::MOST_OCTETS)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let mut text = String::new();
    if file == Path::new("-") {
        io::stdin().take(most).read_to_string(&mut text)?;
    } else {
        File::open(file)?.take(most).read_to_string(&mut text)?;
    }
    Ok(text)
}

fn told(name: &impl std::fmt::Display, refuted: &Refuted) -> String {
    let line: Vec<String> = refuted.line.iter().map(ToString::to_string).collect();
    format!(
        "{name} is not valid: {refuted} (the line: {})",
        line.join(" ")
    )
}
