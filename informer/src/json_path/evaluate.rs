//! Evaluator: runs a compiled template on JSON text.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use informer_packing::Json;

use super::scan::{Children, field, push_children};
use super::{Comparison, Operand, Piece, Step};
use crate::error::{ErrorCode, InformerError, Result};

/// Maximum average number of times that each byte may be scanned. A path descends one level per step, and `..` scans
/// every byte once per level, so only paths with several `..` come near it.
const MAX_SCANS_PER_BYTE: usize = 64;

/// Minimum budget in bytes: a long path is valid for a small object.
const MIN_BUDGET: usize = 1 << 20;

/// Maximum number of values that a step may find.
const MAX_VALUES: usize = 1_000_000;

/// Returns the values of all paths, as text.
pub(super) fn values<'j>(pieces: &[Piece], json: &'j str) -> Result<Vec<Cow<'j, str>>> {
    let evaluation = Evaluation::of(json);
    let mut found = Vec::new();
    // The common index: one path.
    if let [Piece::Path(path)] = pieces {
        found = evaluation.walk(path, json.trim())?;
    } else {
        evaluation.collect(pieces, json.trim(), &mut found)?;
    }
    Ok(found.into_iter().filter(|value| *value != "null").map(text_of).collect())
}

/// Returns the first value of the first path, as JSON.
pub(super) fn first<'j>(pieces: &[Piece], json: &'j str) -> Result<Option<&'j str>> {
    match pieces {
        [Piece::Path(path), ..] => Ok(Evaluation::of(json).walk(path, json.trim())?.into_iter().next()),
        _ => Ok(None),
    }
}

/// Prints the template with the values of its paths.
pub(super) fn print(pieces: &[Piece], json: &str) -> Result<String> {
    let mut out = String::new();
    Evaluation::of(json).print(pieces, json.trim(), &mut out)?;
    Ok(out)
}

fn text_of(value: &str) -> Cow<'_, str> {
    Json::new(value).as_str().unwrap_or(Cow::Borrowed(value))
}

/// Formats objects and arrays like kubectl, which prints Go's sorted maps.
fn printed(value: &str) -> Cow<'_, str> {
    if value.starts_with(['{', '[']) {
        // Beyond the depth that serde_json reads, the text stays unchanged.
        match serde_json::from_str::<serde_json::Value>(value) {
            Ok(tree) => Cow::Owned(tree.to_string()),
            Err(_) => Cow::Borrowed(value),
        }
    } else {
        text_of(value)
    }
}

struct Evaluation {
    /// Remaining bytes to scan.
    budget: Cell<usize>,
}

impl Evaluation {
    fn of(json: &str) -> Self {
        Self { budget: Cell::new(json.len().saturating_mul(MAX_SCANS_PER_BYTE).saturating_add(MIN_BUDGET)) }
    }

    fn charge(&self, bytes: usize) -> Result<()> {
        match self.budget.get().checked_sub(bytes + 1) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => Err(too_much("repeats too many steps")),
        }
    }

    /// Recurses into ranges; the parser limits their depth.
    fn collect<'j>(&self, pieces: &[Piece], root: &'j str, found: &mut Vec<&'j str>) -> Result<()> {
        for piece in pieces {
            self.charge(0)?;
            match piece {
                Piece::Literal(_) => {}
                Piece::Path(path) => found.extend(self.walk(path, root)?),
                Piece::Range(path, body) => {
                    for value in self.walk(path, root)? {
                        self.collect(body, value, found)?;
                    }
                }
            }
            few(found)?;
        }
        Ok(())
    }

    fn print(&self, pieces: &[Piece], root: &str, out: &mut String) -> Result<()> {
        for piece in pieces {
            match piece {
                Piece::Literal(text) => {
                    self.charge(text.len())?;
                    out.push_str(text);
                }
                Piece::Path(path) => {
                    for (at, value) in self.walk(path, root)?.into_iter().enumerate() {
                        self.charge(value.len())?;
                        out.push_str(if at > 0 { " " } else { "" });
                        out.push_str(&printed(value));
                    }
                }
                Piece::Range(path, body) => {
                    for value in self.walk(path, root)? {
                        self.print(body, value, out)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn walk<'j>(&self, steps: &[Step], root: &'j str) -> Result<Vec<&'j str>> {
        // Most paths begin with fields, and many have only fields: one value leads to one value.
        let mut value = root;
        let mut steps = steps.iter();
        while let Some(Step::Field(name)) = steps.as_slice().first() {
            self.charge(value.len())?;
            match field(value, name)? {
                Some(member) => value = member,
                None => return Ok(Vec::new()),
            }
            steps.next();
        }
        self.walk_all(steps.as_slice(), vec![value])
    }

    fn walk_all<'j>(&self, steps: &[Step], mut values: Vec<&'j str>) -> Result<Vec<&'j str>> {
        for step in steps {
            let mut found = Vec::new();
            match step {
                Step::Union(entries) => {
                    for entry in entries {
                        self.charge(values.len())?;
                        found.extend(self.walk_all(entry, values.clone())?);
                        few(&found)?;
                    }
                }
                Step::Recursive => {
                    for value in values {
                        self.descend(value, &mut found)?;
                    }
                }
                _ => {
                    for value in values {
                        self.charge(value.len())?;
                        self.step(step, value, &mut found)?;
                    }
                }
            }
            few(&found)?;
            values = found;
        }
        Ok(values)
    }

    fn step<'j>(&self, step: &Step, value: &'j str, found: &mut Vec<&'j str>) -> Result<()> {
        match step {
            Step::Field(name) => found.extend(field(value, name)?),
            Step::Wildcard => push_children(value, found)?,
            Step::Index(index) if *index >= 0 => {
                let index = usize::try_from(*index).unwrap_or(usize::MAX);
                found.extend(elements(value).nth(index).transpose()?);
            }
            Step::Index(index) => {
                let all = elements(value).collect::<Result<Vec<_>>>()?;
                let back = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
                found.extend(all.len().checked_sub(back).and_then(|at| all.get(at)));
            }
            Step::Slice(slice) => {
                let all = elements(value).collect::<Result<Vec<_>>>()?;
                let (start, end, step) = slice.of(all.len());
                found.extend(all.get(start..end).unwrap_or_default().iter().step_by(step));
            }
            Step::Filter(left, test) => {
                for element in elements(value) {
                    let element = element?;
                    if self.is_true(left, test.as_ref(), element)? {
                        found.push(element);
                    }
                }
            }
            Step::Recursive | Step::Union(_) => {}
        }
        Ok(())
    }

    /// Collects the value and its descendants in pre-order. As in kubectl, of the leaves only strings.
    fn descend<'j>(&self, value: &'j str, found: &mut Vec<&'j str>) -> Result<()> {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            self.charge(value.len())?;
            let before = stack.len();
            push_children(value, &mut stack)?;
            if stack.len() > before || (value.starts_with('"') && value != "\"\"") {
                found.push(value);
                few(found)?;
            }
            stack.get_mut(before..).unwrap_or_default().reverse();
        }
        Ok(())
    }

    fn is_true(&self, left: &Operand, test: Option<&(Comparison, Operand)>, element: &str) -> Result<bool> {
        let left = self.operand(left, element)?;
        let Some((comparison, right)) = test else { return Ok(!left.is_empty()) };
        let right = self.operand(right, element)?;
        Ok(match (left.as_slice(), right.as_slice()) {
            ([left], [right]) => comparison.holds(compare(left, right)),
            _ => false,
        })
    }

    fn operand<'j>(&self, operand: &'j Operand, element: &'j str) -> Result<Vec<&'j str>> {
        match operand {
            Operand::Path(path) => self.walk(path, element),
            Operand::Literal(json) => Ok(vec![json]),
        }
    }
}

fn elements(value: &str) -> impl Iterator<Item = Result<&str>> {
    Children::of_array(value).into_iter().flatten().map(|child| child.map(|(_, element)| element))
}

fn few(values: &[&str]) -> Result<()> {
    if values.len() > MAX_VALUES { Err(too_much("finds more than a million values")) } else { Ok(()) }
}

fn too_much(what: &str) -> InformerError {
    let message = format!("the JSONPath {what} in this object; narrow it and use \"..\" at most once");
    InformerError::new(ErrorCode::BadRequest, message)
}

impl Comparison {
    pub(super) fn holds(self, ordering: Option<Ordering>) -> bool {
        match self {
            Self::Equal => ordering == Some(Ordering::Equal),
            Self::NotEqual => ordering.is_some_and(Ordering::is_ne),
            Self::Less => ordering.is_some_and(Ordering::is_lt),
            Self::LessOrEqual => ordering.is_some_and(Ordering::is_le),
            Self::Greater => ordering.is_some_and(Ordering::is_gt),
            Self::GreaterOrEqual => ordering.is_some_and(Ordering::is_ge),
        }
    }
}

/// Compares two scalars; `None` if their types differ.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    let kind = |value: &str| match value.bytes().next() {
        Some(b'-' | b'0'..=b'9') => b'0',
        Some(b't' | b'f') => b't',
        Some(other) => other,
        None => 0,
    };
    match (kind(left), kind(right)) {
        (b'"', b'"') => Some(text_of(left).cmp(&text_of(right))),
        (b't', b't') => Some(left.cmp(right)),
        (b'0', b'0') => match (left.parse::<i64>(), right.parse::<i64>()) {
            (Ok(left), Ok(right)) => Some(left.cmp(&right)),
            _ => Json::new(left).as_f64()?.partial_cmp(&Json::new(right).as_f64()?),
        },
        _ => None,
    }
}
