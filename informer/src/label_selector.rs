//! Label selectors: selection of objects by their labels.

mod object_form;
mod parse;
mod requirement;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

pub use requirement::{Operator, Requirement};

use crate::error::{InformerError, Result};
use crate::sorted::sorted;

/// Labels that a selector can be applied to.
pub trait Labels {
    /// Value of a label; `None` if the object does not have it, which differs from an empty value.
    fn lookup(&self, key: &str) -> Option<&str>;
}

impl Labels for BTreeMap<String, String> {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.get(key).map(String::as_str)
    }
}

impl<K: AsRef<str>, V: AsRef<str>> Labels for [(K, V)] {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.iter().find(|(name, _)| name.as_ref() == key).map(|(_, value)| value.as_ref())
    }
}

impl<K: AsRef<str>, V: AsRef<str>, const N: usize> Labels for [(K, V); N] {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.as_slice().lookup(key)
    }
}

/// Label selector: requirements that must all hold (apimachinery's `labels.Selector`).
///
/// It is parsed from text (`app=web,tier in (front,back),!legacy`), built from [`Requirement`]s, or deserialized from
/// the form in objects (`{"matchLabels": …, "matchExpressions": […]}`), where `null` and a missing field select
/// nothing and `{}` selects everything.
///
/// Requirements are sorted and deduplicated, and `==` is read as `=`: equal selectors in different notations are
/// equal and print the same, so the text can be the key of a shared informer.
///
/// ```
/// use informer::LabelSelector;
///
/// let selector: LabelSelector = "tier notin (back), app == web".parse()?;
/// assert_eq!(selector.to_string(), "app=web,tier notin (back)");
/// assert!(selector.matches(&[("app", "web")]));
/// assert!(!selector.matches(&[("app", "web"), ("tier", "back")]));
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LabelSelector {
    /// `None` selects nothing.
    requirements: Option<Vec<Requirement>>,
}

impl LabelSelector {
    /// The selector without requirements: it selects every object.
    pub const fn everything() -> Self {
        Self { requirements: Some(Vec::new()) }
    }

    /// The selector that no object matches.
    pub const fn nothing() -> Self {
        Self { requirements: None }
    }

    /// The selector of all these requirements.
    pub fn new(requirements: impl IntoIterator<Item = Requirement>) -> Self {
        let requirements: Vec<Requirement> = requirements.into_iter().collect();
        let keys: Vec<String> = requirements.iter().map(Requirement::sort_key).collect();
        let order = sorted(keys.iter().map(String::as_str));
        let mut places: Vec<Option<Requirement>> = order.iter().map(|_| None).collect();
        for (key, requirement) in keys.iter().zip(requirements) {
            if let Ok(place) = order.binary_search(&key.as_str()) {
                places[place] = Some(requirement);
            }
        }
        Self { requirements: Some(places.into_iter().flatten().collect()) }
    }

    /// Creates the selector of the objects that have all these labels.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) if a key or value is not a valid label.
    pub fn of_labels<K: AsRef<str>, V: AsRef<str>>(labels: impl IntoIterator<Item = (K, V)>) -> Result<Self> {
        let equals = |(key, value): (K, V)| Requirement::new(key.as_ref(), Operator::Equals, [value.as_ref()]);
        labels.into_iter().map(equals).collect::<Result<Vec<_>>>().map(Self::new)
    }

    /// Adds a requirement. A selector of nothing stays one.
    #[must_use]
    pub fn with(self, requirement: Requirement) -> Self {
        match self.requirements {
            Some(requirements) => Self::new(requirements.into_iter().chain([requirement])),
            None => self,
        }
    }

    /// Whether it selects every object, so that labels need not be read.
    pub fn is_empty(&self) -> bool {
        self.requirements().is_some_and(<[_]>::is_empty)
    }

    /// Whether it selects nothing, so that objects need not be read. Contradicting requirements are not detected.
    pub fn is_nothing(&self) -> bool {
        self.requirements.is_none()
    }

    /// Returns the requirements, sorted by key; `None` if it selects nothing.
    pub fn requirements(&self) -> Option<&[Requirement]> {
        self.requirements.as_deref()
    }

    /// Whether it selects an object with these labels. O(requirements), each with one lookup.
    pub fn matches(&self, labels: &(impl Labels + ?Sized)) -> bool {
        self.requirements().is_some_and(|all| all.iter().all(|requirement| requirement.matches(labels)))
    }
}

impl Default for LabelSelector {
    fn default() -> Self {
        Self::everything()
    }
}

impl FromStr for LabelSelector {
    type Err = InformerError;

    /// Parses the full text form: `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)`, `key notin
    /// (a,b)`, `key>1` and `key<1`, joined by commas. Values may be empty. An empty text selects everything.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest), with position and reason.
    fn from_str(text: &str) -> Result<Self> {
        parse::requirements(text).map(Self::new)
    }
}

impl fmt::Display for LabelSelector {
    /// Prints the text form, which parses to the same selector.
    ///
    /// The exception is [`nothing`](Self::nothing), which the grammar cannot express. client-go prints an empty text
    /// for it, which parses to everything. This crate prints `<nothing>`, which every parser rejects.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(requirements) = self.requirements() else { return f.write_str("<nothing>") };
        for (at, requirement) in requirements.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}
