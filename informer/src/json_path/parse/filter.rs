//! Filters of a JSONPath: `[?(@.type=="Ready")]`.

use informer_packing::write_string;

use super::super::{Comparison, Operand, Step};
use super::{ENDS_NAME, ENDS_OPERAND, Parser};
use crate::error::Result;

impl Parser<'_> {
    /// Parses `[?(…)]`.
    pub(super) fn filter(&mut self) -> Result<Step> {
        if !self.eat("[?(") {
            return Err(self.unexpected("expected a filter of the form \"[?(…)]\""));
        }
        let start = self.at;
        let left = self.operand()?;
        self.skip_blanks();
        let at = self.at;
        let comparison = match self.take_while(|c| matches!(c, '=' | '!' | '<' | '>')) {
            "" => None,
            "==" => Some(Comparison::Equal),
            "!=" => Some(Comparison::NotEqual),
            "<" => Some(Comparison::Less),
            "<=" => Some(Comparison::LessOrEqual),
            ">" => Some(Comparison::Greater),
            ">=" => Some(Comparison::GreaterOrEqual),
            other => return Err(self.error(at, format_args!("expected one of == != < <= > >=, found {other:?}"))),
        };
        let test = match comparison {
            Some(comparison) => Some((comparison, self.operand()?)),
            None if matches!(left, Operand::Literal(_)) => {
                return Err(self.error(start, "a filter without comparison must be a path, for example @.name"));
            }
            None => None,
        };
        self.skip_blanks();
        if !self.eat(")]") {
            return Err(self.unexpected("expected \")]\"; the dialect has neither && nor ||"));
        }
        Ok(Step::Filter(left, test))
    }

    fn operand(&mut self) -> Result<Operand> {
        self.skip_blanks();
        let start = self.at;
        match self.rest().chars().next() {
            Some('"' | '\'') => {
                let mut text = String::new();
                write_string(&mut text, &self.quoted()?);
                Ok(Operand::Literal(text))
            }
            Some(c) if c.is_ascii_digit() || c == '-' || c == '+' => Ok(Operand::Literal(self.number()?.to_owned())),
            Some('@' | '$' | '.' | '[') => {
                let mut path = Vec::new();
                self.steps(&mut path, true)?;
                Ok(Operand::Path(path))
            }
            Some(_) => {
                let is_end = |c: char| ENDS_NAME.contains(&c) || ENDS_OPERAND.contains(&c);
                match self.take_while(|c| !is_end(c)) {
                    word @ ("true" | "false") => Ok(Operand::Literal(word.to_owned())),
                    word => {
                        Err(self
                            .error(start, format_args!("{word:?} is neither a path, for example @.name, nor a value")))
                    }
                }
            }
            None => Err(self.unexpected("expected a value or a path, for example @.name")),
        }
    }
}
