//! Changed path: the path of a changed field, as the engine writes it in kubectl's JSONPath, in steps.

use serde_json::{Deserializer, Value};

use crate::managers::Step;

/// Step of a changed path, which owns its names.
#[derive(Debug, PartialEq)]
enum OwnedStep {
    Key(String),
    Index(usize),
    Item(String, Value),
}

/// Path of a changed field.
#[derive(Debug, PartialEq)]
pub struct ChangedPath(Vec<OwnedStep>);

impl ChangedPath {
    /// Reads `.spec.containers[?(@.name=="web")].image`. `None` for text of another form.
    pub fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (step, after) = if let Some(name) = rest.strip_prefix('.') {
                read_name(name)
            } else if let Some(filter) = rest.strip_prefix("[?(@.") {
                read_item(filter)?
            } else {
                let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
                (OwnedStep::Index(index.parse().ok()?), after)
            };
            steps.push(step);
            rest = after;
        }
        Some(Self(steps))
    }

    /// Its steps.
    pub fn steps(&self) -> Vec<Step<'_>> {
        let step = |step| match step {
            &OwnedStep::Index(index) => Step::Index(index),
            OwnedStep::Key(key) => Step::Key(key),
            OwnedStep::Item(key, value) => Step::Item(key, value),
        };
        self.0.iter().map(step).collect()
    }
}

/// Reads a name to the next step; a backslash precedes each special character.
fn read_name(text: &str) -> (OwnedStep, &str) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '.' | '[' => return (OwnedStep::Key(name), &text[at..]),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            c => name.push(c),
        }
    }
    (OwnedStep::Key(name), "")
}

/// Reads `name=="web")]` to the next step.
fn read_item(text: &str) -> Option<(OwnedStep, &str)> {
    let (key, value) = text.split_once("==")?;
    let end = if value.starts_with('"') {
        let mut texts = Deserializer::from_str(value).into_iter::<String>();
        texts.next()?.ok()?;
        texts.byte_offset()
    } else {
        value.find(')')?
    };
    let read = serde_json::from_str(&value[..end]).ok()?;
    Some((OwnedStep::Item(key.to_owned(), read), value[end..].strip_prefix(")]")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::OwnedStep::{Index, Item, Key};
    use super::*;

    #[test]
    fn paths_of_the_engine_are_read() {
        let key = |name: &str| Key(name.to_owned());
        for (text, steps) in [
            ("", vec![]),
            (".spec.replicas", vec![key("spec"), key("replicas")]),
            (r".metadata.annotations.a\.b/c\ d", vec![key("metadata"), key("annotations"), key("a.b/c d")]),
            (".args[12]", vec![key("args"), Index(12)]),
            (
                r#".containers[?(@.name=="w)]\"b")].image"#,
                vec![key("containers"), Item("name".to_owned(), json!("w)]\"b")), key("image")],
            ),
            (".ports[?(@.port==80)]", vec![key("ports"), Item("port".to_owned(), json!(80))]),
            (r".\*", vec![key("*")]),
        ] {
            assert_eq!(ChangedPath::parse(text), Some(ChangedPath(steps)), "{text}");
        }
    }

    #[test]
    fn text_of_another_form_is_no_path() {
        for text in ["spec", "[x]", "[1", "[?(@.name)]", "[?(@.name==)]", r#"[?(@.name=="a"]"#, "[-1]", "é"] {
            assert_eq!(ChangedPath::parse(text), None, "{text}");
        }
    }
}
