//! Brackets of a JSONPath: quoted names, indexes, slices.

use super::super::{Slice, Step};
use super::Parser;
use crate::error::Result;

impl Parser<'_> {
    /// Parses the content of brackets, and the closing bracket.
    pub(super) fn brackets(&mut self, steps: &mut Vec<Step>) -> Result<()> {
        let mut entries = Vec::new();
        loop {
            self.skip_blanks();
            entries.push(if self.rest().starts_with(['\'', '"']) {
                self.quoted_path()?
            } else {
                vec![self.subscript()?]
            });
            self.skip_blanks();
            if self.eat("]") {
                break;
            }
            if !self.eat(",") {
                return Err(self.unexpected("expected \",\" or \"]\""));
            }
        }
        match entries.pop() {
            Some(only) if entries.is_empty() => steps.extend(only),
            last => {
                entries.extend(last);
                steps.push(Step::Union(entries));
            }
        }
        Ok(())
    }

    /// Parses `0`, `-1`, `1:5:2` or `*`.
    fn subscript(&mut self) -> Result<Step> {
        if self.eat("*") {
            return Ok(Step::Slice(Slice::default()));
        }
        let start = self.at;
        let mut bounds = [None; 3];
        let mut count = 0;
        for bound in &mut bounds {
            let from = self.at;
            let digits = self.take_while(|c| c == '-' || c.is_ascii_digit());
            if !digits.is_empty() {
                let number = digits.parse::<i64>();
                *bound = Some(number.map_err(|_| self.error(from, format_args!("{digits:?} is not an index")))?);
            }
            count += 1;
            if count == 3 || !self.eat(":") {
                break;
            }
        }
        let [start_at, end, step] = bounds;
        if count == 1 {
            return match start_at {
                Some(index) => Ok(Step::Index(index)),
                None => Err(self.unexpected("expected an index, a slice, \"*\" or a quoted name")),
            };
        }
        let step = match step.map(usize::try_from) {
            None => None,
            Some(Ok(step)) if step > 0 => Some(step),
            Some(_) => return Err(self.error(start, "the step of a slice must be greater than 0")),
        };
        Ok(Step::Slice(Slice { start: start_at, end, step }))
    }

    /// Parses the quoted path in brackets: `'a'`, `'a.b'`, `'a\.b'`.
    fn quoted_path(&mut self) -> Result<Vec<Step>> {
        let start = self.at;
        let mut chars = self.rest().char_indices();
        let Some((_, quote)) = chars.next() else { return Ok(Vec::new()) };
        let mut names = vec![(String::new(), false)];
        loop {
            let last = names.last_mut();
            match (chars.next(), last) {
                (Some((at, c)), _) if c == quote => {
                    self.at = start + at + c.len_utf8();
                    break;
                }
                (Some((_, '.')), _) => names.push((String::new(), false)),
                (Some((_, '\\')), Some((name, escaped))) => {
                    name.extend(chars.next().map(|(_, c)| c));
                    *escaped = true;
                }
                (Some((_, c)), Some((name, _))) if c != '\n' => name.push(c),
                _ => return Err(self.error(start, "unclosed quote")),
            }
        }
        let nested = names.len() > 1;
        let step = |(name, escaped): (String, bool)| match name.as_str() {
            "*" if !escaped => Ok(Step::Wildcard),
            "" if nested => Err(self.error(start, "expected a name on both sides of the dot")),
            _ => Ok(Step::Field(name)),
        };
        names.into_iter().map(step).collect()
    }
}
