//! Events of either API: `v1` and `events.k8s.io/v1`.

use serde_json::Value;

use crate::field::Fields;
use crate::need::Need;
use crate::subject::Subject;

/// The object that an event is about.
pub(crate) fn about(event: &Value) -> &Value {
    if event.has("involvedObject") { event.at("involvedObject") } else { event.at("regarding") }
}

/// Its message.
pub(crate) fn message(event: &Value) -> &str {
    let message = event.text("message");
    if message.is_empty() { event.text("note") } else { message }
}

/// Number of occurrences.
pub(crate) fn count(event: &Value) -> i64 {
    ["series.count", "count", "deprecatedCount"].iter().find_map(|path| event.number(path)).unwrap_or(1)
}

/// Time of the last occurrence.
pub(crate) fn last_seen(event: &Value) -> Option<f64> {
    ["series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp", "eventTime", "metadata.creationTimestamp"]
        .iter()
        .find_map(|path| event.moment(path))
}

/// The last event about an object with one of these reasons that a test accepts.
pub(crate) fn last<'a>(
    subject: &Subject<'a>,
    object: &Value,
    reasons: &[&str],
    accept: impl Fn(&str) -> bool,
) -> Option<&'a Value> {
    let events = subject.found(&Need::events(object)).iter();
    events
        .filter(|event| about(event).text("uid") == object.uid())
        .filter(|event| reasons.contains(&event.text("reason")) && accept(message(event)))
        .max_by(|a, b| last_seen(a).unwrap_or_default().total_cmp(&last_seen(b).unwrap_or_default()))
}
