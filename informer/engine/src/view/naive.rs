//! Reference implementation of a view for tests: filters and sorts everything again.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::ViewQuery;
use super::cells::Cells;
use crate::order_by::OrderBy;
use crate::query::{Clause, Colon, Expression, Query, field_holds};
use crate::value::{Kind, Value, natural};
use informer::{Keyed, Object};

pub(super) type Model = BTreeMap<String, Arc<Object>>;

/// Value of a column by its lower-case name.
pub(super) fn value(cells: &Cells, object: &Object, column: &str) -> Value {
    match column {
        "name" => return Value { kind: Kind::Text, text: object.name().into(), number: 0.0 },
        "namespace" => return Value::text(object.namespace()),
        "age" if object.created() == 0.0 => return Value::missing(),
        "age" => return Value::time(object.created()),
        _ => {}
    }
    let index = cells.headers().iter().position(|header| header.name.to_lowercase() == column);
    Value::of(&cells.of(object)[index.unwrap_or_else(|| panic!("no column {column}"))])
}

pub(super) fn passes(expression: &Expression, cells: &Cells, object: &Object, now: f64) -> bool {
    let values = || {
        let names = cells.headers().into_iter().map(|header| header.name.to_lowercase());
        names.filter(|name| !matches!(name.as_str(), "name" | "namespace" | "age"))
    };
    match expression {
        Expression::All(of) => of.iter().all(|one| passes(one, cells, object, now)),
        Expression::Any(of) => of.iter().any(|one| passes(one, cells, object, now)),
        Expression::Not(of) => !passes(of, cells, object, now),
        Expression::Clause(Clause::Text(text) | Clause::Colon(Colon { text, .. })) => {
            object.key().to_lowercase().contains(text)
                || values().any(|name| value(cells, object, &name).text.to_lowercase().contains(text))
        }
        Expression::Clause(Clause::Pattern(pattern)) => {
            [object.key(), object.name()].iter().any(|text| pattern.finds(text))
                || values().any(|name| {
                    let value = value(cells, object, &name);
                    !value.text.is_empty() && pattern.finds(&value.text)
                })
        }
        Expression::Clause(Clause::Column(column)) => {
            let name = column.name.to_lowercase();
            let mut value = value(cells, object, &name);
            if name == "age" {
                value.number = value.number.min(now);
            }
            column.test.holds(&value, now)
        }
        Expression::Clause(Clause::Label(selector)) => selector.matches(&object.labels()),
        Expression::Clause(Clause::Field { path, test }) => {
            field_holds(test.as_ref(), &path.values(&object.json()).expect("valid JSON"), now)
        }
    }
}

/// Number of objects before the filter, and the objects that pass it, in order.
pub(super) fn rows(model: &Model, view_query: &ViewQuery, cells: &Cells, now: f64) -> (usize, Vec<Arc<Object>>) {
    let query: Query = view_query.filter.parse().expect("a filter");
    let in_scope = |object: &&Arc<Object>| {
        view_query.namespaces.is_empty()
            || view_query.namespaces.iter().any(|namespace| namespace == object.namespace())
    };
    let of: Vec<&Arc<Object>> = model.values().filter(in_scope).collect();
    let passing = of.iter().filter(|object| passes(&query.expression, cells, object, now));
    let mut rows: Vec<(Vec<Value>, Arc<Object>)> =
        passing.map(|object| (sorted_by(view_query, cells, object), Arc::clone(object))).collect();
    rows.sort_by(|(left, a), (right, b)| {
        compare(&view_query.order_by, left, right).then_with(|| natural(a.name(), b.name()))
    });
    (of.len(), rows.into_iter().map(|(_, object)| object).collect())
}

/// Values that a row is sorted by, with the namespace last.
fn sorted_by(view_query: &ViewQuery, cells: &Cells, object: &Object) -> Vec<Value> {
    let columns = view_query.order_by.iter().map(|by| by.column.to_lowercase());
    columns.chain(["namespace".to_owned()]).map(|column| value(cells, object, &column)).collect()
}

fn compare(order: &[OrderBy], left: &[Value], right: &[Value]) -> Ordering {
    let descending = order.iter().map(|by| by.descending).chain([false]);
    let ordering = |((left, right), descending): ((&Value, &Value), bool)| {
        let missing = (left.kind == Kind::Missing).cmp(&(right.kind == Kind::Missing));
        match (missing, descending) {
            (Ordering::Equal, true) => left.compare(right).reverse(),
            (Ordering::Equal, false) => left.compare(right),
            _ => missing,
        }
    };
    left.iter()
        .zip(right)
        .zip(descending)
        .map(ordering)
        .find(|ordering| *ordering != Ordering::Equal)
        .unwrap_or(Ordering::Equal)
}
