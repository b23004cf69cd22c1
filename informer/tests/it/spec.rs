//! SPEC.md names existing tests, and covers each scenario.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of all test functions below a folder.
fn tests_below(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            tests_below(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            let mut is_test = false;
            for line in text.lines().map(str::trim_start) {
                let signature = line.strip_prefix("async ").unwrap_or(line);
                if let Some(rest) = signature.strip_prefix("fn ").filter(|_| is_test) {
                    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                    names.insert(name);
                    is_test = false;
                }
                is_test |= line.starts_with("#[test]") || line.starts_with("#[live_test");
            }
        }
    }
}

fn spec() -> (String, BTreeSet<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    for folder in ["src", "tests", "engine/src", "engine/tests"] {
        tests_below(&root.join(folder), &mut names);
    }
    assert!(names.len() > 200, "the tests are found");
    (fs::read_to_string(root.join("SPEC.md")).expect("SPEC.md"), names)
}

/// The rows of the tables below a heading, as cells.
fn rows<'a>(spec: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, below) = spec.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("there is no {heading}"));
    let section = below.split("\n## ").next().unwrap_or_default();
    let cells = |line: &'a str| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>();
    section.lines().filter(|line| line.starts_with("| ")).map(cells).collect()
}

#[test]
fn every_guarantee_is_enforced_by_tests_that_exist() {
    let (spec, tests) = spec();
    let guarantees = rows(&spec, "Guarantees");
    let mut number = 0;
    for row in &guarantees {
        let [of, _, enforced] = row.as_slice() else { panic!("three cells: {row:?}") };
        let Ok(of) = of.parse::<u32>() else { continue };
        number += 1;
        assert_eq!(of, number, "guarantees are numbered in order");
        let named: Vec<&str> = enforced.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "guarantee {of} is enforced by nothing");
        for name in named {
            assert!(tests.contains(name), "guarantee {of} is to be enforced by {name}, which is not there");
        }
    }
    assert!(number > 50, "the guarantees are found");
}

#[test]
fn every_scenario_has_a_test_or_a_reason() {
    let (spec, tests) = spec();
    let mut covered = BTreeSet::new();
    for test in &tests {
        let words: Vec<&str> = test.split('_').collect();
        for pair in words.windows(2) {
            if let [section, number] = pair
                && number.len() == 2
                && number.parse::<u32>().is_ok()
            {
                covered.insert(format!("{}-{number}", section.to_uppercase()));
            }
        }
    }
    let excused: BTreeSet<String> = rows(&spec, "Scenarios without a test")
        .iter()
        .map(|row| row[0].to_owned())
        .filter(|id| id.contains('-'))
        .collect();
    let mut scenarios = 0;
    for row in rows(&spec, "Scenarios").iter().filter(|row| row[0].chars().all(|c| c.is_ascii_uppercase())) {
        for number in row[1].split(' ') {
            let id = format!("{}-{number}", row[0]);
            scenarios += 1;
            assert_ne!(
                covered.contains(&id),
                excused.contains(&id),
                "{id} wants a test that bears its name, or a reason"
            );
        }
    }
    assert!(scenarios > 130, "the scenarios are found: {scenarios}");
}
