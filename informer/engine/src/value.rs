//! Value of a cell for filters and sorting: a text and, if it has one, a number.

mod amount;
mod natural;
mod quantity;
mod short_text;

use std::cmp::Ordering;

use informer_packing::collate;

use crate::columns::Cell;
use informer::parse_rfc3339;

pub(crate) use amount::Amount;
pub(crate) use natural::compare as natural;
pub(crate) use quantity::{duration_ms, number};
use short_text::ShortText;

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The object has no value.
    Missing,
    /// A count, quantity or ratio, with its number.
    Number,
    /// A time; its number is milliseconds since the Unix epoch.
    Time,
    /// A duration; its number is milliseconds.
    Duration,
    /// Any other text.
    Text,
}

/// Value of a cell, parsed once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) kind: Kind,
    /// Displayed text; empty for a time, because its age changes until it is painted.
    pub(crate) text: ShortText,
    /// Number: see [`Kind`]; 0 for text and missing values.
    pub(crate) number: f64,
}

impl Value {
    pub(crate) fn missing() -> Self {
        Self { kind: Kind::Missing, text: ShortText::default(), number: 0.0 }
    }

    pub(crate) fn time(ms: f64) -> Self {
        Self { kind: Kind::Time, text: ShortText::default(), number: ms }
    }

    /// Parses a text: `1Gi` is more than `500Mi`, `1/2` is a half, and a timestamp is a time.
    pub(crate) fn text(text: &str) -> Self {
        let (kind, number) = match number(text) {
            Some(number) => (Kind::Number, number),
            None if text.is_empty() => return Self::missing(),
            None => parse_rfc3339(text).map_or((Kind::Text, 0.0), |moment| (Kind::Time, moment)),
        };
        Self { kind, text: text.into(), number }
    }

    pub(crate) fn of(cell: &Cell) -> Self {
        match *cell {
            Cell::Text(ref text) => Self::text(text),
            Cell::Number(number) | Cell::Restarts(number, _) => {
                Self { kind: Kind::Number, text: quantity::text_of(number).as_str().into(), number }
            }
            // The duration of something unfinished grows like an age.
            Cell::Time(ms) | Cell::Duration(ms, None) => Self::time(ms),
            Cell::Duration(from, Some(to)) => {
                Self { kind: Kind::Duration, text: ShortText::default(), number: to - from }
            }
            Cell::None => Self::missing(),
        }
    }

    /// Compares two values, ascending: numbers by size, times from the youngest, durations from the shortest, texts in
    /// natural order. Missing values come last in both directions, so they are not compared here.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let by_kind = (self.kind as u8).cmp(&(other.kind as u8));
        let by_number = || match self.kind {
            Kind::Number | Kind::Duration => self.number.total_cmp(&other.number),
            Kind::Time => other.number.total_cmp(&self.number),
            _ => Ordering::Equal,
        };
        by_kind.then_with(by_number).then_with(|| natural(&self.text, &other.text))
    }

    /// Appends bytes that compare as the values do.
    pub(crate) fn collation_key(&self, into: &mut Vec<u8>) {
        into.push(self.kind as u8);
        match self.kind {
            Kind::Number | Kind::Duration => into.extend(ordered_bits(self.number).to_be_bytes()),
            Kind::Time => into.extend((!ordered_bits(self.number)).to_be_bytes()),
            _ => {}
        }
        collate(&self.text, into);
    }
}

/// Maps a number to an integer with the same order as `total_cmp`.
pub(crate) fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof!["[a-c0-2]{0,4}", "[0-3]/[0-3]", "-?[0-9]{1,2}(m|Mi|Gi)?", "[a\u{0}é]{0,3}"];
        let time = (0u8..4).prop_map(|ms| Value::time(f64::from(ms)));
        prop_oneof![4 => text.prop_map(|text| Value::text(&text)), 1 => time]
    }

    proptest! {
        #[test]
        fn collation_keys_compare_as_values_do(a in value(), b in value()) {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            a.collation_key(&mut left);
            b.collation_key(&mut right);
            prop_assert_eq!(left.cmp(&right), a.compare(&b), "{:?} {:?}", a, b);
        }
    }

    #[test]
    fn collation_keys_distinguish_zeros() {
        let keys = ["a0", "a00", "a7", "a07", "a007", "a10", "a19029"].map(|text| {
            let mut key = Vec::new();
            Value::text(text).collation_key(&mut key);
            key
        });
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!(keys[6].len() < 12, "only zeros before a number cost anything");
    }

    #[test]
    fn quantities_and_parts_are_ordered_by_value() {
        let mut texts = ["auto", "1Gi", "2/2", "500Mi", "0/1", "1/2", "10", "9"].map(Value::text);
        texts.sort_by(Value::compare);
        let texts: Vec<&str> = texts.iter().map(|value| &*value.text).collect();
        assert_eq!(texts, ["0/1", "1/2", "2/2", "9", "10", "500Mi", "1Gi", "auto"]);
    }
}
