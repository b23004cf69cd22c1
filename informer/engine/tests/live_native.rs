//! The informer outside the browser, on the apiserver that `KUBE_INFORMER_TEST_APISERVER` names.
#![cfg(not(target_arch = "wasm32"))]
// Tests say what they expect; a helper of theirs is not inside a #[test], where clippy.toml allows that.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod live;
