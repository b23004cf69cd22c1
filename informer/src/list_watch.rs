//! Source of objects, client-go's `ListerWatcher`, and its implementation for a resource of an apiserver.

pub mod fallback;
pub mod namespaces;
mod wire_format;

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;
use futures::{FutureExt, StreamExt, stream};

use informer_packing::Outline;

use crate::api_status::{excerpt, http_error};
use crate::decoder::LineDecoder;
use crate::error::{ErrorCode, InformerError, Result};
use crate::informer_options::InformerOptions;
use crate::list::{ListDecoder, ListPage};
use crate::object::{KubeObject, Reading, TypeMeta, read_one};
use crate::packer::PackerOptions;
use crate::protobuf::BodyKind;
use crate::resource::{GroupVersionResource, check_namespace};
use crate::transform;
use crate::transport::connection_slot::ConnectionSlot;
use crate::transport::{Body, Request, Response, Transport};
use crate::watch::{EventReader, WatchEvent};

use wire_format::WireFormat;

/// Maximum size of one page. Whole lists of the largest clusters are smaller; it is not a memory limit, because items
/// are decoded as they arrive.
const MAX_PAGE_BYTES: usize = 1 << 30;
/// Maximum length of a line of a watch. etcd rejects objects beyond 1.5 MB by default; some clusters raise that.
const MAX_LINE_BYTES: usize = 64 << 20;
/// Maximum length of an error body.
const MAX_ERROR_BYTES: usize = 1 << 20;

/// Options of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// `None` requests the newest version, `"0"` any available version, any other value at least that version.
    pub resource_version: Option<String>,
    /// Objects per page; `None` for one page.
    pub limit: Option<u32>,
    /// Token of the previous page. The server rejects a version together with it.
    pub continue_token: Option<String>,
}

/// Options of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// Version to continue from, never `""` or `"0"`. Only a streaming list may omit it, and then begins with the
    /// newest state.
    pub resource_version: Option<String>,
    /// Time after which the server ends it.
    pub timeout: Duration,
    /// Whether it begins with an ADDED for every object and an end bookmark.
    pub initial_events: bool,
}

/// Events of a watch, in batches of those that one chunk of bytes completed. An `Err` in a batch is an undecodable
/// event; an `Err` of the stream is its end.
pub type WatchStream<T> = LocalBoxStream<'static, Result<Vec<Result<WatchEvent<T>>>>>;

/// Lookup of an informer's cached object by key.
pub type Cached<T> = Rc<dyn Fn(&str) -> Option<Arc<T>>>;

/// client-go's `ListerWatcher`: a source that can be listed and watched. Dropping a returned future or stream aborts
/// it.
///
/// # Versions
/// A version is opaque text that names a state of the source; a watch from it delivers later changes. Two texts name
/// no state: `""` means the newest and `"0"` any state at hand. An informer may request either in a list
/// ([`ListOptions::resource_version`]), and never watches from them: such a watch begins with an addition for every
/// object, and earlier deletions are lost.
///
/// - A source whose lists have version `""` or `"0"` ([`ListPage::resource_version`]) cannot be watched. It is listed
///   every [`crate::ReflectorOptions::poll`], as [`crate::Freshness::Polling`]; [`ListerWatcher::watch`] is not
///   called. Because objects without a version cannot be compared by it, each list is an update of all of them.
/// - A list without a version after lists that had one is rejected with [`ErrorCode::Decode`], and the cache stays.
/// - An event or a bookmark with `""` or `"0"` is applied, and does not move the version that a watch resumes from.
///   It does not count as an end bookmark of a streaming list.
pub trait ListerWatcher {
    /// Type of its objects.
    type Object;

    /// Gives the source access to the informer's cache, before the first request. A source that decodes objects from
    /// bytes can then skip unchanged ones: [`ListPage::unchanged`].
    fn see_cache(&self, cached: Cached<Self::Object>) {
        drop(cached);
    }

    /// Progress of lists so far, in any unit: while it grows, a long list is not aborted.
    fn progress(&self) -> u64 {
        0
    }

    /// Connection slot of the last request, if connections are shared, and the counters of all requests.
    fn connection(&self) -> Option<&ConnectionSlot> {
        None
    }

    /// Requests one page.
    ///
    /// # Errors
    /// Typed, with the request; [`ErrorCode::Expired`] and [`ErrorCode::TooLargeResourceVersion`] mean that the
    /// version is not available.
    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Self::Object>>>;

    /// Requests the smallest page that shows the newest version.
    ///
    /// # Errors
    /// As [`ListerWatcher::list`].
    fn probe(&self) -> LocalBoxFuture<'static, Result<ListPage<Self::Object>>> {
        self.list(ListOptions { limit: Some(1), ..ListOptions::default() })
    }

    /// The namespaces that it covers, if not all that were requested. Empty otherwise.
    fn namespaces(&self) -> Vec<String> {
        Vec::new()
    }

    /// Description for logs (client-go: the reflector's description).
    fn description(&self) -> String {
        String::new()
    }

    /// Whether the source can begin a watch with all objects ([`WatchOptions::initial_events`]). Otherwise it is only
    /// ever listed (client-go: `IsWatchListSemanticsUnSupported`).
    fn supports_watch_list(&self) -> bool {
        true
    }

    /// Opens a watch; resolves when the server has accepted it.
    ///
    /// # Errors
    /// As [`ListerWatcher::list`].
    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Self::Object>>>;
}

/// Resource of an apiserver, in one namespace or all, restricted by selectors that the server evaluates.
pub struct ResourceListerWatcher<T: KubeObject> {
    transport: Rc<dyn Transport>,
    collection: String,
    selectors: String,
    format: WireFormat,
    reader: Reader<T>,
    /// Number of received chunks of lists and heads of responses.
    received: Rc<Cell<u64>>,
}

impl<T: KubeObject> Clone for ResourceListerWatcher<T> {
    fn clone(&self) -> Self {
        let (collection, selectors) = (self.collection.clone(), self.selectors.clone());
        let (transport, received) = (Rc::clone(&self.transport), Rc::clone(&self.received));
        Self { transport, collection, selectors, format: self.format.clone(), reader: self.reader.clone(), received }
    }
}

/// Object decoder, shared by lists and watches.
struct Reader<T: KubeObject> {
    packer: Rc<T::Packer>,
    /// Whether `metadata.managedFields` is decoded.
    managed_fields: bool,
    cached: Rc<RefCell<Option<Cached<T>>>>,
    /// One request at a time is in flight.
    connection: ConnectionSlot,
}

impl<T: KubeObject> Clone for Reader<T> {
    fn clone(&self) -> Self {
        let (packer, cached) = (Rc::clone(&self.packer), Rc::clone(&self.cached));
        Self { packer, managed_fields: self.managed_fields, cached, connection: self.connection.clone() }
    }
}

impl<T: KubeObject> Reader<T> {
    /// Decodes an item of a list: returns the cached instance if it is unchanged.
    fn read(&self, outline: &Outline<'_>, type_meta: Option<&TypeMeta>) -> Result<Reading<T>> {
        let cached = self.cached.borrow();
        read_one(outline, type_meta, &*self.packer, &|key| cached.as_ref().and_then(|cached| cached(key)))
    }

    /// Decodes a new state, independently of the cache.
    fn read_new(&self, outline: &Outline<'_>) -> Result<T> {
        match read_one(outline, None, &*self.packer, &|_| None)? {
            Reading::New(object) => Ok(object),
            Reading::Known(_) => Err(InformerError::new(
                ErrorCode::Internal,
                "internal error: a list item refers to an object that is not cached",
            )),
        }
    }
}

impl<T: KubeObject> ResourceListerWatcher<T> {
    /// Creates a lister-watcher of `resource`.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if the namespace or a path of the transform is invalid.
    pub fn new(
        transport: Rc<dyn Transport>,
        resource: &GroupVersionResource,
        options: &InformerOptions,
    ) -> Result<Self> {
        let namespace = options.namespace.as_deref();
        namespace.map_or(Ok(()), check_namespace)?;
        let mut selectors = String::new();
        for (name, selector) in [("labelSelector", &options.label_selector), ("fieldSelector", &options.field_selector)]
        {
            if let Some(selector) = selector.as_deref().filter(|selector| !selector.is_empty()) {
                let _ = write!(selectors, "&{name}={}", query_escaped(selector));
            }
        }
        let collection = resource.collection_path(namespace);
        let managed_fields = options.transform.keep_managed_fields;
        let dropped = transform::compile(&options.transform.drop)?;
        let packer = Rc::new(T::packer(resource, PackerOptions { managed_fields, dropped }));
        let reader = Reader { packer, managed_fields, cached: Rc::default(), connection: ConnectionSlot::default() };
        let format = WireFormat::new(options.mode);
        Ok(Self { transport, collection, selectors, format, reader, received: Rc::default() })
    }

    /// The same in one namespace, with shared dictionaries, cache and counters. The namespace comes from a server.
    pub(crate) fn in_namespace(&self, resource: &GroupVersionResource, namespace: &str) -> Self {
        Self { collection: resource.collection_path(Some(namespace)), ..self.clone() }
    }

    pub(crate) fn transport(&self) -> &Rc<dyn Transport> {
        &self.transport
    }

    fn list_request(&self, options: &ListOptions) -> Request {
        // pretty=false: an apiserver indents for clients that look like browsers, which doubles bytes and time (WIRE
        // 0.1).
        let mut path = format!("{}?pretty=false{}", self.collection, self.selectors);
        if let Some(limit) = options.limit {
            let _ = write!(path, "&limit={limit}");
        }
        match (&options.continue_token, &options.resource_version) {
            (Some(token), _) => drop(write!(path, "&continue={}", query_escaped(token))),
            (None, Some(version)) => drop(write!(path, "&resourceVersion={}", query_escaped(version))),
            (None, None) => {}
        }
        let accept = self.format.accept(BodyKind::List, &path, &*self.transport);
        Request::get(path).header("Accept", accept).with_connection(&self.reader.connection)
    }

    fn watch_request(&self, options: &WatchOptions) -> Request {
        let mut path = format!(
            "{}?pretty=false&watch=true&allowWatchBookmarks=true&timeoutSeconds={}{}",
            self.collection,
            options.timeout.as_secs(),
            self.selectors,
        );
        if options.initial_events {
            path.push_str("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
        }
        if let Some(version) = &options.resource_version {
            let _ = write!(path, "&resourceVersion={}", query_escaped(version));
        }
        // Range: a browser that sends it asks for no compression, and a compressed watch is one that Chromium stops
        // reading after the first gzip member, without an error (WIRE 8). On servers that do not compress it is
        // ignored.
        let accept = self.format.accept(BodyKind::Watch, &path, &*self.transport);
        let request = Request::get(path).header("Accept", accept).header("Range", "bytes=0-");
        request.streaming().with_connection(&self.reader.connection)
    }

    fn send_list(&self, request: Request) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let name = request.to_string();
        self.reader.connection.count_request();
        let response = self.transport.send(request);
        let format = self.format.clone();
        let (reader, received) = (self.reader.clone(), Rc::clone(&self.received));
        async move {
            let response = response.await;
            // A rejection too: it may be one of many lists in a row.
            received.set(received.get() + 1);
            let connection = &reader.connection;
            let (response, is_counted) = format.as_json(response?, BodyKind::List, reader.managed_fields, connection);
            let mut body = accepted(response, connection, is_counted).await?.body;
            let (mut decoder, mut bytes) = (ListDecoder::new(reader.managed_fields), 0);
            let mut read = |outline: &Outline<'_>, meta: Option<&TypeMeta>| reader.read(outline, meta);
            while let Some(chunk) = body.next().await {
                let chunk = chunk?;
                bytes += chunk.len();
                connection.count_unless(is_counted, chunk.len());
                if bytes > MAX_PAGE_BYTES {
                    let message = format!("the response is larger than {MAX_PAGE_BYTES} bytes");
                    return Err(InformerError::new(ErrorCode::Decode, message));
                }
                received.set(received.get() + 1);
                decoder.push(&chunk, &mut read)?;
            }
            decoder.finish(&mut read)
        }
        .map(move |result| result.map_err(|error: InformerError| error.with_request(name)))
        .boxed_local()
    }
}

impl<T: KubeObject> ListerWatcher for ResourceListerWatcher<T> {
    type Object = T;

    fn description(&self) -> String {
        format!("{}{}", self.collection, self.selectors)
    }

    fn see_cache(&self, cached: Cached<T>) {
        *self.reader.cached.borrow_mut() = Some(cached);
    }

    fn progress(&self) -> u64 {
        self.received.get()
    }

    fn connection(&self) -> Option<&ConnectionSlot> {
        Some(&self.reader.connection)
    }

    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let is_long = options.continue_token.is_some();
        let loading = if is_long { self.format.load(&self.collection, &*self.transport) } else { None };
        // The request is sent at once, except for the one that waits.
        let sent = if loading.is_some() { None } else { Some(self.send_list(self.list_request(&options))) };
        let (this, wanted_json) = (self.clone(), self.format.wants_json());
        async move {
            if let Some(loading) = loading {
                loading.await;
            }
            match sent.unwrap_or_else(|| this.send_list(this.list_request(&options))).await {
                // This page alone, and in JSON: the protobuf could not be converted.
                Err(_) if this.format.wants_json() && !wanted_json => this.send_list(this.list_request(&options)).await,
                page => page,
            }
        }
        .boxed_local()
    }

    fn probe(&self) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let newest = self.list_request(&ListOptions { limit: Some(1), ..ListOptions::default() });
        // Without an earlier request nothing is lost.
        let is_first = self.reader.connection.requests() == 0;
        self.send_list(if is_first { newest } else { newest.probing() })
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<T>>> {
        let request = self.watch_request(&options);
        let name = request.to_string();
        self.reader.connection.count_request();
        let response = self.transport.send(request);
        let (reader, format) = (self.reader.clone(), self.format.clone());
        async move {
            let connection = &reader.connection;
            let (response, is_counted) =
                format.as_json(response.await?, BodyKind::Watch, reader.managed_fields, connection);
            let response = accepted(response, connection, is_counted).await?;
            if let Some(encoding) = response.content_encoding.filter(|e| !matches!(e.as_str(), "" | "identity")) {
                let message =
                    format!("the watch is compressed ({encoding}), which a browser may truncate without an error");
                return Err(InformerError::new(ErrorCode::Decode, message));
            }
            Ok((response.body, is_counted, reader))
        }
        .map(move |result| match result {
            Ok((body, is_counted, reader)) => Ok(events(body, is_counted, name, reader)),
            Err(error) => Err(InformerError::with_request(error, name)),
        })
        .boxed_local()
    }
}

/// Returns the response if it can be decoded as JSON.
async fn accepted(response: Response, connection: &ConnectionSlot, is_counted: bool) -> Result<Response> {
    let pause = response.retry_after;
    if !(200..300).contains(&response.status) {
        let status = response.status;
        let body = response.read(MAX_ERROR_BYTES);
        // The head of a 429 is sufficient. A body that stalls after it must not hide the requested pause: the request
        // would time out instead.
        let is_pause = status == 429 && pause.is_some();
        let body = if is_pause { body.now_or_never() } else { Some(body.await) }.map(Result::unwrap_or_default);
        connection.count_unless(is_counted, body.as_ref().map_or(0, Vec::len));
        let error = body.map_or_else(
            || InformerError::new(ErrorCode::Throttled, "the server is busy and asks for a pause").with_status(status),
            |body| http_error(status, &body),
        );
        return Err(match (error.retry_after(), pause) {
            (None, Some(seconds)) => error.with_retry_after(Duration::from_secs(seconds.into())),
            _ => error,
        });
    }
    match response.content_type.as_deref() {
        // A login page of a gateway, answered with 200.
        Some(kind) if kind.starts_with("text/") => {
            let body = response.read(MAX_ERROR_BYTES).await.unwrap_or_default();
            connection.count_unless(is_counted, body.len());
            Err(InformerError::new(ErrorCode::Decode, excerpt(&body)))
        }
        _ => Ok(response),
    }
}

/// Decodes chunks to events.
fn events<T: KubeObject>(body: Body, is_counted: bool, request: String, reader: Reader<T>) -> WatchStream<T> {
    let (decoder, event_reader) = (LineDecoder::new(MAX_LINE_BYTES), EventReader::new(reader.managed_fields));
    let streaming = reader.connection.streams();
    let state = Some((body, decoder, event_reader, request, reader, streaming));
    stream::unfold(state, move |state| async move {
        let (mut body, mut decoder, mut event_reader, request, reader, streaming) = state?;
        let of_request = |error: InformerError| error.with_request(request.as_str());
        match body.next().await? {
            Ok(chunk) => {
                reader.connection.count_unless(is_counted, chunk.len());
                let mut events = Vec::new();
                let mut read = |line: &[u8]| match event_reader.read(line, &mut |outline| reader.read_new(outline)) {
                    Ok(WatchEvent::Error(error)) => Ok(WatchEvent::Error(of_request(error))),
                    event => event.map_err(of_request),
                };
                match decoder.push(&chunk, |line| events.push(read(line))) {
                    Ok(()) => Some((Ok(events), Some((body, decoder, event_reader, request, reader, streaming)))),
                    Err(error) => Some((Err(of_request(error)), None)),
                }
            }
            Err(error) => Some((Err(of_request(error)), None)),
        }
    })
    .boxed_local()
}

/// Escapes characters that a query value must not contain (RFC 3986 `query`, less `&`, `+`, `=` and `#`).
fn query_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b',' => {
                escaped.push(char::from(byte));
            }
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
