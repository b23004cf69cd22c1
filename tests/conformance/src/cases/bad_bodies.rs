//! Invalid bodies: the same Status from both servers.

use reqwest::Method;
use serde_json::json;

use crate::answer::Answer;
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["bad body":
    is_no_json, is_of_another_kind, has_no_name, has_a_bad_name, lies_elsewhere, is_there_already, is_out_of_date,
    is_of_an_unknown_type, patch_does_not_apply, has_a_version_at_creation, is_for_nothing,
];

/// Code and reason: the message names a position in a parser.
fn kind(answer: &Answer) -> String {
    format!("{} {}", answer.status, answer.json["reason"].as_str().unwrap_or("-"))
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
        let answer = scene.with_body(Method::POST, "configmaps", "application/json", body).await?;
        scene.see(body, kind(&answer), "400 BadRequest");
    }
    let answer = scene.with_body(Method::POST, "configmaps", "application/json", "null").await?;
    scene.see("null is an object without a name", kind(&answer), "422 Invalid");
    Ok(())
}

async fn is_of_another_kind(scene: &mut Scene) -> Outcome {
    let answer =
        scene.post("configmaps", &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})).await?;
    scene.see("another kind", answer.verdict(), RECORDED);
    let answer = scene
        .post("configmaps", &json!({"apiVersion": "apps/v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))
        .await?;
    scene.see("another group", answer.verdict(), RECORDED);
    Ok(())
}

async fn has_no_name(scene: &mut Scene) -> Outcome {
    let answer = scene.post("configmaps", &json!({"metadata": {}})).await?;
    scene.see("nothing", answer.verdict(), RECORDED);
    let answer = scene.post("configmaps", &json!({})).await?;
    scene.see("no metadata", answer.verdict(), RECORDED);
    let made = scene.make("configmaps", &json!({"metadata": {"generateName": "made-"}})).await?;
    let name = made["metadata"]["name"].as_str().unwrap_or_default();
    scene.see("a generated one", name.len(), "made-".len() + 5);
    Ok(())
}

async fn has_a_bad_name(scene: &mut Scene) -> Outcome {
    for (name, want) in [("Upper", RECORDED), ("a/b", RECORDED), ("-a", RECORDED), ("a_b", RECORDED), ("..", RECORDED)]
    {
        let answer = scene.post("configmaps", &json!({"metadata": {"name": name}})).await?;
        scene.see(name, answer.verdict(), want);
    }
    let answer = scene.post("configmaps", &json!({"metadata": {"name": "a", "labels": {"a b": "c"}}})).await?;
    scene.see("a bad label", kind(&answer), "422 Invalid");
    Ok(())
}

async fn lies_elsewhere(scene: &mut Scene) -> Outcome {
    let answer = scene.post("configmaps", &json!({"metadata": {"name": "a", "namespace": "default"}})).await?;
    scene.see("another namespace", answer.verdict(), RECORDED);
    let answer = scene.post("/api/v1/namespaces/there-is-none/configmaps", &json!({"metadata": {"name": "a"}})).await?;
    scene.see("a missing namespace", answer.verdict(), RECORDED);
    scene.config_maps("a").await?;
    let answer = scene.put("configmaps/a", &json!({"metadata": {"name": "b"}})).await?;
    scene.see("another name", answer.verdict(), RECORDED);
    Ok(())
}

async fn is_there_already(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let answer = scene.post("configmaps", &json!({"metadata": {"name": "a"}})).await?;
    scene.see("verdict", answer.verdict(), RECORDED);
    Ok(())
}

async fn is_out_of_date(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    scene.touch("a", "new").await?;
    let answer = scene.put("configmaps/a", &json!({"metadata": {"name": "a", "resourceVersion": version}})).await?;
    scene.see("PUT", answer.verdict(), RECORDED);
    let answer =
        scene.merge("configmaps/a", &json!({"metadata": {"resourceVersion": version}, "data": {"value": "x"}})).await?;
    scene.see("PATCH", answer.verdict(), RECORDED);
    let answer = scene.put("configmaps/a", &json!({"metadata": {"name": "a", "uid": "another"}})).await?;
    scene.see("another object's uid", kind(&answer), "409 Conflict");
    Ok(())
}

async fn is_of_an_unknown_type(scene: &mut Scene) -> Outcome {
    let answer = scene.with_body(Method::POST, "configmaps", "text/plain", "a").await?;
    scene.see("POST", answer.verdict(), RECORDED);
    scene.config_maps("a").await?;
    let answer = scene.with_body(Method::PATCH, "configmaps/a", "application/json", "{}").await?;
    scene.see("PATCH", answer.verdict(), RECORDED);
    Ok(())
}

async fn patch_does_not_apply(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for (what, body, want) in [
        ("a path that is not there", r#"[{"op": "remove", "path": "/data/none"}]"#, "422 Invalid"),
        ("a test that fails", r#"[{"op": "test", "path": "/metadata/name", "value": "b"}]"#, "422 Invalid"),
        ("no patch", "{}", "400 BadRequest"),
        ("no JSON", "nonsense", "400 BadRequest"),
    ] {
        let answer = scene.with_body(Method::PATCH, "configmaps/a", "application/json-patch+json", body).await?;
        scene.see(what, kind(&answer), want);
    }
    for (what, body, want) in [
        ("merge of nonsense", "nonsense", "400 BadRequest"),
        ("merge of a list", "[]", "400 BadRequest"),
        ("a number for data", r#"{"data": 7}"#, "422 Invalid"),
    ] {
        let answer = scene.with_body(Method::PATCH, "configmaps/a", "application/merge-patch+json", body).await?;
        scene.see(what, kind(&answer), want);
    }
    let answer = scene.merge("configmaps/none", &json!({"data": {}})).await?;
    scene.see("nothing to patch", answer.verdict(), RECORDED);
    Ok(())
}

async fn has_a_version_at_creation(scene: &mut Scene) -> Outcome {
    let answer = scene.post("configmaps", &json!({"metadata": {"name": "a", "resourceVersion": "7"}})).await?;
    scene.see("verdict", answer.verdict(), RECORDED);
    Ok(())
}

async fn is_for_nothing(scene: &mut Scene) -> Outcome {
    let answer = scene.put("configmaps/none", &json!({"metadata": {"name": "none", "resourceVersion": "7"}})).await?;
    scene.see("PUT with a version", answer.verdict(), RECORDED);
    let answer = scene.put("secrets/none", &json!({"metadata": {"name": "none", "resourceVersion": "7"}})).await?;
    scene.see("PUT of a secret with a version", answer.verdict(), RECORDED);
    Ok(())
}
