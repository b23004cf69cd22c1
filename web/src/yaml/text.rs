//! Text: a string of a JSON text.

use std::borrow::Cow;

/// A string, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
