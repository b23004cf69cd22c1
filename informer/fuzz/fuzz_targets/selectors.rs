//! Fuzz target: label and field selectors.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| informer_fuzz::selectors::run(data));
