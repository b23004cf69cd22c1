//! Logs of the open object, or of several: of pods, or of all pods that they select, merged by time and followed.
//!
//! The package reads them (`Client.logs()`); [`viewer`] stores and shows them; the crate `log-lines` parses lines.

mod choice;
mod download;
mod heights;
mod line;
mod model;
mod reader;
mod screen;
mod search;
mod since;
mod states;
mod tools;
mod viewer;

use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::opened::Opened;
use crate::age::thousands;
use crate::cluster::Cluster;
use crate::focus;
use choice::Choice;
pub(crate) use choice::has_logs;
pub(super) use choice::{containers, is_workload, may_own_pods, own_pods};
pub(super) use reader::Target;
use search::Search;
use states::{Phase, States};
use tools::Tools;
use viewer::Viewer;

/// The tab of an object.
pub(super) fn of_object(opened: Opened) -> AnyView {
    let Opened { cluster, now, followed, .. } = opened;
    let (resource, name) = (opened.resource(), opened.name());
    let file = format!("{name}.log");
    let targets = vec![Target { resource, namespace: opened.namespace().unwrap_or_default(), name }];
    let containers = Memo::new(move |_| followed.json.with(|json| json.as_deref().map(containers).unwrap_or_default()));
    Logs(LogsProps { cluster, now, targets, containers, file }).into_any()
}

/// The logs of one object, or of several.
#[component]
pub(super) fn Logs(
    cluster: Cluster,
    /// The time, once a second.
    now: RwSignal<f64>,
    targets: Vec<Target>,
    /// Names of the containers of all of them.
    containers: Memo<Vec<String>>,
    /// Name of the file for a download.
    file: String,
) -> impl IntoView {
    let is_merged = reader::is_merged(&targets);
    let file = StoredValue::new(file);
    let viewer = Viewer::new();
    let states = RwSignal::new(States::default());
    let choice = RwSignal::new(Choice::default());
    // Changes when the log must be read again.
    let restarts = RwSignal::new(0_u32);
    let reading = StoredValue::new_local(None);
    Effect::new(move || {
        let choice = choice.get();
        restarts.track();
        // Dropping the previous reader ends it.
        reading.set_value(None);
        states.set(States::default());
        viewer.change(model::Model::clear);
        reading.set_value(Some(reader::read(cluster, &targets, &choice, viewer, states)));
    });
    on_cleanup(move || drop(reading.try_update_value(Option::take)));
    let (wraps, search) = (RwSignal::new(true), NodeRef::<Input>::new());
    watch_size(viewer);
    Effect::new(move || {
        wraps.track();
        viewer.request_paint();
    });
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let is_scroller = focus::is_in(".log-lines");
        match event.key().as_str() {
            "/" if !focus::is_typing() => {
                event.prevent_default();
                if let Some(input) = search.get_untracked() {
                    // An existing box takes the focus.
                    let _ = input.focus();
                    input.select();
                }
            }
            "Home" | "PageUp" | "ArrowUp" if is_scroller && viewer.follows() => {
                event.prevent_default();
                viewer.leave_end(&event.key());
            }
            "End" if is_scroller => {
                event.prevent_default();
                viewer.change(model::Model::follow);
            }
            _ => {}
        }
    };
    let jump = move || {
        let figures = viewer.figures();
        let new = match figures.new {
            0 => String::new(),
            1 => " (1 new line)".to_owned(),
            count => format!(" ({} new lines)", thousands(count as u64)),
        };
        (!figures.follows || figures.is_paused).then(|| {
            view! {
                <button class="button log-jump" type="button" on:click=move |_| viewer.change(model::Model::follow)>
                    {format!("Jump to newest{new}")}
                </button>
            }
        })
    };
    view! {
        <section class="logs" aria-label="Logs" on:keydown=on_key>
            <Tools containers=containers viewer=viewer choice=choice wraps=wraps is_merged=is_merged file=file />
            <Search viewer=viewer input=search />
            <div class="log-view">
                <div
                    class="log-lines"
                    class:wraps=move || wraps.get()
                    node_ref=viewer.scroller
                    tabindex="0"
                    role="region"
                    aria-label="Lines of the log"
                    on:scroll=move |_| viewer.scrolled()
                    on:click=move |event| viewer.pressed(&event)
                    on:focusin=move |event| viewer.focused(&event)
                >
                    <div class="log-spacer" node_ref=viewer.spacer></div>
                    <div class="log-block" node_ref=viewer.block></div>
                </div>
                {move || empty(viewer, states).map(|text| view! { <p class="hint log-empty">{text}</p> })} {jump}
            </div>
            <Status clock=now viewer=viewer states=states restarts=restarts />
        </section>
    }
}

/// Reason why no line is shown.
fn empty(viewer: Viewer, states: RwSignal<States>) -> Option<&'static str> {
    let figures = viewer.figures();
    if figures.shown > 0 {
        return None;
    }
    Some(match states.with(States::phase) {
        _ if figures.stored > 0 && figures.new == 0 => "No line matches the filter.",
        _ if figures.stored > 0 => "The log has new lines. Jump to newest to see them.",
        Phase::Connecting if !states.with(|states| states.is_over) => "Waiting for the log …",
        Phase::Failed => "The log cannot be read; the reason is below.",
        Phase::Following | Phase::Reconnecting | Phase::Restarting => "No lines yet.",
        _ => "The log has no lines.",
    })
}

/// `Limits::default()`, in words.
const LIMITS_NOTE: &str = "The newest 1,000,000 lines are kept, in at most 96 MiB of memory, older ones compressed.";

/// Sentence about the state of the log.
#[component]
fn Status(clock: RwSignal<f64>, viewer: Viewer, states: RwSignal<States>, restarts: RwSignal<u32>) -> impl IntoView {
    let now = move || {
        // Updates the seconds until the next attempt.
        clock.track();
        js_sys::Date::now()
    };
    let tone = move || match states.with(States::phase) {
        Phase::Failed => "bad",
        Phase::Reconnecting | Phase::Restarting => "warn",
        Phase::Following => "ok",
        Phase::Connecting | Phase::Ended => "idle",
    };
    let summary = move || states.with(|states| states.summary(now()));
    let details = move || states.with(|states| states.details(now()));
    let figures = move || {
        let figures = viewer.figures();
        let lines = if figures.stored == 1 { "line" } else { "lines" };
        let mut text = format!("{} {lines}", thousands(figures.stored as u64));
        if figures.shown + figures.new != figures.stored {
            text = format!("{} of {text}", thousands((figures.shown + figures.new) as u64));
        }
        if let Some(gaps) = figures.gaps() {
            text = format!("{text}, {gaps}");
        }
        text
    };
    let is_over = Memo::new(move |_| states.with(|states| states.is_over));
    view! {
        <footer class="log-status">
            <p class="log-state" role="status" data-tone=tone>
                {summary}
            </p>
            <Show when=move || is_over.get()>
                <button class="button" type="button" on:click=move |_| restarts.update(|restarts| *restarts += 1)>
                    {"Read again"}
                </button>
            </Show>
            <p class="log-figures" title=LIMITS_NOTE>
                {figures}
            </p>
            <Show when=move || states.with(|states| states.all.len() > 1 && !states.details(0.0).is_empty())>
                <details>
                    <summary>{"Containers that are not followed"}</summary>
                    <ul>
                        {move || details().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                    </ul>
                </details>
            </Show>
        </footer>
    }
}

/// Paints when the view has another size.
fn watch_size(viewer: Viewer) {
    let resized = Closure::<dyn Fn()>::new(move || viewer.resized());
    let observer = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let observation = StoredValue::new_local((observer, resized));
    Effect::new(move || {
        let Some(scroller) = viewer.scroller.get() else { return };
        observation.with_value(|(observer, _)| {
            if let Some(observer) = observer {
                observer.observe(&scroller);
            }
        });
    });
    on_cleanup(move || {
        observation.try_with_value(|(observer, _)| observer.as_ref().map(web_sys::ResizeObserver::disconnect));
    });
}
