//! Type checks of objects: invalid values are rejected, unknown fields are dropped.
//!
//! The types of built-in kinds are those of the protobuf messages, which the API declares together with the JSON. The
//! fields of custom kinds are those of their definitions.

use serde_json::Value;

use crate::kinds::Kind;
use crate::protobuf::schema::{self, Field, Shape, Type};
use crate::pruning;
use crate::syntax::json_kind;

/// Message of the metadata of all objects.
const OBJECT_META: &str = "meta/v1.ObjectMeta";

/// Checks a client's object, and removes unknown fields. Returns their paths, or the sentence about an invalid value.
///
/// `schema` is that of a custom kind's definition.
pub(crate) fn check(
    kind: &Kind,
    version: &str,
    schema: Option<&Value>,
    object: &mut Value,
) -> Result<Vec<String>, String> {
    let mut unknown = Vec::new();
    if kind.custom {
        if let Some(metadata) = object.get_mut("metadata") {
            TypeCheck { unknown: &mut unknown }.check_message(OBJECT_META, metadata, "metadata")?;
        }
        unknown.extend(schema.map(|schema| pruning::prune(schema, object)).unwrap_or_default());
        return Ok(unknown);
    }
    let group = if kind.group.is_empty() { "core" } else { kind.group.split('.').next().unwrap_or_default() };
    let name = format!("{group}/{version}.{}", kind.name);
    TypeCheck { unknown: &mut unknown }.check_message(&name, object, "")?;
    Ok(unknown)
}

/// Returns the error of a strict decoding that found unknown fields.
pub(crate) fn strict_error(unknown: &[String]) -> String {
    format!("strict decoding error: {}", unknown.iter().map(|path| unknown_field(path)).collect::<Vec<_>>().join(", "))
}

/// Returns the sentence about an unknown field, for errors and warnings.
pub(crate) fn unknown_field(path: &str) -> String {
    format!("unknown field {path:?}")
}

/// Type check of one object, which collects unknown fields.
struct TypeCheck<'a> {
    unknown: &'a mut Vec<String>,
}

impl TypeCheck<'_> {
    fn check_message(&mut self, name: &str, value: &mut Value, path: &str) -> Result<(), String> {
        let Some(fields) = schema::message(name) else { return Ok(()) };
        let Some(map) = value.as_object_mut() else { return Ok(()) };
        let type_name = name.rsplit('.').next().unwrap_or_default();
        let mut dropped = Vec::new();
        for (key, inner) in map.iter_mut() {
            let at = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let Some(field) = find(fields, key) else {
                let type_meta = path.is_empty() && matches!(key.as_str(), "kind" | "apiVersion");
                if !type_meta {
                    dropped.push(key.clone());
                    self.unknown.push(at);
                }
                continue;
            };
            self.check_field(field, inner, type_name, &at)?;
        }
        for key in dropped {
            map.remove(&key);
        }
        Ok(())
    }

    fn check_field(&mut self, field: &Field, value: &mut Value, owner: &str, at: &str) -> Result<(), String> {
        let wrong = |value: &Value, wanted: String| {
            let kind = json_kind(value);
            Err(format!("json: cannot unmarshal {kind} into Go struct field {owner}.{at} of type {wanted}"))
        };
        match (field.shape, value) {
            (_, Value::Null) => Ok(()),
            (Shape::One, value) => {
                self.check_value(&field.of, value, at)?.map_or(Ok(()), |value| wrong(&value, go_name(&field.of)))
            }
            (Shape::List, Value::Array(items)) => {
                for item in items {
                    if let Some(odd) = self.check_value(&field.of, item, at)? {
                        return wrong(&odd, go_name(&field.of));
                    }
                }
                Ok(())
            }
            (Shape::Map, Value::Object(map)) => {
                for item in map.values_mut() {
                    if let Some(odd) = self.check_value(&field.of, item, at)? {
                        return wrong(&odd, go_name(&field.of));
                    }
                }
                Ok(())
            }
            (Shape::List, other) => wrong(other, format!("[]{}", go_name(&field.of))),
            (Shape::Map, other) => wrong(other, format!("map[string]{}", go_name(&field.of))),
        }
    }

    /// Checks one value; returns it if it has another type.
    fn check_value(&mut self, of: &Type, value: &mut Value, at: &str) -> Result<Option<Value>, String> {
        let fits = match (of, &*value) {
            (_, Value::Null) | (Type::Text | Type::Bytes, Value::String(_)) | (Type::Flag, Value::Bool(_)) => true,
            (Type::Integer, Value::Number(number)) => number.is_i64() || number.is_u64(),
            (Type::Message(name), found) => match name.as_str() {
                "Time" | "MicroTime" => found.is_string(),
                "Quantity" | "IntOrString" => found.is_string() || found.is_number(),
                "FieldsV1" | "RawExtension" => found.is_object(),
                "Strings" => found.is_array(),
                name => {
                    if found.is_object() {
                        self.check_message(name, value, at)?;
                        true
                    } else {
                        false
                    }
                }
            },
            _ => false,
        };
        Ok((!fits).then(|| value.clone()))
    }
}

/// Finds the field of a name, also in inlined messages.
fn find<'a>(fields: &'a [Field], name: &str) -> Option<&'a Field> {
    fields.iter().find(|field| !field.name.is_empty() && field.name == name).or_else(|| {
        fields.iter().filter(|field| field.name.is_empty()).find_map(|field| match &field.of {
            Type::Message(inner) => find(schema::message(inner)?, name),
            _ => None,
        })
    })
}

fn go_name(of: &Type) -> String {
    match of {
        Type::Text => "string".to_owned(),
        Type::Flag => "bool".to_owned(),
        Type::Integer => "int64".to_owned(),
        Type::Bytes => "[]uint8".to_owned(),
        Type::Message(name) => name.rsplit('/').next().unwrap_or(name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::built_in;

    fn checked(mut object: Value) -> Result<(Value, Vec<String>), String> {
        let kinds = built_in();
        let kind = kinds.iter().find(|kind| kind.plural == "pods").unwrap();
        check(kind, "v1", None, &mut object).map(|unknown| (object, unknown))
    }

    #[test]
    fn values_keep_their_types() {
        let good = json!({
            "kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "labels": {"a": "b"}},
            "spec": {
                "containers": [{"name": "c", "livenessProbe": {"httpGet": {"port": "http"}}, "resources": {"limits": {"cpu": 1}}}],
                "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "x"}}],
            },
        });
        assert_eq!(checked(good.clone()), Ok((good, Vec::new())));
        let error_of = |object: Value| checked(object).unwrap_err();
        assert_eq!(
            error_of(json!({"metadata": {"labels": 7}})),
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type map[string]string"
        );
        assert_eq!(
            error_of(json!({"metadata": []})),
            "json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta"
        );
        assert!(error_of(json!({"spec": {"containers": [{"name": 7}]}})).contains("of type string"));
        let odd = json!({"spec": {"nodeName": "n", "bogus": 1}});
        let unknown = vec!["spec.bogus".to_owned()];
        assert_eq!(strict_error(&unknown), "strict decoding error: unknown field \"spec.bogus\"");
        assert_eq!(checked(odd), Ok((json!({"spec": {"nodeName": "n"}}), unknown)));
    }
}
