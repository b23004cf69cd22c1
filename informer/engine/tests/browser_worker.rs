//! The informer in a dedicated worker, over a real `fetch`.
#![cfg(target_arch = "wasm32")]
// Helpers of tests are not inside a #[test], where clippy.toml allows these calls.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod live;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
