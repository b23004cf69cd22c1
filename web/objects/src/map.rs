//! Map: many objects as a graph, from ingress to service, workload, pod, and to the node and volumes.
//!
//! Replica sets of a known deployment are folded into it, and pods of a workload into one box, unless they are expanded.

mod around;
mod wires;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::field::Fields;
use crate::kinds::{CLAIM, CONFIG_MAP, DEPLOYMENT, INGRESS, Kind, NODE, POD, REPLICA_SET, SECRET, SERVICE, VOLUME};
use crate::link::Link;
use crate::workload::is_ready;

/// API group of the Gateway API.
const GATEWAY: &str = "gateway.networking.k8s.io";

/// Most boxes of a map whose pods are not folded.
const MAX_UNFOLDED: usize = 40;

/// Options of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapOptions {
    /// Ids of workloads whose pods have boxes of their own.
    pub expanded: BTreeSet<String>,
    /// Whether config maps and secrets are shown, by the references to them.
    pub has_config: bool,
    /// The object whose surroundings alone are shown.
    pub around: Option<Link>,
}

/// A box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapBox {
    /// Unique in the map.
    pub id: String,
    /// The object; of folded pods, their workload.
    pub link: Link,
    /// Folded pods; empty for one object.
    pub pods: Vec<Link>,
    /// Number of the folded pods that are ready.
    pub ready: usize,
    /// Index of the object in the given ones; `None` for folded pods and for an object that is only named by others.
    pub object: Option<usize>,
    /// Id of the workload that the box folds, or that folds this pod.
    pub workload: Option<String>,
}

/// A graph of boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// The boxes by kind, namespace and name.
    pub boxes: Vec<MapBox>,
    /// Ids of the two boxes of each line, each pair once.
    pub lines: BTreeSet<(String, String)>,
}

/// Id of an object in a map.
pub fn map_id(link: &Link) -> String {
    format!("{}.{}/{}/{}", link.kind, link.group, link.namespace, link.name)
}

/// Rank of a kind in the order of boxes. Kinds that it does not list are between workloads and pods.
fn rank(link: &Link) -> usize {
    let is = |kind: Kind| kind.kind == link.kind && kind.group == link.group;
    let ranks = [INGRESS, SERVICE, DEPLOYMENT, POD, NODE, CLAIM, VOLUME, CONFIG_MAP, SECRET];
    if link.group == GATEWAY { 0 } else { ranks.iter().position(|kind| is(*kind)).unwrap_or(2) }
}

/// Builds the map of objects. A node or volume is in it if another object names it; so is a named object that does not exist.
pub fn map(objects: &[&Value], options: &MapOptions) -> Map {
    let is_small = objects.iter().filter(|object| !is_on_demand(object)).count() <= MAX_UNFOLDED;
    let known = Known::of(objects);
    let pods = known.pods_by_workload();
    let around = options.around.as_ref();
    let mut graph = Map::default();
    // The box of each object.
    let mut ids: BTreeMap<Link, String> = BTreeMap::new();
    for (at, object) in objects.iter().enumerate() {
        let link = Link::of(object);
        if is_on_demand(object) || known.deployment_of(object).is_some() || ids.contains_key(&link) {
            continue;
        }
        let workload = known.workload_of(object).map(Link::of).filter(|_| POD.is_of(object));
        let id = map_id(&link);
        if let Some(workload) = &workload {
            let own = map_id(workload);
            let siblings = pods.get(workload).map_or(&[][..], Vec::as_slice);
            let is_wanted = around.is_some_and(|around| siblings.iter().any(|pod| around.is_to(pod)));
            if !(is_small || is_wanted || options.expanded.contains(&own) || siblings.len() < 2) {
                ids.insert(link, format!("pods of {own}"));
                continue;
            }
        }
        let workload = workload.as_ref().map(map_id);
        graph.boxes.push(MapBox {
            id: id.clone(),
            link: link.clone(),
            object: Some(at),
            workload,
            ..MapBox::default()
        });
        ids.insert(link, id);
    }
    for (workload, siblings) in &pods {
        let own = map_id(workload);
        let id = format!("pods of {own}");
        if siblings.first().is_some_and(|pod| ids.get(&Link::of(pod)) == Some(&id)) {
            let ready = siblings.iter().filter(|pod| is_ready(pod)).count();
            let pods = siblings.iter().map(|pod| Link::of(pod)).collect();
            let link = workload.clone();
            graph.boxes.push(MapBox { id, link, pods, ready, object: None, workload: Some(own) });
        }
    }
    wires::draw(objects, &known, options.has_config, &mut ids, &mut graph);
    if let Some(around) = around {
        around::keep(&mut graph, ids.get(around));
    }
    graph.boxes.sort_by(|a, b| (rank(&a.link), &a.link, &a.id).cmp(&(rank(&b.link), &b.link, &b.id)));
    graph
}

/// Whether an object is in the map only if another one names it.
fn is_on_demand(object: &Value) -> bool {
    [NODE, VOLUME, CONFIG_MAP, SECRET].iter().any(|kind| kind.is_of(object))
}

/// The objects by uid.
struct Known<'a> {
    objects: &'a [&'a Value],
    by_uid: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Known<'a> {
    fn of(objects: &'a [&'a Value]) -> Self {
        let by_uid = objects.iter().map(|object| (object.uid(), *object)).filter(|(uid, _)| !uid.is_empty()).collect();
        Self { objects, by_uid }
    }

    /// The known owner of an object.
    fn owner_of(&self, object: &Value) -> Option<&'a Value> {
        let mut owners = object.list("metadata.ownerReferences").iter();
        owners.find_map(|owner| self.by_uid.get(owner.text("uid")).copied())
    }

    /// The known deployment of a replica set.
    fn deployment_of(&self, object: &Value) -> Option<&'a Value> {
        self.owner_of(object).filter(|owner| REPLICA_SET.is_of(object) && DEPLOYMENT.is_of(owner))
    }

    /// The owner of an object that has a box: the deployment in place of its replica set. An object that owns itself has none.
    fn workload_of(&self, object: &Value) -> Option<&'a Value> {
        let owner = self.owner_of(object).filter(|owner| owner.uid() != object.uid())?;
        Some(self.deployment_of(owner).unwrap_or(owner))
    }

    /// The pods of each workload.
    fn pods_by_workload(&self) -> BTreeMap<Link, Vec<&'a Value>> {
        let mut pods: BTreeMap<Link, Vec<&Value>> = BTreeMap::new();
        for pod in self.objects.iter().filter(|object| POD.is_of(object)) {
            if let Some(workload) = self.workload_of(pod) {
                pods.entry(Link::of(workload)).or_default().push(pod);
            }
        }
        pods
    }
}
