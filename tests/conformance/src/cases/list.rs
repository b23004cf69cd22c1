//! Whole lists.

use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["list":
    headers_are_plain, items_have_no_kind, items_come_in_key_order, version_is_that_of_the_newest_write,
    missing_namespace_is_empty, all_namespaces_hold_this_one, version_0_is_served, one_object_is_read,
];

async fn headers_are_plain(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let list = scene.get("configmaps").await?;
    scene.see("status", list.status, 200);
    scene.see("content type", list.header("content-type"), "application/json");
    scene.see("cache control", list.header("cache-control"), "no-cache, private");
    scene.see("length", list.header("content-length"), list.body.len());
    scene.see("etag", list.header("etag"), "-");
    scene.see("end of line", list.body.ends_with(b"}\n"), true);
    scene.see("layout", list.layout(), "compact");
    Ok(())
}

async fn items_have_no_kind(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let list = scene.get("configmaps").await?.object()?;
    scene.see("list", format!("{} {}", list["kind"], list["apiVersion"]), r#""ConfigMapList" "v1""#);
    scene.see("keys of the list", words::keys(&list), "apiVersion items kind metadata");
    scene.see("keys of its metadata", words::keys(&list["metadata"]), "resourceVersion");
    scene.see("keys of an item", words::keys(&list["items"][0]), "metadata");
    let metadata = words::keys(&list["items"][0]["metadata"]);
    scene.see("keys of an item's metadata", metadata, "creationTimestamp name namespace resourceVersion uid");
    Ok(())
}

async fn items_come_in_key_order(scene: &mut Scene) -> Outcome {
    scene.config_maps("b a-b c a.b aa a").await?;
    scene.see("order", scene.get("configmaps").await?.names(), "a a-b a.b aa b c");
    Ok(())
}

async fn version_is_that_of_the_newest_write(scene: &mut Scene) -> Outcome {
    let written = scene.config_maps("a b").await?;
    let list = scene.get("configmaps").await?;
    let (written, listed) = (written.parse::<u64>().unwrap_or(0), list.version().parse::<u64>().unwrap_or(0));
    // Others write at the same time.
    scene.see("not older than the write", listed >= written && written > 0, true);
    Ok(())
}

async fn missing_namespace_is_empty(scene: &mut Scene) -> Outcome {
    let list = scene.get("/api/v1/namespaces/there-is-none/configmaps").await?;
    scene.see("verdict", list.verdict(), "200 ConfigMapList");
    scene.see("items", &list.json["items"], json!([]));
    Ok(())
}

async fn all_namespaces_hold_this_one(scene: &mut Scene) -> Outcome {
    let labels = json!({"scene": scene.namespace});
    scene.make("configmaps", &json!({"metadata": {"name": "a", "labels": labels}})).await?;
    let list = scene.get(&format!("/api/v1/configmaps?labelSelector=scene%3D{}", scene.namespace)).await?;
    scene.see("names", list.names(), "a");
    scene.see("namespace", &list.json["items"][0]["metadata"]["namespace"], json!(scene.namespace));
    Ok(())
}

async fn version_0_is_served(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    // So that a cache that lags has caught up.
    scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await?;
    scene.see("names", scene.get("configmaps?resourceVersion=0").await?.names(), "a b");
    scene.see("limit is ignored", scene.get("configmaps?resourceVersion=0&limit=1").await?.names(), "a b");
    let list = scene.get("configmaps?resourceVersion=0&resourceVersionMatch=NotOlderThan").await?;
    scene.see("NotOlderThan 0", list.names(), "a b");
    Ok(())
}

async fn one_object_is_read(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let object = scene.get("configmaps/a").await?;
    scene.see("verdict", object.verdict(), "200 ConfigMap");
    scene.see("keys", words::keys(&object.json), "apiVersion kind metadata");
    scene.see("version", object.version() == version, true);
    let object = scene.get(&format!("configmaps/a?resourceVersion={version}")).await?;
    scene.see("at its version", object.verdict(), "200 ConfigMap");
    Ok(())
}
