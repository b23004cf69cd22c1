//! Fuzz target: protobuf of lists, watches and objects.

#![no_main]

// Not in the library: the tests of the engine have that as a module, and do not use this crate.
#[path = "../src/protobuf.rs"]
mod protobuf;

libfuzzer_sys::fuzz_target!(|data: &[u8]| protobuf::run(data));
