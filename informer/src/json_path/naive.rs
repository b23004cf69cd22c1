//! Reference implementation of the JSONPath dialect over a tree, for tests.

use serde_json::Value;

use super::evaluate::compare;
use super::{Operand, Piece, Step};

pub(super) fn values(pieces: &[Piece], root: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Literal(_) => {}
            Piece::Path(path) => all.extend(walk(path, vec![root]).into_iter().filter_map(text)),
            Piece::Range(path, body) => {
                for value in walk(path, vec![root]) {
                    all.extend(values(body, value));
                }
            }
        }
    }
    all
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn walk<'v>(steps: &[Step], values: Vec<&'v Value>) -> Vec<&'v Value> {
    let Some((step, rest)) = steps.split_first() else { return values };
    let found = match step {
        Step::Union(entries) => entries.iter().flat_map(|entry| walk(entry, values.clone())).collect(),
        _ => values.into_iter().flat_map(|value| one(step, value)).collect(),
    };
    walk(rest, found)
}

fn one<'v>(step: &Step, value: &'v Value) -> Vec<&'v Value> {
    match (step, value) {
        (Step::Field(name), Value::Object(object)) => object.get(name).into_iter().collect(),
        (Step::Wildcard, _) => children(value),
        (Step::Recursive, Value::String(text)) => vec![value].into_iter().filter(|_| !text.is_empty()).collect(),
        (Step::Recursive, _) => {
            let children = children(value);
            let this = (!children.is_empty()).then_some(value);
            this.into_iter().chain(children.into_iter().flat_map(|child| one(step, child))).collect()
        }
        (Step::Index(index), Value::Array(array)) => {
            let length = i64::try_from(array.len()).unwrap_or(i64::MAX);
            let at = if *index < 0 { length.saturating_add(*index) } else { *index };
            usize::try_from(at).ok().and_then(|at| array.get(at)).into_iter().collect()
        }
        (Step::Slice(slice), Value::Array(array)) => {
            let length = i128::try_from(array.len()).unwrap_or(i128::MAX);
            let place = |at: i64| if at < 0 { length + i128::from(at) } else { i128::from(at) };
            let (start, end) = (slice.start.map_or(0, place).max(0), slice.end.map_or(length, place));
            let step = slice.step.map_or(1, |step| step as i128);
            let is_meant = |at: &i128| *at >= start && *at < end && (at - start) % step == 0;
            (0_i128..).zip(array).filter(|(at, _)| is_meant(at)).map(|(_, element)| element).collect()
        }
        (Step::Filter(left, test), Value::Array(array)) => {
            let is_true = |element: &&Value| {
                let left = operand(left, element);
                let Some((comparison, right)) = test else { return !left.is_empty() };
                match (left.as_slice(), operand(right, element).as_slice()) {
                    ([left], [right]) => comparison.holds(compare(left, right)),
                    _ => false,
                }
            };
            array.iter().filter(is_true).collect()
        }
        _ => Vec::new(),
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(array) => array.iter().collect(),
        Value::Object(object) => object.values().collect(),
        _ => Vec::new(),
    }
}

fn operand(operand: &Operand, element: &Value) -> Vec<String> {
    match operand {
        Operand::Path(path) => walk(path, vec![element]).into_iter().map(Value::to_string).collect(),
        Operand::Literal(json) => vec![json.clone()],
    }
}
