//! LIST: whole lists and pages, now or at an older version.

mod protobuf;

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use futures::stream;

use crate::clock;
use crate::continue_token::ContinueToken;
use crate::gzip::{MIN_GZIP_BYTES, accepts_gzip, gzip_reply};
use crate::kinds::Kind;
use crate::object::Entry;
use crate::protobuf::{IS_AVAILABLE, MEDIA_TYPE};
use crate::query::Query;
use crate::reply::{json_reply, typed_reply, wants_pretty, yaml_reply};
use crate::selection::Selection;
use crate::status::Status;
use crate::store::Store;
use crate::table::Table;
use crate::view::{Encoding, Form, View};

/// Minimum number of bytes of a chunk that is sent.
const CHUNK_BYTES: usize = 64 * 1024;

/// Page of objects, with its metadata.
pub(crate) struct Page {
    entries: Vec<Arc<Entry>>,
    revision: u64,
    next: Option<String>,
    remaining: Option<usize>,
}

/// Version of a list.
enum ListVersion {
    Newest,
    Exactly(u64),
    /// The newest, once it has reached this version.
    NotOlderThan(u64),
}

/// Processes a LIST request.
pub(crate) async fn list(
    store: &Store,
    kind: &Arc<Kind>,
    selection: &Selection,
    query: &Query,
    future_wait: Duration,
) -> Result<Page, Status> {
    let token = query.get("continue").filter(|text| !text.is_empty()).map(ContinueToken::decode).transpose()?;
    let at = list_version(query, token.as_ref())?;
    if let ListVersion::Exactly(revision) | ListVersion::NotOlderThan(revision) = at {
        wait_for(store, revision, future_wait).await?;
    }
    // The real server's cache ignores the limit if any version is acceptable.
    let any_version = matches!(at, ListVersion::NotOlderThan(0)) && query.version_match().is_none();
    let limit = match query.number("limit")? {
        Some(limit) if limit > 0 && !any_version => usize::try_from(limit).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let exactly = if let ListVersion::Exactly(revision) = at { Some(revision) } else { None };
    let (objects, revision) = store.snapshot(&kind.id(), exactly).map_err(|status| match &token {
        Some(token) if status.code == 410 => Status::expired_continue(token.inconsistent().encode()),
        _ => status,
    })?;
    let prefix = if selection.namespace.is_empty() { String::new() } else { format!("{}/", selection.namespace) };
    let start = match &token {
        Some(token) => Bound::Included(format!("{prefix}{}", token.key())),
        None => Bound::Included(prefix.clone()),
    };
    let mut rest = objects
        .range::<String, _>((start, Bound::Unbounded))
        .take_while(|(key, _)| key.starts_with(&prefix))
        .map(|(_, entry)| entry)
        .filter(|entry| selection.matches(entry));
    let entries: Vec<Arc<Entry>> = rest.by_ref().take(limit).cloned().collect();
    let remaining = rest.count();
    let rv = i64::try_from(revision).unwrap_or(i64::MAX);
    let next = entries
        .last()
        .filter(|_| remaining > 0)
        .map(|last| ContinueToken::after(last.key.strip_prefix(&prefix).unwrap_or(&last.key), rv).encode());
    let remaining = (remaining > 0 && !selection.has_selectors()).then_some(remaining);
    Ok(Page { entries, revision, next, remaining })
}

fn list_version(query: &Query, token: Option<&ContinueToken>) -> Result<ListVersion, Status> {
    let given =
        query.resource_version().map_err(|why| Status::bad_request(format!("invalid resource version: {why}")))?;
    if let Some(token) = token {
        if given.is_some_and(|revision| revision != 0) {
            return Err(Status::bad_request("specifying resource version is not allowed when using continue"));
        }
        return Ok(u64::try_from(token.rv).map_or(ListVersion::Newest, ListVersion::Exactly));
    }
    let limited = query.number("limit")?.is_some_and(|limit| limit > 0);
    match (query.version_match(), given) {
        (None, Some(0)) => Ok(ListVersion::NotOlderThan(0)),
        // A limit with a version requests exactly that version.
        (None, Some(revision)) if limited => Ok(ListVersion::Exactly(revision)),
        (Some("Exact"), Some(revision)) => Ok(ListVersion::Exactly(revision)),
        // `list_options` has rejected other values.
        (_, Some(revision)) => Ok(ListVersion::NotOlderThan(revision)),
        (_, None) => Ok(ListVersion::Newest),
    }
}

/// Waits briefly for a future version, as the real server does before its 504.
pub(crate) async fn wait_for(store: &Store, revision: u64, timeout: Duration) -> Result<(), Status> {
    let mut newest = store.watch_revision();
    let reached = newest.wait_for(|newest| *newest >= revision);
    match clock::timeout(timeout, reached).await {
        Ok(Ok(_)) => Ok(()),
        _ => Err(Status::version_too_large(revision, store.revision())),
    }
}

/// Response in chunks, compressed if it is long; a short one is whole.
fn streamed_reply(
    mut chunks: impl Iterator<Item = Vec<u8>> + Send + 'static,
    content_type: HeaderValue,
    headers: &HeaderMap,
) -> Response {
    // Reads ahead just far enough to know whether the body is long.
    let mut head = Vec::new();
    while head.len() <= MIN_GZIP_BYTES {
        match chunks.next() {
            Some(chunk) => head.extend_from_slice(&chunk),
            None => return typed_reply(StatusCode::OK, content_type, Body::from(head)),
        }
    }
    let chunks = std::iter::once(head).chain(chunks);
    if accepts_gzip(headers) {
        return gzip_reply(StatusCode::OK, content_type, chunks);
    }
    let chunks = chunks.map(|chunk| Ok::<_, std::convert::Infallible>(Bytes::from(chunk)));
    typed_reply(StatusCode::OK, content_type, Body::from_stream(stream::iter(chunks)))
}

impl Page {
    /// Returns the objects of this page.
    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Returns the page as an HTTP response: streamed object by object, compressed if it is long, pretty-printed on
    /// request.
    pub(crate) fn reply(
        self,
        kind: &Arc<Kind>,
        version: &str,
        headers: &HeaderMap,
        query: &Query,
        view: View,
    ) -> Response {
        if IS_AVAILABLE && view.encoding == Encoding::Protobuf {
            let content_type = HeaderValue::from_static(MEDIA_TYPE);
            return streamed_reply(self.protobuf_chunks(kind, version, view), content_type, headers);
        }
        let chunks = self.chunks(Arc::clone(kind), version.to_owned(), view);
        if view.encoding == Encoding::Yaml {
            return yaml_reply(StatusCode::OK, &chunks.flatten().collect::<Vec<u8>>());
        }
        if wants_pretty(headers, query.get("pretty")) {
            return json_reply(StatusCode::OK, chunks.flatten().collect(), true);
        }
        streamed_reply(chunks, HeaderValue::from_static("application/json"), headers)
    }

    /// Returns the text before and after the items of a table or of a list of metadata.
    fn head_and_tail(&self, view: View, table: Option<&Table>) -> (String, String) {
        let revision = self.revision;
        let next = self.next.as_ref().map(|next| format!(",\"continue\":\"{next}\"")).unwrap_or_default();
        let remaining = self.remaining.map(|count| format!(",\"remainingItemCount\":{count}")).unwrap_or_default();
        let metadata = format!("\"resourceVersion\":\"{revision}\"{next}{remaining}");
        let head = table.map_or_else(
            || {
                format!(
                    "{{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/{}\",\
                     \"metadata\":{{{metadata}}},\"items\":[",
                    view.meta_version
                )
            },
            |table| table.head(&metadata, true),
        );
        match table {
            Some(table) if self.entries.is_empty() && table.is_null_when_empty() => {
                (format!("{}null", head.trim_end_matches('[')), "}\n".to_owned())
            }
            _ => (head, "]}\n".to_owned()),
        }
    }

    /// Returns the JSON text in chunks. Lists of custom objects have sorted fields, so their metadata comes last.
    fn chunks(self, kind: Arc<Kind>, version: String, view: View) -> impl Iterator<Item = Vec<u8>> + Send + 'static {
        let api_version = kind.api_version(&version);
        let revision = self.revision;
        let remaining =
            self.remaining.map(|remaining| format!(",\"remainingItemCount\":{remaining}")).unwrap_or_default();
        let list_kind = &kind.list_name;
        let table = view.table(&kind, &version);
        let (head, tail) = if view.form != Form::Object {
            self.head_and_tail(view, table.as_ref())
        } else if kind.custom {
            let next = self.next.unwrap_or_default();
            (
                format!("{{\"apiVersion\":\"{api_version}\",\"items\":["),
                format!(
                    "],\"kind\":\"{list_kind}\",\"metadata\":{{\"continue\":\"{next}\"{remaining},\
                     \"resourceVersion\":\"{revision}\"}}}}\n"
                ),
            )
        } else {
            let next = self.next.map(|next| format!(",\"continue\":\"{next}\"")).unwrap_or_default();
            (
                format!(
                    "{{\"kind\":\"{list_kind}\",\"apiVersion\":\"{api_version}\",\
                     \"metadata\":{{\"resourceVersion\":\"{revision}\"{next}{remaining}}},\"items\":["
                ),
                "]}\n".to_owned(),
            )
        };
        let mut entries = self.entries.into_iter().peekable();
        let mut buffer = head.into_bytes();
        let mut tail = Some(tail);
        std::iter::from_fn(move || {
            tail.as_ref()?;
            let mut chunk = std::mem::take(&mut buffer);
            chunk.reserve(CHUNK_BYTES + CHUNK_BYTES / 4);
            while chunk.len() < CHUNK_BYTES {
                let Some(entry) = entries.next() else {
                    chunk.extend_from_slice(tail.take().unwrap_or_default().as_bytes());
                    break;
                };
                match &table {
                    Some(table) => table.write_row(&kind, &version, &entry, false, &mut chunk),
                    None if view.form == Form::Object => entry.write_item(&kind, &version, &mut chunk),
                    None => view.write(&kind, &version, &entry, &mut chunk),
                }
                if entries.peek().is_some() {
                    chunk.push(b',');
                }
            }
            Some(chunk)
        })
    }
}
