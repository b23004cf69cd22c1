//! Fuzz target for protobuf: eight bytes give the lengths of the chunks, repeated; the rest is a list, frames of a watch, and the
//! message of a pod at once.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use informer_packing::Outline;
use informer_protobuf::{
    Error, FrameDecoder, JsonWriter, ListCutter, ListPiece, MessageId, Schema, TypeMeta, Unknown, WatchEvent, encode,
};

/// Maximum length of an item and of a frame: short, so that a fuzzer finds longer ones.
const LIMIT: usize = 300;

// Parsed once, because that takes longer than all else.
static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::parse(include_str!("../../protobuf/schema.txt")).expect("the schema"));

/// The pieces are the same however the stream is cut, what is decoded is JSON, and the encoder restores it.
pub fn run(data: &[u8]) {
    let Some((lengths, stream)) = data.split_at_checked(8) else { return };
    let mut chunks = Vec::new();
    let mut rest = stream;
    for length in lengths.iter().cycle() {
        let (chunk, tail) = rest.split_at(rest.len().min(1 + usize::from(*length)));
        chunks.push(chunk);
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    let list = cut(&[stream]);
    assert_eq!(cut(&chunks), list);
    for item in list.0.iter().filter_map(|piece| piece.strip_prefix(b"item ")) {
        convert(&SCHEMA, "Node", item);
    }
    let frames = decode(&[stream]);
    assert_eq!(decode(&chunks), frames);
    for frame in frames.0.iter().map(Vec::as_slice).chain([stream]) {
        if let Ok(WatchEvent { object: Unknown { type_meta, raw }, .. }) = WatchEvent::parse(frame)
            && let Some(message) = SCHEMA.message(type_meta.api_version, type_meta.kind)
        {
            round_trip(&SCHEMA, message, raw);
        }
    }
    convert(&SCHEMA, "Pod", stream);
}

fn convert(schema: &Schema, kind: &str, bytes: &[u8]) {
    round_trip(schema, schema.message("v1", kind).expect("a kind"), bytes);
}

/// Decodes a message; its JSON, encoded and decoded, does not change any more after the first time, when invalid UTF-8, empty times
/// and duplicates are lost.
fn round_trip(schema: &Schema, message: MessageId, bytes: &[u8]) {
    let Some(json) = json(schema, message, bytes) else { return };
    let Some(first) = again(schema, message, &json) else { return };
    assert_eq!(again(schema, message, &first).as_deref(), Some(&*first));
}

fn again(schema: &Schema, message: MessageId, json: &str) -> Option<String> {
    let mut bytes = Vec::new();
    // Times beyond year 9999 have no JSON that can be read.
    encode(schema, message, json, &mut bytes).ok()?;
    self::json(schema, message, &bytes)
}

fn json(schema: &Schema, message: MessageId, bytes: &[u8]) -> Option<String> {
    let (mut all, mut cut) = (Vec::new(), Vec::new());
    let type_meta = TypeMeta { api_version: "v1", kind: "<Pod>" };
    let short = JsonWriter::new(schema).without_managed_fields().write(message, Some(type_meta), bytes, &mut cut);
    assert_eq!(short.is_ok(), !cut.is_empty());
    JsonWriter::new(schema).write(message, None, bytes, &mut all).ok()?;
    assert!(short.is_ok());
    let text = String::from_utf8(all).expect("UTF-8");
    if let Err(invalid) = Outline::parse(&text) {
        // An embedded object may have that depth alone.
        assert!(invalid.why.contains("nested"), "{invalid} {text}");
    }
    Some(text)
}

/// The pieces of a list, and whether it is complete, or the error.
fn cut(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Result<bool, Error>) {
    let (mut cutter, mut pieces) = (ListCutter::new(LIMIT), Vec::new());
    let fine = chunks.iter().try_for_each(|chunk| {
        cutter.push(chunk, &mut |piece| {
            pieces.push(match piece {
                ListPiece::Item(item) => [b"item ", item].concat(),
                other => format!("{other:?}").into_bytes(),
            });
            ControlFlow::Continue(())
        })
    });
    (pieces, fine.map(|()| cutter.is_complete()))
}

/// The frames and the unfinished rest, or the error.
fn decode(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Result<usize, Error>) {
    let (mut decoder, mut frames) = (FrameDecoder::new(LIMIT), Vec::new());
    let fine = chunks.iter().try_for_each(|chunk| decoder.push(chunk, &mut |frame| frames.push(frame.to_vec())));
    (frames, fine.map(|()| decoder.unfinished()))
}
