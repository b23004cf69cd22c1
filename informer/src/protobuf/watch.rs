//! Converter of a watch from protobuf to JSON: each frame becomes a line.

use informer_packing::write_string;
use informer_protobuf::{FrameDecoder, WatchEvent};

use super::converter::{Converter, MAX_BYTES, Objects, in_words};

/// Converter of a watch.
pub(super) struct WatchConverter {
    frames: FrameDecoder,
    objects: Objects,
}

impl WatchConverter {
    pub(super) fn new(objects: Objects) -> Self {
        Self { frames: FrameDecoder::new(MAX_BYTES), objects }
    }
}

impl Converter for WatchConverter {
    fn push(&mut self, chunk: &[u8], json: &mut Vec<u8>) -> Result<(), String> {
        let Self { frames, objects } = self;
        let mut failed = None;
        let pushed = frames.push(chunk, &mut |frame| {
            if failed.is_none() {
                failed = write_line(objects, frame, json).err();
            }
        });
        failed.map_or_else(|| pushed.map_err(in_words), Err)
    }
}

fn write_line(objects: &mut Objects, frame: &[u8], json: &mut Vec<u8>) -> Result<(), String> {
    let event = WatchEvent::parse(frame).map_err(in_words)?;
    let mut head = String::from("{\"type\":");
    write_string(&mut head, event.event_type);
    head.push_str(",\"object\":");
    let before = json.len();
    json.extend_from_slice(head.as_bytes());
    let written = objects.write_typed(event.object, json);
    match written {
        Ok(()) => json.extend_from_slice(b"}\n"),
        Err(_) => json.truncate(before),
    }
    written
}
