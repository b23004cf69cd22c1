//! Fields of a JSON line, in the line's order: a list of paths and values.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::ansi::plain;

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Names from the outermost in, joined by dots.
    pub path: String,
    /// Text of a string, JSON of anything else.
    pub value: String,
    /// Whether it is a string.
    pub is_text: bool,
}

/// Maximum depth of nested objects whose fields are listed.
const DEPTH: usize = 4;
/// Fields of one line, at most.
const MOST: usize = 200;

/// Whether a line may have fields: a cheap test, for each visible line.
pub fn may_open(text: &str) -> bool {
    let text = text.trim();
    text.ends_with('}') && text.contains('{') && plain(text).trim_start().starts_with('{')
}

/// The fields of a line that is a JSON object, or `None`.
pub fn fields(text: &str) -> Option<Vec<Field>> {
    let text = plain(text);
    let object: Object<'_> = serde_json::from_str(text.trim()).ok()?;
    let mut fields = Vec::new();
    collect(object, "", DEPTH, &mut fields);
    Some(fields)
}

fn collect(object: Object<'_>, prefix: &str, depth: usize, fields: &mut Vec<Field>) {
    for (name, raw) in object.0 {
        if fields.len() >= MOST {
            return;
        }
        let path = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        let raw = raw.get();
        let inner = if raw.starts_with('{') && depth > 1 { serde_json::from_str::<Object<'_>>(raw).ok() } else { None };
        if let Some(inner) = inner.filter(|inner| !inner.0.is_empty()) {
            collect(inner, &path, depth - 1, fields);
        } else {
            let text = if raw.starts_with('"') { serde_json::from_str::<String>(raw).ok() } else { None };
            let is_text = text.is_some();
            fields.push(Field { path, value: text.unwrap_or_else(|| raw.to_owned()), is_text });
        }
    }
}

/// Members in their order, including duplicate names.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_line_opens_in_its_own_order() {
        let text = r#" {"ts":1,"msg":"a\nb","http":{"status":500,"header":{}},"tags":["x"],"none":null} "#;
        assert!(may_open(text));
        let fields: Vec<_> = fields(text)
            .expect("an object")
            .into_iter()
            .map(|field| (field.path, field.value, field.is_text))
            .collect();
        let expected = [
            ("ts", "1", false),
            ("msg", "a\nb", true),
            ("http.status", "500", false),
            ("http.header", "{}", false),
            ("tags", "[\"x\"]", false),
            ("none", "null", false),
        ];
        assert_eq!(fields, expected.map(|(path, value, is_text)| (path.to_owned(), value.to_owned(), is_text)));
    }

    #[test]
    fn what_is_no_object_does_not_open() {
        for text in ["", "x", "[1]", "{", "{\"a\":}", "{} x"] {
            assert_eq!(fields(text), None, "{text}");
        }
        assert!(!may_open("x {}") && !may_open("{ x"));
    }

    #[test]
    fn a_deep_or_wide_object_is_bounded() {
        let deep = format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100));
        let opened = fields(&deep).expect("an object");
        assert_eq!(opened.len(), 1);
        assert_eq!(opened[0].path, "a.a.a.a");
        let wide: Vec<_> = (0..1000).map(|at| format!("\"k{at}\":{at}")).collect();
        assert_eq!(fields(&format!("{{{}}}", wide.join(","))).map(|fields| fields.len()), Some(MOST));
    }
}
