//! Grid: a constant pool of row elements over a window of a view, however many objects there are.

mod cell;
pub(crate) mod columns;
pub(crate) mod counted;
mod dom_order;
mod early_mark;
mod empty;
mod head;
mod info_bar;
mod keyboard;
pub(crate) mod model;
mod order_freeze;
pub(crate) mod pool;
mod row_counts;
mod slot;
mod table_query;
mod table_view;
mod width;

use informer::ResourceInfo;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::cluster::Cluster;
use crate::density;
use crate::freshness::{self, is_stale};
use crate::layout::MAX_PINNED;
use crate::layouts::Layouts;
use crate::loading::{self, ColumnTools};
use crate::navigator::Navigator;
use crate::source::Source;
use crate::status_line::{Retry, clock};
use crate::text::decimal;
use crate::view_state::ViewState;
use columns::ShownColumns;
use head::Head;
use info_bar::InfoBar;
use model::Model;
use pool::Slot;
use slot::SlotRow;
use table_query::table_query;
use table_view::set_if_new;

/// The table of the route's kind.
#[component]
pub(crate) fn Table(
    cluster: Cluster,
    resources: RwSignal<Vec<ResourceInfo>>,
    navigator: Navigator,
    source: Source,
    state: ViewState,
    layouts: Layouts,
    now: RwSignal<f64>,
) -> impl IntoView {
    let grid = NodeRef::<Div>::new();
    let width = RwSignal::new(0_u32);
    let model = Model::new(move || table_query(navigator, source, state, layouts), source, state, layouts, grid);
    density::follow(model);
    let one_namespace = source.one_namespace;
    let shown = Memo::new(move |_| {
        let (custom_count, width, one_namespace) = (state.custom_count.get(), width.get(), one_namespace.get());
        let layout = layouts.current();
        state.columns.with(|columns| ShownColumns::of(columns, custom_count, &layout, width, one_namespace))
    });
    let tools =
        ColumnTools { cluster, resources, now, navigator, source, model, state, layouts, shown, label: source.label };
    place_pins(grid, shown);
    watch_size(grid, width, model);
    let tall = Memo::new(move |_| shown.with(ShownColumns::is_tall));
    Effect::new(move || {
        tall.track();
        // Rows of another height: style.css sets it by the attribute, which is applied in the next frame.
        request_animation_frame(move || {
            if let Some(grid) = grid.try_get_untracked().flatten() {
                model.measure(&grid);
            }
        });
    });
    keyboard::listen(model, navigator);
    follow_object(model, navigator);
    let is_not_live = Memo::new(move |_| source.status.with(|status| is_stale(status.freshness)));
    let aria_row_count = move || model.row_count.get().map_or("-1".to_owned(), |row_count| (row_count + 1).to_string());
    let active = move || {
        let focused = model.focused.get()?;
        let slots = model.slots.get();
        slots.into_iter().find(|slot| slot.index.get() == Some(focused)).map(Slot::element_id)
    };
    let total = Memo::new(move |_| state.totals.get().map(|totals| totals.total));
    let busy = move || (!state.totals.get().is_some_and(|totals| totals.synced)).then_some("true");
    let on_pointer = move |event: leptos::ev::PointerEvent| {
        // A finger covers the row, and scrolls more often than it points.
        if event.pointer_type() != "touch" {
            model.order_freeze().pointer_at(event.screen_x(), event.screen_y());
        }
    };
    view! {
        <div
            class="table"
            data-trust=move || if is_not_live.get() { "old" } else { "ok" }
            class:tall=move || tall.get()
            class:grouped=move || !navigator.group().is_empty()
            class:marking=move || model.marked.with(|marked| !marked.is_empty())
        >
            <InfoBar width=width tools=tools />
            <div class="stage">
                <div
                    class="grid"
                    node_ref=grid
                    role="grid"
                    tabindex="0"
                    aria-label=move || source.label.get()
                    aria-rowcount=aria_row_count
                    aria-colcount=move || shown.with(|shown| shown.columns.len().to_string())
                    aria-activedescendant=active
                    aria-busy=busy
                    aria-multiselectable="true"
                    data-total=move || total.get().map(|total| total.to_string())
                    style=("--columns", move || shown.with(|shown| shown.template.clone()))
                    style=("--least-width", move || shown.with(|shown| format!("{}px", shown.min_table_width)))
                    on:scroll=move |_| model.paint_soon()
                    on:keydown=move |event| keyboard::on_key(&event, model, navigator)
                    on:blur=move |_| model.order_freeze().unfreeze()
                >
                    <Head shown=shown navigator=navigator />
                    <div
                        class="canvas"
                        role="rowgroup"
                        style:height=move || format!("{}px", decimal(model.height.get()))
                        on:pointermove=on_pointer
                        on:pointerenter=on_pointer
                        on:pointerleave=move |_| model.order_freeze().unfreeze()
                    >
                        <For each=move || model.slots.get() key=|slot| slot.number let:slot>
                            <SlotRow row_slot=slot shown=shown model=model navigator=navigator now=now />
                        </For>
                    </div>
                </div>
                {move || empty::reason(cluster, model, navigator, source)}
            </div>
            <Show when=move || is_not_live.get() && model.row_count.get().is_some_and(|row_count| row_count > 0)>
                <div class="doubt">
                    <p>{move || as_of(source)}</p>
                    <Retry cluster=cluster source=source />
                </div>
            </Show>
            {loading::hidden_part(move |code| code.beside_rows(tools), |_| ())}
        </div>
    }
}

/// When the drawer closes and no row has the keyboard focus yet, as after a link, the row of the drawer's object gets
/// it.
fn follow_object(model: Model, navigator: Navigator) {
    Effect::new(move |shown: Option<Option<String>>| {
        let object = navigator.object.get();
        if let (None, Some(Some(closed)), None) = (&object, shown, model.focused.get_untracked()) {
            model.focus_key(&closed);
        }
        object
    });
}

/// Time of the rows' data, while they are not live.
fn as_of(source: Source) -> String {
    if source.kind_missing.get() {
        return "The server no longer has this kind. These are its last known rows.".to_owned();
    }
    let since = |at| format!("Not live: these rows are as of {}.", clock(at));
    source.status.with(|status| {
        let since = status.last_contact_at.map_or("Not live: the age of these rows is unknown.".to_owned(), since);
        match &status.last_error {
            Some(error) => format!("{since} {}", freshness::explanation(error)),
            None => since,
        }
    })
}

/// Writes the positions of the columns that stay in sight, for the style sheet.
fn place_pins(grid: NodeRef<Div>, shown: Memo<ShownColumns>) {
    let pins: Memo<[u32; MAX_PINNED]> = Memo::new(move |_| shown.with(|shown| shown.pins));
    Effect::new(move || {
        let (Some(grid), pins) = (grid.get(), pins.get()) else { return };
        for (at, pin) in pins.iter().enumerate() {
            // Fails for no name and no length.
            let _ = web_sys::HtmlElement::style(&grid).set_property(&format!("--pin-{at}"), &format!("{pin}px"));
        }
    });
}

/// Adjusts the pool when the grid is resized.
fn watch_size(grid: NodeRef<Div>, width: RwSignal<u32>, model: Model) {
    let measure = move || {
        if let Some(grid) = grid.get_untracked() {
            set_if_new(width, grid.client_width().unsigned_abs());
            model.measure(&grid);
        }
    };
    let resized = Closure::<dyn Fn()>::new(measure);
    let observer = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let observation = StoredValue::new_local((observer, resized));
    Effect::new(move || {
        let Some(grid) = grid.get() else { return };
        // The observer first reports after the next frame, which should contain rows already.
        measure();
        observation.with_value(|(observer, _)| {
            if let Some(observer) = observer {
                observer.observe(&grid);
            }
        });
    });
    on_cleanup(move || {
        observation.try_with_value(|(observer, _)| observer.as_ref().map(web_sys::ResizeObserver::disconnect));
    });
}
