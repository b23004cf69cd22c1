//! Command palette: finds pages, actions, kinds, namespaces, commands and objects while the user types. Deferred code.
//!
//! A text box with a list, a combobox in the words of ARIA: the focus stays in the box, and the arrow keys move in the
//! list.

mod entry;
mod list;
mod objects;
mod progress;
mod ranking;
mod recent;
mod views;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use crate::actions::Commands;
use crate::dialog::Window;
use crate::focus::{self, is_caret_at_end};
use crate::loading::PageState;
use crate::namespace_list::LiveNames;
use crate::saved::{self, Kind};
use entry::{Entry, GROUPS, Target};
use objects::Objects;
use recent::Recent;

/// Maximum number of entries of a group that are shown while something is typed.
const MAX_ENTRIES: usize = 12;

/// Number of rows by which Page up and Page down move.
const PAGE_ROWS: usize = 10;

/// The palette, while it is open.
#[component]
pub(crate) fn Palette(page: PageState, open: RwSignal<bool>) -> impl IntoView {
    let LiveNames { names, .. } = LiveNames::open(page.cluster);
    let recent = Recent::new(page.navigator);
    move || open.get().then(|| untrack(|| view! { <PaletteDialog page=page names=names recent=recent open=open /> }))
}

/// Button that opens the palette.
pub(crate) fn button(open: RwSignal<bool>) -> impl IntoView {
    view! {
        <button
            class="icon-button"
            type="button"
            aria-label="Command palette"
            title="Find kinds, objects, namespaces and actions (: or Ctrl K)"
            on:click=move |_| open.set(true)
        >
            <span aria-hidden="true">{"⌕"}</span>
        </button>
    }
}

/// A list of entries under a heading.
#[derive(Clone, PartialEq)]
struct Group {
    heading: String,
    entries: Vec<Entry>,
}

#[component]
fn PaletteDialog(page: PageState, names: RwSignal<Vec<String>>, recent: Recent, open: RwSignal<bool>) -> impl IntoView {
    let (typed, active) = (RwSignal::new(String::new()), RwSignal::new(0_usize));
    let menu = StoredValue::new_local(Commands::current());
    if let Some(menu) = menu.get_value() {
        menu.list(true);
        on_cleanup(move || menu.list(false));
    }
    on_cleanup(|| {
        request_animation_frame(restore_caret);
    });
    let objects = Objects::new(page.cluster, &page.resources.get_untracked());
    let known = Memo::new(move |_| {
        let menu = menu.get_value();
        // In their group, the sets come before the namespaces, and the views after the screens.
        let mut known = views::sets(saved::all(Kind::Set));
        known.extend(page.resources.with(|all| names.with(|names| entry::entries(all, names, menu))));
        known.extend(views::views(saved::all(Kind::View)));
        known.extend(views::commands(page.navigator));
        known
    });
    let groups = Memo::new(move |_| {
        let typed = normalized(&typed.get());
        let mut groups = known.with(|known| command_groups(&typed, known));
        if typed.is_empty() {
            groups.splice(..0, known.with(|known| recent.group(known)));
        }
        groups.extend(object_groups(objects));
        groups
    });
    let count = Memo::new(move |_| groups.with(|groups| groups.iter().map(|group| group.entries.len()).sum::<usize>()));
    let choose = Callback::new(move |at: usize| {
        let entry = groups.with_untracked(|groups| entry_at(groups, at).cloned());
        let Some(entry) = entry.filter(|entry| entry.reason.is_none()) else { return };
        let menu = menu.get_value();
        if let (Target::Action(action), Some(menu)) = (&entry.target, menu) {
            // Before the list of the menu is cleared with the palette; the dialog opens in the next frame.
            menu.choose(*action);
        }
        open.set(false);
        if !matches!(entry.target, Target::Action(_)) {
            // The browser has returned the focus by then.
            request_animation_frame(move || entry::run(entry.target, page.navigator));
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let last = count.get_untracked().saturating_sub(1);
        let move_to = |to: usize| {
            active.set(to.min(last));
            request_animation_frame(list::reveal);
        };
        let at = active.get_untracked().min(last);
        match event.key().as_str() {
            "ArrowDown" => move_to(if at == last { 0 } else { at + 1 }),
            "ArrowUp" => move_to(at.checked_sub(1).unwrap_or(last)),
            "PageDown" => move_to(at + PAGE_ROWS),
            "PageUp" => move_to(at.saturating_sub(PAGE_ROWS)),
            "Home" => move_to(0),
            "End" => move_to(last),
            "Enter" => choose.run(at),
            "Delete" if is_caret_at_end(&event) => {
                let entry = groups.with_untracked(|groups| entry_at(groups, at).cloned());
                let Some((kind, name)) = entry.and_then(|entry| entry.saved) else { return };
                saved::remove(kind, &name);
            }
            _ => return,
        }
        event.prevent_default();
    };
    let on_input = move |event| {
        let text = event_target_value(&event);
        active.set(0);
        objects.search(&normalized(&text));
        typed.set(text);
    };
    let status_text = move || match count.get() {
        0 => "No results".to_owned(),
        1 => "1 result".to_owned(),
        count => format!("{count} results"),
    };
    let shown = Memo::new(move |_| active.get().min(count.get().saturating_sub(1)));
    view! {
        <Window title="Command palette".to_owned() close=Callback::new(move |()| open.set(false))>
            <input
                class="field"
                type="text"
                role="combobox"
                autofocus
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-label="Find a kind, a namespace, an action or an object"
                placeholder="po · pods kube-system · name, label, IP, image, uid"
                aria-autocomplete="list"
                aria-controls="palette-list"
                aria-expanded="true"
                aria-activedescendant=move || (count.get() > 0).then(|| format!("palette-{}", shown.get()))
                prop:value=move || typed.get()
                on:input=on_input
                on:keydown=on_key
            />
            <p class="visually-hidden" role="status">{status_text}</p>
            {list::list(groups, shown, choose)}
            {progress::progress(objects, typed)}
        </Window>
    }
}

fn entry_at(groups: &[Group], at: usize) -> Option<&Entry> {
    groups.iter().flat_map(|group| &group.entries).nth(at)
}

/// Puts the caret back into the text box that has the focus again: with the box of the palette, Chromium removes the
/// selection of the document, and typed letters would go nowhere.
fn restore_caret() {
    let Some(input) = focus::current().and_then(|element| element.dyn_into::<HtmlInputElement>().ok()) else { return };
    // A box that has no text has no selection.
    if let (Ok(start), Ok(end)) = (input.selection_start(), input.selection_end())
        && let (Some(start), Some(end)) = (start, end)
    {
        let _ = input.set_selection_range(start, end);
    }
}

/// The typed text without the `:` of k9s, in lower case.
fn normalized(typed: &str) -> String {
    crate::text::lower(typed.trim_start().trim_start_matches(':').trim_start())
}

fn command_groups(typed: &str, known: &[Entry]) -> Vec<Group> {
    let heading = |group: usize| GROUPS.get(group).copied().unwrap_or_default().to_owned();
    let pairs = entry::in_namespace(typed, known);
    let mut groups = Vec::<Group>::new();
    if !pairs.is_empty() {
        groups.push(Group { heading: heading(2), entries: pairs.into_iter().take(MAX_ENTRIES).collect() });
    }
    let limit = if typed.is_empty() { usize::MAX } else { MAX_ENTRIES };
    for at in ranking::ranked(typed.trim(), known.iter().map(|entry| (entry.group, &entry.names))) {
        let entry = &known[at];
        let heading = heading(entry.group);
        match groups.last_mut() {
            Some(last) if last.heading == heading => {
                if last.entries.len() < limit {
                    last.entries.push(entry.clone());
                }
            }
            _ => groups.push(Group { heading, entries: vec![entry.clone()] }),
        }
    }
    groups
}

/// Objects that were found, those that were found by name first.
fn object_groups(objects: Objects) -> Vec<Group> {
    let kinds = objects.kinds.get();
    let mut groups: Vec<(bool, Group)> = kinds
        .iter()
        .filter_map(|kind| {
            let found = kind.found.get();
            let first = found.matches.first()?;
            let by_name = first.by_name;
            let (shown, total) = (found.matches.len() as u64, found.total);
            let heading = if shown < total {
                format!("{} ({shown} of {})", kind.label, crate::age::thousands(total))
            } else {
                kind.label.clone()
            };
            let entry = |found: objects::FoundObject| Entry::object(&kind.resource, found.key, found.note);
            Some((!by_name, Group { heading, entries: found.matches.into_iter().map(entry).collect() }))
        })
        .collect();
    groups.sort_by_key(|(is_later, _)| *is_later);
    groups.into_iter().map(|(_, group)| group).collect()
}
