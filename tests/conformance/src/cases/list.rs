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
    scene.check("status", list.status, 200);
    scene.check("content type", list.header("content-type"), "application/json");
    scene.check("cache control", list.header("cache-control"), "no-cache, private");
    scene.check("length", list.header("content-length"), list.body.len());
    scene.check("etag", list.header("etag"), "-");
    scene.check("end of line", list.body.ends_with(b"}\n"), true);
    scene.check("layout", list.layout(), "compact");
    Ok(())
}

async fn items_have_no_kind(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let list = scene.get("configmaps").await?.object()?;
    scene.check("list", format!("{} {}", list["kind"], list["apiVersion"]), r#""ConfigMapList" "v1""#);
    scene.check("keys of the list", words::keys(&list), "apiVersion items kind metadata");
    scene.check("keys of its metadata", words::keys(&list["metadata"]), "resourceVersion");
    scene.check("keys of an item", words::keys(&list["items"][0]), "metadata");
    let metadata = words::keys(&list["items"][0]["metadata"]);
    scene.check("keys of an item's metadata", metadata, "creationTimestamp name namespace resourceVersion uid");
    Ok(())
}

async fn items_come_in_key_order(scene: &mut Scene) -> Outcome {
    scene.config_maps("b a-b c a.b aa a").await?;
    scene.check("order", scene.get("configmaps").await?.names(), "a a-b a.b aa b c");
    Ok(())
}

async fn version_is_that_of_the_newest_write(scene: &mut Scene) -> Outcome {
    let written = scene.config_maps("a b").await?;
    let list = scene.get("configmaps").await?;
    let (written, listed) = (written.parse::<u64>().unwrap_or(0), list.version().parse::<u64>().unwrap_or(0));
    // Others write at the same time.
    scene.check("not older than the write", listed >= written && written > 0, true);
    Ok(())
}

async fn missing_namespace_is_empty(scene: &mut Scene) -> Outcome {
    let list = scene.get("/api/v1/namespaces/there-is-none/configmaps").await?;
    scene.check("verdict", list.summary(), "200 ConfigMapList");
    scene.check("items", &list.json["items"], json!([]));
    Ok(())
}

async fn all_namespaces_hold_this_one(scene: &mut Scene) -> Outcome {
    let labels = json!({"scene": scene.namespace});
    scene.create("configmaps", &json!({"metadata": {"name": "a", "labels": labels}})).await?;
    let list = scene.get(&format!("/api/v1/configmaps?labelSelector=scene%3D{}", scene.namespace)).await?;
    scene.check("names", list.names(), "a");
    scene.check("namespace", &list.json["items"][0]["metadata"]["namespace"], json!(scene.namespace));
    Ok(())
}

async fn version_0_is_served(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    // So that a cache that lags has caught up.
    scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await?;
    scene.check("names", scene.get("configmaps?resourceVersion=0").await?.names(), "a b");
    scene.check("limit is ignored", scene.get("configmaps?resourceVersion=0&limit=1").await?.names(), "a b");
    let list = scene.get("configmaps?resourceVersion=0&resourceVersionMatch=NotOlderThan").await?;
    scene.check("NotOlderThan 0", list.names(), "a b");
    Ok(())
}

async fn one_object_is_read(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let object = scene.get("configmaps/a").await?;
    scene.check("verdict", object.summary(), "200 ConfigMap");
    scene.check("keys", words::keys(&object.json), "apiVersion kind metadata");
    scene.check("version", object.version() == version, true);
    let object = scene.get(&format!("configmaps/a?resourceVersion={version}")).await?;
    scene.check("at its version", object.summary(), "200 ConfigMap");
    Ok(())
}
