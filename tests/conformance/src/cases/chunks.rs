//! Lists in pages.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["pages":
    tell_how_many_remain, hold_the_first_pages_version, carry_a_readable_token, do_not_count_what_selectors_hide,
    with_a_version_are_exact, limit_beyond_the_end_is_one_page, limit_0_or_negative_is_no_limit,
    tokens_take_no_version, tokens_of_another_kind_are_refused; alone: expired_token_offers_another,
];

fn token(response: &WholeResponse) -> String {
    response.json["metadata"]["continue"].as_str().unwrap_or_default().to_owned()
}

/// Content of a token.
fn decoded(token: &str) -> Value {
    URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

async fn tell_how_many_remain(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c d e").await?;
    let one = scene.get("configmaps?limit=2").await?;
    scene.check("first page", one.names(), "a b");
    scene.check("remain", &one.json["metadata"]["remainingItemCount"], 3);
    let two = scene.get(&format!("configmaps?limit=2&continue={}", token(&one))).await?;
    scene.check("second page", two.names(), "c d");
    scene.check("remain after it", &two.json["metadata"]["remainingItemCount"], 1);
    let three = scene.get(&format!("configmaps?limit=2&continue={}", token(&two))).await?;
    scene.check("last page", three.names(), "e");
    scene.check("metadata of the last", words::keys(&three.json["metadata"]), "resourceVersion");
    let rest = scene.get(&format!("configmaps?continue={}", token(&one))).await?;
    scene.check("the rest without a limit", rest.names(), "c d e");
    Ok(())
}

async fn hold_the_first_pages_version(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    let one = scene.get("configmaps?limit=1").await?;
    scene.config_maps("bb").await?;
    scene.delete("configmaps/c").await?.object()?;
    let two = scene.get(&format!("configmaps?limit=9&continue={}", token(&one))).await?;
    scene.check("what was there then", two.names(), "b c");
    scene.check("version", two.version() == one.version(), true);
    Ok(())
}

async fn carry_a_readable_token(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let page = scene.get("configmaps?limit=1").await?;
    let token = decoded(&token(&page));
    scene.check("keys", words::keys(&token), "rv start v");
    scene.check("version", page.version().parse::<u64>().ok() == token["rv"].as_u64(), true);
    scene.check("kind", &token["v"], json!("meta.k8s.io/v1"));
    scene.check("start", &token["start"], json!("/a\0"));
    Ok(())
}

async fn do_not_count_what_selectors_hide(scene: &mut Scene) -> Outcome {
    for name in ["a", "b", "c"] {
        scene.create("configmaps", &json!({"metadata": {"name": name, "labels": {"in": "yes"}}})).await?;
    }
    let page = scene.get("configmaps?limit=1&labelSelector=in%3Dyes").await?;
    scene.check("first page", page.names(), "a");
    scene.check("metadata", words::keys(&page.json["metadata"]), "continue resourceVersion");
    let page = scene.get(&format!("configmaps?limit=9&labelSelector=in%3Dyes&continue={}", token(&page))).await?;
    scene.check("second page", page.names(), "b c");
    Ok(())
}

async fn with_a_version_are_exact(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    scene.config_maps("c").await?;
    scene.delete("configmaps/a").await?.object()?;
    let list = scene.get(&format!("configmaps?limit=500&resourceVersion={version}")).await?;
    scene.check("names", list.names(), "a b");
    scene.check("version", list.version() == version, true);
    Ok(())
}

async fn limit_beyond_the_end_is_one_page(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    for limit in [2, 3] {
        let list = scene.get(&format!("configmaps?limit={limit}")).await?;
        scene.check("names", list.names(), "a b");
        scene.check("metadata", words::keys(&list.json["metadata"]), "resourceVersion");
    }
    Ok(())
}

async fn limit_0_or_negative_is_no_limit(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    for limit in ["0", "-5"] {
        let list = scene.get(&format!("configmaps?limit={limit}")).await?;
        scene.check(&format!("limit={limit}"), list.names(), "a b");
    }
    Ok(())
}

async fn tokens_take_no_version(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a b").await?;
    let token = token(&scene.get("configmaps?limit=1").await?);
    let refused = scene.get(&format!("configmaps?limit=1&continue={token}&resourceVersion={version}")).await?;
    scene.check(
        "with a version",
        refused.summary(),
        "400 BadRequest: specifying resource version is not allowed when using continue",
    );
    let page = scene.get(&format!("configmaps?limit=1&continue={token}&resourceVersion=0")).await?;
    scene.check("with version 0", page.names(), "b");
    Ok(())
}

async fn tokens_of_another_kind_are_refused(scene: &mut Scene) -> Outcome {
    for (what, token) in [
        ("another encoding's version", json!({"v": "meta.k8s.io/v2", "rv": 1, "start": "a"})),
        ("no start", json!({"v": "meta.k8s.io/v1", "rv": 1})),
        ("no version", json!({"v": "meta.k8s.io/v1", "start": "a"})),
        ("a way out", json!({"v": "meta.k8s.io/v1", "rv": 1, "start": "../secrets"})),
        ("a number as start", json!({"v": "meta.k8s.io/v1", "rv": 1, "start": 7})),
    ] {
        let token = URL_SAFE_NO_PAD.encode(token.to_string());
        let refused = scene.get(&format!("configmaps?continue={token}")).await?;
        scene.check(what, refused.summary(), RECORDED);
    }
    Ok(())
}

async fn expired_token_offers_another(scene: &mut Scene) -> Outcome {
    scene.events("a b c").await?;
    let page = scene.get("events?limit=1").await?;
    let newest = scene.events("d").await?;
    scene.compact(&newest).await?;
    let expired = scene.get(&format!("events?limit=1&continue={}", token(&page))).await?;
    scene.check("verdict", expired.summary(), RECORDED);
    let offered = token(&expired);
    scene.check("version in the offered token", &decoded(&offered)["rv"], -1);
    scene.check("its start", &decoded(&offered)["start"], RECORDED);
    scene.events("bb").await?;
    let rest = scene.get(&format!("events?limit=2&continue={offered}")).await?;
    scene.check("goes on at the newest version", rest.names(), "b bb");
    let last = scene.get(&format!("events?limit=2&continue={}", token(&rest))).await?;
    scene.check("and to the end", last.names(), "c d");
    Ok(())
}
