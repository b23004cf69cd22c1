//! A window over lines: only those in sight are in the document, however many there are.
//!
//! Lines wrap, so their heights are not known beforehand. They stand in blocks; each block is an element, and holds its
//! lines while it is near the visible part of the panel. Away from it, it keeps the height that it had, or about as much
//! as its lines would need. The browser's scroll anchoring takes up the difference.

mod line;
mod marks;
mod nearness;

use std::ops::Range;
use std::sync::Arc;

use leptos::html::Span;
use leptos::prelude::*;

use crate::yaml::{self, Revealed};
use line::{Actions, line};
use marks::Marked;
use nearness::{Near, Nearness};

/// Lines of a block.
const BLOCK: usize = 100;

/// Up to so many lines all blocks hold theirs, so that the browser's own search finds each of them.
const WHOLE: usize = 1_000;

/// So long a changed line is marked, in milliseconds; the animation in style.css takes as long.
const MARKED: f64 = 2_400.0;

/// Lines of YAML in a `<pre>`.
#[component]
pub(super) fn Lines(
    #[prop(into)] lines: Signal<Arc<Vec<yaml::Line>>>,
    revealed: RwSignal<Revealed>,
    #[prop(into)] label: String,
) -> impl IntoView {
    let marked = Memo::new(move |before: Option<&Marked>| Marked::next(before, lines.get(), js_sys::Date::now()));
    let count = Memo::new(move |_| marked.with(|marked| marked.lines.len()));
    let blocks = move || 0..count.get().div_ceil(BLOCK);
    let nearness = Nearness::new();
    let windowed = Memo::new(move |_| count.get() > WHOLE);
    let actions = Actions { revealed, pressed: StoredValue::new(None) };
    view! {
        <pre class="yaml" tabindex="0" role="region" aria-label=label data-lines=move || count.get().to_string()>
            <For each=blocks key=|number| *number let:number>
                <Block number=number marked=marked windowed=windowed nearness=nearness actions=actions />
            </For>
        </pre>
    }
}

/// A block of lines.
#[component]
fn Block(
    number: usize,
    marked: Memo<Marked>,
    windowed: Memo<bool>,
    nearness: Nearness,
    actions: Actions,
) -> impl IntoView {
    let element = NodeRef::<Span>::new();
    let near = Near::new(number == 0);
    Effect::new(move || {
        let Some(element) = element.get() else { return };
        if windowed.get() {
            nearness.watch(number, &element, near);
        }
    });
    on_cleanup(move || nearness.forget(number));
    let range = move |lines: usize| -> Range<usize> { number * BLOCK..lines.min((number + 1) * BLOCK) };
    let is_near = Memo::new(move |_| !windowed.get() || near.is_near.get());
    let lines = move || {
        if !is_near.get() {
            return Vec::new();
        }
        marked.with(|Marked { lines, marks }| {
            let range = range(lines.len());
            let (lines, marks) = (lines.get(range.clone()).unwrap_or_default(), marks.get(range).unwrap_or_default());
            lines.iter().cloned().zip(marks.iter().copied()).collect()
        })
    };
    let height = move || {
        let lines = marked.with(|marked| range(marked.lines.len()).len());
        let height = near.height.get().map_or_else(|| format!("{lines}lh"), |height| format!("{height}px"));
        (!is_near.get()).then_some(height)
    };
    view! {
        <span class="block" node_ref=element style:height=height>
            <For each=lines key=|(_, (id, _))| *id let((text, (_, came)))>
                {line(text, js_sys::Date::now() - came < MARKED, actions)}
            </For>
        </span>
    }
}
