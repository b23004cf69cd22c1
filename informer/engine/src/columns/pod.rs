//! Pods: a status out of what all containers say.

use std::borrow::Cow;

use informer_packing::Json;

use super::Cell;
use super::read::{all, condition, is_there, is_true, items, moment, of_type, ratio, status_of, string, text, whole};
use super::subject::Subject;

pub(super) fn ready(pod: &Subject<'_, '_>, _: &str) -> Cell {
    let [_, spec, _] = *pod.sections();
    let [prepare, run] = all(spec, ["initContainers", "containers"]);
    let all = items(run).count() + items(prepare).filter(|container| is_sidecar(*container)).count();
    ratio(pod.pod().ready, i64::try_from(all).unwrap_or(i64::MAX))
}

pub(super) fn restarts(pod: &Subject<'_, '_>, _: &str) -> Cell {
    let Restarts { sum, last } = pod.pod().restarts;
    Cell::Restarts(sum as f64, if sum > 0 { last } else { None })
}

pub(super) fn status(pod: &Subject<'_, '_>, _: &str) -> Cell {
    if is_there(pod.pointer("/metadata/deletionTimestamp")) {
        // A node that is lost cannot confirm that the pod has ended.
        if string(pod.pointer("/status/reason")) == "NodeLost" {
            return Cell::Text("Unknown".to_owned());
        }
        if !matches!(&*string(pod.pointer("/status/phase")), "Succeeded" | "Failed") {
            return Cell::Text("Terminating".to_owned());
        }
    }
    text(pod.pod().status.clone())
}

pub(super) fn readiness_gates(pod: &Subject<'_, '_>, _: &str) -> Cell {
    let (mut ready, mut all) = (0, 0);
    for gate in items(pod.pointer("/spec/readinessGates")) {
        all += 1;
        ready += i64::from(condition(pod, &string(gate.get("conditionType"))) == "True");
    }
    if all == 0 { Cell::None } else { ratio(ready, all) }
}

/// An init container that keeps running beside the others.
fn is_sidecar(container: Json<'_>) -> bool {
    string(container.get("restartPolicy")) == "Always"
}

/// How often containers began anew, and when the last of them had ended.
#[derive(Clone, Copy, Default)]
struct Restarts {
    sum: i64,
    last: Option<f64>,
}

impl Restarts {
    fn count(&mut self, status: &Status<'_>) {
        self.sum = self.sum.saturating_add(whole(status.restarts));
        // Who never began anew has no last state: most of all containers.
        if let Some(ended) = status.last.and_then(|last| moment(last.pointer("/terminated/finishedAt"))) {
            self.last = Some(self.last.map_or(ended, |last| last.max(ended)));
        }
    }
}

/// What a container says of itself.
struct Status<'j> {
    name: Option<Json<'j>>,
    ready: bool,
    started: bool,
    restarts: Option<Json<'j>>,
    last: Option<Json<'j>>,
    /// Why it waits; empty where it does not.
    waiting: Cow<'j, str>,
    terminated: Option<Json<'j>>,
    running: bool,
}

impl<'j> Status<'j> {
    fn of(status: Json<'j>) -> Self {
        let names = ["name", "ready", "started", "restartCount", "lastState", "state"];
        let [name, ready, started, restarts, last, state] = all(Some(status), names);
        let [waiting, terminated, running] = all(state, ["waiting", "terminated", "running"]);
        Self {
            name,
            ready: is_true(ready),
            started: is_true(started),
            restarts,
            last,
            waiting: string(waiting.and_then(|waiting| waiting.get("reason"))),
            terminated: terminated.filter(|state| !state.is_null()),
            running: is_there(running),
        }
    }
}

/// What the containers of a pod come to, after kubectl's `printPod`.
pub(super) struct Summary<'j> {
    status: Cow<'j, str>,
    ready: i64,
    restarts: Restarts,
}

impl<'j> Summary<'j> {
    pub(super) fn of(pod: &Subject<'_, 'j>) -> Self {
        let [_, spec, status] = *pod.sections();
        let [node, prepare] = all(spec, ["nodeName", "initContainers"]);
        let names = ["reason", "phase", "conditions", "initContainerStatuses", "containerStatuses"];
        let [reason, phase, conditions, prepared, run] = all(status, names);
        let reason = string(reason);
        let status = if reason.is_empty() { string(phase) } else { reason };
        let mut summary = Self { status, ready: 0, restarts: Restarts::default() };
        // Who has a node is not held back from one: most pods, whose conditions need not be read.
        if string(node).is_empty() {
            let scheduled = of_type(conditions, "PodScheduled");
            let reason = string(scheduled.and_then(|condition| condition.get("reason")));
            if reason == "SchedulingGated" {
                summary.status = reason;
            }
        }
        let mut sidecars = Restarts::default();
        if !summary.initialize(prepare, prepared, &mut sidecars) || status_of(conditions, "Initialized") == "True" {
            // Once the containers run, those that prepared them count no more.
            summary.restarts = sidecars;
            summary.run(run, conditions);
        }
        summary
    }

    /// The first init container that is not done decides. Whether there is one.
    fn initialize(
        &mut self,
        containers: Option<Json<'j>>,
        statuses: Option<Json<'j>>,
        sidecars: &mut Restarts,
    ) -> bool {
        for (place, status) in items(statuses).map(Status::of).enumerate() {
            self.restarts.count(&status);
            let name = string(status.name);
            let sidecar =
                items(containers).any(|container| string(container.get("name")) == name && is_sidecar(container));
            if sidecar {
                sidecars.count(&status);
            }
            if status.terminated.is_some_and(|state| whole(state.get("exitCode")) == 0) {
                continue;
            }
            if sidecar && status.started {
                self.ready += i64::from(status.ready);
                continue;
            }
            let waiting = status.waiting;
            self.status = Cow::Owned(match status.terminated {
                Some(state) => format!("Init:{}", ending(state)),
                None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
                None => format!("Init:{place}/{}", items(containers).count()),
            });
            return true;
        }
        false
    }

    /// The first container that says more than the phase decides.
    fn run(&mut self, statuses: Option<Json<'j>>, conditions: Option<Json<'j>>) {
        let (mut says, mut failed) = (None, None);
        let mut running = false;
        for status in items(statuses).map(Status::of) {
            self.restarts.count(&status);
            if !status.waiting.is_empty() {
                says = says.or(Some(status.waiting));
            } else if let Some(terminated) = status.terminated {
                let ending = ending(terminated);
                if whole(terminated.get("exitCode")) != 0 {
                    failed = failed.or_else(|| Some(ending.clone()));
                }
                says = says.or(Some(ending));
            } else if status.running && status.ready {
                running = true;
                self.ready += 1;
            }
        }
        if let Some(says) = says {
            self.status = says;
        }
        if self.status == "Completed" {
            // A pod whose other containers still run, or have failed, is not completed.
            if running && status_of(conditions, "Ready") == "True" {
                self.status = Cow::Borrowed("Running");
            } else if let Some(failed) = failed {
                self.status = failed;
            } else if running {
                self.status = Cow::Borrowed("NotReady");
            }
        }
    }
}

/// Why a container ended.
fn ending(terminated: Json<'_>) -> Cow<'_, str> {
    let reason = string(terminated.get("reason"));
    if !reason.is_empty() {
        return reason;
    }
    Cow::Owned(match whole(terminated.get("signal")) {
        0 => format!("ExitCode:{}", whole(terminated.get("exitCode"))),
        signal => format!("Signal:{signal}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use informer_packing::Outline;
    use serde_json::{Value, json};

    fn check(pod: &Value, expected: &str) {
        let text = pod.to_string();
        assert_eq!(status(&Subject::of(&Outline::of(Json::new(&text))), ""), super::text(expected.into()), "{pod}");
    }

    #[test]
    fn status_is_what_kubectl_prints() {
        check(&json!({"status": {"phase": "Running"}}), "Running");
        check(&json!({"status": {"phase": "Failed", "reason": "Evicted"}}), "Evicted");
        check(&json!({}), "");
        check(
            &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Running"}}),
            "Terminating",
        );
        let waiting = |reason| json!({"state": {"waiting": {"reason": reason}}});
        check(
            &json!({"status": {"phase": "Running", "containerStatuses": [waiting("CrashLoopBackOff")]}}),
            "CrashLoopBackOff",
        );
        let done = json!({"state": {"terminated": {"exitCode": 0, "reason": "Completed"}}});
        let running = json!({"ready": true, "state": {"running": {}}});
        check(&json!({"status": {"phase": "Succeeded", "containerStatuses": [done]}}), "Completed");
        check(&json!({"status": {"phase": "Running", "containerStatuses": [done, running]}}), "NotReady");
        check(
            &json!({"spec": {"initContainers": [{"name": "a"}, {"name": "b"}]},
                "status": {"phase": "Pending", "initContainerStatuses": [{"name": "a", "state": {"terminated": {"exitCode": 0}}}, {"name": "b", "state": {"running": {}}}]}}),
            "Init:1/2",
        );
        check(
            &json!({"status": {"phase": "Pending", "initContainerStatuses": [{"state": {"terminated": {"exitCode": 2}}}]}}),
            "Init:ExitCode:2",
        );
    }

    #[test]
    fn restarts_carry_the_last_one() {
        let pod = json!({"status": {"containerStatuses": [
            {"restartCount": 2, "lastState": {"terminated": {"finishedAt": "1970-01-01T00:00:01Z"}}},
            {"restartCount": 1, "lastState": {"terminated": {"finishedAt": "1970-01-01T00:00:02Z"}}}]}});
        let pod = pod.to_string();
        assert_eq!(restarts(&Subject::of(&Outline::of(Json::new(&pod))), ""), Cell::Restarts(3.0, Some(2000.0)));
    }

    #[test]
    fn restarts_of_a_hostile_pod_come_to_the_most_there_can_be() {
        let pod =
            format!(r#"{{"status":{{"containerStatuses":[{0},{0}]}}}}"#, r#"{"restartCount":9223372036854775807}"#);
        assert_eq!(restarts(&Subject::of(&Outline::of(Json::new(&pod))), ""), Cell::Restarts(i64::MAX as f64, None));
    }

    #[test]
    fn ready_counts_sidecars() {
        let pod = json!({"spec": {"containers": [{}], "initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]},
            "status": {"containerStatuses": [{"ready": true, "state": {"running": {}}}], "initContainerStatuses": [
                {"name": "i", "ready": true, "state": {"terminated": {"exitCode": 0}}},
                {"name": "s", "ready": true, "started": true, "state": {"running": {}}}]}});
        let pod = pod.to_string();
        assert_eq!(ready(&Subject::of(&Outline::of(Json::new(&pod))), ""), Cell::Text("2/2".into()));
    }
}
