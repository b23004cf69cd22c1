//! Requests of actions: the method of the package's client and its arguments, as JSON.

use serde_json::{Value, json};

use super::table::has_replicas;

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

    /// The `ObjectRef` of a subresource.
    pub(super) fn subresource_reference(&self, subresource: &str) -> Value {
        let mut reference = self.reference();
        reference["subresource"] = subresource.into();
        reference
    }

    /// Path of a list of another resource in the same namespace: `apps/v1/replicasets`.
    pub(super) fn sibling_path(&self, resource: &str) -> String {
        let (version, plural) = resource.rsplit_once('/').unwrap_or(("v1", resource));
        let root = if version.contains('/') { "/apis" } else { "/api" };
        let namespace = self.namespace.as_deref().map(|namespace| format!("/namespaces/{namespace}"));
        format!("{root}/{version}{}/{plural}", namespace.unwrap_or_default())
    }
}

/// A write request.
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
    },
    Create(Value),
}

impl Request {
    /// The method of the client, and its arguments. The server rejects the request if the object of this name has
    /// another uid by then.
    pub(super) fn call(&self, target: &Target, uid: &str) -> (&'static str, Vec<Value>) {
        let reference = target.reference();
        let part = |subresource| target.subresource_reference(subresource);
        match self {
            Self::Patch(patch) => ("patch", vec![reference, with_uid(patch.clone(), uid)]),
            // A patch of the object, because its response has the version that the watch will deliver.
            Self::Scale(replicas) => {
                // For custom kinds the server compares no uid in a Scale: the patch does.
                let patch = if has_replicas(&target.resource) {
                    json!({ "spec": { "replicas": replicas } })
                } else {
                    json!([{ "op": "add", "path": "/spec/replicas", "value": replicas }])
                };
                ("patch", vec![part("scale"), with_uid(patch, uid)])
            }
            Self::Evict => ("evict", vec![reference, json!({ "uid": uid })]),
            Self::Debug(patch) => {
                let patch = with_uid(patch.clone(), uid);
                ("patch", vec![part("ephemeralcontainers"), patch, json!({ "type": "strategic" })])
            }
            Self::Create(object) => ("create", vec![object.clone()]),
            Self::Delete { propagation, grace } => {
                let mut options = json!({ "propagation": propagation, "uid": uid });
                if let Some(grace) = grace {
                    options["gracePeriodSeconds"] = (*grace).into();
                }
                ("delete", vec![reference, options])
            }
        }
    }
}

/// A patch that applies to the object with this uid only.
fn with_uid(mut patch: Value, uid: &str) -> Value {
    match &mut patch {
        Value::Array(operations) => {
            operations.insert(0, json!({ "op": "test", "path": "/metadata/uid", "value": uid }));
        }
        patch => patch["metadata"]["uid"] = uid.into(),
    }
    patch
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
        let request = Request::Delete { propagation: "foreground", grace: Some(0) };
        let (method, arguments) = request.call(&web(), "u");
        assert_eq!((method, &arguments[0]["namespace"]), ("delete", &json!("shop")));
        assert_eq!(arguments[1], json!({ "propagation": "foreground", "gracePeriodSeconds": 0, "uid": "u" }));
    }

    #[test]
    fn each_write_is_for_the_object_with_this_uid() {
        let sent = |request: &Request| request.call(&web(), "u").1;
        let labels = sent(&Request::Patch(json!({ "metadata": { "labels": { "a": "b" } } })));
        assert_eq!(labels[1], json!({ "metadata": { "labels": { "a": "b" }, "uid": "u" } }));
        let roll_back = sent(&Request::Patch(json!([{ "op": "remove", "path": "/spec" }])));
        assert_eq!(roll_back[1][0], json!({ "op": "test", "path": "/metadata/uid", "value": "u" }));
        let scale = sent(&Request::Scale(3));
        assert_eq!((&scale[0]["subresource"], &scale[1]["metadata"]["uid"]), (&json!("scale"), &json!("u")));
        let custom = Target { resource: "example.com/v1/deployments".to_owned(), ..web() };
        let scale = Request::Scale(0).call(&custom, "u").1;
        assert_eq!(scale[0]["subresource"], "scale");
        let operations = [("test", "/metadata/uid", json!("u")), ("add", "/spec/replicas", json!(0))];
        let operations = operations.map(|(op, path, value)| json!({ "op": op, "path": path, "value": value }));
        assert_eq!(scale[1], json!(operations));
        assert_eq!(sent(&Request::Evict)[1], json!({ "uid": "u" }));
        assert_eq!(sent(&Request::Debug(json!({})))[1], json!({ "metadata": { "uid": "u" } }));
    }

    #[test]
    fn a_cluster_scoped_object_has_no_namespace() {
        let node = Target { resource: "v1/nodes".to_owned(), namespace: None, name: "n".to_owned() };
        assert_eq!(node.reference(), json!({ "resource": "v1/nodes", "name": "n" }));
        assert_eq!(node.sibling_path("v1/pods"), "/api/v1/pods");
        assert_eq!(web().sibling_path("apps/v1/replicasets"), "/apis/apps/v1/namespaces/shop/replicasets");
    }
}
