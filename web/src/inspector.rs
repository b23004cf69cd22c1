//! Inspector: all informers of the engine as pipelines, with their connections, memory and protocol steps. Deferred code.
//!
//! The engine serves all tabs of this browser, so informers of other tabs are shown as well. Nothing here makes a request to the
//! server (`SharedInformerFactory.inspect()`).

mod engine;
mod feed;
mod pipeline;
mod report;
mod rows;

use leptos::prelude::*;

use crate::age::{bytes, thousands};
use crate::details::inspection::rates;
use crate::loading::PageState;
use engine::{Connections, Engine, Totals, Use};
use feed::Feed;
use report::report;
use rows::rows;

/// The screen.
#[component]
pub(crate) fn Inspector(page: PageState) -> impl IntoView {
    // Name of the informer whose pipeline is open.
    let chosen = RwSignal::new(None::<String>);
    let Feed { engine, error } = Feed::open(page.cluster, Memo::new(move |_| chosen.with(Option::is_some)));
    let summary = move || engine.with(|engine| engine.as_ref().map_or("Loading …".to_owned(), summary));
    let connections = move || {
        engine.with(|engine| {
            let engine = engine.as_ref()?;
            Some(connections(engine.connections.as_ref(), engine.totals().sockets))
        })
    };
    let failure = move || {
        error.get().map(
            |message| view! { <p class="note" role="alert">{format!("The engine cannot be inspected: {message}")}</p> },
        )
    };
    view! {
        <main class="overview inspector" tabindex="0" aria-label="Inspector">
            <h1 class="visually-hidden">{"Inspector"}</h1>
            <p class="scope">{summary}</p>
            {failure}
            <section aria-labelledby="inspector-connections">
                <h2 id="inspector-connections">{"Connections"}</h2>
                <ul class="connections">{connections}</ul>
            </section>
            <section aria-labelledby="inspector-informers">
                <h2 id="inspector-informers">{"Informers"}</h2>
                {rows(engine, chosen, page.now)}
            </section>
            {report(page.cluster)}
        </main>
    }
}

/// One sentence about the whole engine.
fn summary(engine: &Engine) -> String {
    let Totals { objects, bytes: size, events_per_second, bytes_per_second, .. } = engine.totals();
    let informers = match engine.informers.len() {
        1 => "1 informer".to_owned(),
        count => format!("{} informers", thousands(count as u64)),
    };
    let memory = engine.memory.map(|memory| format!(" · {} of engine memory", bytes(memory))).unwrap_or_default();
    let rate = rates(events_per_second, bytes_per_second);
    format!("{informers} · {} objects in {}{memory} · {rate}", thousands(objects), bytes(size))
}

/// Use of the connections, an item for each share.
fn connections(connections: Option<&Connections>, sockets: u64) -> impl IntoView + use<> {
    let limits = connections.map_or_else(
        || vec!["The connections of this server are not counted.".to_owned()],
        |Connections { multiplexed, streams, requests }| {
            vec![
                share("Watches over HTTP", streams, *multiplexed),
                share("Lists and other requests", requests, *multiplexed),
            ]
        },
    );
    let over_sockets = format!("Watches over WebSockets: {}", thousands(sockets));
    limits.into_iter().chain([over_sockets]).map(|text| view! { <li>{text}</li> }).collect_view()
}

fn share(name: &str, share: &Use, is_multiplexed: bool) -> String {
    let Use { used, limit, queued } = share;
    if is_multiplexed {
        return format!("{name}: {used}, all over one HTTP/2 connection");
    }
    let queued = if *queued == 0 { String::new() } else { format!(", {queued} queued") };
    format!("{name}: {used} of {limit}{queued}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_says_what_is_used_and_what_is_queued() {
        let of = |queued, is_multiplexed| share("Watches", &Use { used: 3, limit: 4, queued }, is_multiplexed);
        assert_eq!(of(0, false), "Watches: 3 of 4");
        assert_eq!(of(2, false), "Watches: 3 of 4, 2 queued");
        assert_eq!(of(0, true), "Watches: 3, all over one HTTP/2 connection");
    }

    #[test]
    fn the_summary_of_an_engine_without_informers() {
        let engine = Engine { memory: Some(2_000_000), ..Engine::default() };
        assert_eq!(summary(&engine), "0 informers · 0 objects in 0 B · 2.0 MB of engine memory · 0.0 events/s, 0 B/s");
    }
}
