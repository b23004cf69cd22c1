//! Conditions: `status.conditions`, which most kinds have.

use serde_json::Value;

use crate::field::Fields;

/// The condition of a type.
pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    object.list("status.conditions").iter().find(|condition| condition.text("type") == kind)
}

/// The condition of a type, if it has this status.
pub(crate) fn condition_is<'a>(object: &'a Value, kind: &str, status: &str) -> Option<&'a Value> {
    condition(object, kind).filter(|condition| condition.text("status") == status)
}

/// Returns the message of a condition, or its reason if it has no message.
pub(crate) fn explanation(condition: &Value) -> &str {
    let message = condition.text("message").trim();
    if message.is_empty() { condition.text("reason") } else { message }
}
