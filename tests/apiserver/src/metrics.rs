//! Metrics of nodes and pods, as a metrics server returns them: lists without a version, computed for each request.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::address::Address;
use crate::clock;
use crate::kinds::Kind;
use crate::object::{Entry, object_key};
use crate::query::Query;
use crate::selection::Selection;
use crate::status::Status;
use crate::store::Store;

/// Number of revisions in one wave of usage.
const REVISIONS_PER_WAVE: f64 = 2_000.0;

/// Usage of a node's system: billionths of a core, and KiB.
const SYSTEM_USAGE: (u64, u64) = (150_000_000, 800 * 1024);

/// Resource usage: billionths of a core, and KiB.
#[derive(Clone, Copy, Default)]
struct Usage {
    cpu: u64,
    memory: u64,
}

impl Usage {
    fn plus(self, other: Self) -> Self {
        Self { cpu: self.cpu + other.cpu, memory: self.memory + other.memory }
    }

    fn json(self) -> Value {
        json!({"cpu": format!("{}n", self.cpu), "memory": format!("{}Ki", self.memory)})
    }
}

/// Returns the metrics of one object, or a list.
pub(crate) fn read(store: &Store, kind: &Arc<Kind>, address: &Address, query: &Query) -> Result<Value, Status> {
    let of = store.find_kind("", "v1", &kind.plural)?;
    let api_version = kind.api_version(&address.version);
    let phase = WavePhase::of(store);
    let node_usages = if kind.namespaced { BTreeMap::new() } else { node_usages(store, phase) };
    let metrics = |entry: &Entry| {
        let object = entry.value();
        let mut item = if kind.namespaced { pod_metrics(&object, phase)? } else { node_metrics(&object, &node_usages) };
        item["timestamp"] = humantime::format_rfc3339_seconds(clock::now()).to_string().into();
        item["window"] = "15s".into();
        Some(item)
    };
    if let Some(name) = &address.name {
        let entry = store.find(&of.id(), &object_key(&address.namespace, name));
        let mut item = entry
            .and_then(|entry| metrics(&entry))
            .ok_or_else(|| Status::not_found(&kind.group, &kind.plural, name))?;
        item["kind"] = kind.name.clone().into();
        item["apiVersion"] = api_version.into();
        return Ok(item);
    }
    let selection = Selection::parse(&of, &address.namespace, query)?;
    let (objects, _) = store.snapshot(&of.id(), None)?;
    let is_selected = |entry: &&Arc<Entry>| {
        let namespace = entry.key.split_once('/').map_or("", |(namespace, _)| namespace);
        (selection.namespace.is_empty() || selection.namespace == namespace) && selection.matches(entry)
    };
    let items: Vec<Value> = objects.values().filter(is_selected).filter_map(|entry| metrics(entry)).collect();
    Ok(json!({"kind": kind.list_name, "apiVersion": api_version, "metadata": {}, "items": items}))
}

/// Phase of the wave: it advances with the changes of the cluster, and stands still with them.
#[derive(Clone, Copy)]
struct WavePhase(f64);

impl WavePhase {
    #[expect(clippy::cast_precision_loss, reason = "a phase")]
    fn of(store: &Store) -> Self {
        Self(store.revision() as f64 / REVISIONS_PER_WAVE)
    }

    /// Returns the share of its requests that a container uses: its own level, and a wave around it.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn share(self, name: &str) -> f64 {
        let hash = name.bytes().fold(7_u64, |hash, byte| (hash * 31 + u64::from(byte)) % 9_973);
        let level = hash as f64 / 9_973.0;
        0.15 + 0.6 * level + 0.1 * (std::f64::consts::TAU * (self.0 + level)).sin()
    }
}

/// Returns the metrics of a running pod.
fn pod_metrics(pod: &Value, phase: WavePhase) -> Option<Value> {
    if pod["status"]["phase"] != "Running" {
        return None;
    }
    let containers: Vec<Value> =
        container_usages(pod, phase).map(|(name, usage)| json!({"name": name, "usage": usage.json()})).collect();
    Some(json!({"metadata": metadata(pod), "containers": containers}))
}

/// Returns the metrics of a node: its system, and the containers of its running pods.
fn node_metrics(node: &Value, node_usages: &BTreeMap<String, Usage>) -> Value {
    let system = Usage { cpu: SYSTEM_USAGE.0, memory: SYSTEM_USAGE.1 };
    let pods = node["metadata"]["name"].as_str().and_then(|name| node_usages.get(name).copied()).unwrap_or_default();
    json!({"metadata": metadata(node), "usage": system.plus(pods).json()})
}

/// Returns the usage of the running pods of each node.
fn node_usages(store: &Store, phase: WavePhase) -> BTreeMap<String, Usage> {
    let mut sums: BTreeMap<String, Usage> = BTreeMap::new();
    let pods = store.snapshot("pods", None).map(|(pods, _)| pods).unwrap_or_default();
    for pod in pods.values().map(|pod| pod.value()).filter(|pod| pod["status"]["phase"] == "Running") {
        if let Some(node) = pod["spec"]["nodeName"].as_str() {
            let sum = sums.entry(node.to_owned()).or_default();
            *sum = container_usages(&pod, phase).fold(*sum, |sum, (_, usage)| sum.plus(usage));
        }
    }
    sums
}

fn metadata(of: &Value) -> Value {
    let of = &of["metadata"];
    let mut metadata = json!({"name": of["name"], "creationTimestamp": of["creationTimestamp"]});
    for name in ["namespace", "labels"] {
        if let Some(value) = of.get(name) {
            metadata[name] = value.clone();
        }
    }
    metadata
}

/// Returns the usage of each container, from what it requests.
fn container_usages(pod: &Value, phase: WavePhase) -> impl Iterator<Item = (String, Usage)> {
    let uid = pod["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let containers = pod["spec"]["containers"].as_array().cloned().unwrap_or_default();
    containers.into_iter().map(move |container| {
        let name = container["name"].as_str().unwrap_or_default().to_owned();
        let requests = &container["resources"]["requests"];
        let share = phase.share(&format!("{uid}/{name}"));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let used = |amount: f64| (amount * share) as u64;
        let cpu = used(1e9 * quantity(&requests["cpu"]).unwrap_or(0.05));
        let memory = used(quantity(&requests["memory"]).unwrap_or(32_e6) / 1024.0);
        (name, Usage { cpu, memory })
    })
}

/// Parses a quantity of the simulated cluster: `250m`, `64Mi`, `2`.
fn quantity(value: &Value) -> Option<f64> {
    let text = value.as_str()?;
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let scale = match &text[end..] {
        "" => 1.0,
        "m" => 1e-3,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        "Ti" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(text[..end].parse::<f64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_a_share_of_the_requests() {
        let pod = json!({"metadata": {"uid": "u"}, "spec": {"containers": [
            {"name": "a", "resources": {"requests": {"cpu": "250m", "memory": "64Mi"}}}, {"name": "b"}]}});
        let [first, second] = [0.0, 0.3]
            .map(|phase| container_usages(&pod, WavePhase(phase)).map(|(_, usage)| usage.cpu).collect::<Vec<_>>());
        assert!(first[0] > 0 && first[0] < 250_000_000 && first[1] > 0, "{first:?}");
        assert_ne!(first, second, "it changes");
    }

    #[test]
    fn quantities_are_numbers() {
        for (text, number) in [("250m", Some(0.25)), ("2", Some(2.0)), ("1Ki", Some(1024.0)), ("1x", None)] {
            assert_eq!(quantity(&json!(text)), number, "{text}");
        }
    }
}
