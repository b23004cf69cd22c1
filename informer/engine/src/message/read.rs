//! Decoder of messages to the engine, from JSON.
//!
//! Hand-written: serde's derived code for an enum of this size is 60 KB of wasm, which every page would download.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use informer_packing::Json;

use super::{
    AggregateOp, AggregateOptions, AggregateValue, BackoffMs, ChangesOptions, CredentialsMode, EventHandlerOptions,
    InformerMode, InformerOptions, OrderBy, QueueCall, QueueRequest, Read, RecordingOptions, SearchOptions,
    ServerOptions, TextsByName, ToEngine, TransformOptions, ValuesOptions, ViewOptions, ViewRequest, WorkQueueOptions,
};
use informer::transport::user_headers::UserHeaders;
use informer::{ErrorCode, InformerError, Result};

impl ToEngine {
    /// Decodes a message from its JSON text, as in JavaScript: `{"type":"setWindow","view":1,"start":0,"end":50}`.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`], with the missing or invalid field.
    pub fn from_json(text: &str) -> Result<Self> {
        match Self::of_port(text)? {
            Self::Undecoded { text } => Self::decode(&text),
            message => Ok(message),
        }
    }

    /// Decodes a message that only the deferred code handles: its decoder is deferred code, too.
    pub(crate) fn decode(text: &str) -> Result<Self> {
        let message = Json::object(text).ok_or_else(|| unreadable("it is not an object with a type"))?;
        let kind = word(message, "type")?;
        let id = |name| id(message, name);
        Ok(match &*kind {
            "openQueue" => Self::OpenQueue {
                queue: id("queue")?,
                informer: id("informer")?,
                options: work_queue_options(message)?,
            },
            "queue" => Self::Queue { queue: id("queue")?, call: queue_call(message)? },
            "askQueue" => Self::AskQueue { request: id("request")?, queue: id("queue")?, ask: queue_request(message)? },
            "openView" => {
                let options = view_options(message)?;
                Self::OpenView { view: id("view")?, informer: id("informer")?, query_id: id("queryId")?, options }
            }
            "openAggregate" => Self::OpenAggregate {
                view: id("view")?,
                informer: id("informer")?,
                query_id: id("queryId")?,
                options: aggregate_options(message)?,
            },
            "changeView" => Self::ChangeView {
                view: id("view")?,
                query_id: id("queryId")?,
                filter: if_present(message, "filter", owned)?.unwrap_or_default(),
                order_by: orders(message)?,
                facets: texts(message, "facets")?,
                namespaces: texts(message, "namespaces")?,
                window: if_present(message, "window", range)?,
            },
            "askView" => Self::AskView { request: id("request")?, view: id("view")?, ask: view_request(message)? },
            "openRecording" => Self::OpenRecording {
                view: id("view")?,
                informer: id("informer")?,
                query_id: id("queryId")?,
                options: RecordingOptions {
                    max_bytes: match options(message)? {
                        Some(options) => if_present(options, "maxBytes", size)?.unwrap_or_default(),
                        None => 0,
                    },
                },
            },
            "search" => Self::Search {
                request: id("request")?,
                informer: id("informer")?,
                options: SearchOptions {
                    text: owned(message, "text")?,
                    limit: size(message, "limit")?,
                    columns: texts(message, "columns")?,
                    indexes: texts(message, "indexes")?,
                },
            },
            "informer" => Self::Informer {
                informer: id("informer")?,
                resource: owned(message, "resource")?,
                options: InformerOptions {
                    transform: if_present(object(message, "options")?, "transform", transform_options)?
                        .unwrap_or_default(),
                    ..informer_options(message)?
                },
            },
            "connectAs" => Self::Connect {
                version: id("version")?,
                server: server_options(message)?,
                persist: if_present(message, "persist", bool)?.unwrap_or_default(),
            },
            "headers" => Self::Headers {
                request: id("request")?,
                headers: user_headers(message)?,
                error: if_present(message, "error", owned)?,
            },
            "lease" => Self::Lease { request: id("request")?, stream: bool(message, "stream")? },
            _ => return Err(unknown("type", &kind)),
        })
    }

    /// Same as [`ToEngine::from_json`], but messages for the deferred code stay undecoded text, and so do unknown ones.
    pub(crate) fn of_port(text: &str) -> Result<Self> {
        let message = Json::object(text).ok_or_else(|| unreadable("it is not an object with a type"))?;
        let kind = word(message, "type")?;
        let id = |name| id(message, name);
        Ok(match &*kind {
            "connect" => Self::Connect {
                version: id("version")?,
                server: ServerOptions { url: owned(message, "url")?, ..ServerOptions::default() },
                persist: if_present(message, "persist", bool)?.unwrap_or_default(),
            },
            "clear" => Self::Clear { request: id("request")? },
            "resources" => Self::Resources { request: id("request")? },
            "informer" if !has_transform(message)? => Self::Informer {
                informer: id("informer")?,
                resource: owned(message, "resource")?,
                options: informer_options(message)?,
            },
            "start" => Self::Start,
            "startOne" => Self::StartOne { informer: id("informer")? },
            "stop" => Self::Stop { informer: id("informer")? },
            "read" => Self::Read { request: id("request")?, informer: id("informer")?, read: read(message)? },
            "inspect" => Self::Inspect { request: id("request")?, informer: id("informer")? },
            "inspectAll" => Self::InspectAll { request: id("request")?, history: bool(message, "history")? },
            "addIndexers" => Self::AddIndexers {
                request: id("request")?,
                informer: id("informer")?,
                indexers: texts_by_name(message, "indexers")?,
            },
            "addEventHandler" => Self::AddEventHandler {
                informer: id("informer")?,
                handler: id("handler")?,
                options: event_handler_options(message)?,
            },
            "ack" => Self::Ack { handler: id("handler")? },
            "removeEventHandler" => Self::RemoveEventHandler { handler: id("handler")? },
            "cancel" => Self::Cancel { request: id("request")? },
            "setWindow" => {
                Self::SetWindow { view: id("view")?, start: size(message, "start")?, end: size(message, "end")? }
            }
            "freeze" => Self::Freeze { view: id("view")?, frozen: bool(message, "frozen")? },
            "closeView" => Self::CloseView { view: id("view")? },
            "follow" => Self::Follow { follow: id("follow")?, informer: id("informer")?, key: owned(message, "key")? },
            "unfollow" => Self::Unfollow { follow: id("follow")? },
            "wake" => Self::Wake,
            "visible" => Self::Visible { visible: bool(message, "visible")? },
            "close" => Self::Close,
            _ => Self::Undecoded { text: text.to_owned() },
        })
    }
}

fn server_options(message: Json<'_>) -> Result<ServerOptions> {
    Ok(ServerOptions {
        url: owned(message, "url")?,
        credentials: match if_present(message, "credentials", word)?.as_deref() {
            None | Some("same-origin") => CredentialsMode::SameOrigin,
            Some("include") => CredentialsMode::Include,
            Some("omit") => CredentialsMode::Omit,
            Some(other) => return Err(unknown("credentials", other)),
        },
        headers: user_headers(message)?,
        asks_headers: if_present(message, "asksHeaders", bool)?.unwrap_or_default(),
        user: if_present(message, "user", owned)?,
        max_streams: if_present(message, "maxStreams", id)?,
        json: if_present(message, "json", bool)?.unwrap_or_default(),
        backoff: if_present(message, "backoff", backoff)?,
    })
}

fn backoff(message: Json<'_>, name: &str) -> Result<BackoffMs> {
    let backoff = object(message, name)?;
    Ok(BackoffMs {
        initial_ms: id(backoff, "initialMs")?,
        max_ms: id(backoff, "maxMs")?,
        factor: number(backoff, "factor")?,
    })
}

fn user_headers(message: Json<'_>) -> Result<UserHeaders> {
    let header = |header: Json<'_>| {
        let mut texts = header.items().map(Json::as_str);
        match (texts.next().flatten(), texts.next().flatten(), texts.next()) {
            (Some(name), Some(value), None) => Ok((name.into_owned(), value.into_owned())),
            _ => Err(wrong("headers", "an array of names and values")),
        }
    };
    elements(message, "headers")?.map(header).collect::<Result<_>>().map(UserHeaders)
}

/// Whether an informer keeps or removes fields: deferred code reads how.
fn has_transform(message: Json<'_>) -> Result<bool> {
    Ok(options(message)?.is_some_and(|options| present(options, "transform").is_some()))
}

fn informer_options(message: Json<'_>) -> Result<InformerOptions> {
    let Some(options) = options(message)? else { return Ok(InformerOptions::default()) };
    let text = |name| if_present(options, name, owned);
    Ok(InformerOptions {
        namespace: text("namespace")?,
        label_selector: text("labelSelector")?,
        field_selector: text("fieldSelector")?,
        mode: match if_present(options, "mode", word)?.as_deref() {
            None | Some("object") => InformerMode::Object,
            Some("metadata") => InformerMode::Metadata,
            Some(other) => return Err(unknown("mode", other)),
        },
        transform: TransformOptions::default(),
        page_size: if_present(options, "pageSize", id)?,
        resync: if_present(options, "resync", id)?,
    })
}

fn transform_options(options: Json<'_>, name: &str) -> Result<TransformOptions> {
    let transform = object(options, name)?;
    Ok(TransformOptions {
        keep_managed_fields: if_present(transform, "keepManagedFields", bool)?.unwrap_or_default(),
        drop: texts(transform, "drop")?,
    })
}

fn event_handler_options(message: Json<'_>) -> Result<EventHandlerOptions> {
    let mut read = EventHandlerOptions::default();
    if let Some(options) = options(message)? {
        read.replay = if_present(options, "replay", bool)?.unwrap_or(read.replay);
        read.resync_period = if_present(options, "resyncPeriod", id)?;
    }
    Ok(read)
}

fn view_request(message: Json<'_>) -> Result<ViewRequest> {
    let (kind, what) = variant(message, "ask")?;
    if !what.is_object() {
        return Err(wrong("ask", "an object of an object"));
    }
    let text = |name| if_present(what, name, owned).map(Option::unwrap_or_default);
    Ok(match &*kind {
        "values" => ViewRequest::Values(ValuesOptions {
            filter: text("filter")?,
            column: text("column")?,
            containing: text("containing")?,
        }),
        "changes" => ViewRequest::Changes(ChangesOptions {
            key: if_present(what, "key", owned)?,
            since: if_present(what, "since", number)?,
            until: if_present(what, "until", number)?,
            before: if_present(what, "before", size)?.map(|id| id as u64),
            limit: size(what, "limit")?,
        }),
        "objectAt" => ViewRequest::ObjectAt { key: owned(what, "key")?, time: number(what, "time")? },
        "countChanges" => ViewRequest::CountChanges {
            since: number(what, "since")?,
            until: number(what, "until")?,
            parts: size(what, "parts")?,
        },
        "differences" => ViewRequest::Differences {
            since: number(what, "since")?,
            until: number(what, "until")?,
            limit: size(what, "limit")?,
        },
        "rewind" => ViewRequest::Rewind { time: if_present(what, "time", number)? },
        _ => return Err(unknown("ask", &kind)),
    })
}

fn view_options(message: Json<'_>) -> Result<ViewOptions> {
    let Some(options) = options(message)? else { return Ok(ViewOptions::default()) };
    Ok(ViewOptions {
        filter: if_present(options, "filter", owned)?.unwrap_or_default(),
        order_by: orders(options)?,
        facets: texts(options, "facets")?,
        columns: if_present(options, "columns", texts_by_name)?.unwrap_or_default(),
        extra_columns: if_present(options, "extraColumns", texts_by_name)?.unwrap_or_default(),
        objects: if_present(options, "objects", bool)?.unwrap_or_default(),
        label_selector: if_present(options, "labelSelector", owned)?,
        namespaces: texts(options, "namespaces")?,
        start: if_present(options, "start", size)?.unwrap_or_default(),
        end: if_present(options, "end", size)?.unwrap_or_default(),
    })
}

fn aggregate_options(message: Json<'_>) -> Result<AggregateOptions> {
    let Some(options) = options(message)? else { return Ok(AggregateOptions::default()) };
    let value = |value: Json<'_>| {
        if !value.is_object() {
            return Err(wrong("of", "an array of objects"));
        }
        Ok(AggregateValue {
            op: match &*word(value, "op")? {
                "count" => AggregateOp::Count,
                "sum" => AggregateOp::Sum,
                "min" => AggregateOp::Min,
                "max" => AggregateOp::Max,
                other => return Err(unknown("op", other)),
            },
            column: if_present(value, "column", owned)?.unwrap_or_default(),
        })
    };
    Ok(AggregateOptions {
        by: texts(options, "by")?,
        of: elements(options, "of")?.map(value).collect::<Result<_>>()?,
        filter: if_present(options, "filter", owned)?.unwrap_or_default(),
        namespaces: texts(options, "namespaces")?,
        label_selector: if_present(options, "labelSelector", owned)?,
        columns: if_present(options, "columns", texts_by_name)?.unwrap_or_default(),
        extra_columns: if_present(options, "extraColumns", texts_by_name)?.unwrap_or_default(),
        limit: if_present(options, "limit", size)?.unwrap_or_default(),
    })
}

fn orders(json: Json<'_>) -> Result<Vec<OrderBy>> {
    let order = |order: Json<'_>| {
        if !order.is_object() {
            return Err(wrong("orderBy", "an array of objects"));
        }
        Ok(OrderBy {
            column: owned(order, "column")?,
            descending: if_present(order, "descending", bool)?.unwrap_or_default(),
        })
    };
    elements(json, "orderBy")?.map(order).collect()
}

fn work_queue_options(message: Json<'_>) -> Result<WorkQueueOptions> {
    let mut read = WorkQueueOptions::default();
    if let Some(options) = options(message)? {
        let number = |name, otherwise| if options.get(name).is_some() { number(options, name) } else { Ok(otherwise) };
        read.base_delay_ms = number("baseDelayMs", read.base_delay_ms)?;
        read.max_delay_ms = number("maxDelayMs", read.max_delay_ms)?;
        read.qps = number("qps", read.qps)?;
        read.burst = if_present(options, "burst", id)?.unwrap_or(read.burst);
        read.resync_period = if_present(options, "resyncPeriod", id)?;
    }
    Ok(read)
}

fn read(message: Json<'_>) -> Result<Read> {
    let (kind, what) = variant(message, "read")?;
    let index = || owned(what, "index");
    Ok(match &*kind {
        "getByKey" => Read::GetByKey { key: owned(what, "key")? },
        "list" if !what.is_object() => return Err(wrong("list", "an object")),
        "list" => Read::List {
            namespace: if_present(what, "namespace", owned)?.unwrap_or_default(),
            label_selector: if_present(what, "labelSelector", owned)?.unwrap_or_default(),
        },
        "listKeys" => Read::ListKeys,
        "byIndex" => Read::ByIndex { index: index()?, value: owned(what, "value")? },
        "indexKeys" => Read::IndexKeys { index: index()?, value: owned(what, "value")? },
        "listIndexFuncValues" => Read::ListIndexFuncValues { index: index()? },
        "getIndexers" => Read::GetIndexers,
        _ => return Err(unknown("read", &kind)),
    })
}

fn queue_call(message: Json<'_>) -> Result<QueueCall> {
    let (kind, what) = variant(message, "call")?;
    let key = || text_of(what, "key").map(Cow::into_owned);
    Ok(match &*kind {
        "add" => QueueCall::Add(key()?),
        "addAfter" => QueueCall::AddAfter { key: owned(what, "key")?, ms: number(what, "ms")? },
        "addRateLimited" => QueueCall::AddRateLimited(key()?),
        "done" => QueueCall::Done(key()?),
        "forget" => QueueCall::Forget(key()?),
        "shutDown" => QueueCall::ShutDown,
        _ => return Err(unknown("call", &kind)),
    })
}

fn queue_request(message: Json<'_>) -> Result<QueueRequest> {
    let (kind, what) = variant(message, "ask")?;
    Ok(match &*kind {
        "get" => QueueRequest::Get,
        "numRequeues" => QueueRequest::NumRequeues(text_of(what, "key")?.into_owned()),
        "length" => QueueRequest::Length,
        "shutDownWithDrain" => QueueRequest::ShutDownWithDrain,
        _ => return Err(unknown("ask", &kind)),
    })
}

/// Decodes a variant in serde's form of an enum: `{"byIndex":{…}}`, `{"add":"shop/web"}`, `"listKeys"`.
fn variant<'j>(json: Json<'j>, name: &str) -> Result<(Cow<'j, str>, Json<'j>)> {
    let what = field(json, name)?;
    if let Some(kind) = what.as_str() {
        return Ok((kind, Json::new("null")));
    }
    let mut members = what.members();
    match (members.next(), members.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(wrong(name, "a string or an object with one field")),
    }
}

/// Returns a field that is present and not null.
fn present<'j>(json: Json<'j>, name: &str) -> Option<Json<'j>> {
    json.get(name).filter(|value| !value.is_null())
}

/// Returns the options of a request, if it has any.
fn options(message: Json<'_>) -> Result<Option<Json<'_>>> {
    if_present(message, "options", object)
}

/// Decodes a field, if it is present.
fn if_present<'j, T>(json: Json<'j>, name: &str, read: fn(Json<'j>, &str) -> Result<T>) -> Result<Option<T>> {
    present(json, name).map(|_| read(json, name)).transpose()
}

fn field<'j>(json: Json<'j>, name: &str) -> Result<Json<'j>> {
    json.get(name).ok_or_else(|| unreadable(&format!("`{name}` is missing")))
}

fn object<'j>(json: Json<'j>, name: &str) -> Result<Json<'j>> {
    Some(field(json, name)?).filter(|value| value.is_object()).ok_or_else(|| wrong(name, "an object"))
}

fn text_of<'j>(json: Json<'j>, name: &str) -> Result<Cow<'j, str>> {
    json.as_str().ok_or_else(|| wrong(name, "a string"))
}

fn word<'j>(json: Json<'j>, name: &str) -> Result<Cow<'j, str>> {
    text_of(field(json, name)?, name)
}

fn owned(json: Json<'_>, name: &str) -> Result<String> {
    word(json, name).map(Cow::into_owned)
}

/// Returns the elements of an array; none if it is missing.
fn elements<'j>(json: Json<'j>, name: &str) -> Result<impl Iterator<Item = Json<'j>>> {
    let array = present(json, name).unwrap_or(Json::new("[]"));
    if array.text().starts_with('[') { Ok(array.items()) } else { Err(wrong(name, "an array")) }
}

fn texts(json: Json<'_>, name: &str) -> Result<Vec<String>> {
    elements(json, name)?.map(|text| text_of(text, name).map(Cow::into_owned)).collect()
}

fn texts_by_name(json: Json<'_>, name: &str) -> Result<TextsByName> {
    let mut texts = TextsByName::default();
    for (key, text) in object(json, name)?.members() {
        texts.insert(key.into_owned(), text_of(text, name)?.into_owned());
    }
    Ok(texts)
}

fn bool(json: Json<'_>, name: &str) -> Result<bool> {
    field(json, name)?.as_bool().ok_or_else(|| wrong(name, "true or false"))
}

fn id(json: Json<'_>, name: &str) -> Result<u32> {
    size(json, name)?.try_into().map_err(|_| wrong(name, "less than 2^32"))
}

fn size(json: Json<'_>, name: &str) -> Result<usize> {
    let number = field(json, name)?.as_u64().and_then(|number| number.try_into().ok());
    number.ok_or_else(|| wrong(name, "a whole number, 0 or more"))
}

fn range(json: Json<'_>, name: &str) -> Result<Range<usize>> {
    let range = object(json, name)?;
    Ok(size(range, "start")?..size(range, "end")?)
}

/// JSON has no NaN or infinity: both are null.
fn number(json: Json<'_>, name: &str) -> Result<f64> {
    let value = field(json, name)?;
    if value.is_null() { Ok(f64::NAN) } else { value.as_f64().ok_or_else(|| wrong(name, "a number")) }
}

#[cold]
fn wrong(name: &str, wanted: &str) -> InformerError {
    unreadable(&format!("`{name}` must be {wanted}"))
}

#[cold]
fn unknown(name: &str, found: &str) -> InformerError {
    let shown: String = found.chars().take(40).collect();
    unreadable(&format!("invalid value {shown:?} of `{name}`"))
}

#[cold]
fn unreadable(why: &str) -> InformerError {
    InformerError::new(ErrorCode::BadRequest, format!("invalid message: {why}"))
}
