//! Push-down: the part of a query that the apiserver can evaluate.

use super::Query;
use super::expression::{Clause, Expression, Test};
use informer::{FieldRequirement, FieldSelector, GroupVersionResource, LabelSelector};

/// A query in parts: what a list and a watch can be asked for, and what is left. An object passes the query exactly if the
/// selectors select it and it passes the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct PushDown {
    /// Of all clauses about labels that must hold, if there are any.
    pub label_selector: Option<LabelSelector>,
    /// Of all clauses about fields that must hold and that the resource can be selected by, if there are any.
    pub field_selector: Option<FieldSelector>,
    /// The rest.
    pub rest: Query,
}

impl Query {
    /// Takes apart what an informer of its own could be opened with: clauses that all must hold, `label=…`, and `field=…`
    /// with `=` or `!=` on a field that the apiserver knows for this resource.
    ///
    /// It is for who wants only what passes a query that stays as it is: list and watch are as short as that then. Views
    /// do not use it. They are of an informer that has everything already, and another letter of a filter would be
    /// another list.
    ///
    /// ```
    /// use informer_engine::Query;
    ///
    /// let query: Query = "web label=app=web field=spec.nodeName=n1 -label=old".parse()?;
    /// let parts = query.push_down(&"v1/pods".parse().expect("a resource"));
    /// assert_eq!(parts.label_selector.expect("one").to_string(), "app=web");
    /// assert_eq!(parts.field_selector.expect("one").to_string(), "spec.nodeName=n1");
    /// assert_eq!(parts.rest.to_string(), "web -label=old");
    /// # Ok::<(), informer_engine::QueryError>(())
    /// ```
    pub fn push_down(&self, resource: &GroupVersionResource) -> PushDown {
        let clauses = match &self.expression {
            Expression::All(of) => of.clone(),
            other => vec![other.clone()],
        };
        let (mut labels, mut fields, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for clause in clauses {
            if let Expression::Clause(Clause::Label(selector)) = &clause
                && let Some(requirements) = selector.requirements()
            {
                labels.extend_from_slice(requirements);
            } else if let Some(requirement) = requirement(&clause, resource) {
                fields.push(requirement);
            } else {
                rest.push(clause);
            }
        }
        let rest = if rest.len() == 1 { rest.remove(0) } else { Expression::All(rest) };
        PushDown {
            label_selector: (!labels.is_empty()).then(|| LabelSelector::new(labels)),
            field_selector: (!fields.is_empty()).then(|| FieldSelector::new(fields)),
            rest: Query { expression: rest },
        }
    }
}

fn requirement(clause: &Expression, resource: &GroupVersionResource) -> Option<FieldRequirement> {
    let Expression::Clause(Clause::Field { path, test: Some(test) }) = clause else { return None };
    let field = path.text();
    let field = field.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(field);
    // One dot, as two are any depth.
    let field = field.strip_prefix('.').unwrap_or(field);
    let (words, equal) = match test {
        Test::Is(words) => (words, true),
        Test::IsNot(words) => (words, false),
        _ => return None,
    };
    let [word] = words.as_slice() else { return None };
    let known = matches!(field, "metadata.name" | "metadata.namespace") || fields_of(resource).contains(&field);
    if word.wild || !known {
        return None;
    }
    FieldRequirement::new(field, equal, &word.text).ok()
}

/// What the apiserver can select a resource by, beside name and namespace: `AddFieldLabelConversionFunc` of its groups.
/// Fields that the object does not hold under that name are left out: `reportingComponent` of an event, which stands for
/// two.
fn fields_of(resource: &GroupVersionResource) -> &'static [&'static str] {
    match (resource.group.as_str(), resource.resource.as_str()) {
        ("", "pods") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        ("", "events") => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.fieldPath",
            "reason",
            "type",
        ],
        ("", "namespaces") => &["status.phase"],
        ("", "secrets") => &["type"],
        _ => &[],
    }
}
