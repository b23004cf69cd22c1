//! Messages to the engine: decoding of each encoded message, and the errors of invalid ones.

use super::*;
use crate::message::PROTOCOL_VERSION;
use serde_json::Value;

/// From serde's form to the one on a port.
fn as_a_page_sends_it(message: &ToEngine) -> String {
    let (kind, mut fields) = match serde_json::to_value(message).expect("plain") {
        Value::String(kind) => (kind, Value::Object(serde_json::Map::new())),
        Value::Object(variant) => variant.into_iter().next().expect("a variant"),
        other => panic!("{other}"),
    };
    // Server options beyond the URL make it another type.
    let is_plain = is_plain(message);
    fields["type"] = Value::String(if is_plain { kind } else { "connectAs".to_owned() });
    fields.to_string()
}

fn is_plain(message: &ToEngine) -> bool {
    let ToEngine::Connect { server, .. } = message else { return true };
    *server == ServerOptions::from(server.url.as_str())
}

fn aggregate_options() -> AggregateOptions {
    let of = |op, column: &str| AggregateValue { op, column: column.into() };
    AggregateOptions {
        by: vec!["Node".into(), "Status".into()],
        of: vec![
            of(AggregateOp::Count, ""),
            of(AggregateOp::Sum, "cpu"),
            of(AggregateOp::Min, "age"),
            of(AggregateOp::Max, "age"),
        ],
        filter: "web".into(),
        namespaces: vec!["shop".into()],
        label_selector: Some("a".into()),
        columns: [("cpu".to_owned(), "{.spec.cpu}".to_owned())].into(),
        extra_columns: [("team".to_owned(), "{.metadata.labels.team}".to_owned())].into(),
        limit: 10,
    }
}

fn server_options() -> ServerOptions {
    ServerOptions {
        url: "https://cluster.example/a".into(),
        credentials: CredentialsMode::Include,
        headers: UserHeaders(vec![("Authorization".into(), "Bearer a\"b\\c".into()), ("X-A".into(), String::new())]),
        asks_headers: true,
        user: Some("Zoë".into()),
        max_streams: Some(2),
        json: true,
        backoff: Some(BackoffMs { initial_ms: 100, max_ms: 5000, factor: 1.5 }),
    }
}

fn every_message_of_a_connection() -> [ToEngine; 4] {
    let headers = server_options().headers;
    [
        ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://127.0.0.1:8001".into(), persist: true },
        ToEngine::Connect { version: PROTOCOL_VERSION, server: server_options(), persist: false },
        ToEngine::Headers { request: 3, headers, error: None },
        ToEngine::Headers { request: 3, headers: UserHeaders::default(), error: Some("logged \"out\"".into()) },
    ]
}

fn every_message() -> Vec<ToEngine> {
    let options = InformerOptions {
        namespace: Some("shop".into()),
        label_selector: Some("a=\"b\"".into()),
        field_selector: Some("x\\,y".into()),
        mode: InformerMode::Metadata,
        transform: TransformOptions { keep_managed_fields: true, drop: vec!["{.spec}".into(), ".status".into()] },
        page_size: Some(7),
        resync: Some(0),
    };
    let view = ViewOptions {
        filter: "wéb\n".into(),
        order_by: vec![OrderBy { column: "Age".into(), descending: true }, OrderBy::ascending("x")],
        facets: vec!["Status".into()],
        columns: [("Node".to_owned(), "{.spec.nodeName}".to_owned())].into(),
        extra_columns: [("team \"x\"".to_owned(), "metadata.labels.team".to_owned())].into(),
        objects: true,
        label_selector: Some("a".into()),
        namespaces: vec!["shop".into(), "b".into()],
        start: 3,
        end: 50,
    };
    let queue =
        WorkQueueOptions { base_delay_ms: 0.5, qps: 1e22, burst: 3, resync_period: Some(9), ..Default::default() };
    let text = || "shop/web".to_owned();
    let mut messages = vec![
        ToEngine::Clear { request: 3 },
        ToEngine::Resources { request: u32::MAX },
        ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options },
        ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() },
        ToEngine::Start,
        ToEngine::StartOne { informer: 1 },
        ToEngine::Stop { informer: 1 },
        ToEngine::Inspect { request: 2, informer: 1 },
        ToEngine::InspectAll { request: 2, history: true },
        ToEngine::AddIndexers {
            request: 2,
            informer: 1,
            indexers: [("by \"node\"".to_owned(), "{.spec.nodeName}".to_owned())].into(),
        },
        ToEngine::AddEventHandler { informer: 1, handler: 4, options: EventHandlerOptions::default() },
        ToEngine::AddEventHandler {
            informer: 1,
            handler: 4,
            options: EventHandlerOptions { replay: false, resync_period: Some(1000) },
        },
        ToEngine::Ack { handler: 4 },
        ToEngine::RemoveEventHandler { handler: 4 },
        ToEngine::OpenQueue { queue: 5, informer: 1, options: WorkQueueOptions::default() },
        ToEngine::OpenQueue { queue: 5, informer: 1, options: queue },
        ToEngine::Lease { request: 2, stream: true },
        ToEngine::Cancel { request: 2 },
        ToEngine::OpenView { view: 6, informer: 1, query_id: 1, options: view },
        ToEngine::SetWindow { view: 6, start: 0, end: 50 },
        ToEngine::OpenRecording { view: 9, informer: 1, query_id: 1, options: RecordingOptions::default() },
        ToEngine::OpenRecording { view: 9, informer: 1, query_id: 1, options: RecordingOptions { max_bytes: 1 << 20 } },
        ToEngine::ChangeView {
            view: 6,
            query_id: u32::MAX,
            filter: "x".into(),
            order_by: vec![OrderBy::ascending("y")],
            facets: vec!["z".into()],
            namespaces: Vec::new(),
            window: Some(3..50),
        },
        ToEngine::OpenAggregate { view: 8, informer: 1, query_id: 1, options: AggregateOptions::default() },
        ToEngine::OpenAggregate { view: 8, informer: 1, query_id: 1, options: aggregate_options() },
        ToEngine::Freeze { view: 6, frozen: true },
        ToEngine::CloseView { view: 6 },
        ToEngine::Follow { follow: 7, informer: 1, key: text() },
        ToEngine::Unfollow { follow: 7 },
        ToEngine::Wake,
        ToEngine::Visible { visible: true },
        ToEngine::Close,
    ];
    let reads = [
        Read::GetByKey { key: text() },
        Read::List { namespace: "shop".into(), label_selector: "a in (b)".into() },
        Read::ListKeys,
        Read::ByIndex { index: "node".into(), value: "n1".into() },
        Read::IndexKeys { index: "node".into(), value: String::new() },
        Read::ListIndexFuncValues { index: "node".into() },
        Read::GetIndexers,
    ];
    messages.extend(reads.map(|read| ToEngine::Read { request: 2, informer: 1, read }));
    let calls = [
        QueueCall::Add(text()),
        QueueCall::AddAfter { key: text(), ms: 1.25 },
        QueueCall::AddRateLimited(text()),
        QueueCall::Done(text()),
        QueueCall::Forget(text()),
        QueueCall::ShutDown,
    ];
    messages.extend(calls.map(|call| ToEngine::Queue { queue: 5, call }));
    let asks =
        [QueueRequest::Get, QueueRequest::NumRequeues(text()), QueueRequest::Length, QueueRequest::ShutDownWithDrain];
    messages.extend(asks.map(|ask| ToEngine::AskQueue { request: 2, queue: 5, ask }));
    messages.extend(every_message_of_a_connection());
    messages.extend(every_request_to_a_view().map(|ask| ToEngine::AskView { request: 2, view: 6, ask }));
    messages
}

fn every_request_to_a_view() -> [ViewRequest; 8] {
    let changes = ChangesOptions {
        key: Some("shop/web".to_owned()),
        since: Some(1_795_000_000_000.0),
        until: Some(1.5),
        before: Some(1 << 40),
        limit: 9,
    };
    [
        ViewRequest::Values(ValuesOptions { filter: "a".into(), column: "Status".into(), containing: "ru".into() }),
        ViewRequest::Changes(ChangesOptions { limit: 1, ..ChangesOptions::default() }),
        ViewRequest::Changes(changes),
        ViewRequest::ObjectAt { key: "shop/web".to_owned(), time: 1_795_000_000_000.0 },
        ViewRequest::CountChanges { since: 1.5, until: 1_795_000_000_000.0, parts: 60 },
        ViewRequest::Differences { since: 1.5, until: 1_795_000_000_000.0, limit: 9 },
        ViewRequest::Rewind { time: Some(1_795_000_000_000.0) },
        ViewRequest::Rewind { time: None },
    ]
}

#[test]
fn every_message_is_decoded_as_serde_encoded_it() {
    for message in every_message() {
        let text = as_a_page_sends_it(&message);
        assert_eq!(ToEngine::from_json(&text).expect(&text), message);
    }
}

#[test]
fn a_port_passes_messages_to_the_deferred_code() {
    for message in every_message() {
        use ToEngine::{
            AskQueue, AskView, ChangeView, Headers, Lease, OpenAggregate, OpenQueue, OpenRecording, OpenView, Queue,
        };
        let is_left = matches!(
            message,
            OpenQueue { .. }
                | Queue { .. }
                | AskQueue { .. }
                | Lease { .. }
                | OpenView { .. }
                | OpenAggregate { .. }
                | ChangeView { .. }
                | OpenRecording { .. }
                | AskView { .. }
                | Headers { .. }
        ) || !is_plain(&message)
            // Serde always writes a transform; a page writes one only if it is given.
            || matches!(message, ToEngine::Informer { .. });
        let text = as_a_page_sends_it(&message);
        let read = ToEngine::of_port(&text).expect(&text);
        assert_eq!(read, if is_left { ToEngine::Undecoded { text: text.clone() } } else { message });
    }
}

#[test]
fn what_is_left_out_is_as_its_default() {
    for (text, message) in [
        (
            r#"{"type":"openView","view":1,"informer":2,"queryId":1}"#,
            ToEngine::OpenView { view: 1, informer: 2, query_id: 1, options: ViewOptions::default() },
        ),
        (
            r#"{"type":"informer","informer":2,"resource":"v1/pods","options":{"mode":null,"future":[1]}}"#,
            ToEngine::Informer { informer: 2, resource: "v1/pods".into(), options: InformerOptions::default() },
        ),
        (
            r#"{"type":"read","request":1,"informer":2,"read":{"list":{}}}"#,
            ToEngine::Read {
                request: 1,
                informer: 2,
                read: Read::List { namespace: String::new(), label_selector: String::new() },
            },
        ),
    ] {
        assert_eq!(ToEngine::from_json(text).expect(text), message);
    }
}

#[test]
fn a_message_that_cannot_be_read_says_why() {
    for (text, why) in [
        ("", "it is not an object with a type"),
        ("\"nonsense\"", "it is not an object with a type"),
        (r#"{"type":"start""#, "it is not an object with a type"),
        ("{}", "`type` is missing"),
        (r#"{"type":1}"#, "`type` must be a string"),
        (r#"{"type":"stat"}"#, "invalid value \"stat\" of `type`"),
        (r#"{"type":"stop"}"#, "`informer` is missing"),
        (r#"{"type":"stop","informer":-1}"#, "`informer` must be a whole number, 0 or more"),
        (r#"{"type":"stop","informer":4294967296}"#, "`informer` must be less than 2^32"),
        (
            r#"{"type":"read","request":1,"informer":1,"read":[]}"#,
            "`read` must be a string or an object with one field",
        ),
        (r#"{"type":"read","request":1,"informer":1,"read":"all"}"#, "invalid value \"all\" of `read`"),
        (r#"{"type":"read","request":1,"informer":1,"read":"getByKey"}"#, "`key` is missing"),
        (r#"{"type":"changeView","view":1,"filter":""}"#, "`queryId` is missing"),
        (r#"{"type":"changeView","view":1,"queryId":1,"facets":{}}"#, "`facets` must be an array"),
        (r#"{"type":"changeView","view":1,"queryId":1,"facets":[1]}"#, "`facets` must be a string"),
        (r#"{"type":"changeView","view":1,"queryId":1,"orderBy":"age"}"#, "`orderBy` must be an array"),
        (r#"{"type":"changeView","view":1,"queryId":1,"orderBy":["age"]}"#, "`orderBy` must be an array of objects"),
        (r#"{"type":"changeView","view":1,"queryId":1,"orderBy":[{"by":"age"}]}"#, "`column` is missing"),
        (r#"{"type":"changeView","view":1,"queryId":1,"window":[0,9]}"#, "`window` must be an object"),
        (r#"{"type":"changeView","view":1,"queryId":1,"window":{"start":0}}"#, "`end` is missing"),
        (r#"{"type":"openView","view":1,"informer":1,"queryId":1,"options":"web"}"#, "`options` must be an object"),
        (
            r#"{"type":"openView","view":1,"informer":1,"queryId":1,"options":{"columns":["a"]}}"#,
            "`columns` must be an object",
        ),
        (
            r#"{"type":"openAggregate","view":1,"informer":1,"queryId":1,"options":{"of":["count"]}}"#,
            "`of` must be an array of objects",
        ),
        (
            r#"{"type":"openAggregate","view":1,"informer":1,"queryId":1,"options":{"of":[{"op":"avg"}]}}"#,
            "invalid value \"avg\" of `op`",
        ),
        (
            r#"{"type":"openAggregate","view":1,"informer":1,"queryId":1,"options":{"limit":-1}}"#,
            "`limit` must be a whole number, 0 or more",
        ),
        (r#"{"type":"informer","informer":1,"resource":"v1/pods","options":[]}"#, "`options` must be an object"),
        (r#"{"type":"addEventHandler","informer":1,"handler":1,"options":7}"#, "`options` must be an object"),
        (r#"{"type":"openQueue","queue":1,"informer":1,"options":true}"#, "`options` must be an object"),
        (r#"{"type":"addIndexers","request":1,"informer":1,"indexers":"x"}"#, "`indexers` must be an object"),
        (r#"{"type":"read","request":1,"informer":1,"read":"list"}"#, "`list` must be an object"),
        (r#"{"type":"read","request":1,"informer":1,"read":{"list":"shop"}}"#, "`list` must be an object"),
        (
            r#"{"type":"read","request":1,"informer":1,"read":{"list":{},"listKeys":null}}"#,
            "`read` must be a string or an object with one field",
        ),
        (r#"{"type":"queue","queue":1,"call":"add"}"#, "`key` must be a string"),
        (r#"{"type":"openQueue","queue":1,"informer":1,"options":{"qps":"9"}}"#, "`qps` must be a number"),
    ] {
        let error = ToEngine::from_json(text).expect_err(text);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert_eq!(error.message().strip_prefix("invalid message: "), Some(why), "{text}");
    }
}
