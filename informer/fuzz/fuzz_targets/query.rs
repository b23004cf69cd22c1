//! Fuzz target: filters of views.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| informer_fuzz::query::run(data));
