//! Marks: the identity of each line, and when it last changed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::yaml::{Line, Revealed};

/// What a line is known by: its hash, and how many equal lines come before it. An inserted line so moves the others.
pub(super) type Id = (u64, u32);

/// The lines of an object with their marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Marked {
    pub(super) lines: Arc<Vec<Line>>,
    /// Of each line: its id, and when it came in milliseconds since the Unix epoch; 0 if it was there from the start.
    pub(super) marks: Vec<(Id, f64)>,
    /// What was revealed then: a line that the reader has changed is no news.
    revealed: Revealed,
}

impl Marked {
    /// The next state of the lines.
    pub(super) fn next(before: Option<&Self>, lines: Arc<Vec<Line>>, revealed: Revealed, now: f64) -> Self {
        let now = if before.is_some_and(|before| before.revealed != revealed) { 0.0 } else { now };
        let known: Option<HashMap<Id, f64>> =
            before.filter(|before| !before.lines.is_empty()).map(|before| before.marks.iter().copied().collect());
        let mut seen: HashMap<u64, u32> = HashMap::with_capacity(lines.len());
        let mark = |line: &Line| {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            let count = seen.entry(hasher.finish()).or_default();
            let id = (hasher.finish(), *count);
            *count += 1;
            let came = known.as_ref().map_or(0.0, |known| known.get(&id).copied().unwrap_or(now));
            (id, came)
        };
        let marks = lines.iter().map(mark).collect();
        Self { lines, marks, revealed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(values: &[&str]) -> Arc<Vec<Line>> {
        Arc::new(values.iter().map(|value| Line { value: (*value).to_owned(), ..Line::default() }).collect())
    }

    fn next(before: Option<&Marked>, lines: Arc<Vec<Line>>, revealed: &[&str], now: f64) -> Marked {
        Marked::next(before, lines, revealed.iter().map(|id| (*id).to_owned()).collect(), now)
    }

    fn times(marked: &Marked) -> Vec<f64> {
        marked.marks.iter().map(|(_, came)| *came).collect()
    }

    #[test]
    fn only_lines_that_differ_are_new() {
        let waiting = next(None, lines(&[]), &[], 1.0);
        let first = next(Some(&waiting), lines(&["a", "b", "b"]), &[], 2.0);
        assert_eq!(times(&first), [0.0, 0.0, 0.0], "what is there from the start has not changed");
        let second = next(Some(&first), lines(&["x", "a", "b", "b", "b"]), &[], 3.0);
        assert_eq!(times(&second), [3.0, 0.0, 0.0, 0.0, 3.0]);
        assert_eq!(second.marks[1].0, first.marks[0].0, "a line keeps its id when others come before it");
        assert_eq!(times(&next(Some(&second), lines(&["x", "c"]), &[], 4.0)), [3.0, 4.0]);
    }

    #[test]
    fn what_the_reader_reveals_is_no_news() {
        let first = next(None, lines(&["masked"]), &[], 1.0);
        assert_eq!(times(&next(Some(&first), lines(&["shown"]), &["data/a"], 2.0)), [0.0]);
    }
}
