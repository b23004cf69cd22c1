//! Lists at a version.

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["list version":
    exact_is_that_one, not_older_is_the_newest, of_the_future_times_out, older_without_match_is_the_newest,
    match_rules_are_kept; alone: compacted_is_410,
];

async fn exact_is_that_one(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    scene.config_maps("c").await?;
    scene.touch("a", "new").await?;
    let list = scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=Exact")).await?;
    scene.check("names", list.names(), "a b");
    scene.check("version", list.version() == version, true);
    scene.check("the old state", &list.json["items"][0]["data"], "null");
    Ok(())
}

async fn not_older_is_the_newest(scene: &mut Scene) -> Outcome {
    let old = scene.config_maps("a").await?;
    let new = scene.config_maps("b").await?;
    for version in [&old, &new] {
        let list =
            scene.get(&format!("configmaps?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await?;
        // Anything between the two is allowed, and the newest at its own version.
        scene.check("holds what was", list.names().starts_with('a'), true);
    }
    let list = scene.get(&format!("configmaps?resourceVersion={new}&resourceVersionMatch=NotOlderThan")).await?;
    scene.check("names", list.names(), "a b");
    let list =
        scene.get(&format!("configmaps?resourceVersion={new}&resourceVersionMatch=NotOlderThan&limit=1")).await?;
    scene.check("in pages", list.names(), "a");
    Ok(())
}

async fn older_without_match_is_the_newest(scene: &mut Scene) -> Outcome {
    let old = scene.config_maps("a").await?;
    let new = scene.config_maps("b").await?;
    scene.get(&format!("configmaps?resourceVersion={new}")).await?;
    scene.check("names", scene.get(&format!("configmaps?resourceVersion={old}")).await?.names(), "a b");
    Ok(())
}

async fn of_the_future_times_out(scene: &mut Scene) -> Outcome {
    let list = scene.get("configmaps?resourceVersion=999999999").await?;
    let expected = "504 Timeout: Timeout: Too large resource version: #, current: # \
        {causes=[{\"message\":\"Too large resource version\",\"reason\":\"ResourceVersionTooLarge\"}] retryAfterSeconds=1}";
    scene.check("verdict", list.summary(), expected);
    scene.check("retry after", list.header("retry-after"), "1");
    Ok(())
}

async fn match_rules_are_kept(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    for (query, expected) in [
        ("resourceVersionMatch=Exact".to_owned(), RECORDED),
        ("resourceVersionMatch=NotOlderThan".to_owned(), RECORDED),
        ("resourceVersion=0&resourceVersionMatch=Exact".to_owned(), RECORDED),
        (format!("resourceVersion={version}&resourceVersionMatch=Newer"), RECORDED),
        ("sendInitialEvents=true".to_owned(), RECORDED),
        ("sendInitialEvents=false".to_owned(), RECORDED),
        ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0".to_owned(), RECORDED),
        ("sendInitialEvents=maybe".to_owned(), RECORDED),
    ] {
        let response = scene.get(&format!("configmaps?{query}")).await?;
        scene.check(&query.replace(&version, "N"), response.summary(), expected);
    }
    Ok(())
}

async fn compacted_is_410(scene: &mut Scene) -> Outcome {
    let old = scene.events("a").await?;
    let new = scene.events("b").await?;
    scene.compact(&new).await?;
    let list = scene.get(&format!("events?resourceVersion={old}&resourceVersionMatch=Exact")).await?;
    scene.check("exact", list.summary(), "410 Expired: The resourceVersion for the provided list is too old.");
    let list = scene.get(&format!("events?resourceVersion={old}&limit=1")).await?;
    scene.check("with a limit", list.summary(), "410 Expired: The resourceVersion for the provided list is too old.");
    let list = scene.get(&format!("events?resourceVersion={old}&resourceVersionMatch=NotOlderThan")).await?;
    scene.check("not older", list.names(), "a b");
    Ok(())
}
