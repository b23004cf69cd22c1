//! Deadlines: every time limit by which an informer, or the engine above it, decides whether a server is there.
//!
//! One table, because the values depend on each other: each row has the start of the measurement, and the consequence when
//! the limit is reached. Limits on counts (consecutive failures) are beside the code that counts. Pauses between attempts
//! are [`crate::BackoffOptions`].
//!
//! Limits that a user may change are fields of [`crate::ReflectorOptions`]; the table has their defaults.
//!
//! | limit | value | measured from | when it is reached |
//! |---|--:|---|---|
//! | [`OPEN_TIMEOUT`] | 15 s | a watch or a probe is sent | the request failed |
//! | [`PAGE_TIMEOUT`] | 60 s | the last bytes of a page | the list failed; ten times this for the whole page |
//! | [`INITIAL_EVENTS_TIMEOUT`] | 30 s | the last initial event of a streaming list | a list replaces it |
//! | [`STREAM_PAUSE`] | 10–60 min | a streaming list without its end bookmark | the next list is streamed again |
//! | [`SILENCE_TIMEOUT`] | 90 s | the last message of a watch | the watch is dead |
//! | [`BUSY_SILENCE_TIMEOUT`] | 10 s | the last message of a busy watch | the watch is suspect, and resumed |
//! | [`SUSPICION_TIMEOUT`] | 5–10 s | a suspicion from outside | the watch is resumed |
//! | [`WATCH_END_LEEWAY`] | 10 s | the watch's own timeout | the watch is dead |
//! | [`VERIFIED_FOR`] | 65 s | the server last showed that it has the version | a probe precedes the next watch |
//! | [`CATCH_UP_WATCH`] | 3 s | a watch after an outage is sent | a list finds the missed changes |
//! | [`HEARTBEAT_AFTER`] | 10 s | the last byte from the server | the engine sends a heartbeat |
//! | [`HEARTBEAT_TIMEOUT`] | 4 s | a heartbeat is sent | the server is unreachable |
//! | [`HEALTH_PROBE_TIMEOUT`] | 10 s | a health probe is sent | the server is away |

use std::time::Duration;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

// Requests.

/// Timeout for the response to a watch or a probe. Default of
/// [`open_timeout`](crate::ReflectorOptions::open_timeout).
pub const OPEN_TIMEOUT: Duration = seconds(15);

/// Timeout of a page that sends nothing. An apiserver itself gives up after a minute. Default of
/// [`page_timeout`](crate::ReflectorOptions::page_timeout).
pub const PAGE_TIMEOUT: Duration = seconds(60);

/// Maximum duration of a page that keeps arriving, in multiples of [`PAGE_TIMEOUT`].
pub const LONGEST_PAGE: u32 = 10;

/// Timeout of the end bookmark of a streaming list, from its last initial event. Default of
/// [`initial_events_timeout`](crate::ReflectorOptions::initial_events_timeout). client-go waits forever.
pub const INITIAL_EVENTS_TIMEOUT: Duration = seconds(30);

/// Minimum duration of a streaming list whose clean end without the end bookmark counts as a missed one. A shorter one was
/// more likely ended by a shutdown.
pub const LONG_STREAM: Duration = seconds(60);

/// Time for which lists are plain after a streaming list without its end bookmark; doubled each time, up to
/// [`LONGEST_STREAM_PAUSE`].
pub const STREAM_PAUSE: Duration = seconds(600);

/// Maximum of that time: a server that never sends end bookmarks delays one list in an hour.
pub const LONGEST_STREAM_PAUSE: Duration = seconds(3_600);

// The length of a watch.

/// Lower bound of the timeout that a watch requests; each is drawn from `[min, 2 * min)`. client-go: `minWatchTimeout`.
/// A smaller [`min_watch_timeout`](crate::ReflectorOptions::min_watch_timeout) counts as this one.
pub const MIN_WATCH_TIMEOUT: Duration = seconds(300);

/// Upper bound of that option: 34 years, because an apiserver rejects values that do not fit its integers.
pub const MAX_WATCH_TIMEOUT: Duration = seconds(1 << 30);

/// A watch that ends within this time without an event is a failure, not a timeout (client-go: `VeryShortWatchError`).
pub const VERY_SHORT_WATCH: Duration = seconds(1);

/// Duration after which a watch counts as successful, even without an event.
pub const LONG_WATCH: Duration = seconds(60);

/// Tolerance for the end of a watch before its timeout: the server measures from another moment.
pub const EARLY_END_LEEWAY: Duration = seconds(2);

/// Tolerance for the end of a watch after its timeout. After that the end was lost, and the watch is dead.
pub const WATCH_END_LEEWAY: Duration = seconds(10);

/// The timeout of a watch that must show that it has caught up after an outage. An apiserver sends a bookmark two seconds
/// before the timeout (`cacher.go`: `nextBookmarkTime`), so this watch receives one after a second.
pub const CATCH_UP_WATCH: Duration = seconds(3);

/// Tolerance for the end of a complete [`CATCH_UP_WATCH`] before its timeout: clocks are coarse.
pub const CATCH_UP_LEEWAY: Duration = Duration::from_millis(100);

// Silence.

/// Silence after which a watch is dead. An apiserver sends a bookmark each minute, so the bookmark is half an interval
/// late. Default of [`silence_timeout`](crate::ReflectorOptions::silence_timeout).
pub const SILENCE_TIMEOUT: Duration = seconds(90);

/// Silence after which a busy watch is suspect; a steady one after a third of it. Default of
/// [`busy_silence_timeout`](crate::ReflectorOptions::busy_silence_timeout). No effect unless below the silence timeout.
pub const BUSY_SILENCE_TIMEOUT: Duration = seconds(10);

/// Time within which a suspect watch must send a message. Each time is drawn from the second half. Default of
/// [`suspicion_timeout`](crate::ReflectorOptions::suspicion_timeout).
pub const SUSPICION_TIMEOUT: Duration = seconds(10);

/// After this time without a suspicion the busy silence timeout, doubled by each false suspicion, is halved.
pub const SUSPICION_CALM: Duration = seconds(600);

/// A suspicion that is refuted within this time is not shown.
pub const SUSPICION_SHOWN_AFTER: Duration = seconds(1);

/// Lateness of a timer that shows that the thread was busy; events and responses may then be unread in the browser.
pub const LATE_TIMER: Duration = Duration::from_millis(500);

/// Time within which those events must arrive before the silence counts, and a response before its request has timed out.
pub const SECOND_LOOK: Duration = seconds(1);

/// Maximum number of second looks for the response to a heartbeat or a health probe, while the thread stalls repeatedly.
pub const SECOND_LOOKS: u32 = 3;

/// Events that the successor of a suspect watch receives within this time were missed by the suspect watch.
pub const MISSED_WITHIN: Duration = seconds(2);

// Verification.

/// Time for which a server counts as verified after it has shown that it has the version. Slightly more than the interval
/// of bookmarks, so that a healthy watch is followed by the next one without a probe.
pub const VERIFIED_FOR: Duration = seconds(65);

/// A message this recent counts as evidence when a page becomes visible, and so does a watch accepted this recently when
/// other requests fail. Half the interval of bookmarks, so that changing tabs does not cause a request each time.
pub const RECENT: Duration = seconds(30);

// Health of the watch.

/// Duration of a healthy watch after which the backoff is reset. client-go resets its backoff after the same time, but
/// in the middle of an outage too.
pub const HEALTHY_WATCH: Duration = seconds(120);

/// Duration of consecutive failures of watches after which the next attempt is a list.
pub const FAILING: Duration = seconds(2);

/// The same for watches that are throttled (429): a busy server is spared the list for longer.
pub const THROTTLED: Duration = seconds(30);

// Polling.

/// Interval of lists of a resource that cannot be watched. Default of [`poll`](crate::ReflectorOptions::poll).
pub const POLL: Duration = seconds(30);

/// Delay before such a resource is watched again; doubled each time, up to [`LONGEST_REWATCH`]. Default of
/// [`rewatch`](crate::ReflectorOptions::rewatch).
pub const REWATCH: Duration = seconds(600);

/// Maximum time between two attempts to watch, unless [`rewatch`](crate::ReflectorOptions::rewatch) is longer.
pub const LONGEST_REWATCH: Duration = seconds(3_600);

/// Delay before a watch that failed for a temporary reason is retried; doubled each time, up to
/// [`rewatch`](crate::ReflectorOptions::rewatch).
pub const PASSING_REWATCH: Duration = seconds(60);

// Undecodable events.

/// The time between the first list that replaces an undecodable event and the second.
pub const FIRST_UNDECODABLE_PAUSE: Duration = seconds(10);

/// Maximum of that pause, which doubles: full lists must not become the way to follow a resource.
pub const LONGEST_UNDECODABLE_PAUSE: Duration = seconds(300);

/// Time without an undecodable event after which the pauses are reset.
pub const UNDECODABLE_CALM: Duration = seconds(600);

// Sleep of the machine, or of a page that the browser has frozen.

/// Interval at which the clocks are compared without other events: a sleep is detected at most this long after its end.
pub const SLEEP_CHECK: Duration = seconds(15);

/// Tolerance between the wall clock and the monotonic one, which stands still during a sleep in some browsers.
pub const CLOCK_DRIFT: Duration = seconds(30);

/// Pause of the monotonic clock that counts as a sleep, in browsers where it continues during one. Throttled timers of
/// a hidden page still fire each minute.
pub const SLEEP_PAUSE: Duration = seconds(90);

// The engine: one heartbeat and one health probe for each server, on behalf of all informers.

/// Silence of a server after which it receives a heartbeat while a page is visible.
pub const HEARTBEAT_AFTER: Duration = seconds(10);

/// Timeout of a heartbeat. With [`HEARTBEAT_AFTER`] that is less than [`OPEN_TIMEOUT`].
pub const HEARTBEAT_TIMEOUT: Duration = seconds(4);

/// Minimum time between two health probes.
pub const HEALTH_PROBE_INTERVAL: Duration = seconds(10);

/// Delay of the next health probe once any request succeeds, if the last probe failed.
pub const HEALTH_PROBE_RETRY: Duration = seconds(1);

/// Timeout of a health probe.
pub const HEALTH_PROBE_TIMEOUT: Duration = seconds(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_depend_on_each_other_are_in_order() {
        let bookmarks = seconds(60);
        assert!(bookmarks < VERIFIED_FOR && VERIFIED_FOR < SILENCE_TIMEOUT, "a watch with bookmarks stays verified");
        assert!(RECENT <= bookmarks / 2);
        assert!(SUSPICION_TIMEOUT <= BUSY_SILENCE_TIMEOUT && BUSY_SILENCE_TIMEOUT < SILENCE_TIMEOUT);
        assert!(HEARTBEAT_AFTER + HEARTBEAT_TIMEOUT < OPEN_TIMEOUT, "a heartbeat finds it before a request does");
        assert!(SUSPICION_SHOWN_AFTER < BUSY_SILENCE_TIMEOUT / 3, "a suspicion is shown before the next one");
        assert!(CATCH_UP_WATCH > EARLY_END_LEEWAY, "the bookmark comes before the end");
        assert!(VERY_SHORT_WATCH < CATCH_UP_WATCH && CATCH_UP_WATCH < LONG_WATCH && LONG_WATCH < MIN_WATCH_TIMEOUT);
        assert!(PASSING_REWATCH < REWATCH && REWATCH < LONGEST_REWATCH);
    }
}
