//! Plain values: statuses, errors, rows and headers, converted from the package's objects.

use informer::{ErrorCode, ErrorReport, Freshness, InformerStatus, Phase, ResourceInfo};
use informer_engine::columns::{Cell, ColumnHeader};
use informer_engine::{Facet, FacetValue};
use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use crate::client;
use crate::rows::Row;

/// Converts a status.
pub(crate) fn status(of: &client::Status) -> InformerStatus {
    InformerStatus {
        phase: phase(&of.phase()),
        freshness: freshness(&of.freshness()),
        has_synced: of.has_synced(),
        namespaces: texts(&of.namespaces()),
        namespace_missing: of.namespace_missing(),
        resource_version: of.resource_version(),
        objects: whole(of.objects()),
        bytes: whole(of.bytes()),
        listed: whole(of.listed()),
        last_event_at: of.last_event_at(),
        last_bookmark_at: of.last_bookmark_at(),
        last_contact_at: of.last_contact_at(),
        next_retry_at: of.next_retry_at(),
        lists: whole(of.lists()),
        watches: whole(of.watches()),
        relists: whole(of.relists()),
        events: whole(of.events()),
        dropped_events: whole(of.dropped_events()),
        queue_depth: whole(of.queue_depth()),
        last_error: of.last_error().map(|error| report(&error)),
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
pub(crate) fn report(of: &client::InformerError) -> ErrorReport {
    ErrorReport {
        code: code(&of.code().unwrap_or_default()),
        message: of.message().unwrap_or_default(),
        status: of.status(),
        request: of.request(),
        retryable: of.retryable(),
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
pub(crate) fn header(of: &client::ColumnHeader) -> ColumnHeader {
    ColumnHeader { name: of.name(), wide: of.priority() > 0, numeric: of.kind() == "number" }
}

/// Converts the row at an index.
pub(crate) fn row(index: usize, of: &client::Row) -> Row {
    Row { index, key: of.key(), gone: of.gone(), cells: of.cells().iter().map(|value| cell(&value)).collect() }
}

fn cell(of: &JsValue) -> Cell {
    if let Some(text) = of.as_string() {
        return Cell::Text(text);
    }
    if let Some(number) = of.as_f64() {
        return Cell::Number(number);
    }
    if !of.is_object() {
        return Cell::None;
    }
    let moving: &client::MovingCell = of.unchecked_ref();
    if let Some(at) = moving.time() {
        return Cell::Time(at);
    }
    if let Some(restarts) = moving.restarts() {
        return Cell::Restarts(restarts, moving.last_at());
    }
    moving.from().map_or(Cell::None, |from| Cell::Duration(from, moving.to()))
}

/// Converts the counts of a column.
pub(crate) fn facet(of: &client::ColumnCounts) -> Facet {
    let value = |of: client::ValueCount| FacetValue { value: of.value(), count: of.count() as usize };
    let values = of.values().iter().map(value).collect();
    Facet { column: of.column(), values, more: of.more() as usize }
}

/// Converts a resource.
pub(crate) fn resource(of: &client::ResourceInfo) -> ResourceInfo {
    ResourceInfo {
        group: of.group(),
        version: of.version(),
        resource: of.resource(),
        kind: of.kind(),
        namespaced: of.namespaced(),
        verbs: texts(&of.verbs()),
        short_names: texts(&of.short_names()),
        scale: of.scale(),
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

fn texts(of: &Array<JsString>) -> Vec<String> {
    of.iter().map(|text| String::from(&text)).collect()
}

/// Converts a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are whole, and it saturates")]
pub(crate) fn whole(count: f64) -> u64 {
    count as u64
}
