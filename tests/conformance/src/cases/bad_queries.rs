//! Invalid queries: the same Status from both servers.

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["bad query":
    version_on_a_list, version_on_a_watch, version_on_an_object, limit, token, timeout, label_selector, field_selector,
    bookmarks_and_watch_are_read_leniently, match_on_a_watch,
];

/// Sends each query and records its result.
async fn all(scene: &mut Scene, path: &str, queries: &[(&str, &str)]) -> Outcome {
    for (query, expected) in queries {
        let response = scene.get(&format!("{path}?{query}")).await?;
        scene.check(&format!("{path}?{query}"), response.summary(), expected);
    }
    Ok(())
}

async fn version_on_a_list(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("resourceVersion=abc", RECORDED),
            ("resourceVersion=-5", RECORDED),
            ("resourceVersion=1.5", RECORDED),
            ("resourceVersion=99999999999999999999", RECORDED),
            ("resourceVersion=%20", RECORDED),
        ],
    )
    .await
}

async fn version_on_a_watch(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("watch=1&resourceVersion=abc", RECORDED),
            ("watch=1&resourceVersion=-5", RECORDED),
            ("watch=1&resourceVersion=99999999999999999999", RECORDED),
        ],
    )
    .await
}

async fn version_on_an_object(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    all(scene, "configmaps/a", &[("resourceVersion=abc", RECORDED), ("resourceVersion=0", "200 ConfigMap")]).await
}

async fn limit(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("limit=abc", RECORDED),
            ("limit=1.5", RECORDED),
            ("limit=99999999999999999999", RECORDED),
            ("limit=%20", RECORDED),
            ("limit=", RECORDED),
            ("limit=-5", "200 ConfigMapList"),
            ("limit=abc&watch=1", RECORDED),
        ],
    )
    .await
}

async fn token(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("continue=junk", RECORDED),
            ("continue=!!!", RECORDED),
            ("continue=e30", RECORDED),
            ("continue=bnVsbA", RECORDED),
            ("limit=1&continue=W10", RECORDED),
        ],
    )
    .await
}

async fn timeout(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("timeoutSeconds=abc", RECORDED),
            ("watch=1&timeoutSeconds=abc", RECORDED),
            ("timeoutSeconds=5", "200 ConfigMapList"),
            ("watch=1&timeoutSeconds=1.5", RECORDED),
        ],
    )
    .await
}

async fn label_selector(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("labelSelector=team in (ads", RECORDED),
            ("labelSelector=a%3Db%3Dc", RECORDED),
            ("labelSelector=%3Db", RECORDED),
            ("labelSelector=a in", RECORDED),
            ("labelSelector=a in b", RECORDED),
            ("labelSelector=a foo b", RECORDED),
            ("labelSelector=,", RECORDED),
            ("labelSelector=a,", RECORDED),
            ("labelSelector=-a", RECORDED),
            ("labelSelector=a%3D-b", RECORDED),
            ("labelSelector=a/b/c", RECORDED),
            ("labelSelector=a>b", RECORDED),
            ("labelSelector=!", RECORDED),
            ("labelSelector=!a%3Db", RECORDED),
            ("watch=1&labelSelector=a in (", RECORDED),
        ],
    )
    .await
}

async fn field_selector(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("fieldSelector=spec.foo%3Dbar", RECORDED),
            ("fieldSelector=metadata.name", RECORDED),
            ("fieldSelector=metadata.labels%3Dx", RECORDED),
            ("fieldSelector=metadata.name%3Da\\", RECORDED),
            ("fieldSelector=metadata.name in (a)", RECORDED),
            ("fieldSelector=,", "200 ConfigMapList"),
            ("watch=1&fieldSelector=spec.foo%3Dbar", RECORDED),
        ],
    )
    .await?;
    all(
        scene,
        "pods",
        &[("fieldSelector=spec.foo%3Dbar", RECORDED), ("watch=1&fieldSelector=spec.foo%3Dbar", RECORDED)],
    )
    .await
}

async fn bookmarks_and_watch_are_read_leniently(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("allowWatchBookmarks=maybe", "200 ConfigMapList"),
            ("watch=maybe&timeoutSeconds=1", "200 application/json"),
            ("unheard=of", "200 ConfigMapList"),
        ],
    )
    .await
}

async fn match_on_a_watch(scene: &mut Scene) -> Outcome {
    all(
        scene,
        "configmaps",
        &[
            ("watch=1&resourceVersionMatch=NotOlderThan", RECORDED),
            ("watch=1&resourceVersionMatch=Exact&resourceVersion=1", RECORDED),
            ("watch=1&sendInitialEvents=true", RECORDED),
            ("watch=1&sendInitialEvents=false", RECORDED),
            ("watch=1&sendInitialEvents=true&resourceVersionMatch=Exact", RECORDED),
            ("watch=1&sendInitialEvents=true&resourceVersionMatch=Newer", RECORDED),
            ("watch=1&sendInitialEvents=maybe", RECORDED),
            ("watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=abc", RECORDED),
            ("watch=1&continue=abc&timeoutSeconds=1", RECORDED),
        ],
    )
    .await
}
