//! Events of either API: `v1` and `events.k8s.io/v1`.

use serde_json::Value;

use crate::field::Fields;
use crate::need::{By, Need};
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
    let events = subject.events(object).unwrap_or_default().into_iter();
    events
        .filter(|event| reasons.contains(&event.text("reason")) && accept(message(event)))
        .max_by(|a, b| last_seen(a).unwrap_or_default().total_cmp(&last_seen(b).unwrap_or_default()))
}

impl<'a> Subject<'a> {
    /// The events about an object; `None` while they are unknown.
    pub(crate) fn events(&self, object: &Value) -> Option<Vec<&'a Value>> {
        let (need, uid) = (Need::events(object), object.uid());
        let is_about = |need: &Need| match &need.by {
            By::About(of) => of == uid,
            By::AboutAny(of) => of.iter().any(|of| of == uid),
            _ => false,
        };
        let answers = self.answers.iter().filter(|answer| {
            answer.need.kind == need.kind && answer.need.namespace == need.namespace && is_about(answer.need)
        });
        // The first is enough: each has all of them.
        let events = answers.map(|answer| answer.objects).next()?;
        Some(events.iter().filter(|event| about(event).text("uid") == uid).collect())
    }
}
