//! Recorded outcomes of the real apiserver: error messages, columns of tables, discovery entries.
//!
//! They are in `recorded.txt`, written by `--record`, so that a newer Kubernetes shows as a diff of that file.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use std::{fs, io};

use crate::case::Case;
use crate::suite::Column;

const TEXT: &str = include_str!("../recorded.txt");
const HEADING: &str = "# What the real kube-apiserver answered; `make conformance RECORD=1` writes it anew.\n";

/// The recorded outcome of a step.
pub(crate) fn outcome(case: &str, step: &str) -> String {
    static ALL: OnceLock<HashMap<(&str, &str), &str>> = OnceLock::new();
    let all = ALL.get_or_init(|| parse(TEXT));
    all.get(&(case, step)).map_or_else(|| "(not recorded)".to_owned(), |outcome| (*outcome).to_owned())
}

/// Parses the recording: cases without indentation, steps with two spaces, outcomes with four.
fn parse(text: &str) -> HashMap<(&str, &str), &str> {
    let mut all = HashMap::new();
    let (mut case, mut step) = ("", "");
    for line in text.lines() {
        if let Some(outcome) = line.strip_prefix("    ") {
            all.insert((case, step), outcome);
        } else if let Some(name) = line.strip_prefix("  ") {
            step = name;
        } else {
            case = line;
        }
    }
    all
}

/// Writes the outcomes of a target.
pub(crate) fn write(file: &Path, cases: &[&Case], column: &Column) -> io::Result<()> {
    let mut text = HEADING.to_owned();
    for (case, steps) in cases.iter().zip(&column.recorded) {
        if !steps.is_empty() {
            let _ = writeln!(text, "{}", case.title());
        }
        for (step, outcome) in steps {
            let _ = writeln!(text, "  {step}\n    {outcome}");
        }
    }
    fs::write(file, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_found_by_case_and_step() {
        let all = parse("# heading\none: case\n  step\n    400 no\n  other\n    \ntwo\n  step\n    200  ok\n");
        assert_eq!(all.get(&("one: case", "step")), Some(&"400 no"));
        assert_eq!(all.get(&("one: case", "other")), Some(&""));
        assert_eq!(all.get(&("two", "step")), Some(&"200  ok"));
    }
}
