//! JSON text to YAML, as `kubectl get -o yaml` would print it.
//!
//! It walks the text level by level with `RawValue` and never builds a tree: the order of keys stays, and numbers stay
//! the digits that the server sent, beyond 2^53 too.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Deeper than any real object; what lies below is printed as the JSON it is, which YAML can read too.
const MAX_DEPTH: usize = 64;

/// One line, cut where the colours change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    /// Indentation and dashes.
    pub(crate) lead: String,
    /// The key with its colon, or nothing.
    pub(crate) key: String,
    /// What follows the key, or the text of a block scalar.
    pub(crate) value: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.key.is_empty() || self.value.is_empty() { "" } else { " " };
        write!(f, "{}{}{space}{}", self.lead, self.key, self.value)
    }
}

/// An object as YAML. `metadata.managedFields`, which people rarely want, lies apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Yaml {
    /// Everything else.
    pub(crate) body: Vec<Line>,
    /// The managed fields, where the object has any.
    pub(crate) managed_fields: Vec<Line>,
}

impl Yaml {
    /// Reads an object. The error is serde's sentence.
    pub(crate) fn of(json: &str) -> Result<Self, String> {
        let root: &RawValue = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut body = Emitter { fold_managed_fields: true, ..Emitter::default() };
        body.value(root, 0, "", true).map_err(|error| error.to_string())?;
        Ok(Self { body: body.lines, managed_fields: body.folded })
    }
}

/// The lines as one text.
pub(crate) fn to_text(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

#[derive(Default)]
struct Emitter {
    lines: Vec<Line>,
    folded: Vec<Line>,
    fold_managed_fields: bool,
}

impl Emitter {
    /// Prints a value after `lead` and `key`, on the same line where it is a scalar, below where it is not.
    fn value(&mut self, raw: &RawValue, depth: usize, key: &str, root: bool) -> serde_json::Result<()> {
        self.value_after(raw, depth, indent(depth), key, root)
    }

    fn value_after(
        &mut self,
        raw: &RawValue,
        depth: usize,
        lead: String,
        key: &str,
        root: bool,
    ) -> serde_json::Result<()> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => self.push(lead, key, text.to_owned()),
            Some(b'{') => {
                let Entries(entries) = serde_json::from_str(text)?;
                if entries.is_empty() {
                    self.push(lead, key, "{}".to_owned());
                } else {
                    let inner = if root { depth } else { depth + 1 };
                    self.open(lead, key, root);
                    self.entries(&entries, inner, key == "metadata:" && depth == 0)?;
                }
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                if items.is_empty() {
                    self.push(lead, key, "[]".to_owned());
                } else {
                    self.open(lead, key, root);
                    for item in items {
                        self.item(item, depth)?;
                    }
                }
            }
            Some(b'"') => {
                let string: Cow<'_, str> = serde_json::from_str::<Text<'_>>(text)?.0;
                self.string(lead, key, &string, depth);
            }
            _ => self.push(lead, key, text.to_owned()),
        }
        Ok(())
    }

    fn entries(
        &mut self,
        entries: &[(Cow<'_, str>, &RawValue)],
        depth: usize,
        metadata: bool,
    ) -> serde_json::Result<()> {
        for (name, raw) in entries {
            if metadata && name == "managedFields" && self.fold_managed_fields {
                let mut apart = Self::default();
                apart.value(raw, 0, "managedFields:", false)?;
                self.folded = apart.lines;
                continue;
            }
            self.value(raw, depth, &format!("{}:", scalar(name)), false)?;
        }
        Ok(())
    }

    /// An item of a sequence: its dash stands at the indentation of the sequence's key, as kubectl has it.
    fn item(&mut self, raw: &RawValue, depth: usize) -> serde_json::Result<()> {
        let first = self.lines.len();
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'{' | b'[') if depth + 1 >= MAX_DEPTH => self.push(indent(depth + 1), "", text.to_owned()),
            Some(b'{' | b'[') => self.value_after(raw, depth + 1, indent(depth + 1), "", true)?,
            _ => self.value_after(raw, depth, indent(depth + 1), "", false)?,
        }
        // The dash takes the place of the first line's last two columns of indentation.
        if let Some(line) = self.lines.get_mut(first) {
            let at = depth * 2;
            if line.lead.is_char_boundary(at) && line.lead.get(at..at + 2) == Some("  ") {
                line.lead.replace_range(at..at + 2, "- ");
            }
        }
        Ok(())
    }

    fn string(&mut self, lead: String, key: &str, text: &str, depth: usize) {
        if !is_block(text) {
            return self.push(lead, key, scalar(text).into_owned());
        }
        let body = text.trim_end_matches('\n');
        let chomp = match text.len() - body.len() {
            0 => "|-",
            1 => "|",
            _ => "|+",
        };
        // A first line that starts with a space needs to say how far the block is indented.
        let hint = if text.starts_with([' ', '\n']) { "2" } else { "" };
        self.push(lead, key, format!("|{hint}{}", &chomp[1..]));
        let text = text.strip_suffix('\n').unwrap_or(text);
        for line in text.split('\n') {
            let lead = if line.is_empty() { String::new() } else { indent(depth + 1) };
            self.push(lead, "", line.to_owned());
        }
    }

    fn open(&mut self, lead: String, key: &str, root: bool) {
        if !root {
            self.push(lead, key, String::new());
        }
    }

    fn push(&mut self, lead: String, key: &str, value: String) {
        self.lines.push(Line { lead, key: key.to_owned(), value });
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Whether a text reads best as a block scalar: several lines that need no escapes.
fn is_block(text: &str) -> bool {
    let plain = |c: char| c == '\n' || c == '\t' || !(c.is_control() || is_odd(c));
    text.trim_end_matches('\n').contains('\n') && text.chars().all(plain) && !text.contains(" \n")
}

/// Characters that YAML takes for line breaks or marks, or that nobody can see.
fn is_odd(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A string as it stands in YAML: plain where no reader can mistake it, else quoted.
fn scalar(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| c.is_control() || is_odd(c)) {
        return Cow::Owned(double_quoted(text));
    }
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    if text.contains('\'') { Cow::Owned(double_quoted(text)) } else { Cow::Owned(format!("'{text}'")) }
}

/// A double-quoted scalar: JSON's escapes are YAML's; what hides from the eye is escaped as well.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() || is_odd(c) => {
                // Writing to a String cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let indicator = "-?:,[]{}#&*!|>'\"%@`=~<";
    let starts_well = !indicator.contains(first) || (first == '-' && text[1..].starts_with(|c: char| c != ' '));
    starts_well
        && !text.starts_with(' ')
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !reads_as_another_type(text)
        && text != "---"
        && text != "..."
}

/// Whether YAML 1.1 or 1.2 would take the text for a boolean, null, number or time.
fn reads_as_another_type(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    if WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return true;
    }
    let bytes = text.trim_start_matches(['+', '-']).as_bytes();
    match bytes {
        [b'0', b'x' | b'o' | b'b', digits @ ..] => digits.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_'),
        [b'0'..=b'9', ..] => is_number(bytes) || is_timestamp(bytes),
        [b'.', rest @ ..] => {
            rest.first().is_some_and(u8::is_ascii_digit)
                || ["inf", "nan"].iter().any(|word| rest.eq_ignore_ascii_case(word.as_bytes()))
        }
        _ => false,
    }
}

/// Decimals, floats, and YAML 1.1's numbers to the base of sixty (`1:30`).
fn is_number(bytes: &[u8]) -> bool {
    let mut previous = 0;
    let sign_after_exponent = |b: &u8| {
        let fits = b.is_ascii_digit()
            || matches!(b, b'_' | b'.' | b':' | b'e' | b'E')
            || (matches!(b, b'+' | b'-') && matches!(previous, b'e' | b'E'));
        previous = *b;
        fits
    };
    let dots = bytes.split(|b| *b == b'.').count() - 1;
    bytes.iter().all(sign_after_exponent) && dots < 2
}

fn is_timestamp(bytes: &[u8]) -> bool {
    bytes.len() >= 10
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && bytes
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b':' | b'T' | b't' | b'Z' | b'z' | b'.' | b'+' | b' '))
}

/// The entries of one object in their order, values unread.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    entries.push((key, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A string, borrowed where it holds no escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests;
