//! Protobuf of a message, from the members of its JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use informer_packing::{Json, Outline};

use crate::encode::{value, varint};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, Kind, MessageId, Schema, Shape};

pub(super) fn encode(schema: &Schema, message: MessageId, json: &str, out: &mut Vec<u8>) -> Result<()> {
    let outline = Outline::parse(json).map_err(|invalid| Error::new(ErrorKind::Json, invalid.at))?;
    Job { schema, json, out }.message(message, Some(outline.root()))
}

struct Job<'j, 'o> {
    schema: &'j Schema,
    json: &'j str,
    out: &'o mut Vec<u8>,
}

impl<'j> Job<'j, '_> {
    /// Writes the fields of a message; those of the empty one without an object.
    fn message(&mut self, message: MessageId, object: Option<Json<'j>>) -> Result<()> {
        let fields = self.schema.fields(message);
        let mut members = vec![None; fields.len()];
        if let Some(object) = object {
            if !object.is_object() {
                return Err(self.error(object));
            }
            let mut next = 0;
            for (key, value) in object.children() {
                // The order of both is usually the same.
                let (before, after) = fields.split_at(next);
                let found = after
                    .iter()
                    .chain(before)
                    .position(|field| field.shape != Shape::Inline && key.is(self.schema.field_name(field)));
                if let Some(found) = found {
                    let index = (next + found) % fields.len();
                    members[index] = Some(value).filter(|value| !value.is_null());
                    next = (index + 1) % fields.len();
                }
            }
        }
        for index in self.schema.by_number(message) {
            let index = usize::from(*index);
            let (Some(field), Some(member)) = (fields.get(index), members.get(index)) else { continue };
            // The members of an inlined struct are those of this one.
            let member = if field.shape == Shape::Inline { object } else { *member };
            self.field(field, member)?;
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, member: Option<Json<'j>>) -> Result<()> {
        match (field.shape, member) {
            // Go writes nil bytes neither.
            (Shape::Value, None) if field.kind == Kind::Bytes => Ok(()),
            (Shape::Value | Shape::Inline, member) => self.tagged(field.number, field.kind, member),
            (_, None) => Ok(()),
            (Shape::Pointer, member) => self.tagged(field.number, field.kind, member),
            (Shape::List, Some(list)) if list.text().starts_with('[') => list
                .items()
                .try_for_each(|item| self.tagged(field.number, field.kind, Some(item).filter(|item| !item.is_null()))),
            (Shape::Map, Some(map)) if map.is_object() => {
                let members: BTreeMap<Cow<'_, str>, Json<'_>> = map.members().collect();
                for (key, value) in members {
                    varint(u64::from(field.number) << 3 | 2, self.out);
                    let start = self.begin();
                    super::bytes_field(1, key.as_bytes(), self.out);
                    let value = Some(value).filter(|value| !value.is_null());
                    if value.is_some() || field.kind != Kind::Bytes {
                        self.tagged(2, field.kind, value)?;
                    }
                    self.end(start);
                }
                Ok(())
            }
            (Shape::List | Shape::Map, Some(other)) => Err(self.error(other)),
        }
    }

    /// Writes a tag and a value; the zero of its type without one.
    fn tagged(&mut self, number: u8, kind: Kind, json: Option<Json<'j>>) -> Result<()> {
        varint(u64::from(number) << 3 | if kind.is_number() { 0 } else { 2 }, self.out);
        if kind.is_number() {
            let number = json.map_or(Some(0), |json| value::number(kind, json));
            varint(number.ok_or_else(|| self.error_in(json))?.cast_unsigned(), self.out);
            return Ok(());
        }
        let start = self.begin();
        match (kind, json) {
            (Kind::Message(message), json) => self.message(message, json)?,
            (Kind::Strings, Some(list)) => {
                for item in list.items() {
                    self.tagged(1, Kind::Text, Some(item).filter(|item| !item.is_null()))?;
                }
            }
            (kind, json) => value::write(kind, json, self.out).ok_or_else(|| self.error_in(json))?,
        }
        self.end(start);
        Ok(())
    }

    /// Begins a value whose length is not known yet.
    fn begin(&mut self) -> usize {
        self.out.push(0);
        self.out.len()
    }

    /// Writes the length before the value that began at `start`.
    fn end(&mut self, start: usize) {
        let length = self.out.len() - start;
        if let (Ok(short @ ..0x80), Some(byte)) = (u8::try_from(length), self.out.get_mut(start - 1)) {
            *byte = short;
            return;
        }
        let mut bytes = Vec::new();
        varint(length as u64, &mut bytes);
        self.out.splice(start - 1..start, bytes);
    }

    fn error(&self, json: Json<'_>) -> Error {
        self.error_in(Some(json))
    }

    /// The error at a value of the text.
    fn error_in(&self, json: Option<Json<'_>>) -> Error {
        let at = json.map_or(0, |json| json.text().as_ptr() as usize - self.json.as_ptr() as usize);
        Error::new(ErrorKind::Json, at)
    }
}
