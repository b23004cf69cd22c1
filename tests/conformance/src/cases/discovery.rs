//! Discovery documents.

use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["discovery":
    aggregated_says_so, aggregated_is_cached_by_its_etag, aggregated_resources_are_the_same, legacy_roots,
    legacy_resources_are_the_same, older_forms_are_406_or_legacy,
];

const V2: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async fn aggregated_says_so(scene: &mut Scene) -> Outcome {
    for path in ["/api", "/apis"] {
        let response = scene.get_as(V2, path).await?;
        scene.check("content type", response.header("content-type"), V2);
        scene.check(
            "kind",
            format!("{} {}", response.json["kind"], response.json["apiVersion"]),
            r#""APIGroupDiscoveryList" "apidiscovery.k8s.io/v2""#,
        );
        scene.check("cache control", response.header("cache-control"), "public");
        scene.check("vary", response.header("vary"), "Accept");
        scene.check("freshness", &response.json["items"][0]["versions"][0]["freshness"], json!("Current"));
    }
    Ok(())
}

async fn aggregated_is_cached_by_its_etag(scene: &mut Scene) -> Outcome {
    let response = scene.get_as(V2, "/api").await?;
    let tag = response.header("etag");
    scene.check("a quoted tag", tag.len() > 8 && tag.starts_with('"') && tag.ends_with('"'), true);
    let request = scene.request(reqwest::Method::GET, "/api").header("accept", V2).header("if-none-match", &tag);
    let again = scene.send(request).await?;
    scene.check("again", format!("{} {}", again.status, again.body.len()), "304 0");
    Ok(())
}

/// The entries that the embedded server serves too.
async fn aggregated_resources_are_the_same(scene: &mut Scene) -> Outcome {
    for (root, group, plurals) in [
        ("/api", "", &["configmaps", "pods", "nodes", "namespaces", "services", "secrets", "events"][..]),
        ("/apis", "apps", &["deployments", "replicasets", "statefulsets", "daemonsets", "controllerrevisions"][..]),
        ("/apis", "batch", &["jobs", "cronjobs"][..]),
        ("/apis", "networking.k8s.io", &["ingresses"][..]),
        ("/apis", "apiextensions.k8s.io", &["customresourcedefinitions"][..]),
    ] {
        let list = scene.get_as(V2, root).await?.object()?;
        let groups = list["items"].as_array().cloned().unwrap_or_default();
        let of_group = groups
            .iter()
            .find(|item| item["metadata"]["name"].as_str().unwrap_or_default() == group)
            .cloned()
            .unwrap_or_default();
        let version = &of_group["versions"][0];
        let resources = version["resources"].as_array().cloned().unwrap_or_default();
        for plural in plurals {
            let mut entry = resources.iter().find(|entry| entry["resource"] == *plural).cloned().unwrap_or_default();
            if let Some(parts) = entry["subresources"].as_array_mut() {
                // Only the relevant groups; a real apiserver has more.
                parts.retain(|part| {
                    ["status", "scale", "log"].contains(&part["subresource"].as_str().unwrap_or_default())
                });
            }
            scene.check(&format!("{plural} {}", version["version"]), entry, RECORDED);
        }
    }
    Ok(())
}

async fn legacy_roots(scene: &mut Scene) -> Outcome {
    let api = scene.get("/api").await?;
    scene.check("api", format!("{} {}", api.json["kind"], api.json["versions"]), r#""APIVersions" ["v1"]"#);
    scene.check("content type", api.header("content-type"), "application/json");
    let apis = scene.get("/apis").await?;
    scene.check("apis", words::keys(&apis.json), "apiVersion groups kind");
    let groups = apis.json["groups"].as_array().cloned().unwrap_or_default();
    let listed = groups.iter().find(|group| group["name"] == "apps").cloned().unwrap_or_default();
    scene.check("apps", listed, RECORDED);
    let group = scene.get("/apis/apps").await?;
    scene.check("group", &group.json, RECORDED);
    Ok(())
}

async fn legacy_resources_are_the_same(scene: &mut Scene) -> Outcome {
    for (path, names) in [
        (
            "/api/v1",
            &["configmaps", "pods", "pods/status", "pods/log", "nodes", "namespaces", "namespaces/status", "services"]
                [..],
        ),
        ("/apis/apps/v1", &["deployments", "deployments/status", "deployments/scale", "replicasets"][..]),
        ("/apis/batch/v1", &["jobs", "cronjobs"][..]),
    ] {
        let list = scene.get(path).await?.object()?;
        scene.check(path, words::keys(&list), RECORDED);
        let resources = list["resources"].as_array().cloned().unwrap_or_default();
        for name in names {
            let mut entry: Value = resources.iter().find(|entry| entry["name"] == *name).cloned().unwrap_or_default();
            if let Some(entry) = entry.as_object_mut() {
                entry.remove("storageVersionHash");
            }
            scene.check(name, entry, RECORDED);
        }
    }
    Ok(())
}

async fn older_forms_are_406_or_legacy(scene: &mut Scene) -> Outcome {
    let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    let response = scene.get_as(old, "/apis").await?;
    scene.check("v2beta1 alone", response.status, 406);
    let response = scene.get_as(&format!("{V2},{old},application/json"), "/apis").await?;
    scene.check("all three", response.header("content-type"), V2);
    let response = scene.get_as(&format!("{old},application/json"), "/apis").await?;
    scene.check("v2beta1 and JSON", response.summary(), "200 APIGroupList");
    Ok(())
}
