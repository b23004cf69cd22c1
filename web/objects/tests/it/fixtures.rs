//! Fixtures: an object, the objects around it, and the finding that it leads to.

use std::fs;
use std::path::{Path, PathBuf};

use kube_objects::{Answer, Finding, Log, Need, Subject, diagnose, needs, needs_of_relations};
use serde_json::Value;

/// The folder of fixtures, a folder for each subject.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// A fixture: `object`, what is `related`, the `code` of its finding and the `sentence`; no code if it is healthy. With
/// `generationSeen`, the page has seen its generation since that moment.
pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) json: Value,
}

/// All fixtures, by name.
pub(crate) fn all() -> Vec<Fixture> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for subject in fs::read_dir(folder()).expect("a folder") {
        let files = fs::read_dir(subject.expect("an entry").path()).expect("a folder");
        paths.extend(files.map(|file| file.expect("an entry").path()));
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("text");
        let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.strip_prefix(folder()).expect("below").display().to_string();
        Fixture { path, name, json }
    };
    paths.into_iter().map(read).collect()
}

/// The one with this name: `pod/PodEvicted`.
pub(crate) fn named(name: &str) -> Fixture {
    let file = format!("{name}.json");
    all().into_iter().find(|fixture| fixture.name == file).unwrap_or_else(|| panic!("no fixture {name}"))
}

impl Fixture {
    pub(crate) fn text(&self, field: &str) -> &str {
        self.json[field].as_str().unwrap_or_default()
    }

    pub(crate) fn now(&self) -> f64 {
        informer::parse_rfc3339(self.text("now")).expect("a time")
    }

    /// Calls a function with the object and all that it needs.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Subject<'_>) -> T) -> T {
        let list = |field: &str| self.json[field].as_array().cloned().unwrap_or_default();
        let (related, logs) = (list("related"), list("logs"));
        let text = |log: &Value, field: &str| log[field].as_str().expect("a text").to_owned();
        let logs: Vec<[String; 3]> =
            logs.iter().map(|log| ["pod", "container", "lines"].map(|field| text(log, field))).collect();
        let logs: Vec<Log<'_>> = logs.iter().map(|[pod, container, lines]| Log { pod, container, lines }).collect();
        let generation_seen = informer::parse_rfc3339(self.text("generationSeen"));
        let read = |subject: &Subject<'_>| read(&Subject { logs: &logs, generation_seen, ..*subject });
        with_answers(&self.json["object"], &related, self.now(), read)
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.with(diagnose)
    }
}

/// Answers needs from a list of objects until no need is new, as a page does with informers.
pub(crate) fn with_answers<T>(object: &Value, cluster: &[Value], now: f64, read: impl FnOnce(&Subject<'_>) -> T) -> T {
    answered(object, cluster, now, needs, read)
}

/// The same for the needs of relations.
pub(crate) fn with_relations<T>(
    object: &Value,
    cluster: &[Value],
    siblings: &[&str],
    read: impl FnOnce(&Subject<'_>) -> T,
) -> T {
    answered(object, cluster, 0.0, |subject| needs_of_relations(subject, siblings), read)
}

fn answered<T>(
    object: &Value,
    cluster: &[Value],
    now: f64,
    needs: impl Fn(&Subject<'_>) -> Vec<Need>,
    read: impl FnOnce(&Subject<'_>) -> T,
) -> T {
    let mut open: Vec<(Need, Vec<Value>)> = Vec::new();
    for round in 0.. {
        assert!(round < 10, "needs come to an end");
        let answers: Vec<Answer<'_>> = open.iter().map(|(need, objects)| Answer { need, objects }).collect();
        let subject = Subject { answers: &answers, ..Subject::new(object, now) };
        let new: Vec<Need> =
            needs(&subject).into_iter().filter(|need| open.iter().all(|(other, _)| other != need)).collect();
        if new.is_empty() {
            return read(&subject);
        }
        for need in new {
            // A set that has grown replaces the one before.
            open.retain(|(known, _)| !known.has_source_of(&need));
            let found = cluster.iter().filter(|object| need.matches(object)).cloned().collect();
            open.push((need, found));
        }
    }
    unreachable!("the loop has no end");
}
