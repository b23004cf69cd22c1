//! Invalid bodies: the same Status from both servers.

use reqwest::Method;
use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["bad body":
    is_no_json, is_of_another_kind, has_no_name, has_a_bad_name, lies_elsewhere, is_there_already, is_out_of_date,
    is_of_an_unknown_type, patch_does_not_apply, has_a_version_at_creation, is_for_nothing,
];

/// Code and reason: the message names a position in a parser.
fn kind(response: &WholeResponse) -> String {
    format!("{} {}", response.status, response.json["reason"].as_str().unwrap_or("-"))
}

async fn is_no_json(scene: &mut Scene) -> Outcome {
    for body in [
        "",
        "{",
        "nonsense",
        "[]",
        "7",
        "{\"metadata\": 7}",
        "{\"metadata\": {\"name\": 7}}",
        "{\"metadata\": {\"name\": \"a\"}, \"data\": 7}",
    ] {
        let response = scene.with_body(Method::POST, "configmaps", "application/json", body).await?;
        scene.check(body, kind(&response), "400 BadRequest");
    }
    let response = scene.with_body(Method::POST, "configmaps", "application/json", "null").await?;
    scene.check("null is an object without a name", kind(&response), "422 Invalid");
    Ok(())
}

async fn is_of_another_kind(scene: &mut Scene) -> Outcome {
    let response =
        scene.post("configmaps", &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})).await?;
    scene.check("another kind", response.summary(), RECORDED);
    let response = scene
        .post("configmaps", &json!({"apiVersion": "apps/v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))
        .await?;
    scene.check("another group", response.summary(), RECORDED);
    Ok(())
}

async fn has_no_name(scene: &mut Scene) -> Outcome {
    let response = scene.post("configmaps", &json!({"metadata": {}})).await?;
    scene.check("nothing", response.summary(), RECORDED);
    let response = scene.post("configmaps", &json!({})).await?;
    scene.check("no metadata", response.summary(), RECORDED);
    let made = scene.create("configmaps", &json!({"metadata": {"generateName": "made-"}})).await?;
    let name = made["metadata"]["name"].as_str().unwrap_or_default();
    scene.check("a generated one", name.len(), "made-".len() + 5);
    Ok(())
}

async fn has_a_bad_name(scene: &mut Scene) -> Outcome {
    for (name, expected) in
        [("Upper", RECORDED), ("a/b", RECORDED), ("-a", RECORDED), ("a_b", RECORDED), ("..", RECORDED)]
    {
        let response = scene.post("configmaps", &json!({"metadata": {"name": name}})).await?;
        scene.check(name, response.summary(), expected);
    }
    let response = scene.post("configmaps", &json!({"metadata": {"name": "a", "labels": {"a b": "c"}}})).await?;
    scene.check("a bad label", kind(&response), "422 Invalid");
    Ok(())
}

async fn lies_elsewhere(scene: &mut Scene) -> Outcome {
    let response = scene.post("configmaps", &json!({"metadata": {"name": "a", "namespace": "default"}})).await?;
    scene.check("another namespace", response.summary(), RECORDED);
    let response =
        scene.post("/api/v1/namespaces/there-is-none/configmaps", &json!({"metadata": {"name": "a"}})).await?;
    scene.check("a missing namespace", response.summary(), RECORDED);
    scene.config_maps("a").await?;
    let response = scene.put("configmaps/a", &json!({"metadata": {"name": "b"}})).await?;
    scene.check("another name", response.summary(), RECORDED);
    Ok(())
}

async fn is_there_already(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let response = scene.post("configmaps", &json!({"metadata": {"name": "a"}})).await?;
    scene.check("verdict", response.summary(), RECORDED);
    Ok(())
}

async fn is_out_of_date(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    scene.touch("a", "new").await?;
    let response = scene.put("configmaps/a", &json!({"metadata": {"name": "a", "resourceVersion": version}})).await?;
    scene.check("PUT", response.summary(), RECORDED);
    let response =
        scene.merge("configmaps/a", &json!({"metadata": {"resourceVersion": version}, "data": {"value": "x"}})).await?;
    scene.check("PATCH", response.summary(), RECORDED);
    let response = scene.put("configmaps/a", &json!({"metadata": {"name": "a", "uid": "another"}})).await?;
    scene.check("another object's uid", kind(&response), "409 Conflict");
    Ok(())
}

async fn is_of_an_unknown_type(scene: &mut Scene) -> Outcome {
    let response = scene.with_body(Method::POST, "configmaps", "text/plain", "a").await?;
    scene.check("POST", response.summary(), RECORDED);
    scene.config_maps("a").await?;
    let response = scene.with_body(Method::PATCH, "configmaps/a", "application/json", "{}").await?;
    scene.check("PATCH", response.summary(), RECORDED);
    Ok(())
}

async fn patch_does_not_apply(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for (what, body, expected) in [
        ("a path that is not there", r#"[{"op": "remove", "path": "/data/none"}]"#, "422 Invalid"),
        ("a test that fails", r#"[{"op": "test", "path": "/metadata/name", "value": "b"}]"#, "422 Invalid"),
        ("no patch", "{}", "400 BadRequest"),
        ("no JSON", "nonsense", "400 BadRequest"),
    ] {
        let response = scene.with_body(Method::PATCH, "configmaps/a", "application/json-patch+json", body).await?;
        scene.check(what, kind(&response), expected);
    }
    for (what, body, expected) in [
        ("merge of nonsense", "nonsense", "400 BadRequest"),
        ("merge of a list", "[]", "400 BadRequest"),
        ("a number for data", r#"{"data": 7}"#, "422 Invalid"),
    ] {
        let response = scene.with_body(Method::PATCH, "configmaps/a", "application/merge-patch+json", body).await?;
        scene.check(what, kind(&response), expected);
    }
    let response = scene.merge("configmaps/none", &json!({"data": {}})).await?;
    scene.check("nothing to patch", response.summary(), RECORDED);
    Ok(())
}

async fn has_a_version_at_creation(scene: &mut Scene) -> Outcome {
    let response = scene.post("configmaps", &json!({"metadata": {"name": "a", "resourceVersion": "7"}})).await?;
    scene.check("verdict", response.summary(), RECORDED);
    Ok(())
}

async fn is_for_nothing(scene: &mut Scene) -> Outcome {
    let response = scene.put("configmaps/none", &json!({"metadata": {"name": "none", "resourceVersion": "7"}})).await?;
    scene.check("PUT with a version", response.summary(), RECORDED);
    let response = scene.put("secrets/none", &json!({"metadata": {"name": "none", "resourceVersion": "7"}})).await?;
    scene.check("PUT of a secret with a version", response.summary(), RECORDED);
    Ok(())
}
