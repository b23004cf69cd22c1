//! Metadata validation, as in the real server: of new objects and of updates.

use serde_json::Value;

use crate::kinds::Kind;
use crate::status::Status;
use crate::write::Part;
use crate::{strategy, syntax};

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];
/// Maximum length of all annotations of an object, in bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;
const NOT_QUALIFIED: &str = "name is neither a standard finalizer name nor is it fully qualified";

/// Fields and what is wrong with each.
type Causes = Vec<(String, String)>;

/// Rejects malformed labels, annotations, owners and finalizers of a new object.
pub(crate) fn metadata(kind: &Kind, name: &str, metadata: &Value) -> Result<(), Status> {
    reject(&kind.group, &kind.name, name, all(metadata, strategy::checks_finalizers(kind)))
}

/// Rejects malformed metadata of a Scale.
pub(crate) fn scale(name: &str, metadata: &Value) -> Result<(), Status> {
    reject("autoscaling", "Scale", name, all(metadata, true))
}

/// Rejects malformed metadata of an update, and changes of immutable fields.
pub(crate) fn update(kind: &Kind, part: Part, old: &Value, new: &Value) -> Result<(), Status> {
    // Nothing malformed is stored.
    if old == new {
        return Ok(());
    }
    let mut wrong = Causes::new();
    for pass in strategy::passes(kind, part) {
        if pass.compares {
            wrong.extend(changes(old, new));
        }
        wrong.extend(all(new, pass.finalizers));
    }
    reject(&kind.group, &kind.name, old["name"].as_str().unwrap_or_default(), wrong)
}

fn reject(group: &str, kind: &str, name: &str, wrong: Causes) -> Result<(), Status> {
    if wrong.is_empty() { Ok(()) } else { Err(Status::all_invalid(group, kind, name, wrong)) }
}

fn invalid(field: &str, value: &str, why: &str) -> (String, String) {
    (format!("metadata.{field}"), format!("Invalid value: {value}: {why}"))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Errors of changes that no client may make.
fn changes(old: &Value, new: &Value) -> Causes {
    let mut wrong = Causes::new();
    let deleting = old["deletionTimestamp"].is_string();
    if deleting {
        let texts = |value: &Value| -> Vec<String> { strings(&value["finalizers"]).map(str::to_owned).collect() };
        let before = texts(old);
        let mut added: Vec<String> = texts(new).into_iter().filter(|finalizer| !before.contains(finalizer)).collect();
        added.sort_unstable();
        added.dedup();
        if !added.is_empty() {
            let added: Vec<String> = added.iter().map(|finalizer| quoted(finalizer)).collect();
            wrong.push((
                "metadata.finalizers".to_owned(),
                format!(
                    "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \
                     []string{{{}}}",
                    added.join(", ")
                ),
            ));
        }
    }
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let value = &new[field];
        let absent = value.is_null() || value == "";
        // The date of a deletion is the server's.
        let owned = deleting && field == "deletionTimestamp";
        if !absent && !owned && *value != old[field] {
            wrong.push(invalid(field, &value.to_string(), "field is immutable"));
        }
    }
    wrong
}

/// All errors of labels, annotations and owners; of finalizers if they are checked.
fn all(metadata: &Value, finalizers: bool) -> Causes {
    let mut wrong = labels(&metadata["labels"]);
    wrong.extend(annotations(&metadata["annotations"]));
    wrong.extend(owners(&metadata["ownerReferences"]));
    if finalizers {
        wrong.extend(of_finalizers(&metadata["finalizers"]));
    }
    wrong
}

fn labels(labels: &Value) -> Causes {
    let mut wrong = Causes::new();
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let of_key = syntax::label_key_errors(key).into_iter().map(|why| invalid("labels", &quoted(key), &why));
        wrong.extend(of_key);
        let errors = syntax::label_value_errors(value).into_iter();
        wrong.extend(errors.map(|why| invalid("labels", &quoted(value), why)));
    }
    wrong
}

fn annotations(annotations: &Value) -> Causes {
    let mut wrong = Causes::new();
    let mut length = 0;
    for (key, value) in annotations.as_object().into_iter().flatten() {
        length += key.len() + value.as_str().map_or(0, str::len);
        let errors = syntax::label_key_errors(&key.to_lowercase()).into_iter();
        wrong.extend(errors.map(|why| invalid("annotations", &quoted(key), &why)));
    }
    if length > ANNOTATIONS_LIMIT {
        let why = format!("Too long: may not be more than {ANNOTATIONS_LIMIT} bytes");
        wrong.push(("metadata.annotations".to_owned(), why));
    }
    wrong
}

fn owners(owners: &Value) -> Causes {
    let mut wrong = Causes::new();
    let mut controller: Option<String> = None;
    let list = owners.as_array().map(Vec::as_slice).unwrap_or_default();
    for owner in list {
        let text = |field: &str| owner[field].as_str().unwrap_or_default();
        for (field, why) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if text(field).is_empty() {
                wrong.push(invalid(&format!("ownerReferences.{field}"), "\"\"", why));
            }
        }
        if text("apiVersion") == "v1" && text("kind") == "Event" {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            wrong.push(invalid("ownerReferences", &owner_json(owner), why));
        }
        if owner["controller"] == true {
            let named = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                Some(first) => {
                    let all: Vec<String> = list.iter().map(owner_json).collect();
                    let why = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {named}"
                    );
                    wrong.push(invalid("ownerReferences", &format!("[{}]", all.join(",")), &why));
                }
                None => controller = Some(named),
            }
        }
    }
    wrong
}

/// An owner as the real server prints it, with its fields in their order.
fn owner_json(owner: &Value) -> String {
    let order = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let fields = order.iter().filter(|field| !owner[**field].is_null());
    let fields: Vec<String> = fields.map(|field| format!("{}:{}", quoted(field), owner[*field])).collect();
    format!("{{{}}}", fields.join(","))
}

fn of_finalizers(finalizers: &Value) -> Causes {
    let mut wrong = Causes::new();
    for (at, finalizer) in strings(finalizers).enumerate() {
        let errors = syntax::label_key_errors(finalizer).into_iter();
        wrong.extend(errors.map(|why| invalid("finalizers", &quoted(finalizer), &why)));
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
            wrong.push(invalid(&format!("finalizers[{at}]"), &quoted(finalizer), NOT_QUALIFIED));
        }
    }
    let has = |policy: &str| strings(finalizers).any(|finalizer| finalizer == policy);
    if has("orphan") && has("foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        wrong.push(invalid("finalizers", &finalizers.to_string(), why));
    }
    wrong
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(wrong: &Causes) -> Vec<&str> {
        wrong.iter().map(|(field, _)| field.trim_start_matches("metadata.")).collect()
    }

    #[test]
    fn changes_of_immutable_fields_are_found() {
        let old = json!({"uid": "a", "deletionTimestamp": "then", "finalizers": ["x.y/z"]});
        // An absent or empty field is the stored one.
        assert!(changes(&old, &json!({"uid": "", "finalizers": []})).is_empty());
        assert!(changes(&old, &json!({"deletionTimestamp": "now"})).is_empty());
        let new = json!({"uid": "b", "deletionGracePeriodSeconds": 5, "finalizers": ["x.y/z", "x.y/w"]});
        assert_eq!(fields(&changes(&old, &new)), ["finalizers", "uid", "deletionGracePeriodSeconds"]);
        assert_eq!(fields(&changes(&json!({}), &json!({"deletionTimestamp": "now"}))), ["deletionTimestamp"]);
    }

    #[test]
    fn every_malformed_part_is_named() {
        let owner = json!({"apiVersion": "v1", "kind": "K", "name": "n", "uid": "", "controller": true});
        let metadata = json!({
            "labels": {"-": "-"}, "annotations": {"A": "1", "b c": ""}, "ownerReferences": [owner, owner],
            "finalizers": ["orphan", "f", "foregroundDeletion"],
        });
        let expected = [
            "labels",
            "labels",
            "annotations",
            "ownerReferences.uid",
            "ownerReferences.uid",
            "ownerReferences",
            "finalizers[1]",
            "finalizers",
        ];
        assert_eq!(fields(&all(&metadata, true)), expected);
        assert_eq!(fields(&all(&metadata, false)), expected[..6]);
    }
}
