//! Owners of objects in a list of problems: the workload on top, not the replica set or job in between.

use std::collections::BTreeMap;

use serde_json::Value;

use super::What;
use crate::field::Fields;
use crate::kinds::{CRON_JOB, DAEMON_SET, DEPLOYMENT, JOB, Kind, REPLICA_SET, STATEFUL_SET};
use crate::link::Link;

/// Workloads: each has its own problems, whereas nodes with the same problem are one line.
const WORKLOADS: [Kind; 6] = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET, REPLICA_SET, JOB, CRON_JOB];

/// Label of the pods and replica sets of a deployment; its value ends the name of the replica set.
const HASH: &str = "pod-template-hash";

/// Objects of a list by uid, to follow their owners.
pub(super) struct Owners<'a>(BTreeMap<&'a str, &'a Value>);

impl<'a> Owners<'a> {
    pub(super) fn of(objects: &[&'a Value]) -> Self {
        let jobs = objects.iter().filter(|object| JOB.is_of(object) && !object.uid().is_empty());
        Self(jobs.map(|job| (job.uid(), *job)).collect())
    }

    /// Owner that a problem of this object is attributed to.
    pub(super) fn what(&self, object: &Value) -> What {
        let own = Link::of(object);
        match self.owner(object) {
            Some(owner) => What::Owner(owner),
            None if WORKLOADS.iter().any(|kind| kind.is_of(object)) => What::Owner(own),
            None => What::Alike(Link { name: String::new(), ..own }),
        }
    }

    fn owner(&self, object: &Value) -> Option<Link> {
        let controller = object.controller();
        let link = Link::of_reference(controller, object.namespace());
        if link.name.is_empty() {
            return None;
        }
        if link.group == REPLICA_SET.group && link.kind == REPLICA_SET.kind {
            let hash = object.label(HASH);
            let deployment = link.name.strip_suffix(hash).and_then(|name| name.strip_suffix('-'));
            if let Some(name) = deployment.filter(|name| !hash.is_empty() && !name.is_empty()) {
                return Some(Link::to(DEPLOYMENT, &link.namespace, name));
            }
        }
        // A job that is not in the list may have an owner, too; it is not read for it.
        let job = self.0.get(controller.text("uid")).filter(|job| job.uid() != object.uid());
        let above = job.map(|job| Link::of_reference(job.controller(), job.namespace()));
        Some(above.filter(|above| !above.name.is_empty()).unwrap_or(link))
    }
}
