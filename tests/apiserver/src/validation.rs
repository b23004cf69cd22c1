//! Metadata validation, as in the real server.

use serde_json::Value;

use crate::kinds::Kind;
use crate::status::Status;
use crate::words;

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Rejects malformed labels, owners and finalizers.
pub(crate) fn metadata(kind: &Kind, name: &str, metadata: &Value) -> Result<(), Status> {
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    for (key, value) in metadata["labels"].as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        if let Some(why) = words::label_key(key) {
            wrong.push(("metadata.labels", format!("Invalid value: \"{key}\": {why}")));
        }
        if let Some(why) = words::label_value(value) {
            wrong.push(("metadata.labels", format!("Invalid value: \"{value}\": {why}")));
        }
    }
    for key in metadata["annotations"].as_object().into_iter().flatten().map(|(key, _)| key) {
        if let Some(why) = words::label_key(&key.to_lowercase()) {
            wrong.push(("metadata.annotations", format!("Invalid value: \"{key}\": {why}")));
        }
    }
    for owner in metadata["ownerReferences"].as_array().into_iter().flatten() {
        for (field, part, why) in [
            ("metadata.ownerReferences.apiVersion", "apiVersion", "version must not be empty"),
            ("metadata.ownerReferences.kind", "kind", "must not be empty"),
            ("metadata.ownerReferences.name", "name", "must not be empty"),
            ("metadata.ownerReferences.uid", "uid", "must not be empty"),
        ] {
            if owner[part].as_str().unwrap_or_default().is_empty() {
                wrong.push((field, format!("Invalid value: \"\": {why}")));
            }
        }
    }
    for finalizer in metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            wrong.push(("metadata.finalizers", format!("Invalid value: \"{finalizer}\": {why}")));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Status::all_invalid(&kind.group, &kind.name, name, wrong)) }
}
