//! Batch of lines of the npm package's `logs()`, in JSON.

use std::borrow::Cow;

use serde::Deserialize;

/// `LogLine`
#[derive(Deserialize)]
pub(crate) struct Incoming<'a> {
    #[serde(borrow)]
    pub(crate) time: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
    #[serde(default)]
    pub(crate) cut: u64,
    #[serde(borrow, default)]
    pub(crate) namespace: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) pod: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) container: Option<Cow<'a, str>>,
}
