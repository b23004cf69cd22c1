//! Syntax error of a user's text: the expected form, the position, and the reason.

use std::fmt::Display;

use crate::error::{ErrorCode, InformerError};

/// Maximum shown characters of a rejected text. A hostile text may be long.
const SHOWN: usize = 120;

/// A [`ErrorCode::BadRequest`] about the text of a `what`, wrong at the byte `at`, counted from 0.
pub fn syntax_error(what: &str, text: &str, at: usize, reason: impl Display) -> InformerError {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    InformerError::new(ErrorCode::BadRequest, format!("invalid {what} {shown:?} at byte {at}: {reason}"))
}
