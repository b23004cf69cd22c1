//! Selection of a list or watch: a namespace, labels and fields.

use crate::field_selector::FieldSelector;
use crate::kinds::Kind;
use crate::label_selector::LabelSelector;
use crate::object::Entry;
use crate::query::Query;
use crate::status::Status;

/// Objects that a request selects.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    /// Only this namespace; all when empty.
    pub(crate) namespace: String,
    /// Only this object: the watch of a single object by its URL.
    pub(crate) name: Option<String>,
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    pub(crate) fn parse(kind: &Kind, namespace: &str, query: &Query) -> Result<Self, Status> {
        Ok(Self {
            namespace: namespace.to_owned(),
            name: None,
            labels: LabelSelector::parse(query.get("labelSelector").unwrap_or_default())?,
            fields: FieldSelector::parse(kind, query.get("fieldSelector").unwrap_or_default())?,
        })
    }

    /// Whether selectors restrict the list; a namespace does not count.
    pub(crate) fn has_selectors(&self) -> bool {
        !self.labels.is_empty() || !self.fields.is_empty()
    }

    pub(crate) fn matches(&self, entry: &Entry) -> bool {
        (self.namespace.is_empty() || self.namespace == entry.namespace)
            && self.name.as_ref().is_none_or(|name| *name == entry.name)
            && self.labels.matches(&entry.labels)
            && self.fields.matches(entry)
    }
}
