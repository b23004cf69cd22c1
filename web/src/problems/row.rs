//! Row of the list of problems.

use std::sync::Arc;

use kube_objects::{Link, Problem, Severity, What};
use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;

use super::links;
use super::order::{Line, ListedMember};
use super::rows::{Part, Row, hidden};
use super::watch::Watch;
use crate::age::{age, thousands};
use crate::discovery::resource_of;
use crate::kinds;
use crate::loading::PageState;
use crate::route::Route;
use crate::visible::visible;

/// State that all rows read. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct RowContext {
    pub(super) page: PageState,
    pub(super) watch: Watch,
    pub(super) lines: Memo<Arc<Vec<Line>>>,
}

/// Row by its id; `at` is its current index.
pub(super) fn row(view: RowContext, id: String, at: Memo<Option<Row>>) -> AnyView {
    let line = Memo::new(move |_| {
        let row = at.get()?;
        view.lines.with(|lines| lines.get(row.line).cloned())
    });
    match at.get_untracked().map(|row| row.part) {
        Some(Part::Line) => head(view, id, line),
        Some(Part::Owner) => {
            let owner = line.with_untracked(|line| line.as_ref().map(|line| line.problem.what.link().clone()));
            let name = owner.as_ref().map(|link| format!("{} {}", link.kind, link.name)).unwrap_or_default();
            let href = Memo::new(move |_| owner.as_ref().and_then(|link| object_hash(view, link)));
            below(id, || false, move || anchor(href.get(), &name), || None::<String>, || ().into_any())
        }
        Some(Part::Member(_)) => member(view, id, at, line),
        Some(Part::More) => {
            let text = move || {
                let count = line.with(|line| line.as_ref().map_or(0, hidden)) as u64;
                format!("{} more: the table of all that may be unhealthy", thousands(count))
            };
            let href = Memo::new(move |_| {
                let namespaces = view.page.navigator.namespaces.get();
                let table = |line: &Line| view.page.resources.with(|all| links::table(all, line, namespaces));
                line.with(|line| line.as_ref().and_then(table)).map(|route| route.to_hash())
            });
            below(id, || false, move || anchor(href.get(), &text()), || None::<String>, || ().into_any())
        }
        None => ().into_any(),
    }
}

/// Line of a problem.
fn head(view: RowContext, id: String, line: Memo<Option<Line>>) -> AnyView {
    let text_of = move |read: fn(&Line) -> String| {
        Memo::new(move |_| line.with(|line| line.as_ref().map(read).unwrap_or_default()))
    };
    let is_open = {
        let id = id.clone();
        Memo::new(move |_| view.watch.expanded.with(|expanded| expanded.contains(&id)))
    };
    let is_gone = Memo::new(move |_| line.with(|line| line.as_ref().is_some_and(|line| line.gone)));
    let severity = Memo::new(move |_| line.with(|line| line.as_ref().map(|line| line.problem.severity)));
    let words = move || match (is_gone.get(), severity.get()) {
        (true, _) => "Resolved",
        (false, Some(Severity::Error)) => "Error",
        (false, _) => "Warning",
    };
    let tone = move || match (is_gone.get(), severity.get()) {
        (true, _) => "idle",
        (false, Some(Severity::Error)) => "bad",
        (false, _) => "warn",
    };
    let name = Memo::new(move |_| {
        line.with(|line| {
            line.as_ref().map(|line| {
                view.page.resources.with(|all| {
                    title(&line.problem, |link| resource_of(all, &link.group, &link.kind).map(kinds::label))
                })
            })
        })
    });
    let kind = move || name.with(|name| name.as_ref().map(|(kind, _)| visible(kind).into_owned()));
    let own_name = Memo::new(move |_| name.with(|name| name.as_ref().map(|(_, name)| visible(name).into_owned())));
    let namespace = text_of(|line| visible(&line.problem.what.link().namespace).into_owned());
    let why = text_of(|line| visible(&line.problem.sentence()).into_owned());
    let also = text_of(|line| visible(&line.problem.also.join(" ")).into_owned());
    let count = text_of(|line| thousands(line.members.iter().filter(|listed| !listed.gone).count() as u64));
    let since = Memo::new(move |_| line.with(|line| line.as_ref()?.problem.since()));
    let code = line.with_untracked(|line| line.as_ref().map(|line| line.problem.code));
    let press = {
        let id = id.clone();
        move |_| view.watch.expand(&id, !is_open.get_untracked())
    };
    view! {
        <div
            class="line"
            class:gone=move || is_gone.get()
            role="row"
            {..custom_attribute("aria-level", "1")}
            aria-expanded=move || if is_open.get() { "true" } else { "false" }
            tabindex="-1"
            data-row=id
            data-code=code
            on:click=press
        >
            <span role="gridcell" class="severity" data-tone=tone>{words}</span>
            <span role="gridcell" class="what">
                <span class="kind">{kind}</span>
                " "
                <span class="name" title=move || own_name.get()>{move || own_name.get()}</span>
                " "
                <span class="namespace">{move || namespace.get()}</span>
            </span>
            <span role="gridcell" class="why">
                {move || why.get()}
                {move || {
                    let also = also.get();
                    (!also.is_empty()).then(|| view! { " " <span class="also">{also}</span> })
                }}
            </span>
            <span role="gridcell" class="since">{moment(view.page, since)}</span>
            <span role="gridcell" class="count">{move || count.get()}</span>
        </div>
    }
    .into_any()
}

/// Kind and name of the owner of a problem: `Deployment` and `web`, or `Nodes` and an empty name.
fn title(problem: &Problem, plural: impl Fn(&Link) -> Option<String>) -> (String, String) {
    match (&problem.what, problem.members.as_slice()) {
        (What::Owner(link), _) => (link.kind.clone(), link.name.clone()),
        (What::Alike(link), [only]) => (link.kind.clone(), only.link.name.clone()),
        (What::Alike(link), _) => (plural(link).unwrap_or_else(|| link.kind.clone()), String::new()),
    }
}

/// Object of a line.
fn member(view: RowContext, id: String, at: Memo<Option<Row>>, line: Memo<Option<Line>>) -> AnyView {
    let listed = Memo::new(move |_| {
        let Part::Member(number) = at.get()?.part else { return None };
        line.with(|line| line.as_ref()?.members.get(number).cloned())
    });
    let text_of =
        move |read: fn(&ListedMember) -> String| listed.with(|listed| listed.as_ref().map(read).unwrap_or_default());
    let name = Memo::new(move |_| {
        text_of(|listed| {
            let object = &listed.member.link;
            let namespace = if object.namespace.is_empty() { String::new() } else { format!("{}/", object.namespace) };
            format!("{} {namespace}{}", object.kind, object.name)
        })
    });
    let href = Memo::new(move |_| listed.with(|listed| object_hash(view, &listed.as_ref()?.member.link)));
    // The sentence of the line is not repeated.
    let own_sentence = Memo::new(move |_| {
        let sentence = text_of(|listed| listed.member.sentence.clone());
        let is_repeated = line.with(|line| line.as_ref().is_none_or(|line| line.problem.sentence() == sentence));
        (!is_repeated).then(|| visible(&sentence).into_owned())
    });
    let since = Memo::new(move |_| listed.with(|listed| listed.as_ref()?.member.since));
    let is_gone = Memo::new(move |_| listed.with(|listed| listed.as_ref().is_some_and(|listed| listed.gone)));
    let time = move || moment(view.page, since).into_any();
    below(id, move || is_gone.get(), move || anchor(href.get(), &name.get()), move || own_sentence.get(), time)
}

/// Row below a line.
fn below(
    id: String,
    is_gone: impl Fn() -> bool + Send + 'static,
    link: impl Fn() -> AnyView + Send + 'static,
    why: impl Fn() -> Option<String> + Send + 'static,
    since: impl Fn() -> AnyView + Send + 'static,
) -> AnyView {
    view! {
        <div class="member" class:gone=is_gone role="row" {..custom_attribute("aria-level", "2")} tabindex="-1" data-row=id>
            <span role="gridcell" class={"severity"}></span>
            <span role="gridcell" class="what">{link}</span>
            <span role="gridcell" class="why">{why}</span>
            <span role="gridcell" class="since">{since()}</span>
            <span role="gridcell" class={"count"}></span>
        </div>
    }
    .into_any()
}

/// Link; plain text without an address. The row is the stop of the Tab key.
fn anchor(href: Option<String>, text: &str) -> AnyView {
    let text = visible(text).into_owned();
    match href {
        Some(href) => view! { <a href=href tabindex="-1" title=text.clone()>{text.clone()}</a> }.into_any(),
        None => view! { <span title=text.clone()>{text.clone()}</span> }.into_any(),
    }
}

/// Address of the page of an object.
fn object_hash(view: RowContext, link: &Link) -> Option<String> {
    let namespaces = view.page.navigator.namespaces.get();
    let route = view.page.resources.with(|all| links::object(all, link, namespaces));
    route.as_ref().map(Route::to_hash)
}

/// A time as an age that is kept up to date; a dash if it is unknown.
fn moment(page: PageState, at: Memo<Option<f64>>) -> impl IntoView {
    let ago = Memo::new(move |_| at.get().map_or_else(|| "–".to_owned(), |at| age(page.now.get().max(at), at)));
    let full = move || {
        let date = js_sys::Date::new(&at.get().filter(|at| at.abs() <= 8.64e15)?.into());
        Some(String::from(date.to_string()))
    };
    view! { <time title=full>{move || ago.get()}</time> }
}
