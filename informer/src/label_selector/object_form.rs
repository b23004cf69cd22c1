//! Object form of label selectors: `{"matchLabels": …, "matchExpressions": […]}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::{LabelSelector, Operator, Requirement};
use crate::error::Result;

/// `metav1.LabelSelector`. Go omits empty fields or writes null.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectForm {
    match_labels: Option<BTreeMap<String, String>>,
    match_expressions: Option<Vec<Expression>>,
}

#[derive(Deserialize)]
struct Expression {
    key: String,
    operator: ObjectOperator,
    values: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize)]
enum ObjectOperator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl TryFrom<ObjectForm> for LabelSelector {
    type Error = crate::error::InformerError;

    fn try_from(form: ObjectForm) -> Result<Self> {
        let labels = form.match_labels.unwrap_or_default();
        let labels = labels.into_iter().map(|(key, value)| Requirement::new(&key, Operator::Equals, [value]));
        let expressions = form.match_expressions.unwrap_or_default();
        let expressions = expressions.into_iter().map(|Expression { key, operator, values }| {
            let operator = match operator {
                ObjectOperator::In => Operator::In,
                ObjectOperator::NotIn => Operator::NotIn,
                ObjectOperator::Exists => Operator::Exists,
                ObjectOperator::DoesNotExist => Operator::DoesNotExist,
            };
            Requirement::new(&key, operator, values.unwrap_or_default())
        });
        labels.chain(expressions).collect::<Result<Vec<_>>>().map(Self::new)
    }
}

impl<'de> Deserialize<'de> for LabelSelector {
    /// `null` and a missing field select nothing (`LabelSelectorAsSelector`).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Option::<ObjectForm>::deserialize(deserializer)? {
            Some(form) => Self::try_from(form).map_err(serde::de::Error::custom),
            None => Ok(Self::nothing()),
        }
    }
}
