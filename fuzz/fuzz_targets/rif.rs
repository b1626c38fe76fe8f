#![no_main]

use libfuzzer_sys::fuzz_target;
use tengen::formats::Format;

fuzz_target!(|octets: &[u8]| tengen_fuzz::read(Format::Rif, octets));
