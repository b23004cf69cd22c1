//! Field selectors: selection of objects by a few of their fields.

use std::fmt;
use std::str::FromStr;

use crate::error::{InformerError, Result};
use crate::syntax_error::syntax_error;

/// Field selector: terms that must all hold (apimachinery's `fields.Selector`).
///
/// The server decides which fields can be selected (`metadata.name` and `metadata.namespace` of all kinds,
/// `spec.nodeName` of pods, …). Terms are sorted and deduplicated, and `==` is read as `=`, so that equal selectors
/// in different notations are equal and print the same.
///
/// ```
/// use informer::FieldSelector;
///
/// let selector: FieldSelector = r"status.phase!=Running,metadata.name==a\,b".parse()?;
/// assert_eq!(selector.to_string(), r"metadata.name=a\,b,status.phase!=Running");
/// assert!(selector.matches(|field| (field == "metadata.name").then_some("a,b")));
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

/// Term of a field selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldRequirement {
    field: String,
    equal: bool,
    value: String,
}

impl FieldSelector {
    /// Returns the selector without terms: it selects every object.
    pub const fn everything() -> Self {
        Self { requirements: Vec::new() }
    }

    /// Returns the selector of the objects whose field has this value (`OneTermEqualSelector`).
    ///
    /// # Errors
    /// As [`FieldRequirement::new`].
    pub fn one_term_equal(field: &str, value: &str) -> Result<Self> {
        FieldRequirement::new(field, true, value).map(|one| Self::new([one]))
    }

    /// Returns the selector of all these terms.
    pub fn new(requirements: impl IntoIterator<Item = FieldRequirement>) -> Self {
        let mut sorted: Vec<FieldRequirement> = Vec::new();
        // A handful of terms: a sort would add 2 KB of wasm.
        for requirement in requirements {
            if let Err(place) = sorted.binary_search(&requirement) {
                sorted.insert(place, requirement);
            }
        }
        Self { requirements: sorted }
    }

    /// Whether it selects every object.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Returns the terms, sorted.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.requirements
    }

    /// Whether it selects an object with these fields. A field that `lookup` does not find is empty, as in Go.
    pub fn matches<'f>(&self, lookup: impl Fn(&str) -> Option<&'f str>) -> bool {
        self.requirements.iter().all(|r| (lookup(&r.field).unwrap_or_default() == r.value) == r.equal)
    }
}

impl FieldRequirement {
    /// Creates a term: the field has this value (`equal`), or has not.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) if the field's name is empty or could not be parsed again:
    /// names are not escaped, so they cannot contain `=`, `,`, `\` or a `!` before the operator.
    pub fn new(field: &str, equal: bool, value: &str) -> Result<Self> {
        let bad = field.find(['=', ',', '\\']).or_else(|| field.ends_with('!').then(|| field.len() - 1));
        match bad.or_else(|| field.is_empty().then_some(0)) {
            Some(at) => {
                Err(syntax_error("field name", field, at, "a name must not be empty or contain this character"))
            }
            None => Ok(Self { field: field.to_owned(), equal, value: value.to_owned() }),
        }
    }

    /// Returns the path of the field, such as `spec.nodeName`.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Whether the field must have the value, or must not.
    pub fn is_equal(&self) -> bool {
        self.equal
    }

    /// Returns the value, without escapes.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl FromStr for FieldSelector {
    type Err = InformerError;

    /// Parses `field=value`, `field==value` and `field!=value`, joined by commas. In values `\\`, `\,` and `\=` mean the
    /// character after the backslash; blanks count. Empty terms are skipped.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest), with position and reason.
    fn from_str(text: &str) -> Result<Self> {
        let mut requirements = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let term = text.get(start..).unwrap_or_default();
            let term = term.get(..end_of_term(term)).unwrap_or(term);
            if !term.is_empty() {
                requirements.push(term_at(text, start, term)?);
            }
            start += term.len() + 1;
        }
        // A bare operator has no field (`andTerm.Transform`).
        requirements.retain(|r| !(r.field.is_empty() && r.value.is_empty()));
        Ok(Self::new(requirements))
    }
}

/// Returns the position of the next unescaped comma.
fn end_of_term(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b',' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// Parses the term that begins at byte `start` of the whole text.
fn term_at(text: &str, start: usize, term: &str) -> Result<FieldRequirement> {
    let error = |at: usize, reason: &str| syntax_error("field selector", text, start + at, reason);
    // The first "=" ends the operator; a "!" elsewhere is a part of the name.
    let Some(sign) = term.find('=') else {
        return Err(error(0, "a term must be field=value, field==value or field!=value"));
    };
    let equal = !term.get(..sign).is_some_and(|field| field.ends_with('!'));
    let field = term.get(..if equal { sign } else { sign - 1 }).unwrap_or_default();
    let rest = term.get(sign + 1..).unwrap_or_default();
    let rest = rest.strip_prefix('=').filter(|_| equal).unwrap_or(rest);
    let offset = term.len() - rest.len();
    let mut value = String::with_capacity(rest.len());
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped @ ('\\' | ',' | '='))) => value.push(escaped),
                _ => return Err(error(offset + at, "only \\, comma and = can follow a backslash")),
            },
            '=' => return Err(error(offset + at, "write \"=\" in a value as \"\\=\"")),
            other => value.push(other),
        }
    }
    Ok(FieldRequirement { field: field.to_owned(), equal, value })
}

impl fmt::Display for FieldSelector {
    /// Prints the text form, which parses to the same selector.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, requirement) in self.requirements.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for FieldRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.field, if self.equal { "=" } else { "!=" })?;
        for c in self.value.chars() {
            if matches!(c, '\\' | ',' | '=') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        Ok(())
    }
}
