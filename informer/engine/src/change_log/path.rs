//! Path of a field, as kubectl's JSONPath.

use std::borrow::Cow;

use informer_packing::{Json, write_number, write_string};

/// Step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<'j> {
    /// Member of an object.
    Name(Cow<'j, str>),
    /// Element of a list, by its index.
    Index(usize),
    /// Element of a list, by the name and the value of its merge key.
    Key(&'static str, Json<'j>),
}

/// Writes a path as JSONPath without braces: `.spec.containers[?(@.name=="web")].image`.
pub fn json_path(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Name(name) => write_name(&mut text, name),
            Step::Index(index) => {
                text.push('[');
                write_number(&mut text, *index as u64);
                text.push(']');
            }
            Step::Key(name, value) => {
                text.extend(["[?(@.", name, "=="]);
                match value.as_str() {
                    Some(value) => write_string(&mut text, &value),
                    None => text.push_str(value.text()),
                }
                text.push_str(")]");
            }
        }
    }
    text
}

/// Writes a name after a dot, with the escapes that it needs.
fn write_name(text: &mut String, name: &str) {
    text.push('.');
    for c in name.chars() {
        let is_special = matches!(c, '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' | '\\' | '\t' | '\r' | '\n' | ' ');
        if is_special || name == "*" {
            text.push('\\');
        }
        text.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_kubectl() {
        let name = |name: &'static str| Step::Name(name.into());
        for (path, text) in [
            (vec![], ""),
            (vec![name("spec"), name("replicas")], ".spec.replicas"),
            (vec![name("metadata"), name("annotations"), name("a.b/c d")], r".metadata.annotations.a\.b/c\ d"),
            (vec![name("args"), Step::Index(12)], ".args[12]"),
            (
                vec![name("containers"), Step::Key("name", Json::new(r#""w\u0065\"b""#)), name("image")],
                r#".containers[?(@.name=="we\"b")].image"#,
            ),
            (vec![name("ports"), Step::Key("port", Json::new("80"))], ".ports[?(@.port==80)]"),
            (vec![name("*")], r".\*"),
        ] {
            assert_eq!(json_path(&path), text);
        }
    }
}
