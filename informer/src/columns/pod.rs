//! Pods, with kubectl's derived status.

use serde_json::Value;

use super::{Cell, Column, condition, count, items, ratio, str_of, text};
use crate::time::parse_rfc3339;

pub(super) static COLUMNS: [Column; 7] = [
    Column::text("Ready", ready),
    Column::text("Status", |pod| Cell::Text(status(pod))),
    Column::number("Restarts", restarts),
    Column::text("IP", |pod| text(pod, "/status/podIP")).wide(),
    Column::text("Node", |pod| text(pod, "/spec/nodeName")).wide(),
    Column::text("Nominated Node", |pod| text(pod, "/status/nominatedNodeName")).wide(),
    Column::text("Readiness Gates", readiness_gates).wide(),
];

/// Init containers that keep running count as containers (kubectl: restartable init containers).
fn is_sidecar(pod: &Value, name: &str) -> bool {
    items(pod, "/spec/initContainers")
        .iter()
        .any(|c| str_of(c, "/name") == name && str_of(c, "/restartPolicy") == "Always")
}

fn sidecar_statuses(pod: &Value) -> impl Iterator<Item = &Value> {
    items(pod, "/status/initContainerStatuses").iter().filter(|s| is_sidecar(pod, str_of(s, "/name")))
}

fn ready(pod: &Value) -> Cell {
    let sidecars =
        items(pod, "/spec/initContainers").iter().filter(|c| str_of(c, "/restartPolicy") == "Always").count();
    let wanted = items(pod, "/spec/containers").len() + sidecars;
    let is_ready = |s: &&Value| s.get("ready") == Some(&Value::Bool(true));
    let ready = items(pod, "/status/containerStatuses").iter().chain(sidecar_statuses(pod)).filter(is_ready).count();
    ratio(ready as u64, wanted as u64)
}

fn restarts(pod: &Value) -> Cell {
    let statuses = || items(pod, "/status/containerStatuses").iter().chain(sidecar_statuses(pod));
    let sum: u64 = statuses().map(|s| count(s, "/restartCount")).sum();
    let last = statuses()
        .filter_map(|s| parse_rfc3339(str_of(s, "/lastState/terminated/finishedAt")))
        .fold(None, |last: Option<f64>, t| Some(last.map_or(t, |l| l.max(t))));
    Cell::Restarts(sum as f64, if sum > 0 { last } else { None })
}

fn readiness_gates(pod: &Value) -> Cell {
    let gates = items(pod, "/spec/readinessGates");
    if gates.is_empty() {
        return Cell::None;
    }
    let ready = gates.iter().filter(|g| condition(pod, str_of(g, "/conditionType")) == "True").count();
    ratio(ready as u64, gates.len() as u64)
}

/// What kubectl prints as STATUS (its `printPod`): the phase, refined by what the containers say.
fn status(pod: &Value) -> String {
    let reason = str_of(pod, "/status/reason");
    let mut status = if reason.is_empty() { str_of(pod, "/status/phase") } else { reason }.to_owned();
    if condition_reason(pod, "PodScheduled") == "SchedulingGated" {
        "SchedulingGated".clone_into(&mut status);
    }
    match init_status(pod) {
        Some(init) => status = init,
        None => {
            if let Some(own) = container_status(pod, &status) {
                status = own;
            }
        }
    }
    if pod.pointer("/metadata/deletionTimestamp").is_some() {
        // A node that is lost cannot confirm that the pod has ended.
        let lost = reason == "NodeLost";
        if lost {
            return "Unknown".to_owned();
        }
        let phase = str_of(pod, "/status/phase");
        if phase != "Succeeded" && phase != "Failed" {
            return "Terminating".to_owned();
        }
    }
    if status.is_empty() { "Unknown".to_owned() } else { status }
}

fn condition_reason<'a>(pod: &'a Value, kind: &str) -> &'a str {
    let of_kind = |c: &&Value| str_of(c, "/type") == kind;
    items(pod, "/status/conditions").iter().find(of_kind).map_or("", |c| str_of(c, "/reason"))
}

/// The first init container that is not done decides.
fn init_status(pod: &Value) -> Option<String> {
    let statuses = items(pod, "/status/initContainerStatuses");
    let wanted = items(pod, "/spec/initContainers").len();
    for (i, status) in statuses.iter().enumerate() {
        let terminated = status.pointer("/state/terminated");
        if let Some(terminated) = terminated {
            if count(terminated, "/exitCode") == 0 && terminated.get("exitCode").is_some() {
                continue;
            }
            return Some(format!("Init:{}", ended(terminated)));
        }
        if is_sidecar(pod, str_of(status, "/name")) && status.get("started") == Some(&Value::Bool(true)) {
            continue;
        }
        let waiting = str_of(status, "/state/waiting/reason");
        if !waiting.is_empty() && waiting != "PodInitializing" {
            return Some(format!("Init:{waiting}"));
        }
        return Some(format!("Init:{i}/{wanted}"));
    }
    None
}

fn ended(terminated: &Value) -> String {
    let reason = str_of(terminated, "/reason");
    match (reason.is_empty(), count(terminated, "/signal"), count(terminated, "/exitCode")) {
        (false, _, _) => reason.to_owned(),
        (true, 0, code) => format!("ExitCode:{code}"),
        (true, signal, _) => format!("Signal:{signal}"),
    }
}

/// The first container (kubectl walks them from the end, so that the first wins) that says more than the phase.
fn container_status(pod: &Value, phase: &str) -> Option<String> {
    let mut says = None;
    let mut has_running = false;
    for status in items(pod, "/status/containerStatuses").iter().rev() {
        let waiting = str_of(status, "/state/waiting/reason");
        if !waiting.is_empty() {
            says = Some(waiting.to_owned());
        } else if let Some(terminated) = status.pointer("/state/terminated") {
            says = Some(ended(terminated));
        } else if status.get("ready") == Some(&Value::Bool(true)) && status.pointer("/state/running").is_some() {
            has_running = true;
        }
    }
    // A pod whose other containers still run is not completed.
    if has_running && says.as_deref().unwrap_or(phase) == "Completed" {
        let ready = condition(pod, "Ready") == "True";
        says = Some(if ready { "Running" } else { "NotReady" }.to_owned());
    }
    says
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pod: &Value, expected: &str) {
        assert_eq!(status(pod), expected, "{pod}");
    }

    #[test]
    fn status_is_what_kubectl_prints() {
        check(&json!({"status": {"phase": "Running"}}), "Running");
        check(&json!({"status": {"phase": "Failed", "reason": "Evicted"}}), "Evicted");
        check(&json!({}), "Unknown");
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
        assert_eq!(restarts(&pod), Cell::Restarts(3.0, Some(2000.0)));
    }

    #[test]
    fn ready_counts_sidecars() {
        let pod = json!({"spec": {"containers": [{}], "initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]},
            "status": {"containerStatuses": [{"ready": true}], "initContainerStatuses": [{"name": "s", "ready": true}, {"name": "i", "ready": true}]}});
        assert_eq!(ready(&pod), Cell::Text("2/2".into()));
    }
}
