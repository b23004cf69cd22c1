//! Activity: busy watches that fall silent.

use super::*;

/// Two events in each of this number of seconds, from `from` on.
fn churn(reflector: &mut Reflector<Thing>, from: u64, seconds_long: u64) {
    for second in from..from + seconds_long {
        for half in [0, 500] {
            let step = reflector.step(added("a", "11"), seconds(second) + Duration::from_millis(half));
            assert_eq!(step.command, None);
        }
    }
}

/// A suspicion at `at`, and the watch that follows it, opened in the same moment.
fn suspected(reflector: &mut Reflector<Thing>, at: Duration) {
    let before = reflector.deadline().expect("it watches");
    assert_eq!(before, at);
    let early = at.saturating_sub(Duration::from_millis(1));
    assert_eq!(reflector.step(Input::Timer, early).command, None);
    let step = reflector.step(Input::Timer, at);
    assert_eq!((word(step.command.as_ref()).as_str(), step.report), ("probe", None));
    assert_eq!((reflector.phase(), reflector.last_error()), (Phase::Reconnecting, None));
    let step = reflector.step(page(&[], "12", ""), at);
    assert_eq!((word(step.command.as_ref()).as_str(), step.call), ("watch 11", None));
    reflector.step(Input::Opened, at);
}

/// Silence timeout after an event at `second`.
fn limit(reflector: &Reflector<Thing>, second: u64) -> Duration {
    let last = seconds(second) + Duration::from_millis(500);
    reflector.deadline().expect("it watches").saturating_sub(last)
}

#[test]
fn wat_26_busy_watch_is_resumed_after_ten_seconds_of_silence_without_an_error() {
    let mut reflector = watching();
    churn(&mut reflector, 0, 8);
    let last = seconds(7) + Duration::from_millis(500);
    suspected(&mut reflector, last + Duration::from_secs(10));
    let steps: Vec<_> = reflector.history().iter().map(|entry| entry.what.as_str()).collect();
    assert_eq!(steps[3..], ["opened", "events", "suspected", "probe", "page", "watch", "opened"]);
    // The next one may be as silent, and the one after it: each is trusted for longer.
    for second in [10 + 20, 10 + 20 + 40, 10 + 20 + 40 + 80] {
        suspected(&mut reflector, last + Duration::from_secs(second));
    }
    assert_eq!(reflector.deadline(), Some(last + Duration::from_secs(150 + 90)));
    // After a bookmark it counts as a watch that was never busy.
    let mut reflector = watching();
    churn(&mut reflector, 0, 8);
    suspected(&mut reflector, last + Duration::from_secs(10));
    reflector.step(bookmark("12"), seconds(20));
    assert_eq!(reflector.deadline(), Some(seconds(20 + 90)));
}

#[test]
fn steady_watch_is_suspect_after_a_third_of_the_silence_timeout() {
    let mut reflector = watching();
    churn(&mut reflector, 0, 9);
    let third = Duration::from_secs(10) / 3;
    suspected(&mut reflector, seconds(8) + Duration::from_millis(500) + third);
    // It was right to be quiet.
    churn(&mut reflector, 20, 9);
    assert_eq!(limit(&reflector, 28), third * 2);
}

#[test]
fn quiet_watch_is_suspect_when_a_bookmark_is_overdue() {
    // However much comes at once.
    let mut reflector = watching();
    for _ in 0..500 {
        reflector.step(added("a", "11"), seconds(1));
    }
    churn(&mut reflector, 1, 3);
    assert_eq!(limit(&reflector, 3), Duration::from_secs(90));
    churn(&mut reflector, 4, 1);
    assert_eq!(limit(&reflector, 4), Duration::from_secs(10), "four seconds with news");
    // Calm by its last sign of life.
    let mut reflector = watching();
    churn(&mut reflector, 0, 5);
    reflector.step(bookmark("11"), seconds(12));
    assert_eq!(reflector.deadline(), Some(seconds(12 + 90)));
    // News each four seconds is no churn.
    let mut reflector = watching();
    for second in (0..60).step_by(4) {
        reflector.step(added("a", "11"), seconds(second));
    }
    assert_eq!(reflector.deadline(), Some(seconds(56 + 90)));
    // Undecodable events do not count, nor do the initial events of a streaming list.
    let mut reflector = watching();
    for second in 0..10 {
        reflector.step(Input::Event(Err(error(ErrorCode::Decode).with_object("a"))), seconds(second));
    }
    assert_eq!(reflector.deadline(), Some(seconds(9 + 90)));
    let mut reflector = staging();
    churn(&mut reflector, 0, 10);
    assert_eq!(limit(&reflector, 9), Duration::from_secs(30), "its end bookmark is due");
    reflector.step(end_bookmark("11"), seconds(10));
    assert_eq!(reflector.deadline(), Some(seconds(10 + 90)));
}

#[test]
fn false_suspicion_doubles_the_silence_timeout_and_ten_minutes_halve_it() {
    let mut reflector = watching();
    let mut at = 0;
    let mut burst = |reflector: &mut Reflector<Thing>, after: u64| {
        at += after;
        if after > 100 {
            // It sent a bookmark, and has ended meanwhile.
            for input in [bookmark("11"), Input::Ended(None), page(&[], "12", ""), Input::Opened] {
                reflector.step(input, seconds(at));
            }
        }
        churn(reflector, at, 5);
        at += 4;
        let limit = limit(reflector, at);
        if limit < Duration::from_secs(90) {
            suspected(reflector, seconds(at) + Duration::from_millis(500) + limit);
        }
        at += limit.as_secs() + 1;
        limit.as_secs()
    };
    let limits: Vec<u64> = (0..5).map(|_| burst(&mut reflector, 4)).collect();
    assert_eq!(limits, [10, 20, 40, 80, 90], "never more than without");
    assert_eq!(burst(&mut reflector, 600), 80);
    assert_eq!(burst(&mut reflector, 1_200), 40);
    assert_eq!(burst(&mut reflector, 86_400), 10);
}

#[test]
fn confirmed_suspicion_keeps_the_silence_timeout() {
    for (late, expected) in [(1, 10), (3, 20)] {
        let mut reflector = watching();
        churn(&mut reflector, 0, 8);
        let at = seconds(17) + Duration::from_millis(500);
        suspected(&mut reflector, at);
        // Missed events arrive at once; later events are new.
        reflector.step(added("b", "11"), at + Duration::from_secs(late));
        churn(&mut reflector, 30, 5);
        assert_eq!(limit(&reflector, 34), Duration::from_secs(expected), "{late} s");
    }
}

#[test]
fn resumed_watch_inherits_the_activity() {
    let mut reflector = watching();
    churn(&mut reflector, 0, 5);
    reflector.step(Input::Ended(None), seconds(5));
    reflector.step(Input::Opened, seconds(6));
    assert_eq!(reflector.deadline(), Some(seconds(16)));
    // But not one that others had the connection before.
    let mut reflector = watching();
    churn(&mut reflector, 0, 5);
    reflector.step(Input::Revoked, seconds(5));
    reflector.step(Input::Queued(true), seconds(5));
    reflector.step(Input::Opened, seconds(20));
    assert_eq!(reflector.deadline(), Some(seconds(20 + 90)));
}

#[test]
fn maximum_silence_timeout_disables_suspicion() {
    let options = ReflectorOptions { busy_silence_timeout: Duration::MAX, ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 3);
    for input in [Input::Start, page(&[], "10", ""), Input::Opened] {
        reflector.step(input, T0);
    }
    churn(&mut reflector, 0, 10);
    assert_eq!(limit(&reflector, 9), Duration::from_secs(90));
}
