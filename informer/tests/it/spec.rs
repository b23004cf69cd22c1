//! SPEC.md names existing tests that check something, and covers each scenario.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Sources of a folder: its tests, and the functions that check something.
#[derive(Default)]
struct Functions {
    /// Test functions by name, each with its file and text. A test that runs in several places has several.
    tests: BTreeMap<String, Vec<(PathBuf, String)>>,
    /// Functions that are no tests and contain a check, by file and name.
    checks: BTreeSet<(PathBuf, String)>,
}

impl Functions {
    fn read_folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                self.read_folder(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.read(&path, &fs::read_to_string(&path).expect("text"));
            }
        }
    }

    fn read(&mut self, path: &Path, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let mut is_test = false;
        for (at, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            if let Some(name) = function_name(code) {
                // As rustfmt writes it, a function ends with a brace at its own indentation.
                let indentation = &line[..line.len() - code.len()];
                let end = |line: &&str| line.strip_prefix(indentation).is_some_and(|line| line.starts_with('}'));
                let is_short = code.ends_with('}');
                let rest = &lines[at + 1..];
                let length = if is_short { 0 } else { rest.iter().position(end).unwrap_or(rest.len()) };
                let code = |line: &&&str| !line.trim_start().starts_with("//");
                let body = lines[at..=at + length].iter().filter(code).copied().collect::<Vec<_>>().join("\n");
                if is_test {
                    self.tests.entry(name.to_owned()).or_default().push((path.to_owned(), body));
                } else if checks(&body) {
                    self.checks.insert((path.to_owned(), name.to_owned()));
                }
                is_test = false;
            }
            is_test |= code.starts_with("#[test]") || code.starts_with("#[live_test");
        }
    }

    /// Places where a test of this name checks nothing: neither itself, nor by a function of its file. Functions of other
    /// files do not count: a test that only sets up a scene by them asserts nothing of its own.
    fn without_check(&self, name: &str) -> Vec<&Path> {
        let calls = |body: &str, path: &Path| {
            let mut checking = self.checks.iter().filter(|(file, _)| file == path);
            checking.any(|(_, name)| is_called(body, name))
        };
        let bodies = self.tests.get(name).into_iter().flatten();
        bodies.filter(|(path, body)| !checks(body) && !calls(body, path)).map(|(path, _)| &**path).collect()
    }
}

/// The name of the function that begins on a line.
fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let words = ["pub", "pub(crate)", "pub(super)", "async", "const"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
    (!name.is_empty() && before.split_whitespace().all(|word| words.contains(&word))).then_some(name)
}

/// Whether code can fail a test on purpose. `expect` and `unwrap` do not count: they are how tests reach a value.
fn checks(code: &str) -> bool {
    ["assert!(", "assert_eq!(", "assert_ne!(", "panic!(", ".expect_err(", ".unwrap_err("]
        .iter()
        .any(|check| code.contains(check))
}

fn is_called(code: &str, function: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices(function)
        .any(|(at, _)| !code[..at].ends_with(is_name) && code[at + function.len()..].starts_with(['(', ':', ',']))
}

fn spec() -> (String, Functions) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut functions = Functions::default();
    for folder in ["src", "tests", "engine/src", "engine/tests"] {
        functions.read_folder(&root.join(folder));
    }
    assert!(functions.tests.len() > 200, "the tests are found");
    (fs::read_to_string(root.join("SPEC.md")).expect("SPEC.md"), functions)
}

/// The rows of the tables below a heading, as cells.
fn rows<'a>(spec: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, below) = spec.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("there is no {heading}"));
    let section = below.split("\n## ").next().unwrap_or_default();
    let cells = |line: &'a str| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>();
    section.lines().filter(|line| line.starts_with("| ")).map(cells).collect()
}

#[test]
fn every_guarantee_is_enforced_by_tests_that_check_something() {
    let (spec, functions) = spec();
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
            assert!(functions.tests.contains_key(name), "guarantee {of} names the test {name}, which does not exist");
            let empty = functions.without_check(name);
            assert!(empty.is_empty(), "guarantee {of} names the test {name}, which checks nothing in {empty:?}");
        }
    }
    assert!(number > 50, "the guarantees are found");
}

#[test]
fn every_scenario_has_a_test_or_a_reason() {
    let (spec, functions) = spec();
    let mut covered = BTreeSet::new();
    for test in functions.tests.keys() {
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

#[test]
fn a_test_that_checks_nothing_is_found() {
    let source = "
#[test]
fn checks() {
    assert_eq!(1 + 1, 2);
}

#[test]
fn gutted() {
    let two = sum(1, 1).expect(\"a sum\");
    // assert_eq!(two, 2);
}

#[test]
fn by_a_function() {
    expect_two(1, 1);
}

fn expect_two(a: u32, b: u32) {
    assert_eq!(a + b, 2);
}

fn sum(a: u32, b: u32) -> Option<u32> {
    a.checked_add(b)
}

mod places {
    #[test]
    async fn gutted() {
        elsewhere().await;
    }
}
";
    let mut functions = Functions::default();
    functions.read(Path::new("src/sum.rs"), source);
    functions.read(Path::new("src/other.rs"), "fn elsewhere() {\n    assert!(true);\n}\n");
    assert_eq!(functions.tests.keys().collect::<Vec<_>>(), ["by_a_function", "checks", "gutted"]);
    assert!(functions.without_check("checks").is_empty() && functions.without_check("by_a_function").is_empty());
    assert_eq!(
        functions.without_check("gutted"),
        [Path::new("src/sum.rs"); 2],
        "the check of another file is not theirs"
    );
    functions.read(Path::new("tests/other.rs"), "async fn elsewhere() {\n    assert!(true);\n}\n");
    assert_eq!(functions.without_check("gutted").len(), 2, "nor is that of a tests' folder");
}
