//! Requests of actions: the method of the package's client and its arguments, as JSON.

use serde_json::{Value, json};

/// The object that a request is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// `group/version/resource`.
    pub(crate) resource: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

impl Target {
    /// The package's `ObjectRef`.
    pub(crate) fn reference(&self) -> Value {
        let mut reference = json!({ "resource": self.resource, "name": self.name });
        if let Some(namespace) = &self.namespace {
            reference["namespace"] = namespace.as_str().into();
        }
        reference
    }

    /// Path of a list of another resource in the same namespace: `apps/v1/replicasets`.
    pub(super) fn beside(&self, resource: &str) -> String {
        let (version, plural) = resource.rsplit_once('/').unwrap_or(("v1", resource));
        let root = if version.contains('/') { "/apis" } else { "/api" };
        let namespace = self.namespace.as_deref().map(|namespace| format!("/namespaces/{namespace}"));
        format!("{root}/{version}{}/{plural}", namespace.unwrap_or_default())
    }
}

/// A write.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// A merge patch, or a JSON patch if it is an array.
    Patch(Value),
    Scale(u32),
    Evict,
    /// A strategic merge patch of a pod's ephemeral containers.
    Debug(Value),
    Delete {
        propagation: &'static str,
        grace: Option<u32>,
        uid: Option<String>,
    },
    Create(Value),
}

impl Request {
    /// The method of the client, and its arguments.
    pub(super) fn call(&self, target: &Target) -> (&'static str, Vec<Value>) {
        let reference = target.reference();
        match self {
            Self::Patch(patch) => ("patch", vec![reference, patch.clone()]),
            Self::Scale(replicas) => ("scale", vec![reference, (*replicas).into()]),
            Self::Evict => ("evict", vec![reference]),
            Self::Debug(patch) => {
                let mut reference = reference;
                reference["subresource"] = "ephemeralcontainers".into();
                ("patch", vec![reference, patch.clone(), json!({ "type": "strategic" })])
            }
            Self::Create(object) => ("create", vec![object.clone()]),
            Self::Delete { propagation, grace, uid } => {
                let mut options = json!({ "propagation": propagation });
                if let Some(grace) = grace {
                    options["gracePeriodSeconds"] = (*grace).into();
                }
                if let Some(uid) = uid {
                    options["uid"] = uid.as_str().into();
                }
                ("delete", vec![reference, options])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web() -> Target {
        Target {
            resource: "apps/v1/deployments".to_owned(),
            namespace: Some("shop".to_owned()),
            name: "web".to_owned(),
        }
    }

    #[test]
    fn a_delete_is_of_the_object_that_is_on_screen() {
        let request = Request::Delete { propagation: "foreground", grace: Some(0), uid: Some("u".to_owned()) };
        let (method, arguments) = request.call(&web());
        assert_eq!((method, &arguments[0]["namespace"]), ("delete", &json!("shop")));
        assert_eq!(arguments[1], json!({ "propagation": "foreground", "gracePeriodSeconds": 0, "uid": "u" }));
    }

    #[test]
    fn a_cluster_scoped_object_has_no_namespace() {
        let node = Target { resource: "v1/nodes".to_owned(), namespace: None, name: "n".to_owned() };
        assert_eq!(node.reference(), json!({ "resource": "v1/nodes", "name": "n" }));
        assert_eq!(node.beside("v1/pods"), "/api/v1/pods");
        assert_eq!(web().beside("apps/v1/replicasets"), "/apis/apps/v1/namespaces/shop/replicasets");
    }
}
