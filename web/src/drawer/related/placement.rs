//! Placement of the picture: the positions of its elements, which the part `picture` (`web/parts`) computes from their
//! sizes.
//!
//! The browser lays the elements out first, so that names, languages and text sizes may differ. The part is called
//! again only when an element is new, is gone or has another size.

use std::collections::BTreeMap;

use kube_objects::{Branch, Link, Node, Side};
use leptos::html::Div;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

use super::entry::title;
use super::sizes::{Sizes, measure};
use crate::parts;

/// The id of an object.
pub(super) fn object_id(link: &Link) -> String {
    format!("{}.{}/{}/{}", link.kind, link.group, link.namespace, link.name)
}

/// The id of a branch and of its label.
pub(super) fn branch_id(branch: &Branch) -> String {
    format!("{} {}", title(branch.relation), object_id(&branch.from))
}

/// The id of a node. Of many objects it does not depend on which they are.
pub(super) fn node_id(branch: &Branch, node: &Node) -> String {
    match node {
        Node::One { to, .. } => object_id(to),
        Node::Many { objects, .. } => {
            let kind = objects.first().map(|link| format!("{}.{}", link.kind, link.group)).unwrap_or_default();
            format!("{} {kind}", branch_id(branch))
        }
    }
}

/// Response of the part, in pixels.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
struct Positions {
    width: f64,
    height: f64,
    nodes: BTreeMap<String, (f64, f64)>,
    /// The path to each element but that of the object, in the words of SVG.
    lines: BTreeMap<String, String>,
}

/// State of the placement. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    scroller: NodeRef<Div>,
    /// Request to the part; `None` until each element has a size.
    request: Memo<Option<String>>,
    positions: RwSignal<Option<Positions>>,
    has_failed: RwSignal<bool>,
    /// Counts the retries.
    tries: RwSignal<u32>,
}

impl Placement {
    /// Positions the branches around the object `own`, in the element `scroller`.
    pub(super) fn follow(scroller: NodeRef<Div>, own: Memo<Option<Link>>, branches: Memo<Vec<Branch>>) -> Self {
        let sizes = RwSignal::new(Sizes::default());
        let request = Memo::new(move |_| {
            let own = own.get()?;
            sizes.with(|sizes| branches.with(|branches| request(&own, branches, sizes)))
        });
        let placement = Self {
            scroller,
            request,
            positions: RwSignal::new(None),
            has_failed: RwSignal::new(false),
            tries: RwSignal::new(0),
        };
        measure(scroller, branches, sizes);
        Effect::new(move || {
            placement.tries.track();
            if let Some(request) = request.get() {
                spawn_local(placement.request_positions(request));
            }
        });
        placement
    }

    async fn request_positions(self, request: String) {
        let response = parts::call("picture", "placeJson", &request).await.ok();
        let is_current = self.request.try_with_untracked(|current| *current == Some(request));
        // A later request has its own response, and the picture may be gone.
        if is_current != Some(true) {
            return;
        }
        let positions: Option<Positions> = response.and_then(|text| serde_json::from_str(&text).ok());
        self.has_failed.set(positions.is_none());
        if let Some(positions) = positions {
            self.keep_still(|| self.positions.set(Some(positions)));
        }
    }

    /// Changes the positions while the object stays where it is in the window. The first time, it is scrolled to the
    /// middle.
    fn keep_still(self, change: impl FnOnce()) {
        let is_first = self.positions.with_untracked(Option::is_none);
        let before = self.own().map(|own| own.get_bounding_client_rect());
        change();
        request_animation_frame(move || {
            let (Some(before), Some(own)) = (before, self.own()) else { return };
            let Some(scroller) = self.scroller.try_get_untracked().flatten() else { return };
            let after = own.get_bounding_client_rect();
            let across = if is_first {
                let room = scroller.get_bounding_client_rect();
                after.x() + after.width() / 2.0 - room.x() - room.width() / 2.0
            } else {
                after.x() - before.x()
            };
            scroller.scroll_by_with_x_and_y(across, 0.0);
            // At the top of the panel, new elements should be visible instead.
            let panel = scroller.closest(".panel").ok().flatten().filter(|panel| panel.scroll_top() > 0);
            if let Some(panel) = panel.filter(|_| !is_first) {
                panel.scroll_by_with_x_and_y(0.0, after.y() - before.y());
            }
        });
    }

    fn own(self) -> Option<Element> {
        self.scroller.try_get_untracked().flatten()?.query_selector(".own").ok().flatten()
    }

    pub(super) fn position(self, id: &str) -> Option<(f64, f64)> {
        self.positions.with(|positions| positions.as_ref()?.nodes.get(id).copied())
    }

    pub(super) fn line(self, id: &str) -> Option<String> {
        self.positions.with(|positions| positions.as_ref()?.lines.get(id).cloned())
    }

    /// The ids of all lines.
    pub(super) fn lines(self) -> Vec<String> {
        self.positions
            .with(|positions| positions.iter().flat_map(|positions| positions.lines.keys().cloned()).collect())
    }

    pub(super) fn width(self) -> Option<String> {
        self.positions.with(|positions| positions.as_ref().map(|positions| format!("{}px", positions.width)))
    }

    pub(super) fn height(self) -> Option<String> {
        self.positions.with(|positions| positions.as_ref().map(|positions| format!("{}px", positions.height)))
    }

    /// Whether the part is still being loaded.
    pub(super) fn is_loading(self) -> bool {
        self.positions.with(Option::is_none) && !self.has_failed.get()
    }

    /// Whether the part could not be loaded.
    pub(super) fn has_failed(self) -> bool {
        self.has_failed.get()
    }

    /// Loads the part again.
    pub(super) fn retry(self) {
        self.has_failed.set(false);
        self.tries.update(|tries| *tries += 1);
    }
}

/// Request to the part as JSON; `None` if the size of an element is not known yet.
fn request(own: &Link, branches: &[Branch], sizes: &Sizes) -> Option<String> {
    let element = |id: String| {
        let pixels = sizes.by_id.get(&id)?;
        Some(json!({ "id": id, "size": pixels }))
    };
    let branch = |branch: &Branch| -> Option<Value> {
        let nodes: Option<Vec<Value>> = branch.nodes.iter().map(|node| element(node_id(branch, node))).collect();
        let mut element_json = element(branch_id(branch))?;
        element_json["nodes"] = nodes?.into();
        element_json["from"] = object_id(&branch.from).into();
        element_json["side"] = match branch.side() {
            Side::Above => "above",
            Side::Before => "before",
            Side::After => "after",
            Side::Below => "below",
        }
        .into();
        Some(element_json)
    };
    let all: Option<Vec<Value>> = branches.iter().map(branch).collect();
    Some(json!({ "self": element(object_id(own))?, "branches": all?, "room": sizes.available_width }).to_string())
}

#[cfg(test)]
mod tests {
    use kube_objects::Relation;

    use super::*;

    #[test]
    fn the_part_is_called_once_each_element_has_a_size() {
        let link = |kind: &str, name: &str| Link::new("", kind, "shop", name);
        let own = link("Pod", "web-1");
        let one = Node::One { to: link("Secret", "db"), roles: Vec::new() };
        let many = Node::Many { objects: vec![link("Secret", "a"), link("Secret", "b")], beyond: 0 };
        let branches = [Branch { relation: Relation::Uses, from: own.clone(), nodes: vec![one, many] }];
        let ids = ["Pod./shop/web-1", "Uses Pod./shop/web-1", "Secret./shop/db", "Uses Pod./shop/web-1 Secret."];
        let mut sizes = Sizes { available_width: 400, by_id: BTreeMap::new() };
        for id in ids {
            assert_eq!(request(&own, &branches, &sizes), None, "without {id}");
            sizes.by_id.insert(id.to_owned(), (160, 56));
        }
        let value: Value =
            serde_json::from_str(&request(&own, &branches, &sizes).unwrap_or_default()).unwrap_or_default();
        assert_eq!(value["branches"][0]["side"], "after");
        assert_eq!(value["branches"][0]["from"], value["self"]["id"]);
        assert_eq!(value["branches"][0]["nodes"][1], json!({ "id": ids[3], "size": [160, 56] }));
        assert_eq!(value["room"], 400);
    }
}
