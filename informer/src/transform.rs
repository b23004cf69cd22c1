//! Transform: what an informer leaves out of each object before it is cached (client-go: `TransformFunc`, here as data, so
//! that a page can request it of a worker).

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::fmt;

use informer_packing::{Json, write_string};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::sorted::sorted;
use crate::syntax_error::syntax_error;

/// Maximum length of a path in bytes.
const MAX_BYTES: usize = 4096;

/// Fields that an informer needs: its paths may not remove them.
const NEEDED: [&str; 3] = ["kind", "apiVersion", "metadata"];
const NEEDED_OF_METADATA: [&str; 4] = ["name", "namespace", "uid", "resourceVersion"];

/// Options of a transform. Informers with different ones are different informers: each caches what its users requested.
///
/// For any other transform, see `TransformFunc`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TransformOptions {
    /// Whether `metadata.managedFields` is kept. It is a third or more of an object's text.
    pub keep_managed_fields: bool,
    /// Paths of the fields to remove: names and `[*]`, with or without braces and the first dot: `.status`,
    /// `{.spec.containers[*].env}`, `metadata.annotations['example.com/notes']`. A dot in a name is written `\.`, or the
    /// name in quotes. `[*]` stands for every element of an array or every value of an object. What a path does not find
    /// stays out without an error.
    pub drop: Vec<String>,
}

impl TransformOptions {
    /// The same options in one form.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        self.drop = sorted(self.drop.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        self
    }

    /// Short description for names: `with managedFields`, `without .spec`. Empty for the default.
    pub fn description(&self) -> String {
        let mut words = Vec::new();
        if self.keep_managed_fields {
            words.push("with managedFields".to_owned());
        }
        words.extend(self.drop.iter().map(|path| format!("without {path}")));
        words.join(", ")
    }
}

/// Compiled paths of a transform.
#[derive(Clone)]
pub struct DroppedFields {
    paths: Vec<Vec<Step>>,
    /// A function pointer, because its code may have to be loaded first: see [`provide_transforms`].
    write: WriteWithout,
}

type WriteWithout = fn(&[Vec<Step>], Json<'_>, &mut String);

type Compile = fn(&[String]) -> Result<DroppedFields>;

thread_local! {
    static COMPILE: Cell<Compile> = const { Cell::new(COMPILE_BY_DEFAULT) };
}

#[cfg(feature = "transform")]
const COMPILE_BY_DEFAULT: Compile = DroppedFields::parse;

#[cfg(not(feature = "transform"))]
const COMPILE_BY_DEFAULT: Compile = |_| {
    let message = "this build has no transforms: enable the feature `transform`, or call provide_transforms()";
    Err(crate::error::InformerError::new(crate::error::ErrorCode::Internal, message))
};

/// Enables [`TransformOptions::drop`] on this thread. Only for builds without the feature `transform`, whose code for it is
/// loaded on demand.
pub fn provide_transforms() {
    COMPILE.set(DroppedFields::parse);
}

/// Compiles the paths of an informer. `None` without any.
pub(crate) fn compile(paths: &[String]) -> Result<Option<DroppedFields>> {
    if paths.is_empty() { Ok(None) } else { COMPILE.get()(paths).map(Some) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    All,
}

impl Step {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Field(field) => field == name,
            Self::All => true,
        }
    }
}

impl DroppedFields {
    /// Compiles paths.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) if a path is invalid, or removes `kind`, `apiVersion`, or
    /// the name, namespace, uid or version of an object.
    pub fn parse(paths: &[String]) -> Result<Self> {
        let paths = paths.iter().map(|text| parse(text)).collect::<Result<_>>()?;
        Ok(Self { paths, write: write_without })
    }

    /// Appends the JSON text of an object without these fields. O(length of the text).
    pub fn write(&self, object: Json<'_>, to: &mut String) {
        (self.write)(&self.paths, object, to);
    }
}

impl fmt::Debug for DroppedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.paths).finish()
    }
}

fn write_without(paths: &[Vec<Step>], object: Json<'_>, to: &mut String) {
    let paths: Vec<&[Step]> = paths.iter().map(Vec::as_slice).collect();
    write(object, &paths, to);
}

/// Appends a value without the fields that the rests of paths lead to.
fn write(value: Json<'_>, paths: &[&[Step]], to: &mut String) {
    let is_object = value.is_object();
    if paths.is_empty() || !(is_object || value.text().starts_with('[')) {
        return to.push_str(value.text());
    }
    to.push(if is_object { '{' } else { '[' });
    let mut is_first = true;
    for (key, child) in value.children() {
        let name = if is_object { Some(key.name()) } else { None };
        let mut rests = Vec::new();
        for path in paths {
            match (path.split_first(), &name) {
                (Some((step, rest)), Some(name)) if step.matches(name) => rests.push(rest),
                (Some((Step::All, rest)), None) => rests.push(rest),
                _ => {}
            }
        }
        if rests.iter().any(|rest| rest.is_empty()) {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            to.push(',');
        }
        if let Some(name) = name {
            write_string(to, &name);
            to.push(':');
        }
        write(child, &rests, to);
    }
    to.push(if is_object { '}' } else { ']' });
}

fn parse(text: &str) -> Result<Vec<Step>> {
    let error = |at: usize, reason: &str| syntax_error("path to drop", text, at, reason);
    if text.len() > MAX_BYTES {
        return Err(error(MAX_BYTES, "it is too long"));
    }
    let inner = text.strip_prefix('{').map_or(Some(text), |inner| inner.strip_suffix('}'));
    let Some(inner) = inner else { return Err(error(text.len(), "the brace is not closed")) };
    let offset = text.len() - inner.len() - usize::from(inner.len() < text.len());
    let mut rest = inner.strip_prefix('$').unwrap_or(inner);
    let at = |rest: &str| offset + inner.len() - rest.len();
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]").or_else(|| rest.strip_prefix(".*")) {
            steps.push(Step::All);
            rest = after;
        } else if let Some(quoted) = rest.strip_prefix('[') {
            let quote = quoted.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
            let Some(quote) = quote else {
                return Err(error(at(rest), "only a name in quotes or * may be in brackets"));
            };
            let (name, after) = name(&quoted[1..], &|c| c == quote);
            let after = after.strip_prefix(quote).and_then(|after| after.strip_prefix(']'));
            let Some(after) = after else { return Err(error(at(rest), "the name in quotes is not closed")) };
            steps.push(Step::Field(name));
            rest = after;
        } else {
            let start = rest.strip_prefix('.').unwrap_or(rest);
            if start.len() == rest.len() && !steps.is_empty() {
                return Err(error(at(rest), "a dot or a bracket is missing"));
            }
            let (name, after) = name(start, &|c| matches!(c, '.' | '[' | ']' | '{' | '}'));
            if name.is_empty() {
                return Err(error(at(start), "a name is missing"));
            }
            steps.push(if name == "*" { Step::All } else { Step::Field(name) });
            rest = after;
        }
    }
    check(&steps).map_err(|reason| error(offset, &reason))?;
    Ok(steps)
}

/// Reads a name up to its end; `\` makes the next character a part of it.
fn name<'t>(text: &'t str, ends: &dyn Fn(char) -> bool) -> (String, &'t str) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
            c if ends(c) => return (name, &text[at..]),
            c => name.push(c),
        }
    }
    (name, "")
}

fn check(steps: &[Step]) -> std::result::Result<(), String> {
    let needed = match steps {
        [] => return Err("it has no field".to_owned()),
        [step] => NEEDED.into_iter().find(|name| step.matches(name)),
        [first, step] if first.matches("metadata") => NEEDED_OF_METADATA.into_iter().find(|name| step.matches(name)),
        _ => None,
    };
    needed.map_or(Ok(()), |name| Err(format!("the informer needs {name:?}")))
}
