//! Virtual lines: only the visible ones are in the document, however many there are.
//!
//! Lines wrap, so their heights are not known beforehand. They stand in blocks; each block is an element, and holds its
//! lines while it is near the visible part of the panel. Away from it, it keeps the height that it had, or about as much
//! as its lines would need. The browser's scroll anchoring takes up the difference.

mod block;
mod line;
mod marks;
mod nearness;

use std::ops::Range;
use std::sync::Arc;

use leptos::html::Span;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::clipboard;
use crate::yaml::{self, Revealed};
use block::{Placed, Pressed, Shown};
use line::{ACT, Act};
use marks::{Id, Marked};
use nearness::{Near, Nearness};

/// Lines of a block.
const BLOCK: usize = 100;

/// Up to so many lines all blocks hold theirs, so that the browser's own search finds each of them.
const WHOLE: usize = 1_000;

/// So long a changed line is marked, in milliseconds; the animation in style.css takes as long.
const MARKED: f64 = 2_400.0;

/// What blocks show, and what was pressed there. Copies are the same.
#[derive(Clone, Copy)]
struct Shared {
    marked: Memo<Marked>,
    windowed: Memo<bool>,
    nearness: Nearness,
    revealed: RwSignal<Revealed>,
    /// Lines that show all of a long value.
    whole: RwSignal<Vec<Id>>,
    pressed: StoredValue<Option<Pressed>>,
}

/// Lines of YAML in a `<pre>`.
#[component]
pub(super) fn Lines(
    lines: Signal<Arc<Vec<yaml::Line>>>,
    revealed: RwSignal<Revealed>,
    label: &'static str,
) -> impl IntoView {
    let marked = Memo::new(move |before: Option<&Marked>| {
        Marked::next(before, lines.get(), revealed.get(), js_sys::Date::now())
    });
    let count = Memo::new(move |_| marked.with(|marked| marked.lines.len()));
    let shared = Shared {
        marked,
        windowed: Memo::new(move |_| count.get() > WHOLE),
        nearness: Nearness::new(),
        revealed,
        whole: RwSignal::new(Vec::new()),
        pressed: StoredValue::new(None),
    };
    view! {
        <pre class="yaml" tabindex="0" role="region" aria-label=label data-lines=move || count.get().to_string()>
            <For each=move || 0..count.get().div_ceil(BLOCK) key=|number| *number let:number>
                <Block number=number shared=shared />
            </For>
        </pre>
    }
}

/// A block of lines.
#[component]
fn Block(number: usize, shared: Shared) -> impl IntoView {
    let Shared { marked, windowed, nearness, whole, pressed, .. } = shared;
    let element = NodeRef::<Span>::new();
    let near = Near::new(number == 0);
    let shown = StoredValue::new_local(Shown::default());
    let range = move |lines: usize| -> Range<usize> { number * BLOCK..lines.min((number + 1) * BLOCK) };
    let is_near = Memo::new(move |_| !windowed.get() || near.is_near.get());
    Effect::new(move || {
        if let Some(element) = element.get().filter(|_| windowed.get()) {
            nearness.watch(number, &element, near);
        }
    });
    on_cleanup(move || nearness.forget(number));
    Effect::new(move || {
        let Some(element) = element.get() else { return };
        let now = js_sys::Date::now();
        let place = |(line, (id, came)): (&yaml::Line, &(Id, f64))| {
            let whole = whole.with(|whole| whole.contains(id));
            Placed { id: *id, line: line.clone(), changed: now - came < MARKED, whole }
        };
        let lines = marked.with(|Marked { lines, marks, .. }| {
            let range = if is_near.get() { range(lines.len()) } else { 0..0 };
            let (lines, marks) = (lines.get(range.clone()).unwrap_or_default(), marks.get(range).unwrap_or_default());
            lines.iter().zip(marks).map(place).collect()
        });
        pressed.update_value(|pressed| {
            // What fails here fails for lack of memory only.
            shown.update_value(|shown| drop(shown.show(&element, lines, pressed)));
        });
    });
    let height = move || {
        let lines = marked.with(|marked| range(marked.lines.len()).len());
        let height = near.height.get().map_or_else(|| format!("{lines}lh"), |height| format!("{height}px"));
        (!is_near.get()).then_some(height)
    };
    let press = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(button) = target.and_then(|target| target.closest(&format!("[{ACT}]")).ok().flatten()) else { return };
        let act = button.get_attribute(ACT).and_then(|name| Act::named(&name));
        let id = shown.with_value(|shown| shown.line_of(&button));
        if let Some((act, id)) = act.zip(id) {
            shared.press(act, id);
        }
    };
    view! { <span class="block" node_ref=element style:height=height on:click=press></span> }
}

impl Shared {
    /// Does what a button says, with the value of a line.
    fn press(self, act: Act, id: Id) {
        let secret = self.marked.with_untracked(|Marked { lines, marks, .. }| {
            let at = marks.iter().position(|(other, _)| *other == id)?;
            lines.get(at)?.secret.clone()
        });
        let name = secret.as_ref().map(|secret| secret.id.clone());
        // Nothing comes in the place of a button that copies.
        let exchanged = Pressed { act, secret: name.filter(|_| act == Act::Reveal), id };
        self.pressed.set_value(Some(exchanged).filter(|_| act != Act::Copy));
        match (act, secret) {
            (Act::Unclip, _) => self.whole.update(|whole| toggle(whole, id)),
            (Act::Reveal, Some(secret)) => self.revealed.update(|revealed| toggle(revealed, secret.id)),
            (Act::Copy, Some(secret)) => {
                clipboard::write(secret.content.as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }
}

fn toggle<T: PartialEq>(set: &mut Vec<T>, value: T) {
    match set.iter().position(|other| *other == value) {
        Some(at) => drop(set.swap_remove(at)),
        None => set.push(value),
    }
}
