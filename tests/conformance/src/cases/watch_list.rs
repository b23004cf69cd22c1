//! Streaming lists: watches that begin with all objects and mark their end.

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["watch list":
    is_told_then_live, end_mark_holds_the_version, of_nothing_ends_at_once, without_bookmarks_has_no_end_mark,
    at_an_old_version_sends_the_newest, at_version_0_is_served, of_the_future_is_an_error_in_the_stream,
    may_be_declined, selects,
];

const ASK: &str = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

async fn is_told_then_live(scene: &mut Scene) -> Outcome {
    scene.config_maps("b a").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true")).await?;
    scene.check("initial", watch.take(3).await?, "ADDED a, ADDED b, BOOKMARK end");
    scene.touch("a", "new").await?;
    scene.delete("configmaps/b").await?.object()?;
    scene.check("live", watch.take(2).await?, "MODIFIED a, DELETED b");
    Ok(())
}

async fn end_mark_holds_the_version(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true")).await?;
    watch.event().await?;
    let mark = watch.event().await?;
    scene.check("metadata", words::keys(&mark["object"]["metadata"]), "annotations resourceVersion");
    let marked = words::version(&mark["object"]);
    scene.check("version", marked.parse::<u64>().ok() >= version.parse::<u64>().ok(), true);
    scene.touch("a", "new").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=2&resourceVersion={marked}")).await?;
    scene.check("a watch goes on from there", watch.rest().await?, "MODIFIED a, END");
    Ok(())
}

async fn of_nothing_ends_at_once(scene: &mut Scene) -> Outcome {
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true")).await?;
    scene.check("initial", watch.take(1).await?, "BOOKMARK end");
    Ok(())
}

async fn without_bookmarks_has_no_end_mark(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=2&{ASK}")).await?;
    scene.check("events", watch.rest().await?, "ADDED a, ADDED b, END");
    Ok(())
}

async fn at_an_old_version_sends_the_newest(scene: &mut Scene) -> Outcome {
    let old = scene.config_maps("a").await?;
    scene.config_maps("b").await?;
    let new = scene.touch("a", "new").await?;
    scene.get(&format!("configmaps?resourceVersion={new}&resourceVersionMatch=NotOlderThan")).await?;
    let path = format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true&resourceVersion={old}");
    scene.check("initial", scene.watch(&path).await?.take(3).await?, "ADDED a, ADDED b, BOOKMARK end");
    Ok(())
}

async fn at_version_0_is_served(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await?;
    let path = format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true&resourceVersion=0");
    scene.check("initial", scene.watch(&path).await?.take(2).await?, "ADDED a, BOOKMARK end");
    Ok(())
}

async fn of_the_future_is_an_error_in_the_stream(scene: &mut Scene) -> Outcome {
    let path = format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true&resourceVersion=999999999");
    let expected = "ERROR 504 Timeout: Timeout: Too large resource version: #, current: # \
        {causes=[{\"message\":\"Too large resource version\",\"reason\":\"ResourceVersionTooLarge\"}] retryAfterSeconds=1}, END";
    scene.check("events", scene.watch(&path).await?.rest().await?, expected);
    Ok(())
}

async fn may_be_declined(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    scene.touch("a", "new").await?;
    let path = format!(
        "configmaps?timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={version}"
    );
    scene.check("events", scene.watch(&path).await?.rest().await?, "MODIFIED a, END");
    Ok(())
}

async fn selects(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    let path = format!("configmaps?timeoutSeconds=10&{ASK}&allowWatchBookmarks=true&fieldSelector=metadata.name%3Db");
    scene.check("initial", scene.watch(&path).await?.take(2).await?, "ADDED b, BOOKMARK end");
    Ok(())
}
