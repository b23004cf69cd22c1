//! Target under test: a name and an address.

use std::convert::Infallible;
use std::str::FromStr;

/// Apiserver under test.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Heading of its column.
    pub(crate) name: String,
    /// Its URL, without a trailing slash.
    pub(crate) url: String,
    /// Its URL for exec and attach.
    pub(crate) shells: String,
    /// URL at which a POST of `{"revision": N}` compacts older versions.
    pub(crate) compaction: Option<String>,
    /// Whether it is the reference for the others.
    pub(crate) judge: bool,
    /// Whether a `kubectl proxy` is in front of it.
    pub(crate) proxied: bool,
    /// Port of a stub kubelet that it can reach.
    pub(crate) kubelet: Option<u16>,
}

/// Argument of the command line: `NAME=VALUE`.
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
