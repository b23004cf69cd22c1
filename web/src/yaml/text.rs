//! JSON string, borrowed from its text if it has no escapes.

use std::borrow::Cow;

/// A string, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
