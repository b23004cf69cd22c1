//! Literals of a JSONPath: numbers and quoted text.

use informer_packing::Json;

use super::Parser;
use crate::error::Result;

impl<'t> Parser<'t> {
    /// Parses a number without a plus sign.
    pub(super) fn number(&mut self) -> Result<&'t str> {
        let start = self.at;
        let number = self.take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
        let number = number.strip_prefix('+').unwrap_or(number);
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_digit = |c: char| c.is_ascii_digit();
        if digits.starts_with(is_digit) && digits.ends_with(is_digit) && Json::new(number).as_f64().is_some() {
            Ok(number)
        } else {
            Err(self.error(start, format_args!("{number:?} is not a number")))
        }
    }

    /// Parses quoted text with Go's escapes.
    pub(super) fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        let quote = chars.next().map(|(_, c)| c);
        while let Some((at, c)) = chars.next() {
            if Some(c) == quote {
                self.at = start + at + c.len_utf8();
                return Ok(text);
            }
            let digits = match c {
                '\n' => break,
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('x') => 2,
                    Some('u') => 4,
                    Some('U') => 8,
                    escape => {
                        text.push(match escape {
                            Some('n') => '\n',
                            Some('t') => '\t',
                            Some('r') => '\r',
                            Some('a') => '\x07',
                            Some('b') => '\x08',
                            Some('f') => '\x0c',
                            Some('v') => '\x0b',
                            Some(c @ ('\\' | '"' | '\'')) => c,
                            _ => return Err(self.error(start + at, "unknown escape sequence")),
                        });
                        continue;
                    }
                },
                c => {
                    text.push(c);
                    continue;
                }
            };
            let hex: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
            let code = u32::from_str_radix(&hex, 16).ok().filter(|_| hex.len() == digits && !hex.starts_with('+'));
            // A single byte above ASCII would be invalid UTF-8.
            match code.filter(|code| digits > 2 || *code < 128).and_then(char::from_u32) {
                Some(c) => text.push(c),
                None => return Err(self.error(start + at, "this escape sequence is not a character")),
            }
        }
        Err(self.error(start, "unclosed quote"))
    }
}
