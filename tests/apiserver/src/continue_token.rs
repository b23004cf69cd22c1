//! Continue tokens: base64url of JSON, as in the real server.

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine as _};
use serde::Serialize;
use serde_json::Value;

use crate::status::Status;
use crate::syntax::json_kind;

/// Start of the next page, and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ContinueToken {
    v: String,
    /// Version of the first page; -1 for the newest.
    pub(crate) rv: i64,
    start: String,
}

impl ContinueToken {
    /// Creates the token that continues after the object `key`.
    pub(crate) fn after(key: &str, rv: i64) -> Self {
        Self { v: "meta.k8s.io/v1".to_owned(), rv, start: format!("/{key}\0") }
    }

    /// Returns the token for the same position at the newest version, for a 410.
    pub(crate) fn inconsistent(&self) -> Self {
        Self { v: self.v.clone(), rv: -1, start: self.key().to_owned() }
    }

    /// Returns the smallest key of the next page.
    pub(crate) fn key(&self) -> &str {
        self.start.trim_start_matches('/')
    }

    pub(crate) fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(crate) fn decode(text: &str) -> Result<Self, Status> {
        let invalid =
            |why: String| Status::bad_request(format!("invalid continue token: continue key is not valid: {why}"));
        let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|error| {
            invalid(match error {
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => {
                    format!("illegal base64 data at input byte {at}")
                }
                _ => format!("illegal base64 data at input byte {}", text.len()),
            })
        })?;
        let token = Self::of_json(&bytes).map_err(invalid)?;
        if token.v != "meta.k8s.io/v1" {
            let sentence = format!("server does not recognize this encoded version {}", token.v);
            return Err(invalid(sentence.trim_end().to_owned()));
        }
        if token.rv == 0 {
            return Err(invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)".to_owned()));
        }
        if token.start.is_empty() {
            return Err(invalid("encoded start key empty (version meta.k8s.io/v1)".to_owned()));
        }
        // Keys must not leave the resource.
        if token.rv < -1 || token.key().is_empty() || token.key().split('/').any(|part| ["", ".", ".."].contains(&part))
        {
            return Err(invalid(token.start));
        }
        Ok(token)
    }

    /// Parses a token; missing fields are empty. The errors have Go's messages.
    fn of_json(bytes: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_| match bytes.first() {
            Some(first) => format!("invalid character {} looking for beginning of value", quoted(*first)),
            None => "unexpected end of JSON input".to_owned(),
        })?;
        if !value.is_object() && !value.is_null() {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type storage.continueToken",
                json_kind(&value)
            ));
        }
        let wrong = |field: &str, wanted: &str| {
            let found = json_kind(&value[field]);
            format!("json: cannot unmarshal {found} into Go struct field continueToken.{field} of type {wanted}")
        };
        let text = |field: &str| match &value[field] {
            Value::Null => Ok(String::new()),
            Value::String(text) => Ok(text.clone()),
            _ => Err(wrong(field, "string")),
        };
        let rv = match &value["rv"] {
            Value::Null => 0,
            rv => rv.as_i64().ok_or_else(|| wrong("rv", "int64"))?,
        };
        Ok(Self { v: text("v")?, rv, start: text("start")? })
    }
}

/// Formats a byte as Go formats a character.
fn quoted(byte: u8) -> String {
    match byte {
        0x20..=0x7e => format!("'{}'", char::from(byte)),
        _ => format!("'\\u{byte:04x}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_bytes_as_the_real_server() {
        // From the sample list-limit-page1.
        let text = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTcyMDEsInN0YXJ0IjoiL2Fkcy1zdGFnaW5nXHUwMDAwIn0";
        let token = ContinueToken::after("ads-staging", 17201);
        assert_eq!(token.encode(), text);
        assert_eq!(ContinueToken::decode(text).unwrap(), token);
        for bad in ["junk", "", "e30", "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6Ii9hIn0"] {
            assert_eq!(ContinueToken::decode(bad).unwrap_err().code, 400, "{bad}");
        }
    }
}
