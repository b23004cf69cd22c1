//! Managed fields of the open object, and the line that names the managers of a field.
//!
//! The cache has no `managedFields`: they are a third of an object and rarely of interest. They are read from the
//! server, as metadata only, when a line is chosen or the fields are opened, once for each version of the object.

use std::fmt::Write;
use std::sync::Arc;

use js_sys::Date;
use kube_objects::{Extent, Setting, Step, settings};
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::super::lines::LinesState;
use super::super::opened::Opened;
use crate::age::age;
use crate::client::requests;
use crate::visible::visible;
use crate::yaml::Segment;

/// Maximum number of managers that are named.
const MAX_NAMED: usize = 4;

/// State of the managed fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fields {
    /// Not requested, or loading.
    Unread,
    /// The response: an object with `metadata` only.
    Known(Arc<Value>),
    /// The request failed.
    Failed(String),
}

/// Managed fields. Clones share their state.
#[derive(Clone, Copy)]
pub(super) struct Managed {
    opened: Opened,
    pub(super) fields: RwSignal<Fields>,
    reads: StoredValue<Reads>,
}

impl Managed {
    pub(super) fn new(opened: Opened) -> Self {
        Self { opened, fields: RwSignal::new(Fields::Unread), reads: StoredValue::default() }
    }

    /// Requests the fields, unless they are loaded for this version of the object or the request is in flight.
    pub(super) fn load(self) {
        if self.opened.followed.deleted.get_untracked() {
            if self.fields.with_untracked(|fields| *fields == Fields::Unread) {
                self.fields.set(Fields::Failed("the object was deleted.".to_owned()));
            }
            return;
        }
        let version = self.version();
        if !self.reads.try_update_value(|reads| reads.start(version)).unwrap_or_default() {
            return;
        }
        let path =
            requests::object_path(&self.opened.resource(), self.opened.namespace().as_deref(), &self.opened.name());
        let factory = self.opened.cluster.factory();
        spawn_local(async move {
            let fields = match requests::read_metadata(&factory, &path).await {
                Ok(object) => Fields::Known(Arc::new(object)),
                Err(failure) => Fields::Failed(failure.message),
            };
            let is_known = matches!(fields, Fields::Known(_));
            // The tab may be closed by now.
            if self.fields.try_set(fields).is_some() {
                return;
            }
            let version = self.version();
            if self.reads.try_update_value(|reads| reads.finish(is_known, version.as_deref())).unwrap_or_default() {
                self.load();
            }
        });
    }

    /// Current version of the object.
    fn version(self) -> Option<String> {
        self.opened.derived.object.with_untracked(|object| {
            object.as_ref().and_then(|object| object["metadata"]["resourceVersion"].as_str().map(str::to_owned))
        })
    }
}

/// Reads of the managed fields: the version of the last one, and whether it still runs.
#[derive(Default)]
struct Reads {
    version: Option<String>,
    is_reading: bool,
}

impl Reads {
    /// Starts a read of a version of the object. Returns whether it starts: each version is read once, and one at a
    /// time.
    fn start(&mut self, version: Option<String>) -> bool {
        let starts = version.is_some() && self.version != version && !self.is_reading;
        if starts {
            (self.version, self.is_reading) = (version, true);
        }
        starts
    }

    /// Finishes the read. Returns whether the next one is due, because the version has changed meanwhile. A failed read
    /// is repeated for the same version when the fields are requested again, and not before: the server may be down.
    fn finish(&mut self, is_known: bool, version: Option<&str>) -> bool {
        let is_due = self.version.as_deref() != version;
        if !is_known {
            self.version = None;
        }
        self.is_reading = false;
        is_due
    }
}

/// Line that names the managers of the current line's field.
#[component]
pub(super) fn FieldManagers(opened: Opened, state: LinesState, managed: Managed) -> impl IntoView {
    let field = Memo::new(move |_| {
        let line = state.line.get()?;
        let path: Vec<Segment> = state.document().outline.path(line).into_iter().cloned().collect();
        (!path.is_empty()).then_some(path)
    });
    // They are read again when the value of the line changes.
    let text = Memo::new(move |_| state.document().lines.get(state.line.get()?).map(ToString::to_string));
    Effect::new(move || {
        text.with(|_| ());
        if field.with(|field| field.as_deref().is_some_and(is_managed)) {
            managed.load();
        }
    });
    let content = move || {
        let field = field.get()?;
        let managers = if is_managed(&field) {
            managed.fields.with(|fields| match fields {
                Fields::Unread => "Loading managedFields …".to_owned(),
                Fields::Failed(message) => format!("Cannot read managedFields: {}", visible(message)),
                Fields::Known(fields) => {
                    let settings = opened
                        .derived
                        .object
                        .with(|object| settings(fields, object.as_deref().unwrap_or(&Value::Null), &steps(&field)));
                    sentence(&settings, |time| moment(opened.now.get_untracked(), time))
                }
            })
        } else {
            "Part of the object's identity: no manager is recorded for it.".to_owned()
        };
        Some(view! {
            <code>{visible(&path_text(&field)).into_owned()}</code>
            {" "}
            <span>{managers}</span>
        })
    };
    view! {
        <p class="owner" role="status" hidden=move || field.with(Option::is_none)>
            {content}
        </p>
    }
}

/// Whether managers may be recorded for a field.
fn is_managed(path: &[Segment]) -> bool {
    !matches!(path, [Segment::Key(key)] if key == "apiVersion" || key == "kind")
}

fn steps(path: &[Segment]) -> Vec<Step<'_>> {
    let step = |segment| match segment {
        &Segment::Index(index) => Step::Index(index),
        Segment::Key(key) => Step::Key(key),
    };
    path.iter().map(step).collect()
}

/// A path in the notation `spec.containers[0].image`.
fn path_text(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        // Writing to a String cannot fail.
        let _ = match segment {
            Segment::Index(index) => write!(text, "[{index}]"),
            Segment::Key(key) if key.contains(['.', '/', '[']) => write!(text, "[{key}]"),
            Segment::Key(key) if text.is_empty() => write!(text, "{key}"),
            Segment::Key(key) => write!(text, ".{key}"),
        };
    }
    text
}

/// Sentence that names the managers of a field, of the atomic value around it and of its child fields.
fn sentence(settings: &[Setting], moment: impl Fn(f64) -> String) -> String {
    let one = |setting: &Setting| {
        let Setting { manager, operation, subresource, time, extent: _ } = setting;
        let manager = if manager.is_empty() { "an unnamed manager" } else { manager };
        let by = if subresource.is_empty() { String::new() } else { format!(" of {subresource}") };
        let time = time.map_or_else(String::new, |time| format!(", {}", moment(time)));
        visible(&format!("{manager} ({operation}{by}{time})")).into_owned()
    };
    let list = |extent: Extent| {
        let all: Vec<_> = settings.iter().filter(|setting| setting.extent == extent).collect();
        let mut list = all.iter().take(MAX_NAMED).map(|setting| one(setting)).collect::<Vec<_>>().join(", ");
        if all.len() > MAX_NAMED {
            // Writing to a String cannot fail.
            let _ = write!(list, " and {} more", all.len() - MAX_NAMED);
        }
        (!all.is_empty()).then_some(list)
    };
    let parts = [
        list(Extent::Field).map(|list| format!("set by {list}")),
        list(Extent::Around).map(|list| format!("set as part of an atomic value by {list}")),
        list(Extent::Inside).map(|list| format!("child fields set by {list}")),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    if text.is_empty() { "No field manager is recorded.".to_owned() } else { text }
}

/// A time and how long ago it was.
fn moment(now: f64, time: f64) -> String {
    let iso = Date::new(&JsValue::from_f64(time)).to_iso_string().as_string().unwrap_or_default();
    format!("{} ago, {} UTC", age(now, time), iso.get(..19).unwrap_or_default().replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(manager: &str, extent: Extent) -> Setting {
        let (operation, subresource) = ("Update".to_owned(), String::new());
        Setting { manager: manager.to_owned(), operation, subresource, time: None, extent }
    }

    fn text(settings: &[Setting]) -> String {
        sentence(settings, |time| format!("at {time}"))
    }

    #[test]
    fn managers_are_named_with_how_and_when() {
        let apply = Setting {
            operation: "Apply".to_owned(),
            subresource: "status".to_owned(),
            time: Some(7.0),
            ..setting("kubectl", Extent::Field)
        };
        assert_eq!(text(std::slice::from_ref(&apply)), "set by kubectl (Apply of status, at 7)");
        let both = text(&[apply, setting("a\u{202e}", Extent::Inside), setting("", Extent::Inside)]);
        assert!(both.ends_with("; child fields set by a\\u202e (Update), an unnamed manager (Update)"), "{both}");
        let many: Vec<_> = (0..6).map(|at| setting(&format!("m{at}"), Extent::Around)).collect();
        let many = text(&many);
        assert!(
            many.starts_with("set as part of an atomic value by m0 (Update)") && many.ends_with(" and 2 more"),
            "{many}"
        );
        assert_eq!(text(&[]), "No field manager is recorded.");
    }

    #[test]
    fn a_read_that_failed_is_repeated_and_a_change_meanwhile_is_read() {
        let version = |version: &str| Some(version.to_owned());
        let mut reads = Reads::default();
        assert!(!reads.start(None), "there is no object yet");
        assert!(reads.start(version("1")) && !reads.start(version("1")) && !reads.start(version("2")), "one at a time");
        assert!(reads.finish(true, Some("2")), "what came meanwhile is due");
        assert!(reads.start(version("2")) && !reads.finish(true, Some("2")));
        assert!(!reads.start(version("2")), "a version is read once");
        assert!(reads.start(version("3")) && !reads.finish(false, Some("3")), "a failure is not repeated by itself");
        assert!(reads.start(version("3")), "but when the fields are requested again");
        assert!(reads.finish(false, Some("4")) && reads.start(version("4")));
    }

    #[test]
    fn a_path_has_the_usual_notation() {
        let key = |key: &str| Segment::Key(key.to_owned());
        let path = [key("metadata"), key("labels"), key("example.com/a")];
        assert_eq!(path_text(&path), "metadata.labels[example.com/a]");
        let path = [key("spec"), key("containers"), Segment::Index(0), key("image")];
        assert_eq!(path_text(&path), "spec.containers[0].image");
        assert!(is_managed(&path) && !is_managed(&[key("kind")]) && is_managed(&[key("data"), key("kind")]));
    }
}
