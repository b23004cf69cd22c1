//! Ephemeral containers: those that `kubectl debug` adds to a running pod.

use reqwest::Method;
use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["ephemeral containers":
    are_added_by_patches, are_added_by_put, have_defaults, have_owners, are_applied, are_never_changed,
    with_forbidden_fields_are_refused, of_unfit_requests_are_refused,
];

const PATH: &str = "pods/a/ephemeralcontainers";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// A pod, and an ephemeral container for it.
async fn pod(scene: &Scene) -> Outcome<Value> {
    let containers = json!([{"name": "c", "image": "i:1"}]);
    let init = json!([{"name": "i", "image": "i:1"}]);
    scene
        .create("pods", &json!({"metadata": {"name": "a"}, "spec": {"containers": containers, "initContainers": init}}))
        .await?;
    Ok(json!({"name": "d", "image": "b:1", "targetContainerName": "c", "stdin": true, "tty": true}))
}

fn of(containers: &Value) -> Value {
    json!({"spec": {"ephemeralContainers": containers}})
}

async fn strategic(scene: &Scene, containers: &Value) -> Outcome<WholeResponse> {
    scene.with_body(Method::PATCH, PATH, STRATEGIC, of(containers)).await
}

/// Verdict of a write, and the names and images of the ephemeral containers.
fn outcome(response: &WholeResponse) -> String {
    let list = response.json["spec"]["ephemeralContainers"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let names: Vec<String> = list.map(|one| format!("{}={}", text(&one["name"]), text(&one["image"]))).collect();
    if response.status == 200 { format!("{} [{}]", response.summary(), names.join(" ")) } else { response.summary() }
}

/// Returns the causes of a rejection. A changed container's has the difference of two Go structs after its first line.
fn rejection(response: &WholeResponse) -> String {
    let Some(causes) = response.json["details"]["causes"].as_array() else { return outcome(response) };
    let text = |cause: &Value, field: &str| cause[field].as_str().unwrap_or_default().to_owned();
    let first = |cause: &Value| text(cause, "message").lines().next().unwrap_or_default().to_owned();
    let causes: Vec<String> = causes
        .iter()
        .map(|cause| format!("{} {}: {}", text(cause, "field"), text(cause, "reason"), first(cause)))
        .collect();
    format!("{} {}", response.status, causes.join("; "))
}

async fn are_added_by_patches(scene: &mut Scene) -> Outcome {
    let first = pod(scene).await?;
    scene.check("before", outcome(&scene.get(PATH).await?), "200 Pod []");
    scene.check("strategic", outcome(&strategic(scene, &json!([first])).await?), "200 Pod [d=b:1]");
    let second = json!([{"name": "e", "image": "b:2"}]);
    scene.check("strategic again", outcome(&strategic(scene, &second).await?), RECORDED);
    let add = json!([{"op": "add", "path": "/spec/ephemeralContainers/-", "value": {"name": "f", "image": "b:3"}}]);
    let response = scene.with_body(Method::PATCH, PATH, "application/json-patch+json", add).await?;
    scene.check("JSON", outcome(&response), RECORDED);
    // A merge patch replaces the list.
    let response = scene.merge(PATH, &of(&json!([{"name": "g", "image": "b:4"}]))).await?;
    scene.check("merge", outcome(&response), RECORDED);
    scene.check("read", outcome(&scene.get("pods/a").await?), RECORDED);
    Ok(())
}

async fn are_added_by_put(scene: &mut Scene) -> Outcome {
    let first = pod(scene).await?;
    let mut object = scene.get("pods/a").await?.object()?;
    object["spec"]["ephemeralContainers"] = json!([first]);
    object["spec"]["containers"][0]["image"] = json!("another:1");
    object["metadata"]["labels"] = json!({"l": "v"});
    let response = scene.put(PATH, &object).await?;
    scene.check("PUT", outcome(&response), "200 Pod [d=b:1]");
    scene.check("the rest", &response.json["spec"]["containers"][0]["image"], json!("i:1"));
    scene.check("its labels", &response.json["metadata"]["labels"], "null");
    scene.check("generation", &response.json["metadata"]["generation"], RECORDED);
    let response = scene.put(PATH, &object).await?;
    scene.check("an old version", response.summary(), RECORDED);
    object["metadata"]["resourceVersion"] = json!("");
    scene.check("no version", outcome(&scene.put(PATH, &object).await?), "200 Pod [d=b:1]");
    object["spec"]["ephemeralContainers"] = json!([]);
    scene.check("none", outcome(&scene.put(PATH, &object).await?), RECORDED);
    Ok(())
}

async fn have_defaults(scene: &mut Scene) -> Outcome {
    pod(scene).await?;
    let response = strategic(scene, &json!([{"name": "d", "image": "b"}, {"name": "e", "image": "b:1"}])).await?;
    scene.check("latest", &response.json["spec"]["ephemeralContainers"][0], RECORDED);
    scene.check("a tag", &response.json["spec"]["ephemeralContainers"][1], RECORDED);
    Ok(())
}

/// The entries of ephemeral containers, without their times.
fn owners(object: &Value) -> String {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let of_part = entries.filter(|entry| entry["fieldsV1"].to_string().contains("ephemeralContainers"));
    let owners: Vec<String> = of_part
        .map(|entry| {
            let text = |field: &str| entry[field].as_str().unwrap_or("-");
            format!("{} {} {} {}", text("manager"), text("operation"), text("subresource"), entry["fieldsV1"])
        })
        .collect();
    owners.join(", ")
}

async fn have_owners(scene: &mut Scene) -> Outcome {
    let first = pod(scene).await?;
    let path = format!("{PATH}?fieldManager=debugger");
    let response = scene.with_body(Method::PATCH, &path, STRATEGIC, of(&json!([first]))).await?;
    scene.check("a patch", owners(&response.json), RECORDED);
    let mut object = response.json.clone();
    object["spec"]["ephemeralContainers"] = json!([first, {"name": "e", "image": "b:1"}]);
    object["spec"]["ephemeralContainers"][0] = response.json["spec"]["ephemeralContainers"][0].clone();
    let response = scene.put(&format!("{PATH}?fieldManager=putter"), &object).await?;
    scene.check("a PUT", owners(&response.json), RECORDED);
    Ok(())
}

async fn are_applied(scene: &mut Scene) -> Outcome {
    let first = pod(scene).await?;
    let config = |containers: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"ephemeralContainers": containers}});
    let path = format!("{PATH}?fieldManager=m");
    let response = scene.with_body(Method::PATCH, PATH, APPLY, config(json!([first]))).await?;
    scene.check("without a manager", response.status, RECORDED);
    let response = scene.with_body(Method::PATCH, &path, APPLY, config(json!([first]))).await?;
    scene.check("applied", outcome(&response), "200 Pod [d=b:1]");
    scene.check("its owner", owners(&response.json), RECORDED);
    let response = scene.with_body(Method::PATCH, &path, APPLY, config(json!([first]))).await?;
    scene.check("again", outcome(&response), "200 Pod [d=b:1]");
    let two = json!([first, {"name": "e", "image": "b:2"}]);
    let response = scene.with_body(Method::PATCH, &path, APPLY, config(two)).await?;
    scene.check("one more", outcome(&response), "200 Pod [d=b:1 e=b:2]");
    let response = scene.with_body(Method::PATCH, &path, APPLY, config(json!([first]))).await?;
    scene.check("one less", outcome(&response), RECORDED);
    let third = json!([{"name": "b", "image": "b:3"}]);
    let response = scene.with_body(Method::PATCH, &format!("{PATH}?fieldManager=n"), APPLY, config(third)).await?;
    scene.check("one of another manager", outcome(&response), RECORDED);
    let other = json!([{"name": "d", "image": "b:9"}]);
    let response = scene.with_body(Method::PATCH, &format!("{PATH}?fieldManager=n"), APPLY, config(other)).await?;
    scene.check("one of the first manager by another", response.summary(), RECORDED);
    let absent = "pods/none/ephemeralcontainers?fieldManager=m";
    let mut missing = config(json!([first]));
    missing["metadata"]["name"] = json!("none");
    let response = scene.with_body(Method::PATCH, absent, APPLY, missing).await?;
    scene.check("of an absent pod", response.summary(), RECORDED);
    Ok(())
}

async fn are_never_changed(scene: &mut Scene) -> Outcome {
    let first = pod(scene).await?;
    strategic(scene, &json!([first])).await?.object()?;
    let response = strategic(scene, &json!([{"name": "d", "image": "b:2"}])).await?;
    scene.check("another image", rejection(&response), RECORDED);
    let removal = json!([{"$patch": "delete", "name": "d"}]);
    let response = strategic(scene, &removal).await?;
    scene.check("removed", response.summary(), RECORDED);
    scene.check("unchanged", outcome(&strategic(scene, &json!([first])).await?), "200 Pod [d=b:1]");
    Ok(())
}

async fn with_forbidden_fields_are_refused(scene: &mut Scene) -> Outcome {
    pod(scene).await?;
    let dry = format!("{PATH}?dryRun=All");
    let probe = json!({"exec": {"command": ["true"]}});
    for (step, fields) in [
        ("no name", json!({"name": ""})),
        ("malformed name", json!({"name": "A b"})),
        ("name of a container", json!({"name": "c"})),
        ("name of an init container", json!({"name": "i"})),
        ("no image", json!({"image": ""})),
        ("image with a space", json!({"image": " b"})),
        ("absent target", json!({"targetContainerName": "none"})),
        ("an init container as target", json!({"targetContainerName": "i"})),
        ("ports", json!({"ports": [{"containerPort": 80}]})),
        ("liveness probe", json!({"livenessProbe": probe})),
        ("readiness probe", json!({"readinessProbe": probe})),
        ("startup probe", json!({"startupProbe": probe})),
        ("lifecycle", json!({"lifecycle": {"preStop": probe}})),
        ("resources", json!({"resources": {"limits": {"cpu": "1"}}})),
        ("two fields", json!({"ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}}})),
        ("unknown pull policy", json!({"imagePullPolicy": "Sometimes"})),
        ("absent volume", json!({"volumeMounts": [{"name": "none", "mountPath": "/m"}]})),
        ("restart policy", json!({"restartPolicy": "Always"})),
    ] {
        let mut container = json!({"name": "d", "image": "b:1"});
        for (field, value) in fields.as_object().into_iter().flatten() {
            container[field] = value.clone();
        }
        // Not a strategic patch, which merges by the name.
        let response = scene.merge(&dry, &of(&json!([container]))).await?;
        scene.check(step, response.summary(), RECORDED);
    }
    let twice = json!([{"name": "d", "image": "b:1"}, {"name": "d", "image": "b:2"}]);
    scene.check("a name twice", scene.merge(&dry, &of(&twice)).await?.summary(), RECORDED);
    let two = json!([{"name": "d", "image": "b:1"}, {"name": "c", "image": "b:2", "ports": [{"containerPort": 80}]}]);
    scene.check("the second", scene.merge(&dry, &of(&two)).await?.summary(), RECORDED);
    scene.check("what is stored", outcome(&scene.get("pods/a").await?), "200 Pod []");
    Ok(())
}

async fn of_unfit_requests_are_refused(scene: &mut Scene) -> Outcome {
    let first = pod(scene).await?;
    let patch = of(&json!([first]));
    let absent = "pods/none/ephemeralcontainers";
    let response = scene.with_body(Method::PATCH, absent, STRATEGIC, &patch).await?;
    scene.check("absent pod: PATCH", response.summary(), RECORDED);
    let mut object = scene.get("pods/a").await?.object()?;
    object["metadata"]["name"] = json!("none");
    scene.check("absent pod: PUT", scene.put(absent, &object).await?.summary(), RECORDED);
    scene.check("absent pod: GET", scene.get(absent).await?.summary(), RECORDED);
    scene.check("POST", scene.post(PATH, &patch).await?.summary(), RECORDED);
    scene.check("DELETE", scene.delete(PATH).await?.summary(), RECORDED);
    let response = scene.merge(&format!("{PATH}?dryRun=All"), &patch).await?;
    scene.check("dry run", outcome(&response), "200 Pod [d=b:1]");
    scene.check("what is stored", outcome(&scene.get("pods/a").await?), "200 Pod []");
    let response = scene
        .merge(&format!("{PATH}?fieldValidation=Strict"), &of(&json!([{"name": "d", "image": "b", "oops": 1}])))
        .await?;
    scene.check(
        "unknown field",
        format!("{} {}", response.status, response.json["details"]["causes"][0]["field"]),
        RECORDED,
    );
    Ok(())
}
