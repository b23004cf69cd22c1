//! Nearness: which blocks are close to the visible part of their panel, by `IntersectionObserver`.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Distance above and below the visible part within which blocks contain their lines, so that a turn of the wheel or a
/// page down finds them.
const MARGIN: &str = "1200px 0px";

/// The attribute with the number of a block.
const NUMBER: &str = "data-block";

/// State of one block.
#[derive(Clone, Copy)]
pub(super) struct Near {
    /// Whether the block is near.
    pub(super) is_near: RwSignal<bool>,
    /// Its height when it was last near.
    pub(super) height: RwSignal<Option<f64>>,
}

impl Near {
    pub(super) fn new(is_near: bool) -> Self {
        Self { is_near: RwSignal::new(is_near), height: RwSignal::new(None) }
    }
}

/// Blocks of one scroll container. Clones share their state.
#[derive(Clone, Copy)]
pub(super) struct Nearness {
    blocks: StoredValue<Vec<(usize, Near)>>,
    observer: StoredValue<Option<Observer>, LocalStorage>,
}

struct Observer {
    observer: IntersectionObserver,
    _on_change: Closure<dyn Fn(js_sys::Array)>,
}

impl Nearness {
    /// Creates the state without blocks.
    pub(super) fn new() -> Self {
        let nearness = Self { blocks: StoredValue::new(Vec::new()), observer: StoredValue::new_local(None) };
        on_cleanup(move || {
            nearness.observer.try_with_value(|observer| {
                if let Some(Observer { observer, .. }) = observer {
                    observer.disconnect();
                }
            });
        });
        nearness
    }

    /// Observes a block. Idempotent.
    pub(super) fn watch(self, number: usize, element: &Element, near: Near) {
        self.blocks.update_value(|blocks| {
            blocks.retain(|(other, _)| *other != number);
            blocks.push((number, near));
        });
        let _ = element.set_attribute(NUMBER, &number.to_string());
        self.observer.update_value(|observer| {
            if observer.is_none() {
                *observer = self.observe_within(element.closest(".panel").ok().flatten().as_ref());
            }
            match observer {
                Some(Observer { observer, .. }) => observer.observe(element),
                // A browser without it shows all lines, if slowly.
                None => near.is_near.set(true),
            }
        });
    }

    /// Marks a block as near before it is scrolled to.
    pub(super) fn force(self, number: usize) {
        let near =
            self.blocks.with_value(|blocks| blocks.iter().find(|(other, _)| *other == number).map(|(_, near)| *near));
        if let Some(near) = near.filter(|near| !near.is_near.get_untracked()) {
            near.is_near.set(true);
        }
    }

    /// Removes a block.
    pub(super) fn remove(self, number: usize) {
        self.blocks.try_update_value(|blocks| blocks.retain(|(other, _)| *other != number));
    }

    fn observe_within(self, panel: Option<&Element>) -> Option<Observer> {
        let on_change = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
            for entry in entries.iter().filter_map(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok()) {
                self.on_entry(&entry);
            }
        });
        let init = IntersectionObserverInit::new();
        init.set_root(panel);
        init.set_root_margin(MARGIN);
        let observer = IntersectionObserver::new_with_options(on_change.as_ref().unchecked_ref(), &init).ok()?;
        Some(Observer { observer, _on_change: on_change })
    }

    fn on_entry(self, entry: &IntersectionObserverEntry) {
        let number = entry.target().get_attribute(NUMBER).and_then(|number| number.parse::<usize>().ok());
        let near = number.and_then(|number| {
            self.blocks
                .try_with_value(|blocks| blocks.iter().find(|(other, _)| *other == number).map(|(_, near)| *near))
                .flatten()
        });
        let Some(near) = near else { return };
        let is_near = entry.is_intersecting();
        if near.is_near.try_get_untracked() == Some(!is_near) {
            if !is_near {
                near.height.set(Some(entry.bounding_client_rect().height()));
            }
            near.is_near.set(is_near);
        }
    }
}
