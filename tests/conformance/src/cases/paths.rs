//! Unknown paths, and methods that are not allowed.

use reqwest::Method;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;

pub(crate) const CASES: &[Case] = cases!["paths":
    unknown_group_is_plain_text, unknown_resource_is_a_status, unknown_object_is_a_status, methods_are_checked,
    wrong_scope_is_refused, subresources_are_checked, health_is_told,
];

async fn unknown_group_is_plain_text(scene: &mut Scene) -> Outcome {
    for path in ["/apis/foo.example.com/v1/widgets", "/nowhere", "/apis/foo.example.com"] {
        let response = scene.get(path).await?;
        scene.check(path, response.summary(), "404 text/plain; charset=utf-8: 404 page not found");
        scene.check("no guessing", response.header("x-content-type-options"), "nosniff");
    }
    Ok(())
}

async fn unknown_resource_is_a_status(scene: &mut Scene) -> Outcome {
    let expected = "404 NotFound: the server could not find the requested resource {}";
    for path in [
        "/apis/apps/v7/deployments",
        "/api/v7",
        "/api/v1/widgets",
        "widgets",
        "widgets/a",
        "/apis/apps/v1/widgets",
        "/apis/apps/v1/namespaces/NS/pods",
        "/api/v1/widgets?watch=1",
    ] {
        let response = scene.get(path).await?;
        scene.check(path, response.summary(), expected);
    }
    Ok(())
}

async fn unknown_object_is_a_status(scene: &mut Scene) -> Outcome {
    let response = scene.get("pods/nope").await?;
    scene.check("a pod", response.summary(), r#"404 NotFound: pods "nope" not found {kind="pods" name="nope"}"#);
    let response = scene.get("/apis/apps/v1/namespaces/NS/deployments/nope").await?;
    scene.check(
        "a deployment",
        response.summary(),
        r#"404 NotFound: deployments.apps "nope" not found {group="apps" kind="deployments" name="nope"}"#,
    );
    let response = scene.get("/api/v1/nodes/nope").await?;
    scene.check("a node", response.summary(), r#"404 NotFound: nodes "nope" not found {kind="nodes" name="nope"}"#);
    Ok(())
}

async fn methods_are_checked(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let expected = "405 MethodNotAllowed: the server does not allow this method on the requested resource {}";
    for (method, path) in [
        (Method::OPTIONS, "configmaps"),
        (Method::POST, "configmaps/a"),
        (Method::PUT, "configmaps"),
        (Method::PATCH, "configmaps"),
    ] {
        let response = scene.send(scene.request(method.clone(), path).body("{}")).await?;
        scene.check(&format!("{method} {path}"), response.summary(), expected);
    }
    let response = scene.send(scene.request(Method::HEAD, "configmaps")).await?;
    scene.check("HEAD", response.status, 405);
    let response = scene.send(scene.request(Method::POST, "/api/v1/configmaps").body("{}")).await?;
    scene.check("POST to all namespaces", response.summary(), expected);
    let response = scene.send(scene.request(Method::DELETE, "/api/v1/namespaces")).await?;
    scene.check("DELETE of all namespaces", response.summary(), expected);
    Ok(())
}

async fn wrong_scope_is_refused(scene: &mut Scene) -> Outcome {
    let expected = "404 NotFound: the server could not find the requested resource {}";
    for path in ["nodes", "namespaces", "/api/v1/configmaps/a", "/api/v1/pods/a"] {
        scene.check(path, scene.get(path).await?.summary(), expected);
    }
    Ok(())
}

async fn subresources_are_checked(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let expected = "404 NotFound: the server could not find the requested resource {}";
    for path in ["configmaps/a/status", "configmaps/a/nothing", "pods/a/nothing"] {
        scene.check(path, scene.get(path).await?.summary(), expected);
    }
    Ok(())
}

async fn health_is_told(scene: &mut Scene) -> Outcome {
    for path in ["/readyz", "/livez", "/healthz"] {
        scene.check(path, scene.get(path).await?.summary(), "200 text/plain; charset=utf-8: ok");
    }
    let version = scene.get("/version").await?;
    scene.check(
        "version",
        format!("{} {}", version.header("content-type"), version.json["major"]),
        r#"application/json "1""#,
    );
    Ok(())
}
