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

    /// The selector of the objects that have all these labels.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) when a key or a value is none that a label may have.
    pub fn of_labels<K: AsRef<str>, V: AsRef<str>>(labels: impl IntoIterator<Item = (K, V)>) -> Result<Self> {
        let equals = |(key, value): (K, V)| Requirement::new(key.as_ref(), Operator::Equals, [value.as_ref()]);
        labels.into_iter().map(equals).collect::<Result<Vec<_>>>().map(Self::new)
    }

    /// This selector with one requirement more. Nothing stays nothing.
    #[must_use]
    pub fn with(self, requirement: Requirement) -> Self {
        match self.requirements {
            Some(requirements) => Self::new(requirements.into_iter().chain([requirement])),
            None => self,
        }
    }

    /// Whether every object is selected, so that labels need not be read.
    pub fn is_empty(&self) -> bool {
        self.requirements().is_some_and(<[_]>::is_empty)
    }

    /// Whether no object can be selected, so that objects need not be read. Requirements that contradict each other
    /// are not noticed.
    pub fn is_nothing(&self) -> bool {
        self.requirements.is_none()
    }

    /// The requirements, sorted by key; `None` when nothing is selected.
    pub fn requirements(&self) -> Option<&[Requirement]> {
        self.requirements.as_deref()
    }

    /// The value that a label must have, where there is exactly one: what an index can be asked for.
    pub fn requires_exact_match(&self, key: &str) -> Option<&str> {
        self.requirements()?.iter().find_map(|requirement| match (requirement.operator(), requirement.values()) {
            (Operator::Equals | Operator::In, [value]) if requirement.key() == key => Some(value.as_str()),
            _ => None,
        })
    }

    /// Whether an object with these labels is selected. O(requirements), each with one lookup.
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

    /// Reads the text form, in full: `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)`,
    /// `key notin (a,b)`, `key>1` and `key<1`, joined by commas. Values may be empty. An empty text selects everything.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest), saying where and why.
    fn from_str(text: &str) -> Result<Self> {
        parse::requirements(text).map(Self::new)
    }
}

impl fmt::Display for LabelSelector {
    /// Writes the text form, which reads back as the same selector.
    ///
    /// The one exception is [`nothing`](Self::nothing), for which the grammar has no words. client-go prints an empty
    /// text there, which reads back as everything; `<nothing>` is refused by every parser instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(requirements) = self.requirements() else { return f.write_str("<nothing>") };
        for (at, requirement) in requirements.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}
