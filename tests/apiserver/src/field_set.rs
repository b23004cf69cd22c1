//! Sets of fields in the form of `fieldsV1`: trees of `f:name`, `k:{"name":"c"}` and `v:"x"`.

use serde_json::{Map, Value, json};

use crate::kinds::Kind;
use crate::strategic_patch::{is_set, merge_key};
use crate::strategy;

/// Metadata fields without an owner.
const UNOWNED: &[&str] = &[
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
];

/// Top-level maps with keys of the client's choice.
const DATA: &[&str] = &["data", "binaryData", "stringData"];

/// Parts of built-in kinds that always exist, so they have no owner.
const PARTS: &[&str] = &["metadata", "spec", "status", "strategy", "updateStrategy", "template", "jobTemplate"];

/// Parts of built-in kinds that have one owner as a whole.
const ATOMIC: &[&str] = &[
    "selector",
    "nodeSelector",
    "podSelector",
    "namespaceSelector",
    "labelSelector",
    "fieldRef",
    "resourceFieldRef",
    "configMapKeyRef",
    "secretKeyRef",
];

/// Ports are keyed by number and protocol; the protocol is optional.
const DEFAULT_PROTOCOL: &str = "TCP";

/// Rules for splitting an object into fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Whether lists have keyed elements, as in built-in kinds. A list of a custom resource is one value.
    pub(crate) keyed: bool,
    /// Whether a new map is owned itself, besides its fields: for updates, not for applies.
    pub(crate) maps: bool,
}

/// Step of a path into an object.
enum Step<'a> {
    Field(&'a str),
    /// Element of a list with these keys, or with this value.
    Element(Value),
}

impl Step<'_> {
    fn find<'a>(&self, value: &'a Value) -> &'a Value {
        match self {
            Step::Field(name) => &value[*name],
            Step::Element(wanted) => elements(value).find(|item| matches(item, wanted)).unwrap_or(&Value::Null),
        }
    }

    fn parse(key: &str) -> Option<Step<'_>> {
        match key.split_once(':')? {
            ("f", name) => Some(Step::Field(name)),
            (_, json) => serde_json::from_str(json).ok().map(Step::Element),
        }
    }
}

fn elements(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn matches(item: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(keys) => keys.iter().all(|(key, value)| {
            item[key] == *value || (key == "protocol" && item[key].is_null() && value == DEFAULT_PROTOCOL)
        }),
        _ => item == wanted,
    }
}

/// Removes all fields without an owner from an object. With a status subresource, writers of the status own only the
/// status.
pub(crate) fn ownable(kind: &Kind, object: &Value, subresource: &str) -> Value {
    let mut object = object.clone();
    let kept = strategy::kept_by_status(kind);
    if let Some(map) = object.as_object_mut() {
        map.retain(|name, _| match subresource {
            "status" => name == "status" || (name == "metadata" && kept.is_some()),
            _ => name != "kind" && name != "apiVersion" && (name != "status" || !kind.status),
        });
        if let Some(metadata) = map.get_mut("metadata").and_then(Value::as_object_mut) {
            let kept = kept.filter(|_| subresource == "status").unwrap_or_default();
            metadata.retain(|name, _| !UNOWNED.contains(&name.as_str()) && !kept.contains(&name.as_str()));
        }
        map.retain(|name, value| name != "metadata" || value.as_object().is_some_and(|map| !map.is_empty()));
    }
    object
}

impl Fields {
    /// Returns all fields of a value.
    pub(crate) fn of(self, value: &Value) -> Value {
        self.changed("", None, value, 0).unwrap_or_else(|| json!({}))
    }

    /// Returns the fields of `new` that differ from `old`.
    pub(crate) fn difference(self, old: &Value, new: &Value) -> Value {
        self.changed("", Some(old), new, 0).unwrap_or_else(|| json!({}))
    }

    fn changed(self, name: &str, old: Option<&Value>, new: &Value, depth: usize) -> Option<Value> {
        if old == Some(new) {
            return None;
        }
        if self.keyed && ATOMIC.contains(&name) {
            return Some(json!({}));
        }
        let mut set = Map::new();
        match new {
            Value::Object(map) => {
                let before = old.filter(|old| old.is_object());
                // A map that a manager created is owned itself; the parts of an object always exist.
                let made = (depth > 1 || DATA.contains(&name)) && !(self.keyed && PARTS.contains(&name));
                if self.maps && before.is_none() && made && !map.is_empty() {
                    set.insert(".".to_owned(), json!({}));
                }
                for (key, value) in map {
                    if let Some(child) = self.changed(key, before.and_then(|old| old.get(key)), value, depth + 1) {
                        set.insert(format!("f:{key}"), child);
                    }
                }
                if set.is_empty() && before.is_some() {
                    return None;
                }
            }
            Value::Array(items) => {
                for item in items {
                    let Some((key, wanted)) = self.key(name, item) else { return Some(json!({})) };
                    let before = old.and_then(|old| elements(old).find(|item| matches(item, &wanted)));
                    let Some(mut child) = self.changed("", before, item, depth + 1) else { continue };
                    if before.is_none() && item.is_object() {
                        child["."] = json!({});
                    }
                    set.insert(key, child);
                }
                if set.is_empty() && !items.is_empty() {
                    return None;
                }
                // An optional list is owned like a map; containers of a pod are not optional.
                if self.maps && old.is_none() && !items.is_empty() && name != "containers" {
                    set.insert(".".to_owned(), json!({}));
                }
            }
            _ => {}
        }
        Some(Value::Object(set))
    }

    /// Returns the name of an element in a set; `None` for a list that is one value.
    fn key(self, list: &str, item: &Value) -> Option<(String, Value)> {
        if is_set(list) && !item.is_object() {
            return Some((format!("v:{item}"), item.clone()));
        }
        if !self.keyed && list != "ownerReferences" {
            return None;
        }
        let key = merge_key(list, item)?;
        let mut keys = json!({key: item[key]});
        if list == "ports" {
            keys["protocol"] = item["protocol"].as_str().unwrap_or(DEFAULT_PROTOCOL).into();
        }
        Some((format!("k:{keys}"), keys))
    }
}

/// Union of two sets.
pub(crate) fn union(a: &Value, b: &Value) -> Value {
    let mut all = a.as_object().cloned().unwrap_or_default();
    for (key, child) in b.as_object().into_iter().flatten() {
        let both = union(all.get(key).unwrap_or(&Value::Null), child);
        all.insert(key.clone(), both);
    }
    Value::Object(all)
}

/// Returns the fields of `a` that are not in `b`.
pub(crate) fn subtract(a: &Value, b: &Value) -> Value {
    let mut left = Map::new();
    for (key, child) in a.as_object().into_iter().flatten() {
        match b.get(key) {
            None => drop(left.insert(key.clone(), child.clone())),
            Some(other) => {
                let rest = subtract(child, other);
                if rest.as_object().is_some_and(|map| !map.is_empty()) {
                    left.insert(key.clone(), rest);
                }
            }
        }
    }
    Value::Object(left)
}

/// Returns the fields of `a` that still exist in `present`.
pub(crate) fn intersect(a: &Value, present: &Value) -> Value {
    let mut both = Map::new();
    for (key, child) in a.as_object().into_iter().flatten() {
        if key == "." {
            both.insert(key.clone(), child.clone());
        } else if let Some(other) = present.get(key) {
            let rest = intersect(child, other);
            let is_leaf = child.as_object().is_none_or(Map::is_empty);
            if is_leaf
                || rest.as_object().is_some_and(|map| map.keys().any(|key| key != ".") || child.get(".").is_some())
            {
                both.insert(key.clone(), rest);
            }
        }
    }
    Value::Object(both)
}

/// Returns the fields of `set` that `other` contains with another value: as a set, and as paths such as
/// `.spec.replicas`.
pub(crate) fn conflicts(
    set: &Value,
    other: &Value,
    live: &Value,
    wanted: &Value,
    path: &str,
    out: &mut Vec<String>,
) -> Value {
    let mut contested = Map::new();
    // The real server lists the values of an object before those of its parts.
    let is_leaf = |set: &Value| set.as_object().is_none_or(Map::is_empty);
    let (leaves, parts): (Vec<_>, Vec<_>) = set.as_object().into_iter().flatten().partition(|(_, set)| is_leaf(set));
    for (key, child) in leaves.into_iter().chain(parts) {
        let (Some(theirs), Some(step)) = (other.get(key), Step::parse(key)) else { continue };
        let (live, wanted) = (step.find(live), step.find(wanted));
        let shown = match &step {
            Step::Field(name) => format!("{path}.{name}"),
            Step::Element(Value::Object(keys)) => {
                let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("{path}[{}]", keys.join(","))
            }
            Step::Element(value) => format!("{path}[={value}]"),
        };
        if is_leaf(child) && is_leaf(theirs) {
            if live != wanted {
                contested.insert(key.clone(), json!({}));
                out.push(shown);
            }
        } else {
            let inner = conflicts(child, theirs, live, wanted, &shown, out);
            if !is_leaf(&inner) {
                contested.insert(key.clone(), inner);
            }
        }
    }
    Value::Object(contested)
}

/// Removes the fields of a set from a value, with maps and lists that become empty.
pub(crate) fn remove(value: &mut Value, set: &Value) {
    for (key, child) in set.as_object().into_iter().flatten() {
        let is_leaf = child.as_object().is_none_or(Map::is_empty);
        match Step::parse(key) {
            Some(Step::Field(name)) => {
                let Some(map) = value.as_object_mut() else { continue };
                let Some(inner) = map.get_mut(name) else { continue };
                remove(inner, child);
                let emptied =
                    inner.as_object().is_some_and(Map::is_empty) || inner.as_array().is_some_and(Vec::is_empty);
                if is_leaf || emptied {
                    map.remove(name);
                }
            }
            Some(Step::Element(wanted)) => {
                let Some(items) = value.as_array_mut() else { continue };
                if is_leaf || child.get(".").is_some() {
                    items.retain(|item| !matches(item, &wanted));
                } else if let Some(item) = items.iter_mut().find(|item| matches(item, &wanted)) {
                    remove(item, child);
                }
            }
            None => {}
        }
    }
}
