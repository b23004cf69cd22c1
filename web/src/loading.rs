//! Late loading: fetches the code of the second wasm file once, and shows its parts when it has loaded.
//!
//! [`Deferred`] is the interface of that code; `deferred.rs`, which `main.rs` installs, implements and loads it.
//! It is fetched when the browser is idle after the first rows ([`when_idle`]), or at once when a part of it is needed
//! ([`load_now`]).

use std::cell::{Cell, OnceCell};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use informer::ResourceInfo;
use informer_engine::columns::ColumnHeader;
use informer_engine::{Draft, Facet};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use crate::cluster::Cluster;
use crate::counts::Counts;
use crate::discovery::Discovery;
use crate::empty_kinds::EmptyKinds;
use crate::favourites::Favourites;
use crate::filter::completion::{Completion, Offer, ValueRequest};
use crate::kinds::{Group, Kind};
use crate::layouts::Layouts;
use crate::navigator::Navigator;
use crate::source::Source;
use crate::table::columns::ShownColumns;
use crate::table::model::Model;
use crate::view_state::ViewState;

/// State of the page that the drawer reads and changes.
#[derive(Clone, Copy)]
pub(crate) struct PageState {
    pub(crate) cluster: Cluster,
    pub(crate) navigator: Navigator,
    pub(crate) source: Source,
    pub(crate) resources: RwSignal<Vec<ResourceInfo>>,
    /// The time, once a second, in milliseconds since 1970.
    pub(crate) now: RwSignal<f64>,
}

/// State that the tools of the table read and change: the value chips, the panel of the columns, usage, groups, and the
/// export.
#[derive(Clone, Copy)]
pub(crate) struct ColumnTools {
    pub(crate) cluster: Cluster,
    /// Resources that discovery has found.
    pub(crate) resources: RwSignal<Vec<ResourceInfo>>,
    /// The time, once a second, in milliseconds since 1970.
    pub(crate) now: RwSignal<f64>,
    pub(crate) navigator: Navigator,
    pub(crate) source: Source,
    pub(crate) model: Model,
    pub(crate) state: ViewState,
    pub(crate) layouts: Layouts,
    pub(crate) shown: Memo<ShownColumns>,
    /// Plural of the kind.
    pub(crate) label: Memo<String>,
}

/// Interface of the deferred code.
pub(crate) trait Deferred: Sync {
    /// The panel of the open object.
    fn drawer(&self, page: PageState, key: String) -> AnyView;

    /// The overview.
    fn overview(&self, page: PageState) -> AnyView;

    /// The list of problems, and from then on their number.
    fn problems(&self, page: PageState, count: RwSignal<Option<String>>) -> AnyView;

    /// The map of objects.
    fn map(&self, page: PageState) -> AnyView;

    /// The informers of the engine.
    fn inspector(&self, page: PageState) -> AnyView;

    /// The groups beside the rows; the bar of the marked rows, and the handlers that mark them.
    fn beside_rows(&self, tools: ColumnTools) -> AnyView;

    /// Counts the kinds for the navigation, and watches their definitions, from now on.
    fn follow_kinds(&self, page: PageState, counts: Counts, discovery: Discovery);

    /// Elements beside the link of a kind in the navigation: its count and its star.
    fn beside_kind(&self, kind: &Kind, favourites: Favourites, counts: Counts) -> AnyView;

    /// Makes a kind a favourite, or no longer one.
    fn toggle_favourite(&self, info: &ResourceInfo, favourites: Favourites);

    /// The button for empty kinds.
    fn empty_kinds(&self, groups: Memo<Vec<Group>>, empty: EmptyKinds) -> AnyView;

    /// The buttons beside the counts: the panel of the columns, with the handlers of the headers, and the export.
    fn columns(&self, tools: ColumnTools) -> AnyView;

    /// The value chips above the table, which is `width` pixels wide.
    fn chips(&self, tools: ColumnTools, synced: Memo<bool>, width: RwSignal<u32>, tight: Memo<bool>) -> AnyView;

    /// The recorded changes.
    fn changes(&self, page: PageState) -> AnyView;

    /// Buttons of the header that are not needed at once.
    fn tools(&self, page: PageState, palette: RwSignal<bool>) -> AnyView;

    /// The list of the namespace chooser, shown while the box has a text.
    fn namespaces(&self, page: PageState, typed: RwSignal<Option<String>>) -> AnyView;

    /// Parts below the page: the command palette, the dialogs of saved views, and the bar that pauses and rewinds the
    /// page.
    fn palette(&self, page: PageState, open: RwSignal<bool>) -> AnyView;

    /// The details panel of the status line.
    fn details(&self, cluster: Cluster, source: Source, now: RwSignal<f64>) -> AnyView;

    /// Content of the help dialog.
    fn help(&self) -> AnyView;

    /// The applied part of a filter that is being typed; `incomplete` is the position of a value that suggestions may
    /// complete, in bytes.
    fn draft(&self, filter: &str, incomplete: Option<usize>) -> Draft;

    /// Completions of the word that ends at `caret`, a position in bytes.
    fn offer(&self, text: &str, caret: usize, columns: &[ColumnHeader]) -> Offer;

    /// Whether a typed value is only a part of existing values, and not itself one.
    fn is_half(&self, request: &ValueRequest, facet: &Facet) -> bool;

    /// Values that a term may be completed to, out of those that were counted for it.
    fn values(&self, request: &ValueRequest, facet: &Facet) -> Vec<Completion>;
}

/// Error: the file could not be loaded.
#[derive(Debug)]
pub(crate) struct LoadError;

/// Function that loads the code. After a failure the next call tries again.
pub(crate) type Loader = fn() -> Pin<Box<dyn Future<Output = Result<&'static dyn Deferred, LoadError>>>>;

#[derive(Clone, Copy)]
enum State {
    Absent,
    Loading,
    Loaded(&'static dyn Deferred),
    Failed,
}

thread_local! {
    static LOADER: Cell<Option<Loader>> = const { Cell::new(None) };
    static STATE: OnceCell<ArcRwSignal<State>> = const { OnceCell::new() };
}

fn state() -> ArcRwSignal<State> {
    STATE.with(|state| state.get_or_init(|| ArcRwSignal::new(State::Absent)).clone())
}

/// Sets the loader of the code.
pub(crate) fn install(load: Loader) {
    LOADER.set(Some(load));
}

/// The code, if it has loaded. Tracked.
pub(crate) fn loaded() -> Option<&'static dyn Deferred> {
    match state().get() {
        State::Loaded(code) => Some(code),
        _ => None,
    }
}

/// Loads the code at once, unless it has loaded or is loading. After a failure it retries.
pub(crate) fn load_now() {
    let state = state();
    let Some(load) = LOADER.get().filter(|_| matches!(state.get_untracked(), State::Absent | State::Failed)) else {
        return;
    };
    state.set(State::Loading);
    spawn_local(async move {
        state.set(load().await.map_or(State::Failed, State::Loaded));
    });
}

/// Loads the code when the browser has nothing else to do.
pub(crate) fn when_idle() {
    // Safari may lack the function.
    if js_sys::Reflect::has(&window(), &JsValue::from_str("requestIdleCallback")).unwrap_or(false) {
        request_idle_callback(load_now);
    } else {
        set_timeout(load_now, Duration::from_millis(500));
    }
}

/// Part of the deferred code, which is loaded for it at once. Until it has loaded, and after a failure, `wrap` gets a
/// sentence instead of the part, after a failure with a Retry button.
pub(crate) fn part<A: IntoAny>(
    show: impl Fn(&'static dyn Deferred) -> AnyView + Send + 'static,
    wrap: impl Fn(AnyView) -> A + Send + 'static,
) -> impl IntoView {
    load_now();
    hidden_part(show, wrap)
}

/// Part of the deferred code that is not in sight yet: the code is not loaded for it before [`load_now`].
pub(crate) fn hidden_part<A: IntoAny>(
    show: impl Fn(&'static dyn Deferred) -> AnyView + Send + 'static,
    wrap: impl Fn(AnyView) -> A + Send + 'static,
) -> impl IntoView {
    let state = state();
    move || match state.get() {
        State::Loaded(code) => untrack(|| show(code)),
        State::Failed => wrap(failed(load_now).into_any()).into_any(),
        State::Absent | State::Loading => wrap(view! { <p class="hint">{"Loading …"}</p> }.into_any()).into_any(),
    }
}

/// The sentence that a part of the page could not be loaded, with a button to try again.
pub(crate) fn failed(retry: impl Fn() + 'static) -> impl IntoView {
    view! {
        <div class="not-loaded" role="alert">
            <p>
                {"This part of the dashboard could not be loaded. Check the connection and retry; reload the page if the dashboard was updated."}
            </p>
            <button class="button" type="button" on:click=move |_| retry()>
                {"Retry"}
            </button>
        </div>
    }
}
