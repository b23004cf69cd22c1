//! Summary of a pod's containers: its status, the number of ready ones, the number of restarts.

use std::borrow::Cow;

use informer_packing::Json;

use super::read::{find_by_type, get_members, integer, is_present, is_true, items, moment, status_of, string};

/// Whether a container is a sidecar: an init container that keeps running beside the others.
pub(super) fn is_sidecar(container: Json<'_>) -> bool {
    string(container.get("restartPolicy")) == "Always"
}

/// Restarts of containers, and when the last restarted container ended.
#[derive(Clone, Copy, Default)]
pub(super) struct Restarts {
    pub(super) sum: i64,
    pub(super) last: Option<f64>,
}

impl Restarts {
    fn count(&mut self, status: &Status<'_>) {
        self.sum = self.sum.saturating_add(integer(status.restarts));
        // A container without restarts has no last state. This is the common case.
        if let Some(ended) = status.last.and_then(|last| moment(last.pointer("/terminated/finishedAt"))) {
            self.last = Some(self.last.map_or(ended, |last| last.max(ended)));
        }
    }
}

/// Status of a container.
struct Status<'j> {
    name: Option<Json<'j>>,
    ready: bool,
    started: bool,
    restarts: Option<Json<'j>>,
    last: Option<Json<'j>>,
    /// Reason for waiting; empty if it does not wait.
    waiting: Cow<'j, str>,
    terminated: Option<Json<'j>>,
    running: bool,
}

impl<'j> Status<'j> {
    fn of(status: Json<'j>) -> Self {
        let names = ["name", "ready", "started", "restartCount", "lastState", "state"];
        let [name, ready, started, restarts, last, state] = get_members(Some(status), names);
        let [waiting, terminated, running] = get_members(state, ["waiting", "terminated", "running"]);
        Self {
            name,
            ready: is_true(ready),
            started: is_true(started),
            restarts,
            last,
            waiting: string(waiting.and_then(|waiting| waiting.get("reason"))),
            terminated: terminated.filter(|state| !state.is_null()),
            running: is_present(running),
        }
    }
}

/// Summary of a pod's containers, computed as in kubectl's `printPod`.
pub(super) struct Summary<'j> {
    pub(super) status: Cow<'j, str>,
    pub(super) ready: i64,
    pub(super) restarts: Restarts,
}

impl<'j> Summary<'j> {
    /// Summarizes the `spec` and `status` of a pod.
    pub(super) fn of(spec: Option<Json<'j>>, status: Option<Json<'j>>) -> Self {
        let [node, prepare] = get_members(spec, ["nodeName", "initContainers"]);
        let names = ["reason", "phase", "conditions", "initContainerStatuses", "containerStatuses"];
        let [reason, phase, conditions, prepared, run] = get_members(status, names);
        let reason = string(reason);
        let status = if reason.is_empty() { string(phase) } else { reason };
        let mut summary = Self { status, ready: 0, restarts: Restarts::default() };
        // A pod with a node is not gated, so its conditions need not be read. This is the common case.
        if string(node).is_empty() {
            let scheduled = find_by_type(conditions, "PodScheduled");
            let reason = string(scheduled.and_then(|condition| condition.get("reason")));
            if reason == "SchedulingGated" {
                summary.status = reason;
            }
        }
        let mut sidecars = Restarts::default();
        if !summary.initialize(prepare, prepared, &mut sidecars) || status_of(conditions, "Initialized") == "True" {
            // Once the containers run, restarts of init containers no longer count.
            summary.restarts = sidecars;
            summary.run(run, conditions);
        }
        summary
    }

    /// Takes the status from the first unfinished init container. Returns whether there is one.
    fn initialize(
        &mut self,
        containers: Option<Json<'j>>,
        statuses: Option<Json<'j>>,
        sidecars: &mut Restarts,
    ) -> bool {
        for (index, status) in items(statuses).map(Status::of).enumerate() {
            self.restarts.count(&status);
            let name = string(status.name);
            let sidecar =
                items(containers).any(|container| string(container.get("name")) == name && is_sidecar(container));
            if sidecar {
                sidecars.count(&status);
            }
            if status.terminated.is_some_and(|state| integer(state.get("exitCode")) == 0) {
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
                None => format!("Init:{index}/{}", items(containers).count()),
            });
            return true;
        }
        false
    }

    /// Takes the status from the first container that has a more specific one than the phase.
    fn run(&mut self, statuses: Option<Json<'j>>, conditions: Option<Json<'j>>) {
        let (mut says, mut failed) = (None, None);
        let mut running = false;
        for status in items(statuses).map(Status::of) {
            self.restarts.count(&status);
            if !status.waiting.is_empty() {
                says = says.or(Some(status.waiting));
            } else if let Some(terminated) = status.terminated {
                let ending = ending(terminated);
                if integer(terminated.get("exitCode")) != 0 {
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
            // A pod is not completed while other containers run or if one failed.
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

/// Reason why a container ended.
fn ending(terminated: Json<'_>) -> Cow<'_, str> {
    let reason = string(terminated.get("reason"));
    if !reason.is_empty() {
        return reason;
    }
    Cow::Owned(match integer(terminated.get("signal")) {
        0 => format!("ExitCode:{}", integer(terminated.get("exitCode"))),
        signal => format!("Signal:{signal}"),
    })
}
