//! Catching up: after an outage a watch is live once it has reached the version that the probe returned.

use super::*;
use crate::deadlines::CATCH_UP_WATCH;

/// A short watch from version 10, opened at `T0`, behind a probe that showed version 60.
fn catching_up() -> Reflector<Thing> {
    let mut reflector = probing();
    let step = reflector.step(page(&[], "60", ""), T0);
    let Some(Command::Watch(options)) = step.command else { panic!("a watch is opened: {step:?}") };
    assert_eq!((options.resource_version.as_deref(), options.timeout), (Some("10"), CATCH_UP_WATCH));
    reflector.step(Input::Opened, T0);
    assert!(reflector.is_unverified(), "the watch was only accepted");
    reflector
}

/// The command and the timeout of the watch that it opens.
fn watch(step: &Step<Thing>) -> (String, Duration) {
    let timeout = match &step.command {
        Some(Command::Watch(options)) => options.timeout,
        _ => Duration::ZERO,
    };
    (word(step.command.as_ref()), timeout)
}

#[test]
fn after_an_outage_a_watch_is_live_at_the_version_of_the_probe() {
    let mut reflector = catching_up();
    // An event at another version, higher or lower, is no evidence; a version may be any text.
    for version in ["11", "59", "61", "9999"] {
        reflector.step(added("a", version), T0);
        assert!(reflector.is_unverified(), "{version}");
    }
    reflector.step(added("a", "60"), T0);
    assert!(!reflector.is_unverified());
    // The server makes a bookmark after the probe, behind everything that there was.
    for version in ["10", "61", "other"] {
        let mut reflector = catching_up();
        reflector.step(bookmark(version), seconds(1));
        assert!(!reflector.is_unverified(), "{version}");
    }
    for version in ["", "0"] {
        let mut reflector = catching_up();
        reflector.step(bookmark(version), seconds(1));
        assert!(reflector.is_unverified(), "a bookmark at {version:?} is none");
    }
}

#[test]
fn a_short_watch_that_ends_on_time_is_complete_and_the_next_one_is_live_and_long() {
    let mut reflector = catching_up();
    let (command, timeout) = watch(&reflector.step(Input::Ended(None), seconds(3)));
    assert!(command == "watch 10" && timeout >= Duration::from_secs(300), "{command} {timeout:?}");
    reflector.step(Input::Opened, seconds(3));
    assert!(!reflector.is_unverified());
    // However often that happens, no list follows from it.
    for outage in 1..=10 {
        let at = 1_000 * outage;
        reflector.step(Input::Ended(Some(error(ErrorCode::Network))), seconds(at - 997));
        assert_eq!(commands(&mut reflector, [Input::Timer], seconds(at)), "probe");
        assert_eq!(commands(&mut reflector, [page(&[], "60", ""), Input::Opened], seconds(at)), "watch 10, -");
        assert_eq!(commands(&mut reflector, [Input::Ended(None), Input::Opened], seconds(at + 3)), "watch 10, -");
        assert!(!reflector.is_unverified());
    }
    assert_eq!(reflector.metrics().lists, 1);
}

#[test]
fn short_watch_that_ends_early_or_breaks_is_no_verification() {
    let mut reflector = catching_up();
    reflector.step(added("a", "11"), T0);
    assert_eq!(commands(&mut reflector, [Input::Ended(None)], seconds(2)), "probe");
    let mut reflector = catching_up();
    reflector.step(added("a", "11"), T0);
    let broken = Input::Ended(Some(error(ErrorCode::Network)));
    assert_eq!(commands(&mut reflector, [broken], seconds(3)), "probe");
}

#[test]
fn an_end_on_time_right_behind_an_event_may_be_a_cut_and_is_followed_by_a_list() {
    // Seed 891335361 of the simulation: a proxy ends the watch behind its first event, which is three seconds late.
    for (heard_at, next) in [(2_000, "watch 11"), (2_001, "list newest"), (3_000, "list newest")] {
        let mut reflector = catching_up();
        reflector.step(added("a", "11"), T0 + Duration::from_millis(heard_at));
        assert_eq!(commands(&mut reflector, [Input::Ended(None)], seconds(3)), next, "{heard_at} ms");
        assert_eq!(reflector.liveness.catch_up.is_pending(), next != "watch 11", "{heard_at} ms");
    }
}

#[test]
fn unverified_short_watch_leads_to_a_list_at_its_deadline() {
    for has_message in [false, true] {
        let mut reflector = catching_up();
        if has_message {
            reflector.step(added("a", "11"), seconds(1));
        }
        assert_eq!(reflector.deadline(), Some(seconds(13)), "its time, and what a server may be late");
        assert_eq!(commands(&mut reflector, [Input::Timer], seconds(13)), "list newest");
        assert_eq!(commands(&mut reflector, [page(&[], "70", ""), Input::Opened], seconds(14)), "watch 70, -");
        assert!(!reflector.is_unverified() && reflector.last_error().is_none());
    }
}

#[test]
fn a_list_out_of_a_watch_cache_may_be_behind_the_probe() {
    for (version, caught_up) in [("55", false), ("60", true)] {
        let mut reflector = catching_up();
        reflector.step(in_stream(ErrorCode::Expired), seconds(1));
        assert_eq!(commands(&mut reflector, [Input::Wake], seconds(2)), "list 10");
        reflector.step(page(&[], version, ""), seconds(3));
        reflector.step(Input::Opened, seconds(3));
        assert_eq!(reflector.is_unverified(), !caught_up, "{version}");
    }
}

#[test]
fn watch_without_missed_versions_is_verified_at_once() {
    let mut reflector = probing();
    let (command, timeout) = watch(&reflector.step(page(&[], "10", ""), T0));
    assert!(command == "watch 10" && timeout >= Duration::from_secs(300), "{command} {timeout:?}");
    reflector.step(Input::Opened, T0);
    assert!(!reflector.is_unverified());
}

#[test]
fn suspect_watch_and_snapshot_are_verified_behind_the_version_of_the_probe() {
    let mut reflector = watching();
    for second in 1..=10 {
        reflector.step(added("a", "11"), seconds(second));
    }
    let due = reflector.deadline().expect("it is busy");
    assert_eq!(commands(&mut reflector, [Input::Timer, page(&[], "60", ""), Input::Opened], due), "probe, watch 11, -");
    assert!(!reflector.is_unverified());

    let mut reflector = new();
    reflector.resume_from(Some("10".into()));
    let inputs = [Input::Start, page(&[], "60", ""), Input::Opened];
    assert_eq!(commands(&mut reflector, inputs, T0), "probe, watch 10, -");
    assert!(!reflector.is_unverified());

    // A probe that fails is an outage.
    let mut reflector = new();
    reflector.resume_from(Some("10".into()));
    let inputs =
        [Input::Start, Input::Failed(error(ErrorCode::Network)), Input::Wake, page(&[], "60", ""), Input::Opened];
    assert_eq!(commands(&mut reflector, inputs, T0), "probe, wait, probe, watch 10, -");
    assert!(reflector.is_unverified());
}

#[test]
fn suspicion_that_ends_in_a_list_does_not_relax_the_next_verification() {
    // A probe with a lower version follows the suspect watch, so a list replaces the next watch.
    let mut reflector = watching();
    for second in 1..=10 {
        reflector.step(added("a", "11"), seconds(second));
    }
    let due = reflector.deadline().expect("it is busy");
    assert_eq!(commands(&mut reflector, [Input::Timer, page(&[], "5", "")], due), "probe, list newest");
    assert_eq!(commands(&mut reflector, [page(&[], "5", ""), Input::Opened], due), "watch 5, -");
    // An outage is an outage.
    reflector.step(bookmark("6"), due + Duration::from_secs(2));
    let broken = Input::Ended(Some(error(ErrorCode::Network)));
    assert_eq!(commands(&mut reflector, [broken], due + Duration::from_secs(3)), "probe");
    let later = due + Duration::from_secs(4);
    assert_eq!(commands(&mut reflector, [page(&[], "60", ""), Input::Opened], later), "watch 6, -");
    assert!(reflector.is_unverified(), "it has yet to come as far as the probe showed");
}
