//! Type mismatches: tests that no value of their column can pass.

use super::expression::{Column, Test, Word};
use crate::columns::ColumnType;
use crate::value::number;

impl Column {
    /// Returns the error of a test that no value of a column with this `column_type` can pass; an `age` is never
    /// missing. Without this check the filter would hide every row, or none, without a reason.
    pub(crate) fn type_mismatch(&self, age: bool, column_type: ColumnType) -> Option<String> {
        let Self { name, test, .. } = self;
        match (column_type, test) {
            _ if age => (!is_duration_test(test))
                .then(|| "compare an age with a duration, for example age<30m or age>=2d".to_owned()),
            (ColumnType::Time | ColumnType::Duration, Test::Is(words) | Test::IsNot(words))
                if words.iter().all(is_special) =>
            {
                None
            }
            (ColumnType::Time, test) => (!is_duration_test(test)).then(|| {
                format!("{name:?} is a time; compare it with a duration, for example {name}<30m or {name}>=2d")
            }),
            (ColumnType::Duration, test) => (!is_duration_test(test)).then(|| {
                format!("{name:?} is a duration; compare it with a duration, for example {name}<30s or {name}>=2h")
            }),
            (ColumnType::Number | ColumnType::Ratio, Test::Is(words) | Test::IsNot(words)) => {
                let wrong = words.iter().find(|word| !is_special(word) && number(&word.text).is_none())?;
                Some(not_a_number(name, &wrong.text, column_type))
            }
            (ColumnType::Number | ColumnType::Ratio, Test::Compare(_, limit)) if limit.number.is_none() => {
                Some(not_a_number(name, &limit.text, column_type))
            }
            _ => None,
        }
    }
}

fn is_duration_test(test: &Test) -> bool {
    matches!(test, Test::Compare(_, limit) if limit.duration_ms.is_some())
}

/// Whether any column may have this value: empty, or in angle brackets as kubectl writes it. A star may match anything.
fn is_special(word: &Word) -> bool {
    word.text.is_empty() || word.text.starts_with('<') || word.is_wildcard
}

fn not_a_number(name: &str, text: &str, column_type: ColumnType) -> String {
    let example = if column_type == ColumnType::Ratio { "1/2" } else { "3" };
    format!(
        "{text:?} is not a number; compare {name:?} with a number, for example {name}>{example} or {name}={example}"
    )
}
