//! Merge keys: the member that identifies an element of a list where Kubernetes merges the list by it.

use std::collections::BTreeMap;

use informer_packing::Json;

/// The merge keys of a list by its name, in the order of trial: `listMapKeys` and `patchMergeKey` of the Kubernetes
/// API. Of a list with two keys, the first one, if it identifies all elements.
fn merge_keys(list: &str) -> &'static [&'static str] {
    match list {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "containerStatuses"
        | "initContainerStatuses"
        | "ephemeralContainerStatuses"
        | "volumes"
        | "env"
        | "imagePullSecrets"
        | "secrets"
        | "resourceClaims"
        | "volumesAttached" => &["name"],
        "conditions" | "addresses" => &["type"],
        // Of a container, and of a service.
        "ports" => &["containerPort", "port"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "ownerReferences" => &["uid"],
        "hostAliases" | "podIPs" | "hostIPs" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey"],
        "taints" => &["key"],
        _ => &[],
    }
}

/// The elements of a list by the JSON texts of their keys, in order.
pub(super) struct Keyed<'j> {
    pub(super) elements: Vec<(&'j str, Json<'j>)>,
    places: BTreeMap<&'j str, usize>,
}

impl<'j> Keyed<'j> {
    /// Returns `None` if the key does not identify each element.
    fn by(key: &str, list: Json<'j>) -> Option<Self> {
        let mut keyed = Self { elements: Vec::new(), places: BTreeMap::new() };
        for element in list.items() {
            let value = element.get(key)?.text();
            let is_scalar = !value.is_empty() && !value.starts_with(['{', '[']) && value != "null";
            if !is_scalar || keyed.places.insert(value, keyed.elements.len()).is_some() {
                return None;
            }
            keyed.elements.push((value, element));
        }
        Some(keyed)
    }

    /// Returns the element with a key.
    pub(super) fn get(&self, key: &str) -> Option<Json<'j>> {
        self.elements.get(*self.places.get(key)?).map(|(_, element)| *element)
    }

    /// The keys that another list has, too.
    fn shared<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'j str> + 's {
        self.elements.iter().map(|(key, _)| *key).filter(|key| other.places.contains_key(key))
    }

    /// Whether the elements that two lists share are in the same order.
    pub(super) fn has_order_of(&self, other: &Self) -> bool {
        self.shared(other).eq(other.shared(self))
    }
}

/// Returns the elements of two states of a list by their merge key, with its name; `None` if the list has none.
pub(super) fn by_merge_key<'j>(
    list: &str,
    before: Json<'j>,
    after: Json<'j>,
) -> Option<(&'static str, Keyed<'j>, Keyed<'j>)> {
    merge_keys(list).iter().find_map(|key| Some((*key, Keyed::by(key, before)?, Keyed::by(key, after)?)))
}
