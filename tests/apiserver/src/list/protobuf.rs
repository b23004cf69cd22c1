//! Page in protobuf: its length comes first, so all items are encoded before the first byte.

use bytes::Bytes;
use informer_protobuf::{LIST_TAIL, ListMeta, TypeMeta, encode_list_head, encode_list_item, list_item_bytes};

use super::{CHUNK_BYTES, Page};
use crate::kinds::Kind;
use crate::view::{Form, View};

impl Page {
    /// Returns the body in chunks.
    pub(super) fn protobuf_chunks(
        self,
        kind: &Kind,
        version: &str,
        view: View,
    ) -> impl Iterator<Item = Vec<u8>> + Send + 'static {
        let items: Vec<Bytes> = self.entries.iter().map(|entry| view.message(kind, version, entry)).collect();
        let (api_version, item_kind) = view.type_of(kind, version);
        let list_kind = if view.form == Form::Object { kind.list_name.clone() } else { format!("{item_kind}List") };
        let revision = self.revision.to_string();
        let meta = ListMeta {
            resource_version: &revision,
            continue_token: self.next.as_deref().unwrap_or_default(),
            remaining_item_count: self.remaining.and_then(|count| i64::try_from(count).ok()),
        };
        let item_bytes = items.iter().map(|item| list_item_bytes(item.len())).sum();
        let mut buffer = Vec::new();
        encode_list_head(TypeMeta { api_version: &api_version, kind: &list_kind }, &meta, item_bytes, &mut buffer);
        let mut items = items.into_iter();
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let mut chunk = std::mem::take(&mut buffer);
            chunk.reserve(CHUNK_BYTES + CHUNK_BYTES / 4);
            while chunk.len() < CHUNK_BYTES {
                let Some(item) = items.next() else {
                    chunk.extend_from_slice(LIST_TAIL);
                    is_over = true;
                    break;
                };
                encode_list_item(&item, &mut chunk);
            }
            Some(chunk)
        })
    }
}
