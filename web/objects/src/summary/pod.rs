//! Summary of a pod.

use serde_json::Value;

use super::general::{MOST, cut};
use super::template;
use crate::field::Fields;
use crate::kinds::{NODE, SERVICE_ACCOUNT};
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone};
use crate::subject::Subject;

pub(super) fn add(subject: &Subject<'_>, sections: &mut Sections) {
    let pod = subject.object;
    let mut facts = Facts::default();
    facts.cell("Phase", Cell::text(pod.text("status.phase")).with_tone(phase_tone(pod.text("status.phase"))));
    facts.cell("Reason", Cell::toned(cut(pod.text("status.reason")), Tone::Bad));
    facts.text("Message", cut(pod.text("status.message")));
    let controller = pod.controller();
    if controller.is_object() {
        facts.cell("Controlled by", Cell::kind_link(Link::of_reference(controller, pod.namespace())));
    }
    let node = pod.text("spec.nodeName");
    if !node.is_empty() {
        facts.cell("Node", Cell::link(Link::to(NODE, "", node)));
    }
    facts.field("Nominated node", pod, "status.nominatedNodeName");
    facts.cells("Pod IPs", pod.list("status.podIPs").iter().take(MOST).map(|ip| Cell::text(cut(ip.text("ip")))));
    let account = pod.text("spec.serviceAccountName");
    if !account.is_empty() {
        facts.cell("Service account", Cell::link(Link::to(SERVICE_ACCOUNT, pod.namespace(), account)));
    }
    facts.field("QoS class", pod, "status.qosClass");
    facts.field("Priority class", pod, "spec.priorityClassName");
    facts.field("Restart policy", pod, "spec.restartPolicy");
    facts.field("Runtime class", pod, "spec.runtimeClassName");
    facts.field("Active deadline (s)", pod, "spec.activeDeadlineSeconds");
    facts.field("Grace period (s)", pod, "spec.terminationGracePeriodSeconds");
    facts.time("Started", pod, "status.startTime");
    sections.facts("Pod", facts);
    states(pod, sections);
    template::add(pod.at("spec"), pod.namespace(), sections);
}

fn phase_tone(phase: &str) -> Option<Tone> {
    match phase {
        "Running" => Some(Tone::Ok),
        "Pending" | "Unknown" => Some(Tone::Warn),
        "Failed" => Some(Tone::Bad),
        "Succeeded" => Some(Tone::Idle),
        _ => None,
    }
}

/// The state of each container.
fn states(pod: &Value, sections: &mut Sections) {
    for (title, statuses) in [
        ("Init container states", "status.initContainerStatuses"),
        ("Container states", "status.containerStatuses"),
        ("Debug container states", "status.ephemeralContainerStatuses"),
    ] {
        let row = |status: &Value| {
            vec![
                Cell::text(cut(status.text("name"))),
                state(status.at("state"), status.is("ready")),
                Cell::text(if status.is("ready") { "yes" } else { "no" }),
                Cell::text(status.count("restartCount").to_string())
                    .with_tone((status.count("restartCount") > 0).then_some(Tone::Warn)),
                last_termination(status.at("lastState.terminated")),
            ]
        };
        let rows = pod.list(statuses).iter().take(MOST).map(row).collect();
        sections.table(title, &["Container", "State", "Ready", "Restarts", "Last termination"], rows);
    }
}

fn state(state: &Value, ready: bool) -> Cell {
    if state.has("running") {
        let tone = if ready { Tone::Ok } else { Tone::Warn };
        Cell::toned("Running", tone).at(state.moment("running.startedAt"))
    } else if state.has("terminated") {
        let good = state.number("terminated.exitCode") == Some(0);
        let ended = last_termination(state.at("terminated"));
        ended.with_tone(Some(if good { Tone::Idle } else { Tone::Bad }))
    } else if state.has("waiting") {
        let reason = state.text("waiting.reason");
        let tone = if matches!(reason, "ContainerCreating" | "PodInitializing" | "") { Tone::Warn } else { Tone::Bad };
        Cell::toned(cut(if reason.is_empty() { "Waiting" } else { reason }), tone)
    } else {
        Cell::default()
    }
}

/// End of a run: `Error (exit code 1)`, with its time.
fn last_termination(ended: &Value) -> Cell {
    if !ended.is_object() {
        return Cell::default();
    }
    let reason = match ended.text("reason") {
        "" => "Terminated",
        reason => reason,
    };
    Cell::text(cut(&format!("{reason} (exit code {})", ended.count("exitCode")))).at(ended.moment("finishedAt"))
}
