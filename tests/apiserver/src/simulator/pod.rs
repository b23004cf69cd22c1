//! Pods: their spec, and the status for each state.

use serde_json::{Value, json};

use super::managed_fields;
use super::world::World;
use crate::names;

/// State of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PodState {
    Unschedulable,
    Creating,
    Running,
    NotReady,
    CrashLoop,
    ImagePull,
    Completed,
    Evicted,
}

/// Description of a simulated workload.
#[derive(Debug, Clone)]
pub(super) struct App {
    pub(super) name: String,
    pub(super) team: String,
    pub(super) image: String,
}

impl App {
    pub(super) fn labels(&self) -> Value {
        json!({
            "app.kubernetes.io/name": self.name, "app.kubernetes.io/part-of": self.team,
            "app.kubernetes.io/managed-by": "Helm", "team": self.team,
        })
    }

    pub(super) fn selector(&self) -> Value {
        json!({"matchLabels": {"app.kubernetes.io/name": self.name}})
    }
}

/// Pod template as a real chart would render it.
pub(super) fn template(world: &mut World, app: &App, restart_policy: &str) -> Value {
    let sidecar = world.percent(6);
    let mut containers = vec![container(world, &app.name, &app.image)];
    if sidecar {
        containers.push(container(world, "envoy", "registry.example.com/mesh/envoy:v1.34.1"));
    }
    let checksum = format!("{:032x}", world.random.u128(..));
    json!({
        "metadata": {
            "labels": app.labels(),
            "annotations": {"checksum/config": checksum, "prometheus.io/scrape": "true"},
        },
        "spec": {
            "containers": containers,
            "volumes": [
                {"name": "config", "configMap": {"name": format!("{}-config", app.name), "defaultMode": 420}},
                {"name": "api-access", "projected": {"defaultMode": 420, "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                ]}},
            ],
            "restartPolicy": restart_policy,
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": app.name,
            "serviceAccount": app.name,
            "securityContext": {"fsGroup": 65532},
            "schedulerName": "default-scheduler",
            "enableServiceLinks": true,
            "priority": 0,
            "preemptionPolicy": "PreemptLowerPriority",
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            ],
        },
    })
}

fn container(world: &mut World, name: &str, image: &str) -> Value {
    let mut env = vec![
        json!({"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}),
        json!({"name": "LOG_LEVEL", "value": *world.one_of(&["info", "debug", "warn"])}),
    ];
    for _ in 0..world.random.u32(..2) {
        let flag = format!("FEATURE_{}", names::letters(&mut world.random, 5).to_uppercase());
        env.push(json!({"name": flag, "value": *world.one_of(&["true", "false", "50", "canary"])}));
    }
    let probe = |path: &str, period: u32| {
        json!({
            "httpGet": {"path": path, "port": "http", "scheme": "HTTP"}, "periodSeconds": period, "timeoutSeconds": 2,
            "successThreshold": 1, "failureThreshold": 3,
        })
    };
    let memory = *world.one_of(&["128Mi", "256Mi", "512Mi", "1Gi"]);
    json!({
        "name": name,
        "image": image,
        "args": ["--listen=:8080", "--config=/etc/app/config.yaml"],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": env,
        "resources": {"limits": {"memory": memory}, "requests": {"cpu": *world.one_of(&["50m", "100m", "250m"]), "memory": memory}},
        "volumeMounts": [
            {"name": "config", "readOnly": true, "mountPath": "/etc/app"},
            {"name": "api-access", "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"},
        ],
        "readinessProbe": probe("/readyz", 5),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

/// Puts a pod into a state that began this many seconds ago. Works for any pod, also for a client's.
pub(super) fn set_state(world: &mut World, pod: &mut Value, state: PodState, seconds: u64) {
    let since = World::ago(seconds);
    let containers = pod["spec"]["containers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let before = pod["status"]["containerStatuses"].as_array().map(Vec::as_slice).unwrap_or_default();
    let statuses: Vec<Value> = containers
        .iter()
        .enumerate()
        // Only the first container fails.
        .map(|(at, container)| {
            let restarts = before.get(at).and_then(|status| status["restartCount"].as_u64()).unwrap_or(0);
            let calm = matches!(state, PodState::CrashLoop | PodState::ImagePull | PodState::NotReady) && at > 0;
            container_status(world, container, if calm { PodState::Running } else { state }, restarts, &since)
        })
        .collect();
    let phase = match state {
        PodState::Unschedulable | PodState::Creating | PodState::ImagePull => "Pending",
        PodState::Running | PodState::NotReady | PodState::CrashLoop => "Running",
        PodState::Completed => "Succeeded",
        PodState::Evicted => "Failed",
    };
    let mut status = json!({"phase": phase, "conditions": conditions(state, &since), "qosClass": "Burstable", "observedGeneration": 1});
    if state == PodState::Unschedulable {
        pod["status"] = status;
        return;
    }
    let number = pod["spec"]["nodeName"].as_str().and_then(|name| name.rsplit('-').next()?.parse().ok()).unwrap_or(0);
    let host = super::node::address(number);
    status["hostIP"] = json!(host);
    status["hostIPs"] = json!([{"ip": host}]);
    status["startTime"] = pod["status"]["startTime"].as_str().map_or_else(|| json!(since), |start| json!(start));
    if state == PodState::Evicted {
        status["reason"] = json!("Evicted");
        status["message"] = json!("The node was low on resource: memory. Threshold quantity: 100Mi, available: 88Mi.");
    } else {
        status["containerStatuses"] = Value::Array(statuses);
        if !matches!(state, PodState::Creating) {
            let address = pod["status"]["podIP"].as_str().map_or_else(|| pod_address(world), str::to_owned);
            status["podIP"] = json!(address);
            status["podIPs"] = json!([{"ip": address}]);
        }
    }
    pod["status"] = status;
    managed_fields::add(pod, "v1", "kube-controller-manager", "kubelet", &since);
}

fn pod_address(world: &mut World) -> String {
    format!("127.{}.{}.{}", world.random.u8(64..128), world.random.u8(..), world.random.u8(1..255))
}

fn container_status(world: &mut World, container: &Value, state: PodState, restarts: u64, since: &str) -> Value {
    let name = container["name"].as_str().unwrap_or_default();
    let image = container["image"].as_str().unwrap_or_default();
    let digest = format!("{:032x}{:032x}", world.random.u128(..), world.random.u128(..));
    let id = format!("containerd://{digest}");
    let ended = |code: u32, reason: &str| json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": since, "finishedAt": since, "containerID": id}});
    let waiting = |reason: &str, message: String| json!({"waiting": {"reason": reason, "message": message}});
    let (now, last, restarts) = match state {
        PodState::CrashLoop => {
            let message = format!("back-off 5m0s restarting failed container={name}");
            let reason = *world.one_of(&["Error", "OOMKilled"]);
            let code = if reason == "OOMKilled" { 137 } else { 1 };
            (waiting("CrashLoopBackOff", message), ended(code, reason), restarts + 1)
        }
        PodState::ImagePull => {
            (waiting("ImagePullBackOff", format!("Back-off pulling image \"{image}\"")), json!({}), restarts)
        }
        PodState::Creating | PodState::Unschedulable => {
            (json!({"waiting": {"reason": "ContainerCreating"}}), json!({}), restarts)
        }
        PodState::Completed => (ended(0, "Completed"), json!({}), restarts),
        PodState::Running | PodState::NotReady | PodState::Evicted => {
            let last = if restarts > 0 { ended(1, "Error") } else { json!({}) };
            (json!({"running": {"startedAt": since}}), last, restarts)
        }
    };
    let running = now.get("running").is_some();
    let started = running || state == PodState::Completed || restarts > 0;
    json!({
        "name": name, "image": image, "restartCount": restarts, "ready": state == PodState::Running, "started": running,
        "state": now, "lastState": last,
        "imageID": if started { format!("{}@sha256:{digest}", image.rsplit_once(':').map_or(image, |(name, _)| name)) } else { String::new() },
        "containerID": if started { id.clone() } else { String::new() },
    })
}

fn conditions(state: PodState, since: &str) -> Value {
    let condition = |kind: &str, holds: bool, reason: &str| {
        let mut condition = json!({
            "type": kind, "status": if holds { "True" } else { "False" }, "lastProbeTime": null,
            "lastTransitionTime": since,
        });
        if !holds && !reason.is_empty() {
            condition["reason"] = json!(reason);
        }
        condition
    };
    if state == PodState::Unschedulable {
        let mut scheduled = condition("PodScheduled", false, "Unschedulable");
        scheduled["message"] =
            json!("0/40 nodes are available: 40 Insufficient cpu. preemption: 0/40 nodes are available.");
        return json!([scheduled]);
    }
    let ready = state == PodState::Running;
    let why = if state == PodState::Completed { "PodCompleted" } else { "ContainersNotReady" };
    json!([
        condition("PodReadyToStartContainers", state != PodState::Creating, ""),
        condition("Initialized", true, ""),
        condition("Ready", ready, why),
        condition("ContainersReady", ready, why),
        condition("PodScheduled", true, ""),
    ])
}
