//! Compression and layout.

use reqwest::Method;
use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::Scene;

pub(crate) const CASES: &[Case] = cases!["encoding":
    large_lists_are_gzipped_when_asked, small_lists_are_not_gzipped, watches_are_not_gzipped, gzip_alone_is_offered,
    browsers_get_it_pretty, errors_are_pretty_too, watches_are_never_pretty,
];

/// Gzip starts at 128 KiB.
async fn large(scene: &Scene) -> Outcome {
    let value = "all work and no play ".repeat(10_000);
    scene.create("configmaps", &json!({"metadata": {"name": "large"}, "data": {"value": value}})).await?;
    Ok(())
}

async fn encoded(scene: &Scene, encoding: &str, path: &str) -> Outcome<WholeResponse> {
    scene.send(scene.request(Method::GET, path).header("accept-encoding", encoding)).await
}

async fn large_lists_are_gzipped_when_asked(scene: &mut Scene) -> Outcome {
    large(scene).await?;
    let list = encoded(scene, "gzip", "configmaps").await?;
    scene.check("encoding", list.header("content-encoding"), "gzip");
    scene.check("vary", list.header("vary"), "Accept-Encoding");
    scene.check("a gzip header", list.body.starts_with(&[0x1f, 0x8b]), true);
    scene.check("smaller", list.body.len() < 20_000, true);
    let object = encoded(scene, "gzip, deflate, br, zstd", "configmaps/large").await?;
    scene.check("an object, as a browser asks", object.header("content-encoding"), "gzip");
    let list = encoded(scene, "identity", "configmaps").await?;
    scene.check("not asked", list.header("content-encoding"), "-");
    Ok(())
}

async fn small_lists_are_not_gzipped(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let list = encoded(scene, "gzip", "configmaps").await?;
    scene.check("encoding", list.header("content-encoding"), "-");
    Ok(())
}

async fn watches_are_not_gzipped(scene: &mut Scene) -> Outcome {
    large(scene).await?;
    let list = encoded(scene, "gzip", "configmaps?watch=1&timeoutSeconds=1").await?;
    scene.check("encoding", list.header("content-encoding"), "-");
    scene.check("as text", list.body.starts_with(br#"{"type":"ADDED""#), true);
    Ok(())
}

async fn gzip_alone_is_offered(scene: &mut Scene) -> Outcome {
    large(scene).await?;
    for encoding in ["br", "zstd", "deflate", "gzip;q=0"] {
        let list = encoded(scene, encoding, "configmaps").await?;
        scene.check(encoding, list.header("content-encoding"), "-");
    }
    Ok(())
}

async fn browsers_get_it_pretty(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let get = async |agent: &str, path: &str| -> Outcome<&'static str> {
        Ok(scene.send(scene.request(Method::GET, path).header("user-agent", agent)).await?.layout())
    };
    let mut seen = Vec::new();
    for (agent, path, expected) in [
        ("Mozilla/5.0 (X11)", "configmaps", "pretty"),
        ("curl/8.0", "configmaps", "pretty"),
        ("Wget/1.2", "configmaps/a", "pretty"),
        ("Go-http-client/2.0", "configmaps", "compact"),
        ("my Mozilla/5.0", "configmaps", "compact"),
        ("Mozilla/5.0", "configmaps?pretty=0", "compact"),
        ("Mozilla/5.0", "configmaps?pretty=false", "compact"),
        ("Mozilla/5.0", "configmaps?pretty=", "pretty"),
        ("client", "configmaps?pretty=1", "pretty"),
        ("client", "configmaps?pretty=true", "pretty"),
        ("client", "configmaps?pretty", "compact"),
        ("Mozilla/5.0", "/api", "pretty"),
        ("Mozilla/5.0", "/version?pretty=0", "pretty"),
    ] {
        seen.push((format!("{agent} {path}"), get(agent, path).await?, expected));
    }
    for (step, actual, expected) in seen {
        scene.check(&step, actual, expected);
    }
    Ok(())
}

async fn errors_are_pretty_too(scene: &mut Scene) -> Outcome {
    let request = |path: &str| scene.request(Method::GET, path).header("user-agent", "Mozilla/5.0");
    let pretty = scene.send(request("configmaps/none")).await?;
    let compact = scene.send(request("configmaps/none?pretty=0")).await?;
    scene.check("by default", pretty.layout(), "pretty");
    scene.check("pretty=0", compact.layout(), "compact");
    Ok(())
}

async fn watches_are_never_pretty(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let request =
        scene.request(Method::GET, "configmaps?watch=1&timeoutSeconds=1&pretty=1").header("user-agent", "Mozilla/5.0");
    let watched = scene.send(request).await?;
    scene.check("lines", watched.text().lines().count(), 2);
    Ok(())
}
