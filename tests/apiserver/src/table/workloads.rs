//! Rows of workloads and disruption budgets.

use serde_json::{Value, json};

use super::age::{between, moment, since};
use super::cells::{containers, either, items, labels, number, or_none, selector, text, text_or};
use super::{age, name};

use crate::clock;

/// Returns the row, with containers, images and the selector at its end.
fn with_containers(mut cells: Vec<Value>, pod_spec: &Value, selector: Option<String>) -> Vec<Value> {
    cells.extend(containers(pod_spec));
    cells.extend(selector.map(Value::from));
    cells
}

pub(super) fn deployment(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let cells = vec![
        name(object),
        json!(format!("{}/{}", number(&status["readyReplicas"]), number(&spec["replicas"]))),
        json!(number(&status["updatedReplicas"])),
        json!(number(&status["availableReplicas"])),
        age(object),
    ];
    with_containers(cells, &spec["template"]["spec"], Some(selector(&spec["selector"])))
}

fn replicas(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let counts = [&spec["replicas"], &status["replicas"], &status["readyReplicas"]];
    let mut cells = vec![name(object)];
    cells.extend(counts.map(|count| json!(number(count))));
    cells.push(age(object));
    cells
}

pub(super) fn replica_set(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    with_containers(replicas(object), &spec["template"]["spec"], Some(or_none(selector(&spec["selector"]))))
}

pub(super) fn replication_controller(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    with_containers(replicas(object), &spec["template"]["spec"], Some(labels(&spec["selector"])))
}

pub(super) fn stateful_set(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let ready = format!("{}/{}", number(&status["readyReplicas"]), number(&spec["replicas"]));
    with_containers(vec![name(object), json!(ready), age(object)], &spec["template"]["spec"], None)
}

/// A revision, whose controller is written `statefulset.apps/web`.
pub(super) fn controller_revision(object: &Value) -> Vec<Value> {
    let controller = items(&object["metadata"]["ownerReferences"]).find(|owner| owner["controller"] == true);
    let controller = controller.map(|owner| {
        let group =
            text(&owner["apiVersion"]).split_once('/').map_or_else(String::new, |(group, _)| format!(".{group}"));
        format!("{}{group}/{}", text(&owner["kind"]), text(&owner["name"])).to_lowercase()
    });
    let controller = or_none(controller.unwrap_or_default());
    vec![name(object), json!(controller), json!(number(&object["revision"])), age(object)]
}

pub(super) fn daemon_set(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let counts = [
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    ];
    let mut cells = vec![name(object)];
    cells.extend(counts.map(|count| json!(number(&status[count]))));
    cells.push(labels(&spec["template"]["spec"]["nodeSelector"]).into());
    cells.push(age(object));
    with_containers(cells, &spec["template"]["spec"], Some(or_none(selector(&spec["selector"]))))
}

pub(super) fn job(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let (succeeded, parallelism) = (number(&status["succeeded"]), number(&spec["parallelism"]));
    let completions = match spec["completions"].as_i64() {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    let duration = moment(&status["startTime"])
        .map_or_else(String::new, |start| between(start, moment(&status["completionTime"]).unwrap_or_else(clock::now)));
    let cells = vec![name(object), json!(job_status(object)), json!(completions), json!(duration), age(object)];
    with_containers(cells, &spec["template"]["spec"], Some(or_none(selector(&spec["selector"]))))
}

fn job_status(object: &Value) -> &'static str {
    let holds = |kind: &str| {
        let mut conditions = items(&object["status"]["conditions"]);
        conditions.any(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    match () {
        () if holds("Complete") => "Complete",
        () if holds("Failed") => "Failed",
        () if object["metadata"]["deletionTimestamp"].is_string() => "Terminating",
        () if holds("Suspended") => "Suspended",
        () if holds("FailureTarget") => "FailureTarget",
        () if holds("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

pub(super) fn cron_job(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let suspended = spec["suspend"].as_bool().map_or("<unset>", |on| if on { "True" } else { "False" });
    let last = &status["lastScheduleTime"];
    let last = if last.is_string() { since(last) } else { "<none>".to_owned() };
    let cells = vec![
        name(object),
        json!(text(&spec["schedule"])),
        json!(text_or(&spec["timeZone"], "<none>")),
        json!(suspended),
        json!(items(&status["active"]).len()),
        json!(last),
        age(object),
    ];
    let job = &spec["jobTemplate"]["spec"];
    with_containers(cells, &job["template"]["spec"], Some(or_none(selector(&job["selector"]))))
}

pub(super) fn disruption_budget(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    let bound = |value: &Value| if value.is_null() { "N/A".to_owned() } else { either(value) };
    vec![
        name(object),
        json!(bound(&spec["minAvailable"])),
        json!(bound(&spec["maxUnavailable"])),
        json!(number(&object["status"]["disruptionsAllowed"])),
        age(object),
    ]
}
