//! Scheduler and kubelets: pods get a node, start, crash, complete and terminate.

use std::sync::Arc;

use super::node;
use super::pod::{PodState, set_state};
use super::world::World;
use crate::history::{Change, Verb};
use crate::kinds::POD_PHASE;
use crate::object::{Entry, child_mut};

/// Scheduled step.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Schedule(String),
    Start(String),
    Complete(String),
    Release(String),
    Recover(String),
    NodeReady(String),
}

impl World {
    /// Schedules the steps that follow from a change of a pod.
    pub(super) fn schedule_pod_steps(&mut self, change: &Change) {
        let pod = &change.object;
        let newly_deleting =
            pod.deleting && change.previous.as_ref().is_none_or(|previous| !previous.deleting) && !pod.finalizers;
        if change.verb == Verb::Deleted {
            return;
        }
        if newly_deleting {
            let ticks = self.random.u64(3..15);
            self.plan(ticks, Step::Release(pod.key.clone()));
        } else if change.verb == Verb::Added {
            let ticks = self.random.u64(1..4);
            self.plan(ticks, Step::Schedule(pod.key.clone()));
        }
    }

    /// Performs a due step.
    pub(super) fn perform(&mut self, step: Step) {
        match step {
            Step::Schedule(key) => self.schedule(&key),
            Step::Start(key) => self.start(&key),
            Step::Complete(key) => {
                self.put(&key, PodState::Completed);
            }
            Step::Release(key) => self.store.release(&key),
            Step::Recover(key) => {
                self.put(&key, PodState::Running);
            }
            Step::NodeReady(name) => {
                if let Some(entry) = self.change("nodes", &name, |node| node::set_ready(node, true)) {
                    self.record_node(&entry, "NodeReady", "Node is ready", false);
                }
            }
        }
    }

    /// Puts a pod into a state. `None` if it was deleted or has ended.
    pub(super) fn put(&mut self, key: &str, state: PodState) -> Option<Arc<Entry>> {
        let entry = self.find_alive(key)?;
        let mut pod = entry.value();
        set_state(self, &mut pod, state, 0);
        let mut is_put = false;
        let changed = self.change("pods", key, |object| {
            // A client may have ended the pod in between.
            if has_ended(object["status"]["phase"].as_str()) {
                return;
            }
            object["status"] = pod["status"].take();
            object["metadata"]["managedFields"] = pod["metadata"]["managedFields"].take();
            is_put = true;
        });
        changed.filter(|_| is_put)
    }

    /// Returns a pod that is not being deleted and has not ended. A kubelet does nothing for others: the phases
    /// `Failed` and `Succeeded` are final, also if a client wrote them.
    fn find_alive(&self, key: &str) -> Option<Arc<Entry>> {
        let is_alive = |pod: &Arc<Entry>| !pod.deleting && !has_ended(pod.fields.get(POD_PHASE).map(String::as_str));
        self.store.find("pods", key).filter(is_alive)
    }

    fn schedule(&mut self, key: &str) {
        let Some(entry) = self.find_alive(key) else { return };
        let pod = entry.value();
        let assigned = pod["spec"]["nodeName"].as_str().map(str::to_owned);
        let Some(name) = assigned.or_else(|| self.any("nodes").map(|node| node.name.clone())) else {
            // Without nodes, the cluster still runs pods.
            self.assign(key, &node::name(0));
            self.plan(3, Step::Start(key.to_owned()));
            return;
        };
        self.assign(key, &name);
        if let Some(entry) = self.put(key, PodState::Creating) {
            self.record_pod_event(&entry, "Scheduled", format!("Successfully assigned {key} to {name}"), false);
        }
        let ticks = self.random.u64(2..6);
        self.plan(ticks, Step::Start(key.to_owned()));
    }

    fn assign(&self, key: &str, node: &str) {
        self.change("pods", key, |pod| {
            child_mut(pod, "spec").insert("nodeName".to_owned(), node.into());
        });
    }

    fn start(&mut self, key: &str) {
        let Some(entry) = self.put(key, PodState::Running) else { return };
        self.record_pod_event(&entry, "Started", "Started container", false);
        if matches!(entry.value()["spec"]["restartPolicy"].as_str(), Some("Never" | "OnFailure")) {
            let ticks = self.random.u64(20..120);
            self.plan(ticks, Step::Complete(key.to_owned()));
        }
    }
}

/// Reports whether a pod in this phase has ended.
fn has_ended(phase: Option<&str>) -> bool {
    matches!(phase, Some("Failed" | "Succeeded"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::{Store, StoreOptions};
    use crate::write::Origin;

    #[test]
    fn a_pod_that_a_client_ended_is_not_started() {
        for ticks_before in 0..12 {
            let mut world = World::new(
                Arc::new(Store::new(StoreOptions { history: 1000, kubelet: true, seed: 1, metrics: false })),
                1,
            );
            world.begin();
            let pod = json!({
                "metadata": {"name": "guest"},
                "spec": {"restartPolicy": "Never", "containers": [{"name": "guest", "image": "pause"}]},
            });
            world.store.create("pods", "default", pod, Origin::Client).unwrap();
            for _ in 0..ticks_before {
                world.tick(0);
            }
            let evicted = json!({"phase": "Failed", "reason": "Evicted"});
            world.change("pods", "default/guest", |object| object["status"] = evicted.clone());
            for _ in 0..200 {
                world.tick(0);
            }
            let found = world.store.find("pods", "default/guest").unwrap().value();
            assert_eq!(found["status"], evicted, "ended after {ticks_before} ticks");
        }
    }
}
