//! Field access as in Go: a missing field, or one of another type, has the zero value.

use serde_json::Value;

/// Value of a missing field.
static NULL: Value = Value::Null;

/// Fields of a JSON value, by paths such as `spec.template.spec`. No path leads through a list.
/// The empty path is the value itself.
pub(crate) trait Fields {
    /// The value at a path; null if there is none.
    fn at(&self, path: &str) -> &Value;
    /// The member with exactly this name: labels have dots in their names.
    fn member(&self, name: &str) -> &Value;

    /// A string; empty if there is none.
    fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_default()
    }
    /// A whole number. A float or a text is none.
    fn number(&self, path: &str) -> Option<i64> {
        self.at(path).as_i64()
    }
    /// A whole number; zero if there is none.
    fn count(&self, path: &str) -> i64 {
        self.number(path).unwrap_or_default()
    }
    /// Whether a boolean exists and is true.
    fn is(&self, path: &str) -> bool {
        self.at(path).as_bool() == Some(true)
    }
    /// Whether there is a value other than null.
    fn has(&self, path: &str) -> bool {
        !self.at(path).is_null()
    }
    /// The elements of a list; none if there is none.
    fn list(&self, path: &str) -> &[Value] {
        self.at(path).as_array().map_or(&[], Vec::as_slice)
    }
    /// The members of an object, by name.
    fn members(&self, path: &str) -> impl Iterator<Item = (&str, &Value)> {
        self.at(path).as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }
    /// The moment of a timestamp, in milliseconds since 1970.
    fn moment(&self, path: &str) -> Option<f64> {
        informer::parse_rfc3339(self.text(path))
    }
    /// `metadata.name`.
    fn name(&self) -> &str {
        self.text("metadata.name")
    }
    /// `metadata.namespace`; empty for a cluster-scoped object.
    fn namespace(&self) -> &str {
        self.text("metadata.namespace")
    }
    /// `metadata.uid`.
    fn uid(&self) -> &str {
        self.text("metadata.uid")
    }
    /// The value of a label; empty if there is none.
    fn label(&self, key: &str) -> &str {
        self.at("metadata.labels").member(key).as_str().unwrap_or_default()
    }
    /// The value of an annotation; empty if there is none.
    fn annotation(&self, key: &str) -> &str {
        self.at("metadata.annotations").member(key).as_str().unwrap_or_default()
    }
    /// The API group; empty for the core group.
    fn group(&self) -> &str {
        group_of(self.text("apiVersion"))
    }
    /// The owner that controls it; null if there is none.
    fn controller(&self) -> &Value {
        self.list("metadata.ownerReferences").iter().find(|owner| owner.is("controller")).unwrap_or(&NULL)
    }
    /// Whether this uid is one of its owners.
    fn is_owned_by(&self, uid: &str) -> bool {
        !uid.is_empty() && self.list("metadata.ownerReferences").iter().any(|owner| owner.text("uid") == uid)
    }
}

impl Fields for Value {
    fn at(&self, path: &str) -> &Value {
        if path.is_empty() { self } else { path.split('.').fold(self, |value, name| value.member(name)) }
    }

    fn member(&self, name: &str) -> &Value {
        self.as_object().and_then(|object| object.get(name)).unwrap_or(&NULL)
    }
}

/// The group of an `apiVersion`: `apps` of `apps/v1`, empty of `v1`.
pub(crate) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_of_another_type_is_zero() {
        let odd = json!({"spec": [], "status": {"replicas": "3", "ready": 1, "hosts": {}}, "metadata": "x"});
        assert_eq!((odd.text("spec.nodeName"), odd.name(), odd.number("status.replicas")), ("", "", None));
        assert_eq!((odd.is("status.ready"), odd.list("status.hosts").len(), odd.count("status.ready")), (false, 0, 1));
        assert_eq!((group_of("apps/v1"), group_of("v1"), group_of("")), ("apps", "", ""));
    }
}
