//! Definitions: watches of custom resource definitions and API services, which change when kinds come or go. Deferred
//! code.
//!
//! A browser has six connections per host over HTTP/1.1, so these two watches yield first. They request metadata only,
//! begin when the table is live, and end while the page is hidden. They also end when any informer of the page is
//! queued for a connection, until none is (`Retreat`). A user who may not list or watch definitions has none of them.

use std::time::Duration;

use informer::{ErrorCode, Freshness, InformerStatus, ResourceInfo};
use leptos::prelude::*;

use crate::cluster::{Informer, Scope};
use crate::discovery::Discovery;
use crate::loading::PageState;

/// Resources that define kinds.
const DEFINITIONS: [(&str, &str); 2] =
    [("apiextensions.k8s.io", "customresourcedefinitions"), ("apiregistration.k8s.io", "apiservices")];

/// Time for which the connections are left to other informers at first. Opening the overview, for one, queues its
/// informers for a moment.
const MIN_RETREAT: Duration = Duration::from_secs(2);

/// Upper bound of that time, which doubles while the connections do not suffice. The informers of definitions, once
/// they are back, may be the ones that queue.
const MAX_RETREAT: Duration = Duration::from_secs(600);

/// Time without a queue after which the next retreat is short again.
const CALM_TIME: Duration = Duration::from_secs(60);

/// Counts of an informer of definitions: events, lists and objects.
type Counters = (u64, u64, u64);

/// Watches the definitions of kinds, and requests the kinds again after each change.
pub(crate) fn watch(PageState { cluster, source, .. }: PageState, discovery: Discovery) {
    let (resources, visible) = (discovery.resources, discovery.visible);
    let (refused, live) = (RwSignal::new(Vec::<String>::new()), RwSignal::new(Vec::<String>::new()));
    let retreats = RwSignal::new(false);
    let served = Memo::new(move |_| resources.with(|resources| served(resources)));
    // They continue when the table shows another kind.
    let has_started = Memo::new(move |before: Option<&bool>| {
        before == Some(&true) || source.status.with(|status| status.freshness == Freshness::Live)
    });
    let needed = Memo::new(move |_| {
        let mut needed = served.get();
        needed.retain(|resource| refused.with(|refused| !refused.contains(resource)));
        if has_started.get() && visible.get() && !retreats.get() { needed } else { Vec::new() }
    });
    let has_queued = cluster.has_queued();
    let retreat = StoredValue::new(Retreat::default());
    Effect::new(move || {
        if has_queued.get() && needed.with_untracked(|needed| !needed.is_empty()) {
            retreats.set(true);
            retry(has_queued, retreats, retreat);
        }
    });
    let open = move |resource: String| {
        let scope = Scope { metadata_only: true, ..Scope::default() };
        let name = resource.clone();
        let last_counters = StoredValue::new(None::<Counters>);
        cluster.informer(&resource, &scope, move |status| {
            if is_refused(&status) {
                refused.update(|refused| refused.push(name.clone()));
            }
            let is_live = status.freshness == Freshness::Live;
            if live.with_untracked(|live| live.contains(&name)) != is_live {
                live.update(|live| if is_live { live.push(name.clone()) } else { live.retain(|one| *one != name) });
            }
            if status.has_synced {
                let now = (status.events, status.lists, status.objects);
                let before = last_counters.try_update_value(|last_counters| last_counters.replace(now)).flatten();
                if before.is_some_and(|before| before != now) {
                    discovery.definition_changed(cluster);
                }
            }
        })
    };
    Effect::new(move |open_informers: Option<Vec<(String, Informer)>>| {
        let (retained, surplus): (Vec<_>, Vec<_>) = open_informers
            .unwrap_or_default()
            .into_iter()
            .partition(|(name, _)| needed.with(|needed| needed.contains(name)));
        for (name, informer) in surplus {
            informer.stop();
            live.update(|live| live.retain(|one| *one != name));
        }
        let missing: Vec<String> =
            needed.get().into_iter().filter(|one| !retained.iter().any(|(name, _)| name == one)).collect();
        retained.into_iter().chain(missing.into_iter().map(|one| (one.clone(), open(one)))).collect()
    });
    discovery.set_watched(Memo::new(move |_| {
        let served = served.get();
        !served.is_empty() && live.with(|live| served.iter().all(|one| live.contains(one)))
    }));
}

/// Ends a retreat after its time, or extends it while informers are queued. The page may be closed by then.
fn retry(has_queued: ReadSignal<bool>, retreats: RwSignal<bool>, retreat: StoredValue<Retreat>) {
    let now = || Duration::from_secs_f64(js_sys::Date::now().max(0.0) / 1000.0);
    let Some(pause) = retreat.try_update_value(|retreat| retreat.begin(now())) else { return };
    let again = move || {
        retreat.try_update_value(|retreat| retreat.end(now()));
        if has_queued.try_get_untracked() == Some(true) {
            retry(has_queued, retreats, retreat);
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
    /// Starts a retreat and returns its duration: twice that of the previous one if that ended within [`CALM_TIME`].
    fn begin(&mut self, now: Duration) -> Duration {
        let is_soon = self.ended.is_some_and(|ended| now.saturating_sub(ended) < CALM_TIME);
        self.last = if is_soon { (self.last * 2).min(MAX_RETREAT) } else { MIN_RETREAT };
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
    let permanent_errors = [ErrorCode::Forbidden, ErrorCode::Unauthorized, ErrorCode::NotFound, ErrorCode::BadRequest];
    let code = status.last_error.as_ref().map(|error| error.code);
    let is_permanent = code.is_some_and(|code| permanent_errors.contains(&code));
    is_permanent || status.freshness == Freshness::Polling && matches!(code, None | Some(ErrorCode::Decode))
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
        assert_eq!(retreat.begin(now + CALM_TIME), MIN_RETREAT);
    }

    #[test]
    fn a_denial_ends_the_watch_and_an_outage_does_not() {
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
