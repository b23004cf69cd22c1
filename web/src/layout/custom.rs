//! Column that a user defines: a label, a JSONPath, or the measured usage of a resource.

use super::Usage;

/// Maximum number of characters of a name, as of a label key without its prefix.
const MAX_NAME_CHARS: usize = 63;

/// Maximum number of characters of a path, or of a label key.
const MAX_SOURCE_CHARS: usize = 512;

/// Content of a column that the user defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CustomColumn {
    /// The value of a label.
    Label(String),
    /// The values at a JSONPath. The engine checks it.
    Path(String),
    /// What pods and nodes use, from metrics.k8s.io.
    Usage(Usage),
}

/// Prefix of the text of a column of usage.
const USAGE: &str = "metrics:";

impl CustomColumn {
    /// Reads `label:app`, `metrics:cpu` or a path; the error is a sentence for the user.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.chars().count() > MAX_SOURCE_CHARS {
            return Err(format!("a column has at most {MAX_SOURCE_CHARS} characters"));
        }
        if let Some(name) = text.strip_prefix(USAGE).map(str::trim) {
            let usage = Usage::ALL.into_iter().find(|usage| usage.name() == name);
            return usage.map(Self::Usage).ok_or_else(|| "write metrics:cpu or metrics:memory".to_owned());
        }
        let Some(key) = text.strip_prefix("label:").map(str::trim) else {
            return if text.is_empty() {
                Err("write label: and a key, or a JSONPath such as .spec.nodeName".to_owned())
            } else {
                Ok(Self::Path(text.to_owned()))
            };
        };
        let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
        match key.chars().find(|c| !is_key(*c)) {
            Some(c) => Err(format!("a label key has no {c:?}; write for example label:app.kubernetes.io/name")),
            None if key.is_empty() => Err("write the key of the label after label:".to_owned()),
            None => Ok(Self::Label(key.to_owned())),
        }
    }

    /// Formats the column as [`parse`](Self::parse) reads it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Label(key) => ["label:", key].concat(),
            Self::Path(path) => path.clone(),
            Self::Usage(usage) => [USAGE, usage.name()].concat(),
        }
    }

    /// The JSONPath of its values; `None` if they are not part of the object.
    pub(crate) fn path(&self) -> Option<String> {
        match self {
            // In quotes, too, a dot separates names.
            Self::Label(key) => Some(["{.metadata.labels['", &key.replace('.', "\\."), "']}"].concat()),
            Self::Path(path) => Some(path.clone()),
            Self::Usage(_) => None,
        }
    }

    /// Default name of the column: the key of the label without its prefix, or the last name in the path.
    pub(crate) fn usual_name(&self) -> String {
        let (text, separator) = match self {
            Self::Label(key) => (key.as_str(), '/'),
            Self::Path(path) => (path.as_str(), '.'),
            Self::Usage(usage) => return usage.header().to_owned(),
        };
        let last = text.rsplit(separator).next().unwrap_or_default();
        let name: String = last.chars().filter(|c| can_be_in_name(*c)).take(MAX_NAME_CHARS).collect();
        name.trim().to_owned()
    }
}

/// Checks a name: one that a filter can contain. The error is a sentence for the user.
pub(crate) fn checked_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        return Err(format!("a name has 1 to {MAX_NAME_CHARS} characters"));
    }
    match name.chars().find(|c| !can_be_in_name(*c)) {
        Some(c) => Err(format!("a name has letters, digits, blanks, - _ and . only, no {c:?}")),
        None if name.starts_with(['-', '.']) => Err("a name begins with a letter or a digit".to_owned()),
        None => Ok(name.to_owned()),
    }
}

fn can_be_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_or_a_path_is_read() {
        let path = |text: &str| CustomColumn::parse(text).ok().and_then(|column| column.path());
        assert_eq!(path("label:app").as_deref(), Some("{.metadata.labels['app']}"));
        assert_eq!(
            path(" label: app.kubernetes.io/name ").as_deref(),
            Some("{.metadata.labels['app\\.kubernetes\\.io/name']}")
        );
        assert_eq!(path(".spec.nodeName").as_deref(), Some(".spec.nodeName"));
        assert_eq!(CustomColumn::parse("metrics: cpu"), Ok(CustomColumn::Usage(Usage::Cpu)));
        assert_eq!(path("metrics:cpu"), None, "it is no part of the object");
        let pod = r#"{"metadata":{"labels":{"app.kubernetes.io/name":"web","app":"x"}}}"#;
        for (label, value) in [("label:app.kubernetes.io/name", "web"), ("label:app", "x")] {
            let path = informer::JsonPath::relaxed(&path(label).expect("a label")).expect("a path");
            assert_eq!(path.values(pod).expect("values"), [value]);
        }
    }

    #[test]
    fn an_invalid_column_has_an_error() {
        for (text, expected) in [
            ("", "write label:"),
            ("label:", "write the key"),
            ("label:a'b", "no '\\''"),
            ("metrics:gpu", "metrics:cpu or"),
        ] {
            assert!(CustomColumn::parse(text).is_err_and(|error| error.contains(expected)), "{text}");
        }
        assert!(CustomColumn::parse(&"a".repeat(513)).is_err());
    }

    #[test]
    fn names_can_be_typed_in_a_filter() {
        assert_eq!(checked_name(" Team name ").as_deref(), Ok("Team name"));
        for name in ["", "a=b", "a,b", "-a", "a\u{202e}b", "a\"b", &"n".repeat(64)] {
            assert!(checked_name(name).is_err(), "{name}");
        }
        let name = |text: &str| CustomColumn::parse(text).map(|column| column.usual_name());
        assert_eq!(name("label:example.dev/team").as_deref(), Ok("team"));
        assert_eq!(name("{.spec.nodeName}").as_deref(), Ok("nodeName"));
        assert_eq!(name(".spec.containers[*].image").as_deref(), Ok("image"));
    }
}
