//! Metadata that no write may store: by PUT, by each kind of patch, and through subresources.

use reqwest::Method;
use serde_json::{Value, json};

use super::custom;
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["invalid metadata":
    labels_are_refused_by_every_write, annotations_owners_and_finalizers_are_refused, each_kind_is_checked,
    subresources_are_checked, identity_is_kept_or_refused_by_put, identity_is_kept_or_refused_by_patches,
    new_finalizers_of_a_deleted_object_are_refused; alone: custom_resources_are_checked,
];

const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// Writes this metadata into an object with a PUT.
async fn put(scene: &Scene, path: &str, metadata: &Value) -> Outcome<WholeResponse> {
    let mut object = scene.get(path).await?.object()?;
    for (field, value) in metadata.as_object().into_iter().flatten() {
        object["metadata"][field] = value.clone();
    }
    scene.put(path, &object).await
}

/// Writes this metadata into an object with a patch.
async fn patch(scene: &Scene, path: &str, kind: &str, metadata: &Value) -> Outcome<WholeResponse> {
    let body = match kind {
        JSON_PATCH => {
            let fields = metadata.as_object().into_iter().flatten();
            fields
                .map(|(field, value)| json!({"op": "add", "path": format!("/metadata/{field}"), "value": value}))
                .collect()
        }
        APPLY => {
            let live = scene.get(path.split('?').next().unwrap_or_default()).await?.object()?;
            let mut config = json!({"apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": metadata});
            config["metadata"]["name"] = live["metadata"]["name"].clone();
            config
        }
        _ => json!({"metadata": metadata}),
    };
    scene.with_body(Method::PATCH, path, kind, body).await
}

/// Checks the outcome of each kind of write.
async fn check_every_write(scene: &mut Scene, step: &str, path: &str, metadata: &Value) -> Outcome {
    let by_put = put(scene, path, metadata).await?.summary();
    scene.check(&format!("{step}: PUT"), &by_put, RECORDED);
    for kind in [MERGE, STRATEGIC, JSON_PATCH, APPLY] {
        let of = if kind == APPLY { format!("{path}?fieldManager=m") } else { path.to_owned() };
        let by_patch = patch(scene, &of, kind, metadata).await?.summary();
        let shown = if by_patch == by_put { "as PUT" } else { &by_patch };
        scene.check(&format!("{step}: {kind}"), shown, RECORDED);
    }
    Ok(())
}

async fn labels_are_refused_by_every_write(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for (step, labels) in [("key", json!({"a b": "x"})), ("value", json!({"a": "x y"}))] {
        check_every_write(scene, step, "configmaps/a", &json!({"labels": labels})).await?;
    }
    let made = scene.post("configmaps", &json!({"metadata": {"name": "b", "labels": {"-": "x"}}})).await?;
    scene.check("POST", made.summary(), RECORDED);
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "labels": {"-": "x"}}});
    let made = scene.with_body(Method::PATCH, "configmaps/b?fieldManager=m", APPLY, config).await?;
    scene.check("an apply that creates", made.summary(), RECORDED);
    let response = scene.merge("configmaps/a?dryRun=All", &json!({"metadata": {"labels": {"-": "x"}}})).await?;
    scene.check("dry run", response.summary(), RECORDED);
    let kept = scene.get("configmaps/a").await?.object()?;
    scene.check("what is stored", &kept["metadata"]["labels"], "null");
    Ok(())
}

async fn annotations_owners_and_finalizers_are_refused(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let owner = |fields: Value| {
        let mut owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"});
        for (field, value) in fields.as_object().into_iter().flatten() {
            owner[field] = value.clone();
        }
        owner
    };
    for (step, metadata) in [
        ("annotation", json!({"annotations": {"a b": "x"}})),
        ("annotation prefix", json!({"annotations": {"/a": "x"}})),
        ("empty owner", json!({"ownerReferences": [owner(json!({"apiVersion": "", "kind": "", "name": ""}))]})),
        ("owner without a uid", json!({"ownerReferences": [owner(json!({"uid": ""}))]})),
        ("event as owner", json!({"ownerReferences": [owner(json!({"kind": "Event"}))]})),
        ("finalizer without a domain", json!({"finalizers": ["f"]})),
        ("malformed finalizer", json!({"finalizers": ["a b/c d"]})),
        ("empty finalizer", json!({"finalizers": [""]})),
        ("two policies", json!({"finalizers": ["orphan", "foregroundDeletion"]})),
        ("several", json!({"labels": {"-": "-"}, "annotations": {"-": ""}, "finalizers": ["f"]})),
    ] {
        check_every_write(scene, step, "configmaps/a", &metadata).await?;
        let mut object = json!({"metadata": metadata});
        object["metadata"]["name"] = json!("b");
        let made = scene.post("configmaps", &object).await?;
        scene.check(&format!("{step}: POST"), made.summary(), RECORDED);
    }
    let long = "x".repeat(262_145);
    let response = scene.merge("configmaps/a", &json!({"metadata": {"annotations": {"a": long}}})).await?;
    scene.check("too long: PATCH", response.summary(), RECORDED);
    let response = scene.post("configmaps", &json!({"metadata": {"name": "b", "annotations": {"a": long}}})).await?;
    scene.check("too long: POST", response.summary(), RECORDED);
    let controllers = [owner(json!({"controller": true})), owner(json!({"uid": "w", "controller": true}))];
    let response = scene.merge("configmaps/a", &json!({"metadata": {"ownerReferences": controllers}})).await?;
    scene.check("two controllers", response.summary(), RECORDED);
    Ok(())
}

/// A template of pods, and a selector for them.
fn workload() -> Value {
    json!({
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}},
    })
}

/// Returns the fields of the causes of a rejection, or the summary.
fn causes(response: &WholeResponse) -> String {
    let Some(causes) = response.json["details"]["causes"].as_array() else { return response.summary() };
    let fields: Vec<&str> =
        causes.iter().filter_map(|cause| cause["field"].as_str()?.strip_prefix("metadata.")).collect();
    fields.join(" ")
}

async fn each_kind_is_checked(scene: &mut Scene) -> Outcome {
    let mut set = workload();
    set["serviceName"] = json!("s");
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i:1"}]}});
    let quantity = json!({"requests": {"storage": "1Gi"}});
    let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"});
    for (path, fields) in [
        ("pods", json!({"spec": {"containers": [{"name": "c", "image": "i:1"}]}})),
        ("secrets", json!({})),
        ("serviceaccounts", json!({})),
        ("services", json!({"spec": {"ports": [{"port": 80}]}})),
        ("events", json!({"involvedObject": {"namespace": scene.namespace}, "reason": "r", "type": "Normal"})),
        ("persistentvolumeclaims", json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": quantity}})),
        ("resourcequotas", json!({"spec": {}})),
        ("limitranges", json!({"spec": {"limits": []}})),
        ("endpoints", json!({})),
        ("/apis/apps/v1/namespaces/NS/deployments", json!({"spec": workload()})),
        ("/apis/apps/v1/namespaces/NS/replicasets", json!({"spec": workload()})),
        ("/apis/apps/v1/namespaces/NS/daemonsets", json!({"spec": workload()})),
        ("/apis/apps/v1/namespaces/NS/statefulsets", json!({"spec": set})),
        ("/apis/batch/v1/namespaces/NS/jobs", json!({"spec": {"template": template}})),
        (
            "/apis/batch/v1/namespaces/NS/cronjobs",
            json!({"spec": {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": template}}}}),
        ),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles", json!({"rules": []})),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings", json!({"roleRef": role})),
        ("/apis/policy/v1/namespaces/NS/poddisruptionbudgets", json!({"spec": {}})),
        ("/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies", json!({"spec": {"podSelector": {}}})),
        (
            "/apis/networking.k8s.io/v1/namespaces/NS/ingresses",
            json!({"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}}),
        ),
        (
            "/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
            json!({"spec": {"maxReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}}),
        ),
        ("/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices", json!({"addressType": "IPv4", "endpoints": []})),
        ("/api/v1/nodes", json!({})),
        ("/apis/storage.k8s.io/v1/storageclasses", json!({"provisioner": "p"})),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", json!({"rules": []})),
    ] {
        let name = scene.namespace.clone();
        let mut object = fields;
        object["metadata"] = json!({"name": name});
        let mut refused = object.clone();
        refused["metadata"]["finalizers"] = json!(["f"]);
        let response = scene.post(path, &refused).await?;
        scene.check(&format!("{path}: POST"), causes(&response), RECORDED);
        if response.status == 201 {
            scene.merge(&format!("{path}/{name}"), &json!({"metadata": {"finalizers": null}})).await?;
            scene.delete(&format!("{path}/{name}")).await?;
        }
        scene.create(path, &object).await?;
        let one = format!("{path}/{name}");
        let wrong = json!({"labels": {"-": "x"}, "finalizers": ["f"], "deletionGracePeriodSeconds": 5});
        let response = patch(scene, &one, MERGE, &wrong).await?;
        scene.check(path, causes(&response), RECORDED);
        let response = patch(scene, &format!("{one}/status"), MERGE, &wrong).await?;
        scene.check(&format!("{path}: status"), causes(&response), RECORDED);
        let owner = json!({"apiVersion": "v1", "kind": "K", "name": "o", "uid": "u"});
        let valid = json!({"labels": {"l": "v"}, "annotations": {"a": "v"}, "ownerReferences": [owner]});
        let response = patch(scene, &format!("{one}/status"), MERGE, &valid).await?;
        if response.status == 200 {
            scene.check(&format!("{path}: status stores"), outcome(&response, &valid), RECORDED);
        }
        let mut unversioned = scene.get(&one).await?.object()?;
        unversioned["metadata"]["resourceVersion"] = json!("");
        let response = scene.put(&one, &unversioned).await?;
        scene.check(&format!("{path}: PUT without a version"), response.summary(), RECORDED);
        scene.delete(&one).await?;
    }
    let response =
        scene.merge("/api/v1/namespaces/NS", &json!({"metadata": {"labels": {"-": "x"}, "finalizers": ["f"]}})).await?;
    scene.check("namespace", causes(&response), RECORDED);
    Ok(())
}

async fn subresources_are_checked(scene: &mut Scene) -> Outcome {
    scene
        .create("pods", &json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
        .await?;
    let deployments = "/apis/apps/v1/namespaces/NS/deployments";
    scene.create(deployments, &json!({"metadata": {"name": "a"}, "spec": workload()})).await?;
    let deployment = format!("{deployments}/a");
    let labels = json!({"labels": {"-": "x"}});
    for path in ["pods/a/status", "pods/a/ephemeralcontainers", &format!("{deployment}/status")] {
        let response = put(scene, path, &labels).await?;
        scene.check(&format!("{path}: PUT"), response.summary(), RECORDED);
        for (name, metadata) in [
            ("labels", labels.clone()),
            ("finalizers", json!({"finalizers": ["f"]})),
            ("owners", json!({"ownerReferences": [{"apiVersion": "", "kind": "K", "name": "n", "uid": "u"}]})),
            ("uid", json!({"uid": "u"})),
            ("name", json!({"name": "b"})),
        ] {
            let response = patch(scene, path, MERGE, &metadata).await?;
            scene.check(&format!("{path}: {name}"), response.summary(), RECORDED);
        }
        let response = patch(scene, path, MERGE, &json!({"labels": {"l": "v"}})).await?;
        scene.check(
            &format!("{path}: good labels"),
            response.summary(),
            "200 ".to_owned() + if path.starts_with("pods") { "Pod" } else { "Deployment" },
        );
        let live = scene.get(path.rsplit_once('/').unwrap_or_default().0).await?.object()?;
        scene.check(&format!("{path}: labels stored"), &live["metadata"]["labels"], RECORDED);
    }
    let scale = format!("{deployment}/scale");
    for (step, metadata) in [("labels", labels), ("uid", json!({"uid": "u"})), ("name", json!({"name": "b"}))] {
        let response = patch(scene, &scale, MERGE, &metadata).await?;
        scene.check(&format!("scale: {step}"), without_uids(&response.summary()), RECORDED);
    }
    Ok(())
}

/// Fields of the identity, each with another value than the object's.
fn identity() -> [(&'static str, Value); 11] {
    [
        ("name", json!({"name": "b"})),
        ("no name", json!({"name": ""})),
        ("namespace", json!({"namespace": "default"})),
        ("no namespace", json!({"namespace": ""})),
        ("uid", json!({"uid": "u"})),
        ("creationTimestamp", json!({"creationTimestamp": "2001-01-01T00:00:00Z"})),
        ("deletionTimestamp", json!({"deletionTimestamp": "2001-01-01T00:00:00Z"})),
        ("deletionGracePeriodSeconds", json!({"deletionGracePeriodSeconds": 5})),
        ("generation", json!({"generation": 7})),
        ("resourceVersion", json!({"resourceVersion": "1"})),
        ("generateName", json!({"generateName": "g-"})),
    ]
}

/// Returns the summary of a write, and which of the given fields it stored.
fn outcome(response: &WholeResponse, metadata: &Value) -> String {
    let contains = |stored: &Value, value: &Value| match value.as_object() {
        // Some kinds have labels and annotations of their own.
        Some(map) => map.iter().all(|(key, value)| stored[key] == *value),
        None => stored == value,
    };
    let fields = metadata.as_object().into_iter().flatten();
    let stored = fields.filter(|(field, value)| contains(&response.json["metadata"][*field], value));
    let stored: Vec<&str> = stored.map(|(field, _)| field.as_str()).collect();
    let verdict = without_uids(&response.summary());
    if response.status == 200 { format!("{verdict} stored: [{}]", stored.join(" ")) } else { verdict }
}

/// Removes UIDs, which differ from run to run.
fn without_uids(text: &str) -> String {
    let is_uid = |word: &str| word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    let mut plain = String::new();
    for piece in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        plain.push_str(&if is_uid(word) { piece.replace(word, "UID") } else { piece.to_owned() });
    }
    plain
}

async fn identity_is_kept_or_refused_by_put(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    scene
        .create("pods", &json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
        .await?;
    for path in ["configmaps/a", "pods/a", "pods/a/status"] {
        for (step, metadata) in identity() {
            let response = put(scene, path, &metadata).await?;
            scene.check(&format!("{path}: {step}"), outcome(&response, &metadata), RECORDED);
        }
    }
    Ok(())
}

async fn identity_is_kept_or_refused_by_patches(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for kind in [MERGE, STRATEGIC, JSON_PATCH, APPLY] {
        for (step, metadata) in identity() {
            let path = if kind == APPLY { "configmaps/a?fieldManager=m" } else { "configmaps/a" };
            // An apply takes its name from the object.
            if kind == APPLY && step.contains("name") {
                continue;
            }
            let response = patch(scene, path, kind, &metadata).await?;
            scene.check(&format!("{kind}: {step}"), outcome(&response, &metadata), RECORDED);
        }
    }
    for (field, kind) in [("name", MERGE), ("uid", MERGE), ("creationTimestamp", MERGE), ("namespace", MERGE)] {
        let response = patch(scene, "configmaps/a", kind, &json!({field: null})).await?;
        scene.check(&format!("null: {field}"), outcome(&response, &json!({field: null})), RECORDED);
    }
    Ok(())
}

async fn new_finalizers_of_a_deleted_object_are_refused(scene: &mut Scene) -> Outcome {
    scene.create("configmaps", &json!({"metadata": {"name": "a", "finalizers": ["x.y/one", "x.y/two"]}})).await?;
    scene.delete("configmaps/a").await?.object()?;
    let response =
        scene.merge("configmaps/a", &json!({"metadata": {"finalizers": ["x.y/one", "x.y/two", "x.y/three"]}})).await?;
    scene.check("one more", response.summary(), RECORDED);
    let response = scene.merge("configmaps/a", &json!({"metadata": {"finalizers": ["x.y/two", "x.y/one"]}})).await?;
    scene.check("another order", response.summary(), RECORDED);
    let response =
        scene.merge("configmaps/a", &json!({"metadata": {"deletionTimestamp": "2001-01-01T00:00:00Z"}})).await?;
    scene.check("deletionTimestamp", response.status, RECORDED);
    let response = scene.merge("configmaps/a", &json!({"metadata": {"finalizers": ["x.y/one"]}})).await?;
    scene.check("one less", response.summary(), RECORDED);
    let response = scene.merge("configmaps/a", &json!({"metadata": {"finalizers": null}})).await?;
    scene.check("none", response.summary(), RECORDED);
    scene.check("and it is gone", scene.get("configmaps/a").await?.status, 404);
    Ok(())
}

async fn custom_resources_are_checked(scene: &mut Scene) -> Outcome {
    custom::define(scene).await?;
    let path = custom::things(scene);
    let one = format!("{path}/a");
    scene.create(&path, &custom::thing(scene, "a", &json!({"size": 1}))).await?;
    for (step, metadata) in [
        ("labels", json!({"labels": {"-": "x"}})),
        ("annotations", json!({"annotations": {"a b": "x"}})),
        ("finalizers", json!({"finalizers": ["f"]})),
        ("owners", json!({"ownerReferences": [{"apiVersion": "v1", "kind": "", "name": "n", "uid": "u"}]})),
    ] {
        let mut made = custom::thing(scene, "b", &json!({}));
        for (field, value) in metadata.as_object().into_iter().flatten() {
            made["metadata"][field] = value.clone();
        }
        let answers = [
            ("POST", scene.post(&path, &made).await?),
            ("PUT", put(scene, &one, &metadata).await?),
            ("merge", patch(scene, &one, MERGE, &metadata).await?),
            ("JSON", patch(scene, &one, JSON_PATCH, &metadata).await?),
            ("apply", patch(scene, &format!("{one}?fieldManager=m"), APPLY, &metadata).await?),
            ("status", patch(scene, &format!("{one}/status"), MERGE, &metadata).await?),
        ];
        for (write, response) in answers {
            scene.check(&format!("{step}: {write}"), response.summary(), RECORDED);
        }
    }
    for (step, metadata) in identity() {
        let response = put(scene, &one, &metadata).await?;
        scene.check(&format!("PUT: {step}"), outcome(&response, &metadata), RECORDED);
    }
    let response = scene.put(&one, &custom::thing(scene, "a", &json!({}))).await?;
    scene.check("PUT without a version", response.summary(), RECORDED);
    custom::remove(scene).await
}
