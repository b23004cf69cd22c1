//! Compares two responses of an apiserver, one in protobuf and one in JSON, byte for byte (`tests/kube/compare-protobuf.mjs`):
//! `cargo run --example compare -- (list|object|watch) PROTOBUF [JSON]`.
//!
//! Prints how many objects were compared; fails at the first difference. Without JSON it prints the objects, one a line.

use std::error::Error;
use std::ops::ControlFlow;

use informer_packing::{Cutter, Piece};
use informer_protobuf::{
    FrameDecoder, JsonWriter, ListCutter, ListPiece, MessageId, Schema, TypeMeta, Unknown, WatchEvent,
};

/// Maximum size of an object, in bytes.
const LIMIT: usize = 64 << 20;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(mode), Some(protobuf)) = (arguments.first(), arguments.get(1)) else {
        return Err("usage: compare (list|object|watch) PROTOBUF [JSON]".into());
    };
    let protobuf = std::fs::read(protobuf)?;
    let schema = Schema::parse(include_str!("../schema.txt"))?;
    let ours = match mode.as_str() {
        "list" => list(&schema, &protobuf)?,
        "object" => vec![object(&schema, Unknown::parse(&protobuf)?)?],
        _ => events(&schema, &protobuf)?,
    };
    let Some(json) = arguments.get(2) else {
        for object in ours {
            println!("{object}");
        }
        return Ok(());
    };
    let json = std::fs::read_to_string(json)?;
    let theirs = match mode.as_str() {
        "list" => json_items(&json)?,
        "object" => vec![json.trim_end().to_owned()],
        _ => json.lines().map(str::to_owned).collect(),
    };
    for (ours, theirs) in ours.iter().zip(&theirs) {
        if ours != theirs {
            return Err(format!("difference\nprotobuf {ours}\nJSON     {theirs}").into());
        }
    }
    if ours.len() != theirs.len() {
        return Err(format!("{} objects in protobuf, {} in JSON", ours.len(), theirs.len()).into());
    }
    println!("{}", ours.len());
    Ok(())
}

fn message(schema: &Schema, type_meta: TypeMeta<'_>) -> Outcome<MessageId> {
    let message = schema.message(type_meta.api_version, type_meta.item_kind());
    message.ok_or_else(|| format!("{type_meta:?} is not in the schema").into())
}

fn write(schema: &Schema, message: MessageId, type_meta: Option<TypeMeta<'_>>, bytes: &[u8]) -> Outcome<String> {
    let mut out = Vec::new();
    let unknown = JsonWriter::new(schema).write(message, type_meta, bytes, &mut out)?;
    if let Some((message, number)) = unknown.first {
        return Err(format!("field {number} of {} is not in the schema", schema.name(message)).into());
    }
    Ok(String::from_utf8(out)?)
}

fn object(schema: &Schema, object: Unknown<'_>) -> Outcome<String> {
    write(schema, message(schema, object.type_meta)?, Some(object.type_meta), object.raw)
}

fn list(schema: &Schema, body: &[u8]) -> Outcome<Vec<String>> {
    let (mut cutter, mut items, mut list) = (ListCutter::new(LIMIT), Vec::new(), None);
    let mut failed = None;
    for chunk in body.chunks(16_384) {
        let cut = cutter.push(chunk, &mut |piece| {
            let written = match piece {
                ListPiece::Type(type_meta) => {
                    // Items of metadata have a type in JSON, unlike those of all other lists.
                    let is_typed = type_meta.item_kind() == "PartialObjectMetadata";
                    message(schema, type_meta).map(|message| list = Some((message, is_typed)))
                }
                ListPiece::Metadata(_) => Ok(()),
                ListPiece::Item(item) => list.ok_or_else(|| "no type".into()).and_then(|(message, is_typed)| {
                    let type_meta = TypeMeta { api_version: "meta.k8s.io/v1", kind: "PartialObjectMetadata" };
                    items.push(write(schema, message, is_typed.then_some(type_meta), item)?);
                    Ok(())
                }),
            };
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        failed.take().map_or(Ok(()), Err)?;
        cut?;
    }
    if cutter.is_complete() { Ok(items) } else { Err("the list is not complete".into()) }
}

fn json_items(list: &str) -> Outcome<Vec<String>> {
    let (mut cutter, mut items) = (Cutter::new("items", LIMIT), Vec::new());
    let cut = cutter.push(list.as_bytes(), &mut |piece| {
        if let Piece::Element(item) = piece {
            items.push(item.root().text().to_owned());
        }
        ControlFlow::Continue(())
    });
    if cut.is_ok() { Ok(items) } else { Err("not a JSON list".into()) }
}

fn events(schema: &Schema, stream: &[u8]) -> Outcome<Vec<String>> {
    let (mut decoder, mut events) = (FrameDecoder::new(LIMIT), Vec::new());
    for chunk in stream.chunks(16_384) {
        decoder.push(chunk, &mut |frame| {
            events.push(WatchEvent::parse(frame).map_err(Box::from).and_then(|event| {
                let object = object(schema, event.object)?;
                Ok(format!("{{\"type\":\"{}\",\"object\":{object}}}", event.event_type))
            }));
        })?;
    }
    events.into_iter().collect()
}
