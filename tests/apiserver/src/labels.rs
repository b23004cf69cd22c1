//! Labels of a stored object, for selectors.

/// Labels as one string. A map of strings would take a quarter of the memory of a small object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    /// Key, value, key, value, each with a NUL after it.
    text: Box<str>,
}

impl Labels {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let mut parts = self.text.split_terminator('\0');
        while let (Some(found), Some(value)) = (parts.next(), parts.next()) {
            if found == key {
                return Some(value);
            }
        }
        None
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Labels {
    fn from_iter<T: IntoIterator<Item = (&'a str, &'a str)>>(labels: T) -> Self {
        let mut text = String::new();
        // A text with a NUL is not a valid label, and no selector can match it.
        let valid = labels.into_iter().filter(|(key, value)| !key.contains('\0') && !value.contains('\0'));
        for part in valid.flat_map(|(key, value)| [key, value]) {
            text.push_str(part);
            text.push('\0');
        }
        Self { text: text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_by_their_whole_key() {
        let labels: Labels = [("app", "web"), ("tier", ""), ("web", "app\0x"), ("z", "1")].into_iter().collect();
        assert_eq!(["app", "tier", "z"].map(|key| labels.get(key)), [Some("web"), Some(""), Some("1")]);
        assert_eq!(["web", "ap", "", "1"].map(|key| labels.get(key)), [None; 4]);
        assert_eq!(Labels::default().get(""), None);
    }
}
