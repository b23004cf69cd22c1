//! Secret as JSON, with its values masked.

use serde_json::Value;

use super::secret::{LAST_APPLIED, MASK};

/// Masks the values of a Secret; anything but an object is masked as a whole.
pub(crate) fn masked(json: &str) -> String {
    let Ok(Value::Object(mut secret)) = serde_json::from_str(json) else {
        return Value::from(MASK).to_string();
    };
    for name in ["data", "stringData"] {
        if let Some(values) = secret.get_mut(name) {
            hide(values);
        }
    }
    let annotations = secret.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
    if let Some(applied) = annotations.and_then(|annotations| annotations.get_mut(LAST_APPLIED)) {
        *applied = MASK.into();
    }
    Value::Object(secret).to_string()
}

fn hide(values: &mut Value) {
    match values {
        Value::Object(values) => values.values_mut().for_each(|value| *value = MASK.into()),
        values => *values = MASK.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_of_a_secret_is_left() {
        let json = r#"{"kind":"Secret","metadata":{"name":"s","annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"x\":\"aHVzaA==\"}}"}},"data":{"x":"aHVzaA==","y":{"z":"aHVzaA=="}},"stringData":"hush","type":"Opaque"}"#;
        let text = masked(json);
        assert!(!text.contains("hush") && !text.contains("aHVzaA"), "{text}");
        assert!(
            text.contains(r#""a":"b""#) && text.contains(r#""type":"Opaque""#) && text.contains(r#""x":"••••••••""#)
        );
        assert_eq!(masked("not json"), "\"••••••••\"");
    }
}
