//! The live grid: a constant pool of row elements over a window of a view, however many objects there are.

mod cell;
mod columns;
mod dom_order;
mod empty;
mod facets;
mod group;
mod head;
mod hold;
mod keyboard;
mod live_view;
mod model;
mod shelf;
mod slot;
mod tally;
mod wishes;

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::engine::Engine;
use crate::freshness::is_doubtful;
use crate::navigator::Navigator;
use crate::source::Source;
use crate::status_line::clock;
use crate::view_state::ViewState;
use columns::Shown;
use head::Head;
use live_view::set_if_new;
use model::{Model, Slot};
use shelf::Shelf;
use slot::SlotRow;

/// The table of the route's kind.
#[component]
pub(crate) fn Table(
    engine: Engine,
    navigator: Navigator,
    source: Source,
    state: ViewState,
    now: RwSignal<f64>,
) -> impl IntoView {
    let grid = NodeRef::<Div>::new();
    let width = RwSignal::new(0_u32);
    let model = Model::new(engine, navigator, source, state, grid);
    let one_namespace = Memo::new(move |_| navigator.namespace.get().is_some());
    let shown = Memo::new(move |_| state.columns.with(|columns| Shown::of(columns, width.get(), one_namespace.get())));
    watch_size(grid, width, model);
    let tall = Memo::new(move |_| shown.with(Shown::is_tall));
    Effect::new(move || {
        tall.track();
        // Rows of another height: style.css has it for the attribute, which is there in the next frame.
        request_animation_frame(move || {
            if let Some(grid) = grid.try_get_untracked().flatten() {
                model.measure(&grid);
            }
        });
    });
    let doubtful = Memo::new(move |_| source.status.with(|status| is_doubtful(status.freshness)));
    let row_count = move || model.places.get().map_or("-1".to_owned(), |places| (places + 1).to_string());
    let active = move || {
        let focused = model.focused.get()?;
        let slots = model.slots.get();
        slots.into_iter().find(|slot| slot.index.get() == Some(focused)).map(Slot::element_id)
    };
    let total = Memo::new(move |_| state.totals.get().map(|totals| totals.total));
    let busy = move || (!state.totals.get().is_some_and(|totals| totals.synced)).then_some("true");
    let pointed = move |event: leptos::ev::PointerEvent| {
        // A finger covers what it presses, and scrolls more than it points.
        if event.pointer_type() != "touch" {
            model.hold().pointed(event.screen_x(), event.screen_y());
        }
    };
    view! {
        <div class="table" data-trust=move || if doubtful.get() { "old" } else { "ok" } class:tall=move || tall.get()>
            <Shelf model=model navigator=navigator label=source.label width=width />
            <div class="stage">
                <div
                    class="grid"
                    node_ref=grid
                    role="grid"
                    tabindex="0"
                    aria-label=move || source.label.get()
                    aria-rowcount=row_count
                    aria-colcount=move || shown.with(|shown| shown.columns.len().to_string())
                    aria-activedescendant=active
                    aria-busy=busy
                    data-total=move || total.get().map(|total| total.to_string())
                    style=("--columns", move || shown.with(|shown| shown.template.clone()))
                    style=("--least-width", move || shown.with(|shown| format!("{}px", shown.least_width)))
                    on:scroll=move |_| model.paint_soon()
                    on:keydown=move |event| keyboard::on_key(&event, model, navigator)
                    on:blur=move |_| model.hold().let_go()
                >
                    <Head shown=shown navigator=navigator />
                    <div
                        class="canvas"
                        role="rowgroup"
                        style:height=move || format!("{}px", model.height.get())
                        on:pointermove=pointed
                        on:pointerenter=pointed
                        on:pointerleave=move |_| model.hold().let_go()
                    >
                        <For each=move || model.slots.get() key=|slot| slot.number let:slot>
                            <SlotRow place=slot shown=shown model=model navigator=navigator now=now />
                        </For>
                    </div>
                </div>
                {move || empty::reason(model, navigator, source)}
            </div>
            <Show when=move || doubtful.get() && model.places.get().is_some_and(|places| places > 0)>
                <p class="doubt">{move || as_of(source)}</p>
            </Show>
        </div>
    }
}

/// From when the rows are, while they are not live.
fn as_of(source: Source) -> String {
    match source.status.with(|status| status.last_contact_at) {
        Some(at) => format!("Not live: these rows are as of {}.", clock(at)),
        None => "Not live: how old these rows are is not known.".to_owned(),
    }
}

/// The pool follows the size of the grid.
fn watch_size(grid: NodeRef<Div>, width: RwSignal<u32>, model: Model) {
    let measure = move || {
        if let Some(grid) = grid.get_untracked() {
            set_if_new(width, grid.client_width().unsigned_abs());
            model.measure(&grid);
        }
    };
    let resized = Closure::<dyn Fn()>::new(measure);
    let observer = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let kept = StoredValue::new_local((observer, resized));
    Effect::new(move || {
        let Some(grid) = grid.get() else { return };
        // The observer speaks for the first time behind the next frame, which shall have rows already.
        measure();
        kept.with_value(|(observer, _)| {
            if let Some(observer) = observer {
                observer.observe(&grid);
            }
        });
    });
    on_cleanup(move || {
        kept.try_with_value(|(observer, _)| observer.as_ref().map(web_sys::ResizeObserver::disconnect));
    });
}
