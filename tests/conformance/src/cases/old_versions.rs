//! Watches from expired versions.
//!
//! Version 1 is older than any custom resource that was defined just now: its watch cache begins later.

use super::custom::{define, remove, things};
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::socket::{Handshake, Socket};

pub(crate) const CASES: &[Case] = cases!["too old":
    ; alone: is_an_error_in_the_stream, is_the_same_error_in_a_table, is_the_same_error_in_a_websocket,
];

const WANT: &str = "ERROR 410 Expired: too old resource version: # (#)";

async fn is_an_error_in_the_stream(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let mut watch = scene.watch(&format!("{}?timeoutSeconds=5&resourceVersion=1", things(scene))).await?;
    scene.check("events", watch.rest().await?, format!("{WANT}, END"));
    remove(scene).await
}

async fn is_the_same_error_in_a_table(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let mut watch = scene.watch_as(accept, &format!("{}?timeoutSeconds=5&resourceVersion=1", things(scene))).await?;
    scene.check("events", watch.rest().await?, format!("{WANT}, END"));
    remove(scene).await
}

async fn is_the_same_error_in_a_websocket(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = format!("{}?watch=1&timeoutSeconds=5&resourceVersion=1", things(scene));
    match Socket::open(scene, Some("http://localhost"), &path, &[]).await? {
        Handshake::Open(mut socket, _) => scene.check("frames", socket.rest().await?, format!("{WANT}+, close 1000")),
        Handshake::Rejected(why) => scene.check("handshake", why, "101"),
    }
    remove(scene).await
}
