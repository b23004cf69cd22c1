//! Definitions: watches of custom resource definitions and API services, which change when kinds come or go. Deferred code.
//!
//! A browser has six connections per host over HTTP/1.1, so these two watches yield first. They request metadata only,
//! begin when the table is live, and end while the page is hidden. They also end when any informer of the page is queued for
//! a connection, until none is (`Retreat`). A user who may not list or watch definitions has none of them.

use std::time::Duration;

use informer::{ErrorCode, Freshness, InformerStatus, ResourceInfo};
use leptos::prelude::*;

use crate::cluster::{Informer, Scope};
use crate::discovery::Discovery;
use crate::loading::PageState;

/// Resources that define kinds.
const DEFINITIONS: [(&str, &str); 2] =
    [("apiextensions.k8s.io", "customresourcedefinitions"), ("apiregistration.k8s.io", "apiservices")];

/// Time for which the connections are left to other informers at first. Opening the overview, for one, queues its informers for
/// a moment.
const SHORTEST_RETREAT: Duration = Duration::from_secs(2);

/// Upper bound of that time, which doubles while the connections do not suffice. The informers of definitions, once they are back,
/// may be the ones that queue.
const LONGEST_RETREAT: Duration = Duration::from_secs(600);

/// Time without a queue after which the next retreat is short again.
const CALM: Duration = Duration::from_secs(60);

/// Counts of an informer of definitions: events, lists and objects.
type Seen = (u64, u64, u64);

/// Watches the definitions of kinds, and has the kinds requested again after each change.
pub(crate) fn watch(PageState { cluster, source, .. }: PageState, discovery: Discovery) {
    let (resources, visible) = (discovery.resources, discovery.visible);
    let (refused, live) = (RwSignal::new(Vec::<String>::new()), RwSignal::new(Vec::<String>::new()));
    let retreats = RwSignal::new(false);
    let served = Memo::new(move |_| resources.with(|resources| served(resources)));
    // They continue when the table shows another kind.
    let begun = Memo::new(move |before: Option<&bool>| {
        before == Some(&true) || source.status.with(|status| status.freshness == Freshness::Live)
    });
    let wanted = Memo::new(move |_| {
        let mut wanted = served.get();
        wanted.retain(|resource| refused.with(|refused| !refused.contains(resource)));
        if begun.get() && visible.get() && !retreats.get() { wanted } else { Vec::new() }
    });
    let crowded = cluster.crowded();
    let retreat = StoredValue::new(Retreat::default());
    Effect::new(move || {
        if crowded.get() && wanted.with_untracked(|wanted| !wanted.is_empty()) {
            retreats.set(true);
            retry(crowded, retreats, retreat);
        }
    });
    let open = move |resource: String| {
        let scope = Scope { metadata_only: true, ..Scope::default() };
        let of = resource.clone();
        let seen = StoredValue::new(None::<Seen>);
        cluster.informer(&resource, &scope, move |status| {
            if is_refused(&status) {
                refused.update(|refused| refused.push(of.clone()));
            }
            let is_live = status.freshness == Freshness::Live;
            if live.with_untracked(|live| live.contains(&of)) != is_live {
                live.update(|live| if is_live { live.push(of.clone()) } else { live.retain(|one| *one != of) });
            }
            if status.has_synced {
                let now = (status.events, status.lists, status.objects);
                let before = seen.try_update_value(|seen| seen.replace(now)).flatten();
                if before.is_some_and(|before| before != now) {
                    discovery.definition_changed(cluster);
                }
            }
        })
    };
    Effect::new(move |held: Option<Vec<(String, Informer)>>| {
        let (kept, left): (Vec<_>, Vec<_>) =
            held.unwrap_or_default().into_iter().partition(|(of, _)| wanted.with(|wanted| wanted.contains(of)));
        for (of, informer) in left {
            informer.stop();
            live.update(|live| live.retain(|one| *one != of));
        }
        let missing: Vec<String> =
            wanted.get().into_iter().filter(|one| !kept.iter().any(|(of, _)| of == one)).collect();
        kept.into_iter().chain(missing.into_iter().map(|one| (one.clone(), open(one)))).collect()
    });
    discovery.set_watched(Memo::new(move |_| {
        let served = served.get();
        !served.is_empty() && live.with(|live| served.iter().all(|one| live.contains(one)))
    }));
}

/// Ends a retreat after its time, or extends it while informers are queued. The page may be closed by then.
fn retry(crowded: ReadSignal<bool>, retreats: RwSignal<bool>, retreat: StoredValue<Retreat>) {
    let now = || Duration::from_secs_f64(js_sys::Date::now().max(0.0) / 1000.0);
    let Some(pause) = retreat.try_update_value(|retreat| retreat.begin(now())) else { return };
    let again = move || {
        retreat.try_update_value(|retreat| retreat.end(now()));
        if crowded.try_get_untracked() == Some(true) {
            retry(crowded, retreats, retreat);
        } else {
            retreats.try_set(false);
        }
    };
    set_timeout(again, pause);
}

/// Durations of successive retreats.
#[derive(Debug, Default)]
struct Retreat {
    last: Duration,
    ended: Option<Duration>,
}

impl Retreat {
    /// Returns the duration of the retreat that begins now: twice that of one that ended within [`CALM`].
    fn begin(&mut self, now: Duration) -> Duration {
        let is_soon = self.ended.is_some_and(|ended| now.saturating_sub(ended) < CALM);
        self.last = if is_soon { (self.last * 2).min(LONGEST_RETREAT) } else { SHORTEST_RETREAT };
        self.last
    }

    fn end(&mut self, now: Duration) {
        self.ended = Some(now);
    }
}

/// Returns the resources of a server that define kinds.
fn served(resources: &[ResourceInfo]) -> Vec<String> {
    let defines = |info: &&ResourceInfo| {
        let is = |(group, resource): &(&str, &str)| info.group == *group && info.resource == *resource;
        DEFINITIONS.iter().any(is) && info.is_watchable()
    };
    resources.iter().filter(defines).map(|info| info.gvr().to_string()).collect()
}

/// Whether the user may not watch, so that retries are pointless. If listing alone is allowed, nothing is listed,
/// because discovery is the smaller response. An informer that polls because its watch keeps failing is kept: the watch
/// may work again.
fn is_refused(status: &InformerStatus) -> bool {
    let refusals = [ErrorCode::Forbidden, ErrorCode::Unauthorized, ErrorCode::NotFound, ErrorCode::BadRequest];
    let code = status.last_error.as_ref().map(|error| error.code);
    let is_refusal = code.is_some_and(|code| refusals.contains(&code));
    is_refusal || status.freshness == Freshness::Polling && matches!(code, None | Some(ErrorCode::Decode))
}

#[cfg(test)]
mod tests {
    use informer::ErrorReport;

    use super::*;

    #[test]
    fn what_defines_kinds_is_watched_where_a_server_has_it() {
        let info = |group: &str, resource: &str| ResourceInfo {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: String::new(),
            namespaced: false,
            verbs: vec!["list".to_owned(), "watch".to_owned()],
            short_names: Vec::new(),
            scale: false,
        };
        let resources = [info("", "pods"), info("apiextensions.k8s.io", "customresourcedefinitions")];
        assert_eq!(served(&resources), ["apiextensions.k8s.io/v1/customresourcedefinitions"]);
    }

    #[test]
    fn retreats_double_while_connections_are_queued_for_and_are_short_again_after_calm() {
        let seconds = Duration::from_secs;
        let mut retreat = Retreat::default();
        let mut now = seconds(1_000);
        for expected in [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600] {
            assert_eq!(retreat.begin(now), seconds(expected));
            now += seconds(expected);
            retreat.end(now);
        }
        assert_eq!(retreat.begin(now + CALM), SHORTEST_RETREAT);
    }

    #[test]
    fn a_refusal_ends_it_and_an_outage_does_not() {
        let of = |code| InformerStatus {
            last_error: Some(ErrorReport {
                code,
                message: String::new(),
                status: None,
                request: None,
                retryable: true,
            }),
            ..InformerStatus::default()
        };
        assert!(is_refused(&of(ErrorCode::Forbidden)) && is_refused(&of(ErrorCode::NotFound)));
        assert!(!is_refused(&of(ErrorCode::Network)) && !is_refused(&InformerStatus::default()));
        let polled = |status| InformerStatus { freshness: Freshness::Polling, ..status };
        assert!(is_refused(&polled(InformerStatus::default())) && is_refused(&polled(of(ErrorCode::Decode))));
        assert!(!is_refused(&polled(of(ErrorCode::Internal))), "the watch keeps failing");
    }
}
