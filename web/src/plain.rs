//! Plain values: statuses, errors, rows and headers, converted from the package's objects.

use informer::{ErrorCode, ErrorReport, Freshness, InformerStatus, Phase, ResourceInfo};
use informer_engine::columns::{Cell, ColumnHeader};
use informer_engine::{Facet, FacetValue};
use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use crate::client;
use crate::rows::Row;

/// Converts a status.
pub(crate) fn status(status: &client::Status) -> InformerStatus {
    InformerStatus {
        phase: phase(&status.phase()),
        freshness: freshness(&status.freshness()),
        has_synced: status.has_synced(),
        namespaces: texts(&status.namespaces()),
        namespace_missing: status.namespace_missing(),
        resource_version: status.resource_version(),
        objects: whole(status.objects()),
        bytes: whole(status.bytes()),
        listed: whole(status.listed()),
        last_event_at: status.last_event_at(),
        last_bookmark_at: status.last_bookmark_at(),
        last_contact_at: status.last_contact_at(),
        next_retry_at: status.next_retry_at(),
        lists: whole(status.lists()),
        watches: whole(status.watches()),
        relists: whole(status.relists()),
        events: whole(status.events()),
        dropped_events: whole(status.dropped_events()),
        queue_depth: whole(status.queue_depth()),
        last_error: status.last_error().map(|error| report(&error)),
    }
}

fn phase(name: &str) -> Phase {
    const ALL: [Phase; 5] = [Phase::Listing, Phase::Watching, Phase::Reconnecting, Phase::Stopped, Phase::Failed];
    ALL.into_iter().find(|phase| phase.as_str() == name).unwrap_or_default()
}

fn freshness(name: &str) -> Freshness {
    const ALL: [Freshness; 6] = [
        Freshness::Live,
        Freshness::Polling,
        Freshness::Queued,
        Freshness::Stale,
        Freshness::Forbidden,
        Freshness::Disconnected,
    ];
    ALL.into_iter().find(|freshness| freshness.as_str() == name).unwrap_or(Freshness::CatchingUp)
}

/// Looks up an error code by its name.
pub(crate) fn code(name: &str) -> ErrorCode {
    const ALL: [ErrorCode; 12] = [
        ErrorCode::Unauthorized,
        ErrorCode::Forbidden,
        ErrorCode::NotFound,
        ErrorCode::Expired,
        ErrorCode::Throttled,
        ErrorCode::TooLargeResourceVersion,
        ErrorCode::BadRequest,
        ErrorCode::Network,
        ErrorCode::Timeout,
        ErrorCode::Decode,
        ErrorCode::Aborted,
        ErrorCode::Closed,
    ];
    ALL.into_iter().find(|code| code.as_str() == name).unwrap_or(ErrorCode::Internal)
}

/// Converts an error of the package.
pub(crate) fn report(error: &client::InformerError) -> ErrorReport {
    ErrorReport {
        code: code(&error.code().unwrap_or_default()),
        message: error.message().unwrap_or_default(),
        status: error.status(),
        request: error.request(),
        retryable: error.retryable(),
    }
}

/// Converts the reason of a rejected promise, of any type.
pub(crate) fn rejection(reason: &JsValue) -> ErrorReport {
    if reason.is_object() {
        return report(reason.unchecked_ref());
    }
    let message = reason.as_string().unwrap_or_else(|| format!("{reason:?}"));
    ErrorReport { code: ErrorCode::Internal, message, status: None, request: None, retryable: true }
}

/// Converts a header of kubectl's table.
pub(crate) fn header(header: &client::ColumnHeader) -> ColumnHeader {
    ColumnHeader { name: header.name(), wide: header.priority() > 0, numeric: header.kind() == "number" }
}

/// Converts the row at an index.
pub(crate) fn row(index: usize, row: &client::Row) -> Row {
    Row { index, key: row.key(), gone: row.gone(), cells: row.cells().iter().map(|value| cell(&value)).collect() }
}

fn cell(value: &JsValue) -> Cell {
    if let Some(text) = value.as_string() {
        return Cell::Text(text);
    }
    if let Some(number) = value.as_f64() {
        return Cell::Number(number);
    }
    if !value.is_object() {
        return Cell::None;
    }
    let moving: &client::MovingCell = value.unchecked_ref();
    if let Some(at) = moving.time() {
        return Cell::Time(at);
    }
    if let Some(restarts) = moving.restarts() {
        return Cell::Restarts(restarts, moving.last_at());
    }
    moving.from().map_or(Cell::None, |from| Cell::Duration(from, moving.to()))
}

/// Converts the counts of a column.
pub(crate) fn facet(counts: &client::ColumnCounts) -> Facet {
    let value = |counted: client::ValueCount| FacetValue { value: counted.value(), count: counted.count() as usize };
    let values = counts.values().iter().map(value).collect();
    Facet { column: counts.column(), values, more: counts.more() as usize }
}

/// Converts a resource.
pub(crate) fn resource(info: &client::ResourceInfo) -> ResourceInfo {
    ResourceInfo {
        group: info.group(),
        version: info.version(),
        resource: info.resource(),
        kind: info.kind(),
        namespaced: info.namespaced(),
        verbs: texts(&info.verbs()),
        short_names: texts(&info.short_names()),
        scale: info.scale(),
    }
}

/// Converts a list of texts for the package.
pub(crate) fn strings<'t>(texts: impl IntoIterator<Item = &'t str>) -> Array<JsString> {
    let strings = Array::new_typed();
    for text in texts {
        strings.push(&JsString::from(text));
    }
    strings
}

fn texts(array: &Array<JsString>) -> Vec<String> {
    array.iter().map(|text| String::from(&text)).collect()
}

/// Converts a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are whole, and it saturates")]
pub(crate) fn whole(count: f64) -> u64 {
    count as u64
}
