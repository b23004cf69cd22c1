//! Query parameters, parsed like the real server does.

use crate::status::Status;

/// Decoded parameters of one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub(crate) fn parse(raw: &str) -> Self {
        Self { pairs: form_urlencoded::parse(raw.as_bytes()).into_owned().collect() }
    }

    /// Returns the first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a parameter.
    #[cfg(feature = "sockets")]
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    }

    /// A flag: present and neither `false` nor `0`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// Returns a number; an empty parameter counts as missing.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, Status> {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        let Some(text) = self.get(name) else { return Ok(None) };
        text.parse::<i64>().map(Some).map_err(|error| {
            let out = matches!(error.kind(), PosOverflow | NegOverflow);
            let why = if out { "value out of range" } else { "invalid syntax" };
            Status::bad_request(format!("strconv.ParseInt: parsing \"{text}\": {why}"))
        })
    }

    /// `resourceVersion`; `None` when absent or empty. The error is the server's sentence, for the caller's status.
    pub(crate) fn resource_version(&self) -> Result<Option<u64>, String> {
        let Some(text) = self.get("resourceVersion").filter(|text| !text.is_empty()) else { return Ok(None) };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits).map(Some).ok_or_else(|| {
            let why = if digits { "value out of range" } else { "invalid syntax" };
            format!("resourceVersion: Invalid value: \"{text}\": strconv.ParseUint: parsing \"{text}\": {why}")
        })
    }

    /// `resourceVersionMatch`; `None` when absent or empty.
    pub(crate) fn version_match(&self) -> Option<&str> {
        self.get("resourceVersionMatch").filter(|text| !text.is_empty())
    }
}
