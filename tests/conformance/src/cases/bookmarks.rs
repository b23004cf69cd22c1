//! Bookmarks.

use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["bookmarks":
    come_before_the_timeout, come_only_when_asked, hold_a_version_and_little_else, of_pods_have_empty_parts,
    end_the_initial_events_without_a_version, end_the_initial_events_at_version_0,
];

async fn come_before_the_timeout(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let path = format!("configmaps?timeoutSeconds=4&allowWatchBookmarks=true&resourceVersion={version}");
    // One two seconds before the end, one a second before it; because timers are coarse, one of them may be missing.
    let events = scene.watch(&path).await?.rest().await?;
    scene.check("events", events.replace("BOOKMARK, BOOKMARK", "BOOKMARK"), "BOOKMARK, END");
    Ok(())
}

async fn come_only_when_asked(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    for ask in ["", "&allowWatchBookmarks=false"] {
        let path = format!("configmaps?timeoutSeconds=3&resourceVersion={version}{ask}");
        scene.check("events", scene.watch(&path).await?.rest().await?, "END");
    }
    Ok(())
}

async fn hold_a_version_and_little_else(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let path = format!("configmaps?timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion={version}");
    let event = scene.watch(&path).await?.event().await?;
    let newer = words::version(&event["object"]).parse::<u64>().ok() >= version.parse::<u64>().ok();
    scene.check("version", newer, true);
    let mut object = event["object"].clone();
    object["metadata"]["resourceVersion"] = json!("N");
    scene.check("object", object, r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"N"}}"#);
    Ok(())
}

async fn of_pods_have_empty_parts(scene: &mut Scene) -> Outcome {
    let path = "pods?timeoutSeconds=2&allowWatchBookmarks=true&resourceVersion=0";
    let mut object = scene.watch(path).await?.event().await?["object"].take();
    object["metadata"]["resourceVersion"] = json!("N");
    let expected = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"N"},"spec":{"containers":null},"status":{}}"#;
    scene.check("object", object, expected);
    Ok(())
}

async fn end_the_initial_events_without_a_version(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let mut watch = scene.watch("configmaps?timeoutSeconds=4&allowWatchBookmarks=true").await?;
    scene.check("events", watch.take(3).await?, "ADDED a, ADDED b, BOOKMARK end");
    Ok(())
}

async fn end_the_initial_events_at_version_0(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await?;
    let mut watch = scene.watch("configmaps?timeoutSeconds=4&allowWatchBookmarks=true&resourceVersion=0").await?;
    scene.check("events", watch.take(3).await?, "ADDED a, ADDED b, BOOKMARK end");
    Ok(())
}
