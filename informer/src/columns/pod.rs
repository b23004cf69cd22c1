//! Pods, with kubectl's derived status.

use std::borrow::Cow;

use informer_packing::{Json, Outline};

use super::{Cell, Column, condition, count_in, is_true, items, moment, ratio, str_in, str_of, text};

pub(super) static COLUMNS: [Column; 7] = [
    Column::text("Ready", ready),
    Column::text("Status", |pod| Cell::Text(status(pod).into_owned())),
    Column::number("Restarts", restarts),
    Column::text("IP", |pod| text(pod, "/status/podIP")).wide(),
    Column::text("Node", |pod| text(pod, "/spec/nodeName")).wide(),
    Column::text("Nominated Node", |pod| text(pod, "/status/nominatedNodeName")).wide(),
    Column::text("Readiness Gates", readiness_gates).wide(),
];

/// Init containers that keep running count as containers (kubectl: restartable init containers).
fn is_sidecar(pod: &Outline<'_>, name: &str) -> bool {
    items(pod, "/spec/initContainers").any(|c| str_in(c, "/name") == name && str_in(c, "/restartPolicy") == "Always")
}

fn sidecar_statuses<'j>(pod: &Outline<'j>) -> impl Iterator<Item = Json<'j>> {
    items(pod, "/status/initContainerStatuses").filter(|s| is_sidecar(pod, &str_in(*s, "/name")))
}

fn ready(pod: &Outline<'_>) -> Cell {
    let sidecars = items(pod, "/spec/initContainers").filter(|c| str_in(*c, "/restartPolicy") == "Always").count();
    let wanted = items(pod, "/spec/containers").count() + sidecars;
    let statuses = items(pod, "/status/containerStatuses").chain(sidecar_statuses(pod));
    let ready = statuses.filter(|s| is_true(*s, "ready")).count();
    ratio(ready as u64, wanted as u64)
}

fn restarts(pod: &Outline<'_>) -> Cell {
    let (mut sum, mut last) = (0, None::<f64>);
    for status in items(pod, "/status/containerStatuses").chain(sidecar_statuses(pod)) {
        sum += count_in(status, "/restartCount");
        if let Some(ended) = status.pointer("/lastState/terminated/finishedAt").and_then(moment) {
            last = Some(last.map_or(ended, |last| last.max(ended)));
        }
    }
    Cell::Restarts(sum as f64, if sum > 0 { last } else { None })
}

fn readiness_gates(pod: &Outline<'_>) -> Cell {
    let (mut ready, mut all) = (0, 0);
    for gate in items(pod, "/spec/readinessGates") {
        all += 1;
        ready += u64::from(condition(pod, &str_in(gate, "/conditionType"), "/status") == "True");
    }
    if all == 0 { Cell::None } else { ratio(ready, all) }
}

/// What kubectl prints as STATUS (its `printPod`): the phase, refined by what the containers say.
fn status(pod: &Outline<'_>) -> Cow<'static, str> {
    let (reason, phase) = (str_of(pod, "/status/reason"), str_of(pod, "/status/phase"));
    let mut status = if reason.is_empty() { phase.to_string() } else { reason.to_string() };
    if condition(pod, "PodScheduled", "/reason") == "SchedulingGated" {
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
        if reason == "NodeLost" {
            return Cow::Borrowed("Unknown");
        }
        if phase != "Succeeded" && phase != "Failed" {
            return Cow::Borrowed("Terminating");
        }
    }
    if status.is_empty() { Cow::Borrowed("Unknown") } else { Cow::Owned(status) }
}

/// The first init container that is not done decides.
fn init_status(pod: &Outline<'_>) -> Option<String> {
    for (i, status) in items(pod, "/status/initContainerStatuses").enumerate() {
        if let Some(terminated) = status.pointer("/state/terminated") {
            if terminated.get("exitCode").and_then(Json::as_u64) == Some(0) {
                continue;
            }
            return Some(format!("Init:{}", ended(terminated)));
        }
        if is_sidecar(pod, &str_in(status, "/name")) && is_true(status, "started") {
            continue;
        }
        let waiting = str_in(status, "/state/waiting/reason");
        if !waiting.is_empty() && waiting != "PodInitializing" {
            return Some(format!("Init:{waiting}"));
        }
        return Some(format!("Init:{i}/{}", items(pod, "/spec/initContainers").count()));
    }
    None
}

fn ended(terminated: Json<'_>) -> String {
    let reason = str_in(terminated, "/reason");
    match (reason.is_empty(), count_in(terminated, "/signal"), count_in(terminated, "/exitCode")) {
        (false, _, _) => reason.into_owned(),
        (true, 0, code) => format!("ExitCode:{code}"),
        (true, signal, _) => format!("Signal:{signal}"),
    }
}

/// The first container that says more than the phase.
fn container_status(pod: &Outline<'_>, phase: &str) -> Option<String> {
    let mut says = None;
    let mut has_running = false;
    for status in items(pod, "/status/containerStatuses") {
        let waiting = str_in(status, "/state/waiting/reason");
        if !waiting.is_empty() {
            says = says.or_else(|| Some(waiting.into_owned()));
        } else if let Some(terminated) = status.pointer("/state/terminated") {
            says = says.or_else(|| Some(ended(terminated)));
        } else if is_true(status, "ready") && status.pointer("/state/running").is_some() {
            has_running = true;
        }
    }
    // A pod whose other containers still run is not completed.
    if has_running && says.as_deref().unwrap_or(phase) == "Completed" {
        let ready = condition(pod, "Ready", "/status") == "True";
        says = Some(if ready { "Running" } else { "NotReady" }.to_owned());
    }
    says
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(pod: &Value, expected: &str) {
        let text = pod.to_string();
        assert_eq!(status(&Outline::of(Json::new(&text))), expected, "{pod}");
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
        let pod = pod.to_string();
        assert_eq!(restarts(&Outline::of(Json::new(&pod))), Cell::Restarts(3.0, Some(2000.0)));
    }

    #[test]
    fn ready_counts_sidecars() {
        let pod = json!({"spec": {"containers": [{}], "initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]},
            "status": {"containerStatuses": [{"ready": true}], "initContainerStatuses": [{"name": "s", "ready": true}, {"name": "i", "ready": true}]}});
        let pod = pod.to_string();
        assert_eq!(ready(&Outline::of(Json::new(&pod))), Cell::Text("2/2".into()));
    }
}
