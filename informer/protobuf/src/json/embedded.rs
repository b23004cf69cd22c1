//! Embedded object: JSON text inside protobuf, written without blanks, as `encoding/json` compacts it.

use informer_packing::{Outlined, Outliner};

use crate::error::{Error, ErrorKind, Result};
use crate::json::text::escape;

/// Writes JSON text.
pub(super) fn write(out: &mut Vec<u8>, json: &[u8]) -> Result<()> {
    let start = json.iter().position(|byte| !is_blank(*byte)).unwrap_or(0);
    let end = json.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
    let json = json.get(start..end).unwrap_or_default();
    let mut scan = Outliner::default();
    match scan.read(json) {
        Outlined::Complete(value) if value.len() == json.len() => {}
        Outlined::Invalid(invalid) => return Err(Error::new(ErrorKind::Json, start + invalid.at)),
        // A number that is the whole text ends only with another character.
        Outlined::Incomplete if is_number(json) => {}
        _ => return Err(Error::new(ErrorKind::Json, start)),
    }
    if !json.iter().any(|byte| is_blank(*byte) || matches!(byte, b'<' | b'>' | b'&' | 0xe2)) {
        out.extend_from_slice(json);
        return Ok(());
    }
    let (mut rest, mut in_string) = (json, false);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, in_string) {
            (b' ' | b'\n' | b'\t' | b'\r', false) => {}
            (b'<' | b'>' | b'&', _) => escape(out, byte),
            (b'\\', _) => {
                let (escaped, after) = rest.split_at(rest.len().min(1));
                out.push(byte);
                out.extend_from_slice(escaped);
                rest = after;
            }
            (0xe2, _) => match rest {
                [0x80, last @ (0xa8 | 0xa9), after @ ..] => {
                    out.extend_from_slice(if *last == 0xa8 { b"\\u2028" } else { b"\\u2029" });
                    rest = after;
                }
                _ => out.push(byte),
            },
            _ => {
                in_string ^= byte == b'"';
                out.push(byte);
            }
        }
    }
    Ok(())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// Whether a text is a number, by the rule of JSON.
fn is_number(json: &[u8]) -> bool {
    let mut scan = Outliner::default();
    let text = [json, b" "].concat();
    matches!(scan.read(&text), Outlined::Complete(value) if value.len() == json.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(json: &str) -> Result<String> {
        let mut out = Vec::new();
        write(&mut out, json.as_bytes())?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn blanks_are_removed_and_html_is_escaped() {
        for (json, expected) in [
            (" { \"a b\" :\t[ 1 , \"\\\" <\" ] }\n", "{\"a b\":[1,\"\\\" \\u003c\"]}"),
            ("\"&>\u{2028}\u{2029}\u{2027}\"", "\"\\u0026\\u003e\\u2028\\u2029\u{2027}\""),
            ("\"\\\\\"", "\"\\\\\""),
            (" 12.5e3 ", "12.5e3"),
            ("null", "null"),
            ("[]", "[]"),
        ] {
            assert_eq!(written(json).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn anything_else_is_a_typed_error() {
        for json in ["", " ", "{", "{}{}", "{\"a\"}", "nul", "1 2", "-", "k8s\0"] {
            assert_eq!(written(json).map_err(|error| error.kind), Err(ErrorKind::Json), "{json}");
        }
    }
}
