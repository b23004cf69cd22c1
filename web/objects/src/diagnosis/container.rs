//! Rules for containers of a pod that end or cannot be started: memory, crashes, configuration.

use serde_json::Value;

use super::Rule;
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::POD;
use crate::subject::Subject;
use crate::words::{quoted, times};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "ContainerOutOfMemory", severity: Severity::Error, kinds: &[POD], check: out_of_memory },
    Rule { code: "ContainerCrashLoop", severity: Severity::Error, kinds: &[POD], check: crash_loop },
    Rule { code: "ContainerCannotRun", severity: Severity::Error, kinds: &[POD], check: cannot_run },
    Rule { code: "ContainerExited", severity: Severity::Error, kinds: &[POD], check: exited },
    Rule {
        code: "ContainerRestartedOutOfMemory",
        severity: Severity::Warning,
        kinds: &[POD],
        check: restarted_out_of_memory,
    },
];

/// A container's status, and where it is.
pub(crate) struct Container<'a> {
    /// The list: `initContainerStatuses`.
    pub list: &'static str,
    /// Its status.
    pub status: &'a Value,
    /// Its spec; null if there is none of this name.
    pub spec: &'a Value,
}

impl<'a> Container<'a> {
    pub(crate) fn name(&self) -> &'a str {
        self.status.text("name")
    }

    /// The path of a field of its status.
    pub(crate) fn path(&self, field: &str) -> String {
        format!("status.{}[{}].{field}", self.list, self.name())
    }

    /// `Container web` or `Init container migrate`.
    pub(crate) fn title(&self) -> String {
        match self.list {
            "initContainerStatuses" if self.spec.text("restartPolicy") == "Always" => {
                format!("Sidecar container {}", self.name())
            }
            "initContainerStatuses" => format!("Init container {}", self.name()),
            "ephemeralContainerStatuses" => format!("Debug container {}", self.name()),
            _ => format!("Container {}", self.name()),
        }
    }

    /// The reason why it waits; empty if it does not wait.
    pub(crate) fn waiting(&self) -> &'a str {
        self.status.text("state.waiting.reason")
    }
}

/// The containers of a pod with a status: init containers first.
pub(crate) fn containers(pod: &Value) -> impl Iterator<Item = Container<'_>> {
    [("initContainerStatuses", "spec.initContainers"), ("containerStatuses", "spec.containers")].into_iter().flat_map(
        move |(list, specs)| {
            let statuses = pod.list(if list == "containerStatuses" {
                "status.containerStatuses"
            } else {
                "status.initContainerStatuses"
            });
            statuses.iter().map(move |status| {
                let spec = pod.list(specs).iter().find(|spec| spec.text("name") == status.text("name"));
                Container { list, status, spec: spec.unwrap_or(&Value::Null) }
            })
        },
    )
}

/// Last log lines of a container, if the caller requested them.
pub(super) fn log<'a>(subject: &Subject<'a>, container: &str) -> Option<&'a str> {
    let of = |log: &&crate::subject::Log<'_>| log.pod == subject.object.uid() && log.container == container;
    subject.logs.iter().find(of).map(|log| log.lines)
}

/// Whether the last run of a container ended because it used too much memory.
fn was_killed_for_memory(terminated: &Value) -> bool {
    terminated.text("reason") == "OOMKilled"
}

fn limit(container: &Container<'_>) -> String {
    let in_status = container.status.text("resources.limits.memory");
    let limit = if in_status.is_empty() { container.spec.text("resources.limits.memory") } else { in_status };
    if limit.is_empty() {
        "it has no limit of its own, so the node or the pod's limit ran out of memory".to_owned()
    } else {
        format!("its limit is {limit}")
    }
}

fn out_of_memory(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let ended = |container: Container<'_>| {
        let (state, last) = (container.status.at("state.terminated"), container.status.at("lastState.terminated"));
        let (at, path) = if was_killed_for_memory(state) {
            (state, "state.terminated")
        } else if container.waiting() == "CrashLoopBackOff" && was_killed_for_memory(last) {
            (last, "lastState.terminated")
        } else {
            return None;
        };
        Some(memory_finding(subject, &container, at, path, "and is not running"))
    };
    containers(pod).filter_map(ended).collect()
}

fn memory_finding(subject: &Subject<'_>, container: &Container<'_>, ended: &Value, path: &str, then: &str) -> Finding {
    let restarts = container.status.count("restartCount");
    let restarts = if restarts > 0 { format!(" (restarted {})", times(restarts)) } else { String::new() };
    Finding::new(
        format!(
            "{} was killed for using too much memory (exit code {}), {then}{restarts}; {}.",
            container.title(),
            ended.count("exitCode"),
            limit(container)
        ),
        "Raise the memory limit, or find out what uses the memory.",
    )
    .cause(container.name())
    .value(container.path(&format!("{path}.reason")), ended.text("reason"))
    .value(container.path(&format!("{path}.finishedAt")), ended.text("finishedAt"))
    .value(container.path("restartCount"), container.status.count("restartCount").to_string())
    .log(container.name(), log(subject, container.name()))
}

/// It runs again, but the previous run was killed within the last hour.
fn restarted_out_of_memory(subject: &Subject<'_>) -> Vec<Finding> {
    let recent = |container: &Container<'_>| {
        let last = container.status.at("lastState.terminated");
        let ago = subject.since(last.moment("finishedAt"));
        container.status.has("state.running") && was_killed_for_memory(last) && ago.is_some_and(|ago| ago < 3_600_000.0)
    };
    let finding = |container: Container<'_>| {
        let last = container.status.at("lastState.terminated");
        memory_finding(subject, &container, last, "lastState.terminated", "and runs again")
    };
    containers(subject.object).filter(recent).map(finding).collect()
}

/// Meaning of an exit code, if it does not depend on the program.
fn exit_meaning(code: i64) -> &'static str {
    match code {
        126 => " (the command cannot be executed)",
        127 => " (command not found)",
        134 => " (SIGABRT)",
        137 => " (SIGKILL)",
        139 => " (SIGSEGV)",
        143 => " (SIGTERM)",
        _ => "",
    }
}

/// End of a run: `exited with code 1 (Error)`.
fn ending(ended: &Value) -> String {
    match ended.number("signal") {
        Some(signal) if signal != 0 => format!("was ended by signal {signal}"),
        _ => {
            let code = ended.count("exitCode");
            format!("exited with code {code}{}", exit_meaning(code))
        }
    }
}

fn crash_loop(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let loops = containers(pod).filter(|container| {
        container.waiting() == "CrashLoopBackOff" && !was_killed_for_memory(container.status.at("lastState.terminated"))
    });
    let finding = |container: Container<'_>| {
        let (last, restarts) = (container.status.at("lastState.terminated"), container.status.count("restartCount"));
        let how = if last.is_object() {
            format!("its last run {}", ending(last))
        } else {
            "its last run is not recorded".to_owned()
        };
        // A container that ends in good order is restarted all the same.
        let next = if last.number("exitCode") == Some(0) {
            "The command ends with success, and the restart policy starts it again: run something that does not end, or use a Job."
        } else {
            "Read the log of the previous run."
        };
        let own = last.text("message").trim();
        let own = if own.is_empty() { String::new() } else { format!(" It wrote: {}", quoted(own)) };
        let restarted = times(restarts);
        Finding::new(
            format!("{} crashes repeatedly: {how}, and it was restarted {restarted}.{own}", container.title()),
            next,
        )
        .cause(format!("{}: {}", container.name(), last.number("exitCode").unwrap_or(-1)))
        .value(container.path("state.waiting.reason"), container.waiting())
        .value(container.path("state.waiting.message"), container.status.text("state.waiting.message"))
        .value(container.path("lastState.terminated.exitCode"), last.count("exitCode").to_string())
        .value(container.path("lastState.terminated.finishedAt"), last.text("finishedAt"))
        .log(container.name(), log(subject, container.name()))
    };
    loops.map(finding).collect()
}

/// The runtime refused to start it: a bad command, a missing config map, a name that is too long.
fn cannot_run(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let refused = containers(pod).filter_map(|container| {
        let waiting = matches!(
            container.waiting(),
            "CreateContainerConfigError"
                | "CreateContainerError"
                | "RunContainerError"
                | "PreCreateHookError"
                | "PreStartHookError"
                | "PostStartHookError"
        );
        waiting.then(|| {
            let message = container.status.text("state.waiting.message");
            let (sentence, next) = config_error(&container, message);
            // The missing object distinguishes findings, unless the message names the pod: "container has runAsNonRoot … (pod:
            // "web-x2x8k_shop…")".
            let is_alike = container.waiting() == "CreateContainerConfigError" && !message.contains(pod.name());
            let cause = if is_alike { message } else { container.waiting() };
            Finding::new(sentence, next)
                .cause(format!("{}: {cause}", container.name()))
                .value(container.path("state.waiting.reason"), container.waiting())
                .value(container.path("state.waiting.message"), message)
                .event(event::last(subject, pod, &["Failed"], |_| true))
        })
    });
    let started = containers(pod).filter_map(|container| {
        let ended = container.status.at("state.terminated");
        matches!(ended.text("reason"), "ContainerCannotRun" | "StartError").then(|| {
            Finding::new(
                format!("{} could not be started: {}", container.title(), quoted(ended.text("message"))),
                "Correct the container's command, working directory or mounts.",
            )
            .cause(container.name())
            .value(container.path("state.terminated.reason"), ended.text("reason"))
            .value(container.path("state.terminated.message"), ended.text("message"))
        })
    });
    refused.chain(started).collect()
}

fn config_error(container: &Container<'_>, message: &str) -> (String, String) {
    let title = container.title();
    for (start, kind) in [("configmap \"", "ConfigMap"), ("secret \"", "Secret")] {
        let name = message.strip_prefix(start).and_then(|rest| rest.split_once('"'));
        if let Some((name, rest)) = name
            && rest.trim() == "not found"
        {
            return (
                format!("{title} cannot be started, because {kind} {name} does not exist."),
                format!("Create {kind} {name}, correct its name, or mark the reference as optional."),
            );
        }
    }
    if let Some((key, of)) = message.strip_prefix("couldn't find key ").and_then(|rest| rest.split_once(" in ")) {
        return (
            format!("{title} cannot be started, because there is no key {key} in {}", quoted(of)),
            format!("Add the key {key}, correct its name, or mark the reference as optional."),
        );
    }
    let what = if message.is_empty() { container.waiting() } else { message };
    (format!("{title} cannot be started: {}", quoted(what)), "Correct the container's configuration.".to_owned())
}

/// A container that failed and is not restarted.
fn exited(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    // The termination of a job's pod is not a failure of the container.
    if !pod.text("status.reason").is_empty() || pod.has("metadata.deletionTimestamp") {
        return Vec::new();
    }
    let failed = containers(pod).filter(|container| {
        let ended = container.status.at("state.terminated");
        ended.count("exitCode") != 0
            && !matches!(ended.text("reason"), "OOMKilled" | "ContainerCannotRun" | "StartError")
    });
    let finding = |container: Container<'_>| {
        let ended = container.status.at("state.terminated");
        let own = ended.text("message").trim();
        let own = if own.is_empty() { String::new() } else { format!(" It wrote: {}", quoted(own)) };
        Finding::new(format!("{} {}.{own}", container.title(), ending(ended)), "Read its log.")
            .cause(format!("{}: {}", container.name(), ended.count("exitCode")))
            .value(container.path("state.terminated.exitCode"), ended.count("exitCode").to_string())
            .value(container.path("state.terminated.reason"), ended.text("reason"))
            .value(container.path("state.terminated.finishedAt"), ended.text("finishedAt"))
            .log(container.name(), log(subject, container.name()))
    };
    failed.map(finding).collect()
}
