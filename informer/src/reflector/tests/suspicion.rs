//! Suspicions: their display, false suspicions, and their number in an hour of stalls.

use super::*;
use crate::freshness::{Freshness, FreshnessInputs, Trust};

fn millis(n: u64) -> Duration {
    T0 + Duration::from_millis(n)
}

fn freshness<T: Keyed>(reflector: &Reflector<T>) -> Freshness {
    Freshness::of(FreshnessInputs {
        phase: reflector.phase(),
        has_synced: true,
        current_error: reflector.current_error(),
        trust: reflector.trust(),
        queued: reflector.is_queued_for_connection(),
        polling: reflector.is_polling(),
    })
}

fn suspicions<T: Keyed>(reflector: &Reflector<T>) -> (u64, u64) {
    (reflector.metrics().suspicions, reflector.metrics().false_suspicions)
}

/// A watch that has been open for a minute, so that it may become suspect.
fn old() -> Reflector<Thing> {
    let mut reflector = watching();
    reflector.step(bookmark("11"), seconds(60));
    reflector
}

/// A watch with an event in each of twelve seconds.
fn steady() -> Reflector<Thing> {
    let mut reflector = watching();
    for second in 1..=12 {
        reflector.step(added("n/a", "12"), seconds(second));
    }
    reflector
}

#[test]
fn suspicion_refuted_within_a_second_is_not_shown() {
    let mut reflector = old();
    reflector.step(Input::OthersRefused, millis(61_000));
    assert_eq!((freshness(&reflector), suspicions(&reflector)), (Freshness::Live, (1, 0)));
    reflector.step(Input::Timer, millis(61_999));
    assert_eq!(freshness(&reflector), Freshness::Live);
    reflector.step(added("n/a", "12"), millis(61_999));
    reflector.step(Input::Timer, millis(63_000));
    assert_eq!((freshness(&reflector), suspicions(&reflector)), (Freshness::Live, (1, 1)));
}

#[test]
fn suspicion_not_refuted_within_a_second_is_shown_at_a_deadline_of_the_driver() {
    let mut reflector = old();
    reflector.step(Input::OthersRefused, millis(61_000));
    assert_eq!(reflector.timer(), Some(millis(62_000)));
    assert_eq!(reflector.step(Input::Timer, millis(62_000)), Step::none());
    assert_eq!(freshness(&reflector), Freshness::CatchingUp);
    assert_eq!(reflector.timer(), reflector.deadline(), "the driver is not woken again and again");
    reflector.step(bookmark("12"), millis(64_000));
    assert_eq!((freshness(&reflector), suspicions(&reflector)), (Freshness::Live, (1, 1)));
}

#[test]
fn sleep_is_shown_at_once() {
    let mut reflector = old();
    reflector.step(Input::Slept, seconds(61));
    assert_eq!(freshness(&reflector), Freshness::CatchingUp);
    let mut reflector = old();
    reflector.step(Input::OthersRefused, seconds(61));
    reflector.step(Input::Slept, seconds(61));
    assert_eq!((freshness(&reflector), suspicions(&reflector)), (Freshness::CatchingUp, (1, 0)));
}

#[test]
fn response_within_a_second_keeps_a_silent_busy_watch_live() {
    let mut reflector = steady();
    let due = reflector.deadline().expect("busy");
    assert_eq!(reflector.step(Input::Timer, due).command, Some(Command::Probe));
    assert_eq!(freshness(&reflector), Freshness::Live);
    reflector.step(page(&[], "12", ""), due + Duration::from_millis(300));
    assert_eq!((reflector.phase(), freshness(&reflector)), (Phase::Reconnecting, Freshness::Live));
    reflector.step(Input::Opened, due + Duration::from_millis(600));
    reflector.step(Input::Timer, due + Duration::from_secs(1));
    assert_eq!((freshness(&reflector), suspicions(&reflector)), (Freshness::Live, (1, 0)));
}

#[test]
fn late_response_does_not_keep_a_silent_busy_watch_live() {
    let mut reflector = steady();
    let due = reflector.deadline().expect("busy");
    reflector.step(Input::Timer, due);
    assert_eq!(reflector.timer(), Some(due + Duration::from_secs(1)));
    reflector.step(Input::Timer, due + Duration::from_secs(1));
    assert_eq!(freshness(&reflector), Freshness::CatchingUp);
}

#[test]
fn errors_are_shown_at_once() {
    for input in [Input::Failed(error(ErrorCode::Network)), page(&[], "1", "")] {
        let mut reflector = steady();
        let due = reflector.deadline().expect("busy");
        reflector.step(Input::Timer, due);
        reflector.step(input, due);
        assert_ne!(freshness(&reflector), Freshness::Live);
    }
    let mut reflector = old();
    reflector.step(Input::OthersRefused, seconds(61));
    reflector.step(Input::Ended(Some(error(ErrorCode::Network))), seconds(61));
    assert_eq!(freshness(&reflector), Freshness::CatchingUp);
}

#[test]
fn next_watch_decides_whether_a_suspicion_was_false() {
    for (news, after, counted) in [(true, 1, (1, 0)), (true, 3, (1, 1)), (false, 1, (1, 1))] {
        let mut reflector = steady();
        let due = reflector.deadline().expect("busy");
        reflector.step(Input::Timer, due);
        reflector.step(page(&[], "12", ""), due);
        reflector.step(Input::Opened, due);
        let input = if news { added("n/a", "13") } else { bookmark("13") };
        reflector.step(input, due + Duration::from_secs(after));
        assert_eq!(suspicions(&reflector), counted, "news: {news}, after {after} s");
        reflector.step(added("n/a", "14"), due + Duration::from_secs(after));
        assert_eq!(suspicions(&reflector), counted, "and is told once");
    }
}

#[test]
fn silence_measured_by_a_starved_thread_is_checked_again_once() {
    let mut reflector = steady();
    let due = reflector.deadline().expect("busy");
    let late = due + Duration::from_millis(600);
    assert_eq!(reflector.step(Input::Timer, late), Step::none());
    assert_eq!((freshness(&reflector), suspicions(&reflector)), (Freshness::Live, (0, 0)));
    assert_eq!(reflector.deadline(), Some(late + Duration::from_secs(1)));
    // However late it rings then.
    let again = late + Duration::from_secs(9);
    assert_eq!(reflector.step(Input::Timer, again).command, Some(Command::Probe));
    // The unread events have arrived.
    let mut reflector = steady();
    reflector.step(Input::Timer, late);
    reflector.step(added("n/a", "13"), late);
    assert!(reflector.deadline() > Some(late + Duration::from_secs(3)), "a silence begins anew");
    assert_eq!(suspicions(&reflector), (0, 0));
}

// --- an hour of stalls ---

/// Part that stalls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stalled {
    /// Only the stream: its events are late, and requests get responses.
    Stream,
    /// The server: no events and no responses.
    Server,
    /// The thread of the page's engine: its timer rings late, before events that have arrived are read.
    Thread,
}

#[derive(Clone, Debug)]
struct Pod(String);

impl Keyed for Pod {
    fn size(&self) -> usize {
        10
    }
    fn key(&self) -> &'static str {
        "n/a"
    }
    fn resource_version(&self) -> &str {
        &self.0
    }
}

/// Result of an hour with a stall in each minute.
#[derive(Debug, Default)]
struct Hour {
    suspicions: u64,
    counted_false: u64,
    shown: u64,
    shown_for: Duration,
    requests: u64,
}

const TICK: u64 = 20;
const MINUTE: u64 = 60_000;

/// One hour, in ticks of 20 ms, which is also the duration of a request.
fn hour(rate: u64, stall: u64, stalled: Stalled) -> Hour {
    let mut random = fastrand::Rng::with_seed(rate * 100 + stall);
    let mut reflector = Reflector::<Pod>::new(ReflectorOptions::default(), 7);
    let mut server = 10_u64; // its version
    let mut unread: Vec<u64> = Vec::new(); // on the way to the watch
    let mut response: Option<Input<Pod>> = None;
    let mut hour = Hour::default();
    let mut begins = 0;
    let mut was_live = false;
    let list = |version: u64| {
        Input::Page(ListPage {
            items: Vec::new(),
            unchanged: Vec::new(),
            resource_version: version.to_string(),
            continue_token: String::new(),
            unreadable: Vec::new(),
        })
    };
    let mut command = reflector.step(Input::Start, T0).command;
    for at in (0..60 * MINUTE).step_by(usize::try_from(TICK).expect("small")) {
        let now = millis(at);
        if at % MINUTE == 0 {
            begins = at + 15_000 + random.u64(0..30_000);
        }
        let stands = (begins..begins + stall).contains(&at);
        let is = |what| stands && stalled == what;
        if !is(Stalled::Server) {
            // By chance, and never more than a few in a tick.
            let made = (0..4).filter(|_| random.u64(0..4_000) < rate * TICK).count();
            for _ in 0..made {
                server += 1;
                unread.push(server);
            }
        }
        if is(Stalled::Thread) {
            continue;
        }
        if reflector.timer().is_some_and(|due| due <= now) {
            command = reflector.step(Input::Timer, now).command.or(command);
        }
        // The request of the last tick gets its response.
        if !is(Stalled::Server)
            && command.is_none()
            && let Some(input) = response.take()
        {
            if matches!(input, Input::Opened) {
                let version: u64 = reflector.last_sync_resource_version().parse().expect("a number");
                unread = (version + 1..=server).collect();
            }
            command = reflector.step(input, now).command;
        }
        // A new watch is another stream, which does not stall.
        let flows = !is(Stalled::Stream) || reflector.metrics().suspicions > hour.suspicions;
        if command.is_none() && reflector.phase() == Phase::Watching && flows {
            for version in unread.drain(..) {
                command = reflector.step(Input::Event(Ok(WatchEvent::Modified(Pod(version.to_string())))), now).command;
            }
        }
        if !stands {
            hour.suspicions = reflector.metrics().suspicions;
        }
        if let Some(command) = command.take() {
            hour.requests += 1;
            response = match command {
                Command::List(_) | Command::Probe => Some(list(server)),
                Command::Watch(_) => Some(Input::Opened),
                Command::Wait | Command::Halt => unreachable!("nothing goes wrong here"),
            };
        }
        let live = freshness(&reflector) == Freshness::Live;
        if !live && reflector.metrics().suspicions > 0 {
            hour.shown += u64::from(was_live);
            hour.shown_for += Duration::from_millis(TICK);
        }
        was_live = live;
    }
    (hour.suspicions, hour.counted_false) = suspicions(&reflector);
    // The first list and watch.
    hour.requests -= 2;
    hour
}

/// Prints the table with `--nocapture`. All these watches are healthy: each suspicion is one too many.
#[test]
fn false_suspicions_in_an_hour_of_stalls() {
    println!("| events/s | stall | of the | suspicions/h | counted false | shown | shown for | requests |");
    println!("|--:|--:|---|--:|--:|--:|--:|--:|");
    for stalled in [Stalled::Stream, Stalled::Server, Stalled::Thread] {
        for rate in [20, 200] {
            for stall in [1, 2, 5] {
                let hour = hour(rate, stall * 1_000, stalled);
                let Hour { suspicions, counted_false, shown, shown_for, requests } = &hour;
                println!(
                    "| {rate} | {stall} s | {stalled:?} | {suspicions} | {counted_false} | {shown} | {shown_for:.1?} | {requests} |"
                );
                let case = format!("{rate} events/s, {stall} s, {stalled:?}: {hour:?}");
                // A silence shorter than a third of `busy_silence_timeout` is no evidence, and neither is a starved
                // thread.
                if stall < 3 || stalled == Stalled::Thread {
                    assert_eq!((*suspicions, *shown), (0, 0), "{case}");
                }
                assert!(*suspicions <= 60, "{case}");
                // Immediate responses refute it before it is shown.
                assert!(stalled == Stalled::Server || *shown == 0, "{case}");
            }
        }
    }
}

#[test]
fn suspicion_ends_with_its_watch() {
    let mut reflector = old();
    reflector.step(Input::OthersRefused, millis(61_000));
    assert_eq!(reflector.trust(), Trust::Suspected);
    reflector.step(Input::Stop, millis(61_100));
    assert_eq!((reflector.trust(), suspicions(&reflector)), (Trust::Verified, (1, 0)));
}
