//! Relations between objects, as indexes.
//!
//! An index of a relation is added by name in place of a JSONPath: `relation:owner`.
//!
//! | relation | of | values |
//! |---|---|---|
//! | `owner` | every object | the uid of each owner |
//! | `controller` | every object | the uid of the owner that controls it |
//! | `label` | every object | `namespace/key=value` for each label; for cluster-scoped objects `key=value` |
//! | `node` | pods and other kinds with a node in their `spec` | the node's name |
//! | `involvedObject` | events of either API | `Kind/namespace/name` and uid of the object it is about |
//! | `references` | pods, pod templates, and the kinds below | `Kind/namespace/name` of each object that it names |
//!
//! Kinds are written without their group, cluster-scoped objects as `Kind/name`. A referenced object need not exist.
//! References:
//!
//! - of pods and objects with a pod template: config maps, secrets and claims, wherever a container or a volume names
//!   them, the service account, and secrets for pulling images;
//! - of a stateful set its service; of an ingress services, secrets and its class; of an endpoint slice its service, its
//!   pods and their nodes; of endpoints pods and nodes;
//! - of a claim its volume, of a volume its claim and its CSI driver, of either the storage class; of a volume attachment
//!   volume and node;
//! - of an autoscaler its target; of a role binding the role and service accounts; of a service account its secrets.
//!
//! The pods of a service: look up one label of its selector in `label`, and filter by the others.

mod references;

use std::rc::Rc;

use informer_packing::zero_value::{items, string};
use informer_packing::{Json, Keys, Outline, sorted_by_number};

use informer::{IndexFunc, Keyed, Object};

/// Prefix that distinguishes the name of a relation from a path.
pub(crate) const PREFIX: &str = "relation:";

/// Names of the relations.
pub const RELATIONS: [&str; 6] = ["controller", "involvedObject", "label", "node", "owner", "references"];

/// Returns the index function of a relation by its name without the prefix; `None` for an unknown name.
///
/// ```
/// use informer::{KubeObject, Object};
/// use informer_engine::relations;
///
/// let pod = r#"{"kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"nodeName":"n1",
///     "volumes":[{"name":"v","secret":{"secretName":"tls"}}],"containers":[]}}"#;
/// let pod = Object::from_json(pod, None)?;
/// let index = |relation| relations::index_func(relation).map(|values| values(&pod));
/// assert_eq!(index("node"), Some(Ok(vec!["n1".to_owned()])));
/// assert_eq!(index("references"), Some(Ok(vec!["Secret/shop/tls".to_owned()])));
/// assert!(index("friend").is_none());
/// # Ok::<(), informer::InformerError>(())
/// ```
pub fn index_func(relation: &str) -> Option<IndexFunc<Object>> {
    let values: fn(&Object, &Outline<'_>, &mut Values) = match relation {
        "owner" => |_, object, values| owners(object, false, values),
        "controller" => |_, object, values| owners(object, true, values),
        "label" => {
            return Some(Rc::new(|object: &Object| {
                let labels = object.labels();
                Ok(labels.iter().map(|(key, value)| label_value(object.namespace(), key, value)).collect())
            }));
        }
        "node" => |_, object, values| values.insert(&string(object.pointer("/spec/nodeName"))),
        "involvedObject" => |_, object, values| {
            for at in ["/involvedObject", "/regarding"] {
                if let Some(involved) = object.pointer(at) {
                    values.insert(&string(involved.get("uid")));
                    values.object(Some(involved), "");
                }
            }
        },
        "references" => references::of,
        _ => return None,
    };
    Some(Rc::new(move |object: &Object| {
        let json = object.json();
        let mut found = Values::default();
        values(object, &Outline::of(Json::new(&json)), &mut found);
        Ok(found.distinct())
    }))
}

fn owners(object: &Outline<'_>, controllers: bool, values: &mut Values) {
    for owner in items(object.pointer("/metadata/ownerReferences")) {
        if !controllers || owner.get("controller").and_then(Json::as_bool) == Some(true) {
            values.insert(&string(owner.get("uid")));
        }
    }
}

/// Returns the value of a label in the `label` index.
fn label_value(namespace: &str, key: &str, value: &str) -> String {
    if namespace.is_empty() { format!("{key}={value}") } else { format!("{namespace}/{key}={value}") }
}

/// Values of an index, in the order of insertion.
#[derive(Default)]
struct Values(Keys);

impl Values {
    /// Adds a value, unless it is empty.
    fn insert(&mut self, value: &str) {
        if !value.is_empty() {
            self.0.push(&mut |into| into.extend_from_slice(value.as_bytes()));
        }
    }

    /// Returns each value once. O(n log n): a binding may name a hundred thousand.
    fn distinct(&self) -> Vec<String> {
        let firsts = self.0.distinct();
        let numbers: Vec<u64> = firsts.iter().map(|number| u64::from(*number)).collect();
        let in_order = sorted_by_number(&numbers).into_iter().map(|place| self.0.get(firsts[place as usize]));
        in_order.map(|value| String::from_utf8_lossy(value).into_owned()).collect()
    }

    /// Adds an object by kind, namespace (empty for cluster-scoped kinds) and name.
    fn named(&mut self, kind: &str, namespace: &str, name: &str) {
        if !name.is_empty() {
            self.insert(&if namespace.is_empty() {
                format!("{kind}/{name}")
            } else {
                format!("{kind}/{namespace}/{name}")
            });
        }
    }

    /// Adds an object by a reference that names its kind. Its namespace defaults to this one.
    fn object(&mut self, reference: Option<Json<'_>>, namespace: &str) {
        let field = |name| string(reference.and_then(|reference| reference.get(name)));
        let said = field("namespace");
        self.named(&field("kind"), if said.is_empty() { namespace } else { &said }, &field("name"));
    }
}
