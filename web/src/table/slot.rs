//! Row slot: a recycled row element that shows one row after another.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use super::cell::CellElement;
use super::columns::{ShownColumn, ShownColumns};
use super::early_mark::mark_early;
use super::model::Model;
use super::pool::Slot;
use crate::navigator::Navigator;
use crate::rows::Row;
use crate::visible::visible;

/// Values last written to a row's element.
#[derive(Default)]
struct PaintedRow {
    columns: Vec<ShownColumn>,
    cells: Vec<CellElement>,
    index: Option<usize>,
    key: Option<String>,
    gone: bool,
}

/// Element of a slot: placed by a transform, so that scrolling changes no layout.
#[component]
pub(crate) fn SlotRow(
    /// Not named `slot`, which the `view!` macro takes for a child of another kind.
    row_slot: Slot,
    shown: Memo<ShownColumns>,
    model: Model,
    navigator: Navigator,
    now: RwSignal<f64>,
) -> impl IntoView {
    let slot = row_slot;
    let element = NodeRef::<Div>::new();
    let painted = StoredValue::new_local(PaintedRow::default());
    Effect::new(move || {
        let (Some(element), Some(index)) = (element.get(), slot.index.try_get()) else { return };
        let (row, now) = (slot.row.try_get().flatten(), now.get());
        shown.with(|shown| {
            painted.update_value(|painted| {
                let cells = row.as_ref().map(|row| row.cells.as_slice());
                // A failure can only be a lack of memory; the next paint tries again.
                let _ = painted.set_position(&element, index, row.as_ref().map(|row| row.key.as_str()));
                let _ = painted.mark(&element, row.as_deref());
                let _ = painted.fit(&element, &shown.columns);
                for cell in &mut painted.cells {
                    cell.paint(cells, now);
                }
            });
        });
    });
    Effect::new(move || {
        let (Some(element), Some(index)) = (element.get(), slot.index.try_get()) else { return };
        let key = slot.row.try_get().flatten().map(|row| row.key.clone());
        let open = key.is_some() && navigator.object.get() == key;
        let marked = key.is_some_and(|key| model.marked.with(|marked| marked.binary_search(&key).is_ok()));
        let focused = index.is_some() && model.focused.get() == index;
        let _ = element.class_list().toggle_with_force("focused", focused);
        for (name, is) in [("aria-selected", marked), ("aria-current", open)] {
            let _ = element.set_attribute(name, if is { "true" } else { "false" });
        }
    });
    let press = move |event: leptos::ev::MouseEvent| {
        let Some(index) = slot.index.get_untracked() else { return };
        model.focus(Some(index));
        let Some(key) = model.openable(index) else { return };
        if event.ctrl_key() || event.meta_key() || event.shift_key() {
            mark_early(model, key);
        } else {
            navigator.go(|route| route.object = Some(key));
        }
    };
    let explain = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let Some((target, row)) = target.zip(slot.row.get_untracked()) else { return };
        painted.with_value(|painted| {
            if let Some(cell) = painted.cells.iter().find(|cell| *cell.element() == target) {
                cell.explain(&row.cells);
            }
        });
    };
    view! {
        <div
            class="row pending"
            role="row"
            hidden
            node_ref=element
            id=slot.element_id()
            on:click=press
            on:mouseover=explain
        >
            </div>

    }
}

impl PaintedRow {
    /// Writes the position and identity of the row.
    fn set_position(
        &mut self,
        element: &web_sys::HtmlElement,
        index: Option<usize>,
        key: Option<&str>,
    ) -> Result<(), JsValue> {
        if self.index != index {
            self.index = index;
            element.set_hidden(index.is_none());
            if let Some(index) = index {
                let transform = format!("translateY(calc({index} * var(--row-height)))");
                element.style().set_property("transform", &transform)?;
                // The header is the first row, and ARIA counts from 1.
                element.set_attribute("aria-rowindex", &(index + 2).to_string())?;
            }
        }
        if self.key.as_deref() != key {
            element.class_list().toggle_with_force("pending", key.is_none())?;
            match key {
                Some(key) => element.set_attribute("data-key", key)?,
                None => element.remove_attribute("data-key")?,
            }
            self.key = key.map(str::to_owned);
        }
        Ok(())
    }

    /// Marks a removed row, which keeps its frozen position, both visually and for screen readers.
    fn mark(&mut self, element: &web_sys::HtmlElement, row: Option<&Row>) -> Result<(), JsValue> {
        let gone = row.filter(|row| row.gone);
        if self.gone != gone.is_some() {
            self.gone = gone.is_some();
            element.class_list().toggle_with_force("gone", self.gone)?;
            if let Some(row) = gone {
                element.set_attribute("aria-disabled", "true")?;
                element.set_attribute("aria-label", &format!("{}, gone", visible(&row.key)))?;
            } else {
                element.remove_attribute("aria-disabled")?;
                element.remove_attribute("aria-label")?;
            }
        }
        Ok(())
    }

    /// Adjusts the number of cells to the columns; rebuilt only when the columns change.
    fn fit(&mut self, element: &web_sys::Element, columns: &[ShownColumn]) -> Result<(), JsValue> {
        if self.columns == columns {
            return Ok(());
        }
        element.set_text_content(None);
        self.cells =
            columns.iter().enumerate().map(|(at, column)| CellElement::new(at, column)).collect::<Result<_, _>>()?;
        for cell in &self.cells {
            element.append_child(cell.element())?;
        }
        columns.clone_into(&mut self.columns);
        Ok(())
    }
}
