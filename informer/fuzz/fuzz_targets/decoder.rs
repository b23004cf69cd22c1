//! Fuzz target: the incremental decoder of lists and watches.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| informer_fuzz::decoder::run(data));
