//! Row of a pod: ready containers, and its status in one word.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::age::{between, moment};
use super::cells::{items, number, text, text_or};
use super::{age, name};

use crate::clock;

/// Summary of the containers.
#[derive(Default)]
struct Summary {
    ready: usize,
    restarts: i64,
    last_restart: Option<SystemTime>,
    reason: String,
}

impl Summary {
    fn count_restarts(&mut self, status: &Value) {
        self.restarts += number(&status["restartCount"]);
        self.last_restart = self.last_restart.max(moment(&status["lastState"]["terminated"]["finishedAt"]));
    }
}

/// Returns the cells of a pod.
pub(super) fn cells(pod: &Value) -> Vec<Value> {
    let (spec, status) = (&pod["spec"], &pod["status"]);
    let sidecars = items(&spec["initContainers"]).filter(|container| is_sidecar(container)).count();
    let total = items(&spec["containers"]).count() + sidecars;
    let summary = summarize(pod);
    let restarts = match summary.last_restart {
        Some(last) if summary.restarts != 0 => {
            format!("{} ({} ago)", summary.restarts, between(last, clock::now()))
        }
        _ => summary.restarts.to_string(),
    };
    vec![
        name(pod),
        json!(format!("{}/{total}", summary.ready)),
        json!(summary.reason),
        json!(restarts),
        age(pod),
        json!(text_or(&status["podIPs"][0]["ip"], "<none>")),
        json!(text_or(&spec["nodeName"], "<none>")),
        json!(text_or(&status["nominatedNodeName"], "<none>")),
        json!(readiness_gates(spec, status)),
    ]
}

/// Conditions of the row, as JSON that follows the cells.
pub(super) fn conditions(pod: &Value) -> &'static str {
    match text(&pod["status"]["phase"]) {
        "Succeeded" => {
            ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"Succeeded\",\
             \"message\":\"The pod has completed successfully.\"}]"
        }
        "Failed" => {
            ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"Failed\",\
             \"message\":\"The pod failed.\"}]"
        }
        _ => "",
    }
}

fn is_sidecar(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

fn has_condition(status: &Value, kind: &str) -> bool {
    items(&status["conditions"]).any(|condition| condition["type"] == kind && condition["status"] == "True")
}

fn summarize(pod: &Value) -> Summary {
    let (spec, status) = (&pod["spec"], &pod["status"]);
    let mut summary = Summary::default();
    let phase = text(&status["phase"]);
    text_or(&status["reason"], phase).clone_into(&mut summary.reason);
    let gated = |condition: &Value| condition["type"] == "PodScheduled" && condition["reason"] == "SchedulingGated";
    if items(&status["conditions"]).any(gated) {
        "SchedulingGated".clone_into(&mut summary.reason);
    }
    let mut sidecars = Summary::default();
    let initializing = initialize(spec, status, &mut summary, &mut sidecars);
    if !initializing || has_condition(status, "Initialized") {
        summary.restarts = sidecars.restarts;
        summary.last_restart = sidecars.last_restart;
        run(status, &mut summary);
    }
    if pod["metadata"]["deletionTimestamp"].is_string() {
        if status["reason"] == "NodeLost" {
            "Unknown".clone_into(&mut summary.reason);
        } else if !matches!(phase, "Succeeded" | "Failed") {
            "Terminating".clone_into(&mut summary.reason);
        }
    }
    summary
}

/// Evaluates the init containers; true if one of them blocks the pod.
fn initialize(spec: &Value, status: &Value, summary: &mut Summary, sidecars: &mut Summary) -> bool {
    let total = items(&spec["initContainers"]).count();
    for (at, container) in items(&status["initContainerStatuses"]).enumerate() {
        let declared = items(&spec["initContainers"]).find(|known| known["name"] == container["name"]);
        let sidecar = declared.is_some_and(is_sidecar);
        summary.count_restarts(container);
        if sidecar {
            sidecars.count_restarts(container);
        }
        let (terminated, waiting) = (&container["state"]["terminated"], text(&container["state"]["waiting"]["reason"]));
        if terminated.is_object() && number(&terminated["exitCode"]) == 0 {
            continue;
        }
        if sidecar && container["started"] == true {
            summary.ready += usize::from(container["ready"] == true);
            continue;
        }
        summary.reason = if terminated.is_object() {
            format!("Init:{}", ending(terminated))
        } else if !waiting.is_empty() && waiting != "PodInitializing" {
            format!("Init:{waiting}")
        } else {
            format!("Init:{at}/{total}")
        };
        return true;
    }
    false
}

/// Reason why a container ended.
fn ending(terminated: &Value) -> String {
    let (reason, signal) = (text(&terminated["reason"]), number(&terminated["signal"]));
    match (reason, signal) {
        ("", 0) => format!("ExitCode:{}", number(&terminated["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        _ => reason.to_owned(),
    }
}

/// Evaluates the containers, last to first, so that the first one determines the status.
fn run(status: &Value, summary: &mut Summary) {
    let (mut running, mut error) = (false, String::new());
    for container in items(&status["containerStatuses"]).rev() {
        summary.count_restarts(container);
        let state = &container["state"];
        let waiting = text(&state["waiting"]["reason"]);
        if !waiting.is_empty() {
            waiting.clone_into(&mut summary.reason);
        } else if state["terminated"].is_object() {
            summary.reason = ending(&state["terminated"]);
            if number(&state["terminated"]["exitCode"]) != 0 {
                error.clone_from(&summary.reason);
            }
        } else if container["ready"] == true && state["running"].is_object() {
            running = true;
            summary.ready += 1;
        }
    }
    if summary.reason == "Completed" {
        if running && has_condition(status, "Ready") {
            "Running".clone_into(&mut summary.reason);
        } else if !error.is_empty() {
            summary.reason = error;
        } else if running {
            "NotReady".clone_into(&mut summary.reason);
        }
    }
}

fn readiness_gates(spec: &Value, status: &Value) -> String {
    let gates = items(&spec["readinessGates"]);
    if gates.len() == 0 {
        return "<none>".to_owned();
    }
    let open = gates.clone().filter(|gate| has_condition(status, text(&gate["conditionType"]))).count();
    format!("{open}/{}", gates.len())
}
