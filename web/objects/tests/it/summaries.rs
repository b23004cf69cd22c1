//! Summaries: contents of the sections of a kind, and excluded values.

use kube_objects::{Body, Cell, Section, Subject, Tone, summary};
use serde_json::{Value, json};

use crate::fixtures::{all, named, with_answers};

/// A cell as a line: text, tone and link.
fn cell(cell: &Cell) -> String {
    let link = cell.link.as_ref().map_or_else(String::new, |link| format!(" -> {}/{}", link.kind, link.name));
    let time = if cell.time.is_some() { " @" } else { "" };
    let tone = match cell.tone {
        Some(Tone::Bad) => " !",
        Some(Tone::Warn) => " ?",
        Some(Tone::Ok) => " +",
        Some(Tone::Idle) => " .",
        None => "",
    };
    format!("{}{time}{tone}{link}", cell.text)
}

/// Sections as text, a line for each fact and row.
fn text(sections: &[Section]) -> String {
    let mut lines = Vec::new();
    for section in sections {
        lines.push(format!("# {}", section.title));
        match &section.body {
            Body::Facts(facts) => lines.extend(facts.iter().map(|fact| {
                let values: Vec<String> = fact.values.iter().map(cell).collect();
                format!("{}: {}", fact.label, values.join("; "))
            })),
            Body::Table { columns, rows } => {
                lines.push(columns.join(" | "));
                lines.extend(rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" | ")));
            }
        }
    }
    lines.join("\n")
}

fn of_fixture(name: &str) -> String {
    named(name).with(|subject| text(&summary(subject)))
}

fn of(object: &Value, cluster: &[Value]) -> String {
    let now = informer::parse_rfc3339("2026-11-22T12:00:00Z").expect("a time");
    with_answers(object, cluster, now, |subject| text(&summary(subject)))
}

/// Each of these lines is in the text.
fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|other| other == *line), "no line {line:?} in\n{text}");
    }
}

#[test]
fn a_pod_with_its_containers() {
    says(
        &of_fixture("pod/ContainerCrashLoop"),
        &[
            "Phase: Running +",
            "Node: node-a -> Node/node-a",
            "Container | State | Ready | Restarts | Last termination",
            "web | CrashLoopBackOff ! | no | 17 ? | Error (exit code 1) @",
            "web | registry.example.com/shop/web:1.4.2 | http 8080/TCP | cpu 100m, memory 128Mi | memory 256Mi | ",
            "web | /var/run/secrets/kubernetes.io/serviceaccount | kube-api-access-7xk2p | projected | read-only",
            "Tolerations: node.kubernetes.io/not-ready:NoExecute for 300 s; node.kubernetes.io/unreachable:NoExecute for 300 s",
        ],
    );
    says(
        &of_fixture("pod/StartupProbeFails"),
        &["web | Startup | GET http :8080/healthz | every 10 s, timeout 1 s, fails after 30, delay 0 s"],
    );
}

#[test]
fn access_of_a_mount_follows_from_the_mount_and_the_volume() {
    let mount = |name: &str| json!({"name": name, "mountPath": format!("/{name}")});
    let names = ["config", "secret", "all", "info", "image", "claim", "own", "csi", "nfs", "data", "host"];
    let mut mounts: Vec<Value> = names.iter().map(|name| mount(name)).collect();
    mounts.push(json!({"name": "data", "mountPath": "/seen", "readOnly": true}));
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {
        "containers": [{"name": "c", "volumeMounts": mounts}],
        "volumes": [
            {"name": "config", "configMap": {"name": "a"}},
            {"name": "secret", "secret": {"secretName": "a"}},
            {"name": "all", "projected": {"sources": []}},
            {"name": "info", "downwardAPI": {"items": []}},
            {"name": "image", "image": {"reference": "r"}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "a", "readOnly": true}},
            {"name": "own", "persistentVolumeClaim": {"claimName": "b"}},
            {"name": "csi", "csi": {"driver": "d", "readOnly": true}},
            {"name": "nfs", "nfs": {"path": "/e", "readOnly": true}},
            {"name": "data", "emptyDir": {}},
            {"name": "host", "hostPath": {"path": "/var"}}]}});
    says(
        &of(&pod, &[]),
        &[
            "c | /config | config | ConfigMap a -> ConfigMap/a | read-only",
            "c | /secret | secret | Secret a -> Secret/a | read-only",
            "c | /all | all | projected | read-only",
            "c | /info | info | downwardAPI | read-only",
            "c | /image | image | image | read-only",
            "c | /claim | claim | PersistentVolumeClaim a -> PersistentVolumeClaim/a | read-only",
            "c | /own | own | PersistentVolumeClaim b -> PersistentVolumeClaim/b | read-write",
            "c | /csi | csi | csi d | read-only",
            "c | /nfs | nfs | nfs /e | read-only",
            "c | /data | data | emptyDir | read-write",
            "c | /host | host | hostPath /var | read-write",
            "c | /seen | data | emptyDir | read-only",
        ],
    );
}

#[test]
fn mounts_of_debug_containers_and_by_expression() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {
        "containers": [{"name": "c", "volumeMounts": [
            {"name": "data", "mountPath": "/a", "subPathExpr": "$(POD)"},
            {"name": "data", "mountPath": "/b", "subPath": "b"}]}],
        "ephemeralContainers": [{"name": "debug", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
        "volumes": [{"name": "data", "emptyDir": {}}]}});
    says(
        &of(&pod, &[]),
        &[
            "c | /a ($(POD)) | data | emptyDir | read-write",
            "c | /b (b) | data | emptyDir | read-write",
            "debug | /data | data | emptyDir | read-write",
        ],
    );
}

#[test]
fn placement_names_affinity_spread_and_operators_of_tolerations() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {
        "affinity": {"nodeAffinity": {}, "podAffinity": {}, "podAntiAffinity": {}},
        "topologySpreadConstraints": [{"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
        "tolerations": [
            {"key": "sla", "operator": "Gt", "value": "950", "effect": "NoSchedule"},
            {"key": "cost", "operator": "Lt", "value": "5"},
            {"key": "team", "operator": "Equal", "value": "a"},
            {"key": "gpu", "operator": "Exists"},
            {"operator": "Exists"}]}});
    says(
        &of(&pod, &[]),
        &[
            "Affinity: node affinity; pod affinity; pod anti-affinity",
            "Spread: zone: max skew 1, DoNotSchedule",
            "Tolerations: sla>950:NoSchedule; cost<5; team=a; gpu; any taint",
        ],
    );
}

#[test]
fn a_deployment_with_old_and_new_replica_sets() {
    says(
        &of_fixture("deployment/RolloutStuck"),
        &[
            "Up to date: 1 of 3 ?",
            "Strategy: RollingUpdate: at most 25% more and 25% unavailable",
            "Selector: app=web",
            "4 | web-7d9c5b7c64 -> ReplicaSet/web-7d9c5b7c64 | new | 0 of 1 | registry.example.com/shop/web:1.4.2 |  @",
            "3 | web-5f6b7 -> ReplicaSet/web-5f6b7 | old, being replaced | 3 of 3 | registry.example.com/shop/web:1.4.2 |  @",
        ],
    );
}

#[test]
fn a_service_with_its_endpoints() {
    says(
        &of_fixture("service/ServiceNoReadyPod"),
        &[
            "Selected pods: 1 (0 ready) !",
            "http | 80 | http |  | TCP | ",
            "10.244.1.0 | not ready ! | web-7d9c5b7c64-x2x8k -> Pod/web-7d9c5b7c64-x2x8k | node-a -> Node/node-a | ",
        ],
    );
    says(&of_fixture("ingress/healthy"), &["shop.example.com | / | Prefix | web -> Service/web | 80 | 1 of 1 ready +"]);
}

#[test]
fn node_with_the_requests_of_its_pods() {
    says(
        &of_fixture("node/healthy"),
        &[
            "Roles: worker",
            "cpu | 4 | 3.9 | 100m (3 %) | 0 (0 %)",
            "memory | 15.6Gi | 14.5Gi | 128Mi (1 %) | 256Mi (2 %)",
            "pods | 110 | 110 | 1 (1 %) | ",
        ],
    );
}

#[test]
fn requests_of_a_pod_include_init_containers_sidecars_and_overhead() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}}});
    let needs = |cpu: &str| json!({"requests": {"cpu": cpu}});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "a"}, "spec": {"nodeName": "n",
        "overhead": {"cpu": "500m"}, "containers": [{"resources": needs("1")}, {"resources": needs("1")}],
        "initContainers": [{"resources": needs("1"), "restartPolicy": "Always"}, {"resources": needs("3")}]}});
    let ended = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q", "namespace": "a"}, "spec": {"nodeName": "n",
        "containers": [{"resources": needs("4")}]}, "status": {"phase": "Succeeded"}});
    says(&of(&node, &[pod, ended]), &["cpu | 8 | 8 | 4.5 (56 %) | 0 (0 %)"]);
}

#[test]
fn a_cron_job_with_its_next_start() {
    let fixture = named("job/healthy.cron");
    let next = fixture.with(|subject| {
        let sections = summary(subject);
        let Body::Facts(facts) = &sections[0].body else { panic!("facts") };
        facts.iter().find(|fact| fact.label == "Next start").and_then(|fact| fact.values[0].time)
    });
    assert_eq!(next, informer::parse_rfc3339("2026-11-22T12:10:00Z"));
    // An hour ahead, and an hour more from the morning on.
    let zone = |_: &str, at: f64| Some(if at < 1_795_392_000_000.0 { 3_600_000.0 } else { 7_200_000.0 });
    let cron_job = json!({"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "0 9 * * *", "timeZone": "Europe/Somewhere"}});
    let now = informer::parse_rfc3339("2026-11-22T12:00:00Z").expect("a time");
    let sections = summary(&Subject { zone_offset: zone, ..Subject::new(&cron_job, now) });
    let Body::Facts(facts) = &sections[0].body else { panic!("facts") };
    let at = facts.iter().find(|fact| fact.label == "Next start").and_then(|fact| fact.values[0].time);
    assert_eq!(at, informer::parse_rfc3339("2026-11-23T07:00:00Z"));
    says(&of_fixture("job/CronJobSuspended"), &["Next start: none: suspended ."]);
}

#[test]
fn roles_in_words() {
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "view", "namespace": "shop"}, "rules": [
        {"apiGroups": [""], "resources": ["pods", "services"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"apiGroups": ["", "apps"], "resources": ["deployments/scale"], "verbs": ["patch"], "resourceNames": ["web"]},
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]});
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "viewers", "namespace": "shop"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "view"},
        "subjects": [{"kind": "User", "name": "ada"}, {"kind": "ServiceAccount", "name": "bot", "namespace": "ci"}]});
    let both = [role.clone(), binding.clone()];
    let may = "May: get, list and watch pods and services; do anything with all resources of all API groups ?; \
               patch deployments/scale of core and apps, only web; get the paths /metrics";
    says(
        &of(&role, &both),
        &[may, "RoleBinding viewers -> RoleBinding/viewers | user ada and service account ci/bot | namespace shop"],
    );
    says(
        &of(&binding, &both),
        &[may, "Role: Role view -> Role/view", "Granted to: user ada; service account ci/bot -> ServiceAccount/bot"],
    );
}

#[test]
fn an_autoscaler_with_its_figures() {
    says(
        &of_fixture("autoscaler/healthy"),
        &["Scales: Deployment web -> Deployment/web", "Range: 2 to 6", "cpu | 62 % | 70 %"],
    );
}

#[test]
fn a_network_policy_in_words() {
    let policy = json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "p", "namespace": "shop"}, "spec": {
        "podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress", "Egress"],
        "ingress": [{"from": [{"podSelector": {}, "namespaceSelector": {"matchLabels": {"team": "edge"}}}, {"ipBlock": {"cidr": "10.0.0.0/8"}}], "ports": [{"port": 80, "protocol": "TCP"}]}]}});
    says(
        &of(&policy, &[]),
        &[
            "Applies to: pods with app=web",
            "Ingress: from all pods of namespaces with team=edge or 10.0.0.0/8, on 80/TCP",
            "Egress: nothing is allowed ?",
        ],
    );
}

#[test]
fn a_kind_without_a_summary_is_shown_at_a_glance() {
    let backup = json!({"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {"name": "b", "finalizers": ["example.com/hold"]},
        "spec": {"schedule": "daily", "target": {"bucket": "b1"}, "paths": ["/a", "/b"], "hooks": [{"name": "x"}]},
        "status": {"phase": "Done", "conditions": [{"type": "Ready", "status": "False", "reason": "Waiting"}]}});
    says(
        &of(&backup, &[]),
        &[
            "schedule: daily",
            "target.bucket: b1",
            "paths: /a; /b",
            "hooks: x",
            "phase: Done",
            "Ready | False ! | Waiting |  | ",
            "Finalizers: example.com/hold",
        ],
    );
}

#[test]
fn fields_beside_spec_and_status_are_shown_and_lists_by_the_names_of_their_entries() {
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
        "value": 1000, "globalDefault": false, "description": "for shops"});
    says(&of(&class, &[]), &["# Fields", "value: 1000", "globalDefault: false", "description: for shops"]);
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "bot"},
        "imagePullSecrets": [{"name": "registry"}, {"name": "mirror"}]});
    says(&of(&account, &[]), &["imagePullSecrets: registry; mirror"]);
    let endpoints = json!({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "web"}, "subsets": [
        {"addresses": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}], "ports": [{"name": "http", "port": 80}]}]});
    says(&of(&endpoints, &[]), &["subsets[0].addresses: 10.0.0.1; 10.0.0.2", "subsets[0].ports: http"]);
    let many: Vec<Value> = (0..30).map(|at| json!({"name": format!("step-{at}")})).collect();
    let odd: Vec<Value> = (0..4).map(|at| json!({"a": at})).collect();
    let flow = json!({"apiVersion": "example.com/v1", "kind": "Flow", "metadata": {"name": "f"}, "spec": {"steps": many, "odd": odd},
        "data": {"secret": "aGlkZGVu"}});
    let text = of(&flow, &[]);
    assert!(text.contains("step-19; and 10 more") && !text.contains("step-20"), "{text}");
    says(&text, &["odd: 4 entries"]);
    assert!(!text.contains("aGlkZGVu"), "{text}");
}

#[test]
fn webhooks_have_a_table() {
    let webhooks = json!([
        {"name": "pods.example.com", "failurePolicy": "Ignore", "timeoutSeconds": 3,
            "clientConfig": {"service": {"namespace": "shop", "name": "policy", "path": "/pods"}},
            "rules": [{"operations": ["CREATE", "UPDATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "scope": "Namespaced"},
                {"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["*"], "resources": ["*"]}]},
        {"name": "all.example.com", "clientConfig": {"url": "https://hooks.example.com/all"}}]);
    for kind in ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] {
        let configuration = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "policy"}, "webhooks": webhooks});
        says(
            &of(&configuration, &[]),
            &[
                "# Webhooks",
                "pods.example.com | shop/policy:443/pods -> Service/policy | CREATE, UPDATE of pods (Namespaced); any request of all resources in apps | Ignore . | 3 s",
                "all.example.com | https://hooks.example.com/all |  | Fail | 10 s",
            ],
        );
    }
}

#[test]
fn no_value_of_a_secret_is_in_a_summary() {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"name": "db", "namespace": "shop",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"password\":\"aHVudGVyMg==\"}}"},
        "managedFields": [{"manager": "aHVudGVyMg=="}]},
        "data": {"password": "aHVudGVyMg=="}, "stringData": {"password": "hunter2"}});
    let text = of(&secret, &[]);
    says(&text, &["password | secret | 7 B"]);
    assert!(!text.contains("aHVudGVyMg") && !text.contains("hunter2"), "{text}");
}

#[test]
fn every_fixture_has_a_summary_with_full_rows() {
    for fixture in all() {
        fixture.with(|subject| {
            let sections = summary(subject);
            assert!(sections.iter().any(|section| section.title == "Metadata"), "{}", fixture.name);
            for section in sections {
                if let Body::Table { columns, rows } = &section.body {
                    assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == columns.len()), "{}", fixture.name);
                }
            }
        });
    }
}
