//! Content of log lines: generated from a style, or given by a command.

use std::io::Write as _;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

const LEVELS: [&str; 8] = ["info", "info", "info", "info", "debug", "info", "warn", "error"];
const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
const PATHS: [&str; 6] = ["/healthz", "/v1/orders", "/v1/items", "/v1/users", "/metrics", "/v1/carts"];
const MESSAGES: [&str; 6] = [
    "reconciled",
    "cache refreshed",
    "connection reset by peer, retrying",
    "lease renewed",
    "slow query",
    "queue drained \u{2713}",
];

/// Style of a container's lines. Defaults to one derived from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogStyle {
    /// `level=info line=7 msg="GET /v1/items" status=200 took=12ms`.
    Logfmt,
    /// One JSON object per line.
    Json,
    /// Levels and fields in ANSI colours.
    Ansi,
    /// Bytes that are not UTF-8, with control characters and zeros.
    Binary,
}
pub(super) use LogStyle as Style;

impl Style {
    pub(super) fn of_seed(seed: u64) -> Self {
        match seed % 8 {
            5 | 6 => Self::Json,
            7 => Self::Ansi,
            _ => Self::Logfmt,
        }
    }
}

/// Content of a segment's lines.
#[derive(Debug, Clone)]
pub(super) enum LineContent {
    Style(Style),
    /// These bytes.
    Line(Bytes),
    /// This many letters.
    Long(usize),
}

impl LineContent {
    /// Appends a line with its newline.
    pub(super) fn write(&self, seed: u64, number: u64, out: &mut Vec<u8>) {
        match self {
            Self::Style(style) => style.write(seed, number, out),
            Self::Line(bytes) => out.extend_from_slice(bytes),
            Self::Long(bytes) => out.extend((b'a'..=b'z').cycle().take(*bytes)),
        }
        out.push(b'\n');
    }
}

impl Style {
    fn write(self, seed: u64, number: u64, out: &mut Vec<u8>) {
        let mut random = fastrand::Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if self == Self::Binary {
            // Any byte except a newline.
            out.extend((0..random.usize(16..64)).map(|_| random.u8(..)).filter(|byte| *byte != b'\n'));
            // Guarantees invalid UTF-8.
            out.extend_from_slice(b"\xff\xfe\0\x1b");
            return;
        }
        let level = LEVELS[random.usize(..LEVELS.len())];
        let request = random.u8(..4) != 0;
        let message = if request {
            format!("{} {}", METHODS[random.usize(..METHODS.len())], PATHS[random.usize(..PATHS.len())])
        } else {
            MESSAGES[random.usize(..MESSAGES.len())].to_owned()
        };
        let status = request.then(|| [200, 200, 200, 204, 404, 500][random.usize(..6)]);
        let took = random.u16(1..900);
        let field = |text: &str| status.map(|status| text.replace('$', &status.to_string())).unwrap_or_default();
        // Writing to memory cannot fail.
        let _ = match self {
            Self::Json => write!(
                out,
                "{{\"ts\":{},\"level\":\"{level}\",\"line\":{number},\"msg\":\"{message}\"{},\"took_ms\":{took}}}",
                1_767_225_600 + number,
                field(",\"status\":$")
            ),
            Self::Ansi => {
                let colour = match level {
                    "error" => "31",
                    "warn" => "33",
                    "debug" => "36",
                    _ => "32",
                };
                let level = level.to_uppercase();
                let status = field(" \x1b[1m$\x1b[0m");
                write!(out, "\x1b[{colour}m{level}\x1b[0m {message}{status} \x1b[2mline={number} took={took}ms\x1b[22m")
            }
            _ => write!(out, "level={level} line={number} msg=\"{message}\"{} took={took}ms", field(" status=$")),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(content: &LineContent, number: u64) -> Vec<u8> {
        let mut out = Vec::new();
        content.write(7, number, &mut out);
        out
    }

    #[test]
    fn every_style_writes_one_line() {
        for number in 0..200 {
            for style in [Style::Logfmt, Style::Json, Style::Ansi, Style::Binary] {
                let line = line(&LineContent::Style(style), number);
                assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1), "{style:?}");
                assert_eq!(std::str::from_utf8(&line).is_err(), style == Style::Binary);
                match style {
                    Style::Json => drop(serde_json::from_slice::<serde_json::Value>(&line).unwrap()),
                    Style::Ansi => assert!(line.starts_with(b"\x1b[3")),
                    Style::Logfmt => assert!(line.starts_with(b"level=")),
                    Style::Binary => assert!(line.contains(&0)),
                }
            }
        }
        assert_eq!(line(&LineContent::Long(10_485_760), 0).len(), 10_485_761);
    }
}
