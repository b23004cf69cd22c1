//! Virtual lines: only the visible ones are in the document, however many there are.
//!
//! Lines wrap, so their heights are not known beforehand. They are grouped in blocks; each block is an element, and
//! contains its lines while it is near the visible part of the panel. Otherwise it keeps its last or estimated height.
//! The browser's scroll anchoring compensates the difference.
//!
//! For assistive technology the lines are a tree with one tab stop: the arrow keys move the current line and fold
//! blocks (<https://www.w3.org/WAI/ARIA/apg/patterns/treeview/>). The focus stays on the tree, because a line that is
//! scrolled away leaves the document.

mod block;
mod line;
mod marks;
mod nearness;
mod shown_line;
mod state;

use std::ops::Range;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::{Pre, Span};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::clipboard::{self, Copying};
use crate::yaml::Revealed;
use block::{BlockContent, PressedButton};
use line::{ACTION_ATTRIBUTE, Action};
use marks::{Id, MarkedLines};
use nearness::{Near, Nearness};
use shown_line::{FoldState, ShownLine};
pub(super) use state::LinesState;

/// Lines of a block.
const BLOCK_LINES: usize = 100;

/// Maximum number of lines that are all in the document, so that the browser's own search finds each of them.
const VIRTUALIZE_ABOVE: usize = 1_000;

/// Time for which a changed line is marked, in milliseconds; the animation in object.css takes as long.
const MARK_TIME: f64 = 2_400.0;

/// Maximum number of frames until a line that is scrolled to is in the document.
const MAX_FRAMES: u32 = 30;

/// Number of lines by which page up or down moves the current line.
const PAGE_LINES: isize = 25;

/// State of the visible blocks, and the last pressed button. Copies share their state.
#[derive(Clone, Copy)]
struct LinesContext {
    state: LinesState,
    marked: Memo<MarkedLines>,
    windowed: Memo<bool>,
    nearness: Nearness,
    revealed: RwSignal<Revealed>,
    /// Lines that show all of a long value.
    unclipped: RwSignal<Vec<Id>>,
    pressed: StoredValue<Option<PressedButton>>,
    copying: Copying,
    /// The element of all lines.
    tree: NodeRef<Pre>,
    /// Id of the current line's element.
    current_id: &'static str,
}

/// Lines of YAML in a `<pre>`. `current_id` is the id of the current line's element.
#[component]
pub(super) fn Lines(
    state: LinesState,
    revealed: RwSignal<Revealed>,
    label: &'static str,
    current_id: &'static str,
) -> impl IntoView {
    let marked = Memo::new(move |before: Option<&MarkedLines>| {
        MarkedLines::next(before, state.document.get(), revealed.get(), js_sys::Date::now())
    });
    let count = Memo::new(move |_| state.rows.with(|rows| rows.len()));
    let tree = NodeRef::<Pre>::new();
    let context = LinesContext {
        state,
        marked,
        windowed: Memo::new(move |_| count.get() > VIRTUALIZE_ABOVE),
        nearness: Nearness::new(),
        revealed,
        unclipped: RwSignal::new(Vec::new()),
        pressed: StoredValue::new(None),
        copying: Copying::new(),
        tree,
        current_id,
    };
    Effect::new(move |_| {
        if let Some((line, _)) = state.scroll_target.get() {
            context.scroll_to(line, MAX_FRAMES);
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let is_modified = event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
        let is_own = event.target() == event.current_target();
        if is_own && !is_modified && perform_key_action(state, &event.key()) {
            event.prevent_default();
            // The table must not move its row.
            event.stop_propagation();
        }
    };
    let total = move || state.document.with(|document| document.lines.len().to_string());
    let current = move || state.line.get().map(|_| current_id);
    let failed = move || (context.copying.outcome() == Some(false)).then_some(clipboard::FAILED);
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
            <For each=move || 0..count.get().div_ceil(BLOCK_LINES) key=|number| *number let:number>
                <Block number=number context=context />
            </For>
        </pre>
    }
}

/// Performs the action of a key. Returns whether the key has one.
fn perform_key_action(state: LinesState, key: &str) -> bool {
    match key {
        "ArrowDown" => state.step(1),
        "ArrowUp" => state.step(-1),
        "PageDown" => state.step(PAGE_LINES),
        "PageUp" => state.step(-PAGE_LINES),
        "Home" => state.step(isize::MIN),
        "End" => state.step(isize::MAX),
        "ArrowLeft" => state.close(),
        "ArrowRight" => state.open(),
        "Enter" | " " => match state.line.get_untracked() {
            Some(line) => state.toggle(line),
            None => state.step(0),
        },
        _ => return false,
    }
    true
}

/// A block of lines.
#[component]
fn Block(number: usize, context: LinesContext) -> impl IntoView {
    let LinesContext { state, windowed, nearness, pressed, .. } = context;
    let element = NodeRef::<Span>::new();
    let near = Near::new(number == 0);
    let content = StoredValue::new_local(BlockContent::default());
    let range = move |rows: usize| -> Range<usize> { number * BLOCK_LINES..rows.min((number + 1) * BLOCK_LINES) };
    let is_near = Memo::new(move |_| !windowed.get() || near.is_near.get());
    Effect::new(move || {
        if let Some(element) = element.get().filter(|_| windowed.get()) {
            nearness.watch(number, &element, near);
        }
    });
    on_cleanup(move || nearness.remove(number));
    Effect::new(move || {
        let Some(element) = element.get() else { return };
        let lines = context.shown_lines(if is_near.get() { range(state.rows.with(|rows| rows.len())) } else { 0..0 });
        pressed.update_value(|pressed| {
            // Only a lack of memory can cause an error here.
            content.update_value(|content| drop(content.show(&element, lines, pressed)));
        });
        untrack(|| content.with_value(|content| content.set_current(context.current(), context.current_id)));
    });
    Effect::new(move || content.with_value(|content| content.set_current(context.current(), context.current_id)));
    let height = move || {
        let rows = range(state.rows.with(|rows| rows.len())).len();
        let height = near.height.get().map_or_else(|| format!("{rows}lh"), |height| format!("{height}px"));
        (!is_near.get()).then_some(height)
    };
    let press = move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let Some(id) = content.with_value(|content| content.line_of(&target)) else { return };
        let button = target.closest(&format!("[{ACTION_ATTRIBUTE}]")).ok().flatten();
        match button.and_then(|button| button.get_attribute(ACTION_ATTRIBUTE)).and_then(|name| Action::named(&name)) {
            Some(action) => context.press(action, id),
            None if !is_selecting() => context.line_of(id).into_iter().for_each(|line| state.choose(line)),
            None => {}
        }
    };
    view! { <span class="block" role="none" node_ref=element style:height=height on:click=press></span> }
}

impl LinesContext {
    /// The lines of visible rows.
    fn shown_lines(self, range: Range<usize>) -> Vec<ShownLine> {
        let Self { state, marked, unclipped, .. } = self;
        let now = js_sys::Date::now();
        let rows = state.rows.get();
        marked.with(|MarkedLines { document, marks, .. }| {
            let is_new = |line: usize| marks.get(line).is_some_and(|(_, appeared_at)| now - appeared_at < MARK_TIME);
            let shown_line = |row: &u32| {
                let at = *row as usize;
                let (line, (id, _)) = document.lines.get(at).zip(marks.get(at))?;
                let fold = document.outline.fold_at(at).map(|fold| (fold, state.is_folded(fold.id)));
                let hidden =
                    fold.filter(|(_, is_folded)| *is_folded).map(|(fold, _)| fold.first as usize..fold.end as usize);
                Some(ShownLine {
                    id: *id,
                    found: state.pattern.with(|pattern| {
                        pattern.as_ref().map(|pattern| pattern.matches(&line.to_string())).unwrap_or_default()
                    }),
                    line: line.clone(),
                    // A folded block shows changes of all its lines.
                    changed: hidden.clone().map_or_else(|| is_new(at), |mut lines| lines.any(is_new)),
                    unclipped: unclipped.with(|unclipped| unclipped.contains(id)),
                    fold: fold.map(|_| FoldState { hidden: hidden.map_or(0, |lines| lines.len() - 1) }),
                    level: document.outline.level(at),
                })
            };
            rows.get(range).unwrap_or_default().iter().filter_map(shown_line).collect()
        })
    }

    /// The current line.
    fn current(self) -> Option<Id> {
        let line = self.state.line.get()?;
        self.marked.with(|marked| marked.marks.get(line).map(|(id, _)| *id))
    }

    fn line_of(self, id: Id) -> Option<usize> {
        self.marked.with_untracked(|marked| marked.marks.iter().position(|(other, _)| *other == id))
    }

    /// Performs the action of a button on the value of a line.
    fn press(self, action: Action, id: Id) {
        let Some(line) = self.line_of(id) else { return };
        let secret = self.marked.with_untracked(|marked| marked.document.lines.get(line)?.secret.clone());
        let name = secret.as_ref().map(|secret| secret.id.clone());
        // A copy button is not replaced by another one.
        let exchanged = PressedButton { action, secret: name.filter(|_| action == Action::Reveal), id };
        self.pressed.set_value(Some(exchanged).filter(|_| matches!(action, Action::Unclip | Action::Reveal)));
        match (action, secret) {
            (Action::Fold, _) => {
                self.state.toggle(line);
                self.focus();
            }
            (Action::Unclip, _) => self.unclipped.update(|unclipped| toggle(unclipped, id)),
            (Action::Reveal, Some(secret)) => self.revealed.update(|revealed| toggle(revealed, secret.id)),
            (Action::Copy, Some(secret)) => {
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

    /// Scrolls to the current line if it is out of sight. The lines of a block that was just opened take frames to
    /// appear.
    fn scroll_to(self, line: usize, frames: u32) {
        let row = self.state.rows.with_untracked(|rows| rows.binary_search(&u32::try_from(line).ok()?).ok());
        let Some((row, left)) = row.zip(frames.checked_sub(1)) else { return };
        self.nearness.force(row / BLOCK_LINES);
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
