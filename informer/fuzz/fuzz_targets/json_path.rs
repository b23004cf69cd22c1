//! Fuzz target: JSONPath expressions of custom columns.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| informer_fuzz::json_path::run(data));
