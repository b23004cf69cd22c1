//! Nodes and their conditions.

use serde_json::{Value, json};

use super::managed_fields;
use super::world::World;
use crate::object::child_mut;

const ZONES: [&str; 3] = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
const TYPES: [(&str, &str, &str); 3] =
    [("m6i.2xlarge", "8", "32537152Ki"), ("m6i.4xlarge", "16", "65075304Ki"), ("c6i.4xlarge", "16", "32537152Ki")];

/// Returns the name of a node.
pub(super) fn name(number: usize) -> String {
    format!("node-{}-{:03}", ["a", "b", "c"][number % 3], number)
}

/// Loopback address of a node: the simulation must not refer to a real machine.
pub(super) fn address(number: usize) -> String {
    format!("127.1.{}.{}", number / 250, number % 250 + 1)
}

/// Creates a node object.
pub(super) fn build(world: &mut World, number: usize) -> Value {
    let name = name(number);
    let zone = ZONES[number % ZONES.len()];
    let (instance, cpu, memory) = *world.one_of(&TYPES);
    let age = world.random.u64(86_400..90 * 86_400);
    let created = World::ago(age);
    let role = if number < 3 { "node-role.kubernetes.io/control-plane" } else { "node-role.kubernetes.io/worker" };
    let resources = json!({"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "81894Mi"});
    let images: Vec<Value> = (0..6)
        .map(|image| {
            let names = [format!("registry.example.com/base/image-{image}:v1.{number}")];
            json!({"names": names, "sizeBytes": world.random.u64(10_000_000..400_000_000)})
        })
        .collect();
    let mut node = json!({
        "metadata": {
            "name": name,
            "creationTimestamp": created,
            "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": "eu-west-1",
                "node.kubernetes.io/instance-type": instance, role: "",
            },
            "annotations": {"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
        "spec": {"podCIDR": format!("127.{}.{}.0/24", 64 + number / 250, number % 250), "providerID": format!("example:///{zone}/{name}")},
        "status": {
            "capacity": resources, "allocatable": resources,
            "addresses": [{"type": "InternalIP", "address": address(number)}, {"type": "Hostname", "address": name}],
            "conditions": conditions(true, &created),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": images,
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "kernelVersion": "6.8.0-generic",
                "osImage": "Example Linux 24", "containerRuntimeVersion": "containerd://2.0.4",
                "kubeletVersion": "v1.36.2", "kubeProxyVersion": "v1.36.2", "machineID": world.random.u64(..).to_string(),
                "systemUUID": world.random.u64(..).to_string(), "bootID": world.random.u64(..).to_string(),
            },
        },
    });
    if world.percent(4) && number >= 3 {
        node["spec"]["unschedulable"] = json!(true);
        node["spec"]["taints"] = json!([{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]);
    }
    managed_fields::add(&mut node, "v1", "kubelet", "kubelet", &created);
    node
}

/// Returns the conditions of a node that is ready or not.
fn conditions(ready: bool, since: &str) -> Value {
    let now = World::ago(0);
    let pressure = |kind: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": if ready { "False" } else { "Unknown" }, "lastHeartbeatTime": now, "lastTransitionTime": since,
            "reason": if ready { reason } else { "NodeStatusUnknown" },
            "message": if ready { message } else { "Kubelet stopped posting node status." },
        })
    };
    let mut ready_condition = pressure("Ready", "KubeletReady", "kubelet is posting ready status");
    if ready {
        ready_condition["status"] = json!("True");
    }
    json!([
        pressure("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        pressure("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        pressure("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ready_condition,
    ])
}

/// Makes a node ready or not.
pub(super) fn set_ready(node: &mut Value, ready: bool) {
    child_mut(node, "status").insert("conditions".to_owned(), conditions(ready, &World::ago(0)));
    let taint = json!([{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": World::ago(0)}]);
    let spec = child_mut(node, "spec");
    if ready {
        spec.remove("taints")
    } else {
        spec.insert("taints".to_owned(), taint)
    };
}

/// Heartbeat: updates the times of the conditions, nothing else.
pub(super) fn heartbeat(node: &mut Value) {
    let conditions = child_mut(node, "status").get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        condition.insert("lastHeartbeatTime".to_owned(), World::ago(0).into());
    }
}
