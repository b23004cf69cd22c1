//! Where objects come from: client-go's `ListerWatcher`, and the one for a resource of an apiserver.

pub mod fallback;
pub mod namespaces;

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
use crate::informer_options::{InformerMode, InformerOptions};
use crate::list::{ListDecoder, ListPage};
use crate::object::{KubeObject, Reading, TypeMeta, read_one};
use crate::packer::PackerOptions;
use crate::resource::{GroupVersionResource, check_namespace};
use crate::transport::ticket::Ticket;
use crate::transport::{Body, Request, Response, Transport};
use crate::watch::{EventReader, WatchEvent};

/// The most that one page may weigh: whole lists of the largest clusters are below that, and it is no memory, for items
/// are read as they come.
const MAX_PAGE_BYTES: usize = 1 << 30;
/// The longest line of a watch. etcd refuses objects beyond 1.5 MB by default; some clusters raise that.
const MAX_LINE_BYTES: usize = 64 << 20;
/// The longest error body that is read.
const MAX_ERROR_BYTES: usize = 1 << 20;

const LIST_METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const WATCH_METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

fn accept(mode: InformerMode, metadata: &'static str) -> &'static str {
    match mode {
        InformerMode::Object => "application/json",
        // A server that cannot cut objects down sends them whole.
        InformerMode::Metadata => metadata,
    }
}

/// What to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// `None` asks for the newest, `"0"` for whatever the server has at hand, anything else for at least that version.
    pub resource_version: Option<String>,
    /// Objects in a page; `None` for all in one.
    pub limit: Option<u32>,
    /// The token of the page before. The server refuses a version beside it.
    pub continue_token: Option<String>,
}

/// What to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// Where to go on from, never `""` or `"0"`; only a streaming list may do without, and then begins with the newest state.
    pub resource_version: Option<String>,
    /// When the server shall end it.
    pub timeout: Duration,
    /// Whether it shall begin with an ADDED for everything there is and a bookmark that ends them.
    pub initial_events: bool,
}

/// The events of a watch, as many at a time as one chunk of bytes completed. An event that cannot be read is an `Err`
/// among them; an `Err` of the stream is its end.
pub type WatchStream<T> = LocalBoxStream<'static, Result<Vec<Result<WatchEvent<T>>>>>;

/// What an informer has cached under a key.
pub type Cached<T> = Rc<dyn Fn(&str) -> Option<Arc<T>>>;

/// A source that can be listed and watched. Dropping what it returns aborts it.
///
/// # Versions
/// A version is opaque text that names a state of the source; a watch from it brings what happened since. Two texts name no
/// state: `""` means the newest and `"0"` any state at hand. An informer may ask for either in a list
/// ([`ListOptions::resource_version`]), and never watches from them: such a watch begins with an addition for everything
/// there is, and deletions before it are lost.
///
/// - A source whose lists carry `""` or `"0"` ([`ListPage::resource_version`]) cannot be watched. It is listed each
///   [`crate::ReflectorOptions::poll`], as [`crate::Freshness::Polling`]; [`ListerWatcher::watch`] is not called. As objects
///   without a version cannot be told apart by it, each list is an update of all of them.
/// - A list that carries none after lists that did is refused with [`ErrorCode::Decode`], and what is cached stays.
/// - An event or a bookmark with `""` or `"0"` is applied, and does not move the version that a watch resumes from. An end
///   bookmark of a streaming list with one of them ends nothing.
pub trait ListerWatcher {
    /// What it gives.
    type Object;

    /// Lets it see what its informer has cached, before anything is asked of it. A source that reads objects out of bytes
    /// need not make those again that are cached as they are: [`ListPage::unchanged`].
    fn see_cache(&self, cached: Cached<Self::Object>) {
        drop(cached);
    }

    /// How much has come of lists so far, in whatever unit: while it grows, a list that takes long is not given up.
    fn progress(&self) -> u64 {
        0
    }

    /// How what was asked for last gets along, where connections are shared, and what has come of all that was asked for.
    fn ticket(&self) -> Option<&Ticket> {
        None
    }

    /// One page.
    ///
    /// # Errors
    /// Typed, with the request; [`ErrorCode::Expired`] and [`ErrorCode::TooLargeResourceVersion`] mean that the
    /// version cannot be had.
    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Self::Object>>>;

    /// A page with no more in it than it must have to tell the newest version.
    ///
    /// # Errors
    /// As [`ListerWatcher::list`].
    fn probe(&self) -> LocalBoxFuture<'static, Result<ListPage<Self::Object>>> {
        self.list(ListOptions { limit: Some(1), ..ListOptions::default() })
    }

    /// The namespaces that it is of, where it is not of all that was asked for; else none.
    fn namespaces(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it reads, for logs (client-go: the reflector's description).
    fn description(&self) -> String {
        String::new()
    }

    /// Whether the source can begin a watch with everything there is ([`WatchOptions::initial_events`]). One that says
    /// no is only ever listed (client-go: `IsWatchListSemanticsUnSupported`).
    fn supports_watch_list(&self) -> bool {
        true
    }

    /// A watch; resolves when the server has accepted it.
    ///
    /// # Errors
    /// As [`ListerWatcher::list`].
    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Self::Object>>>;
}

/// A resource of an apiserver, in one namespace or all, narrowed by selectors that the server evaluates.
pub struct ResourceListerWatcher<T: KubeObject> {
    transport: Rc<dyn Transport>,
    collection: String,
    selectors: String,
    mode: InformerMode,
    reader: Reader<T>,
    /// Chunks of lists, and heads of answers.
    arrived: Rc<Cell<u64>>,
}

/// What objects are read with, by lists and watches alike.
struct Reader<T: KubeObject> {
    packer: Rc<T::Packer>,
    cached: Rc<RefCell<Option<Cached<T>>>>,
    /// One request at a time is in flight.
    ticket: Ticket,
}

impl<T: KubeObject> Clone for Reader<T> {
    fn clone(&self) -> Self {
        Self { packer: Rc::clone(&self.packer), cached: Rc::clone(&self.cached), ticket: self.ticket.clone() }
    }
}

impl<T: KubeObject> Reader<T> {
    /// As an item of a list: the cached instance, if it is cached as it came.
    fn read(&self, outline: &Outline<'_>, type_meta: Option<&TypeMeta>) -> Result<Reading<T>> {
        let cached = self.cached.borrow();
        read_one(outline, type_meta, &*self.packer, &|key| cached.as_ref().and_then(|cached| cached(key)))
    }

    /// As a state of its own, whatever is cached.
    fn read_new(&self, outline: &Outline<'_>) -> Result<T> {
        match read_one(outline, None, &*self.packer, &|_| None)? {
            Reading::New(object) => Ok(object),
            Reading::Known(_) => Err(InformerError::new(ErrorCode::Internal, "an object was known to nobody")),
        }
    }
}

impl<T: KubeObject> ResourceListerWatcher<T> {
    /// A lister-watcher of `resource`.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when the namespace cannot be one.
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
        let packer = Rc::new(T::packer(resource, PackerOptions::default()));
        let reader = Reader { packer, cached: Rc::default(), ticket: Ticket::default() };
        Ok(Self { transport, collection, selectors, mode: options.mode, reader, arrived: Rc::default() })
    }

    /// The same in one namespace: they share dictionaries, cache and counters. The namespace is a server's word for one.
    pub(crate) fn in_namespace(&self, resource: &GroupVersionResource, namespace: &str) -> Self {
        Self {
            transport: Rc::clone(&self.transport),
            collection: resource.collection_path(Some(namespace)),
            selectors: self.selectors.clone(),
            mode: self.mode,
            reader: self.reader.clone(),
            arrived: Rc::clone(&self.arrived),
        }
    }

    pub(crate) fn transport(&self) -> &Rc<dyn Transport> {
        &self.transport
    }

    fn list_request(&self, options: &ListOptions) -> Request {
        // pretty=false: an apiserver indents for whoever looks like a browser, which doubles bytes and time (WIRE 0.1).
        let mut path = format!("{}?pretty=false{}", self.collection, self.selectors);
        if let Some(limit) = options.limit {
            let _ = write!(path, "&limit={limit}");
        }
        match (&options.continue_token, &options.resource_version) {
            (Some(token), _) => drop(write!(path, "&continue={}", query_escaped(token))),
            (None, Some(version)) => drop(write!(path, "&resourceVersion={}", query_escaped(version))),
            (None, None) => {}
        }
        Request::get(path).header("Accept", accept(self.mode, LIST_METADATA)).with_ticket(&self.reader.ticket)
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
        // reading after the first gzip member without a word (WIRE 8). On servers that do not compress it is ignored.
        let request =
            Request::get(path).header("Accept", accept(self.mode, WATCH_METADATA)).header("Range", "bytes=0-");
        request.streaming().with_ticket(&self.reader.ticket)
    }

    fn ask_list(&self, request: Request) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let name = request.to_string();
        self.reader.ticket.asked();
        let response = self.transport.send(request);
        let (reader, arrived) = (self.reader.clone(), Rc::clone(&self.arrived));
        async move {
            let response = response.await;
            // A refusal too: of many lists in a row each may be one.
            arrived.set(arrived.get() + 1);
            let mut body = accepted(response, &reader.ticket).await?.body;
            let (mut decoder, mut bytes) = (ListDecoder::without_managed_fields(), 0);
            let mut read = |outline: &Outline<'_>, meta: Option<&TypeMeta>| reader.read(outline, meta);
            while let Some(chunk) = body.next().await {
                let chunk = chunk?;
                bytes += chunk.len();
                reader.ticket.came(chunk.len());
                if bytes > MAX_PAGE_BYTES {
                    let message = format!("the answer is larger than {MAX_PAGE_BYTES} bytes");
                    return Err(InformerError::new(ErrorCode::Decode, message));
                }
                arrived.set(arrived.get() + 1);
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
        self.arrived.get()
    }

    fn ticket(&self) -> Option<&Ticket> {
        Some(&self.reader.ticket)
    }

    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        self.ask_list(self.list_request(&options))
    }

    fn probe(&self) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let newest = self.list_request(&ListOptions { limit: Some(1), ..ListOptions::default() });
        // Who has not asked for anything yet has lost nothing.
        let is_first = self.reader.ticket.requests() == 0;
        self.ask_list(if is_first { newest } else { newest.probing() })
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<T>>> {
        let request = self.watch_request(&options);
        let name = request.to_string();
        self.reader.ticket.asked();
        let response = self.transport.send(request);
        let reader = self.reader.clone();
        async move {
            let response = accepted(response.await, &reader.ticket).await?;
            if let Some(encoding) = response.content_encoding.filter(|e| !matches!(e.as_str(), "" | "identity")) {
                let message = format!("the watch came compressed ({encoding}), which a browser may cut off unseen");
                return Err(InformerError::new(ErrorCode::Decode, message));
            }
            Ok((response.body, reader))
        }
        .map(move |result| match result {
            Ok((body, reader)) => Ok(events(body, name, reader)),
            Err(error) => Err(InformerError::with_request(error, name)),
        })
        .boxed_local()
    }
}

/// The answer, if it is one to be read as JSON.
async fn accepted(response: Result<Response>, ticket: &Ticket) -> Result<Response> {
    let response = response?;
    let pause = response.retry_after;
    if !(200..300).contains(&response.status) {
        let status = response.status;
        let body = response.read(MAX_ERROR_BYTES);
        // The head of a 429 says all that matters. A body that stalls behind it must not cost the pause: the request would
        // be given up as one that was not answered in time.
        let is_pause = status == 429 && pause.is_some();
        let body = if is_pause { body.now_or_never() } else { Some(body.await) }.map(Result::unwrap_or_default);
        ticket.came(body.as_ref().map_or(0, Vec::len));
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
        // A login page of some gateway, answered with 200.
        Some(kind) if kind.starts_with("text/") => {
            let body = response.read(MAX_ERROR_BYTES).await.unwrap_or_default();
            ticket.came(body.len());
            Err(InformerError::new(ErrorCode::Decode, excerpt(&body)))
        }
        _ => Ok(response),
    }
}

/// Chunks to events.
fn events<T: KubeObject>(body: Body, request: String, reader: Reader<T>) -> WatchStream<T> {
    let (decoder, event_reader) = (LineDecoder::new(MAX_LINE_BYTES), EventReader::without_managed_fields());
    let streaming = reader.ticket.streams();
    let state = Some((body, decoder, event_reader, request, reader, streaming));
    stream::unfold(state, |state| async move {
        let (mut body, mut decoder, mut event_reader, request, reader, streaming) = state?;
        let of_request = |error: InformerError| error.with_request(request.as_str());
        match body.next().await? {
            Ok(chunk) => {
                reader.ticket.came(chunk.len());
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

/// Escapes what a query value may not hold (RFC 3986 `query`, less `&`, `+`, `=` and `#`).
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
