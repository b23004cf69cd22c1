//! Finding: one sentence about a problem, and its evidence.

use serde_json::Value;

use crate::condition::condition;
use crate::event;
use crate::field::Fields;
use crate::link::Link;

/// Severity of a finding. Ordered: the most severe comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It does not work.
    Error,
    /// It works in part, or is about to fail.
    Warning,
    /// Not a fault, but useful for an operator.
    Info,
}

/// Evidence from the server for a finding.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// A field of an object.
    Field {
        /// The object, if it is not the one that the page shows.
        of: Option<Link>,
        /// Path of the field: `status.containerStatuses[web].restartCount`.
        path: String,
        /// Its value; of a text the text, of anything else its JSON.
        value: String,
    },
    /// A condition of an object.
    Condition {
        /// The object, if it is not the one that the page shows.
        of: Option<Link>,
        /// Type of the condition.
        kind: String,
        /// `True`, `False` or `Unknown`.
        status: String,
        /// Reason.
        reason: String,
        /// Message.
        message: String,
        /// Time of its last change, in milliseconds since 1970.
        since: Option<f64>,
    },
    /// An event.
    Event {
        /// Reason.
        reason: String,
        /// Message.
        message: String,
        /// Number of occurrences.
        count: i64,
        /// Time of the last occurrence, in milliseconds since 1970.
        at: Option<f64>,
    },
    /// The last lines of a container's log.
    Log {
        /// Name of the container.
        container: String,
        /// The lines.
        lines: String,
    },
    /// A list of objects that was read and that contains no such object.
    Absent {
        /// The missing objects: `pods with app=web`.
        what: String,
    },
}

/// Finding: one sentence about a problem, and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Severity of the problem.
    pub severity: Severity,
    /// Stable name of the rule: `PodUnschedulable`.
    pub code: &'static str,
    /// The sentence. It contains unchanged text of the server: display it with invisible characters escaped.
    pub sentence: String,
    /// Evidence from the server. Never empty.
    pub evidence: Vec<Evidence>,
    /// Other objects that it is about.
    pub related: Vec<Link>,
    /// Advice, in one line.
    pub next: String,
    /// What distinguishes it from other findings of the same rule: an image, a finalizer, a container and its exit code.
    /// Empty if the rule is cause enough. It does not change with the time, or with counts.
    pub cause: String,
}

impl Finding {
    /// A finding; [`diagnose`](crate::diagnose) adds code and severity of its rule.
    pub(crate) fn new(sentence: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: "",
            sentence: sentence.into(),
            evidence: Vec::new(),
            related: Vec::new(),
            next: next.into(),
            cause: String::new(),
        }
    }

    /// Its cause.
    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = cause.into();
        self
    }

    /// A field of the object as evidence.
    pub(crate) fn field(self, object: &Value, path: &str) -> Self {
        let value = value_text(object.at(path));
        self.value(path, value)
    }

    /// A value as evidence, by the path at which it is.
    pub(crate) fn value(mut self, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence::Field { of: None, path: path.into(), value: value.into() });
        self
    }

    /// A field of another object as evidence.
    pub(crate) fn field_of(self, other: &Value, path: &str) -> Self {
        self.value_of(other, path, value_text(other.at(path)))
    }

    /// A value of another object as evidence, by the path at which it is.
    pub(crate) fn value_of(mut self, other: &Value, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence::Field { of: Some(Link::of(other)), path: path.into(), value: value.into() });
        self
    }

    /// A condition of the object as evidence, if it has it.
    pub(crate) fn condition(self, object: &Value, kind: &str) -> Self {
        self.condition_from(object, kind, None)
    }

    /// A condition of another object as evidence.
    pub(crate) fn condition_of(self, other: &Value, kind: &str) -> Self {
        self.condition_from(other, kind, Some(Link::of(other)))
    }

    fn condition_from(mut self, object: &Value, kind: &str, of: Option<Link>) -> Self {
        if let Some(condition) = condition(object, kind) {
            self.evidence.push(Evidence::Condition {
                of,
                kind: kind.to_owned(),
                status: condition.text("status").to_owned(),
                reason: condition.text("reason").to_owned(),
                message: condition.text("message").to_owned(),
                since: condition.moment("lastTransitionTime"),
            });
        }
        self
    }

    /// An event as evidence.
    pub(crate) fn event(mut self, event: Option<&Value>) -> Self {
        if let Some(event) = event {
            self.evidence.push(Evidence::Event {
                reason: event.text("reason").to_owned(),
                message: event::message(event).to_owned(),
                count: event::count(event),
                at: event::last_seen(event),
            });
        }
        self
    }

    /// That no such object exists as evidence.
    pub(crate) fn absent(mut self, what: impl Into<String>) -> Self {
        self.evidence.push(Evidence::Absent { what: what.into() });
        self
    }

    /// Log lines as evidence, if there are any.
    pub(crate) fn log(mut self, container: &str, lines: Option<&str>) -> Self {
        if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
            self.evidence.push(Evidence::Log { container: container.to_owned(), lines: lines.to_owned() });
        }
        self
    }

    /// Another object that it is about.
    pub(crate) fn related(mut self, link: Link) -> Self {
        if !link.name.is_empty() && !self.related.contains(&link) {
            self.related.push(link);
        }
        self
    }
}

impl Evidence {
    /// The same evidence, if it is about another object than the one that the page shows.
    pub(crate) fn of_other(mut self, other: Option<&Link>) -> Self {
        if let Self::Field { of, .. } | Self::Condition { of, .. } = &mut self
            && of.is_none()
        {
            *of = other.cloned();
        }
        self
    }
}

/// A value as evidence shows it.
fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
