//! Preconditions of updates: the name, namespace, UID and version that an object must have.

use serde_json::Value;

use crate::kinds::Kind;
use crate::object::{Entry, metadata_mut, object_key};
use crate::status::Status;
use crate::strategy;

/// Rejects an object of another name or namespace, or of an older version.
pub(crate) fn check(kind: &Kind, entry: &Entry, new: &Value) -> Result<(), Status> {
    check_identity(&entry.name, &entry.namespace, new)?;
    let version = text(new, "resourceVersion");
    if !version.is_empty() && version != entry.revision.to_string() {
        return Err(Status::conflict(
            &kind.group,
            &kind.plural,
            &entry.name,
            "the object has been modified; please apply your changes to the latest version and try again",
        ));
    }
    Ok(())
}

/// Rejects the object of a PUT that is not the stored one. Returns it.
pub(crate) fn put(kind: &Kind, old: &Value, new: Value) -> Result<Value, Status> {
    let (name, namespace) = (text(old, "name"), text(old, "namespace"));
    check_identity(name, namespace, &new)?;
    let (uid, stored) = (text(&new, "uid"), text(old, "uid"));
    if !uid.is_empty() && uid != stored {
        let key = object_key(namespace, name);
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{}/{key}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: UID in precondition: {uid}, UID in object meta: {stored}",
            directory(kind)
        );
        return Err(Status::conflict(&kind.group, &kind.plural, name, &why));
    }
    if strategy::needs_version(kind) && text(&new, "resourceVersion").is_empty() {
        let why = "Invalid value: 0: must be specified for an update";
        return Err(Status::invalid(&kind.group, &kind.plural, name, "metadata.resourceVersion", why));
    }
    Ok(new)
}

/// Copies the given fields that no write may change, so that the update checks them.
pub(crate) fn copy_immutable(given: &Value, object: &mut Value) {
    for field in ["uid", "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if let Some(value) = given["metadata"].get(field).filter(|value| !value.is_null()) {
            metadata_mut(object).insert(field.to_owned(), value.clone());
        }
    }
}

/// Rejects an object without a name, or of another name or namespace than those of the URL.
pub(crate) fn check_identity(name: &str, namespace: &str, new: &Value) -> Result<(), Status> {
    if !new.is_object() {
        return Err(Status::bad_request("the object provided is not a JSON object"));
    }
    match text(new, "name") {
        "" => return Err(Status::nameless(name)),
        given if given != name => {
            return Err(Status::bad_request(format!(
                "the name of the object ({given}) does not match the name on the URL ({name})"
            )));
        }
        _ => {}
    }
    let given = text(new, "namespace");
    if !given.is_empty() && given != namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// Where etcd has the objects of a kind in the real server.
fn directory(kind: &Kind) -> String {
    match kind.plural.as_str() {
        plural if kind.custom => format!("{}/{plural}", kind.group),
        "services" => "services/specs".to_owned(),
        "endpoints" => "services/endpoints".to_owned(),
        "nodes" => "minions".to_owned(),
        "ingresses" => "ingress".to_owned(),
        plural => plural.to_owned(),
    }
}
