//! Lines of a map, and the boxes of objects that are only named.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{GATEWAY, Known, Map, MapBox, map_id};
use crate::edge::{named_by, selects_pods, template_of};
use crate::field::Fields;
use crate::kinds::{CLAIM, CONFIG_MAP, INGRESS, NODE, POD, SECRET, SERVICE, VOLUME};
use crate::link::Link;

/// Draws the lines between the boxes of all objects.
pub(super) fn draw(
    objects: &[&Value],
    known: &Known<'_>,
    has_config: bool,
    ids: &mut BTreeMap<Link, String>,
    graph: &mut Map,
) {
    let places: BTreeMap<Link, usize> = objects.iter().enumerate().map(|(at, object)| (Link::of(object), at)).collect();
    // Named objects may name others: a claim its volume.
    let mut named = Vec::new();
    for object in objects {
        let own = Link::of(object);
        // A folded replica set names what its deployment names.
        let Some(from) = ids.get(&own).cloned() else { continue };
        if let Some(owner) = known.workload_of(object)
            && let Some(workload) = ids.get(&Link::of(owner))
        {
            line(graph, workload, &from);
        }
        if POD.is_of(object) && !object.text("spec.nodeName").is_empty() {
            named.push((from.clone(), Link::to(NODE, "", object.text("spec.nodeName"))));
        }
        named_by(object, |to, _| {
            if is_wanted(object, &to, has_config) {
                named.push((from.clone(), to));
            }
        });
    }
    services(objects, known, ids, graph);
    for (from, to) in named {
        let id = ids.entry(to.clone()).or_insert_with(|| {
            let id = map_id(&to);
            let object = places.get(&to).copied();
            graph.boxes.push(MapBox { id: id.clone(), link: to.clone(), object, ..MapBox::default() });
            id
        });
        if to.group == GATEWAY {
            line(graph, &id.clone(), &from);
        } else {
            line(graph, &from, &id.clone());
        }
    }
}

fn line(graph: &mut Map, from: &str, to: &str) {
    if from != to {
        graph.lines.insert((from.to_owned(), to.to_owned()));
    }
}

/// Whether a reference is a line of the map.
fn is_wanted(object: &Value, to: &Link, has_config: bool) -> bool {
    let is = |kinds: &[crate::kinds::Kind]| kinds.iter().any(|kind| kind.kind == to.kind && kind.group == to.group);
    (INGRESS.is_of(object) && is(&[SERVICE]))
        // A route of the Gateway API.
        || (object.group() == GATEWAY && object.text("kind") != "Gateway")
        || (POD.is_of(object) && is(&[CLAIM]))
        || (CLAIM.is_of(object) && is(&[VOLUME]))
        || (has_config && (INGRESS.is_of(object) || template_of(object).is_some()) && is(&[CONFIG_MAP, SECRET]))
}

/// Lines from services to the workloads of the pods that they select, and to pods without a workload.
fn services(objects: &[&Value], known: &Known<'_>, ids: &BTreeMap<Link, String>, graph: &mut Map) {
    let mut by_namespace: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for object in objects.iter().filter(|object| template_of(object).is_some()) {
        by_namespace.entry(object.namespace()).or_default().push(object);
    }
    for service in objects.iter().filter(|object| SERVICE.is_of(object)) {
        let Some(from) = ids.get(&Link::of(service)).cloned() else { continue };
        for other in by_namespace.get(service.namespace()).map_or(&[][..], Vec::as_slice) {
            let Some(pods) = template_of(other) else { continue };
            if selects_pods(service, other.namespace(), pods) {
                let workload = known.workload_of(other).unwrap_or(other);
                if let Some(to) = ids.get(&Link::of(workload)) {
                    line(graph, &from, to);
                }
            }
        }
    }
}
