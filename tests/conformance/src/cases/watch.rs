//! Watches.

use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::watch::Next;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["watch":
    headers_are_plain, tells_what_happens, objects_are_whole, resumes_after_a_version, ends_cleanly_at_its_timeout,
    without_a_version_starts_with_everything, at_version_0_starts_with_everything, limit_is_ignored,
    unchanged_object_makes_no_event, version_of_the_future_is_silence, sees_one_namespace_only, one_name_is_watched,
    of_a_missing_namespace_is_silence, finds_its_parameter_in_many_words,
];

async fn headers_are_plain(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let watch = scene.watch("configmaps?timeoutSeconds=1").await?;
    let header = |name: &str| watch.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("-").to_owned();
    let seen = [header("content-type"), header("cache-control"), header("transfer-encoding"), header("content-length")];
    scene.check("headers", seen.join("; "), "application/json; no-cache, private; chunked; -");
    Ok(())
}

async fn tells_what_happens(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=10&resourceVersion={version}")).await?;
    scene.config_maps("b").await?;
    scene.touch("a", "new").await?;
    scene.delete("configmaps/b").await?.object()?;
    scene.check("events", watch.take(3).await?, "ADDED b, MODIFIED a, DELETED b");
    Ok(())
}

async fn objects_are_whole(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=10&resourceVersion={version}")).await?;
    let touched = scene.touch("a", "new").await?;
    let event = watch.event().await?;
    scene.check("keys of the event", words::keys(&event), "object type");
    scene.check("keys of the object", words::keys(&event["object"]), "apiVersion data kind metadata");
    scene.check("kind", &event["object"]["kind"], json!("ConfigMap"));
    scene.check("version", words::version(&event["object"]) == touched, true);
    let before = scene.delete("configmaps/a").await?;
    let event = watch.event().await?;
    scene.check("the last state", &event["object"]["data"], json!({"value": "new"}));
    let newer = words::version(&event["object"]).parse::<u64>().ok() > touched.parse::<u64>().ok();
    scene.check("a deletion has a version of its own", newer, true);
    scene.check("answer of the deletion", before.status, 200);
    Ok(())
}

async fn resumes_after_a_version(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    scene.config_maps("b").await?;
    let middle = scene.touch("a", "1").await?;
    scene.delete("configmaps/a").await?.object()?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=1&resourceVersion={version}")).await?;
    scene.check("from the start", watch.rest().await?, "ADDED b, MODIFIED a, DELETED a, END");
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=1&resourceVersion={middle}")).await?;
    scene.check("from the middle", watch.rest().await?, "DELETED a, END");
    Ok(())
}

async fn ends_cleanly_at_its_timeout(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let start = std::time::Instant::now();
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=1&resourceVersion={version}")).await?;
    let clean = matches!(watch.next().await?, Next::End);
    scene.check("clean", clean, true);
    scene.check("not before its time", start.elapsed().as_millis() >= 900, true);
    Ok(())
}

async fn without_a_version_starts_with_everything(scene: &mut Scene) -> Outcome {
    scene.config_maps("b a").await?;
    let mut watch = scene.watch("configmaps?timeoutSeconds=2").await?;
    let start = watch.take(2).await?;
    scene.touch("a", "new").await?;
    scene.check("initial", start, "ADDED a, ADDED b");
    scene.check("then", watch.rest().await?, "MODIFIED a, END");
    Ok(())
}

async fn at_version_0_starts_with_everything(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("b a").await?;
    scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await?;
    let mut watch = scene.watch("configmaps?timeoutSeconds=1&resourceVersion=0").await?;
    scene.check("initial", watch.rest().await?, "ADDED a, ADDED b, END");
    Ok(())
}

async fn limit_is_ignored(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    let mut watch = scene.watch("configmaps?timeoutSeconds=1&limit=1").await?;
    scene.check("initial", watch.rest().await?, "ADDED a, ADDED b, ADDED c, END");
    Ok(())
}

async fn unchanged_object_makes_no_event(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let version = scene.touch("a", "same").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=2&resourceVersion={version}")).await?;
    let again = scene.touch("a", "same").await?;
    scene.check("version stays", again == version, true);
    let object = scene.get("configmaps/a").await?.object()?;
    let put = scene.put("configmaps/a", &object).await?;
    scene.check("version stays after a PUT", put.version() == version, true);
    scene.touch("a", "other").await?;
    scene.check("events", watch.rest().await?, "MODIFIED a, END");
    Ok(())
}

async fn version_of_the_future_is_silence(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let mut watch =
        scene.watch("configmaps?timeoutSeconds=4&allowWatchBookmarks=true&resourceVersion=999999999").await?;
    scene.touch("a", "new").await?;
    scene.check("events", watch.rest().await?, "END");
    Ok(())
}

async fn sees_one_namespace_only(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=2&resourceVersion={version}")).await?;
    let other = format!("/api/v1/namespaces/default/configmaps/{}", scene.namespace);
    let object = json!({"metadata": {"name": scene.namespace}});
    scene.create("/api/v1/namespaces/default/configmaps", &object).await?;
    scene.delete(&other).await?.object()?;
    scene.check("events", watch.rest().await?, "END");
    Ok(())
}

async fn one_name_is_watched(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    let path = format!("configmaps?timeoutSeconds=2&resourceVersion={version}&fieldSelector=metadata.name%3Da");
    let mut watch = scene.watch(&path).await?;
    scene.touch("b", "1").await?;
    scene.touch("a", "1").await?;
    scene.delete("configmaps/a").await?.object()?;
    scene.check("events", watch.rest().await?, "MODIFIED a, DELETED a, END");
    Ok(())
}

async fn of_a_missing_namespace_is_silence(scene: &mut Scene) -> Outcome {
    let mut watch = scene.watch("/api/v1/namespaces/there-is-none/configmaps?timeoutSeconds=1").await?;
    scene.check("events", watch.rest().await?, "END");
    Ok(())
}

async fn finds_its_parameter_in_many_words(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for (word, expected) in [
        ("watch=true", "{\"type\""),
        ("watch=1", "{\"type\""),
        ("watch", "{\"type\""),
        ("watch=yes", "{\"type\""),
        ("watch=0", "{\"kind\""),
        ("watch=false", "{\"kind\""),
    ] {
        let response = scene.get(&format!("configmaps?{word}&timeoutSeconds=1")).await?;
        scene.check(word, response.text().chars().take(7).collect::<String>(), expected);
    }
    Ok(())
}
