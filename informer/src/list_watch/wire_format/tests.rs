//! Lists and watches in protobuf, from recordings of a real apiserver, and the return to JSON.

use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::executor::block_on;
use informer_packing::Json;

use super::super::{ListOptions, ListerWatcher, ResourceListerWatcher, WatchOptions};
use crate::error::ErrorCode;
use crate::informer_options::{InformerMode, InformerOptions};
use crate::object::{Keyed, Object};
use crate::transform::TransformOptions;
use crate::transport::scripted::{Reply, ScriptedTransport};
use crate::watch::WatchEvent;

const LIST: &[u8] = include_bytes!("../../../protobuf/tests/wire/pods-list.bin");
const LIST_JSON: &[u8] = include_bytes!("../../../protobuf/tests/wire/pods-list.json");
const WATCH: &[u8] = include_bytes!("../../../protobuf/tests/wire/pods-watch.bin");
const EXPIRED: &[u8] = include_bytes!("../../../protobuf/tests/wire/expired-watch.bin");
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

fn lister(transport: &ScriptedTransport, resource: &str, options: &InformerOptions) -> ResourceListerWatcher<Object> {
    let resource = resource.parse().expect("valid");
    ResourceListerWatcher::new(Rc::new(transport.clone()), &resource, options).expect("valid")
}

fn pods(transport: &ScriptedTransport) -> ResourceListerWatcher<Object> {
    let transform = TransformOptions { keep_managed_fields: true, ..TransformOptions::default() };
    lister(transport, "v1/pods", &InformerOptions { transform, ..InformerOptions::default() })
}

fn from_one() -> WatchOptions {
    WatchOptions { resource_version: Some("1".into()), timeout: Duration::from_secs(300), initial_events: false }
}

fn accepted(transport: &ScriptedTransport) -> Vec<&'static str> {
    let accept = |request: crate::transport::Request| {
        request.headers.iter().find(|(name, _)| *name == "Accept").map(|(_, value)| *value).expect("one")
    };
    transport.requests().into_iter().map(accept).collect()
}

fn accepted_last(transport: &ScriptedTransport) -> &'static str {
    accepted(transport).pop().expect("a request")
}

#[test]
fn the_objects_of_a_list_in_protobuf() {
    let transport = ScriptedTransport::new();
    transport.reply(Reply::Whole(200, PROTOBUF, LIST.to_vec()));
    transport.reply(Reply::Whole(200, "application/json", LIST_JSON.to_vec()));
    let pods = pods(&transport);
    let [protobuf, json] = [(); 2].map(|()| block_on(pods.list(ListOptions::default())).expect("a list"));
    // The recordings are of different pages of one list: the objects have the same members, in the same order.
    let members =
        |item: &Object| Json::new(&item.json()).members().map(|(name, _)| name.into_owned()).collect::<Vec<_>>();
    assert_eq!(
        protobuf.items.iter().map(members).collect::<Vec<_>>(),
        vec![["kind", "apiVersion", "metadata", "spec", "status"]; 2]
    );
    assert_eq!(members(&protobuf.items[0]), members(&json.items[0]));
    assert!(protobuf.items.iter().all(|pod| pod.namespace() == "identity-prod" && !pod.resource_version().is_empty()));
    assert!(
        protobuf
            .items
            .iter()
            .all(|pod| pod.json().contains(r#""managedFields":[{"manager":"kube-controller-manager""#))
    );
    assert!(
        !protobuf.resource_version.is_empty() && !protobuf.continue_token.is_empty() && protobuf.unreadable.is_empty()
    );
    // Each byte of both, and none of the converted text.
    assert_eq!(pods.reader.connection.bytes(), (LIST.len() + LIST_JSON.len()) as u64);
    assert!(!pods.reader.connection.is_protobuf());
}

#[test]
fn a_list_that_is_cut_off_is_truncated_and_stays_protobuf() {
    let transport = ScriptedTransport::new();
    for end in [0, 3, 20, LIST.len() / 2, LIST.len() - 60] {
        transport.reply(Reply::Whole(200, PROTOBUF, LIST[..end].to_vec()));
        let error = block_on(pods(&transport).list(ListOptions::default())).expect_err("cut off");
        assert_eq!(error.code(), ErrorCode::Decode, "{end}: {error}");
        assert!(error.message().contains("truncated"), "{end}: {error}");
    }
}

#[test]
fn the_events_of_a_watch_in_protobuf() {
    let transport = ScriptedTransport::new();
    transport.reply(Reply::Whole(200, "application/vnd.kubernetes.protobuf;stream=watch", WATCH.to_vec()));
    transport.reply(Reply::Whole(200, "application/vnd.kubernetes.protobuf;stream=watch", EXPIRED.to_vec()));
    let pods = pods(&transport);
    let events = |lister: &ResourceListerWatcher<Object>| {
        let chunks = block_on(async { lister.watch(from_one()).await.expect("accepted").collect::<Vec<_>>().await });
        let events = chunks.into_iter().flat_map(|chunk| chunk.expect("a chunk"));
        events.map(|event| event.expect("an event")).collect::<Vec<_>>()
    };
    let seen = events(&pods);
    assert!(seen.iter().all(|event| match event {
        WatchEvent::Added(pod) | WatchEvent::Modified(pod) | WatchEvent::Deleted(pod) => {
            !pod.uid().is_empty() && Json::new(&pod.json()).get("kind").and_then(Json::as_str).as_deref() == Some("Pod")
        }
        WatchEvent::Bookmark { resource_version, .. } => !resource_version.is_empty(),
        WatchEvent::Error(_) => false,
    }));
    assert!(seen.len() > 1 && pods.reader.connection.is_protobuf());
    match events(&pods).as_slice() {
        [WatchEvent::Error(error)] => assert_eq!(error.code(), ErrorCode::Expired),
        other => panic!("{other:?}"),
    }
}

#[test]
fn protobuf_is_requested_of_built_in_kinds_alone() {
    let metadata = InformerOptions { mode: InformerMode::Metadata, ..InformerOptions::default() };
    for (resource, options, is_protobuf) in [
        ("v1/pods", InformerOptions::default(), true),
        ("apps/v1/deployments", InformerOptions::default(), true),
        ("rbac.authorization.k8s.io/v1/roles", InformerOptions::default(), true),
        ("example.com/v1/things", InformerOptions::default(), false),
        ("networking.example.k8s.com/v1/things", InformerOptions::default(), false),
        ("v1/pods", metadata, false),
    ] {
        let transport = ScriptedTransport::new();
        let lister = lister(&transport, resource, &options);
        drop(lister.list(ListOptions::default()));
        drop(lister.watch(from_one()));
        for accept in accepted(&transport) {
            assert_eq!(accept.starts_with(PROTOBUF), is_protobuf, "{resource}: {accept}");
            assert!(accept.contains("application/json") && accept.len() <= 128, "{accept}");
        }
    }
}

#[test]
fn after_protobuf_that_cannot_be_converted_json_is_requested() {
    let damaged = |at: usize| {
        let mut body = LIST.to_vec();
        body[at] ^= 0xff;
        body
    };
    // A field that this build does not know, which its conversion would lose.
    let newer = b"k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList\x12\x0d\x0a\x03\x12\x012\x12\x06\xaa\x06\x03new";
    let unknown = b"k8s\0\x0a\x0f\x0a\x02v9\x12\x09ThingList\x12\x02\x0a\x00";
    for (body, reason) in [
        (damaged(0), "k8s"),
        (newer.to_vec(), "another version"),
        (unknown.to_vec(), "Thing of v9 is unknown"),
        (b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x02\x0a\x00".to_vec(), "no list"),
    ] {
        let transport = ScriptedTransport::new();
        transport.reply(Reply::Whole(200, PROTOBUF, body));
        transport.reply(Reply::Whole(200, "application/json", LIST_JSON.to_vec()));
        let pods = pods(&transport);
        // The same page again, in JSON.
        let page = block_on(pods.list(ListOptions::default())).unwrap_or_else(|error| panic!("{reason}: {error}"));
        assert!(!page.items.is_empty());
        let reported = pods.reader.connection.json_reason().expect("reported");
        assert!(reported.contains(reason), "{reason}: {reported}");
        let accepted = accepted(&transport);
        assert!(
            accepted[0].starts_with(PROTOBUF) && accepted[1] == "application/json" && accepted.len() == 2,
            "{accepted:?}"
        );
        // And so is the watch.
        drop(pods.watch(from_one()));
        assert_eq!(accepted_last(&transport), "application/json");
    }
}

#[test]
fn a_watch_with_an_event_that_cannot_be_converted_ends_and_is_resumed_in_json() {
    let unknown = b"\x0a\x05ADDED\x12\x15\x0a\x13k8s\0\x0a\x0b\x0a\x02v9\x12\x05Thing\x12\x00";
    // The recording ends inside a frame.
    let mut whole = 0;
    while let Some(length) = WATCH.get(whole..).and_then(|rest| rest.first_chunk::<4>()) {
        let end = whole + 4 + usize::try_from(u32::from_be_bytes(*length)).expect("short");
        if end > WATCH.len() {
            break;
        }
        whole = end;
    }
    let mut body = WATCH[..whole].to_vec();
    body.extend_from_slice(&u32::try_from(unknown.len()).expect("short").to_be_bytes());
    body.extend_from_slice(unknown);
    let transport = ScriptedTransport::new();
    transport.reply(Reply::Whole(200, "application/vnd.kubernetes.protobuf;stream=watch", body));
    let pods = pods(&transport);
    let chunks = block_on(async { pods.watch(from_one()).await.expect("accepted").collect::<Vec<_>>().await });
    // The events before it count, and the end is not an error.
    let events = chunks.into_iter().flat_map(|chunk| chunk.expect("no error")).collect::<Vec<_>>();
    assert!(events.len() > 1 && events.iter().all(Result::is_ok));
    assert_eq!(pods.reader.connection.json_reason().as_deref(), Some("the type Thing of v9 is unknown"));
    drop(pods.watch(from_one()));
    assert_eq!(accepted_last(&transport), "application/json");
}

#[test]
fn an_error_in_protobuf_is_classified() {
    let status =
        b"k8s\0\x0a\x0c\x0a\x02v1\x12\x06Status\x12\x1d\x0a\x00\x12\x07Failure\x1a\x02no\x22\x09Forbidden\x30\x93\x03";
    let transport = ScriptedTransport::new();
    let pods = pods(&transport);
    for code in [403, 403] {
        transport.reply(Reply::Whole(code, PROTOBUF, status.to_vec()));
    }
    let listed = block_on(pods.list(ListOptions::default())).map(drop);
    let watched = block_on(pods.watch(from_one())).map(drop);
    for error in [listed.expect_err("forbidden"), watched.expect_err("forbidden")] {
        assert_eq!((error.code(), error.status()), (ErrorCode::Forbidden, Some(403)), "{error}");
    }
    assert!(accepted(&transport).iter().all(|accept| accept.starts_with(PROTOBUF)));
}

#[test]
fn an_error_that_cannot_be_read_says_nothing_of_other_responses() {
    let transport = ScriptedTransport::new();
    transport.reply(Reply::Whole(500, PROTOBUF, b"k8s\0\x0a\xff".to_vec()));
    let pods = pods(&transport);
    assert!(block_on(pods.list(ListOptions::default())).is_err());
    assert_eq!(pods.reader.connection.json_reason(), None);
    drop(pods.list(ListOptions::default()));
    assert!(accepted_last(&transport).starts_with(PROTOBUF));
}

#[test]
fn the_code_is_loaded_once_and_by_long_lists_of_built_in_kinds_alone() {
    use std::cell::Cell;
    thread_local! {
        static LOADS: Cell<usize> = const { Cell::new(0) };
    }
    crate::protobuf::unload();
    crate::protobuf::load_protobuf_with(|| {
        LOADS.set(LOADS.get() + 1);
        Box::pin(async { crate::protobuf::provide_protobuf() })
    });
    let next = ListOptions { continue_token: Some("c".into()), ..ListOptions::default() };
    let transport = ScriptedTransport::new();
    drop(lister(&transport, "example.com/v1/things", &InformerOptions::default()).list(next.clone()));
    drop(pods(&transport).list(ListOptions::default()));
    assert_eq!((LOADS.get(), accepted_last(&transport)), (0, "application/json"));
    assert!(block_on(async { futures::poll!(pods(&transport).list(next.clone())) }).is_pending());
    assert_eq!(LOADS.get(), 1);
    assert!(accepted_last(&transport).starts_with(PROTOBUF));
    crate::protobuf::unload();
    drop(pods(&transport).list(next));
    assert_eq!((LOADS.get(), accepted_last(&transport)), (1, "application/json"));
    crate::protobuf::provide_protobuf();
}
