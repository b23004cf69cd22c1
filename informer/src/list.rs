//! List decoder: one page of a list, decoded while it arrives.

use std::ops::ControlFlow;
use std::sync::Arc;

use informer_packing::{CutError, Cutter, Json, Outline, Piece};

use crate::api_status::excerpt;
use crate::error::{ErrorCode, InformerError, Result};
use crate::object::{KubeObject, Reading, TypeMeta, read_object};

/// Decoded page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPage<T> {
    /// Decoded objects, except for the unchanged ones.
    pub items: Vec<T>,
    /// Cached instances of the unchanged objects, so that a relist takes no memory.
    pub unchanged: Vec<Arc<T>>,
    /// Version of the whole list, from which a watch continues. Empty or `"0"` if the list has none, as in
    /// metrics.k8s.io: then the resource is polled, not watched.
    pub resource_version: String,
    /// Continue token of the next page; empty for the last page.
    pub continue_token: String,
    /// One error for each undecodable item; at most a thousand for items without a name.
    pub unreadable: Vec<InformerError>,
}

impl<T: KubeObject> ListPage<T> {
    /// Decodes the body of a list. An undecodable item is skipped.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] if it is not a list: invalid JSON, HTML, a truncated body, a Status, a Table.
    pub fn from_json(body: &[u8]) -> Result<Self> {
        let mut decoder = ListDecoder::new(true);
        let mut read =
            |outline: &Outline<'_>, meta: Option<&TypeMeta>| read_object(outline.root().text(), meta).map(Reading::New);
        decoder.push(body, &mut read)?;
        decoder.finish(&mut read)
    }
}

/// Decoder of one item; the second argument is the type that it inherits from its list.
pub(crate) type ReadItem<'r, T> = &'r mut dyn FnMut(&Outline<'_>, Option<&TypeMeta>) -> Result<Reading<T>>;

/// Maximum size of an item. etcd rejects objects beyond 1.5 MB by default; some clusters raise that.
const MAX_ITEM_BYTES: usize = 64 << 20;

/// Maximum bytes of items that wait for the kind of their list.
const MAX_BUFFERED_BYTES: usize = 32 << 20;

/// Maximum number of errors of items without a name.
const MAX_NAMELESS: usize = 1_000;

/// Decoder of a page of a list, from chunks split anywhere.
///
/// Each item is decoded as soon as it is complete, so at most one undecoded item is buffered. A typed list has its kind
/// before its items. A list of custom resources has its keys in alphabetical order, `items` before `kind`, but its
/// items have a kind of their own; an item without one waits for the list's kind.
#[derive(Debug)]
pub(crate) struct ListDecoder<T> {
    cutter: Cutter,
    head: Head,
    page: ListPage<T>,
    /// Items that wait for the kind of the list, as JSON.
    buffered: Vec<String>,
    buffered_bytes: usize,
    /// Number of undecodable items without a name.
    nameless: usize,
    /// Bytes received so far.
    bytes: usize,
}

impl<T: 'static> ListDecoder<T> {
    /// Creates one that decodes, or passes over, `metadata.managedFields` of objects.
    pub(crate) fn new(managed_fields: bool) -> Self {
        let cutter = Cutter::new("items", MAX_ITEM_BYTES);
        let cutter = if managed_fields { cutter } else { cutter.passing_over("metadata", "managedFields") };
        let page = ListPage {
            items: Vec::new(),
            unchanged: Vec::new(),
            resource_version: String::new(),
            continue_token: String::new(),
            unreadable: Vec::new(),
        };
        let head = Head::default();
        Self { cutter, head, page, buffered: Vec::new(), buffered_bytes: 0, nameless: 0, bytes: 0 }
    }

    /// Takes a chunk.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] as soon as the text cannot be a list; no chunk can be pushed after that.
    pub(crate) fn push(&mut self, chunk: &[u8], read: ReadItem<'_, T>) -> Result<()> {
        let Self { cutter, head, page, buffered, buffered_bytes, nameless, bytes } = self;
        let mut failed = None;
        let cut = cutter.push(chunk, &mut |piece| {
            let result = match piece {
                Piece::Array => head.items(),
                Piece::Member("items", value) if value.root().is_null() => head.items(),
                Piece::Member(name, value) => head.member(name, value.root()),
                Piece::Element(item) => {
                    if buffered.is_empty() && head.can_read(item) {
                        page.read(item, head.type_meta.as_ref(), nameless, read);
                        Ok(())
                    } else {
                        let item = item.root().text();
                        *buffered_bytes += item.len();
                        buffered.push(item.to_owned());
                        let too_much = *buffered_bytes > MAX_BUFFERED_BYTES;
                        if too_much { Err(unreadable("its items precede its kind")) } else { Ok(()) }
                    }
                }
            };
            match result {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        let began = *bytes > 0;
        *bytes += chunk.len();
        match (cut, failed) {
            (_, Some(error)) => return Err(error),
            (Ok(()), None) => {}
            (Err(CutError::TooLong), None) => {
                return Err(unreadable(&format!("one item is larger than {MAX_ITEM_BYTES} bytes")));
            }
            (Err(_), None) if began => return Err(unreadable(&format!("it is not valid JSON near byte {bytes}"))),
            (Err(_), None) => return Err(unreadable(&excerpt(chunk))),
        }
        if head.type_meta.is_some() {
            self.read_buffered(read);
        }
        Ok(())
    }

    /// Returns the complete page.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] if it is truncated or not a list.
    pub(crate) fn finish(mut self, read: ReadItem<'_, T>) -> Result<ListPage<T>> {
        if !self.cutter.is_complete() {
            return Err(unreadable(&format!("truncated after {} bytes", self.bytes)));
        }
        (self.page.resource_version, self.page.continue_token) = self.head.finish()?;
        self.read_buffered(read);
        Ok(self.page)
    }

    fn read_buffered(&mut self, read: ReadItem<'_, T>) {
        self.buffered_bytes = 0;
        for item in std::mem::take(&mut self.buffered) {
            let item = Outline::of(Json::new(&item));
            self.page.read(&item, self.head.type_meta.as_ref(), &mut self.nameless, read);
        }
    }
}

impl<T> ListPage<T> {
    fn read(&mut self, item: &Outline<'_>, meta: Option<&TypeMeta>, nameless: &mut usize, read: ReadItem<'_, T>) {
        match read(item, meta) {
            Ok(Reading::New(item)) => self.items.push(item),
            Ok(Reading::Known(item)) => self.unchanged.push(item),
            Err(error) => {
                *nameless += usize::from(error.object().is_none());
                if error.object().is_some() || *nameless <= MAX_NAMELESS {
                    self.unreadable.push(error);
                }
            }
        }
    }
}

/// Members of a list other than its items.
#[derive(Debug, Default)]
struct Head {
    kind: Option<String>,
    api_version: Option<String>,
    /// The version and the token of the next page.
    metadata: Option<(String, String)>,
    has_items: bool,
    /// Type that items inherit, once it is known.
    type_meta: Option<TypeMeta>,
}

impl Head {
    fn items(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_items, true) { Err(unreadable("it has items twice")) } else { Ok(()) }
    }

    fn member(&mut self, name: &str, value: Json<'_>) -> Result<()> {
        match name {
            "kind" => {
                let kind = once(self.kind.as_ref(), name, value)?;
                if !kind.ends_with("List") {
                    return Err(unreadable(&format!("expected a list, received a {kind:.80}")));
                }
                self.kind = Some(kind);
            }
            "apiVersion" => self.api_version = Some(once(self.api_version.as_ref(), name, value)?),
            "metadata" => {
                if self.metadata.is_some() || !value.text().starts_with('{') {
                    return Err(unreadable("its metadata is not a single object"));
                }
                let (mut version, mut token) = (None, None);
                for (name, value) in value.members() {
                    match &*name {
                        "resourceVersion" => version = Some(once(version.as_ref(), &name, value)?),
                        "continue" => token = Some(once(token.as_ref(), &name, value)?),
                        _ => {}
                    }
                }
                self.metadata = Some((version.unwrap_or_default(), token.unwrap_or_default()));
            }
            "items" => return Err(unreadable("its items are not an array")),
            _ => {}
        }
        if let (None, Some(kind), Some(api_version)) = (&self.type_meta, &self.kind, &self.api_version) {
            self.type_meta = Some(type_meta(kind, api_version));
        }
        Ok(())
    }

    /// Whether the inherited type of an item is known, or the item has its own.
    fn can_read(&self, item: &Outline<'_>) -> bool {
        self.type_meta.is_some()
            || !item.root().text().starts_with('{')
            || (item.pointer("/kind").is_some() && item.pointer("/apiVersion").is_some())
    }

    /// Returns the version and the token of the next page of a complete list.
    fn finish(&mut self) -> Result<(String, String)> {
        let Some(kind) = &self.kind else { return Err(unreadable("it has no kind")) };
        // Every list has metadata, which may be empty, as in a list without a version.
        let Some((version, token)) = self.metadata.take() else { return Err(unreadable("it has no metadata")) };
        let api_version = self.api_version.as_deref().unwrap_or_default();
        self.type_meta.get_or_insert_with(|| type_meta(kind, api_version));
        Ok((version, token))
    }
}

fn type_meta(kind: &str, api_version: &str) -> TypeMeta {
    let kind = kind.strip_suffix("List").unwrap_or(kind);
    TypeMeta { kind: kind.to_owned(), api_version: api_version.to_owned() }
}

/// Returns the text of a member that may occur only once.
fn once(before: Option<&String>, name: &str, value: Json<'_>) -> Result<String> {
    match (before, value.as_str()) {
        (None, Some(text)) => Ok(text.into_owned()),
        (None, None) => Err(unreadable(&format!("its {name} is not a string"))),
        (Some(_), _) => Err(unreadable(&format!("it has {name} twice"))),
    }
}

fn unreadable(what: &str) -> InformerError {
    InformerError::new(ErrorCode::Decode, format!("cannot decode the list: {what}"))
}

#[cfg(test)]
mod tests;
