//! Record: a JavaScript object of named values. The options and targets that the package takes are records.

use std::ops::Deref;

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

/// JavaScript object of options. The package rejects an option whose name it does not know.
pub(crate) struct Record(Object);

impl Record {
    /// Creates an empty record.
    pub(crate) fn new() -> Self {
        Self(Object::new())
    }

    /// Sets a value; `None` sets none.
    pub(crate) fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        let value: JsValue = value.into();
        if !value.is_undefined() {
            // Fails for frozen objects only.
            let _ = Reflect::set(&self.0, &name.into(), &value);
        }
        self
    }

    /// Sets a text, unless it is empty.
    pub(crate) fn with_text(self, name: &str, text: &str) -> Self {
        self.with(name, (!text.is_empty()).then_some(text))
    }
}

impl Deref for Record {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.0
    }
}

impl From<Record> for JsValue {
    fn from(record: Record) -> Self {
        record.0.into()
    }
}

/// A record of texts.
pub(crate) fn texts<'t>(entries: impl IntoIterator<Item = (&'t str, &'t str)>) -> Record {
    entries.into_iter().fold(Record::new(), |record, (name, text)| record.with(name, text))
}
