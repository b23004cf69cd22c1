//! Resize handle of the drawer: changes its width by pointer and keys, and stores it.
//!
//! A window splitter in the words of ARIA: a focusable separator whose value is the width in pixels.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::{Aside, Div};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::preference;

const STORED_AS: &str = "kube-informer.drawer-width";

/// Minimum width in pixels, as in style.css.
const LEAST: f64 = 320.0;

/// Minimum width of the table, beside the column of kinds.
const TABLE: f64 = 280.0;

/// Step of an arrow key.
const STEP: f64 = 24.0;

/// The stored width; `None` is the default.
pub(super) fn remembered() -> RwSignal<Option<f64>> {
    let stored = preference::stored(STORED_AS).and_then(|width| width.parse().ok());
    RwSignal::new(stored.filter(|width: &f64| width.is_finite() && *width >= LEAST))
}

fn remember(width: Option<f64>) {
    preference::store(STORED_AS, width.map(|width| format!("{width:.0}")).as_deref());
}

/// Resize handle. `width` is the chosen width; the drawer is narrower in a narrow window.
#[component]
pub(super) fn Handle(width: RwSignal<Option<f64>>, drawer: NodeRef<Aside>) -> impl IntoView {
    let handle = NodeRef::<Div>::new();
    let range = RwSignal::new((0.0, 0.0));
    let measure = move || {
        if let Some(drawer) = drawer.get_untracked() {
            range.try_set((drawer.get_bounding_client_rect().width(), most(&drawer)));
        }
    };
    watch_size(drawer, measure);
    let choose = move |wanted: Option<f64>| {
        let most = drawer.get_untracked().map_or(f64::INFINITY, |drawer| most(&drawer));
        width.set(wanted.map(|wanted| wanted.min(most).max(LEAST)));
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
        remember(None);
    };
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some(drawer) = drawer.get_untracked() else { return };
        let (now, most) = (drawer.get_bounding_client_rect().width(), most(&drawer));
        match event.key().as_str() {
            // The edge moves as the arrow points.
            "ArrowLeft" => choose(Some(now + STEP)),
            "ArrowRight" => choose(Some(now - STEP)),
            "Home" => choose(Some(LEAST)),
            "End" => choose(Some(most)),
            "Enter" => choose(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
        remember(width.get_untracked());
    };
    view! {
        <div
            class="handle"
            node_ref=handle
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label="Width of the panel"
            aria-valuemin=format!("{LEAST:.0}")
            aria-valuemax=move || format!("{:.0}", range.get().1)
            aria-valuenow=move || format!("{:.0}", range.get().0)
            aria-valuetext=move || format!("{:.0} pixels", range.get().0)
            title="Drag to resize; double-click for the default width"
            on:pointerdown=pressed
            on:pointermove=moved
            on:lostpointercapture=move |_| remember(width.get_untracked())
            on:dblclick=move |_| reset()
            on:keydown=on_key
        ></div>
    }
}

/// Maximum width: the table keeps its minimum, unless the drawer overlays it.
fn most(drawer: &web_sys::Element) -> f64 {
    let Some(body) = drawer.parent_element() else { return LEAST };
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
    (room - kinds - TABLE).max(LEAST)
}

/// Measures when the size of the drawer changes, which a resized window causes too.
fn watch_size(drawer: NodeRef<Aside>, measure: impl Fn() + 'static) {
    let resized = Closure::<dyn Fn()>::new(measure);
    let observer = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let kept = StoredValue::new_local((observer, resized));
    Effect::new(move || {
        let Some(drawer) = drawer.get() else { return };
        kept.with_value(|(observer, _)| {
            if let Some(observer) = observer {
                observer.observe(&drawer);
            }
        });
    });
    on_cleanup(move || {
        kept.try_with_value(|(observer, _)| observer.as_ref().map(web_sys::ResizeObserver::disconnect));
    });
}
