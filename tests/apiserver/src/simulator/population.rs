//! Initial population of the cluster.

use std::sync::Arc;

use serde_json::{Value, json};

use super::controllers::{owner, pod_from_template};
use super::pod::{App, PodState, set_state, template};
use super::revisions::revision;
use super::rollout::replica_set;
use super::world::World;
use super::{custom, managed_fields, node};
use crate::names;
use crate::object::Entry;

const TEAMS: [&str; 8] = ["ads", "billing", "catalog", "checkout", "identity", "media", "search", "shipping"];
const STAGES: [&str; 3] = ["prod", "staging", "dev"];
const ROLES: [&str; 12] = [
    "api",
    "worker",
    "gateway",
    "consumer",
    "scheduler",
    "indexer",
    "frontend",
    "cache",
    "exporter",
    "batch",
    "sync",
    "auth",
];

/// Fills the store with a cluster of exactly this many pods; 0 leaves it empty.
pub(super) fn populate(world: &mut World, pods: usize) {
    if pods == 0 {
        return;
    }
    world.event_limit = (pods / 2).max(200);
    let nodes = (pods / 50).max(1);
    for number in 0..nodes {
        let node = node::build(world, number);
        world.create("nodes", "", node);
    }
    let namespaces = namespaces(world, pods);
    let mut left = pods;
    for name in ["node-exporter", "log-agent"] {
        if left > nodes {
            left -= daemon_set(world, name, nodes);
        }
    }
    let mut number = 0;
    while left > 0 {
        let namespace = world.one_of(&namespaces).clone();
        let role = *world.one_of(&ROLES);
        let team = namespace.split('-').next().unwrap_or("core").to_owned();
        let app = App { name: format!("{team}-{role}-{number}"), image: image(world, &team, role), team };
        let size = world.random.usize(1..8).min(left);
        left -= match world.random.u32(..100) {
            0..72 => deployment(world, &namespace, &app, size),
            72..84 => stateful_set(world, &namespace, &app, size.min(3)),
            _ => job(world, &namespace, &app, 1),
        };
        number += 1;
    }
    cluster_wide(world);
    custom::populate(world, &namespaces, (pods / 40).max(3));
}

fn image(world: &mut World, team: &str, role: &str) -> String {
    format!(
        "registry.example.com/{team}/{role}:v{}.{}.{}",
        world.random.u32(1..9),
        world.random.u32(..30),
        world.random.u32(..20)
    )
}

fn namespaces(world: &mut World, pods: usize) -> Vec<String> {
    let count = (pods / 40).clamp(2, TEAMS.len() * STAGES.len());
    let mut names = Vec::new();
    for at in 0..count {
        let (team, stage) = (TEAMS[at % TEAMS.len()], STAGES[at / TEAMS.len()]);
        let name = format!("{team}-{stage}");
        let labels = json!({"kubernetes.io/metadata.name": name, "team": team, "env": stage});
        let created = World::ago(90 * 86_400);
        let namespace = json!({
            "metadata": {"name": name, "labels": labels, "creationTimestamp": created},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        });
        world.create("namespaces", "", namespace);
        names.push(name);
    }
    for name in &names {
        let account = json!({"metadata": {"name": "default"}});
        world.create("serviceaccounts", name, account);
        let quota = json!({
            "metadata": {"name": "compute"}, "spec": {"hard": {"pods": "500"}},
            "status": {"hard": {"pods": "500"}, "used": {"pods": "42"}},
        });
        world.create("resourcequotas", name, quota);
    }
    names
}

/// Draws the state of a pod.
fn any_state(world: &mut World) -> PodState {
    match world.random.u32(..1000) {
        0..25 => PodState::CrashLoop,
        25..37 => PodState::ImagePull,
        37..47 => PodState::Unschedulable,
        47..57 => PodState::NotReady,
        57..62 => PodState::Creating,
        _ => PodState::Running,
    }
}

/// Creates a pod in a state, on a node unless it is unscheduled.
fn pod(world: &mut World, namespace: &str, mut pod: Value, state: PodState) {
    let age = world.random.u64(60..20 * 86_400);
    pod["metadata"]["creationTimestamp"] = World::ago(age).into();
    if state != PodState::Unschedulable && !pod["spec"]["nodeName"].is_string() {
        let name = world.any("nodes").map_or_else(|| node::name(0), |node| node.name.clone());
        pod["spec"]["nodeName"] = name.into();
    }
    if state == PodState::CrashLoop {
        // Earlier restarts; `set_state` adds to them.
        pod["status"]["containerStatuses"] = json!([{"restartCount": world.random.u32(3..60)}]);
    }
    set_state(world, &mut pod, state, age.min(600));
    let Some(entry) = world.create("pods", namespace, pod) else { return };
    match state {
        PodState::CrashLoop => world.record_pod_event(&entry, "BackOff", "Back-off restarting failed container", true),
        PodState::ImagePull => world.record_pod_event(&entry, "Failed", "Error: ImagePullBackOff", true),
        PodState::Unschedulable => {
            world.record_pod_event(&entry, "FailedScheduling", "0/40 nodes are available: 40 Insufficient cpu.", true);
        }
        PodState::Evicted => world.record_pod_event(&entry, "Evicted", "The node was low on resource: memory.", true),
        _ if world.percent(10) => world.record_pod_event(&entry, "Started", "Started container", false),
        _ => {}
    }
}

fn workload(app: &App, replicas: usize, template: &Value, age: u64) -> Value {
    let mut labels = app.labels();
    labels["app.kubernetes.io/version"] = app.image.rsplit(':').next().unwrap_or_default().into();
    json!({
        "metadata": {
            "name": app.name, "labels": labels, "creationTimestamp": World::ago(age),
            "annotations": {"meta.helm.sh/release-name": app.name, "deployment.kubernetes.io/revision": "1"},
        },
        "spec": {"replicas": replicas, "selector": app.selector(), "template": template},
    })
}

fn deployment(world: &mut World, namespace: &str, app: &App, pods: usize) -> usize {
    // Occasionally one of the pods is evicted.
    let evicted = usize::from(pods > 2 && world.percent(8));
    let age = world.random.u64(86_400..60 * 86_400);
    let template = template(world, app, "Always");
    let mut object = workload(app, pods - evicted, &template, age);
    object["spec"]["strategy"] =
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}});
    object["spec"]["revisionHistoryLimit"] = json!(10);
    managed_fields::add(&mut object, "apps/v1", "helm", "kube-controller-manager", &World::ago(age));
    let Some(entry) = world.create("deployments.apps", namespace, object) else { return pods };
    let set = replica_set(&entry, &entry.value(), 1);
    let Some(set) = world.create("replicasets.apps", namespace, set) else { return pods };
    let value = set.value();
    for at in 0..pods {
        let state = if at < evicted { PodState::Evicted } else { any_state(world) };
        let new = pod_from_template(&value, &owner(&set, "apps/v1", "ReplicaSet"), &format!("{}-", set.name));
        pod(world, namespace, new, state);
    }
    surroundings(world, namespace, app, pods, &entry);
    pods
}

/// Creates the first revision of a workload, which had another image.
fn earlier_revision(world: &World, entry: &Entry, kind: &str, template: &Value) {
    let mut template = template.clone();
    template["spec"]["containers"][0]["image"] = format!("registry.example.com/{}:v0.9.0", entry.name).into();
    world.create("controllerrevisions.apps", &entry.namespace, revision(entry, kind, &template, 1));
}

fn stateful_set(world: &mut World, namespace: &str, app: &App, pods: usize) -> usize {
    let template = template(world, app, "Always");
    let mut object = workload(app, pods, &template, 40 * 86_400);
    object["spec"]["serviceName"] = json!(app.name);
    let Some(entry) = world.create("statefulsets.apps", namespace, object) else { return pods };
    earlier_revision(world, &entry, "StatefulSet", &template);
    let value = entry.value();
    for at in 0..pods {
        let mut new = pod_from_template(&value, &owner(&entry, "apps/v1", "StatefulSet"), "");
        new["metadata"]["name"] = format!("{}-{at}", app.name).into();
        let claim = json!({
            "metadata": {"name": format!("data-{}-{at}", app.name), "labels": app.labels()},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "standard", "resources": {"requests": {"storage": "20Gi"}}},
            "status": {"phase": "Bound", "capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"]},
        });
        world.create("persistentvolumeclaims", namespace, claim);
        pod(world, namespace, new, PodState::Running);
    }
    surroundings(world, namespace, app, pods, &entry);
    pods
}

fn daemon_set(world: &mut World, name: &str, nodes: usize) -> usize {
    let app = App {
        name: name.to_owned(),
        team: "core".to_owned(),
        image: format!("registry.example.com/core/{name}:v1.8.0"),
    };
    let template = template(world, &app, "Always");
    let mut object = workload(&app, nodes, &template, 80 * 86_400);
    // The nodes are its replicas.
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.remove("replicas");
    }
    let Some(entry) = world.create("daemonsets.apps", "kube-system", object) else { return nodes };
    earlier_revision(world, &entry, "DaemonSet", &template);
    let value = entry.value();
    for number in 0..nodes {
        let mut new = pod_from_template(&value, &owner(&entry, "apps/v1", "DaemonSet"), &format!("{name}-"));
        new["spec"]["nodeName"] = node::name(number).into();
        pod(world, "kube-system", new, PodState::Running);
    }
    nodes
}

fn job(world: &mut World, namespace: &str, app: &App, pods: usize) -> usize {
    let template = template(world, app, "Never");
    let mut object = workload(app, pods, &template, 3600);
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.remove("replicas");
        spec.insert("completions".to_owned(), pods.into());
        spec.insert("parallelism".to_owned(), 1.into());
    }
    let Some(entry) = world.create("jobs.batch", namespace, object) else { return pods };
    let new = pod_from_template(&entry.value(), &owner(&entry, "batch/v1", "Job"), &format!("{}-", app.name));
    pod(world, namespace, new, PodState::Completed);
    pods
}

/// Creates the objects around a workload: service, endpoints, configuration, and sometimes more.
fn surroundings(world: &mut World, namespace: &str, app: &App, replicas: usize, entry: &Arc<Entry>) {
    let labels = app.labels();
    let metadata = |name: &str| json!({"name": name, "labels": labels});
    let address = format!("127.{}.{}.{}", world.random.u8(32..64), world.random.u8(..), world.random.u8(1..255));
    let ports = json!([{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}]);
    let service = json!({
        "metadata": metadata(&app.name),
        "spec": {
            "type": "ClusterIP", "clusterIP": address, "clusterIPs": [address], "ports": ports, "sessionAffinity": "None",
            "selector": {"app.kubernetes.io/name": app.name},
        },
        "status": {"loadBalancer": {}},
    });
    world.create("services", namespace, service);
    let settings = format!("log: info\nname: {}\nlimits:\n  rps: {}\n", app.name, world.random.u32(10..5000));
    let configuration =
        json!({"metadata": metadata(&format!("{}-config", app.name)), "data": {"config.yaml": settings}});
    world.create("configmaps", namespace, configuration);
    if world.percent(40) {
        let password = names::letters(&mut world.random, 24);
        let secret =
            json!({"metadata": metadata(&format!("{}-db", app.name)), "type": "Opaque", "data": {"url": password}});
        world.create("secrets", namespace, secret);
    }
    if world.percent(25) {
        let backend = json!({"service": {"name": app.name, "port": {"name": "http"}}});
        let rule = json!({"host": format!("{}.example.dev", app.name), "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}});
        let ingress = json!({
            "metadata": metadata(&app.name), "spec": {"ingressClassName": "nginx", "rules": [rule]},
            "status": {"loadBalancer": {"ingress": [{"ip": "127.0.0.1"}]}},
        });
        world.create("ingresses.networking.k8s.io", namespace, ingress);
    }
    if world.percent(20) {
        let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": entry.name});
        let scaler = json!({
            "metadata": metadata(&app.name),
            "spec": {"minReplicas": 1, "maxReplicas": 10, "scaleTargetRef": target, "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}},
            ]},
            "status": {"currentReplicas": replicas, "desiredReplicas": replicas, "currentMetrics": [
                {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": world.random.u32(5..95)}}},
            ]},
        });
        world.create("horizontalpodautoscalers.autoscaling", namespace, scaler);
    }
}

fn cluster_wide(world: &mut World) {
    let class = json!({"metadata": {"name": "standard"}, "provisioner": "example.dev/disk", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer"});
    world.create("storageclasses.storage.k8s.io", "", class);
    let class = json!({"metadata": {"name": "nginx"}, "spec": {"controller": "example.dev/ingress-nginx"}});
    world.create("ingressclasses.networking.k8s.io", "", class);
    for name in ["cluster-admin", "view", "edit"] {
        let verbs = if name == "view" { json!(["get", "list", "watch"]) } else { json!(["*"]) };
        let role =
            json!({"metadata": {"name": name}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}]});
        world.create("clusterroles.rbac.authorization.k8s.io", "", role);
    }
}
