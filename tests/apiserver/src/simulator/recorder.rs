//! Event recorder: events of the cluster's components about its objects.

use serde_json::json;

use super::world::World;
use crate::names;
use crate::object::Entry;

/// Content of an event about an object.
pub(super) struct EventRecord<'a> {
    /// Kind and apiVersion of the object.
    pub(super) about: (&'a str, &'a str),
    pub(super) reason: &'a str,
    pub(super) message: String,
    pub(super) component: &'a str,
    pub(super) warning: bool,
}

impl World {
    /// Records an event, and deletes the oldest ones.
    pub(super) fn record(&mut self, entry: &Entry, event: &EventRecord<'_>) {
        let namespace = if entry.namespace.is_empty() { "default" } else { &entry.namespace };
        let name = format!("{}.{}", entry.name, names::letters(&mut self.random, 16));
        let count = if event.warning { self.random.u32(1..40) } else { 1 };
        let (first, last) = (World::ago(u64::from(count) * 30), World::ago(0));
        let object = json!({
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {
                "kind": event.about.0, "apiVersion": event.about.1, "name": entry.name, "namespace": entry.namespace,
                "uid": entry.uid, "resourceVersion": entry.revision.to_string(),
            },
            "reason": event.reason,
            "message": event.message,
            "source": {"component": event.component},
            "reportingComponent": event.component,
            "reportingInstance": "",
            "firstTimestamp": first,
            "lastTimestamp": last,
            "eventTime": null,
            "count": count,
            "type": if event.warning { "Warning" } else { "Normal" },
        });
        if let Some(created) = self.create("events", namespace, object) {
            self.events.push_back(created.key.clone());
        }
        if self.events.len() > self.event_limit
            && let Some(oldest) = self.events.pop_front()
        {
            self.delete("events", &oldest);
        }
    }

    /// Records an event about a pod.
    pub(super) fn record_pod_event(&mut self, pod: &Entry, reason: &str, message: impl Into<String>, warning: bool) {
        let component =
            if matches!(reason, "Scheduled" | "FailedScheduling") { "default-scheduler" } else { "kubelet" };
        let message = message.into();
        self.record(pod, &EventRecord { about: ("Pod", "v1"), reason, message, component, warning });
    }
}
