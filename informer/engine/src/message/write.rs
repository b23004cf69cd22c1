//! Encoder of messages to a page, to JSON.
//!
//! Hand-written, like `read.rs`. Objects and responses are JSON text already and are copied, so a page decodes the
//! whole message with one `JSON.parse`.

use informer_packing::ObjectWriter;

use super::{ChangeKind, ChangeMessage, Facet, FacetValue, FromEngine, QueryRejection, Row};
use crate::columns::Cell;
use informer::{ErrorReport, InformerStatus};

impl FromEngine {
    /// Encodes the message as JSON text: `{"type":"handlerSynced","handler":4}`. The type comes first.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        let mut message = ObjectWriter::new(&mut text);
        match self {
            Self::Connected { version } => {
                message.word("type", "connected").number("version", u64::from(*version));
            }
            Self::AskHeaders { request } => {
                message.word("type", "askHeaders").number("request", u64::from(*request));
            }
            Self::Reply { request, json } => {
                message.word("type", "reply").number("request", u64::from(*request)).raw("json", json);
            }
            Self::Failed { request, error } => {
                message.word("type", "failed").number("request", u64::from(*request));
                write_error(&mut message, "error", error);
            }
            Self::Status { informer, status } => {
                message.word("type", "status").number("informer", u64::from(*informer));
                write_status(&mut message.object("status"), status);
            }
            Self::Error { informer, error } => {
                message.word("type", "error").number("informer", u64::from(*informer));
                write_error(&mut message, "error", error);
            }
            Self::Changes { handler, resource_version, relist, changes } => {
                message.word("type", "changes").number("handler", u64::from(*handler));
                message.text("resourceVersion", resource_version).bool("relist", *relist);
                let mut list = message.array("changes");
                for change in changes {
                    write_change(&mut list.object(), change);
                }
            }
            Self::HandlerSynced { handler } => {
                message.word("type", "handlerSynced").number("handler", u64::from(*handler));
            }
            Self::Columns { view, columns } => {
                message.word("type", "columns").number("view", u64::from(*view));
                let mut list = message.array("columns");
                for column in columns {
                    list.object().text("name", &column.name).bool("wide", column.wide).bool("numeric", column.numeric);
                }
            }
            Self::View { view, query_id, revision, total, of, synced, start, end, rows } => {
                message.word("type", "view").number("view", u64::from(*view)).number("queryId", u64::from(*query_id));
                message.number("revision", *revision);
                message.number("total", *total as u64).number("of", *of as u64).bool("synced", *synced);
                message.number("start", *start as u64).number("end", *end as u64);
                let mut list = message.array("rows");
                for row in rows {
                    write_row(&mut list.object(), row);
                }
            }
            Self::Facets { view, query_id, facets } => {
                message.word("type", "facets").number("view", u64::from(*view)).number("queryId", u64::from(*query_id));
                let mut list = message.array("facets");
                for facet in facets {
                    write_facet(&mut list.object(), facet);
                }
            }
            Self::Patch { view, patch } => {
                message.word("type", "patch").number("view", u64::from(*view)).raw("patch", patch);
            }
            Self::QueryResult { view, query_id, rejection } => {
                message.word("type", "result").number("view", u64::from(*view)).number("queryId", u64::from(*query_id));
                if let Some(QueryRejection { error, start, end }) = rejection {
                    let mut rejection = message.object("rejection");
                    write_error(&mut rejection, "error", error);
                    rejection.number("start", *start as u64).number("end", *end as u64);
                }
            }
            Self::Object { follow, json } => {
                message.word("type", "object").number("follow", u64::from(*follow));
                message.raw("json", json.as_deref().unwrap_or("null"));
            }
            Self::Refused { error } => write_error(message.word("type", "refused"), "error", error),
        }
        drop(message);
        text
    }
}

fn write_error(out: &mut ObjectWriter<'_>, name: &str, error: &ErrorReport) {
    let mut out = out.object(name);
    out.word("code", error.code.as_str()).text("message", &error.message);
    if let Some(status) = error.status {
        out.number("status", status.into());
    }
    if let Some(request) = &error.request {
        out.text("request", request);
    }
    out.bool("retryable", error.retryable);
}

/// Writes a status as the fields of an object.
pub(crate) fn write_status(out: &mut ObjectWriter<'_>, status: &InformerStatus) {
    out.word("phase", status.phase.as_str()).word("freshness", status.freshness.as_str());
    out.bool("hasSynced", status.has_synced).text("resourceVersion", &status.resource_version);
    let mut namespaces = out.array("namespaces");
    for namespace in &status.namespaces {
        namespaces.text(namespace);
    }
    drop(namespaces);
    out.bool("namespaceMissing", status.namespace_missing);
    for (name, count) in [
        ("objects", status.objects),
        ("bytes", status.bytes),
        ("listed", status.listed),
        ("lists", status.lists),
        ("watches", status.watches),
        ("relists", status.relists),
        ("events", status.events),
        ("droppedEvents", status.dropped_events),
        ("queueDepth", status.queue_depth),
    ] {
        out.number(name, count);
    }
    for (name, moment) in [
        ("lastEventAt", status.last_event_at),
        ("lastBookmarkAt", status.last_bookmark_at),
        ("lastContactAt", status.last_contact_at),
        ("nextRetryAt", status.next_retry_at),
    ] {
        out.float(name, moment.unwrap_or(f64::NAN));
    }
    match &status.last_error {
        Some(error) => write_error(out, "lastError", error),
        None => drop(out.raw("lastError", "null")),
    }
}

fn write_change(out: &mut ObjectWriter<'_>, change: &ChangeMessage) {
    let kind = match change.kind {
        ChangeKind::Add => "add",
        ChangeKind::Update => "update",
        ChangeKind::Delete => "delete",
    };
    out.word("type", kind).text("key", &change.key).raw("object", &change.object);
    if let Some(previous) = &change.previous {
        out.raw("previous", previous);
    }
    out.bool("isInInitialList", change.is_in_initial_list).bool("finalStateUnknown", change.final_state_unknown);
}

fn write_row(out: &mut ObjectWriter<'_>, row: &Row) {
    out.number("index", row.index as u64).text("key", &row.key).text("uid", &row.uid);
    out.bool("gone", row.gone);
    if let Some(object) = &row.object {
        out.raw("object", object);
    }
    let mut cells = out.array("cells");
    for cell in &row.cells {
        match cell {
            Cell::Text(text) => drop(cells.object().text("text", text)),
            Cell::Number(number) => drop(cells.object().float("number", *number)),
            Cell::Time(moment) => drop(cells.object().float("time", *moment)),
            Cell::Restarts(sum, last) => {
                let mut cell = cells.object();
                cell.array("restarts").float(*sum).float(last.unwrap_or(f64::NAN));
            }
            Cell::Duration(from, to) => {
                let mut cell = cells.object();
                cell.array("duration").float(*from).float(to.unwrap_or(f64::NAN));
            }
            Cell::None => drop(cells.raw("\"none\"")),
        }
    }
}

impl Facet {
    /// Encodes it as JSON text.
    pub(crate) fn to_json(&self) -> String {
        let mut json = String::new();
        write_facet(&mut ObjectWriter::new(&mut json), self);
        json
    }
}

fn write_facet(out: &mut ObjectWriter<'_>, facet: &Facet) {
    out.text("column", &facet.column).number("more", facet.more as u64);
    let mut values = out.array("values");
    for FacetValue { value, count } in &facet.values {
        values.object().text("value", value).number("count", *count as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::ColumnHeader;
    use crate::message::PROTOCOL_VERSION;
    use informer::ErrorCode;
    use informer::Freshness;
    use informer::Phase;
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    #[expect(clippy::too_many_lines, reason = "there are so many messages")]
    fn every_message() -> Vec<FromEngine> {
        let bare = ErrorReport {
            code: ErrorCode::TooLargeResourceVersion,
            message: "\"no\"\n".into(),
            status: None,
            request: None,
            retryable: true,
        };
        let error = ErrorReport { status: Some(504), request: Some("GET /api/v1/pods?a=\"b\"".into()), ..bare.clone() };
        let status = InformerStatus {
            phase: Phase::Watching,
            freshness: Freshness::CatchingUp,
            has_synced: true,
            namespaces: vec!["shop".into(), "bank".into()],
            namespace_missing: true,
            resource_version: "12".into(),
            objects: 1,
            bytes: u64::MAX,
            listed: 2,
            last_event_at: Some(1_795_235_495_000.25),
            last_bookmark_at: None,
            last_contact_at: Some(0.0),
            next_retry_at: Some(1.0),
            lists: 3,
            watches: 4,
            relists: 5,
            events: 6,
            dropped_events: 7,
            queue_depth: 8,
            last_error: Some(error.clone()),
        };
        let object = r#"{"kind":"Pod","n":12345678901234567890}"#.to_owned();
        let change = ChangeMessage {
            kind: ChangeKind::Update,
            key: "shop/\"web\"".into(),
            object: object.clone(),
            previous: Some("{ }".into()),
            is_in_initial_list: true,
            final_state_unknown: false,
        };
        let deleted =
            ChangeMessage { kind: ChangeKind::Delete, previous: None, final_state_unknown: true, ..change.clone() };
        let added = ChangeMessage { kind: ChangeKind::Add, ..deleted.clone() };
        let cells = vec![
            Cell::Text("<b>\\".into()),
            Cell::Number(-1.5),
            Cell::Time(1_795_235_495_000.0),
            Cell::Restarts(3.0, Some(2.0)),
            Cell::Duration(3.0, None),
            Cell::Duration(3.0, Some(4.0)),
            Cell::Restarts(0.0, None),
            Cell::None,
        ];
        vec![
            FromEngine::Connected { version: PROTOCOL_VERSION },
            FromEngine::AskHeaders { request: 7 },
            FromEngine::Reply { request: 1, json: object.clone() },
            FromEngine::Reply { request: 1, json: "null".into() },
            FromEngine::Failed { request: 2, error: error.clone() },
            FromEngine::Status { informer: 3, status },
            FromEngine::Status { informer: 3, status: InformerStatus::default() },
            FromEngine::Error { informer: 3, error: bare },
            FromEngine::Changes {
                handler: 4,
                resource_version: "13".into(),
                relist: true,
                changes: vec![added, change, deleted],
            },
            FromEngine::HandlerSynced { handler: 4 },
            FromEngine::Columns {
                view: 5,
                columns: vec![
                    ColumnHeader { name: "Port(s)".into(), wide: true, numeric: false },
                    ColumnHeader { name: "Data".into(), wide: false, numeric: true },
                ],
            },
            FromEngine::View {
                view: 5,
                query_id: 0,
                revision: 6,
                total: 7,
                of: 8,
                synced: true,
                start: 0,
                end: 2,
                rows: vec![
                    Row { index: 0, key: "shop/web".into(), uid: "u".into(), cells, object: None, gone: false },
                    Row {
                        index: 1,
                        key: "shop/x".into(),
                        uid: String::new(),
                        cells: Vec::new(),
                        object: Some("{\"a\":[1]}".into()),
                        gone: true,
                    },
                ],
            },
            FromEngine::Facets {
                view: 5,
                query_id: 9,
                facets: vec![Facet {
                    column: "Status".into(),
                    values: vec![
                        FacetValue { value: "<x>".into(), count: 3 },
                        FacetValue { value: String::new(), count: 1 },
                    ],
                    more: 2,
                }],
            },
            FromEngine::Patch { view: 5, patch: r#"{"total":[0.000000001,null]}"#.into() },
            FromEngine::QueryResult { view: 5, query_id: u32::MAX, rejection: None },
            FromEngine::QueryResult {
                view: 5,
                query_id: 9,
                rejection: Some(QueryRejection { error: error.clone(), start: 1, end: 2 }),
            },
            FromEngine::Object { follow: 8, json: Some(object) },
            FromEngine::Object { follow: 8, json: None },
            FromEngine::Refused { error },
        ]
    }

    /// Converts the form on a port to serde's.
    fn as_a_page_reads_it(text: &str) -> FromEngine {
        let message: Value = serde_json::from_str(text).expect("JSON");
        let kind = message["type"].as_str().expect("a type");
        serde_json::from_str(&format!("{{\"{kind}\":{text}}}")).expect(text)
    }

    #[test]
    fn every_encoded_message_is_decoded_by_serde() {
        for message in every_message() {
            let text = message.to_json();
            assert_eq!(as_a_page_reads_it(&text), message, "{text}");
            // Both forms omit the same fields.
            let mut written: Value = serde_json::from_str(&text).expect("JSON");
            written.as_object_mut().expect("an object").remove("type");
            let serde: Value = serde_json::to_value(&message).expect("plain");
            let fields = serde.as_object().and_then(|variant| variant.values().next()).expect("a variant");
            assert_eq!(canonical(&written), canonical(fields));
        }
    }

    /// `1.0` and `1` are the same number.
    fn canonical(value: &Value) -> String {
        value.to_string().replace(".0,", ",").replace(".0}", "}").replace(".0]", "]")
    }

    #[test]
    fn names_are_those_of_serde() {
        fn is_name_of<T: DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, name: &str) {
            assert_eq!(serde_json::from_str::<T>(&format!("\"{name}\"")).expect(name), *value);
        }
        use ErrorCode as E;
        for code in [
            E::Unauthorized,
            E::Forbidden,
            E::NotFound,
            E::Expired,
            E::Throttled,
            E::TooLargeResourceVersion,
            E::BadRequest,
            E::Network,
            E::Timeout,
            E::Decode,
            E::Aborted,
            E::Closed,
            E::Internal,
        ] {
            is_name_of(&code, code.as_str());
        }
        for phase in [Phase::Idle, Phase::Listing, Phase::Watching, Phase::Reconnecting, Phase::Stopped, Phase::Failed]
        {
            is_name_of(&phase, phase.as_str());
        }
        for freshness in Freshness::ALL {
            is_name_of(&freshness, freshness.as_str());
        }
    }
}
