//! Marks: the identity of each line, and when it last changed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::yaml::{Document, Line, Revealed};

/// Identity of a line: the hash of its text and of its value, and the number of earlier lines with the same hash. An
/// inserted line does not change the identity of others.
pub(super) type Id = (u64, u32);

/// The lines of an object with their marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MarkedLines {
    pub(super) document: Arc<Document>,
    /// Per line: its id, and the time of its appearance in milliseconds since the Unix epoch; 0 for the first state.
    pub(super) marks: Vec<(Id, f64)>,
    /// Revealed values at that time: a line that the user revealed is not marked as changed.
    revealed: Revealed,
}

impl MarkedLines {
    /// The next state of the lines.
    pub(super) fn next(before: Option<&Self>, document: Arc<Document>, revealed: Revealed, now: f64) -> Self {
        let now = if before.is_some_and(|before| before.revealed != revealed) { 0.0 } else { now };
        let known: Option<HashMap<Id, f64>> =
            before.filter(|before| !before.marks.is_empty()).map(|before| before.marks.iter().copied().collect());
        let mut occurrences: HashMap<u64, u32> = HashMap::with_capacity(document.lines.len());
        let mark = |(at, line)| {
            let mut hasher = DefaultHasher::new();
            document.outline.id(at).hash(&mut hasher);
            Line::hash(line, &mut hasher);
            let count = occurrences.entry(hasher.finish()).or_default();
            let id = (hasher.finish(), *count);
            *count += 1;
            let appeared_at = known.as_ref().map_or(0.0, |known| known.get(&id).copied().unwrap_or(now));
            (id, appeared_at)
        };
        let marks = document.lines.iter().enumerate().map(mark).collect();
        Self { document, marks, revealed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Printing, Yaml};

    fn document(json: &str) -> Arc<Document> {
        Yaml::of(json, &Printing::default()).expect("valid JSON").body
    }

    fn next(before: Option<&MarkedLines>, json: &str, revealed: &[&str], now: f64) -> MarkedLines {
        MarkedLines::next(before, document(json), revealed.iter().map(|id| (*id).to_owned()).collect(), now)
    }

    /// Returns the lines that appeared at a time.
    fn appeared_at(marked: &MarkedLines, at: f64) -> Vec<String> {
        let lines = marked.document.lines.iter().zip(&marked.marks);
        lines
            .filter(|(_, (_, appeared_at))| appeared_at.total_cmp(&at).is_eq())
            .map(|(line, _)| line.to_string())
            .collect()
    }

    #[test]
    fn only_lines_that_differ_are_new() {
        let waiting = MarkedLines::next(None, Arc::default(), Revealed::new(), 1.0);
        let first = next(Some(&waiting), r#"{"a":["x","w","w"]}"#, &[], 2.0);
        assert_eq!(appeared_at(&first, 2.0), [""; 0], "what is there from the start has not changed");
        let second = next(Some(&first), r#"{"a":["new","x","w","w","w"]}"#, &[], 3.0);
        assert_eq!(appeared_at(&second, 3.0), ["- new", "- w"]);
        assert_eq!(second.marks[2].0, first.marks[1].0, "a line keeps its id when others come before it");
        let third = next(Some(&second), r#"{"a":["new","other"]}"#, &[], 4.0);
        assert_eq!(
            (appeared_at(&third, 3.0), appeared_at(&third, 4.0)),
            (vec!["- new".to_owned()], vec!["- other".to_owned()])
        );
    }

    #[test]
    fn of_equal_lines_the_one_whose_value_changed_is_new() {
        let of = |ready: [bool; 3]| {
            let [a, b, c] = ready;
            format!(r#"{{"list":[{{"name":"a","ready":{a}}},{{"name":"b","ready":{b}}},{{"name":"c","ready":{c}}}]}}"#)
        };
        let first = next(None, &of([true, false, true]), &[], 1.0);
        let second = next(Some(&first), &of([true, true, true]), &[], 2.0);
        let changed: Vec<_> = second.marks.iter().map(|(_, appeared_at)| *appeared_at > 0.0).collect();
        assert_eq!(changed, [false, false, false, false, true, false, false], "the one of b");
    }

    #[test]
    fn a_revealed_value_is_not_marked_as_changed() {
        let first = next(None, r#"{"a":"masked"}"#, &[], 1.0);
        assert_eq!(appeared_at(&next(Some(&first), r#"{"a":"shown"}"#, &["data/a"], 2.0), 0.0), ["a: shown"]);
    }
}
