//! List of changes: a line each, which opens to its fields.

use std::sync::Arc;

use informer::GroupVersionResource;
use kube_objects::{Category, ChangedField};
use leptos::prelude::*;
use serde_json::Value;

use super::Timeline;
use super::entries::{Entry, EntryFilter, EntryKind, Id, merged};
use super::feed::{Feed, ObjectKey};
use super::managers::Managers;
use crate::drawer::to_object;
use crate::kinds;
use crate::list_freeze::ListFreeze;
use crate::loading::PageState;
use crate::status_line::clock;
use crate::tone::Tone;
use crate::visible::visible;

/// Maximum number of fields of an open line.
const MAX_FIELDS: usize = 50;

/// Maximum length of a value, in characters.
const MAX_VALUE_CHARS: usize = 4_000;

/// Tooltip of the column of managers.
const SET_BY: &str = "The field manager that owns the field now, and the server's time of its last change";

/// Maximum number of lines.
const MAX_LINES: usize = 500;

/// State that all lines read. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct ListContext {
    pub(super) page: PageState,
    pub(super) timeline: Timeline,
    /// Whether the lines are of one object, and leave out its name.
    pub(super) is_single_object: bool,
}

/// List of the entries. While the pointer or the focus is in it, no line moves: newer ones wait.
pub(super) fn list(context: ListContext, entries: Memo<Vec<Arc<Entry>>>) -> impl IntoView {
    let freeze = ListFreeze::new();
    let open = RwSignal::new(Vec::<Id>::new());
    let shown = Memo::new(move |before: Option<&Vec<Arc<Entry>>>| {
        let is_frozen = freeze.is_frozen();
        entries.with(|entries| {
            let still = before.filter(|before| is_frozen && !before.is_empty());
            // Lines that no longer match the choice go.
            let kept =
                |before: &Vec<Arc<Entry>>| before.iter().filter(|entry| entries.contains(entry)).cloned().collect();
            still.map_or_else(|| entries.iter().take(MAX_LINES).cloned().collect::<Vec<_>>(), kept)
        })
    });
    let waiting = Memo::new(move |_| {
        let first = shown.with(|shown| shown.first().map(|entry| entry.id));
        entries.with(|entries| entries.iter().position(|entry| Some(entry.id) == first).unwrap_or(0))
    });
    view! {
        <p class="note waiting" role="status">
            {move || match waiting.get() {
                0 => String::new(),
                1 => "1 newer line is shown when you leave the list.".to_owned(),
                count => format!("{count} newer lines are shown when you leave the list."),
            }}
        </p>
        <ol
            class="changes"
            on:focusin=move |_| freeze.focus_entered()
            on:focusout=move |event| freeze.focus_left(&event)
            on:pointerenter=move |_| freeze.set_pointer_over(true)
            on:pointerleave=move |_| freeze.set_pointer_over(false)
        >
            <For each=move || shown.get() key=|entry| entry.id let:entry>
                {line(context, entry, open)}
            </For>
        </ol>
    }
}

fn words(kind: EntryKind) -> (&'static str, Tone) {
    match kind {
        EntryKind::Event { is_warning: true } => ("Warning", Tone::Warn),
        EntryKind::Event { is_warning: false } => ("Event", Tone::Idle),
        EntryKind::Change(category) => (category.label(), tone(category)),
    }
}

fn tone(category: Category) -> Tone {
    match category {
        Category::Restart | Category::Eviction => Tone::Bad,
        Category::Deleted => Tone::Warn,
        Category::Created | Category::Rollout | Category::Scale | Category::Config => Tone::Ok,
        Category::Status | Category::Metadata => Tone::Idle,
    }
}

fn line(context: ListContext, entry: Arc<Entry>, open: RwSignal<Vec<Id>>) -> impl IntoView {
    let ListContext { page, timeline, is_single_object } = context;
    let id = entry.id;
    let is_open = Memo::new(move |_| open.with(|open| open.contains(&id)));
    let (badge, tone) = words(entry.kind);
    let press = move |_| {
        open.update(|open| match open.iter().position(|known| *known == id) {
            Some(index) => drop(open.remove(index)),
            None => open.push(id),
        });
    };
    let time = entry.time;
    // The page shows a time before it.
    let is_later = Memo::new(move |_| timeline.shown_time.get().zip(time).is_some_and(|(shown, time)| time > shown));
    let kind = kind_of(page, &entry.resource);
    let name = (!is_single_object).then(|| {
        let kind = if matches!(entry.kind, EntryKind::Event { .. }) { String::new() } else { kind };
        view! {
            <span class="what">
                <span class="kind">{kind}</span>
                " "
                <span class="name">{visible(&entry.name).into_owned()}</span>
            </span>
        }
    });
    view! {
        <li class="change" class:later=move || is_later.get() class:of-one=is_single_object data-tone=tone.name()>
            <button
                type="button"
                class="line"
                aria-expanded=move || if is_open.get() { "true" } else { "false" }
                on:click=press
            >
                <span class="at">{time.map(clock)}</span>
                <span class="badge">{badge}</span>
                {name}
                <span class="text">{visible(&entry.line).into_owned()}</span>
            </button>
            {move || is_open.get().then(|| details(context, &entry))}
        </li>
    }
}

/// The name of a kind, as `Pod`; before discovery has answered, the resource.
fn kind_of(page: PageState, resource: &str) -> String {
    let gvr = resource.parse::<GroupVersionResource>().ok();
    let info = page.resources.with(|all| all.iter().find(|info| Some(info.gvr()) == gvr).cloned());
    info.map_or_else(|| resource.to_owned(), |info| visible(&info.kind).into_owned())
}

fn details(context: ListContext, entry: &Arc<Entry>) -> impl IntoView + use<> {
    let ListContext { page, timeline, is_single_object } = context;
    let more = entry.fields.len().saturating_sub(MAX_FIELDS);
    let resource = entry.resource.parse::<GroupVersionResource>().ok();
    let managers = resource
        .as_ref()
        .filter(|_| !entry.fields.is_empty())
        .map(|resource| Managers::read(page.cluster, resource, &entry.key, entry.uid.clone()));
    let rows = entry.fields.iter().take(MAX_FIELDS).map(|changed| field(changed, managers)).collect_view();
    let moments = entry.time.filter(|_| !matches!(entry.kind, EntryKind::Event { .. })).map(|time| {
        let show = move |time: f64| move |_| timeline.show(Some(time));
        view! {
            <button class="button" type="button" on:click=show(time - 1.0)>{"Show the page just before"}</button>
            <button class="button" type="button" on:click=show(time)>{"Show the page just after"}</button>
        }
    });
    let target = resource.filter(|_| !is_single_object);
    let link = target.map(|resource| {
        let key = entry.key.clone();
        let href = move || page.navigator.hash_with(|route| to_object(route, &resource, &key));
        let text = if matches!(entry.kind, EntryKind::Event { .. }) { "Open the Event" } else { "Open the object" };
        view! { <a class="button" href=href>{text}</a> }
    });
    view! {
        <div class="details-of-change">
            <Fields rows=rows.into_any() is_empty=entry.fields.is_empty() />
            {move || managers?.with(Managers::note).map(|text| view! { <p class="hint">{text}</p> })}
            {(more > 0).then(|| view! { <p class="hint">{format!("{more} more {}.", if more == 1 { "field" } else { "fields" })}</p> })}
            <p class="buttons">{moments} {link}</p>
        </div>
    }
}

#[component]
fn Fields(rows: AnyView, is_empty: bool) -> impl IntoView {
    (!is_empty).then(|| {
        view! {
            <table>
                <thead>
                    <tr>
                        <th scope="col">{"Field"}</th>
                        <th scope="col">{"Before"}</th>
                        <th scope="col">{"After"}</th>
                        <th scope="col" title=SET_BY>{"Set by"}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        }
    })
}

fn field(field: &ChangedField, managers: Option<RwSignal<Managers>>) -> impl IntoView + use<> {
    let path = field.path.clone();
    let set_by = move || managers.map(|managers| managers.with(|managers| managers.of(&path)));
    let value = |value: &Option<Value>| match value {
        Some(value) => view! { <pre>{text(value)}</pre> }.into_any(),
        None => view! { <span class="none">{"none"}</span> }.into_any(),
    };
    view! {
        <tr>
            <th scope="row">{visible(&field.path).into_owned()}</th>
            <td class="before">{value(&field.before)}</td>
            <td class="after">{value(&field.after)}</td>
            <td class="set-by">{set_by}</td>
        </tr>
    }
}

/// A value for people: a text as it is, anything else as indented JSON.
fn text(value: &Value) -> String {
    let text = match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let cut = text.char_indices().nth(MAX_VALUE_CHARS).map(|(end, _)| format!("{} …", &text[..end]));
    let text = cut.unwrap_or(text);
    // Each line by itself: the ends of lines are no escapes.
    text.split('\n').map(|line| visible(line).into_owned()).collect::<Vec<_>>().join("\n")
}

/// Tab of the changes of one object.
pub(crate) fn of_object(page: PageState, resource: String, key: &str) -> AnyView {
    let timeline = Timeline::for_tab(page);
    let feed = Feed::open(timeline, Some(ObjectKey { resource: resource.clone(), key: key.to_owned() }));
    let entries = Memo::new(move |_| {
        merged(
            feed.lists.with(|lists| lists.iter().map(|(_, list)| Arc::clone(list)).collect::<Vec<_>>()),
            &EntryFilter::default(),
        )
    });
    let since = Memo::new(move |_| {
        timeline.revision.track();
        let since = timeline.records(Some(&resource)).into_iter().filter_map(|recorded| recorded.since());
        since.reduce(f64::min)
    });
    let message = move || match since.get() {
        None => "Changes are recorded from now on.".to_owned(),
        Some(since) if entries.with(Vec::is_empty) => {
            format!("No changes since {}, when this page began to record them.", clock(since))
        }
        Some(since) => format!("Recorded by this page since {}.", clock(since)),
    };
    view! {
        <div class="object-changes">
            <p class="hint">{message}</p>
            {list(ListContext { page, timeline, is_single_object: true }, entries)}
            {older_button(feed)}
        </div>
    }
    .into_any()
}

/// Button for older changes.
pub(super) fn older_button(feed: Feed) -> impl IntoView {
    view! {
        <Show when=move || feed.has_older.get()>
            <button class="button" type="button" on:click=move |_| feed.request.update(|request| request.portions *= 2)>
                {"Show older changes"}
            </button>
        </Show>
    }
}

/// Label of a resource in a list of kinds.
pub(super) fn label(page: PageState, resource: &str) -> String {
    let gvr = resource.parse::<GroupVersionResource>().ok();
    page.resources.with(|all| {
        let info = all.iter().find(|info| Some(info.gvr()) == gvr);
        info.map_or_else(|| resource.to_owned(), kinds::label)
    })
}
