//! Resize handle of the drawer: changes its width by pointer and keys, and stores it.
//!
//! A window splitter in the words of ARIA: a focusable separator whose value is the width in pixels.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::preference;

const STORED_AS: &str = "kube-informer.drawer-width";

/// Minimum width in pixels, as in style.css.
const MIN_WIDTH: f64 = 320.0;

/// Minimum width of the table, beside the column of kinds.
const MIN_TABLE_WIDTH: f64 = 280.0;

/// Step of an arrow key.
const KEY_STEP: f64 = 24.0;

/// The stored width; `None` is the default.
pub(super) fn stored_width() -> RwSignal<Option<f64>> {
    let stored = preference::stored(STORED_AS).and_then(|width| width.parse().ok());
    RwSignal::new(stored.filter(|width: &f64| width.is_finite() && *width >= MIN_WIDTH))
}

fn store_width(width: Option<f64>) {
    preference::store(STORED_AS, width.map(|width| format!("{width:.0}")).as_deref());
}

/// Resize handle. `width` is the chosen width; the drawer is narrower in a narrow window.
#[component]
pub(super) fn Handle(width: RwSignal<Option<f64>>, drawer: NodeRef<Div>) -> impl IntoView {
    let handle = NodeRef::<Div>::new();
    let range = RwSignal::new((0.0, 0.0));
    let measure = move || {
        if let Some(drawer) = drawer.get_untracked() {
            range.try_set((drawer.get_bounding_client_rect().width(), max_width(&drawer)));
        }
    };
    watch_size(drawer, measure);
    let choose = move |requested: Option<f64>| {
        let max_width = drawer.get_untracked().map_or(f64::INFINITY, |drawer| max_width(&drawer));
        width.set(requested.map(|requested| requested.min(max_width).max(MIN_WIDTH)));
    };
    let pressed = move |event: PointerEvent| {
        if let Some(handle) = handle.get_untracked().filter(|_| event.button() == 0) {
            // Captures the pointer outside of the handle too.
            let _ = handle.set_pointer_capture(event.pointer_id());
        }
    };
    let moved = move |event: PointerEvent| {
        let dragged = handle.get_untracked().is_some_and(|handle| handle.has_pointer_capture(event.pointer_id()));
        if let Some(drawer) = drawer.get_untracked().filter(|_| dragged) {
            choose(Some(drawer.get_bounding_client_rect().right() - f64::from(event.client_x())));
        }
    };
    let reset = move || {
        choose(None);
        store_width(None);
    };
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some(drawer) = drawer.get_untracked() else { return };
        let (now, max_width) = (drawer.get_bounding_client_rect().width(), max_width(&drawer));
        match event.key().as_str() {
            // The edge moves as the arrow points.
            "ArrowLeft" => choose(Some(now + KEY_STEP)),
            "ArrowRight" => choose(Some(now - KEY_STEP)),
            "Home" => choose(Some(MIN_WIDTH)),
            "End" => choose(Some(max_width)),
            "Enter" => choose(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
        store_width(width.get_untracked());
    };
    view! {
        <div
            class="handle"
            node_ref=handle
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label="Width of the panel"
            aria-valuemin=format!("{MIN_WIDTH:.0}")
            aria-valuemax=move || format!("{:.0}", range.get().1)
            aria-valuenow=move || format!("{:.0}", range.get().0)
            aria-valuetext=move || format!("{:.0} pixels", range.get().0)
            title="Drag to resize; double-click for the default width"
            on:pointerdown=pressed
            on:pointermove=moved
            on:lostpointercapture=move |_| store_width(width.get_untracked())
            on:dblclick=move |_| reset()
            on:keydown=on_key
        ></div>
    }
}

/// Maximum width: the table keeps its minimum, unless the drawer overlays it.
fn max_width(drawer: &web_sys::Element) -> f64 {
    let Some(body) = drawer.parent_element() else { return MIN_WIDTH };
    let room = f64::from(body.client_width());
    let lies_over = window()
        .get_computed_style(drawer)
        .ok()
        .flatten()
        .and_then(|style| style.get_property_value("position").ok())
        .is_some_and(|position| position == "absolute");
    if lies_over {
        return room;
    }
    let kinds = body.query_selector(".navigation").ok().flatten();
    let kinds = kinds.map_or(0.0, |kinds| kinds.get_bounding_client_rect().width());
    (room - kinds - MIN_TABLE_WIDTH).max(MIN_WIDTH)
}

/// Measures when the size of the drawer changes, which a resized window causes too.
fn watch_size(drawer: NodeRef<Div>, measure: impl Fn() + 'static) {
    let resized = Closure::<dyn Fn()>::new(measure);
    let observer = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let observation = StoredValue::new_local((observer, resized));
    Effect::new(move || {
        let Some(drawer) = drawer.get() else { return };
        observation.with_value(|(observer, _)| {
            if let Some(observer) = observer {
                observer.observe(&drawer);
            }
        });
    });
    on_cleanup(move || {
        observation.try_with_value(|(observer, _)| observer.as_ref().map(web_sys::ResizeObserver::disconnect));
    });
}
