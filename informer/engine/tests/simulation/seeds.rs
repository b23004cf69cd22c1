//! Seeds of an ordinary run: a fixed number of them, from a first one that is derived from the commit hash.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Number of seeds in an ordinary test run; each is one story.
const SEEDS: u64 = 20_000;

/// FNV-1a, continued from the state `basis`.
fn fnv1a(basis: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(basis, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Offset basis of FNV-1a.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The number in an environment variable that is set and not empty.
pub(crate) fn number(name: &str) -> Option<u64> {
    env::var(name).ok().filter(|text| !text.is_empty()).map(|text| text.parse().expect("a number"))
}

/// First seed and number of seeds: `FIRST`, by default derived from the commit hash; `SEEDS`, by default 20,000.
pub(crate) fn first_and_count() -> (u64, u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    (number("FIRST").unwrap_or_else(|| first_seed(root)), number("SEEDS").unwrap_or(SEEDS))
}

/// A first seed below 2^40, the same for the same commit. Without git it is derived from the text of the sources.
fn first_seed(root: &Path) -> u64 {
    commit(root).unwrap_or_else(|| sources(&root.join("src"), sources(&root.join("../src"), BASIS))) >> 24
}

fn commit(root: &Path) -> Option<u64> {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root).output().ok()?;
    output.status.success().then(|| fnv1a(BASIS, &output.stdout))
}

fn sources(folder: &Path, mut so_far: u64) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        so_far =
            if path.is_dir() { sources(&path, so_far) } else { fnv1a(so_far, &fs::read(&path).unwrap_or_default()) };
    }
    so_far
}

#[test]
fn first_seed_is_derived_with_and_without_git() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(commit(Path::new("/nowhere")), None);
    let without = || sources(&root.join("src"), BASIS);
    assert_eq!(without(), without());
    assert_ne!(without(), sources(&root.join("tests"), BASIS), "other sources are other seeds");
    assert_eq!(first_seed(root), first_seed(root));
    assert!(first_seed(root) < 1 << 40 && first_seed(Path::new("/nowhere")) < 1 << 40);
}
