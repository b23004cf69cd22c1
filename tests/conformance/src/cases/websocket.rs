//! Watches over WebSocket.

use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::Scene;
use crate::socket::{Handshake, Socket};

pub(crate) const CASES: &[Case] = cases!["websocket":
    event_is_a_text_frame, ends_with_close_1000, needs_an_origin, takes_any_origin, refusals_are_http,
    list_is_no_stream, in_the_middle_is_live,
];

const HERE: Option<&str> = Some("http://127.0.0.1:8001");

async fn opened(scene: &Scene, path: &str) -> Outcome<(Box<Socket>, String)> {
    match Socket::open(scene, HERE, path, &[]).await? {
        Handshake::Open(socket, facts) => Ok((socket, facts)),
        Handshake::Rejected(why) => Err(Halt::Broken(format!("the handshake was refused: {why}"))),
    }
}

async fn handshake(scene: &Scene, origin: Option<&str>, path: &str) -> Outcome<String> {
    Ok(match Socket::open(scene, origin, path, &[]).await? {
        Handshake::Open(_, facts) => facts,
        Handshake::Rejected(why) => why,
    })
}

async fn event_is_a_text_frame(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let path = "configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    let (mut socket, facts) = opened(scene, path).await?;
    scene.check("no compression", facts, "101 extensions -");
    // A second before the end there may be a bookmark more.
    let frames = socket.rest().await?.replace("BOOKMARK+, ", "");
    scene.check("frames", frames, "ADDED a+, ADDED b+, BOOKMARK end+, close 1000");
    Ok(())
}

async fn ends_with_close_1000(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let path = format!("configmaps?watch=1&timeoutSeconds=4&allowWatchBookmarks=true&resourceVersion={version}");
    let (mut socket, _) = opened(scene, &path).await?;
    let frames = socket.rest().await?.replace("BOOKMARK+, BOOKMARK+", "BOOKMARK+");
    scene.check("frames", frames, "BOOKMARK+, close 1000");
    Ok(())
}

async fn in_the_middle_is_live(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let (mut socket, _) =
        opened(scene, &format!("configmaps?watch=1&timeoutSeconds=2&resourceVersion={version}")).await?;
    scene.config_maps("b").await?;
    scene.delete("configmaps/a").await?.object()?;
    scene.check("frames", socket.rest().await?, "ADDED b+, DELETED a+, close 1000");
    Ok(())
}

async fn needs_an_origin(scene: &mut Scene) -> Outcome {
    let seen = handshake(scene, None, "configmaps?watch=1&timeoutSeconds=1").await?;
    scene.check("without one", seen, "403");
    Ok(())
}

async fn takes_any_origin(scene: &mut Scene) -> Outcome {
    let seen = handshake(scene, Some("http://evil.example.com"), "configmaps?watch=1&timeoutSeconds=1").await?;
    scene.check("another site's", seen, "101 extensions -");
    Ok(())
}

async fn refusals_are_http(scene: &mut Scene) -> Outcome {
    for (path, expected) in [
        ("configmaps?watch=1&labelSelector=a in (", "400"),
        ("configmaps?watch=1&resourceVersion=abc", "500"),
        ("configmaps?watch=1&sendInitialEvents=true", "422"),
        ("widgets?watch=1", "404"),
        ("/apis/foo.example.com/v1/widgets?watch=1", "404"),
    ] {
        let path = path.replace(' ', "%20");
        let seen = handshake(scene, HERE, &path).await?;
        scene.check(&path, seen, expected);
    }
    Ok(())
}

async fn list_is_no_stream(scene: &mut Scene) -> Outcome {
    let seen = handshake(scene, HERE, "configmaps").await?;
    scene.check("handshake", seen, "500");
    Ok(())
}
