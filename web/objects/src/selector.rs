//! Label selectors of objects, in the two forms in which objects have them.

use informer::{LabelSelector, Labels};
use serde::Deserialize;
use serde_json::Value;

use crate::field::Fields;

/// The labels of an object, for a selector.
struct LabelsOf<'a>(&'a Value);

impl Labels for LabelsOf<'_> {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.0.member(key).as_str()
    }
}

/// The selector of a field such as `spec.selector` of a deployment; `None` if it is missing or invalid.
pub(crate) fn selector(value: &Value) -> Option<LabelSelector> {
    value.is_object().then(|| LabelSelector::deserialize(value).ok())?
}

/// The selector of a plain map of labels, such as `spec.selector` of a service; `None` if it is empty or invalid.
pub(crate) fn labels_selector(value: &Value) -> Option<LabelSelector> {
    let labels = value.as_object().filter(|labels| !labels.is_empty())?;
    LabelSelector::of_labels(labels.iter().map(|(key, value)| (key, value.as_str().unwrap_or_default()))).ok()
}

/// Whether a selector selects an object.
pub(crate) fn selects(selector: &LabelSelector, object: &Value) -> bool {
    selector.matches(&LabelsOf(object.at("metadata.labels")))
}
