//! Node sizes: measures the nodes of the related-objects diagram with a `ResizeObserver`, for its layout.

use std::collections::BTreeMap;

use kube_objects::Branch;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, ResizeObserver};

/// Selector of the nodes; the attribute is the node's id.
const ELEMENTS: &str = "[data-node]";

/// Sizes of the nodes in CSS pixels, and the width of their container.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sizes {
    pub(super) available_width: i32,
    /// Width and height by id.
    pub(super) by_id: BTreeMap<String, (i32, i32)>,
}

/// Measures all nodes when `branches` changes and when a node is resized.
pub(super) fn measure(container: NodeRef<Div>, branches: Memo<Vec<Branch>>, sizes: RwSignal<Sizes>) {
    let resized = Closure::<dyn Fn()>::new(move || {
        let Some(container) = container.try_get_untracked().flatten() else { return };
        let size = |element: HtmlElement| {
            Some((element.get_attribute("data-node")?, (element.offset_width(), element.offset_height())))
        };
        let by_id = elements(&container).into_iter().filter_map(size).collect();
        let measured = Sizes { available_width: container.client_width(), by_id };
        if sizes.try_with_untracked(|sizes| *sizes != measured) == Some(true) {
            sizes.set(measured);
        }
    });
    let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let observation = StoredValue::new_local((observer, resized));
    Effect::new(move || {
        branches.track();
        let Some(container) = container.get() else { return };
        // Waits a frame until the nodes are in the document. `observe` also reports nodes that are already observed.
        request_animation_frame(move || {
            observation.try_with_value(|(observer, _)| {
                if let Some(observer) = observer {
                    observer.observe(&container);
                    for element in elements(&container) {
                        observer.observe(&element);
                    }
                }
            });
        });
    });
    on_cleanup(move || {
        observation.try_with_value(|(observer, _)| observer.as_ref().map(ResizeObserver::disconnect));
    });
}

fn elements(container: &Element) -> Vec<HtmlElement> {
    let found = container.query_selector_all(ELEMENTS).ok();
    let element = |at| found.as_ref()?.item(at)?.dyn_into().ok();
    (0..found.as_ref().map_or(0, web_sys::NodeList::length)).filter_map(element).collect()
}
