//! Syntax of names, label keys and label values, with the real server's error messages.

use serde_json::Value;

const NAME_PART: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
     '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
     used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const DNS_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
     start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
     '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Returns the error of a DNS label, such as the name of a container, if it is invalid.
pub(crate) fn dns_label(name: &str) -> Option<String> {
    if name.len() > 63 {
        return Some("must be no more than 63 bytes".to_owned());
    }
    (name.contains('.') || subdomain(name).is_some()).then(|| DNS_LABEL.to_owned())
}

/// Returns the error of a label key, if it is invalid.
pub(crate) fn label_key(key: &str) -> Option<String> {
    let wrong = label_key_errors(key);
    (!wrong.is_empty()).then(|| wrong.join("; "))
}

/// Returns all errors of a label key, which is a qualified name.
pub(crate) fn label_key_errors(key: &str) -> Vec<String> {
    let parts: Vec<&str> = key.split('/').collect();
    let (prefix, name) = match parts[..] {
        [name] => (None, name),
        [prefix, name] => (Some(prefix), name),
        _ => {
            return vec![format!(
                "a valid label key {NAME_PART} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    let mut wrong = Vec::new();
    match prefix {
        Some("") => wrong.push("prefix part must be non-empty".to_owned()),
        Some(prefix) => wrong.extend(subdomain(prefix).map(|why| format!("prefix part {why}"))),
        None => {}
    }
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 bytes".to_owned());
    }
    if name.is_empty() || !is_name(name) {
        wrong.push(format!("name part {NAME_PART}"));
    }
    wrong
}

/// Returns the error of a label value, if it is invalid.
pub(crate) fn label_value(value: &str) -> Option<String> {
    let wrong = label_value_errors(value);
    (!wrong.is_empty()).then(|| wrong.join("; "))
}

/// Returns all errors of a label value.
pub(crate) fn label_value_errors(value: &str) -> Vec<&'static str> {
    let long = (value.len() > 63).then_some("must be no more than 63 bytes");
    let odd = (!is_name(value)).then_some(LABEL_VALUE);
    [long, odd].into_iter().flatten().collect()
}

/// Returns the error of a DNS subdomain, such as most names, if it is invalid.
pub(crate) fn subdomain(name: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let label =
        |part: &str| !part.is_empty() && part.chars().all(allowed) && !part.starts_with('-') && !part.ends_with('-');
    if name.len() > 253 {
        return Some("must be no more than 253 bytes".to_owned());
    }
    (!name.split('.').all(label)).then(|| SUBDOMAIN.to_owned())
}

fn is_name(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| c.is_ascii_alphanumeric());
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && edge(text.chars().next())
        && edge(text.chars().next_back())
}

/// Returns Go's message for invalid JSON.
pub(crate) fn json_error(text: &[u8], error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "unexpected end of JSON input".to_owned();
    }
    let line = text.split(|byte| *byte == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let byte = line.get(error.column().saturating_sub(1)).copied().unwrap_or_default();
    let shown = match byte {
        b'\'' => "'\\''".to_owned(),
        b' '..=b'~' => format!("'{}'", char::from(byte)),
        _ => format!("'\\u{byte:04x}'"),
    };
    format!("invalid character {shown} looking for beginning of value")
}

/// Returns Go's name of a JSON type.
pub(crate) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the name of a JSON type in a schema.
pub(crate) fn schema_type(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::Number(number) if !number.is_f64() => "integer",
        other => json_kind(other),
    }
}

/// Formats a value as Go's `%v` does: `map[a:1 b:[x y]]`.
pub(crate) fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let fields: Vec<String> = map.iter().map(|(key, value)| format!("{key}:{}", go_value(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
        scalar => scalar.to_string(),
    }
}

/// Formats a value as Go's `%#v` does: `map[string]interface {}{"a":1}`.
pub(crate) fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let fields: Vec<String> = map.iter().map(|(key, value)| format!("{key:?}:{}", go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        scalar => scalar.to_string(),
    }
}
