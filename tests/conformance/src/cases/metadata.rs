//! Objects reduced to their metadata.

use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["metadata only":
    of_a_list, of_one_object, of_a_watch, of_a_watch_list,
];

const ONE: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

async fn of_a_list(scene: &mut Scene) -> Outcome {
    // With data: a real apiserver keeps no managedFields of an object that had none at its creation.
    scene.create("configmaps", &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await?;
    let list = scene.get_as(LIST, "configmaps").await?;
    scene.check("content type", list.header("content-type"), "application/json");
    scene.check(
        "kind",
        format!("{} {}", list.json["kind"], list.json["apiVersion"]),
        r#""PartialObjectMetadataList" "meta.k8s.io/v1""#,
    );
    scene.check("names", list.names(), "a");
    scene.check("keys of an item", words::keys(&list.json["items"][0]), "apiVersion kind metadata");
    let metadata = words::keys(&list.json["items"][0]["metadata"]);
    scene.check("keys of its metadata", metadata, "creationTimestamp managedFields name namespace resourceVersion uid");
    let list = scene.get_as(ONE, "configmaps").await?;
    scene.check("asked in the singular", list.summary(), RECORDED);
    Ok(())
}

async fn of_one_object(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let object = scene.get_as(ONE, "configmaps/a").await?;
    scene.check(
        "kind",
        format!("{} {}", object.json["kind"], object.json["apiVersion"]),
        r#""PartialObjectMetadata" "meta.k8s.io/v1""#,
    );
    scene.check("keys", words::keys(&object.json), "apiVersion kind metadata");
    let object = scene.get_as(LIST, "configmaps/a").await?;
    scene.check("asked in the plural", object.summary(), RECORDED);
    Ok(())
}

async fn of_a_watch(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let mut watch = scene.watch_as(ONE, "configmaps?timeoutSeconds=10").await?;
    let event = watch.event().await?;
    scene.check("event", words::event(&event), "ADDED a");
    scene.check("keys", words::keys(&event["object"]), "apiVersion kind metadata");
    scene.check("kind", &event["object"]["kind"], json!("PartialObjectMetadata"));
    scene.touch("a", "1").await?;
    scene.delete("configmaps/a").await?.object()?;
    scene.check("live", watch.take(2).await?, "MODIFIED a, DELETED a");
    Ok(())
}

async fn of_a_watch_list(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let path = "configmaps?timeoutSeconds=10&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = scene.watch_as(ONE, path).await?;
    watch.event().await?;
    let mut mark = watch.event().await?;
    mark["object"]["metadata"]["resourceVersion"] = json!("N");
    scene.check("mark", &mark["object"], r#"{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"N"}}"#);
    Ok(())
}
