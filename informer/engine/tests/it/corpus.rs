//! Fuzz targets, run with their seeds.

use std::fs;
use std::path::Path;

// The fuzzers' own crate sees these modules as public.
#[allow(unreachable_pub)]
#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

fn each_seed(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder of seeds") {
        let file = entry.expect("readable").path();
        // Shown when it fails.
        println!("{}", file.display());
        run(&fs::read(file).expect("readable"));
        count += 1;
    }
    assert!(count >= 5, "{target} has {count} seeds");
}

#[test]
fn decoder_passes_its_seeds() {
    each_seed("decoder", fuzz::decoder::run);
}

#[test]
fn json_path_passes_its_seeds() {
    each_seed("json_path", fuzz::json_path::run);
}

#[test]
fn list_passes_its_seeds() {
    each_seed("list", fuzz::list::run);
}

#[test]
fn query_passes_its_seeds() {
    each_seed("query", fuzz::query::run);
}

#[test]
fn selectors_pass_their_seeds() {
    each_seed("selectors", fuzz::selectors::run);
}
