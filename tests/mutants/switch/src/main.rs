//! Puts many mutants into one build, each behind a switch (mutant schemata).
//!
//! `switch TREE LIST DROPPED` rewrites the sources below TREE so that the mutants of LIST (what `cargo mutants --list --json`
//! prints) are in them together: `a < b` becomes `(if crate::mutant::on(7) { a <= b } else { a < b })`. DROPPED is a JSON
//! list of numbers that are left out, as they do not compile. Prints `{"switched": […], "left": {number: reason},
//! "ranges": {file: [[start, end, number]]}}`: where each mutant is in the new text, to find it by a compiler's error.

mod render;
mod site;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use serde_json::{Value, json};

/// A mutant as cargo-mutants lists it.
pub(crate) struct Mutant {
    pub(crate) number: usize,
    pub(crate) genre: String,
    pub(crate) replacement: String,
    /// Line and column of its first character, from 1.
    pub(crate) at: (usize, usize),
}

fn mutant(number: usize, value: &Value) -> Mutant {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let start = &value["span"]["start"];
    let count = |name: &str| usize::try_from(start[name].as_u64().unwrap_or(0)).unwrap_or(0);
    Mutant { number, genre: text("genre"), replacement: text("replacement"), at: (count("line"), count("column")) }
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let [_, tree, list, dropped] = &arguments[..] else { panic!("usage: switch TREE LIST DROPPED") };
    let read = |path: &str| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let list: Vec<Value> = serde_json::from_str(&read(list)).expect("a list of mutants");
    let dropped: BTreeSet<usize> = serde_json::from_str(&read(dropped)).expect("a list of numbers");

    let mut files: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for (number, value) in list.iter().enumerate() {
        if !dropped.contains(&number) {
            files.entry(value["file"].as_str().unwrap_or_default().to_owned()).or_default().push(mutant(number, value));
        }
    }
    let (mut switched, mut left, mut ranges) = (Vec::new(), serde_json::Map::new(), serde_json::Map::new());
    for (file, mutants) in files {
        let path = Path::new(tree).join(&file);
        let text = read(&path.to_string_lossy());
        let (sites, reasons) = site::find(&text, &mutants);
        let rendered = render::render(&text, &sites);
        fs::write(&path, &rendered.text).unwrap_or_else(|error| panic!("{file}: {error}"));
        switched.extend(rendered.ranges.iter().map(|(_, _, number)| *number));
        left.extend(reasons.into_iter().map(|(number, reason)| (number.to_string(), json!(reason))));
        ranges.insert(file, json!(rendered.ranges));
    }
    println!("{}", json!({ "switched": switched, "left": left, "ranges": ranges }));
}
