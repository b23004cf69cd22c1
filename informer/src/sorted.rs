//! Shared text sort, for code that is not speed-critical: each further instance is 4 KB of wasm.

/// Sorts texts and removes duplicates.
pub(crate) fn sorted<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let mut texts: Vec<&str> = texts.into_iter().collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
