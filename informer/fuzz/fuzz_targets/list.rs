//! Fuzz target: list responses.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| informer_fuzz::list::run(data));
