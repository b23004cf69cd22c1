//! Churn of the cluster: random changes and failures.

use serde_json::json;

use super::kubelet::Step;
use super::node;
use super::pod::{App, PodState, template};
use super::recorder::EventRecord;
use super::world::World;
use crate::names;
use crate::object::{Entry, child_mut};

impl World {
    /// Performs one random change.
    pub(super) fn change_randomly(&mut self) {
        match self.random.u32(..100) {
            0..35 => self.probe_fails(),
            35..58 => self.crash(),
            58..66 => self.heartbeat(),
            66..76 => self.roll_out(),
            76..86 => self.scale_some(),
            86..92 => self.run_job(),
            92..97 => self.replace_pod(),
            97..99 => self.back_off(),
            _ => self.lose_node(),
        }
    }

    fn running_pod(&mut self) -> Option<std::sync::Arc<Entry>> {
        let pod = self.any("pods")?;
        (!pod.deleting && pod.fields.get(crate::kinds::POD_PHASE).is_some_and(|phase| phase == "Running"))
            .then_some(pod)
    }

    fn probe_fails(&mut self) {
        let Some(pod) = self.running_pod() else { return };
        self.put(&pod.key, PodState::NotReady);
        if self.percent(30) {
            self.record_pod_event(
                &pod,
                "Unhealthy",
                "Readiness probe failed: HTTP probe failed with statuscode: 503",
                true,
            );
        }
        let ticks = self.random.u64(10..60);
        self.plan(ticks, Step::Recover(pod.key.clone()));
    }

    fn crash(&mut self) {
        let Some(pod) = self.running_pod() else { return };
        self.put(&pod.key, PodState::CrashLoop);
        if self.percent(50) {
            self.record_pod_event(&pod, "BackOff", "Back-off restarting failed container", true);
        }
        if self.percent(80) {
            let ticks = self.random.u64(30..150);
            self.plan(ticks, Step::Recover(pod.key.clone()));
        }
    }

    /// Adds an event to a failing pod that has had none for a while.
    fn back_off(&mut self) {
        let Some(pod) = self.any("pods") else { return };
        self.record_pod_event(&pod, "FailedMount", "MountVolume.SetUp failed for volume \"config\": timed out", true);
    }

    fn heartbeat(&mut self) {
        if let Some(entry) = self.any("nodes") {
            self.change("nodes", &entry.key, node::heartbeat);
        }
    }

    fn roll_out(&mut self) {
        let Some(deployment) = self.any("deployments.apps") else { return };
        let version = format!("v{}.{}.{}", self.random.u32(1..9), self.random.u32(..30), self.random.u32(..20));
        self.change("deployments.apps", &deployment.key, |object| {
            let image = object.pointer_mut("/spec/template/spec/containers/0/image");
            if let Some(image) = image
                && let Some((name, _)) = image.as_str().and_then(|text| text.rsplit_once(':'))
            {
                *image = format!("{name}:{version}").into();
            }
        });
    }

    fn scale_some(&mut self) {
        let Some(deployment) = self.any("deployments.apps") else { return };
        let up = self.random.bool();
        self.change("deployments.apps", &deployment.key, |object| {
            let now = object["spec"]["replicas"].as_u64().unwrap_or(1);
            // Around three, so that the cluster keeps its size.
            let next = if now > 6 || (!up && now > 1) { now - 1 } else { now + 1 };
            child_mut(object, "spec").insert("replicas".to_owned(), next.into());
        });
    }

    fn run_job(&mut self) {
        let finished = self.any("jobs.batch").filter(|job| job.value()["status"]["completionTime"].is_string());
        if let Some(job) = finished {
            self.delete("jobs.batch", &job.key);
        }
        let Some(namespace) = self.any("deployments.apps").map(|deployment| deployment.namespace.clone()) else {
            return;
        };
        let app = App {
            name: format!("report-{}", names::letters(&mut self.random, 5)),
            team: "data".to_owned(),
            image: "registry.example.com/data/report:v2.1.0".to_owned(),
        };
        let template = template(self, &app, "Never");
        let job = json!({
            "metadata": {"name": app.name, "labels": app.labels()},
            "spec": {"completions": 1, "parallelism": 1, "backoffLimit": 6, "template": template},
        });
        self.create("jobs.batch", &namespace, job);
    }

    fn replace_pod(&mut self) {
        let Some(pod) = self.any("pods").filter(|pod| !pod.deleting) else { return };
        self.record_pod_event(&pod, "Killing", "Stopping container", false);
        self.delete("pods", &pod.key);
    }

    fn lose_node(&mut self) {
        let Some(entry) = self.any("nodes") else { return };
        if let Some(entry) = self.change("nodes", &entry.key, |node| node::set_ready(node, false)) {
            self.record_node(&entry, "NodeNotReady", "Node is not ready", true);
        }
        let ticks = self.random.u64(50..150);
        self.plan(ticks, Step::NodeReady(entry.name.clone()));
    }

    /// Records an event about a node.
    pub(super) fn record_node(&mut self, entry: &Entry, reason: &str, message: &str, warning: bool) {
        let message = message.to_owned();
        self.record(
            entry,
            &EventRecord { about: ("Node", "v1"), reason, message, component: "node-controller", warning },
        );
    }
}
