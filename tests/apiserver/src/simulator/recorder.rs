//! Event recorder: events of the cluster's components about its objects.

use serde_json::json;

use super::world::World;
use crate::names;
use crate::object::Entry;

/// Event about an object.
pub(super) struct Remark<'a> {
    /// Kind and apiVersion of the object.
    pub(super) about: (&'a str, &'a str),
    pub(super) reason: &'a str,
    pub(super) message: String,
    pub(super) component: &'a str,
    pub(super) warning: bool,
}

impl World {
    /// Records an event, and deletes the oldest ones.
    pub(super) fn record(&mut self, entry: &Entry, remark: &Remark<'_>) {
        let namespace = if entry.namespace.is_empty() { "default" } else { &entry.namespace };
        let name = format!("{}.{}", entry.name, names::letters(&mut self.random, 16));
        let count = if remark.warning { self.random.u32(1..40) } else { 1 };
        let (first, last) = (World::ago(u64::from(count) * 30), World::ago(0));
        let event = json!({
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {
                "kind": remark.about.0, "apiVersion": remark.about.1, "name": entry.name, "namespace": entry.namespace,
                "uid": entry.uid, "resourceVersion": entry.revision.to_string(),
            },
            "reason": remark.reason,
            "message": remark.message,
            "source": {"component": remark.component},
            "reportingComponent": remark.component,
            "reportingInstance": "",
            "firstTimestamp": first,
            "lastTimestamp": last,
            "eventTime": null,
            "count": count,
            "type": if remark.warning { "Warning" } else { "Normal" },
        });
        if let Some(event) = self.create("events", namespace, event) {
            self.events.push_back(event.key.clone());
        }
        if self.events.len() > self.event_limit
            && let Some(oldest) = self.events.pop_front()
        {
            self.delete("events", &oldest);
        }
    }

    /// Records an event about a pod.
    pub(super) fn remark(&mut self, pod: &Entry, reason: &str, message: impl Into<String>, warning: bool) {
        let component =
            if matches!(reason, "Scheduled" | "FailedScheduling") { "default-scheduler" } else { "kubelet" };
        let message = message.into();
        self.record(pod, &Remark { about: ("Pod", "v1"), reason, message, component, warning });
    }
}
