//! Field managers: which clients set a field of an object, how and when, from `metadata.managedFields`.
//!
//! The fields are in `FieldsV1`, the format of `sigs.k8s.io/structured-merge-diff`: `f:NAME` is a field, `k:{…}` the item of
//! a list with these keys, `v:…` the item with this value, `i:N` the item at this place, and `.` the parent itself. An
//! empty object is a field that the manager set as a whole.

use serde_json::{Map, Value};

use crate::field::Fields;

/// One step of a path through an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The field of an object.
    Key(&'a str),
    /// The item of a list.
    Index(usize),
    /// The item of a list whose merge key has this value.
    Item(&'a str, &'a Value),
}

/// Which part of a field a manager set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The field itself.
    Field,
    /// A value that the field is part of, which is owned as a whole.
    Around,
    /// Fields inside it only.
    Inside,
}

/// An entry of `managedFields` that names a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Name of the manager: `kubectl-client-side-apply`.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// Subresource by which the manager wrote; empty for the object itself.
    pub subresource: String,
    /// Time of the manager's last change of any of its fields, in milliseconds since 1970.
    pub time: Option<f64>,
    /// Which part it set.
    pub extent: Extent,
}

/// Returns the settings of the field at a path, the newest first. `managed` has the `metadata.managedFields`, and `object`
/// the values, which identify the items of a list.
///
/// If managers set the field itself, or fields inside it, those that set a value around it are left out.
pub fn settings(managed: &Value, object: &Value, path: &[Step<'_>]) -> Vec<Setting> {
    let entries = managed.list("metadata.managedFields").iter();
    let mut found: Vec<Setting> = entries
        .filter_map(|entry| {
            let extent = extent(entry.at("fieldsV1"), object, path)?;
            Some(Setting {
                manager: entry.text("manager").to_owned(),
                operation: entry.text("operation").to_owned(),
                subresource: entry.text("subresource").to_owned(),
                time: entry.moment("time"),
                extent,
            })
        })
        .collect();
    if found.iter().any(|setting| setting.extent != Extent::Around) {
        found.retain(|setting| setting.extent != Extent::Around);
    }
    found.sort_by(|a, b| {
        let inside = |setting: &Setting| setting.extent == Extent::Inside;
        inside(a).cmp(&inside(b)).then(b.time.unwrap_or_default().total_cmp(&a.time.unwrap_or_default()))
    });
    found
}

fn extent(fields: &Value, object: &Value, path: &[Step<'_>]) -> Option<Extent> {
    let (mut fields, mut value) = (fields.as_object()?, object);
    for (at, step) in path.iter().enumerate() {
        // A set without fields owns nothing.
        if fields.is_empty() && at > 0 {
            return Some(Extent::Around);
        }
        (fields, value) = match *step {
            Step::Key(key) => (fields.get(&format!("f:{key}"))?.as_object()?, value.get(key).unwrap_or(&Value::Null)),
            Step::Index(index) => {
                let item = value.get(index).unwrap_or(&Value::Null);
                (fields_of_item(fields, index, item)?, item)
            }
            Step::Item(key, expected) => (fields_with_key(fields, key, expected)?, &Value::Null),
        };
    }
    if path.is_empty() {
        return None;
    }
    Some(if fields.is_empty() || fields.contains_key(".") { Extent::Field } else { Extent::Inside })
}

/// The fields of the item of a list. A list without keys, values or indexes is owned as a whole, and has none.
fn fields_of_item<'a>(fields: &'a Map<String, Value>, index: usize, item: &Value) -> Option<&'a Map<String, Value>> {
    let is_item = |name: &str| {
        let Some((form, text)) = name.split_once(':') else { return false };
        match form {
            "i" => text.parse() == Ok(index),
            "v" => serde_json::from_str::<Value>(text).is_ok_and(|value| value == *item),
            "k" => serde_json::from_str::<Map<String, Value>>(text)
                .is_ok_and(|keys| keys.iter().all(|(key, value)| item.get(key) == Some(value))),
            _ => false,
        }
    };
    fields.iter().find(|(name, _)| is_item(name))?.1.as_object()
}

/// The fields of the item of a list whose keys contain this one.
fn fields_with_key<'a>(fields: &'a Map<String, Value>, key: &str, value: &Value) -> Option<&'a Map<String, Value>> {
    let is_item = |name: &str| {
        let keys = name.strip_prefix("k:").and_then(|keys| serde_json::from_str::<Map<String, Value>>(keys).ok());
        keys.is_some_and(|keys| keys.get(key) == Some(value))
    };
    fields.iter().find(|(name, _)| is_item(name))?.1.as_object()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Step::{Index, Item, Key};
    use super::*;

    fn object() -> Value {
        json!({
            "metadata": { "name": "web", "labels": { "app": "web", "f:odd": "x" }, "finalizers": ["a/b", "c"] },
            "spec": {
                "replicas": 3,
                "selector": { "matchLabels": { "app": "web" } },
                "containers": [
                    { "name": "log", "image": "log:1" },
                    { "name": "web", "image": "web:2", "args": ["-v"],
                      "ports": [{ "containerPort": 80, "protocol": "TCP" }, { "containerPort": 80, "protocol": "UDP" }] },
                ],
            },
            "status": { "readyReplicas": 3 },
        })
    }

    fn managed() -> Value {
        json!({ "metadata": { "managedFields": [
            { "manager": "kubectl", "operation": "Apply", "time": "2026-11-01T10:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {
                "f:metadata": { "f:labels": { "f:app": {}, "f:f:odd": {} }, "f:finalizers": { "v:\"c\"": {} } },
                "f:spec": {
                    ".": {},
                    "f:selector": {},
                    "f:containers": { "k:{\"name\":\"web\"}": { ".": {}, "f:name": {}, "f:image": {}, "f:args": {},
                        "f:ports": { "k:{\"containerPort\":80,\"protocol\":\"UDP\"}": { ".": {}, "f:containerPort": {} } } } },
                } } },
            { "manager": "scaler", "operation": "Update", "subresource": "scale", "time": "2026-11-03T10:00:00Z",
              "fieldsV1": { "f:spec": { "f:replicas": {} } } },
            { "manager": "injector", "operation": "Update", "time": "2026-11-02T10:00:00Z", "fieldsV1": {
                "f:spec": { "f:containers": { "k:{\"name\":\"log\"}": { ".": {}, "f:image": {} }, "k:{\"name\":\"web\"}": { "f:image": {} } } } } },
            { "manager": "controller", "operation": "Update", "subresource": "status", "fieldsV1": { "f:status": { "f:readyReplicas": {} } } },
        ] } })
    }

    fn of(path: &[Step<'_>]) -> Vec<(String, Extent)> {
        settings(&managed(), &object(), path).into_iter().map(|setting| (setting.manager, setting.extent)).collect()
    }

    fn named(pairs: &[(&str, Extent)]) -> Vec<(String, Extent)> {
        pairs.iter().map(|(manager, extent)| ((*manager).to_owned(), *extent)).collect()
    }

    #[test]
    fn a_field_belongs_to_the_manager_that_set_it() {
        assert_eq!(of(&[Key("spec"), Key("replicas")]), named(&[("scaler", Extent::Field)]));
        assert_eq!(of(&[Key("metadata"), Key("labels"), Key("app")]), named(&[("kubectl", Extent::Field)]));
        assert_eq!(of(&[Key("metadata"), Key("labels"), Key("f:odd")]), named(&[("kubectl", Extent::Field)]));
        assert_eq!(of(&[Key("metadata"), Key("name")]), [], "the server sets it, and no manager");
        let setting = settings(&managed(), &object(), &[Key("spec"), Key("replicas")]).remove(0);
        assert_eq!((&*setting.operation, &*setting.subresource), ("Update", "scale"));
        assert_eq!(setting.time, informer::parse_rfc3339("2026-11-03T10:00:00Z"));
    }

    #[test]
    fn items_are_known_by_all_their_keys_or_by_their_value() {
        let image = |index| of(&[Key("spec"), Key("containers"), Index(index), Key("image")]);
        assert_eq!(image(0), named(&[("injector", Extent::Field)]));
        assert_eq!(image(1), named(&[("injector", Extent::Field), ("kubectl", Extent::Field)]), "the newest first");
        let port = |index| of(&[Key("spec"), Key("containers"), Index(1), Key("ports"), Index(index)]);
        assert_eq!(port(0), [], "of another protocol");
        assert_eq!(port(1), named(&[("kubectl", Extent::Field)]));
        let finalizer = |index| of(&[Key("metadata"), Key("finalizers"), Index(index)]);
        assert_eq!(finalizer(0), []);
        assert_eq!(finalizer(1), named(&[("kubectl", Extent::Field)]));
    }

    #[test]
    fn what_is_owned_as_a_whole_is_owned_inside() {
        let inside = [Key("spec"), Key("selector"), Key("matchLabels"), Key("app")];
        assert_eq!(of(&inside), named(&[("kubectl", Extent::Around)]));
        assert_eq!(of(&inside[..2]), named(&[("kubectl", Extent::Field)]));
        let argument = [Key("spec"), Key("containers"), Index(1), Key("args"), Index(0)];
        assert_eq!(of(&argument), named(&[("kubectl", Extent::Around)]));
    }

    #[test]
    fn a_parent_names_the_managers_of_the_fields_inside() {
        let expected = named(&[("kubectl", Extent::Field), ("scaler", Extent::Inside), ("injector", Extent::Inside)]);
        assert_eq!(of(&[Key("spec")]), expected);
        assert_eq!(of(&[Key("status")]), named(&[("controller", Extent::Inside)]));
    }

    #[test]
    fn items_are_known_by_their_merge_key_without_the_object() {
        let of = |key: &str, value: Value| {
            let path = [Key("spec"), Key("containers"), Item(key, &value), Key("image")];
            settings(&managed(), &Value::Null, &path).into_iter().map(|setting| setting.manager).collect::<Vec<_>>()
        };
        assert_eq!(of("name", json!("log")), ["injector"]);
        assert_eq!(of("name", json!("web")), ["injector", "kubectl"]);
        assert_eq!(of("name", json!("other")), [""; 0]);
        assert_eq!(of("image", json!("web")), [""; 0]);
    }

    #[test]
    fn indexes_are_places() {
        let managed = json!({ "metadata": { "managedFields": [
            { "manager": "a", "fieldsV1": { "f:list": { "i:1": {} } } } ] } });
        let object = json!({ "list": [1, 1] });
        assert_eq!(settings(&managed, &object, &[Key("list"), Index(0)]), []);
        assert_eq!(settings(&managed, &object, &[Key("list"), Index(1)]).len(), 1);
    }

    #[test]
    fn what_is_no_field_set_is_no_setting() {
        for managed in [json!(null), json!({}), json!({ "metadata": { "managedFields": "x" } })] {
            assert_eq!(settings(&managed, &object(), &[Key("spec")]), []);
        }
        let entries = json!([null, 1, { "fieldsV1": [] }, { "fieldsV1": { "f:spec": 7 } }, { "fieldsV1": {} },
            { "fieldsV1": { "f:spec": { "k:{": {}, "v:nothing": {}, "odd": {}, "f:a": {} } } }]);
        let managed = json!({ "metadata": { "managedFields": entries } });
        assert_eq!(settings(&managed, &object(), &[Key("spec"), Index(0)]), []);
        assert_eq!(settings(&managed, &object(), &[Key("spec"), Key("replicas"), Key("x")]), []);
        assert_eq!(settings(&managed, &object(), &[]), [], "an object as a whole has no manager");
    }
}
