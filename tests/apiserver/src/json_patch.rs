//! JSON patch, RFC 6902.

use serde::Deserialize;
use serde_json::Value;

use crate::status::Status;
use crate::syntax;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Operation {
    Add { path: String, value: Value },
    Remove { path: String },
    Replace { path: String, value: Value },
    Move { from: String, path: String },
    Copy { from: String, path: String },
    Test { path: String, value: Value },
}

/// Applies all operations, or none.
pub(crate) fn apply(mut object: Value, patch: &Value) -> Result<Value, Status> {
    if !patch.is_array() {
        let found = syntax::json_kind(patch);
        let why = format!(
            "error decoding patch: json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp"
        );
        return Err(Status::bad_request(why));
    }
    let operations: Vec<Operation> = serde_json::from_value(patch.clone()).map_err(|_| Status::rejected_patch())?;
    if operations.len() > 10_000 {
        return Err(Status::too_large("the allowed maximum operations in a JSON patch is 10000"));
    }
    for operation in operations {
        match operation {
            Operation::Add { path, value } => add(&mut object, &path, value)?,
            Operation::Remove { path } => drop(remove(&mut object, &path)?),
            Operation::Replace { path, value } => {
                // As in the real server: a missing field is created, a missing element is an error.
                match object.pointer_mut(&path) {
                    Some(found) => *found = value,
                    None => match parent(&mut object, &path)? {
                        (Value::Object(map), last) => drop(map.insert(last, value)),
                        _ => return Err(Status::rejected_patch()),
                    },
                }
            }
            Operation::Move { from, path } => {
                let value = remove(&mut object, &from)?;
                add(&mut object, &path, value)?;
            }
            Operation::Copy { from, path } => {
                let value = object.pointer(&from).cloned().ok_or_else(Status::rejected_patch)?;
                add(&mut object, &path, value)?;
            }
            Operation::Test { path, value } => {
                if object.pointer(&path) != Some(&value) {
                    return Err(Status::rejected_patch());
                }
            }
        }
    }
    Ok(object)
}

/// Splits a path into its parent and the unescaped last step.
fn parent<'a>(object: &'a mut Value, path: &str) -> Result<(&'a mut Value, String), Status> {
    let (parent, last) = path.rsplit_once('/').ok_or_else(Status::rejected_patch)?;
    let parent = object.pointer_mut(parent).ok_or_else(Status::rejected_patch)?;
    Ok((parent, last.replace("~1", "/").replace("~0", "~")))
}

fn add(object: &mut Value, path: &str, value: Value) -> Result<(), Status> {
    if path.is_empty() {
        *object = value;
        return Ok(());
    }
    match parent(object, path)? {
        (Value::Object(map), last) => {
            map.insert(last, value);
            Ok(())
        }
        (Value::Array(items), last) => {
            let at = if last == "-" { items.len() } else { last.parse().map_err(|_| Status::rejected_patch())? };
            if at > items.len() {
                return Err(Status::rejected_patch());
            }
            items.insert(at, value);
            Ok(())
        }
        _ => Err(Status::rejected_patch()),
    }
}

fn remove(object: &mut Value, path: &str) -> Result<Value, Status> {
    match parent(object, path)? {
        (Value::Object(map), last) => map.remove(&last).ok_or_else(Status::rejected_patch),
        (Value::Array(items), last) => {
            let at = last.parse().ok().filter(|at| *at < items.len()).ok_or_else(Status::rejected_patch)?;
            Ok(items.remove(at))
        }
        _ => Err(Status::rejected_patch()),
    }
}
