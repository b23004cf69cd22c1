//! The table: one row a case, one column a target; then what differs; then the closing line.

use std::process::ExitCode;

use crate::case::Case;
use crate::known;
use crate::scene::Mismatch;
use crate::suite::{Column, Verdict};
use crate::target::Named;

/// Widest a cell may be; what was seen stands in full below the table.
const CELL: usize = 28;

#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// Prints everything; fails when a case has.
pub(crate) fn print(cases: &[&Case], columns: &[Column], missing: &[Named]) -> ExitCode {
    let mut counts = Counts::default();
    let mut notes = Vec::new();
    let mut known_notes: Vec<String> = Vec::new();
    let titles: Vec<String> = cases.iter().map(|case| case.title()).collect();
    let wide = titles.iter().map(String::len).max().unwrap_or(0);
    let heading: Vec<&str> =
        columns.iter().map(|column| &*column.target.name).chain(missing.iter().map(|named| &*named.name)).collect();
    println!("{}", row(wide, "", &heading));
    for (at, title) in titles.iter().enumerate() {
        let mut cells = Vec::new();
        for column in columns {
            cells.push(match &column.verdicts[at] {
                Verdict::Passed => {
                    counts.passed += 1;
                    "ok".to_owned()
                }
                Verdict::Skipped(reason) => {
                    counts.skipped += 1;
                    notes.push(format!("skipped on {}: {title}: {reason}", column.target.name));
                    "skipped".to_owned()
                }
                Verdict::Failed(mismatches) => {
                    let (excused, bad): (Vec<&Mismatch>, Vec<&Mismatch>) =
                        mismatches.iter().partition(|mismatch| known::excuse(title, mismatch).is_some());
                    for known in excused.iter().filter_map(|mismatch| known::excuse(title, mismatch)) {
                        known_notes.push(format!(
                            "{}: {title}: {}: {}\n    {}",
                            column.target.name, known.step, known.saw, known.reason
                        ));
                    }
                    for mismatch in &bad {
                        notes.push(describe(&column.target.name, title, mismatch));
                    }
                    if let Some(first) = bad.first() {
                        counts.failed += 1;
                        first.saw.clone()
                    } else {
                        counts.passed += 1;
                        "ok, differs as known".to_owned()
                    }
                }
            });
        }
        for _ in missing {
            counts.skipped += 1;
            cells.push("skipped".to_owned());
        }
        println!("{}", row(wide, title, &cells));
    }
    section("Not as expected", &notes);
    section("Known differences", &known_notes);
    println!();
    for named in missing {
        println!("{} skipped: {}", named.name, named.value);
    }
    for column in columns {
        println!("{}: {} cases in {:.1} s", column.target.name, cases.len(), column.took.as_secs_f64());
    }
    println!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    if counts.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn section(heading: &str, lines: &[String]) {
    if !lines.is_empty() {
        println!("\n{heading}");
        lines.iter().for_each(|line| println!("  {line}"));
    }
}

fn describe(target: &str, title: &str, mismatch: &Mismatch) -> String {
    let Mismatch { step, want, saw } = mismatch;
    if want.is_empty() && step == "did not go on" {
        return format!("{target}: {title}: {saw}");
    }
    format!("{target}: {title}: {step}\n    expected `{want}`\n    saw      `{saw}`")
}

fn row(wide: usize, title: &str, cells: &[impl AsRef<str>]) -> String {
    let mut line = format!("{title:wide$}");
    for cell in cells {
        let cell: String = cell.as_ref().lines().next().unwrap_or("(nothing)").chars().take(CELL).collect();
        line = format!("{line}  {cell:CELL$}");
    }
    line.trim_end().to_owned()
}
