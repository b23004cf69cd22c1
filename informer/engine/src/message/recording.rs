//! Messages about recordings of changes, and requests to a view, an aggregate or a recording.

use serde::{Deserialize, Serialize};

use crate::value_counts::ValuesOptions;

/// Options of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordingOptions {
    /// Maximum size of the recorded changes in bytes; the oldest are dropped. 0 is 32 MiB.
    pub max_bytes: usize,
}

/// Selection of recorded changes. The response has the newest first:
/// `[{id, time, key, type, fields: [{path, before, after}]}]`.
///
/// `id` increases with each change. `type` is `added`, `changed` or `deleted`; only `changed` has fields. A field is a
/// JSONPath without braces, with its values; `before` or `after` is missing if the field did not exist. Elements of a
/// list are named by their merge key, if Kubernetes merges the list by one. Versions, `managedFields` and heartbeats
/// are no fields, and a change of nothing else is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChangesOptions {
    /// Key of the object; by default all objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Earliest time, in milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<f64>,
    /// Latest time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Only changes before the one with this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Most changes in the response, at most 1,000.
    pub limit: usize,
}

/// Request to a view, an aggregate or a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ViewRequest {
    /// The values of a column of a view: a [`super::Facet`].
    Values(ValuesOptions),
    /// Recorded changes.
    Changes(ChangesOptions),
    /// The recorded object with a key at a time; null if it did not exist.
    ObjectAt {
        /// Its key.
        key: String,
        /// Milliseconds since the Unix epoch.
        time: f64,
    },
    /// Numbers of changes in equal parts of a span of time. The response is a list of numbers.
    CountChanges {
        /// Begin of the span, in milliseconds since the Unix epoch.
        since: f64,
        /// Its end.
        until: f64,
        /// Number of parts, at most 1,000.
        parts: usize,
    },
    /// Differences of objects between two times, in the order of their first changes: `[{key, type, fields}]`, as in
    /// [`ViewRequest::Changes`].
    Differences {
        /// The earlier time, in milliseconds since the Unix epoch.
        since: f64,
        /// The later one.
        until: f64,
        /// Most objects in the response, at most 1,000.
        limit: usize,
    },
    /// Rewinds all views, aggregates and followed objects of the recording's informer to a time, those of this page
    /// only; without a time, back to the present. The response is null.
    Rewind {
        /// Milliseconds since the Unix epoch.
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
    },
}
