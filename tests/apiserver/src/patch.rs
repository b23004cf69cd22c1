//! PATCH: the four kinds of patch, each as a function from object to object.

use serde_json::{Map, Value};

use crate::kinds::Kind;
use crate::status::Status;
use crate::{json_patch, strategic_patch, syntax};

/// Kind of patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchType {
    Json,
    Merge,
    Strategic,
    /// Server-side apply; treated as a merge, without ownership of fields.
    Apply,
}

impl PatchType {
    /// Returns the patch type of a Content-Type.
    pub(crate) fn of(content_type: &str) -> Result<Self, Status> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" => Ok(Self::Strategic),
            "application/apply-patch+yaml" => Ok(Self::Apply),
            _ => Err(Status::unsupported_media_type("415: Unsupported Media Type")),
        }
    }

    /// Applies a patch.
    pub(crate) fn apply(self, kind: &Kind, object: Value, patch: &Value) -> Result<Value, Status> {
        match self {
            Self::Json => json_patch::apply(object, patch),
            _ if !patch.is_object() => {
                let prefix = if self == Self::Strategic { "" } else { "error decoding patch: " };
                let found = syntax::json_kind(patch);
                let why =
                    format!("{prefix}json: cannot unmarshal {found} into Go value of type map[string]interface {{}}");
                Err(Status::bad_request(why))
            }
            Self::Strategic if kind.custom => Err(Status::unsupported_media_type(
                "the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            )),
            Self::Apply if kind.custom => Ok(merge(object, patch)),
            Self::Merge => Ok(merge(object, patch)),
            Self::Strategic => Ok(strategic_patch::apply(object, patch)),
            Self::Apply => Ok(strategic_patch::merge_config(object, patch)),
        }
    }
}

/// RFC 7386: null removes, objects merge, everything else replaces.
pub(crate) fn merge(object: Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut fields = match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(name);
        } else {
            let old = fields.remove(name).unwrap_or_default();
            fields.insert(name.clone(), merge(old, change));
        }
    }
    Value::Object(fields)
}
