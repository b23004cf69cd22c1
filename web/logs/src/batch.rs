//! Batch of lines as columns, as the npm package's `logs({ joined: true })` gives it: one text of all lines crosses into wasm,
//! in place of thousands of objects.

use std::borrow::Cow;

use serde::Deserialize;

/// Lines that came together (`JoinedLines`).
#[derive(Debug)]
pub struct Batch<'a> {
    pub(crate) lines: usize,
    pub(crate) texts: &'a str,
    pub(crate) times: &'a str,
    /// Lines that were cut, and by how many bytes.
    pub(crate) cuts: Vec<(usize, u64)>,
    pub(crate) origins: Vec<Origin<'a>>,
}

/// Origin of lines, if several logs are merged.
#[derive(Debug, Deserialize)]
pub(crate) struct Origin<'a> {
    /// Index of the first of them.
    pub(crate) from: usize,
    #[serde(borrow, default)]
    pub(crate) namespace: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) pod: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) container: Option<Cow<'a, str>>,
}

/// Number of lines, cuts, origins.
#[derive(Deserialize)]
struct Rest<'a>(usize, Vec<(usize, u64)>, #[serde(borrow)] Vec<Origin<'a>>);

impl<'a> Batch<'a> {
    /// A batch of its columns: texts and times, each joined by line feeds, and the JSON of `[lines, cuts, origins]`. `None` if
    /// they do not fit together.
    pub fn new(texts: &'a str, times: &'a str, rest: &'a str) -> Option<Self> {
        let Rest(lines, cuts, origins) = serde_json::from_str(rest).ok()?;
        let count = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let fits = lines == 0 || (count(texts) == lines && count(times) == lines);
        fits.then_some(Self { lines, texts, times, cuts, origins })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_are_no_batch() {
        assert!(Batch::new("a\nb", "\n", "[2,[],[]]").is_some());
        assert!(Batch::new("", "", "[0,[],[]]").is_some());
        for (texts, times, rest) in [
            ("a", "\n", "[2,[],[]]"),
            ("a\nb", "", "[2,[],[]]"),
            ("a", "", "[2]"),
            ("a", "", "x"),
            ("a", "", "[1,[[-1,2]],[]]"),
        ] {
            assert!(Batch::new(texts, times, rest).is_none(), "{texts} {times} {rest}");
        }
    }
}
