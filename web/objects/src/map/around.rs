//! Surroundings of one box: what leads to it, and where it leads.

use std::collections::BTreeSet;

use super::Map;

/// Removes the boxes that are neither before nor after a box. Without the box, all of them.
pub(super) fn keep(graph: &mut Map, own: Option<&String>) {
    let mut kept = BTreeSet::new();
    for is_after in [true, false] {
        let mut seen: BTreeSet<String> = own.into_iter().cloned().collect();
        let mut waiting: Vec<String> = seen.iter().cloned().collect();
        while let Some(id) = waiting.pop() {
            for (from, to) in &graph.lines {
                let (near, far) = if is_after { (from, to) } else { (to, from) };
                if *near == id && seen.insert(far.clone()) {
                    waiting.push(far.clone());
                }
            }
        }
        kept.extend(seen);
    }
    graph.boxes.retain(|each| kept.contains(&each.id));
    graph.lines.retain(|(from, to)| kept.contains(from) && kept.contains(to));
}
