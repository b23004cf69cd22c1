//! Type checks of objects: invalid values are rejected, unknown fields are dropped.
//!
//! The types of built-in kinds are those of the protobuf messages, which the API declares together with the JSON. The
//! fields of custom kinds are those of their definitions.

use informer_protobuf::{Member, MemberCount, MemberType, MessageId, Schema};
use serde_json::Value;

use crate::kinds::Kind;
use crate::protobuf::schema;
use crate::pruning;
use crate::syntax::json_kind;

/// Checks a client's object, and removes unknown fields. Returns their paths, or the sentence about an invalid value.
///
/// `custom` is the schema of a custom kind's definition.
pub(crate) fn check(
    kind: &Kind,
    version: &str,
    custom: Option<&Value>,
    object: &mut Value,
) -> Result<Vec<String>, String> {
    let Some(schema) = schema() else { return Ok(Vec::new()) };
    let mut checked = TypeCheck { schema, unknown: Vec::new() };
    if !kind.custom {
        if let Some(message) = schema.message(&kind.api_version(version), &kind.name) {
            checked.check_message(message, object, "", true)?;
        }
        return Ok(checked.unknown);
    }
    // The metadata of all objects has one type.
    let partial = schema.message("meta.k8s.io/v1", "PartialObjectMetadata");
    let of_metadata = partial.and_then(|partial| find(schema, partial, "metadata"));
    if let Some(Member { of: MemberType::Message(message), .. }) = of_metadata
        && let Some(metadata) = object.get_mut("metadata")
    {
        checked.check_message(message, metadata, "metadata", false)?;
    }
    let mut unknown = checked.unknown;
    unknown.extend(custom.map(|schema| pruning::prune(schema, object)).unwrap_or_default());
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
struct TypeCheck {
    schema: &'static Schema,
    unknown: Vec<String>,
}

impl TypeCheck {
    /// Checks an object; `is_typed`: it may have a kind and an apiVersion.
    fn check_message(
        &mut self,
        message: MessageId,
        value: &mut Value,
        path: &str,
        is_typed: bool,
    ) -> Result<(), String> {
        let Some(map) = value.as_object_mut() else { return Ok(()) };
        let mut dropped = Vec::new();
        for (key, inner) in map.iter_mut() {
            let at = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let Some(member) = find(self.schema, message, key) else {
                if !(is_typed && matches!(key.as_str(), "kind" | "apiVersion")) {
                    dropped.push(key.clone());
                    self.unknown.push(at);
                }
                continue;
            };
            self.check_member(message, member, inner, &at)?;
        }
        for key in dropped {
            map.remove(&key);
        }
        Ok(())
    }

    fn check_member(
        &mut self,
        owner: MessageId,
        member: Member<'_>,
        value: &mut Value,
        at: &str,
    ) -> Result<(), String> {
        let odd = match (member.count, value) {
            (_, Value::Null) => None,
            (MemberCount::One, value) => self.check_value(member, value, at)?.map(|odd| (odd, "")),
            (MemberCount::List, Value::Array(items)) => self.check_values(member, items.iter_mut(), at)?,
            (MemberCount::Map, Value::Object(map)) => self.check_values(member, map.values_mut(), at)?,
            (MemberCount::List, other) => Some((other.clone(), "[]")),
            (MemberCount::Map, other) => Some((other.clone(), "map[string]")),
        };
        let Some((odd, around)) = odd else { return Ok(()) };
        let (found, owner, wanted) = (json_kind(&odd), self.schema.name(owner), self.go_name(member.of));
        let owner = owner.rsplit('.').next().unwrap_or_default();
        Err(format!("json: cannot unmarshal {found} into Go struct field {owner}.{at} of type {around}{wanted}"))
    }

    /// Checks the values of a list or a map; returns the first one of another type.
    fn check_values<'v>(
        &mut self,
        member: Member<'_>,
        values: impl Iterator<Item = &'v mut Value>,
        at: &str,
    ) -> Result<Option<(Value, &'static str)>, String> {
        for value in values {
            if let Some(odd) = self.check_value(member, value, at)? {
                return Ok(Some((odd, "")));
            }
        }
        Ok(None)
    }

    /// Checks one value; returns it if it has another type.
    fn check_value(&mut self, member: Member<'_>, value: &mut Value, at: &str) -> Result<Option<Value>, String> {
        let fits = match (member.of, &*value) {
            (_, Value::Null) => true,
            (MemberType::Text | MemberType::Bytes | MemberType::Time | MemberType::MicroTime, found) => {
                found.is_string()
            }
            (MemberType::Bool, found) => found.is_boolean(),
            (MemberType::Int32 | MemberType::Int64, found) => found.is_i64() || found.is_u64(),
            (MemberType::Quantity | MemberType::IntOrString, found) => found.is_string() || found.is_number(),
            (MemberType::Strings, found) => found.is_array(),
            (MemberType::Json, found) => found.is_object(),
            (MemberType::Message(message), found) => {
                let is_object = found.is_object();
                if is_object {
                    self.check_message(message, value, at, member.is_typed)?;
                }
                is_object
            }
        };
        Ok((!fits).then(|| value.clone()))
    }

    fn go_name(&self, of: MemberType) -> String {
        match of {
            MemberType::Text => "string".to_owned(),
            MemberType::Bool => "bool".to_owned(),
            MemberType::Int32 => "int32".to_owned(),
            MemberType::Int64 => "int64".to_owned(),
            MemberType::Bytes => "[]uint8".to_owned(),
            MemberType::Quantity => "resource.Quantity".to_owned(),
            MemberType::Time => "v1.Time".to_owned(),
            MemberType::MicroTime => "v1.MicroTime".to_owned(),
            MemberType::IntOrString => "intstr.IntOrString".to_owned(),
            MemberType::Json => "runtime.RawExtension".to_owned(),
            MemberType::Strings => "[]string".to_owned(),
            MemberType::Message(message) => {
                let name = self.schema.name(message);
                name.rsplit('/').next().unwrap_or(&name).to_owned()
            }
        }
    }
}

/// Finds the member of a name, also in inlined messages.
fn find<'s>(schema: &'s Schema, message: MessageId, name: &str) -> Option<Member<'s>> {
    schema.members(message).find(|member| !member.name.is_empty() && member.name == name).or_else(|| {
        schema.members(message).filter(|member| member.name.is_empty()).find_map(|member| match member.of {
            MemberType::Message(inner) => find(schema, inner, name),
            _ => None,
        })
    })
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
