//! Verification: watches that must show that they are alive, on a server that has the version.

use super::*;

#[test]
fn after_an_outage_a_probe_precedes_the_watch() {
    for code in [ErrorCode::Network, ErrorCode::Timeout, ErrorCode::Internal] {
        let mut reflector = opening();
        reflector.step(Input::Failed(error(code)), seconds(1));
        assert_eq!(commands(&mut reflector, [Input::Wake], seconds(2)), "probe", "{code:?}");
        // Through an outage it is one request for each attempt.
        assert_eq!(commands(&mut reflector, [Input::Failed(error(code)), Input::Wake], seconds(3)), "wait, probe");
        assert_eq!(commands(&mut reflector, [page(&[], "12", "more"), Input::Opened], seconds(4)), "watch 10, -");
        // A verified server is not probed again.
        assert_eq!(commands(&mut reflector, [Input::Ended(None)], seconds(20)), "watch 10", "{code:?}");
        assert_eq!((reflector.metrics().probes, reflector.metrics().lists), (2, 1));
    }
    // After a long pause for any reason, the server may be another one.
    for (second, expected) in [(65, "watch 10"), (66, "probe")] {
        let mut reflector = watching();
        reflector.step(bookmark("10"), seconds(10));
        reflector.step(in_stream(ErrorCode::Throttled), seconds(11));
        assert_eq!(commands(&mut reflector, [Input::Wake], seconds(11 + second)), expected);
    }
    // A busy server has not been away.
    let mut reflector = opening();
    let inputs = [Input::Failed(error(ErrorCode::Throttled)), Input::Wake];
    assert_eq!(commands(&mut reflector, inputs, seconds(1)), "wait, watch 10");
}

#[test]
fn version_of_the_future_is_detected_before_the_watch() {
    // The cluster was restored: it would accept a watch from 10 and stay silent forever (WIRE 0.4).
    let mut reflector = probing();
    assert_eq!(commands(&mut reflector, [page(&[Thing("a", "2")], "9", "")], seconds(1)), "list newest");
    assert_eq!(reflector.last_sync_resource_version(), "10", "a probe is no list");
    let step = reflector.step(page(&[Thing("a", "2")], "9", ""), seconds(1));
    assert_eq!(step.call, Some(replace(vec![Thing("a", "2")], "9".into())));
    assert_eq!(word(step.command.as_ref()), "watch 9");
    // A version that is not a number, or empty, is no evidence and causes no list.
    for version in ["", "0", "10", "11", "100", "abc"] {
        let words = commands(&mut probing(), [page(&[], version, "")], seconds(1));
        assert_eq!(words, "watch 10", "{version:?}");
    }
}

#[test]
fn probe_has_a_deadline_and_emits_no_changes() {
    let mut reflector = probing();
    assert_eq!(reflector.deadline(), Some(seconds(15)));
    reflector.step(Input::Queued(true), seconds(1));
    assert_eq!(reflector.deadline(), None, "it has not been sent");
    reflector.step(Input::Queued(false), seconds(30));
    assert_eq!(commands(&mut reflector, [Input::Timer, Input::Wake], seconds(45)), "wait, probe");
    let step = reflector.step(page(&[Thing("a", "2")], "12", ""), seconds(46));
    assert_eq!((step.call, reflector.phase()), (None, Phase::Reconnecting));
    // If the user may no longer list the resource, a list shows it.
    let inputs = [Input::Failed(error(ErrorCode::Forbidden)), Input::Wake];
    assert_eq!(commands(&mut probing(), inputs, T0), "wait, list 10");
}

#[test]
fn suspect_watch_sends_a_message_or_is_resumed() {
    for suspicion in [|| Input::Slept, || Input::OthersRefused, || Input::Wake] {
        let mut reflector = watching();
        assert_eq!(commands(&mut reflector, [suspicion()], seconds(40)), "-");
        assert!(reflector.is_unverified());
        let due = reflector.deadline().expect("suspect");
        assert!((seconds(45)..=seconds(50)).contains(&due), "{due:?}");
        // However often.
        reflector.step(suspicion(), due.saturating_sub(Duration::from_millis(1)));
        assert_eq!(reflector.deadline(), Some(due));
        assert_eq!(commands(&mut reflector, [Input::Timer], due), "probe");
        assert!(!reflector.is_unverified() && reflector.last_error().is_none());

        let mut reflector = watching();
        reflector.step(suspicion(), seconds(40));
        reflector.step(bookmark("10"), seconds(41));
        assert!(!reflector.is_unverified());
        assert_eq!(reflector.deadline(), Some(seconds(41 + 90)));
        assert_eq!(commands(&mut reflector, [Input::Ended(None)], seconds(60)), "watch 10", "it is verified");
        // One that ends meanwhile has not.
        let mut reflector = watching();
        reflector.step(suspicion(), seconds(40));
        assert_eq!(commands(&mut reflector, [Input::Ended(None)], seconds(41)), "probe");
    }
}

#[test]
fn recent_data_is_not_suspected_by_a_check_nor_an_accepted_watch_by_a_rejection() {
    let mut reflector = watching();
    reflector.step(bookmark("10"), seconds(60));
    reflector.step(Input::Wake, seconds(90));
    assert!(!reflector.is_unverified());
    let mut reflector = watching();
    reflector.step(Input::OthersRefused, seconds(30));
    assert!(!reflector.is_unverified());
    reflector.step(bookmark("10"), seconds(31));
    reflector.step(Input::OthersRefused, seconds(31));
    assert!(reflector.is_unverified());
    // The clock may have stood still through a sleep.
    let mut reflector = watching();
    reflector.step(Input::Slept, T0);
    assert!(reflector.is_unverified());
}

#[test]
fn sleep_shortens_backoff_but_not_to_zero() {
    let mut reflector = waiting_to_watch();
    for _ in 0..8 {
        reflector.step(Input::Wake, T0);
        reflector.step(Input::Failed(error(ErrorCode::Network)), T0);
    }
    assert!(reflector.next_attempt().expect("waiting") >= seconds(25));
    assert_eq!(commands(&mut reflector, [Input::Slept], T0), "-");
    let next = reflector.next_attempt().expect("waiting");
    assert!((seconds(5)..=seconds(10)).contains(&next), "{next:?}");
}

#[test]
fn forty_reflectors_do_not_reconnect_together_after_a_sleep() {
    let mut due: Vec<Duration> = (0..40)
        .map(|seed| {
            let mut reflector = Reflector::new(ReflectorOptions::default(), seed);
            for input in [Input::Start, page(&[], "10", ""), Input::Opened, Input::Slept] {
                reflector.step(input, T0);
            }
            reflector.deadline().expect("suspect")
        })
        .collect();
    due.sort_unstable();
    let most = due.windows(12).map(|few| few[11].saturating_sub(few[0])).min().expect("forty");
    assert!(most > Duration::from_millis(500), "twelve within {most:?}");
}

#[test]
fn early_ends_are_counted() {
    let mut reflector = watching();
    let mut now = T0;
    let mut end = |reflector: &mut Reflector<Thing>, after: u64, how: Option<InformerError>| {
        now += Duration::from_secs(after);
        reflector.step(bookmark("10"), now);
        reflector.step(Input::Ended(how), now);
        reflector.step(page(&[], "10", ""), now);
        reflector.step(Input::Opened, now);
        reflector.metrics().early_ends
    };
    assert_eq!(end(&mut reflector, 61, None), 1);
    assert_eq!(end(&mut reflector, 61, Some(error(ErrorCode::Network))), 1, "broken off is not ended");
    assert_eq!(end(&mut reflector, 600, None), 1, "its time was over");
}
