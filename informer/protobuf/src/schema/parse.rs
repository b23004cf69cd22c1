//! Parser of the text of a schema.

use super::{Field, Kind, Message, MessageId, NONE, Package, Schema, Shape};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::BLOCK;

impl Schema {
    /// Parses a schema, in time proportional to the text: about a millisecond for all groups.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`] with the position of the line that cannot be read.
    pub fn parse(text: &str) -> Result<Self> {
        let mut schema = Self {
            version: String::new(),
            packages: Vec::new(),
            messages: Vec::new(),
            fields: Vec::new(),
            labels: Vec::new(),
            by_number: Vec::new(),
        };
        // Names first, because fields refer to messages of all packages.
        for (at, line) in lines(text) {
            schema.add_name(line).ok_or(Error::new(ErrorKind::Schema, at))?;
        }
        if schema.version.is_empty() || schema.messages.len() > usize::from(u16::MAX) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let (mut package, mut next) = (0, 0);
        for (at, line) in lines(text) {
            if line.starts_with("= ") {
                package += 1;
            } else if at > 0 && !line.starts_with('#') {
                schema.add_fields(package - 1, next, line).ok_or(Error::new(ErrorKind::Schema, at))?;
                next += 1;
            }
        }
        // So that the last one can be copied by blocks, too.
        schema.labels.extend_from_slice(&[0; BLOCK]);
        Ok(schema)
    }

    fn add_name(&mut self, line: &str) -> Option<()> {
        if self.version.is_empty() {
            line.strip_prefix("kubernetes ")?.clone_into(&mut self.version);
        } else if let Some(package) = line.strip_prefix("= ") {
            let (name, api_version) = package.split_once(' ')?;
            let messages = self.messages.len()..self.messages.len();
            self.packages.push(Package { name: name.to_owned(), api_version: api_version.to_owned(), messages });
        } else if !line.starts_with('#') {
            let name = line.split(' ').next()?;
            let (name, is_kind) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
            let package = self.packages.last_mut()?;
            let before = self.messages.last().filter(|_| !package.messages.is_empty());
            // A search by name needs the order.
            if name.is_empty()
                || !name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                || before.is_some_and(|before| before.name.as_str() >= name)
            {
                return None;
            }
            package.messages.end += 1;
            self.messages.push(Message {
                name: name.to_owned(),
                is_kind,
                same: MessageId(u16::try_from(self.messages.len()).ok()?),
                is_list: line.ends_with(" []s"),
                fields: 0..0,
                by_number: 0..0,
            });
        }
        Some(())
    }

    fn add_fields(&mut self, package: usize, message: usize, line: &str) -> Option<()> {
        let mut words = line.split(' ').skip(1).peekable();
        if self.messages.get(message)?.is_list {
            return Some(());
        }
        if let Some(same) = words.peek().and_then(|word| word.strip_prefix('>')) {
            let same = self.resolve(package, same)?;
            self.messages.get_mut(message)?.same = same;
            return Some(());
        }
        let (first_field, first_number) = (self.fields.len(), self.by_number.len());
        for (index, word) in words.enumerate() {
            let field = self.parse_field(package, word)?;
            let at = first_number + usize::from(field.number);
            if self.by_number.len() <= at {
                self.by_number.resize(at + 1, NONE);
            }
            let index = u8::try_from(index).ok().filter(|index| *index != NONE)?;
            if std::mem::replace(self.by_number.get_mut(at)?, index) != NONE {
                return None;
            }
            self.fields.push(field);
        }
        let mut next_kept = NONE;
        for (index, field) in self.fields.iter_mut().skip(first_field).enumerate().rev() {
            next_kept =
                if field.keeps_empty || field.shape == Shape::Inline { u8::try_from(index).ok()? } else { next_kept };
            field.next_kept = next_kept;
        }
        let (fields, by_number) = (first_field..self.fields.len(), first_number..self.by_number.len());
        let message = self.messages.get_mut(message)?;
        (message.fields, message.by_number) = (fields, by_number);
        Some(())
    }

    /// Parses `NAME=NUMBER[*|[]|{}]TYPE[!|?][@]`.
    fn parse_field(&mut self, package: usize, word: &str) -> Option<Field> {
        let (name, rest) = word.split_once('=')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest.get(..digits)?.parse().ok().filter(|number| *number > 0)?;
        let mut rest = rest.get(digits..)?;
        let mut strip = |prefix: &str| {
            let found = rest.strip_prefix(prefix);
            rest = found.unwrap_or(rest);
            found.is_some()
        };
        let mut shape = if strip("*") {
            Shape::Pointer
        } else if strip("[]") {
            Shape::List
        } else if strip("{}") {
            Shape::Map
        } else {
            Shape::Value
        };
        let (rest, is_typed) = rest.strip_suffix('@').map_or((rest, false), |rest| (rest, true));
        let (rest, omits_zero) = rest.strip_suffix('?').map_or((rest, false), |rest| (rest, true));
        let (rest, keeps) = rest.strip_suffix('!').map_or((rest, false), |rest| (rest, true));
        let kind = match rest {
            "s" => Kind::Text,
            "b" => Kind::Bool,
            "i" => Kind::Int32,
            "l" => Kind::Int64,
            "y" => Kind::Bytes,
            "q" => Kind::Quantity,
            "t" => Kind::Time,
            "u" => Kind::MicroTime,
            "x" => Kind::IntOrString,
            "r" => Kind::Json,
            name => {
                let id = self.resolve(package, name)?;
                if self.messages.get(usize::from(id.0))?.is_list { Kind::Strings } else { Kind::Message(id) }
            }
        };
        if name.is_empty() {
            if !(matches!(kind, Kind::Message(_)) && shape == Shape::Value) {
                return None;
            }
            shape = Shape::Inline;
        }
        // A name that needs escapes would need more than quotes.
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')) {
            return None;
        }
        // A value that is a struct in Go is never empty.
        let is_struct =
            !matches!(kind, Kind::Text | Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::Bytes | Kind::Strings);
        let keeps_empty = keeps || shape == Shape::Value && is_struct && !omits_zero;
        let (label, label_bytes) = (u32::try_from(self.labels.len()).ok()?, u8::try_from(name.len() + 4).ok()?);
        for part in [",\"", name, "\":"] {
            self.labels.extend_from_slice(part.as_bytes());
        }
        Some(Field { number, shape, kind, keeps_empty, is_typed, next_kept: NONE, label, label_bytes })
    }

    /// Returns the message of a name with a package, or of a name of this package.
    fn resolve(&self, package: usize, name: &str) -> Option<MessageId> {
        let (package, name) = match name.rsplit_once('.') {
            None => (self.packages.get(package)?, name),
            Some((package, name)) => {
                let at = self.packages.binary_search_by(|other| other.name.as_str().cmp(package)).ok()?;
                (self.packages.get(at)?, name)
            }
        };
        u16::try_from(self.find(package, name)?).ok().map(MessageId)
    }
}

/// Lines with their positions.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.lines().filter_map(move |line| {
        let at = next;
        next += line.len() + 1;
        (!line.is_empty()).then_some((at, line))
    })
}
