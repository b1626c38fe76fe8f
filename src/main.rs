//! The `tengen` program; see [`tengen::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    tengen::cli::run()
}
