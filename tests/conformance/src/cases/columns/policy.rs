//! Autoscalers, quotas, roles and policies.

use serde_json::{Value, json};

pub(super) fn autoscalers() -> Vec<Value> {
    let scaler = |name: &str, metrics: Value, current: Value| {
        json!({"metadata": {"name": name}, "status": {"currentReplicas": 2, "desiredReplicas": 3, "currentMetrics": current, "conditions": []},
            "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "minReplicas": 1, "maxReplicas": 9, "metrics": metrics}})
    };
    let cpu = |target: Value| json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
    let cpu_now = |current: Value| json!({"type": "Resource", "resource": {"name": "cpu", "current": current}});
    let percent = |percent: u32| json!({"type": "Utilization", "averageUtilization": percent});
    let average = |value: &str| json!({"type": "AverageValue", "averageValue": value});
    let whole = |value: &str| json!({"type": "Value", "value": value});
    let one = |kind: &str, member: &str, mut of: Value, target: Value| {
        of["target"] = target;
        json!({"type": kind, member: of})
    };
    let one_now = |kind: &str, member: &str, mut of: Value, current: Value| {
        of["current"] = current;
        json!({"type": kind, member: of})
    };
    let metric = json!({"metric": {"name": "m"}});
    let object =
        json!({"metric": {"name": "m"}, "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "s"}});
    let container = json!({"name": "memory", "container": "web"});
    let mut bare = scaler("bare", json!([cpu(percent(80))]), json!([]));
    bare["spec"]["minReplicas"] = Value::Null;
    bare["status"] = Value::Null;
    vec![
        bare,
        scaler(
            "cpu",
            json!([cpu(percent(80))]),
            json!([cpu_now(json!({"averageUtilization": 42, "averageValue": "420m"}))]),
        ),
        scaler("cpu-unknown", json!([cpu(percent(80))]), json!([])),
        scaler("cpu-average", json!([cpu(average("500m"))]), json!([cpu_now(json!({"averageValue": "1500m"}))])),
        scaler(
            "other-status",
            json!([cpu(percent(80))]),
            json!([one_now("Pods", "pods", metric.clone(), json!({"averageValue": "1"}))]),
        ),
        scaler(
            "two",
            json!([
                one("Pods", "pods", metric.clone(), average("10")),
                one("External", "external", metric.clone(), whole("100k"))
            ]),
            json!([
                one_now("Pods", "pods", metric.clone(), json!({"averageValue": "7"})),
                one_now("External", "external", metric.clone(), json!({"value": "12500"}))
            ]),
        ),
        scaler(
            "three",
            json!([
                one("External", "external", metric.clone(), average("10")),
                one("Object", "object", object.clone(), average("3")),
                one("Object", "object", object.clone(), whole("3"))
            ]),
            json!([
                one_now("External", "external", metric.clone(), json!({"averageValue": "4", "value": "8"})),
                one_now("Object", "object", object.clone(), json!({"averageValue": "5", "value": "1"}))
            ]),
        ),
        scaler(
            "object",
            json!([
                one("Object", "object", object.clone(), whole("3")),
                one("External", "external", metric.clone(), whole("1"))
            ]),
            json!([one_now("Object", "object", object.clone(), json!({"value": "2"}))]),
        ),
        scaler(
            "container",
            json!([
                one("ContainerResource", "containerResource", container.clone(), percent(60)),
                one("ContainerResource", "containerResource", container.clone(), average("1Gi"))
            ]),
            json!([
                one_now(
                    "ContainerResource",
                    "containerResource",
                    container.clone(),
                    json!({"averageUtilization": 55, "averageValue": "1"})
                ),
                one_now("ContainerResource", "containerResource", container.clone(), json!({"averageValue": "512Mi"}))
            ]),
        ),
    ]
}

pub(super) fn disruption_budgets() -> Vec<Value> {
    let budget = |name: &str, spec: Value, status: Value| {
        let mut spec = spec;
        spec["selector"] = json!({"matchLabels": {"app": "web"}});
        json!({"metadata": {"name": name}, "spec": spec, "status": status})
    };
    let allowed = json!({"disruptionsAllowed": 2, "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3});
    vec![
        budget("neither", json!({}), Value::Null),
        budget("min", json!({"minAvailable": 1}), allowed.clone()),
        budget("percent", json!({"minAvailable": "50%"}), Value::Null),
        budget("max", json!({"maxUnavailable": 0}), allowed),
    ]
}

pub(super) fn quotas() -> Vec<Value> {
    let hard = json!({"requests.cpu": "4", "limits.cpu": "8", "limits.memory": "16Gi", "pods": "10", "requests.nvidia.com/gpu": "1", "count/secrets": "5"});
    vec![
        json!({"metadata": {"name": "new"}, "spec": {"hard": hard}}),
        json!({"metadata": {"name": "known"}, "spec": {"hard": hard}, "status": {"hard": hard, "used": {"requests.cpu": "1500m", "limits.cpu": "3", "pods": "0"}}}),
    ]
}

pub(super) fn limit_ranges() -> Vec<Value> {
    vec![json!({"metadata": {"name": "a"}, "spec": {"limits": [{"type": "Pod", "max": {"cpu": "2"}}]}})]
}

pub(super) fn priority_classes() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "NS-high"}, "value": 1_000_000}),
        json!({"metadata": {"name": "NS-low"}, "value": -5, "preemptionPolicy": "Never", "description": "waits"}),
        json!({"metadata": {"name": "NS-zero"}, "value": 0}),
    ]
}

pub(super) fn runtime_classes() -> Vec<Value> {
    vec![json!({"metadata": {"name": "NS-a"}, "handler": "gvisor"})]
}

pub(super) fn roles() -> Vec<Value> {
    vec![json!({"metadata": {"name": "a"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]})]
}

pub(super) fn cluster_roles() -> Vec<Value> {
    vec![json!({"metadata": {"name": "NS-a"}, "rules": [{"nonResourceURLs": ["/healthz"], "verbs": ["get"]}]})]
}

pub(super) fn cluster_role_bindings() -> Vec<Value> {
    let mut bindings = role_bindings();
    for binding in &mut bindings {
        binding["metadata"]["name"] = format!("NS-{}", binding["metadata"]["name"].as_str().unwrap_or_default()).into();
        binding["roleRef"]["kind"] = "ClusterRole".into();
    }
    bindings
}

pub(super) fn role_bindings() -> Vec<Value> {
    let user = |name: &str| json!({"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"});
    let group = |name: &str| json!({"kind": "Group", "name": name, "apiGroup": "rbac.authorization.k8s.io"});
    let account = |name: &str| json!({"kind": "ServiceAccount", "name": name, "namespace": "shop"});
    vec![
        json!({"metadata": {"name": "no-subjects"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "view"}}),
        json!({"metadata": {"name": "many"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            "subjects": [account("a"), user("u"), group("g"), user("v"), account("b")]}),
    ]
}

pub(super) fn network_policies() -> Vec<Value> {
    let policy = |name: &str, selector: Value| json!({"metadata": {"name": name}, "spec": {"podSelector": selector}});
    vec![
        policy("all", json!({})),
        policy(
            "some",
            json!({"matchLabels": {"b": "1", "a": ""}, "matchExpressions": [{"key": "c", "operator": "Exists"}, {"key": "aa", "operator": "NotIn", "values": ["z", "y"]}]}),
        ),
    ]
}

pub(super) fn webhooks(kind: &str) -> Vec<Value> {
    let webhook = |name: &str| {
        json!({"name": name, "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore",
            "clientConfig": {"url": "https://127.0.0.1:1/never"}, "objectSelector": {"matchLabels": {"never": "there"}}})
    };
    let kind = |name: &str, webhooks: Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "webhooks": webhooks});
    vec![kind("NS-none", json!([])), kind("NS-two", json!([webhook("a.example.dev"), webhook("b.example.dev")]))]
}

pub(super) fn admission_policies() -> Vec<Value> {
    let rules = json!([{"apiGroups": ["never.example.dev"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["things"]}]);
    let policy = |name: &str, param: Value| json!({"metadata": {"name": name}, "spec": {"paramKind": param, "matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]}});
    vec![policy("NS-plain", Value::Null), policy("NS-param", json!({"apiVersion": "v1", "kind": "ConfigMap"}))]
}

pub(super) fn mutating_admission_policies() -> Vec<Value> {
    let mutation = json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}});
    let mut policies = admission_policies();
    for policy in &mut policies {
        if let Some(spec) = policy["spec"].as_object_mut() {
            spec.remove("validations");
            spec.insert("mutations".to_owned(), json!([mutation]));
            spec.insert("reinvocationPolicy".to_owned(), json!("Never"));
        }
    }
    policies
}

/// Definitions that no controller processes.
pub(super) fn definitions() -> Vec<Value> {
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    vec![json!({"metadata": {"name": "NS-idles.example.dev"}, "spec": {
        "group": "example.dev", "scope": "Namespaced",
        "names": {"plural": "NS-idles", "singular": "NS-idle", "kind": "Idle", "listKind": "IdleList"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
    }})]
}
