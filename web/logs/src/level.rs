//! Level of a line, from what programs commonly write: a JSON field, logfmt, the klog prefix, or a word at its beginning.

/// Severity; `Unknown` for lines without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The line contains no level.
    Unknown,
    /// Debug and trace.
    Debug,
    /// Information and notices.
    Info,
    /// Warnings.
    Warn,
    /// Errors and all that is worse.
    Error,
}

/// Length of the beginning of a line that is searched for a level field, in bytes.
const FIELD_WITHIN: usize = 1024;
/// Length of the beginning of a line that is searched for a level word, in bytes.
const WORD_WITHIN: usize = 96;

const KEYS: [&str; 5] = ["level", "severity", "lvl", "levelname", "loglevel"];

/// Returns the level of a line.
pub fn level_of(text: &str) -> Level {
    let bytes = text.as_bytes();
    if let Some(level) = klog(bytes) {
        return level;
    }
    let field = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => json(bytes),
        _ => logfmt(bytes),
    };
    field.or_else(|| word(bytes)).unwrap_or(Level::Unknown)
}

/// `E1123 01:02:03.000000`
fn klog(bytes: &[u8]) -> Option<Level> {
    let [letter, digits @ ..] = bytes.get(..6)? else { return None };
    if !digits[..4].iter().all(u8::is_ascii_digit) || digits[4] != b' ' {
        return None;
    }
    match letter {
        b'I' => Some(Level::Info),
        b'W' => Some(Level::Warn),
        b'E' | b'F' => Some(Level::Error),
        _ => None,
    }
}

fn json(bytes: &[u8]) -> Option<Level> {
    let bytes = &bytes[..bytes.len().min(FIELD_WITHIN)];
    let mut at = 0;
    while let Some(quote) = bytes[at..].iter().position(|byte| *byte == b'"') {
        let start = at + quote + 1;
        let end = start + bytes[start..].iter().position(|byte| *byte == b'"')?;
        at = end + 1;
        if !is_key(&bytes[start..end]) {
            continue;
        }
        let rest = bytes[at..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else { continue };
        return match value.strip_prefix(b"\"") {
            Some(name) => named(letters(name)),
            None => number(value),
        };
    }
    None
}

/// `level=warn`
fn logfmt(bytes: &[u8]) -> Option<Level> {
    let bytes = &bytes[..bytes.len().min(FIELD_WITHIN)];
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'=') {
        let start = bytes[..at].iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |before| before + 1);
        if is_key(&bytes[start..at]) {
            let value = &bytes[at + 1..];
            return named(letters(value.strip_prefix(b"\"").unwrap_or(value)));
        }
    }
    None
}

fn is_key(name: &[u8]) -> bool {
    KEYS.iter().any(|key| name.eq_ignore_ascii_case(key.as_bytes()))
}

/// Word in capitals, or one that a bracket or colon marks: `ERROR`, `[error]`, `Warning:`.
fn word(bytes: &[u8]) -> Option<Level> {
    let bytes = &bytes[..bytes.len().min(WORD_WITHIN)];
    let mut at = 0;
    // The text before a word, without the end of a colour sequence.
    let mut start = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"\x1b[") {
            at += bytes[at..].iter().skip(2).position(u8::is_ascii_alphabetic).map_or(2, |end| end + 3);
            start = at;
            continue;
        }
        let word = letters(&bytes[at..]);
        if word.is_empty() {
            at += 1;
            continue;
        }
        let next = bytes.get(at + word.len());
        let before = bytes[start..at].last();
        let is_marked = matches!(next, Some(b':' | b']')) || before == Some(&b'[');
        let is_part = before.is_some_and(|before| is_inner(*before)) || next.is_some_and(|next| is_inner(*next));
        if !is_part
            && (is_marked || (word.len() > 2 && word.iter().all(u8::is_ascii_uppercase)))
            && let Some(level) = named(word)
        {
            return Some(level);
        }
        at += word.len();
    }
    None
}

/// Whether a byte beside a word makes it part of a longer name.
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

fn letters(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(bytes.len());
    &bytes[..end]
}

fn named(name: &[u8]) -> Option<Level> {
    let is = |words: &[&str]| words.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()));
    if is(&["info", "information", "notice", "inf"]) {
        Some(Level::Info)
    } else if is(&[
        "error",
        "err",
        "fatal",
        "panic",
        "critical",
        "crit",
        "emergency",
        "emerg",
        "alert",
        "severe",
        "dpanic",
    ]) {
        Some(Level::Error)
    } else if is(&["warn", "warning", "wrn"]) {
        Some(Level::Warn)
    } else if is(&["debug", "dbg", "trace", "trc", "verbose", "fine"]) {
        Some(Level::Debug)
    } else {
        None
    }
}

/// Levels of pino and bunyan: 10 trace to 60 fatal.
fn number(value: &[u8]) -> Option<Level> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: u32 = std::str::from_utf8(value.get(..digits)?).ok()?.parse().ok()?;
    match number {
        10..30 => Some(Level::Debug),
        30..40 => Some(Level::Info),
        40..50 => Some(Level::Warn),
        50..=60 => Some(Level::Error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_from_what_programs_write() {
        for (text, level) in [
            (r#"{"ts":1,"level":"warn","msg":"x"}"#, Level::Warn),
            (r#"{"severity" : "ERROR"}"#, Level::Error),
            (r#"{"time":1,"level":50}"#, Level::Error),
            (r#"{"msg":"the level","level":"debug"}"#, Level::Debug),
            ("E1123 01:02:03.000001       1 main.go:7] x", Level::Error),
            ("I1123 01:02:03.000001       1 main.go:7] ERROR is a word here", Level::Info),
            ("level=info msg=\"an error\"", Level::Info),
            ("ts=1 lvl=\"WARN\" msg=x", Level::Warn),
            ("2026-01-02 03:04:05 ERROR x", Level::Error),
            ("\u{1b}[31mERROR\u{1b}[0m x", Level::Error),
            ("[warning] x", Level::Warn),
            ("Error: x", Level::Error),
            ("panic: runtime error", Level::Error),
            ("2026/01/02 03:04:05 [notice] 1#1: start", Level::Info),
        ] {
            assert_eq!(level_of(text), level, "{text}");
        }
    }

    #[test]
    fn a_word_in_a_sentence_is_no_level() {
        for text in [
            "",
            "no error was found",
            "GET /error HTTP/1.1",
            "error_count 3",
            "LOG-ERROR-1",
            "{",
            "{\"level",
            "level=",
            "E112",
            "é=é",
            "\u{1b}[",
        ] {
            assert_eq!(level_of(text), Level::Unknown, "{text}");
        }
    }
}
