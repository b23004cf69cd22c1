//! Report: a table with a row per case and a column per target; then the differences; then the closing line.

use std::collections::BTreeSet;
use std::process::ExitCode;

use crate::case::Case;
use crate::known::{self, DIFFERENCES, Known};
use crate::scene::Mismatch;
use crate::suite::{Column, Verdict};
use crate::target::{Named, Target};

/// Maximum width of a cell; the full outcome is below the table.
const CELL: usize = 28;

/// Notes below the table, and counts.
#[derive(Default)]
struct Report {
    passed: usize,
    failed: usize,
    skipped: usize,
    wrong: Vec<String>,
    skips: Vec<String>,
    excused: Vec<String>,
    /// Indexes in `DIFFERENCES` of those that occurred.
    occurred: BTreeSet<usize>,
}

/// Prints the report. The exit code is a failure if a case failed.
pub(crate) fn print(cases: &[&Case], columns: &[Column], missing: &[Named]) -> ExitCode {
    let mut report = Report::default();
    let titles: Vec<String> = cases.iter().map(|case| case.title()).collect();
    let width = titles.iter().map(String::len).max().unwrap_or(0);
    let names = columns.iter().map(|column| &column.target.name).chain(missing.iter().map(|named| &named.name));
    println!("{}", row(width, "", names.map(String::as_str)));
    for (at, title) in titles.iter().enumerate() {
        let seen: Vec<String> =
            columns.iter().map(|column| report.cell(title, &column.target, &column.verdicts[at])).collect();
        report.skipped += missing.len();
        let absent = missing.iter().map(|_| "skipped");
        println!("{}", row(width, title, seen.iter().map(String::as_str).chain(absent)));
    }
    if columns.iter().any(|column| !column.target.judge) {
        report.report_obsolete_differences(&titles);
    }
    section("Not as expected", &report.wrong);
    section("Known differences", &report.excused);
    section("Skipped", &report.skips);
    println!();
    for named in missing {
        println!("{} skipped: {}", named.name, named.value);
    }
    for column in columns {
        println!("{}: {} cases in {:.1} s", column.target.name, cases.len(), column.elapsed.as_secs_f64());
    }
    println!("{} passed, {} failed, {} skipped", report.passed, report.failed, report.skipped);
    if report.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Report {
    /// Counts a verdict. Returns its cell of the table.
    fn cell(&mut self, title: &str, target: &Target, verdict: &Verdict) -> String {
        match verdict {
            Verdict::Passed => {
                self.passed += 1;
                "ok".to_owned()
            }
            Verdict::Skipped(reason) => {
                self.skipped += 1;
                self.skips.push(format!("skipped on {}: {title}: {reason}", target.name));
                "skipped".to_owned()
            }
            Verdict::Failed(mismatches) => {
                let mut first = None;
                for mismatch in mismatches {
                    if let Some(at) = known::find_difference(title, mismatch).filter(|_| !target.judge) {
                        self.excuse_mismatch(at, target);
                    } else {
                        self.wrong.push(describe(&target.name, title, mismatch));
                        first = first.or(Some(mismatch));
                    }
                }
                let Some(first) = first else {
                    self.passed += 1;
                    return "ok, differs as known".to_owned();
                };
                self.failed += 1;
                first.actual.clone()
            }
        }
    }

    fn excuse_mismatch(&mut self, at: usize, target: &Target) {
        self.occurred.insert(at);
        let Known { case, step, reason, .. } = &DIFFERENCES[at];
        self.excused.push(format!("{}: {case}: {step}\n    {reason}", target.name));
    }

    /// Reports known differences that no longer occur: they must be removed, or they would hide later ones.
    fn report_obsolete_differences(&mut self, titles: &[String]) {
        for (at, known) in DIFFERENCES.iter().enumerate() {
            if !self.occurred.contains(&at) && titles.iter().any(|title| title == known.case) {
                self.failed += 1;
                self.wrong.push(format!(
                    "{}: {}: no target differs here any more; take it from known.rs",
                    known.case, known.step
                ));
            }
        }
    }
}

fn section(heading: &str, lines: &[String]) {
    if !lines.is_empty() {
        println!("\n{heading}");
        for line in lines {
            println!("  {line}");
        }
    }
}

fn describe(target: &str, title: &str, mismatch: &Mismatch) -> String {
    let Mismatch { step, expected, actual } = mismatch;
    if expected.is_empty() && step == "did not go on" {
        return format!("{target}: {title}: {actual}");
    }
    format!("{target}: {title}: {step}\n    expected `{expected}`\n    saw      `{actual}`")
}

fn row<'a>(width: usize, title: &str, cells: impl Iterator<Item = &'a str>) -> String {
    let mut line = format!("{title:width$}");
    for cell in cells {
        let cell: String = cell.lines().next().unwrap_or("(nothing)").chars().take(CELL).collect();
        line = format!("{line}  {cell:CELL$}");
    }
    line.trim_end().to_owned()
}
