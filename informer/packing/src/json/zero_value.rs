//! Field access as in Go: a missing or null field has the zero value.

use std::borrow::Cow;

use super::value::Json;

/// Returns a string; empty if it is missing.
pub fn string(value: Option<Json<'_>>) -> Cow<'_, str> {
    value.and_then(Json::as_str).unwrap_or_default()
}

/// Iterates over the elements of an array; empty if it is missing.
pub fn items(value: Option<Json<'_>>) -> impl Iterator<Item = Json<'_>> {
    value.unwrap_or(Json::new("")).items()
}

/// Iterates over the members of an object; empty if it is missing.
pub fn members(value: Option<Json<'_>>) -> impl Iterator<Item = (Cow<'_, str>, Json<'_>)> {
    value.unwrap_or(Json::new("")).members()
}
