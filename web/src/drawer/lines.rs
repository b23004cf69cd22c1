//! Virtual lines: only the visible ones are in the document, however many there are.
//!
//! Lines wrap, so their heights are not known beforehand. They are grouped in blocks; each block is an element, and
//! contains its lines while it is near the visible part of the panel. Otherwise it keeps its last or estimated height. The
//! browser's scroll anchoring compensates the difference.
//!
//! For assistive technology the lines are a tree with one tab stop: the arrow keys move the current line and fold blocks
//! (<https://www.w3.org/WAI/ARIA/apg/patterns/treeview/>). The focus stays on the tree, because a line that is scrolled
//! away leaves the document.

mod block;
mod line;
mod marks;
mod nearness;
mod placed;
mod sheet;

use std::ops::Range;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::{Pre, Span};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::clipboard::{self, Copying};
use crate::yaml::Revealed;
use block::{Pressed, Shown};
use line::{ACT, Act};
use marks::{Id, Marked};
use nearness::{Near, Nearness};
use placed::{Folded, Placed};
pub(super) use sheet::Sheet;

/// Lines of a block.
const BLOCK: usize = 100;

/// Maximum number of lines that are all in the document, so that the browser's own search finds each of them.
const WHOLE: usize = 1_000;

/// Time for which a changed line is marked, in milliseconds; the animation in object.css takes as long.
const MARKED: f64 = 2_400.0;

/// Maximum number of frames until a line that is scrolled to is in the document.
const FRAMES: u32 = 30;

/// Number of lines by which page up or down moves the current line.
const PAGE: isize = 25;

/// State of the visible blocks, and the last pressed button. Copies share their state.
#[derive(Clone, Copy)]
struct Shared {
    sheet: Sheet,
    marked: Memo<Marked>,
    windowed: Memo<bool>,
    nearness: Nearness,
    revealed: RwSignal<Revealed>,
    /// Lines that show all of a long value.
    whole: RwSignal<Vec<Id>>,
    pressed: StoredValue<Option<Pressed>>,
    copying: Copying,
    /// The element of all lines.
    tree: NodeRef<Pre>,
    /// Id of the current line's element.
    current_id: &'static str,
}

/// Lines of YAML in a `<pre>`. `current_id` is the id of the current line's element.
#[component]
pub(super) fn Lines(
    sheet: Sheet,
    revealed: RwSignal<Revealed>,
    label: &'static str,
    current_id: &'static str,
) -> impl IntoView {
    let marked = Memo::new(move |before: Option<&Marked>| {
        Marked::next(before, sheet.document.get(), revealed.get(), js_sys::Date::now())
    });
    let count = Memo::new(move |_| sheet.rows.with(|rows| rows.len()));
    let tree = NodeRef::<Pre>::new();
    let shared = Shared {
        sheet,
        marked,
        windowed: Memo::new(move |_| count.get() > WHOLE),
        nearness: Nearness::new(),
        revealed,
        whole: RwSignal::new(Vec::new()),
        pressed: StoredValue::new(None),
        copying: Copying::new(),
        tree,
        current_id,
    };
    Effect::new(move |_| {
        if let Some((line, _)) = sheet.goal.get() {
            shared.scroll_to(line, FRAMES);
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let is_modified = event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
        let is_own = event.target() == event.current_target();
        if is_own && !is_modified && act_on(sheet, &event.key()) {
            event.prevent_default();
            // The table must not move its row.
            event.stop_propagation();
        }
    };
    let total = move || sheet.document.with(|document| document.lines.len().to_string());
    let current = move || sheet.line.get().map(|_| current_id);
    let failed = move || (shared.copying.outcome() == Some(false)).then_some(clipboard::FAILED);
    view! {
        <Show when=move || failed().is_some()>
            <p class="hint" role="status">{failed}</p>
        </Show>
        <pre
            class="yaml"
            tabindex="0"
            role="tree"
            aria-label=label
            aria-activedescendant=current
            data-lines=total
            node_ref=tree
            on:keydown=on_key
        >
            <For each=move || 0..count.get().div_ceil(BLOCK) key=|number| *number let:number>
                <Block number=number shared=shared />
            </For>
        </pre>
    }
}

/// Performs the action of a key. Returns whether the key has one.
fn act_on(sheet: Sheet, key: &str) -> bool {
    match key {
        "ArrowDown" => sheet.step(1),
        "ArrowUp" => sheet.step(-1),
        "PageDown" => sheet.step(PAGE),
        "PageUp" => sheet.step(-PAGE),
        "Home" => sheet.step(isize::MIN),
        "End" => sheet.step(isize::MAX),
        "ArrowLeft" => sheet.close(),
        "ArrowRight" => sheet.open(),
        "Enter" | " " => match sheet.line.get_untracked() {
            Some(line) => sheet.toggle(line),
            None => sheet.step(0),
        },
        _ => return false,
    }
    true
}

/// A block of lines.
#[component]
fn Block(number: usize, shared: Shared) -> impl IntoView {
    let Shared { sheet, windowed, nearness, pressed, .. } = shared;
    let element = NodeRef::<Span>::new();
    let near = Near::new(number == 0);
    let shown = StoredValue::new_local(Shown::default());
    let range = move |rows: usize| -> Range<usize> { number * BLOCK..rows.min((number + 1) * BLOCK) };
    let is_near = Memo::new(move |_| !windowed.get() || near.is_near.get());
    Effect::new(move || {
        if let Some(element) = element.get().filter(|_| windowed.get()) {
            nearness.watch(number, &element, near);
        }
    });
    on_cleanup(move || nearness.forget(number));
    Effect::new(move || {
        let Some(element) = element.get() else { return };
        let lines = shared.placed(if is_near.get() { range(sheet.rows.with(|rows| rows.len())) } else { 0..0 });
        pressed.update_value(|pressed| {
            // Only a lack of memory can cause an error here.
            shown.update_value(|shown| drop(shown.show(&element, lines, pressed)));
        });
        untrack(|| shown.with_value(|shown| shown.set_current(shared.current(), shared.current_id)));
    });
    Effect::new(move || shown.with_value(|shown| shown.set_current(shared.current(), shared.current_id)));
    let height = move || {
        let rows = range(sheet.rows.with(|rows| rows.len())).len();
        let height = near.height.get().map_or_else(|| format!("{rows}lh"), |height| format!("{height}px"));
        (!is_near.get()).then_some(height)
    };
    let press = move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let Some(id) = shown.with_value(|shown| shown.line_of(&target)) else { return };
        let button = target.closest(&format!("[{ACT}]")).ok().flatten();
        match button.and_then(|button| button.get_attribute(ACT)).and_then(|name| Act::named(&name)) {
            Some(act) => shared.press(act, id),
            None if !is_selecting() => shared.line_of(id).into_iter().for_each(|line| sheet.choose(line)),
            None => {}
        }
    };
    view! { <span class="block" role="none" node_ref=element style:height=height on:click=press></span> }
}

impl Shared {
    /// The lines of visible rows.
    fn placed(self, range: Range<usize>) -> Vec<Placed> {
        let Self { sheet, marked, whole, .. } = self;
        let now = js_sys::Date::now();
        let rows = sheet.rows.get();
        marked.with(|Marked { document, marks, .. }| {
            let is_new = |line: usize| marks.get(line).is_some_and(|(_, came)| now - came < MARKED);
            let place = |row: &u32| {
                let at = *row as usize;
                let (line, (id, _)) = document.lines.get(at).zip(marks.get(at))?;
                let fold = document.outline.fold_at(at).map(|fold| (fold, sheet.is_folded(fold.id)));
                let hidden =
                    fold.filter(|(_, is_folded)| *is_folded).map(|(fold, _)| fold.first as usize..fold.end as usize);
                Some(Placed {
                    id: *id,
                    found: sheet.pattern.with(|pattern| {
                        pattern.as_ref().map(|pattern| pattern.matches(&line.to_string())).unwrap_or_default()
                    }),
                    line: line.clone(),
                    // A folded block shows changes of all its lines.
                    changed: hidden.clone().map_or_else(|| is_new(at), |mut lines| lines.any(is_new)),
                    whole: whole.with(|whole| whole.contains(id)),
                    fold: fold.map(|_| Folded { hidden: hidden.map_or(0, |lines| lines.len() - 1) }),
                    level: document.outline.level(at),
                })
            };
            rows.get(range).unwrap_or_default().iter().filter_map(place).collect()
        })
    }

    /// The current line.
    fn current(self) -> Option<Id> {
        let line = self.sheet.line.get()?;
        self.marked.with(|marked| marked.marks.get(line).map(|(id, _)| *id))
    }

    fn line_of(self, id: Id) -> Option<usize> {
        self.marked.with_untracked(|marked| marked.marks.iter().position(|(other, _)| *other == id))
    }

    /// Performs the action of a button on the value of a line.
    fn press(self, act: Act, id: Id) {
        let Some(line) = self.line_of(id) else { return };
        let secret = self.marked.with_untracked(|marked| marked.document.lines.get(line)?.secret.clone());
        let name = secret.as_ref().map(|secret| secret.id.clone());
        // A copy button is not replaced by another one.
        let exchanged = Pressed { act, secret: name.filter(|_| act == Act::Reveal), id };
        self.pressed.set_value(Some(exchanged).filter(|_| matches!(act, Act::Unclip | Act::Reveal)));
        match (act, secret) {
            (Act::Fold, _) => {
                self.sheet.toggle(line);
                self.focus();
            }
            (Act::Unclip, _) => self.whole.update(|whole| toggle(whole, id)),
            (Act::Reveal, Some(secret)) => self.revealed.update(|revealed| toggle(revealed, secret.id)),
            (Act::Copy, Some(secret)) => {
                self.copying.copy(secret.content.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Focuses the lines, where they are.
    fn focus(self) {
        if let Some(tree) = self.tree.get_untracked() {
            let options = FocusOptions::new();
            options.set_prevent_scroll(true);
            let _ = tree.focus_with_options(&options);
        }
    }

    /// Scrolls to the current line if it is out of sight. The lines of a block that was just opened take frames to appear.
    fn scroll_to(self, line: usize, frames: u32) {
        let row = self.sheet.rows.with_untracked(|rows| rows.binary_search(&u32::try_from(line).ok()?).ok());
        let Some((row, left)) = row.zip(frames.checked_sub(1)) else { return };
        self.nearness.force(row / BLOCK);
        request_animation_frame(move || {
            let Some(tree) = self.tree.try_get_untracked().flatten() else { return };
            match tree.query_selector(".line.current").ok().flatten() {
                Some(current) => {
                    let options = ScrollIntoViewOptions::new();
                    options.set_block(ScrollLogicalPosition::Nearest);
                    current.scroll_into_view_with_scroll_into_view_options(&options);
                }
                None => self.scroll_to(line, left),
            }
        });
    }
}

/// Whether text is selected: then a click ends the selection, and does not change the current line.
fn is_selecting() -> bool {
    window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed())
}

fn toggle<T: PartialEq>(set: &mut Vec<T>, value: T) {
    match set.iter().position(|other| *other == value) {
        Some(at) => drop(set.swap_remove(at)),
        None => set.push(value),
    }
}
