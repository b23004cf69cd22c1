//! Seeds of the fuzz target: all that fuzzers start from passes.

// The target is not inside a #[test], where clippy.toml allows this.
#![allow(clippy::expect_used)]

use std::path::Path;

// The fuzzers' own crate sees this module, too.
#[allow(unreachable_pub, missing_docs)]
#[path = "../../fuzz/src/protobuf.rs"]
mod protobuf;

#[test]
fn protobuf() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/protobuf");
    let mut count = 0;
    for entry in folder.read_dir().expect("seeds") {
        protobuf::run(&std::fs::read(entry.expect("a seed").path()).expect("a seed"));
        count += 1;
    }
    assert!(count > 5);
}
