//! End of a value in valid JSON.

use super::block::{BLOCK, plain_bytes};

pub(super) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

/// Returns the byte after the value that begins here.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn end_of_value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => end_of_string(bytes, at),
        b'{' | b'[' => end_of_container(bytes, at),
        _ => {
            let is_end = |b: &u8| matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r');
            let length = bytes.get(at..)?.iter().position(is_end)?;
            (length > 0).then_some(at + length)
        }
    }
}

/// Returns the byte after the string that begins here.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
#[inline]
pub(super) fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        if let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let plain = plain_bytes(*block);
            at += plain;
            if plain == BLOCK {
                continue;
            }
        }
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the byte after the object or array that begins here. Does not check that brackets match.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn end_of_container(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = end_of_string(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}
