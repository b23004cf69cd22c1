//! Seeds of an ordinary run: as many as a test run affords, from a first one that each commit draws anew.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Number of stories in an ordinary test run.
const SEEDS: u64 = 20_000;

/// FNV-1a of bytes, as a continuation of `hash`.
fn hash(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The number in an environment variable that is set and not empty.
pub(crate) fn number(name: &str) -> Option<u64> {
    env::var(name).ok().filter(|text| !text.is_empty()).map(|text| text.parse().expect("a number"))
}

/// First seed and number of seeds: `FIRST` and `SEEDS`, otherwise derived from the commit.
pub(crate) fn range() -> (u64, u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    (number("FIRST").unwrap_or_else(|| drawn(root)), number("SEEDS").unwrap_or(SEEDS))
}

/// A first seed below 2^40, the same for the same commit. Without git it follows from the text of the sources.
fn drawn(root: &Path) -> u64 {
    commit(root).unwrap_or_else(|| sources(&root.join("src"), sources(&root.join("../src"), 0))) >> 24
}

fn commit(root: &Path) -> Option<u64> {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root).output().ok()?;
    output.status.success().then(|| hash(0, &output.stdout))
}

fn sources(folder: &Path, mut so_far: u64) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        so_far =
            if path.is_dir() { sources(&path, so_far) } else { hash(so_far, &fs::read(&path).unwrap_or_default()) };
    }
    so_far
}

#[test]
fn a_first_seed_is_drawn_with_and_without_git() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(commit(Path::new("/nowhere")), None);
    let without = || sources(&root.join("src"), 1);
    assert_eq!(without(), without());
    assert_ne!(without(), sources(&root.join("tests"), 1), "other sources are other seeds");
    assert_eq!(drawn(root), drawn(root));
    assert!(drawn(root) < 1 << 40 && drawn(Path::new("/nowhere")) < 1 << 40);
}
