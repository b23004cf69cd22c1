//! Rules for containers of a pod that run and are not ready: probes, init containers.

use super::Rule;
use super::container::{Container, containers, log};
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::POD;
use crate::subject::Subject;
use crate::words::{duration, quoted, times};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "StartupProbeFails", severity: Severity::Error, kinds: &[POD], check: startup_probe },
    Rule { code: "LivenessProbeFails", severity: Severity::Error, kinds: &[POD], check: liveness_probe },
    Rule { code: "LivenessProbeFailed", severity: Severity::Warning, kinds: &[POD], check: liveness_probe_failed },
    Rule { code: "ReadinessProbeFails", severity: Severity::Error, kinds: &[POD], check: readiness_probe },
    Rule { code: "ContainerNotReady", severity: Severity::Warning, kinds: &[POD], check: not_ready },
    Rule { code: "InitContainerRuns", severity: Severity::Warning, kinds: &[POD], check: init_container },
];

/// Time for which a failed liveness probe is reported, in milliseconds.
const RECENT: f64 = 600_000.0;

/// Normal duration of an init container, or of a container that is not ready, in milliseconds.
const PATIENCE: f64 = 120_000.0;

/// Findings about the failing probe of a `kind`, one for each container that `fails`. The evidence is the last event of the
/// kubelet that `counts`; `says` makes the sentence from the container and the time of that event.
fn probe(
    subject: &Subject<'_>,
    kind: &str,
    fails: impl Fn(&Container<'_>) -> bool,
    counts: impl Fn(&Container<'_>, Option<f64>) -> bool,
    says: impl Fn(&Container<'_>, Option<f64>) -> String,
    next: &str,
) -> Vec<Finding> {
    let pod = subject.object;
    if pod.has("metadata.deletionTimestamp") {
        return Vec::new();
    }
    let start = format!("{kind} probe ");
    let finding = |container: Container<'_>| {
        let field = format!("spec.containers{{{}}}", container.name());
        let init = format!("spec.initContainers{{{}}}", container.name());
        let events = subject.events(pod).unwrap_or_default().into_iter().filter(|event| {
            let of = event::about(event).text("fieldPath");
            (of == field || of == init)
                && event.text("reason") == "Unhealthy"
                && event::message(event).starts_with(&start)
                && counts(&container, event::last_seen(event))
        });
        let event = events.max_by(|a, b| {
            event::last_seen(a).unwrap_or_default().total_cmp(&event::last_seen(b).unwrap_or_default())
        })?;
        let message = event::message(event).strip_prefix(&start).unwrap_or_default();
        let message = message.strip_prefix("failed: ").or_else(|| message.strip_prefix("errored: ")).unwrap_or(message);
        let message = message.replace("errored and resulted in unknown state: ", "");
        let says = says(&container, event::last_seen(event));
        Some(
            Finding::new(format!("{} {says}: {}", container.title(), quoted(&message)), next)
                .cause(container.name())
                .event(Some(event))
                .value(container.path("ready"), container.status.is("ready").to_string())
                .value(container.path("restartCount"), container.status.count("restartCount").to_string()),
        )
    };
    containers(pod).filter(|container| fails(container)).filter_map(finding).collect()
}

/// Whether an event belongs to the current run of a container, by the time when it was last seen.
fn is_of_run(container: &Container<'_>, seen: Option<f64>) -> bool {
    seen >= container.status.moment("state.running.startedAt").or(Some(0.0))
}

fn startup_probe(subject: &Subject<'_>) -> Vec<Finding> {
    let fails = |container: &Container<'_>| container.status.has("state.running") && !container.status.is("started");
    probe(
        subject,
        "Startup",
        fails,
        is_of_run,
        |_, _| "has not started up, and its startup probe fails".to_owned(),
        "Read its log, and compare the probe's failureThreshold with the time that it takes to start.",
    )
}

fn liveness_probe(subject: &Subject<'_>) -> Vec<Finding> {
    liveness(subject, |container| !container.status.is("ready"))
}

/// The container is ready again, and may fail again.
fn liveness_probe_failed(subject: &Subject<'_>) -> Vec<Finding> {
    liveness(subject, |container| container.status.is("ready"))
}

/// The kubelet restarts the container, so that the last event is often older than the run.
fn liveness(subject: &Subject<'_>, is_it: impl Fn(&Container<'_>) -> bool) -> Vec<Finding> {
    let ago = |seen| subject.since(seen).unwrap_or_default();
    probe(
        subject,
        "Liveness",
        |container| container.status.count("restartCount") > 0 && is_it(container),
        |_, seen| subject.since(seen).is_some_and(|ago| ago < RECENT),
        |container, seen| {
            let restarted = times(container.status.count("restartCount"));
            format!("was restarted {restarted}, and its liveness probe failed {} ago", duration(ago(seen)))
        },
        "Read the log of the previous run, and check the probe's path, port and timeout.",
    )
}

fn readiness_probe(subject: &Subject<'_>) -> Vec<Finding> {
    let fails = |container: &Container<'_>| {
        container.status.has("state.running")
            && !container.status.is("ready")
            && container.status.at("started").as_bool() != Some(false)
    };
    probe(
        subject,
        "Readiness",
        fails,
        is_of_run,
        |_, _| "runs and is not ready, and its readiness probe fails".to_owned(),
        "Check what the probe requests: the program's log, its path, port and timeout.",
    )
}

/// It runs and is not ready, and no event has the reason.
fn not_ready(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    if pod.has("metadata.deletionTimestamp") || pod.text("status.phase") != "Running" {
        return Vec::new();
    }
    let explained = [startup_probe(subject), readiness_probe(subject)].concat();
    let waits = containers(pod).filter(|container| {
        let running = container.status.moment("state.running.startedAt");
        container.list == "containerStatuses"
            && !container.status.is("ready")
            && subject.since(running).is_some_and(|since| since > PATIENCE)
            && !explained.iter().any(|finding| finding.sentence.starts_with(&format!("{} ", container.title())))
    });
    let finding = |container: Container<'_>| {
        let probes = ["readinessProbe", "startupProbe"].into_iter().filter(|probe| container.spec.has(probe));
        let ground = match probes.collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            // Unknown events may contain the reason.
            _ if subject.events(pod).is_none() => String::new(),
            probes => format!(
                " It is probably failing its {}: the spec has one, and no event of it is left.",
                probes.join(" or ")
            ),
        };
        Finding::new(
            format!(
                "{} has been running for {} and is not ready.{ground}",
                container.title(),
                duration(subject.since(container.status.moment("state.running.startedAt")).unwrap_or_default())
            ),
            "Read its log, and try what its readiness probe requests.",
        )
        .cause(container.name())
        .value(container.path("ready"), "false")
        .value(container.path("state.running.startedAt"), container.status.text("state.running.startedAt"))
        .condition(pod, "ContainersReady")
    };
    waits.map(finding).collect()
}

/// The containers wait for an init container that has been running for long.
fn init_container(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let long = |container: &Container<'_>| {
        let since = subject.since(container.status.moment("state.running.startedAt"));
        container.list == "initContainerStatuses"
            && container.spec.text("restartPolicy") != "Always"
            && since.is_some_and(|since| since > PATIENCE)
    };
    let finding = |container: Container<'_>| {
        let since = subject.since(container.status.moment("state.running.startedAt")).unwrap_or_default();
        Finding::new(
            format!(
                "The pod's containers wait for {}, which has been running for {}.",
                container.title().replacen('I', "i", 1),
                duration(since)
            ),
            "Read the log of the init container.",
        )
        .cause(container.name())
        .value(container.path("state.running.startedAt"), container.status.text("state.running.startedAt"))
        .condition(pod, "Initialized")
        .log(container.name(), log(subject, container.name()))
    };
    containers(pod).filter(long).map(finding).collect()
}
