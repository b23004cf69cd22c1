//! Benchmark: size and time of a recorded change, compared with other forms of it.
//!
//! The changes are those of a watch of pods, from a file, for example of the simulated cluster:
//!
//! ```text
//! cargo run --profile native -p apiserver -- --port 8099 --pods 5000 --churn 200 &
//! curl -sN --max-time 120 'http://127.0.0.1:8099/api/v1/pods?watch=1' >pods.jsonl
//! cargo bench --profile native -p informer-engine --bench changes -- pods.jsonl
//! ```
//!
//! Each form is a state before its change: as a reverse delta (what the log stores), as the changed fields with their
//! earlier values, compressed with a dictionary, and as the packed object of the cache. Times are CPU time.

// A program for people.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

use informer::{Change, Keyed, KubeObject, Object, PackerOptions, Reading};
use informer_engine::change_log::{ChangeLog, DeltaWriter, Difference, Selection, field_changes, json_path};
use informer_packing::{ArrayWriter, DictionaryCompressor, Json, Outline};

/// Changes of a watch, and the pods before them.
fn changes(text: &str) -> (Vec<Arc<Object>>, Vec<Change<Object>>) {
    let packer = Object::packer(&"v1/pods".parse().expect("a resource"), PackerOptions::default());
    let (mut first, mut changes, mut cache) = (Vec::new(), Vec::new(), HashMap::<String, Arc<Object>>::new());
    for line in text.lines() {
        let event = Json::new(line);
        // The file may end within a line.
        let (Some(kind), Some(object)) = (event.get("type").and_then(Json::as_str), event.get("object")) else {
            continue;
        };
        let Ok(object) = Object::read(&Outline::of(object), None, &packer, &|_| None).map(Reading::into_arc) else {
            continue;
        };
        let key = object.key().to_owned();
        if kind == "DELETED" {
            if cache.remove(&key).is_some() {
                changes.push(Change::Delete { object, final_state_unknown: false });
            }
            continue;
        }
        match cache.insert(key, Arc::clone(&object)) {
            Some(old) => changes.push(Change::Update { old, new: object }),
            None if changes.is_empty() => first.push(object),
            None => changes.push(Change::Add { object, is_in_initial_list: false }),
        }
    }
    (first, changes)
}

/// Returns the CPU time of this thread in seconds, which excludes other programs of the machine. Linux only.
fn cpu_time() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = statistics.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.expect("a number") / 1e9
}

/// Prints the mean bytes and microseconds of a form of the updates.
fn show(what: &str, updates: &[(String, String, usize)], mut form: impl FnMut(&(String, String, usize)) -> usize) {
    let start = cpu_time();
    let bytes: usize = updates.iter().map(&mut form).sum();
    let count = updates.len().max(1) as f64;
    println!("{what}: {:.0} bytes, {:.1} µs", bytes as f64 / count, (cpu_time() - start) * 1e6 / count);
}

fn main() {
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let file = file.expect("the name of a file: see the comment at the top of benches/changes.rs");
    let (first, changes) = changes(&std::fs::read_to_string(file).expect("a file"));
    let update = |change: &Change<Object>| match change {
        Change::Update { old, new } => Some((old.json().into_owned(), new.json().into_owned(), old.size())),
        _ => None,
    };
    let updates: Vec<_> = changes.iter().filter_map(update).collect();
    let length: usize = updates.iter().map(|(old, ..)| old.len()).sum();
    println!(
        "{} pods, {} changes, {} updates of {} bytes",
        first.len(),
        changes.len(),
        updates.len(),
        length / updates.len().max(1)
    );

    let mut log = ChangeLog::new(usize::MAX, false);
    for object in &first {
        log.record(&Change::Add { object: Arc::clone(object), is_in_initial_list: true }, 0.0);
    }
    log.begin(0.0);
    let start = cpu_time();
    for (change, time) in changes.iter().zip(1_u32..) {
        log.record(change, time.into());
    }
    let count = changes.len() as f64;
    println!(
        "a change in the log: {:.0} bytes, {:.1} µs",
        log.bytes() as f64 / count,
        (cpu_time() - start) * 1e6 / count
    );

    let mut writer = DeltaWriter::default();
    show("reverse delta", &updates, |(old, new, _)| writer.write(new.as_bytes(), old.as_bytes()).len());
    let mut compressor = DictionaryCompressor::default();
    show("changed fields, compressed", &updates, |(old, new, _)| {
        let mut text = String::new();
        let mut list = ArrayWriter::new(&mut text);
        for field in field_changes(old, new) {
            list.text(&json_path(&field.path));
            list.raw(field.before.map_or("null", Json::text));
        }
        drop(list);
        compressor.pack(text.as_bytes(), 0).block.len()
    });
    show("packed object", &updates, |(_, _, size)| *size);
    show("comparison of the fields alone", &updates, |(old, new, _)| black_box(field_changes(old, new)).len());

    let reads = |what: &str, read: &dyn Fn() -> usize| {
        let start = cpu_time();
        let found = read();
        println!("{what}: {:.2} ms ({found})", (cpu_time() - start) * 1e3);
    };
    let with_fields = |selection: &Selection<'_>| {
        log.changes(selection).take(100).map(|change| change.with_fields(|_, fields| fields.len())).sum()
    };
    reads("fields of the newest 100 changes", &|| with_fields(&Selection::default()));
    reads("fields of 100 old changes", &|| {
        with_fields(&Selection { until: Some(count / 8.0), ..Selection::default() })
    });
    reads("counts of a hundred parts", &|| log.counts(0.0, count, 100).into_iter().sum::<u32>() as usize);
    reads("differences of the newest half", &|| {
        let mut found = 0;
        let read = |_: Difference<'_>| {
            found += 1;
            true
        };
        log.differences(count / 2.0, count, read).expect("kept");
        found
    });
}
