//! Managed fields (`metadata.managedFields`): the owner of each field, as in the real server, for maps and keyed lists.

use serde_json::{Value, json};

use crate::field_set::{Fields, conflicts, intersect, ownable, remove, subtract, union};
use crate::kinds::Kind;
use crate::object::metadata_mut;
use crate::patch::merge;
use crate::status::Status;
use crate::strategic_patch;
use crate::write::now;

/// Writer of an object.
#[derive(Debug, Clone)]
pub(crate) struct Manager {
    pub(crate) name: String,
    /// Version that it writes: `v1`, `apps/v1`.
    pub(crate) api_version: String,
    /// Empty for the object itself.
    pub(crate) subresource: &'static str,
    /// Operation.
    pub(crate) mode: Mode,
}

/// Server-side apply, or any other write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Update,
    Apply { force: bool },
}

impl Manager {
    fn operation(&self) -> &'static str {
        if self.mode == Mode::Update { "Update" } else { "Apply" }
    }

    fn owns(&self, entry: &Value) -> bool {
        entry["manager"] == self.name.as_str()
            && entry["operation"] == self.operation()
            && entry["subresource"].as_str().unwrap_or_default() == self.subresource
    }
}

fn entries(object: &Value) -> Vec<Value> {
    object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default()
}

/// Stores the entries, and these fields for the manager.
fn set_entries(object: &mut Value, manager: &Manager, mut entries: Vec<Value>, own_fields: &Value) {
    entries.retain(|entry| entry["fieldsV1"].as_object().is_some_and(|map| !map.is_empty()));
    let before = entries.iter().position(|entry| manager.owns(entry));
    let unchanged = before.is_some_and(|at| entries[at]["fieldsV1"] == *own_fields);
    if own_fields.as_object().is_none_or(serde_json::Map::is_empty) {
        entries.retain(|entry| !manager.owns(entry));
    } else if !unchanged {
        let mut entry = json!({
            "manager": manager.name, "operation": manager.operation(), "apiVersion": manager.api_version,
            "time": now(), "fieldsType": "FieldsV1", "fieldsV1": own_fields,
        });
        if !manager.subresource.is_empty() {
            entry["subresource"] = manager.subresource.into();
        }
        match before {
            Some(at) => entries[at] = entry,
            // Appliers come before updaters.
            None if manager.mode != Mode::Update => {
                let applied = entries.iter().take_while(|entry| entry["operation"] == "Apply").count();
                entries.insert(applied, entry);
            }
            None => entries.push(entry),
        }
    }
    let metadata = metadata_mut(object);
    if entries.is_empty() {
        metadata.remove("managedFields");
    } else {
        metadata.insert("managedFields".to_owned(), Value::Array(entries));
    }
}

/// Records a write other than an apply: a manager owns the fields that it changes.
pub(crate) fn record(kind: &Kind, old: &Value, new: &mut Value, manager: &Manager) {
    let fields = Fields { keyed: !kind.custom, maps: manager.mode == Mode::Update };
    let after = ownable(kind, new, manager.subresource);
    let changed = fields.difference(&ownable(kind, old, manager.subresource), &after);
    let present = fields.of(new);
    let mut entries = entries(old);
    for entry in &mut entries {
        if !manager.owns(entry) {
            entry["fieldsV1"] = subtract(&entry["fieldsV1"], &changed);
        }
        entry["fieldsV1"] = intersect(&entry["fieldsV1"], &present);
    }
    let own_fields =
        entries.iter().find(|entry| manager.owns(entry)).map_or(Value::Null, |entry| entry["fieldsV1"].clone());
    set_entries(new, manager, entries, &union(&own_fields, &changed));
}

/// Server-side apply: fields that the manager applied before and now omits are removed, named fields are set.
pub(crate) fn apply(kind: &Kind, live: &Value, config: &Value, manager: &Manager) -> Result<Value, Status> {
    let fields = Fields { keyed: !kind.custom, maps: manager.mode == Mode::Update };
    let config = ownable(kind, config, manager.subresource);
    let wanted = fields.of(&config);
    let mut entries = entries(live);
    let mut all = Vec::new();
    for entry in entries.iter_mut().filter(|entry| !manager.owns(entry)) {
        let mut paths = Vec::new();
        let contested = conflicts(&wanted, &entry["fieldsV1"], live, &config, "", &mut paths);
        if manager.mode == (Mode::Apply { force: true }) {
            entry["fieldsV1"] = subtract(&entry["fieldsV1"], &contested);
            continue;
        }
        let mut with = format!("\"{}\"", entry["manager"].as_str().unwrap_or_default());
        if let Some(subresource) = entry["subresource"].as_str() {
            with = format!("{with} with subresource \"{subresource}\"");
        }
        if entry["operation"] == "Update" {
            with = format!("{with} using {}", entry["apiVersion"].as_str().unwrap_or_default());
        }
        all.extend(paths.into_iter().map(|path| (with.clone(), path)));
    }
    if !all.is_empty() {
        return Err(Status::apply_conflict(&all));
    }
    let own_fields =
        entries.iter().find(|entry| manager.owns(entry)).map_or(Value::Null, |entry| entry["fieldsV1"].clone());
    let mut removed = subtract(&own_fields, &wanted);
    for entry in entries.iter().filter(|entry| !manager.owns(entry)) {
        removed = subtract(&removed, &entry["fieldsV1"]);
    }
    let mut object = live.clone();
    remove(&mut object, &removed);
    let mut object = if kind.custom { merge(object, &config) } else { strategic_patch::merge_config(object, &config) };
    set_entries(&mut object, manager, entries, &wanted);
    Ok(object)
}

/// Whether two objects have the same owners, regardless of the times.
pub(crate) fn same_owners(a: &Value, b: &Value) -> bool {
    let without_times = |object: &Value| {
        let mut entries = entries(object);
        for entry in &mut entries {
            if let Some(map) = entry.as_object_mut() {
                map.remove("time");
            }
        }
        entries
    };
    without_times(a) == without_times(b)
}
