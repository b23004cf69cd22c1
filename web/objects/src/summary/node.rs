//! Summary of a node: capacity, requests of its pods, taints.

use std::collections::BTreeMap;

use serde_json::Value;

use super::general::{MOST, cut};
use crate::field::Fields;
use crate::kinds::POD;
use crate::need::{By, Need};
use crate::quantity::{amount, quantity};
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::subject::Subject;
use crate::workload::has_ended;

pub(super) fn add(subject: &Subject<'_>, sections: &mut Sections) {
    let node = subject.object;
    let mut facts = Facts::default();
    if node.is("spec.unschedulable") {
        facts.cell("Scheduling", Cell::toned("cordoned", Tone::Warn));
    }
    let roles = node.members("metadata.labels").filter_map(|(key, _)| key.strip_prefix("node-role.kubernetes.io/"));
    facts.cells("Roles", roles.take(MOST).map(|role| Cell::text(cut(role))));
    let addresses = node.list("status.addresses").iter().take(MOST);
    facts.cells(
        "Addresses",
        addresses.map(|it| Cell::text(cut(&format!("{} {}", it.text("type"), it.text("address"))))),
    );
    facts.text("Zone", cut(node.label("topology.kubernetes.io/zone")));
    facts.text("Instance type", cut(node.label("node.kubernetes.io/instance-type")));
    facts.field("Kubelet", node, "status.nodeInfo.kubeletVersion");
    facts.field("Container runtime", node, "status.nodeInfo.containerRuntimeVersion");
    facts.field("Operating system", node, "status.nodeInfo.osImage");
    facts.field("Kernel", node, "status.nodeInfo.kernelVersion");
    facts.field("Architecture", node, "status.nodeInfo.architecture");
    facts.field("Pod range", node, "spec.podCIDR");
    facts.field("Provider id", node, "spec.providerID");
    sections.facts("Node", facts);
    resources(subject, sections);
    let taint = |taint: &Value| {
        vec![
            Cell::text(cut(taint.text("key"))),
            Cell::text(cut(taint.text("value"))),
            Cell::text(cut(taint.text("effect"))),
            Cell::time(taint.moment("timeAdded")),
        ]
    };
    let taints = node.list("spec.taints").iter().take(MOST).map(taint).collect();
    sections.table("Taints", &["Key", "Value", "Effect", "Since"], taints);
}

/// Capacity, allocatable resources, and the requests and limits of its pods.
fn resources(subject: &Subject<'_>, sections: &mut Sections) {
    let node = subject.object;
    let pods = subject.answer(&Need::new(POD, "", By::Node(node.name().to_owned())));
    let used = pods.map(|pods| {
        let mut used = Used::default();
        pods.iter().filter(|pod| !has_ended(pod)).for_each(|pod| used.add(pod));
        used
    });
    let row = |(name, capacity): (&str, &Value)| {
        let allocatable = quantity(node.at("status.allocatable").member(name));
        let share = |of: &BTreeMap<String, f64>| {
            let used = of.get(name).copied().unwrap_or_default();
            let percent = allocatable.filter(|all| *all > 0.0).map(|all| used / all * 100.0);
            let tone = percent.and_then(|percent| (percent > 95.0).then_some(Tone::Warn));
            let percent = percent.map_or_else(String::new, |percent| format!(" ({percent:.0} %)"));
            Cell::text(format!("{}{percent}", amount(name, used))).with_tone(tone)
        };
        let written = |value: Option<f64>| value.map_or_else(String::new, |value| amount(name, value));
        vec![
            Cell::text(cut(name)),
            Cell::text(quantity(capacity).map_or_else(|| cut(&scalar(capacity)), |value| amount(name, value))),
            Cell::text(written(allocatable)),
            used.as_ref().map_or_else(Cell::default, |used| share(&used.requests)),
            used.as_ref().filter(|_| name != "pods").map_or_else(Cell::default, |used| share(&used.limits)),
        ]
    };
    let rows = node.members("status.capacity").take(MOST).map(row).collect();
    sections.table("Resources", &["Resource", "Capacity", "For pods", "Requested", "Limits"], rows);
}

/// Sums of requests and limits of pods, by resource.
#[derive(Default)]
struct Used {
    requests: BTreeMap<String, f64>,
    limits: BTreeMap<String, f64>,
}

impl Used {
    /// The request of a pod is the sum of its containers, or the largest init container, whichever is larger, plus its
    /// overhead. Sidecars (init containers that keep running) count with the containers, and with the init containers
    /// that start after them. `columns/pod_resources.rs` of the engine has the same rule.
    fn add(&mut self, pod: &Value) {
        *self.requests.entry("pods".to_owned()).or_default() += 1.0;
        for (field, sum) in [("requests", &mut self.requests), ("limits", &mut self.limits)] {
            let mut running: BTreeMap<&str, f64> = BTreeMap::new();
            let mut starting: BTreeMap<&str, f64> = BTreeMap::new();
            for container in pod.list("spec.containers") {
                for (name, value) in container.at("resources").members(field) {
                    *running.entry(name).or_default() += quantity(value).unwrap_or_default();
                }
            }
            let mut sidecars: BTreeMap<&str, f64> = BTreeMap::new();
            for container in pod.list("spec.initContainers") {
                let is_sidecar = container.text("restartPolicy") == "Always";
                for (name, value) in container.at("resources").members(field) {
                    let own = quantity(value).unwrap_or_default();
                    let before = sidecars.entry(name).or_default();
                    let most = starting.entry(name).or_default();
                    *most = most.max(*before + own);
                    if is_sidecar {
                        *before += own;
                        *running.entry(name).or_default() += own;
                    }
                }
            }
            // Pod-level resources replace those of its containers.
            for (name, value) in pod.at("spec.resources").members(field) {
                running.insert(name, quantity(value).unwrap_or_default());
                starting.remove(name);
            }
            for (name, most) in starting {
                let all = running.entry(name).or_default();
                *all = all.max(most);
            }
            for (name, value) in pod.members("spec.overhead") {
                // No limit stays no limit.
                if field == "requests" || running.contains_key(name) {
                    *running.entry(name).or_default() += quantity(value).unwrap_or_default();
                }
            }
            for (name, value) in running {
                *sum.entry(name.to_owned()).or_default() += value;
            }
        }
    }
}
