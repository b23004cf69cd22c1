//! Membership: whether an object is one of those that a need selects.

use serde_json::Value;

use crate::field::Fields;
use crate::need::{By, Need};
use crate::selector::selects;
use crate::{edge, event};

impl Need {
    /// Whether an object is one of these. For a caller that has a cache without the index.
    pub fn matches(&self, object: &Value) -> bool {
        object.text("kind") == self.kind
            && object.group() == self.group
            && (self.namespace.is_empty() || self.namespace == object.namespace())
            && match &self.by {
                By::All => true,
                By::Name(name) => object.name() == name,
                By::Labels(selector) => selects(selector, object),
                By::Owner(uid) => object.is_owned_by(uid),
                By::Owners(uids) => uids.iter().any(|uid| object.is_owned_by(uid)),
                By::Node(name) => object.text("spec.nodeName") == name,
                By::About(uid) => !uid.is_empty() && event::about(object).text("uid") == uid,
                By::AboutAny(uids) => uids.iter().any(|uid| uid == event::about(object).text("uid")),
                By::References(value) => edge::names(object, value),
            }
    }
}
