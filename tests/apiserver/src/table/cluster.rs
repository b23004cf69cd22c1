//! Rows of nodes, namespaces, events and plain data.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::age::since;
use super::cells::{either, items, number, text, text_or};
use super::{age, name};

pub(super) fn node(object: &Value) -> Vec<Value> {
    let (status, info) = (&object["status"], &object["status"]["nodeInfo"]);
    let ready = items(&status["conditions"]).rfind(|condition| condition["type"] == "Ready");
    let mut state = match ready {
        Some(condition) if condition["status"] == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if object["spec"]["unschedulable"] == true {
        state.push_str(",SchedulingDisabled");
    }
    let address = |kind: &str| {
        let found = items(&status["addresses"]).find(|address| address["type"] == kind);
        found.map_or("<none>", |address| text(&address["address"]))
    };
    let mut kernel = text_or(&info["kernelVersion"], "<unknown>").to_owned();
    if let Some(architecture) = info["architecture"].as_str().filter(|text| !text.is_empty()) {
        kernel = format!("{kernel} ({architecture})");
    }
    vec![
        name(object),
        json!(state),
        json!(roles(&object["metadata"]["labels"])),
        age(object),
        json!(text(&info["kubeletVersion"])),
        json!(address("InternalIP")),
        json!(address("ExternalIP")),
        json!(text_or(&info["osImage"], "<unknown>")),
        json!(kernel),
        json!(text_or(&info["containerRuntimeVersion"], "<unknown>")),
    ]
}

fn roles(labels: &Value) -> String {
    let role = |(key, value): (&String, &Value)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role.to_owned()),
        None if key == "kubernetes.io/role" => value.as_str().map(str::to_owned),
        None => None,
    };
    let roles: BTreeSet<String> = labels.as_object().into_iter().flatten().filter_map(role).collect();
    let roles: Vec<String> = roles.into_iter().filter(|role| !role.is_empty()).collect();
    if roles.is_empty() { "<none>".to_owned() } else { roles.join(",") }
}

pub(super) fn namespace(object: &Value) -> Vec<Value> {
    vec![name(object), json!(text(&object["status"]["phase"])), age(object)]
}

pub(super) fn event(object: &Value) -> Vec<Value> {
    let first = &object["firstTimestamp"];
    let first = since(if first.is_string() { first } else { &object["eventTime"] });
    let (last, series) = (&object["lastTimestamp"], &object["series"]);
    let (last, count) = if series.is_object() {
        (since(&series["lastObservedTime"]), number(&series["count"]))
    } else {
        let last = if last.is_string() { since(last) } else { first.clone() };
        (last, number(&object["count"]).max(1))
    };
    let involved = &object["involvedObject"];
    let mut target = text(&involved["kind"]).to_lowercase();
    if let Some(named) = involved["name"].as_str().filter(|text| !text.is_empty()) {
        target = format!("{target}/{named}");
    }
    let source = &object["source"];
    let mut reporter = text_or(&source["component"], text(&object["reportingComponent"])).to_owned();
    let instance = text_or(&source["host"], text(&object["reportingInstance"]));
    if !instance.is_empty() {
        reporter = format!("{reporter}, {instance}");
    }
    vec![
        json!(last),
        json!(text(&object["type"])),
        json!(text(&object["reason"])),
        json!(target),
        json!(text(&involved["fieldPath"])),
        json!(reporter),
        json!(text(&object["message"]).trim()),
        json!(first),
        json!(count),
        name(object),
    ]
}

fn entries(value: &Value) -> usize {
    value.as_object().map_or(0, Map::len)
}

pub(super) fn config_map(object: &Value) -> Vec<Value> {
    vec![name(object), json!(entries(&object["data"]) + entries(&object["binaryData"])), age(object)]
}

pub(super) fn secret(object: &Value) -> Vec<Value> {
    vec![name(object), json!(text(&object["type"])), json!(entries(&object["data"])), age(object)]
}

pub(super) fn quota(object: &Value) -> Vec<Value> {
    let status = &object["status"];
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (resource, hard) in status["hard"].as_object().into_iter().flatten() {
        let used = &status["used"][resource];
        let used = if used.is_null() { "0".to_owned() } else { either(used) };
        let column = if resource.starts_with("limits.") { &mut limits } else { &mut requests };
        column.push(format!("{resource}: {used}/{}", either(hard)));
    }
    vec![name(object), json!(requests.join(", ")), json!(limits.join(", ")), age(object)]
}
