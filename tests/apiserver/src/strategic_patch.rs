//! Strategic merge patch: keyed lists are merged by the keys that the API types declare.

use serde_json::{Map, Value};

/// Keys of the merged lists; other lists are replaced. Ports have two keys: `containerPort` in a container, `port` in a
/// service.
const MERGE_KEYS: &[(&str, &[&str])] = &[
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("env", &["name"]),
    ("ports", &["containerPort", "port"]),
    ("volumes", &["name"]),
    ("volumeMounts", &["mountPath"]),
    ("volumeDevices", &["devicePath"]),
    ("conditions", &["type"]),
    ("addresses", &["type"]),
    ("imagePullSecrets", &["name"]),
    ("secrets", &["name"]),
    ("ownerReferences", &["uid"]),
    ("hostAliases", &["ip"]),
    ("podIPs", &["ip"]),
    ("hostIPs", &["ip"]),
    ("topologySpreadConstraints", &["topologyKey"]),
    ("resourceClaims", &["name"]),
];

/// Lists of scalars that are merged as sets.
const SETS: &[&str] = &["finalizers", "podCIDRs"];

/// Whether a list is a set of scalars.
pub(crate) fn is_set(list: &str) -> bool {
    SETS.contains(&list)
}

/// Place of the new elements of a keyed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewElements {
    /// Where the patch has them.
    InOrder,
    /// Behind the others.
    Last,
}

/// Applies a patch to an object.
pub(crate) fn apply(object: Value, patch: &Value) -> Value {
    apply_with(object, patch, NewElements::InOrder)
}

/// Merges the configuration of a server-side apply into an object.
pub(crate) fn merge_config(object: Value, config: &Value) -> Value {
    apply_with(object, config, NewElements::Last)
}

fn apply_with(object: Value, patch: &Value, new_elements: NewElements) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    if changes.get("$patch").is_some_and(|directive| directive == "replace") {
        return without_directives(changes);
    }
    let mut fields = match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if let Some(Value::Array(kept)) = changes.get("$retainKeys") {
        fields.retain(|name, _| kept.iter().any(|keep| keep == name));
    }
    for (name, change) in changes {
        if let Some(list) = name.strip_prefix("$deleteFromPrimitiveList/") {
            if let (Some(Value::Array(values)), Value::Array(gone)) = (fields.get_mut(list), change) {
                values.retain(|value| !gone.contains(value));
            }
            continue;
        }
        if name.starts_with('$') {
            continue;
        }
        if change.is_null() {
            fields.remove(name);
            continue;
        }
        let old = fields.remove(name);
        if let Some(new) = merged(name, old, change, new_elements) {
            fields.insert(name.clone(), new);
        }
    }
    for (name, order) in changes {
        if let Some(list) = name.strip_prefix("$setElementOrder/") {
            reorder(list, &mut fields, order);
        }
    }
    Value::Object(fields)
}

fn merged(name: &str, old: Option<Value>, change: &Value, new_elements: NewElements) -> Option<Value> {
    match change {
        Value::Object(map) if map.get("$patch").is_some_and(|directive| directive == "delete") => None,
        Value::Object(_) => Some(apply_with(old.unwrap_or_default(), change, new_elements)),
        Value::Array(changes) => {
            let old = match old {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            };
            if is_set(name) {
                let mut all = old;
                all.extend(changes.iter().filter(|value| !all.contains(value)).cloned().collect::<Vec<_>>());
                return Some(Value::Array(all));
            }
            Some(Value::Array(merge_list(name, old, changes, new_elements)))
        }
        _ => Some(change.clone()),
    }
}

fn merge_list(name: &str, mut items: Vec<Value>, changes: &[Value], new_elements: NewElements) -> Vec<Value> {
    let replace = changes.iter().any(|change| change["$patch"] == "replace");
    let key = changes.iter().chain(&items).find_map(|item| merge_key(name, item));
    let Some(key) = key.filter(|_| !replace) else {
        return changes
            .iter()
            .filter(|change| change.get("$patch").is_none())
            .map(|change| change.as_object().map_or_else(|| change.clone(), without_directives))
            .collect();
    };
    let mut patched = Vec::new();
    for change in changes {
        let found = items.iter().position(|item| item[key] == change[key]);
        match (found, change["$patch"] == "delete") {
            (Some(at), true) => items[at] = Value::Null,
            (None, true) => {}
            (Some(at), false) => patched.push((Some(at), apply_with(items[at].take(), change, new_elements))),
            (None, false) => patched.push((None, apply_with(Value::Null, change, new_elements))),
        }
    }
    if new_elements == NewElements::Last {
        let places = items.len();
        patched.sort_by_key(|(at, _)| at.unwrap_or(places));
        for (at, _) in &mut patched {
            *at = at.or(Some(places));
        }
    }
    let left = items.into_iter().enumerate().filter(|(_, item)| !item.is_null());
    in_order(left.collect(), patched)
}

/// Elements that a patch does not name, each with its place, and those that it names, with their places if they are not
/// new: an element stays before the next one that was behind it, and a new one comes as early as it can.
fn in_order(left: Vec<(usize, Value)>, patched: Vec<(Option<usize>, Value)>) -> Vec<Value> {
    let mut left = left.into_iter().peekable();
    let mut all = Vec::new();
    for (place, item) in patched {
        while let Some((_, earlier)) = left.next_if(|(at, _)| place.is_some_and(|place| *at < place)) {
            all.push(earlier);
        }
        all.push(item);
    }
    all.extend(left.map(|(_, item)| item));
    all
}

/// Returns the key field of an element, if it has one.
pub(crate) fn merge_key(list: &str, item: &Value) -> Option<&'static str> {
    let (_, keys) = MERGE_KEYS.iter().find(|(name, _)| *name == list)?;
    keys.iter().copied().find(|key| item.get(*key).is_some())
}

/// Puts the elements that the patch names into its order, the others after them.
fn reorder(list: &str, fields: &mut Map<String, Value>, order: &Value) {
    let (Some(Value::Array(items)), Some(order)) = (fields.get_mut(list), order.as_array()) else { return };
    let place = |item: &Value| {
        let key = merge_key(list, item);
        order.iter().position(|wanted| key.map_or(wanted == item, |key| wanted[key] == item[key])).unwrap_or(usize::MAX)
    };
    items.sort_by_key(place);
}

fn without_directives(map: &Map<String, Value>) -> Value {
    Value::Object(
        map.iter()
            .filter(|(name, _)| !name.starts_with('$'))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_merge_by_key() {
        let object = json!({"spec": {"containers": [{"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}]}, {"name": "b"}]}});
        let patch = json!({"spec": {
            "$setElementOrder/containers": [{"name": "c"}, {"name": "a"}],
            "containers": [{"name": "a", "image": "2", "env": [{"name": "Y"}]}, {"name": "b", "$patch": "delete"}, {"name": "c"}],
        }});
        let expected = json!({"spec": {"containers": [
            {"name": "c"},
            {"name": "a", "image": "2", "env": [{"name": "Y"}, {"name": "X", "value": "1"}]},
        ]}});
        assert_eq!(apply(object, &patch), expected);
    }

    #[test]
    fn new_elements_are_first_after_a_patch_and_last_after_an_apply() {
        let object = json!({"containers": [{"name": "a"}, {"name": "b"}, {"name": "c"}]});
        let names = |object: Value| -> String {
            let items = object["containers"].as_array().cloned().unwrap_or_default();
            items.iter().filter_map(|item| item["name"].as_str()).collect()
        };
        let patch = json!({"containers": [{"name": "x"}, {"name": "b", "image": "i"}, {"name": "y"}]});
        assert_eq!(names(apply(object.clone(), &patch)), "xabyc");
        assert_eq!(names(merge_config(object, &patch)), "abcxy");
    }

    #[test]
    fn maps_and_sets_follow_their_directives() {
        let object = json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}, "finalizers": ["a", "b"], "args": [1, 2]});
        let patch = json!({
            "strategy": {"$retainKeys": ["type"], "type": "Recreate"},
            "finalizers": ["c"], "$deleteFromPrimitiveList/finalizers": ["a"],
            "args": [3],
        });
        assert_eq!(
            apply(object, &patch),
            json!({"strategy": {"type": "Recreate"}, "finalizers": ["b", "c"], "args": [3]})
        );
    }
}
