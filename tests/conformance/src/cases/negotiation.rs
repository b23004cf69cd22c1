//! Content types.

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["accept":
    unknown_types_are_skipped, anything_is_json, nothing_known_is_406, watches_are_negotiated_too,
];

async fn unknown_types_are_skipped(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for accept in [
        "application/cbor, application/json",
        "text/html,application/xhtml+xml,application/json;q=0.9",
        "application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json",
        "application/json;as=Table;v=v9;g=meta.k8s.io,application/json",
        "nonsense, application/json",
    ] {
        let response = scene.get_as(accept, "configmaps").await?;
        scene.check(
            accept,
            format!("{} {}", response.summary(), response.header("content-type")),
            "200 ConfigMapList application/json",
        );
    }
    Ok(())
}

async fn anything_is_json(scene: &mut Scene) -> Outcome {
    for accept in ["*/*", "", "text/html, */*;q=0.8", "application/json;charset=utf-8"] {
        let response = scene.get_as(accept, "configmaps").await?;
        scene.check(
            accept,
            format!("{} {}", response.summary(), response.header("content-type")),
            "200 ConfigMapList application/json",
        );
    }
    Ok(())
}

async fn nothing_known_is_406(scene: &mut Scene) -> Outcome {
    for accept in ["text/html", "application/*", "application/cbor", "application/json;as=Nothing;v=v1;g=meta.k8s.io"] {
        let response = scene.get_as(accept, "configmaps").await?;
        scene.check(accept, response.summary(), RECORDED);
        if !accept.ends_with('*') {
            // Indented for every client.
            scene.check(&format!("layout of {accept}"), response.layout(), "pretty");
        }
    }
    Ok(())
}

async fn watches_are_negotiated_too(scene: &mut Scene) -> Outcome {
    let response = scene.get_as("text/html", "configmaps?watch=1&timeoutSeconds=1").await?;
    scene.check("text/html", response.summary(), RECORDED);
    let response = scene.get_as("application/json;stream=watch", "configmaps?watch=1&timeoutSeconds=1").await?;
    scene.check("stream=watch", format!("{} {}", response.status, response.header("content-type")), RECORDED);
    Ok(())
}
