//! Recordings of a real apiserver (1.36), as protobuf and as JSON.

// The helpers are not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::ops::ControlFlow;

use informer_protobuf::{
    FrameDecoder, JsonWriter, LIST_TAIL, ListCutter, ListMeta, ListPiece, Schema, TypeMeta, UnknownFields, WatchEvent,
    encode, encode_list_head, encode_list_item, encode_unknown, encode_watch_event,
};

fn schema() -> Schema {
    Schema::parse(include_str!("../schema.txt")).expect("schema")
}

fn json(schema: &Schema, type_meta: TypeMeta<'_>, typed: bool, bytes: &[u8]) -> String {
    let message = schema.message(type_meta.api_version, type_meta.item_kind()).expect("known");
    let type_meta = TypeMeta { kind: type_meta.item_kind(), ..type_meta };
    let mut out = Vec::new();
    let unknown = JsonWriter::new(schema).write(message, typed.then_some(type_meta), bytes, &mut out).expect("JSON");
    assert_eq!(unknown, UnknownFields::default());
    String::from_utf8(out).expect("UTF-8")
}

/// The JSON text of a list, from chunks of this size.
fn list(body: &[u8], chunk: usize, typed: bool) -> String {
    let (schema, mut cutter) = (schema(), ListCutter::new(1 << 20));
    let (mut list_type, mut text) = (None::<(String, String)>, String::new());
    for chunk in body.chunks(chunk) {
        cutter
            .push(chunk, &mut |piece| {
                match piece {
                    ListPiece::Type(list) => {
                        text = format!("{{\"kind\":\"{}\",\"apiVersion\":\"{}\"", list.kind, list.api_version);
                        list_type = Some((list.api_version.to_owned(), list.kind.to_owned()));
                    }
                    ListPiece::Metadata(meta) => {
                        let (version, token) = (meta.resource_version, meta.continue_token);
                        let left = meta.remaining_item_count.unwrap();
                        write!(text, r#","metadata":{{"resourceVersion":"{version}","continue":"{token}","#).unwrap();
                        write!(text, r#""remainingItemCount":{left}}},"items":["#).unwrap();
                    }
                    ListPiece::Item(item) => {
                        let (api_version, kind) = list_type.as_ref().expect("the type first");
                        text += if text.ends_with('[') { "" } else { "," };
                        text += &json(&schema, TypeMeta { api_version, kind }, typed, item);
                    }
                }
                ControlFlow::Continue(())
            })
            .expect("a list");
    }
    assert!(cutter.is_complete());
    text + "]}"
}

/// The first two items of a list, without its versions.
fn two_items(list: &str) -> String {
    let items = informer_packing::Json::new(list).get("items").expect("items").items();
    items.take(2).map(|item| item.text().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn pods_are_the_same_bytes_as_json() {
    let expected = include_str!("wire/pods-list.json");
    let body = include_bytes!("wire/pods-list.bin");
    for chunk in [1, 7, 4_096, body.len()] {
        let list = list(body, chunk, false);
        assert_eq!(two_items(&list), two_items(expected));
        assert!(
            list.starts_with(
                r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"17203","continue":""#
            )
        );
    }
}

#[test]
fn metadata_is_the_same_bytes_as_json() {
    // Unlike items of other lists, these have a type.
    let list = list(include_bytes!("wire/metadata-list.bin"), 1_000, true);
    assert_eq!(two_items(&list), two_items(include_str!("wire/metadata-list.json")));
}

fn events(stream: &[u8], chunk: usize) -> (Vec<String>, usize) {
    let (schema, mut decoder, mut events) = (schema(), FrameDecoder::new(1 << 20), Vec::new());
    for chunk in stream.chunks(chunk) {
        decoder
            .push(chunk, &mut |frame| {
                let event = WatchEvent::parse(frame).expect("an event");
                let object = json(&schema, event.object.type_meta, true, event.object.raw);
                events.push(format!("{{\"type\":\"{}\",\"object\":{object}}}\n", event.event_type));
            })
            .expect("frames");
    }
    (events, decoder.unfinished())
}

#[test]
fn events_are_the_same_as_in_json() {
    let pods = include_bytes!("wire/pods-watch.bin");
    let items = two_items(include_str!("wire/pods-list.json"));
    for chunk in [1, 5, 16_384, pods.len()] {
        // The recording ends in the third event.
        let (events, unfinished) = events(pods, chunk);
        let typed = items.lines().map(|item| {
            format!("{{\"type\":\"ADDED\",\"object\":{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",{}}}\n", &item[1..])
        });
        assert_eq!(events, typed.collect::<Vec<_>>());
        assert!(unfinished > 0);
    }
}

#[test]
fn a_bookmark_has_a_version() {
    let (events, unfinished) = events(include_bytes!("wire/bookmark-watch.bin"), 3);
    let expected = r#"{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"17203","annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}"#;
    assert_eq!((events, unfinished), (vec![format!("{expected}\n")], 0));
}

#[test]
fn an_error_is_a_status() {
    let (events, unfinished) = events(include_bytes!("wire/expired-watch.bin"), 1_000);
    assert_eq!((events.concat().trim_end(), unfinished), (include_str!("wire/expired-watch.json").trim_end(), 0));
}

#[test]
fn a_list_is_encoded_to_the_same_bytes() {
    for body in [&include_bytes!("wire/pods-list.bin")[..], include_bytes!("wire/metadata-list.bin")] {
        let (schema, mut cutter) = (schema(), ListCutter::new(1 << 20));
        let (mut head, mut metadata, mut items) = (None::<(String, String)>, None::<(String, String, i64)>, Vec::new());
        cutter
            .push(body, &mut |piece| {
                match piece {
                    ListPiece::Type(list) => head = Some((list.api_version.to_owned(), list.kind.to_owned())),
                    ListPiece::Metadata(meta) => {
                        let (version, token) = (meta.resource_version.to_owned(), meta.continue_token.to_owned());
                        metadata = Some((version, token, meta.remaining_item_count.unwrap()));
                    }
                    ListPiece::Item(item) => {
                        let (api_version, kind) = head.as_ref().expect("the type first");
                        let type_meta = TypeMeta { api_version, kind };
                        let message = schema.message(api_version, type_meta.item_kind()).expect("known");
                        let mut raw = Vec::new();
                        encode(&schema, message, &json(&schema, type_meta, true, item), &mut raw).expect("protobuf");
                        encode_list_item(&raw, &mut items);
                    }
                }
                ControlFlow::Continue(())
            })
            .expect("a list");
        let ((api_version, kind), (version, token, left)) = (head.unwrap(), metadata.unwrap());
        let meta = ListMeta { resource_version: &version, continue_token: &token, remaining_item_count: Some(left) };
        let mut encoded = Vec::new();
        encode_list_head(TypeMeta { api_version: &api_version, kind: &kind }, &meta, items.len(), &mut encoded);
        assert!([&encoded[..], &items, LIST_TAIL].concat() == body);
    }
}

#[test]
fn events_are_encoded_to_the_same_bytes() {
    let (bookmark, expired) = (include_bytes!("wire/bookmark-watch.bin"), include_bytes!("wire/expired-watch.bin"));
    for stream in [&bookmark[..], expired, include_bytes!("wire/pods-watch.bin")] {
        let (schema, mut decoder, mut encoded) = (schema(), FrameDecoder::new(1 << 20), Vec::new());
        decoder
            .push(stream, &mut |frame| {
                let event = WatchEvent::parse(frame).expect("an event");
                let type_meta = event.object.type_meta;
                let message = schema.message(type_meta.api_version, type_meta.kind).expect("known");
                let (mut raw, mut object) = (Vec::new(), Vec::new());
                encode(&schema, message, &json(&schema, type_meta, true, event.object.raw), &mut raw)
                    .expect("protobuf");
                encode_unknown(type_meta, &raw, &mut object);
                encode_watch_event(event.event_type, &object, &mut encoded);
            })
            .expect("frames");
        assert!(encoded == stream[..stream.len() - decoder.unfinished()]);
    }
}
