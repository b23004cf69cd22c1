//! Syntax tree: the parts of a filter's text, each with its position.

use std::ops::Range;

use super::expression::{Clause, Column, Expression, Test};

/// Node of the syntax tree.
#[derive(Debug)]
pub(super) struct Part {
    /// Range of bytes, with brackets and negations.
    pub(super) span: Range<usize>,
    pub(super) kind: PartKind,
}

/// Kind of a node.
#[derive(Debug)]
pub(super) enum PartKind {
    /// Parts that must all match.
    All(Vec<Part>),
    /// Parts, at least one of which must match.
    Any(Vec<Part>),
    /// A part that must not match.
    Not(Box<Part>),
    /// A term.
    Clause(Clause),
    /// A list of values that ends with a comma, and the comma's position.
    Listing(Clause, Range<usize>),
    /// An unfinished term or operator: `status=`, or an "OR" at the end.
    Unfinished,
}

impl Part {
    /// Creates a term without a position.
    pub(super) fn clause(clause: Clause) -> Self {
        Self { span: 0..0, kind: PartKind::Clause(clause) }
    }

    /// Joins parts into one node; a single part is returned unchanged.
    pub(super) fn of_several(mut of: Vec<Self>, join: impl Fn(Vec<Self>) -> PartKind) -> Self {
        if of.len() == 1 {
            return of.remove(0);
        }
        let start = of.first().map_or(0, |part| part.span.start);
        let end = of.last().map_or(0, |part| part.span.end);
        Self { span: start..end, kind: join(of) }
    }

    /// Sets the position.
    pub(super) fn at(mut self, span: Range<usize>) -> Self {
        if let PartKind::Not(inner) = &mut self.kind {
            inner.span = span.clone();
        }
        self.span = span;
        self
    }

    /// Whether a position is inside it or at one of its ends.
    pub(super) fn touches(&self, at: usize) -> bool {
        self.span.start <= at && at <= self.span.end
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.kind, PartKind::All(of) if of.is_empty())
    }

    /// Marks a term of a column as unfinished: a list that ends with a comma, or an age without a unit.
    pub(super) fn typed(self, filter: &str) -> Self {
        let PartKind::Clause(Clause::Column(Column { name, span, test })) = self.kind else { return self };
        let column = |test| Clause::Column(Column { name: name.clone(), span: span.clone(), test });
        let end = self.span.end;
        let kind = match test {
            Test::Is(mut words) | Test::IsNot(mut words) if filter[..end].ends_with(',') => {
                words.pop();
                let is_not = filter[span.0.end..end].trim_start().starts_with('!');
                let is_empty = words.iter().all(|word| word.text.is_empty());
                let rest = if is_not { Test::IsNot(words) } else { Test::Is(words) };
                if is_empty { PartKind::Unfinished } else { PartKind::Listing(column(rest), end - 1..end) }
            }
            Test::Compare(_, limit)
                if name.eq_ignore_ascii_case("age")
                    && limit.duration_ms.is_none()
                    && limit.text.starts_with(|c: char| c.is_ascii_digit())
                    && limit.text.ends_with(|c: char| c.is_ascii_digit()) =>
            {
                PartKind::Unfinished
            }
            test => PartKind::Clause(column(test)),
        };
        Self { span: self.span, kind }
    }

    /// Returns the expression of a complete text; `None` if it contains an unfinished term.
    pub(super) fn expression(self) -> Option<Expression> {
        let each = |of: Vec<Self>| of.into_iter().map(Self::expression).collect::<Option<_>>();
        match self.kind {
            PartKind::All(of) => each(of).map(Expression::All),
            PartKind::Any(of) => each(of).map(Expression::Any),
            PartKind::Not(inner) => Some(Expression::Not(Box::new(inner.expression()?))),
            PartKind::Clause(clause) | PartKind::Listing(clause, _) => Some(Expression::Clause(clause)),
            PartKind::Unfinished => None,
        }
    }
}
