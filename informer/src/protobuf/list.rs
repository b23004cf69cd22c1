//! Converter of a list from protobuf to JSON.

use std::ops::ControlFlow;

use informer_packing::write_string;
use informer_protobuf::{ListCutter, ListMeta, ListPiece, MessageId, TypeMeta};

use super::converter::{Converter, MAX_BYTES, Objects, in_words};

/// Converter of a list.
pub(super) struct ListConverter {
    cutter: ListCutter,
    list: List,
}

/// List of which a part has been written.
struct List {
    objects: Objects,
    /// Type of the items, once the type of the list has been read.
    message: Option<MessageId>,
    /// Metadata as JSON, if it came after the first item.
    late_metadata: Option<String>,
    has_metadata: bool,
    has_items: bool,
}

impl List {
    fn new(objects: Objects) -> Self {
        Self { objects, message: None, late_metadata: None, has_metadata: false, has_items: false }
    }

    fn piece(&mut self, piece: ListPiece<'_>, json: &mut Vec<u8>) -> Result<(), String> {
        match piece {
            ListPiece::Type(type_meta) => {
                let item = TypeMeta { kind: type_meta.item_kind(), ..type_meta };
                if self.message.is_some() || item.kind == type_meta.kind {
                    return Err(format!("{:.80} is no list", type_meta.kind));
                }
                self.message = Some(self.objects.message(item)?);
                let mut head = String::from("{\"kind\":");
                write_string(&mut head, type_meta.kind);
                head.push_str(",\"apiVersion\":");
                write_string(&mut head, type_meta.api_version);
                json.extend_from_slice(head.as_bytes());
            }
            ListPiece::Metadata(metadata) => {
                if std::mem::replace(&mut self.has_metadata, true) {
                    return Err("the list has metadata twice".to_owned());
                }
                let metadata = metadata_json(metadata);
                if self.has_items {
                    self.late_metadata = Some(metadata);
                } else {
                    json.extend_from_slice(metadata.as_bytes());
                }
            }
            ListPiece::Item(item) => {
                let message = self.message.ok_or("the items of the list precede its type")?;
                self.begin_items(json);
                self.objects.write(message, None, item, json)?;
            }
        }
        Ok(())
    }

    fn begin_items(&mut self, json: &mut Vec<u8>) {
        let separator: &[u8] = if std::mem::replace(&mut self.has_items, true) { b"," } else { b",\"items\":[" };
        json.extend_from_slice(separator);
    }

    /// Ends the document once the list is complete. A list without items has an empty array, as in JSON.
    fn finish(&mut self, json: &mut Vec<u8>) {
        let items: &[u8] = if self.has_items { b"]" } else { b",\"items\":[]" };
        json.extend_from_slice(items);
        json.extend_from_slice(self.late_metadata.take().unwrap_or_default().as_bytes());
        json.push(b'}');
    }
}

impl ListConverter {
    pub(super) fn new(objects: Objects) -> Self {
        Self { cutter: ListCutter::new(MAX_BYTES), list: List::new(objects) }
    }
}

impl Converter for ListConverter {
    fn push(&mut self, chunk: &[u8], json: &mut Vec<u8>) -> Result<(), String> {
        let Self { cutter, list } = self;
        let mut failed = None;
        let cut = cutter.push(chunk, &mut |piece| match list.piece(piece, json) {
            Ok(()) => ControlFlow::Continue(()),
            Err(reason) => {
                failed = Some(reason);
                ControlFlow::Break(())
            }
        });
        match failed {
            Some(reason) => Err(reason),
            None => cut.map_err(in_words),
        }
    }

    /// Only now: bytes of the envelope follow the list.
    fn end(&mut self, json: &mut Vec<u8>) -> Result<(), String> {
        if self.cutter.is_complete() && self.list.message.is_some() {
            self.list.finish(json);
        }
        Ok(())
    }
}

/// Returns the member `metadata` of a list.
fn metadata_json(metadata: ListMeta<'_>) -> String {
    let ListMeta { resource_version, continue_token, remaining_item_count } = metadata;
    let mut json = String::from(",\"metadata\":{\"resourceVersion\":");
    write_string(&mut json, resource_version);
    if !continue_token.is_empty() {
        json.push_str(",\"continue\":");
        write_string(&mut json, continue_token);
    }
    if let Some(count) = remaining_item_count {
        json.push_str(",\"remainingItemCount\":");
        json.push_str(&count.to_string());
    }
    json.push('}');
    json
}
