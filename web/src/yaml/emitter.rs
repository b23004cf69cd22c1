//! Emitter: walks JSON text and prints it as lines of YAML.

use std::borrow::Cow;
use std::{fmt, mem};

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::outline::{Recorder, Segment};
use super::scalar::{is_block, scalar};
use super::secret::{self, LAST_APPLIED, Printed, Printing};
use super::text::Text;
use super::{Document, Line};

/// Maximum depth, beyond that of any real object; deeper values are printed as JSON, which is valid YAML.
const MAX_DEPTH: usize = 64;

/// Position of a value in an object, as far as it affects printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// The object itself.
    Root,
    /// Its `metadata`.
    Metadata,
    /// The annotations of a Secret.
    SecretAnnotations,
    /// `data` or `stringData` of a Secret.
    SecretData(&'static str),
    /// Any other position.
    Inside,
}

/// Walks the text level by level with `RawValue` and never builds a tree: keys keep their order, and numbers keep the
/// digits that the server sent, beyond 2^53 too.
pub(super) struct Emitter<'a> {
    printing: &'a Printing,
    is_secret: bool,
    lines: Vec<Line>,
    recorder: Recorder,
    managed_fields: Document,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(printing: &'a Printing) -> Self {
        Self {
            printing,
            is_secret: printing.is_secret,
            lines: Vec::new(),
            recorder: Recorder::default(),
            managed_fields: Document::default(),
        }
    }

    /// Prints a whole object, and its managed fields apart from it.
    pub(super) fn object(mut self, raw: &RawValue) -> serde_json::Result<(Document, Document)> {
        self.value(raw, 0, String::new(), "", Position::Root, true)?;
        let managed_fields = mem::take(&mut self.managed_fields);
        Ok((self.finish(), managed_fields))
    }

    fn finish(self) -> Document {
        Document { lines: self.lines, outline: self.recorder.finish() }
    }

    /// Prints a value after `lead` and `key`: a scalar on the same line, others below. `inline`: its first line is this
    /// line, as in a document and after a dash.
    fn value(
        &mut self,
        raw: &RawValue,
        depth: usize,
        lead: String,
        key: &str,
        position: Position,
        inline: bool,
    ) -> serde_json::Result<()> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => self.push(lead, key, text.to_owned()),
            Some(b'{') => {
                let Entries(entries) = serde_json::from_str(text)?;
                if entries.is_empty() {
                    self.push(lead, key, "{}".to_owned());
                } else {
                    self.open(lead, key, inline);
                    self.entries(&entries, if inline { depth } else { depth + 1 }, position)?;
                }
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                if items.is_empty() {
                    self.push(lead, key, "[]".to_owned());
                } else {
                    self.open(lead, key, inline);
                    for (at, item) in items.into_iter().enumerate() {
                        let entered = self.recorder.enter(Segment::Index(at), &name_of(item, at));
                        self.item(item, depth)?;
                        self.recorder.leave(entered);
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
        position: Position,
    ) -> serde_json::Result<()> {
        if position == Position::Root {
            self.is_secret |= entries.iter().any(|(name, raw)| name == "kind" && names_secrets(raw));
        }
        for (name, raw) in entries {
            if (position, &**name) == (Position::Metadata, "managedFields") {
                let mut apart = Self::new(self.printing);
                apart.value(raw, 0, String::new(), "managedFields:", Position::Inside, false)?;
                self.managed_fields = apart.finish();
                continue;
            }
            let entered = self.recorder.enter(Segment::Key(name.to_string()), name);
            self.entry(name, raw, depth, position)?;
            self.recorder.leave(entered);
        }
        Ok(())
    }

    fn entry(&mut self, name: &str, raw: &RawValue, depth: usize, position: Position) -> serde_json::Result<()> {
        let key = format!("{}:", scalar(name));
        let inner = match (position, name) {
            (Position::SecretAnnotations, LAST_APPLIED) => {
                return self.secret("metadata/annotations", name, raw, &key, depth);
            }
            (Position::SecretData(parent), _) => return self.secret(parent, name, raw, &key, depth),
            (Position::Root, "data") if self.is_secret => Position::SecretData("data"),
            (Position::Root, "stringData") if self.is_secret => Position::SecretData("stringData"),
            (Position::Root, "metadata") => Position::Metadata,
            (Position::Metadata, "annotations") if self.is_secret => Position::SecretAnnotations,
            _ => Position::Inside,
        };
        match inner {
            // An apiserver sends only objects here; any other value is fully masked.
            Position::SecretData(parent) if !raw.get().starts_with('{') => self.secret(parent, "", raw, &key, depth),
            _ => self.value(raw, depth, indent(depth), &key, inner, false),
        }
    }

    /// A value of a Secret: masked, or revealed.
    fn secret(&mut self, parent: &str, name: &str, raw: &RawValue, key: &str, depth: usize) -> serde_json::Result<()> {
        let first = self.lines.len();
        let (printed, note, secret) = secret::printed(self.printing, parent, name, raw);
        match printed {
            Printed::Line(value) => self.push(indent(depth), key, value),
            Printed::Text(text) => self.string(indent(depth), key, &text, depth),
            Printed::Raw => self.value(raw, depth, indent(depth), key, Position::Inside, false)?,
        }
        if let Some(line) = self.lines.get_mut(first) {
            line.note = note;
            line.secret = Some(secret);
        }
        Ok(())
    }

    /// Item of a sequence: its dash has the indentation of the sequence's key, as in kubectl.
    fn item(&mut self, raw: &RawValue, depth: usize) -> serde_json::Result<()> {
        let first = self.lines.len();
        let (text, lead) = (raw.get(), indent(depth + 1));
        match text.as_bytes().first() {
            Some(b'{' | b'[') if depth + 1 >= MAX_DEPTH => self.push(lead, "", text.to_owned()),
            Some(b'{' | b'[') => self.value(raw, depth + 1, lead, "", Position::Inside, true)?,
            _ => self.value(raw, depth, lead, "", Position::Inside, false)?,
        }
        // The dash replaces the last two columns of the first line's indentation.
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
        // A first line that starts with a space needs an explicit indentation.
        let hint = if text.starts_with([' ', '\n']) { "2" } else { "" };
        self.push(lead, key, format!("|{hint}{}", &chomp[1..]));
        let text = text.strip_suffix('\n').unwrap_or(text);
        for line in text.split('\n') {
            let lead = if line.is_empty() { String::new() } else { indent(depth + 1) };
            self.push(lead, "", line.to_owned());
        }
    }

    fn open(&mut self, lead: String, key: &str, inline: bool) {
        if !inline {
            self.push(lead, key, String::new());
        }
    }

    fn push(&mut self, lead: String, key: &str, value: String) {
        self.recorder.line();
        self.lines.push(Line { lead, key: key.to_owned(), value, ..Line::default() });
    }
}

/// Whether a `kind` is `Secret`.
fn names_secrets(kind: &RawValue) -> bool {
    serde_json::from_str::<Text<'_>>(kind.get()).is_ok_and(|kind| kind.0 == "Secret")
}

/// Identity of a list item: the value of a scalar, a naming field of an object, otherwise the index.
fn name_of(item: &RawValue, at: usize) -> String {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Named<'a> {
        #[serde(borrow)]
        name: Option<&'a RawValue>,
        #[serde(borrow, rename = "type")]
        kind: Option<&'a RawValue>,
        #[serde(borrow)]
        key: Option<&'a RawValue>,
        #[serde(borrow)]
        ip: Option<&'a RawValue>,
    }
    let text = item.get();
    let name = match text.as_bytes().first() {
        Some(b'{') => serde_json::from_str::<Named<'_>>(text)
            .ok()
            .and_then(|named| named.name.or(named.kind).or(named.key).or(named.ip)),
        Some(b'[') => None,
        _ => Some(item),
    };
    name.map_or_else(|| at.to_string(), |name| name.get().to_owned())
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Entries of one object in order, values unparsed.
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
