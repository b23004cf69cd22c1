//! Rows of custom resources: the columns of their definition.

use serde_json::{Value, json};

use super::age::{moment, since};
use super::cells::{number, text};
use super::json_path::JsonPath;
use super::{COLUMNS, name};
use crate::kinds::Kind;

/// Additional printer column.
#[derive(Debug)]
pub(super) struct Column {
    path: JsonPath,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    form: String,
    definition: Value,
}

/// Returns the columns of one version; only the age if the definition has none.
pub(super) fn columns(kind: &Kind, version: &str) -> Vec<Column> {
    let declared = kind.columns.iter().find(|(known, _)| known == version).map(|(_, columns)| columns);
    let declared = declared.and_then(Value::as_array).filter(|columns| !columns.is_empty());
    match declared {
        Some(columns) => columns.iter().map(Column::declared).collect(),
        None => vec![Column::age()],
    }
}

impl Column {
    fn declared(declared: &Value) -> Self {
        let path = text(&declared["jsonPath"]);
        let described = declared["description"].as_str().filter(|text| !text.is_empty());
        let description = described
            .map_or_else(|| format!("Custom resource definition column (in JSONPath format): {path}"), str::to_owned);
        let mut column = Self::new(path, text(&declared["type"]));
        column.definition = json!({
            "name": text(&declared["name"]), "type": column.form, "format": text(&declared["format"]),
            "description": description, "priority": number(&declared["priority"]),
        });
        column
    }

    fn age() -> Self {
        let mut column = Self::new(".metadata.creationTimestamp", "date");
        // As a pod's, except for its type.
        column.definition = built_in("pods", "Age");
        column.definition["type"] = "date".into();
        column
    }

    fn new(path: &str, form: &str) -> Self {
        Self { path: JsonPath::parse(path), form: form.to_owned(), definition: Value::Null }
    }

    fn cell(&self, object: &Value) -> Value {
        let Some(value) = self.path.first(object) else { return Value::Null };
        match (self.form.as_str(), value) {
            ("string", Value::String(text)) => json!(text),
            // Numbers, booleans, lists and maps as JSON.
            ("string", Value::Null) => json!("<nil>"),
            ("string", value) => json!(value.to_string()),
            ("integer", Value::Number(number)) => {
                number.as_i64().map_or_else(|| json!(number.as_f64().map(f64::trunc)), |number| json!(number))
            }
            ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
            ("date", Value::String(_)) => {
                if moment(value).is_some() {
                    json!(since(value))
                } else {
                    json!("<invalid>")
                }
            }
            _ => Value::Null,
        }
    }
}

/// Returns a column definition of a built-in kind.
fn built_in(id: &str, column: &str) -> Value {
    let columns = COLUMNS.get(id).and_then(|json| serde_json::from_str::<Vec<Value>>(json).ok());
    columns.into_iter().flatten().find(|definition| definition["name"] == column).unwrap_or_default()
}

/// All column definitions as JSON.
pub(super) fn definitions(columns: &[Column]) -> String {
    let mut all = vec![built_in("pods", "Name")];
    all.extend(columns.iter().map(|column| column.definition.clone()));
    Value::Array(all).to_string()
}

/// Returns the cells of an object.
pub(super) fn cells(columns: &[Column], object: &Value) -> Vec<Value> {
    std::iter::once(name(object)).chain(columns.iter().map(|column| column.cell(object))).collect()
}
