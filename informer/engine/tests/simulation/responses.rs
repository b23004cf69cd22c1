//! Responses of the server: the effect of faults on a request, lists in pages and at versions, watches.

use std::collections::VecDeque;
use std::time::Duration;

use crate::connection::{Connection, ConnectionEnd};
use crate::faults::Fault;
use crate::requests::{Head, number, send_whole, value};
use crate::server::{RequestSource, State};
use crate::watch::Watch;
use crate::wire::{self, Item, WholeResponse};

/// Time for which the server waits for a future version.
const FUTURE_WAIT: Duration = Duration::from_secs(3);

/// Applies a fault to a response; `None` if the response is not affected.
pub(crate) fn apply_fault(connection: &mut Connection, fault: Fault, from: u64, now: Duration) -> Option<Head> {
    let response = match fault {
        Fault::Refused => return Some(Head::Refused),
        Fault::Hang => return Some(Head::Hang),
        Fault::Status(code, pause) => wire::error_response(code, pause),
        Fault::Plain(code) => wire::plain(code),
        Fault::Html(code) => wire::html(code),
        Fault::SignIn => wire::html(200),
        Fault::NotThat(which) => wire::unusable_list(which),
        Fault::ExpiredToken => wire::expired_token(),
        Fault::CloseEmpty => WholeResponse::json(200, ""),
        Fault::ErrorEvent(code) => WholeResponse::json(200, wire::error_event(code)),
        Fault::NothingNew => WholeResponse::json(200, wire::bookmark(from, false)),
        Fault::BareStatus(code) => WholeResponse::json(200, wire::status(code, 0) + "\n"),
        Fault::Gzip => {
            connection.end(ConnectionEnd::End);
            let (status, content_type) = (200, "application/json");
            return Some(Head::Received { status, content_type, retry_after: None, encoding: Some("gzip") });
        }
        Fault::Cut(bytes) => {
            connection.limit = Some((bytes, ConnectionEnd::Cut));
            return None;
        }
        Fault::Stall(bytes) => {
            connection.limit = Some((bytes, ConnectionEnd::Stall));
            return None;
        }
        Fault::Slow(ms) => {
            connection.gap = Duration::from_millis(ms);
            return None;
        }
        Fault::EndAfter(events) => {
            connection.watch = Some(Watch { events_left: Some(events), ..Watch::new(now) });
            return None;
        }
        Fault::Silence => {
            connection.watch = Some(Watch { silent: true, ..Watch::new(now) });
            return None;
        }
        _ => return None,
    };
    Some(send_whole(connection, &response))
}

impl State {
    /// Counts a request; true if there are too many.
    pub(crate) fn count_request(&mut self, source: RequestSource, query: &str, now: Duration) -> bool {
        let traffic = self.traffic.entry(source).or_default();
        traffic.connections += 1;
        if value(query, "continue").is_some() {
            return false;
        }
        let Err(why) = traffic.record_request(now) else { return false };
        self.fail(now, || format!("{} {} {why}", source.0, source.1));
        true
    }

    pub(crate) fn open_watch(&mut self, connection: &mut Connection, query: &str, now: Duration) -> Head {
        let from = number(query, "resourceVersion").unwrap_or(0);
        let initial = value(query, "sendInitialEvents") == Some("true");
        let mut watch = connection.watch.take().unwrap_or_else(|| Watch::new(now));
        watch.deadline = now + Duration::from_secs(number(query, "timeoutSeconds").unwrap_or(1800));
        let newest = self.store.version;
        if from != 0 && !initial && from < self.store.floor {
            connection.send(wire::error_event(410).as_bytes());
            connection.end(ConnectionEnd::End);
            return Head::ok();
        }
        if from == 0 || initial {
            if from > newest {
                connection.pause(FUTURE_WAIT);
                connection.send(wire::error_event(504).as_bytes());
                connection.end(ConnectionEnd::End);
                return Head::ok();
            }
            watch.initial =
                self.store.pods().values().filter(|pod| connection.source.1.matches(pod)).cloned().collect();
            (watch.initial_end, watch.version) = (true, newest);
            connection.is_first = false;
        } else {
            (watch.future, watch.version) = (from > newest, from);
        }
        watch.cursor = self.store.changes.partition_point(|change| change.version <= watch.version);
        connection.watch = Some(watch);
        Head::ok()
    }

    pub(crate) fn list(
        &mut self,
        connection: &mut Connection,
        query: &str,
        now: Duration,
        delay: &mut Duration,
    ) -> WholeResponse {
        let limit = number(query, "limit").and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0);
        let newest = self.draining.unwrap_or(self.store.version);
        if let Some(token) = value(query, "continue") {
            let mut parts = token.split(':').map(|part| part.parse::<u64>().ok());
            let (version, start) = (parts.next().flatten().unwrap_or(0), parts.next().flatten().unwrap_or(0));
            if version < self.store.floor || version > self.store.version {
                return wire::expired_token();
            }
            return self.page(connection, version, usize::try_from(start).unwrap_or(0), limit, now);
        }
        let behind = newest.saturating_sub(connection.rng.u64(0..=self.traits.lag)).max(self.store.floor);
        match number(query, "resourceVersion") {
            None => {
                self.traffic.entry(connection.source).or_default().newest_sent(now);
                self.page(connection, newest, 0, limit, now)
            }
            Some(0) => {
                let limit = if self.traits.pages_at_zero { limit } else { None };
                self.page(connection, behind, 0, limit, now)
            }
            Some(version) if version > newest => {
                *delay += FUTURE_WAIT;
                wire::error_response(504, 1)
            }
            // A limit beside a version means exactly that version.
            Some(version) if limit.is_some() && version < self.store.floor => wire::error_response(410, 0),
            Some(version) if limit.is_some() => self.page(connection, version, 0, limit, now),
            Some(version) => self.page(connection, behind.max(version), 0, None, now),
        }
    }

    fn page(
        &mut self,
        connection: &mut Connection,
        version: u64,
        start: usize,
        limit: Option<usize>,
        now: Duration,
    ) -> WholeResponse {
        let (source, pods) = (connection.source, self.store.at(version));
        let matching: Vec<_> = pods.values().filter(|pod| source.1.matches(pod)).cloned().collect();
        let end = limit.map_or(matching.len(), |limit| (start + limit).min(matching.len())).max(start);
        let token = if end < matching.len() { format!("{version}:{end}") } else { String::new() };
        let mut items: Vec<_> =
            matching[start.min(matching.len())..end.min(matching.len())].iter().cloned().map(Item::Whole).collect();
        if let Some(item) = items.first_mut()
            && let Item::Whole(pod) = item.clone()
            && let Some(fault) =
                self.event_fault(source, now, |fault| matches!(fault, Fault::Unreadable | Fault::Broken))
        {
            self.note(now, || format!("   {} {} item {} cannot be read: {fault:?}", source.0, source.1, pod.key));
            *item = if fault == Fault::Broken {
                self.hide(source, &pod);
                Item::Broken(pod, connection.rng.u64(..))
            } else {
                self.mark_undecodable(source, pod.key);
                Item::Lost
            };
        }
        self.note(now, || format!("   {} {} page of {} @{version} {token}", source.0, source.1, items.len()));
        let traffic = self.traffic.entry(source).or_default();
        traffic.record_version(version, now);
        traffic.cached_sent();
        // A list of one may be a probe of the newest version.
        traffic.needs_no_list |= token.is_empty() && limit != Some(1);
        WholeResponse::json(200, wire::page(version, &token, items.into_iter()))
    }
}

impl Watch {
    fn new(now: Duration) -> Self {
        Self {
            cursor: 0,
            version: 0,
            future: false,
            initial: VecDeque::new(),
            initial_end: false,
            silent: false,
            events_left: None,
            opened: now,
            deadline: now,
            bookmarks: 0,
        }
    }
}

#[test]
fn a_watch_can_begin_with_all_objects_and_an_end_bookmark() {
    use futures::StreamExt;
    use informer::transport::{Request, Transport};

    let pods = [1, 2].map(|number| (crate::store::Key { namespace: 0, number }, true));
    let traits = crate::server::Traits { bookmarks: true, pages_at_zero: false, chunk: 7, lag: 0 };
    let clock = informer::clock::virtual_time::VirtualClock::new();
    let server = crate::server::Server::new(clock, crate::store::Store::new(pods), traits, 1);
    let client = crate::requests::Client { name: "app", server };
    let query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=7";
    let text = futures::executor::block_on(async {
        let mut body =
            client.send(Request::get(format!("/api/v1/pods?{query}&timeoutSeconds=60"))).await.expect("accepted").body;
        let mut text = String::new();
        while text.matches('\n').count() < 3 {
            let chunk = body.next().await.expect("more to come").expect("no error");
            text.extend(chunk.into_iter().map(char::from));
        }
        text
    });
    let kinds: Vec<&str> = text.lines().filter_map(|line| line.split('"').nth(3)).collect();
    assert_eq!(kinds, ["ADDED", "ADDED", "BOOKMARK"]);
    assert!(text.contains(r#""annotations":{"k8s.io/initial-events-end":"true"}"#), "{text}");
}
