//! Objects of the controller, as far as it reads them.

use informer::{GroupVersionResource, Object};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Parses a cached object.
fn opened<T: DeserializeOwned>(object: &Object) -> Option<T> {
    serde_json::from_str(&object.json()).ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metadata {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) uid: String,
    #[serde(default)]
    owner_references: Vec<OwnerReference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnerReference {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
    #[serde(default)]
    controller: bool,
}

impl Metadata {
    pub(crate) fn of(object: &Object) -> Option<Self> {
        #[derive(Deserialize)]
        struct Any {
            metadata: Metadata,
        }
        opened(object).map(|any: Any| any.metadata)
    }

    /// The key of the `Foo` that controls this object.
    pub(crate) fn foo_key(&self) -> Option<String> {
        let is_foo = |owner: &&OwnerReference| {
            owner.controller && owner.api_version == Foo::API_VERSION && owner.kind == Foo::KIND
        };
        let owner = self.owner_references.iter().find(is_foo)?;
        Some(format!("{}/{}", self.namespace, owner.name))
    }

    /// Whether it controls this object: by its uid, for another one may have had its name.
    pub(crate) fn is_controlled_by(&self, owner: &Self) -> bool {
        self.owner_references.iter().any(|reference| reference.controller && reference.uid == owner.uid)
    }
}

/// Requests a `Deployment` of a name and a size; the status has its available replicas.
#[derive(Deserialize)]
pub(crate) struct Foo {
    pub(crate) metadata: Metadata,
    pub(crate) spec: FooSpec,
    #[serde(default)]
    pub(crate) status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    pub(crate) deployment_name: String,
    pub(crate) replicas: u32,
}

/// The part of the status that a `Foo` and its `Deployment` have in common.
#[derive(Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Status {
    pub(crate) available_replicas: u32,
}

impl Foo {
    pub(crate) const GROUP: &str = "samplecontroller.example.dev";
    pub(crate) const API_VERSION: &str = "samplecontroller.example.dev/v1alpha1";
    pub(crate) const KIND: &str = "Foo";

    pub(crate) fn read(object: &Object) -> Option<Self> {
        opened(object)
    }

    pub(crate) fn resource() -> GroupVersionResource {
        GroupVersionResource { group: Self::GROUP.into(), version: "v1alpha1".into(), resource: "foos".into() }
    }

    /// The path of one; of all in the namespace when `name` is empty.
    pub(crate) fn path(namespace: &str, name: &str) -> String {
        path(&Self::resource(), namespace, name)
    }

    /// The `Deployment` that it wants.
    pub(crate) fn deployment(&self) -> Value {
        let labels = json!({"app": "nginx", "controller": self.metadata.name});
        let owner = json!({
            "apiVersion": Self::API_VERSION, "kind": Self::KIND, "name": self.metadata.name, "uid": self.metadata.uid,
            "controller": true, "blockOwnerDeletion": true,
        });
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": self.spec.deployment_name, "ownerReferences": [owner]},
            "spec": {
                "replicas": self.spec.replicas,
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"containers": [{"name": "nginx", "image": "nginx"}]},
                },
            },
        })
    }

    /// The kind itself, for the apiserver.
    pub(crate) fn definition() -> Value {
        let integer = json!({"type": "integer"});
        let schema = json!({
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "properties": {"deploymentName": {"type": "string", "minLength": 1}, "replicas": integer},
                    "required": ["deploymentName", "replicas"],
                },
                "status": {"type": "object", "properties": {"availableReplicas": integer}},
            },
        });
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("foos.{}", Self::GROUP)},
            "spec": {
                "group": Self::GROUP, "scope": "Namespaced",
                "names": {"plural": "foos", "singular": "foo", "kind": Self::KIND, "listKind": "FooList"},
                "versions": [{
                    "name": "v1alpha1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}},
                }],
            },
        })
    }
}

/// The little that the controller reads of a `Deployment`.
#[derive(Deserialize)]
pub(crate) struct Deployment {
    pub(crate) metadata: Metadata,
    pub(crate) spec: DeploymentSpec,
    #[serde(default)]
    pub(crate) status: Status,
}

#[derive(Deserialize)]
pub(crate) struct DeploymentSpec {
    pub(crate) replicas: u32,
}

impl Deployment {
    pub(crate) fn read(object: &Object) -> Option<Self> {
        opened(object)
    }

    pub(crate) fn resource() -> GroupVersionResource {
        GroupVersionResource { group: "apps".into(), version: "v1".into(), resource: "deployments".into() }
    }

    /// The path of one; of all in the namespace when `name` is empty.
    pub(crate) fn path(namespace: &str, name: &str) -> String {
        path(&Self::resource(), namespace, name)
    }
}

fn path(resource: &GroupVersionResource, namespace: &str, name: &str) -> String {
    let collection = resource.collection_path(Some(namespace));
    if name.is_empty() { collection } else { format!("{collection}/{name}") }
}
