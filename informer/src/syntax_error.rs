//! Syntax error of a user's text: what it should be, the position, and the reason.

use std::fmt::Display;

use crate::error::{ErrorCode, InformerError};

/// How much of a refused text is shown, in characters. A hostile one may be long.
const SHOWN: usize = 120;

/// A [`ErrorCode::BadRequest`] about the text of a `what`, wrong at the byte `at`, counted from 0.
pub fn syntax_error(what: &str, text: &str, at: usize, reason: impl Display) -> InformerError {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    InformerError::new(ErrorCode::BadRequest, format!("invalid {what} {shown:?} at byte {at}: {reason}"))
}
