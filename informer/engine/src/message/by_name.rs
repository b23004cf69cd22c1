//! Texts by name, sorted. A vector, because a `BTreeMap` would add two kilobytes to the first download of a page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Texts by name, sorted by name. A vector, because they are few; an object in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct TextsByName(Vec<(String, String)>);

impl TextsByName {
    /// Adds a text; replaces that of the same name. O(n).
    pub fn insert(&mut self, name: String, text: String) {
        match self.0.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(place) => self.0[place].1 = text,
            Err(place) => self.0.insert(place, (name, text)),
        }
    }

    /// Names and texts, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, String)> for TextsByName {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|(name, text)| all.insert(name, text));
        all
    }
}

impl<const N: usize> From<[(String, String); N]> for TextsByName {
    fn from(texts: [(String, String); N]) -> Self {
        texts.into_iter().collect()
    }
}

impl From<BTreeMap<String, String>> for TextsByName {
    fn from(texts: BTreeMap<String, String>) -> Self {
        texts.into_iter().collect()
    }
}

impl From<TextsByName> for BTreeMap<String, String> {
    fn from(texts: TextsByName) -> Self {
        texts.0.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_map(texts in prop::collection::vec(("[a-c]{0,2}", "[x-z]{0,2}"), 0..12)) {
            let map: BTreeMap<String, String> = texts.iter().cloned().collect();
            let own: TextsByName = texts.into_iter().collect();
            prop_assert!(own.iter().map(|(name, text)| (name, text)).eq(map.iter()));
            prop_assert_eq!(own.is_empty(), map.is_empty());
            let json = serde_json::to_string(&own).expect("plain");
            prop_assert_eq!(&json, &serde_json::to_string(&map).expect("plain"));
            prop_assert_eq!(serde_json::from_str::<TextsByName>(&json).expect("its own"), own);
        }
    }
}
