//! Field access as in Go: a missing or null field has the zero value.

use std::borrow::Cow;

use super::value::Json;

/// A string; empty where there is none.
pub fn string(value: Option<Json<'_>>) -> Cow<'_, str> {
    value.and_then(Json::as_str).unwrap_or_default()
}

/// The elements of an array; none where there is none.
pub fn items(value: Option<Json<'_>>) -> impl Iterator<Item = Json<'_>> {
    value.unwrap_or(Json::new("")).items()
}

/// The members of an object; none where there is none.
pub fn members(value: Option<Json<'_>>) -> impl Iterator<Item = (Cow<'_, str>, Json<'_>)> {
    value.unwrap_or(Json::new("")).members()
}
