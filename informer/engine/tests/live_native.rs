//! The informer outside the browser, on the apiserver that `KUBE_INFORMER_TEST_APISERVER` names.
#![cfg(not(target_arch = "wasm32"))]
// Helpers of tests are not inside a #[test], where clippy.toml allows these calls.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod live;
