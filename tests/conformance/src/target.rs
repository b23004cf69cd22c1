//! Target under test: a name and an address.

use std::convert::Infallible;
use std::str::FromStr;

/// One apiserver.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Heading of its column.
    pub(crate) name: String,
    /// Where it answers, without a slash at the end.
    pub(crate) url: String,
    /// Where it answers to exec and attach.
    pub(crate) shells: String,
    /// Where a POST of `{"revision": N}` makes it forget older versions.
    pub(crate) compaction: Option<String>,
    /// Whether the others are held to it.
    pub(crate) judge: bool,
    /// Whether a `kubectl proxy` stands before it.
    pub(crate) proxied: bool,
    /// Port of a stub kubelet that it can reach.
    pub(crate) kubelet: Option<u16>,
}

/// `NAME=VALUE`, as it stands on the command line.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl FromStr for Named {
    type Err = Infallible;

    /// A value without a name takes its own name.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let (name, value) = text.split_once('=').unwrap_or((text, text));
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}
