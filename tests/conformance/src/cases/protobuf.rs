//! Protobuf: lists, watches, objects, metadata, errors, and where there is none.

use reqwest::Method;
use serde_json::{Value, json};

use super::custom::{define, remove, things};
use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::protobuf::{PROTOBUF, encoded, event};
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};
use crate::socket::{Handshake, Socket};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["protobuf":
    lists_are_those_of_json, pages_continue, objects_have_the_bytes_of_go, writes_are_answered_in_it, bodies_are_read,
    watches_have_frames, marks_end_the_initial_events, metadata_is_a_form, ranges_have_a_quality_and_an_order,
    errors_are_negotiated, long_lists_are_gzipped, a_websocket_has_an_event_in_each_binary_frame
    ; alone: custom_resources_have_none, expired_versions_are_an_error_in_the_stream,
];

const JSON: &str = "application/json";
const INITIAL: &str = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

fn metadata(kind: &str) -> String {
    format!("{PROTOBUF};as={kind};v=v1;g=meta.k8s.io")
}

/// Status and content type of a response, or its Status.
fn verdict(response: &WholeResponse) -> String {
    format!("{}, {}", response.header("content-type"), response.summary())
}

fn deployment() -> Value {
    let template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{
            "name": "web", "image": "web:1", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "<b>"}],
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
            "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
        }]},
    });
    json!({
        "metadata": {"name": "web", "labels": {"app": "web"}, "annotations": {"note": "\u{e4}\u{2028}"}},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    })
}

async fn lists_are_those_of_json(scene: &mut Scene) -> Outcome {
    let empty = scene.get_as(PROTOBUF, "configmaps").await?;
    scene.check("an empty list", format!("{} {}", empty.summary(), empty.json["items"]), "200 ConfigMapList []");
    scene.config_maps("a b c").await?;
    scene.create("/apis/apps/v1/namespaces/NS/deployments", &deployment()).await?;
    let secret = json!({"metadata": {"name": "s"}, "data": {"b": "AP8=", "a": ""}});
    scene.create("secrets", &secret).await?;
    for path in
        ["configmaps", "secrets", "/apis/apps/v1/namespaces/NS/deployments", "/api/v1/namespaces/NS/configmaps?limit=2"]
    {
        let (protobuf, json) = (scene.get_as(PROTOBUF, path).await?, scene.get_as(JSON, path).await?);
        scene.check(&format!("content type of {path}"), protobuf.header("content-type"), PROTOBUF);
        for member in ["kind", "apiVersion", "items"] {
            scene.check(&format!("{member} of {path}"), &protobuf.json[member], &json.json[member]);
        }
        let end = protobuf.body.ends_with(b"\x1a\0\x22\0");
        scene.check(&format!("end of {path}"), end, true);
    }
    Ok(())
}

async fn pages_continue(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    let first = scene.get_as(PROTOBUF, "configmaps?limit=2").await?;
    scene.check("first", first.names(), "a b");
    scene.check(
        "members of the metadata",
        words::keys(&first.json["metadata"]),
        "continue remainingItemCount resourceVersion",
    );
    scene.check("remaining", &first.json["metadata"]["remainingItemCount"], 1);
    let token = first.json["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
    let rest = scene.get_as(PROTOBUF, &format!("configmaps?limit=2&continue={token}")).await?;
    scene.check("rest", rest.names(), "c");
    scene.check("members of its metadata", words::keys(&rest.json["metadata"]), "resourceVersion");
    scene.check("version", rest.version() == first.version(), true);
    let bad = scene.get_as(PROTOBUF, "configmaps?limit=2&continue=!").await?;
    scene.check("a bad token", verdict(&bad), RECORDED);
    Ok(())
}

async fn objects_have_the_bytes_of_go(scene: &mut Scene) -> Outcome {
    scene.create("/apis/apps/v1/namespaces/NS/deployments", &deployment()).await?;
    scene.config_maps("a").await?;
    let web = "/apis/apps/v1/namespaces/NS/deployments/web";
    for path in [web, "configmaps/a", "/api/v1/namespaces/NS", &format!("{web}/scale"), &format!("{web}/status")] {
        let json = scene.get_as(JSON, path).await?;
        let protobuf = scene.get_as(&format!("{PROTOBUF},{JSON};q=0.9"), path).await?;
        scene.check(&format!("content type of {path}"), protobuf.header("content-type"), PROTOBUF);
        scene.check(&format!("bytes of {path}"), protobuf.body == encoded(&json.json).map_err(Halt::broken)?, true);
    }
    let pretty = scene.get_as(PROTOBUF, "configmaps/a?pretty=1").await?;
    scene.check("pretty", verdict(&pretty), format!("{PROTOBUF}, 200 ConfigMap"));
    Ok(())
}

async fn writes_are_answered_in_it(scene: &mut Scene) -> Outcome {
    let send = async |scene: &Scene, method: Method, path: &str, kind: &str, body: Value| {
        let request = scene.request(method, path).header("accept", PROTOBUF).header("content-type", kind);
        scene.send(request.body(body.to_string())).await
    };
    let map = json!({"metadata": {"name": "a"}});
    let created = send(scene, Method::POST, "configmaps", JSON, map.clone()).await?;
    scene.check("created", verdict(&created), format!("{PROTOBUF}, 201 ConfigMap"));
    let replaced = send(scene, Method::PUT, "configmaps/a", JSON, map).await?;
    scene.check("replaced", verdict(&replaced), format!("{PROTOBUF}, 200 ConfigMap"));
    let merge = "application/merge-patch+json";
    let patched = send(scene, Method::PATCH, "configmaps/a", merge, json!({"data": {"k": "v"}})).await?;
    scene.check(
        "patched",
        format!("{} {}", verdict(&patched), patched.json["data"]),
        format!("{PROTOBUF}, 200 ConfigMap {{\"k\":\"v\"}}"),
    );
    let deleted = send(scene, Method::DELETE, "configmaps/a", JSON, json!({})).await?;
    scene.check("deleted", format!("{} {}", verdict(&deleted), deleted.json["details"]["name"]), RECORDED);
    let review = json!({"spec": {"resourceAttributes": {"resource": "pods", "verb": "list"}}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let reviewed = send(scene, Method::POST, path, JSON, review).await?;
    scene.check(
        "reviewed",
        format!("{} {}", verdict(&reviewed), reviewed.json["status"]["allowed"]),
        format!("{PROTOBUF}, 201 SelfSubjectAccessReview true"),
    );
    Ok(())
}

async fn bodies_are_read(scene: &mut Scene) -> Outcome {
    let send = async |scene: &Scene, path: &str, body: Vec<u8>| {
        let request = scene.request(Method::POST, path).header("content-type", PROTOBUF).header("accept", JSON);
        scene.send(request.body(body)).await
    };
    let body = |object: Value| encoded(&object).map_err(Halt::broken);
    let map = body(json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {"k": "v"}}))?;
    let created = send(scene, "configmaps", map.clone()).await?;
    scene.check("created", format!("{} {}", created.summary(), created.json["data"]), "201 ConfigMap {\"k\":\"v\"}");
    let mut web = deployment();
    web["kind"] = "Deployment".into();
    web["apiVersion"] = "apps/v1".into();
    // As a Go client: the strategy is an empty struct.
    let created = send(scene, "/apis/apps/v1/namespaces/NS/deployments", body(web)?).await?;
    scene.check("created a deployment", created.summary(), "201 Deployment");
    scene.check("its replicas", &created.json["spec"]["replicas"], 0);
    scene.check("its strategy", &created.json["spec"]["strategy"], RECORDED);
    let wrong = send(scene, "secrets", map).await?;
    scene.check("another kind", wrong.summary(), RECORDED);
    let options =
        body(json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "preconditions": {"uid": "other"}}))?;
    let request = scene.request(Method::DELETE, "configmaps/a").header("content-type", PROTOBUF).body(options);
    let refused = scene.send(request).await?;
    scene.check("options", (refused.status, &refused.json["reason"]).1, "\"Conflict\"");
    Ok(())
}

async fn watches_have_frames(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let json = scene.watch("configmaps?timeoutSeconds=10").await?.event().await?;
    let mut watch = scene.watch_as(&format!("{PROTOBUF},{JSON};q=0.9"), "configmaps?timeoutSeconds=10").await?;
    let kind = watch.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or("-").to_owned();
    scene.check("content type", kind, format!("{PROTOBUF};stream=watch"));
    scene.check("event", watch.event().await?, json);
    scene.touch("a", "1").await?;
    scene.delete("configmaps/a").await?.object()?;
    scene.check("live", watch.take(2).await?, "MODIFIED a, DELETED a");
    let streamed = scene.watch_as(&format!("{PROTOBUF};stream=watch"), "configmaps?timeoutSeconds=1").await?;
    let kind = streamed.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or("-").to_owned();
    scene.check("content type, asked with stream=watch", kind, format!("{PROTOBUF};stream=watch"));
    let future = format!("configmaps?timeoutSeconds=5&{INITIAL}&resourceVersion=99999999");
    scene.check("a version of the future", scene.watch_as(PROTOBUF, &future).await?.rest().await?, RECORDED);
    Ok(())
}

async fn marks_end_the_initial_events(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    scene.create("/apis/apps/v1/namespaces/NS/deployments", &deployment()).await?;
    for (path, kind) in [("configmaps", "ConfigMap"), ("/apis/apps/v1/namespaces/NS/deployments", "Deployment")] {
        let path = format!("{path}?timeoutSeconds=10&{INITIAL}");
        let mut watch = scene.watch_as(PROTOBUF, &path).await?;
        watch.event().await?;
        let mark = watch.event().await?;
        scene.check(&format!("mark of a {kind}"), words::event(&mark), "BOOKMARK end");
        scene.check(&format!("kind of a {kind}"), &mark["object"]["kind"], json!(kind));
        scene.check(
            &format!("metadata of a {kind}"),
            words::keys(&mark["object"]["metadata"]),
            "annotations resourceVersion",
        );
    }
    Ok(())
}

async fn metadata_is_a_form(scene: &mut Scene) -> Outcome {
    scene.create("configmaps", &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await?;
    let (one, list) = (metadata("PartialObjectMetadata"), metadata("PartialObjectMetadataList"));
    for (accept, path) in [(&one, "configmaps/a"), (&list, "configmaps")] {
        let protobuf = scene.get_as(accept, path).await?;
        let json = scene.get_as(&accept.replace(PROTOBUF, JSON), path).await?;
        scene.check(&format!("content type of {path}"), protobuf.header("content-type"), PROTOBUF);
        scene.check(&format!("kind of {path}"), &protobuf.json["kind"], &json.json["kind"]);
        for member in ["metadata", "items"] {
            let of_json = json.json.get(member).filter(|_| member == "items" || path != "configmaps");
            scene.check(
                &format!("{member} of {path}"),
                format!("{:?}", protobuf.json.get(member).filter(|_| of_json.is_some())),
                format!("{of_json:?}"),
            );
        }
    }
    let mut watch = scene.watch_as(&one, &format!("configmaps?timeoutSeconds=10&{INITIAL}")).await?;
    let event = watch.event().await?;
    scene.check("event", words::event(&event), "ADDED a");
    scene.check("members", words::keys(&event["object"]), "apiVersion kind metadata");
    scene.check("mark", words::event(&watch.event().await?), "BOOKMARK end");
    scene.check("a list, asked in the singular", verdict(&scene.get_as(&one, "configmaps").await?), RECORDED);
    scene.check("an object, asked in the plural", verdict(&scene.get_as(&list, "configmaps/a").await?), RECORDED);
    scene.check("a table", verdict(&scene.get_as(&metadata("Table"), "configmaps").await?), RECORDED);
    Ok(())
}

async fn ranges_have_a_quality_and_an_order(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    for accept in [
        format!("{PROTOBUF},{JSON}"),
        format!("{JSON},{PROTOBUF}"),
        format!("{PROTOBUF};q=0.5,{JSON}"),
        format!("{JSON};q=0.5,{PROTOBUF};q=0.6"),
        format!("{JSON};q=0.5,{PROTOBUF};q=0.5"),
        format!("{PROTOBUF};q=0"),
        format!("*/*,{PROTOBUF}"),
        format!("application/*,{PROTOBUF}"),
        format!("application/cbor,{PROTOBUF}"),
        format!("application/yaml;q=0.5,{PROTOBUF}"),
        format!("{};q=0.9,{JSON};as=Table;v=v1;g=meta.k8s.io;q=0.8", metadata("Table")),
        format!("{JSON};as=Nothing;v=v1;g=meta.k8s.io,{PROTOBUF}"),
        format!("{PROTOBUF};stream=watch"),
        format!("{PROTOBUF};stream=other"),
        format!("{PROTOBUF};as=Nothing;v=v1;g=meta.k8s.io"),
    ] {
        let list = scene.get_as(&accept, "configmaps").await?;
        scene.check(&accept, verdict(&list), RECORDED);
    }
    for accept in [format!("application/yaml,{PROTOBUF}"), format!("{JSON},{PROTOBUF}"), metadata("Table")] {
        let watch = scene.get_as(&accept, "configmaps?watch=1&timeoutSeconds=1&resourceVersion=0").await?;
        // The body of a watch is no object.
        let shown = if watch.status == 200 { watch.header("content-type") } else { verdict(&watch) };
        scene.check(&format!("watch: {accept}"), shown, RECORDED);
    }
    Ok(())
}

async fn errors_are_negotiated(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let map = json!({"metadata": {"name": "a"}}).to_string();
    let accepts = [
        PROTOBUF.to_owned(),
        format!("{PROTOBUF},{JSON};q=0.9"),
        format!("{JSON},{PROTOBUF}"),
        metadata("PartialObjectMetadata"),
    ];
    for accept in accepts {
        let missing = scene.get_as(&accept, "configmaps/none").await?;
        scene.check(&format!("404 for {accept}"), format!("{} {}", missing.layout(), verdict(&missing)), RECORDED);
    }
    for (step, method, path, body) in [
        ("an unknown resource", Method::GET, "nothings", ""),
        ("a method that is not allowed", Method::PUT, "configmaps", &map),
        ("a body that is none", Method::POST, "configmaps", "{"),
        ("an object that exists", Method::POST, "configmaps", &map),
        ("an invalid query", Method::GET, "configmaps?resourceVersionMatch=Exact", ""),
        ("an invalid version", Method::GET, "configmaps?resourceVersion=x", ""),
        ("a version of the future", Method::GET, "configmaps?resourceVersion=99999999", ""),
        ("a watch from an invalid version", Method::GET, "configmaps?watch=1&resourceVersion=x", ""),
        ("a pod without a log", Method::GET, "pods/none/log", ""),
    ] {
        let request = scene.request(method, path).header("accept", PROTOBUF).header("content-type", JSON);
        let response = scene.send(request.body(body.to_owned())).await?;
        scene.check(step, verdict(&response), RECORDED);
    }
    Ok(())
}

async fn long_lists_are_gzipped(scene: &mut Scene) -> Outcome {
    let value = "all work and no play ".repeat(10_000);
    scene.create("configmaps", &json!({"metadata": {"name": "large"}, "data": {"value": value}})).await?;
    for path in ["configmaps", "configmaps/large"] {
        for (encoding, range) in [("gzip", None), ("gzip", Some("bytes=0-")), ("identity", None)] {
            let mut request =
                scene.request(Method::GET, path).header("accept", PROTOBUF).header("accept-encoding", encoding);
            if let Some(range) = range {
                request = request.header("range", range);
            }
            let response = scene.send(request).await?;
            let shown = format!(
                "{} {} {} {}",
                response.status,
                response.header("content-type"),
                response.header("content-encoding"),
                response.header("vary")
            );
            scene.check(&format!("{path}, {encoding}, {range:?}"), shown, RECORDED);
        }
    }
    scene.delete("configmaps/large").await?.object()?;
    scene.config_maps("a").await?;
    let request = scene.request(Method::GET, "configmaps").header("accept", PROTOBUF).header("accept-encoding", "gzip");
    scene.check("a short list", scene.send(request).await?.header("content-encoding"), "-");
    Ok(())
}

async fn a_websocket_has_an_event_in_each_binary_frame(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let path = "configmaps?watch=1&timeoutSeconds=2";
    let origin = Some("http://127.0.0.1:8001");
    let mut socket = match Socket::open(scene, origin, path, &[("accept", PROTOBUF)]).await? {
        Handshake::Open(socket, _) => socket,
        Handshake::Rejected(why) => return Err(Halt::Broken(format!("the handshake was refused: {why}"))),
    };
    // The first byte is no channel here, but the first tag of the event.
    let event = match socket.frame().await? {
        Ok((first, rest)) => event(&[&[first], &rest[..]].concat()).map_err(Halt::broken)?,
        Err(code) => return Err(Halt::Broken(format!("closed with {code}"))),
    };
    scene.check("event", words::event(&event), "ADDED a");
    scene.check("end", format!("{:?}", socket.frame().await?.err()), "Some(1000)");
    Ok(())
}

async fn custom_resources_have_none(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let things = things(scene);
    scene.create(&things, &json!({"apiVersion": things.split('/').skip(2).take(2).collect::<Vec<_>>().join("/"), "kind": "Thing", "metadata": {"name": "a"}})).await?;
    let (one, list) = (metadata("PartialObjectMetadata"), metadata("PartialObjectMetadataList"));
    let both = format!("{PROTOBUF},{JSON};q=0.9");
    for (step, path, form) in [
        ("list", things.clone(), &list),
        ("object", format!("{things}/a"), &one),
        ("missing", format!("{things}/none"), &one),
    ] {
        for accept in [PROTOBUF, &both, form, "text/html"] {
            let response = scene.get_as(accept, &path).await?;
            scene.check(&format!("{step} as {accept}"), verdict(&response), RECORDED);
        }
    }
    let watch = format!("{things}?timeoutSeconds=10");
    scene.check("watch", scene.watch_as(&both, &watch).await?.take(1).await?, "ADDED a");
    scene.check("watch of metadata", scene.watch_as(&one, &watch).await?.take(1).await?, "ADDED a");
    let refused = scene.get_as(PROTOBUF, &format!("{watch}&watch=1")).await?;
    scene.check("refused watch", verdict(&refused), RECORDED);
    remove(scene).await
}

async fn expired_versions_are_an_error_in_the_stream(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = format!("{}?timeoutSeconds=5&resourceVersion=1", things(scene));
    let mut watch = scene.watch_as(&metadata("PartialObjectMetadata"), &path).await?;
    scene.check("events", watch.rest().await?, "ERROR 410 Expired: too old resource version: # (#), END");
    remove(scene).await
}
