//! Access reviews, and the `OpenAPI` documents.

use reqwest::Method;
use serde_json::{Value, json};

use super::forbidden::{grant, user};
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["reviews":
    say_what_a_user_may, list_the_rules_of_a_user, half_a_question_is_refused, schemas_are_the_same,
];

const REVIEWS: &str = "/apis/authorization.k8s.io/v1";

async fn ask(scene: &Scene, plural: &str, spec: Value) -> Outcome<WholeResponse> {
    let request = scene.request(Method::POST, &format!("{REVIEWS}/{plural}"));
    let request = request.header("impersonate-user", user(scene)).header("content-type", "application/json");
    scene.send(request.body(json!({"spec": spec}).to_string())).await
}

async fn say_what_a_user_may(scene: &mut Scene) -> Outcome {
    grant(scene, &["configmaps", "pods/log"], &["get", "list"]).await?;
    let namespace = scene.namespace.clone();
    for (what, attributes) in [
        ("granted", json!({"verb": "list", "resource": "configmaps", "namespace": namespace})),
        ("a subresource", json!({"verb": "get", "resource": "pods", "subresource": "log", "namespace": namespace})),
        ("another verb", json!({"verb": "delete", "resource": "configmaps", "namespace": namespace})),
        ("elsewhere", json!({"verb": "list", "resource": "configmaps", "namespace": "default"})),
    ] {
        let response = ask(scene, "selfsubjectaccessreviews", json!({"resourceAttributes": attributes})).await?;
        let status = response.json["status"].to_string().replace(&user(scene), "USER");
        scene.check(what, format!("{} {} {status}", response.status, response.json["kind"]), RECORDED);
    }
    let path = json!({"nonResourceAttributes": {"path": "/metrics", "verb": "get"}});
    let response = ask(scene, "selfsubjectaccessreviews", path).await?;
    scene.check("a path", &response.json["status"], RECORDED);
    Ok(())
}

async fn list_the_rules_of_a_user(scene: &mut Scene) -> Outcome {
    grant(scene, &["configmaps"], &["get", "list"]).await?;
    let response = ask(scene, "selfsubjectrulesreviews", json!({"namespace": scene.namespace})).await?;
    let rules = response.json["status"]["resourceRules"].as_array().cloned().unwrap_or_default();
    let own: Vec<&Value> = rules.iter().filter(|rule| rule["apiGroups"] == json!([""])).collect();
    scene.check("rules", json!(own), RECORDED);
    let reviews = rules.iter().any(|rule| rule["resources"].to_string().contains("selfsubjectaccessreviews"));
    scene.check("reviews", reviews, true);
    scene.check("complete", &response.json["status"]["incomplete"], false);
    scene.check(
        "the rest",
        format!("{} {} {}", response.status, response.json["metadata"], response.json["spec"]),
        "201 {} {}",
    );
    Ok(())
}

async fn half_a_question_is_refused(scene: &mut Scene) -> Outcome {
    for (plural, spec) in [
        ("selfsubjectaccessreviews", json!({})),
        (
            "selfsubjectaccessreviews",
            json!({"resourceAttributes": {"verb": "get"}, "nonResourceAttributes": {"path": "/x", "verb": "get"}}),
        ),
        ("selfsubjectrulesreviews", json!({})),
    ] {
        let response = ask(scene, plural, spec.clone()).await?;
        scene.check(&format!("{plural} {spec}"), response.summary(), RECORDED);
    }
    let get = scene.get(&format!("{REVIEWS}/selfsubjectrulesreviews")).await?;
    scene.check("get", get.summary(), RECORDED);
    let other = json!({"kind": "Pod", "apiVersion": "v1"});
    let response = scene.post(&format!("{REVIEWS}/selfsubjectrulesreviews"), &other).await?;
    scene.check("another kind", response.summary(), RECORDED);
    Ok(())
}

async fn schemas_are_the_same(scene: &mut Scene) -> Outcome {
    let index = scene.get("/openapi/v3").await?.object()?;
    for (path, names) in [
        ("api/v1", &["core.v1.ConfigMap", "core.v1.PodSpec", "core.v1.ContainerPort"][..]),
        ("apis/apps/v1", &["apps.v1.DeploymentSpec", "core.v1.Probe"][..]),
        ("apis/policy/v1", &["policy.v1.PodDisruptionBudgetSpec"][..]),
    ] {
        let url = index["paths"][path]["serverRelativeURL"].as_str().unwrap_or_default().to_owned();
        let document = scene.get(&url).await?;
        scene.check(&format!("{path} is kept"), document.header("cache-control"), "public, immutable");
        for name in names {
            let schema = &document.json["components"]["schemas"][&format!("io.k8s.api.{name}")];
            // The text is long; every letter of it counts.
            let text = schema.to_string();
            let sum = text.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
            scene.check(name, format!("{} bytes, {sum:08x}", text.len()), RECORDED);
        }
    }
    let missing = scene.get("/openapi/v3/apis/nothing.example.com/v1").await?;
    scene.check("no group", missing.status, 404);
    Ok(())
}
