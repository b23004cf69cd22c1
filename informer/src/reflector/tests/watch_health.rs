//! Watch health: watches that keep failing, and the pauses between them.

use super::*;

/// Command of the next due timer.
fn after_the_wait(reflector: &mut Reflector<Thing>, now: &mut Duration) -> String {
    *now = reflector.next_attempt().expect("waiting");
    word(reflector.step(Input::Timer, *now).command.as_ref())
}

#[test]
fn watch_rejected_repeatedly_after_a_good_probe_is_listed_then_polled() {
    for (code, limit, most) in [
        (ErrorCode::Network, 2, 3),
        (ErrorCode::Internal, 2, 3),
        (ErrorCode::Timeout, 2, 3),
        // A busy server is spared the list for longer.
        (ErrorCode::Throttled, 30, 7),
    ] {
        let (mut reflector, mut now, mut refusals) = (opening(), T0, 0);
        loop {
            reflector.step(Input::Failed(error(code)), now);
            refusals += 1;
            let keeps_failing = refusals >= 2 && now >= seconds(limit);
            assert!(!reflector.is_polling() && refusals <= most, "{code:?} {refusals}");
            let next = after_the_wait(&mut reflector, &mut now);
            if keeps_failing {
                assert_eq!(next, "list 10", "{code:?} {refusals}");
                break;
            }
            assert!(["probe", "watch 10"].contains(&&*next), "{code:?} {refusals}: {next}");
            if next == "probe" {
                // No new version: the cache is not behind.
                assert_eq!(commands(&mut reflector, [page(&[], "10", "")], now), "watch 10", "{code:?} {refusals}");
            }
        }
        assert_eq!(commands(&mut reflector, [page(&[], "20", "")], now), "watch 20");
        let step = reflector.step(Input::Failed(error(code)), now);
        assert_eq!((reflector.is_polling(), step.report.map(|error| error.code())), (true, Some(code)));
        assert_eq!((reflector.current_error(), reflector.last_error().map(InformerError::code)), (None, Some(code)));
    }
}

#[test]
fn probe_that_shows_a_lagging_cache_leads_to_a_list() {
    for (code, expected) in [
        (ErrorCode::Internal, "list 10"),
        (ErrorCode::Timeout, "list 10"),
        // As in client-go, which waits for these without a list.
        (ErrorCode::Network, "watch 10"),
        (ErrorCode::Throttled, "watch 10"),
    ] {
        let (mut reflector, mut now) = (opening(), T0);
        for (failures, expected) in [(1, "watch 10"), (2, expected)] {
            reflector.step(Input::Failed(error(code)), now);
            let mut next = after_the_wait(&mut reflector, &mut now);
            if next == "probe" {
                next = commands(&mut reflector, [page(&[], "11", "")], now);
            }
            assert_eq!(next, expected, "{code:?} {failures}");
        }
    }
    // A watch that was accepted meanwhile, and then suspected, did not fail.
    let (mut reflector, mut now) = (opening(), T0);
    for _ in 0..2 {
        reflector.step(Input::Failed(error(ErrorCode::Internal)), now);
        after_the_wait(&mut reflector, &mut now);
        reflector.step(page(&[], "10", ""), now);
    }
    reflector.step(Input::Opened, now);
    reflector.step(Input::Slept, now);
    now = reflector.deadline().expect("suspect");
    assert_eq!(commands(&mut reflector, [Input::Timer, page(&[], "11", "")], now), "probe, watch 10");
    // A probe without a version is no evidence.
    for version in ["10", "", "0"] {
        let (mut reflector, mut now) = (opening(), T0);
        for _ in 0..2 {
            reflector.step(Input::Failed(error(ErrorCode::Internal)), now);
            after_the_wait(&mut reflector, &mut now);
            assert_eq!(commands(&mut reflector, [page(&[], version, "")], now), "watch 10", "{version:?}");
        }
    }
}

#[test]
fn message_or_long_life_of_a_watch_resets_the_failures() {
    let word: fn(&mut Reflector<Thing>) = |reflector| {
        reflector.step(bookmark("10"), T0);
        reflector.step(Input::Ended(Some(error(ErrorCode::Network))), seconds(2));
    };
    let life: fn(&mut Reflector<Thing>) = |reflector| {
        reflector.step(Input::Ended(Some(error(ErrorCode::Network))), seconds(61));
    };
    for end in [word, life] {
        let mut reflector = opening();
        for _ in 0..2 {
            reflector.step(Input::Failed(error(ErrorCode::Network)), T0);
            assert_eq!(commands(&mut reflector, [Input::Wake, page(&[], "10", "")], T0), "probe, watch 10");
        }
        reflector.step(Input::Opened, T0);
        end(&mut reflector);
        for _ in 0..2 {
            reflector.step(page(&[], "10", ""), seconds(62));
            reflector.step(Input::Failed(error(ErrorCode::Network)), seconds(62));
            assert_eq!(commands(&mut reflector, [Input::Wake], seconds(62)), "probe");
        }
    }
}

#[test]
fn unreachable_server_is_not_a_failing_watch() {
    let (mut reflector, mut now) = (probing(), T0);
    for _ in 0..20 {
        reflector.step(Input::Failed(error(ErrorCode::Network)), now);
        assert_eq!(after_the_wait(&mut reflector, &mut now), "probe");
    }
    assert_eq!(commands(&mut reflector, [page(&[], "20", ""), Input::Opened], now), "watch 10, -");
}

#[test]
fn watches_that_fail_on_opening_are_polled_until_one_delivers() {
    let broken = || Input::Ended(Some(error(ErrorCode::Network)));
    for end in [broken, || in_stream(ErrorCode::Internal), || Input::Ended(None), || in_stream(ErrorCode::Expired)] {
        let (mut reflector, mut now) = (watching(), T0);
        let mut failures = 1;
        reflector.step(end(), now);
        while !reflector.is_polling() {
            after_the_wait(&mut reflector, &mut now);
            // Of a list or of a probe.
            reflector.step(page(&[], "10", ""), now);
            reflector.step(Input::Opened, now);
            reflector.step(end(), now);
            failures += 1;
            assert!(failures <= 4);
        }
        // Acceptance of the next watch is no evidence; its messages are.
        assert_eq!(after_the_wait(&mut reflector, &mut now), "list 10");
        assert_eq!(commands(&mut reflector, [page(&[], "10", ""), Input::Opened], now), "watch 10, -");
        assert!(reflector.is_polling());
        reflector.step(bookmark("10"), now);
        assert!(!reflector.is_polling() && reflector.last_error().is_none());
    }
}

#[test]
fn failing_watch_is_retried_after_one_minute_up_to_ten() {
    let (mut reflector, mut now) = (opening(), T0);
    let (mut tried, mut last) = (Vec::new(), T0);
    while now < seconds(3_600) {
        if refuse(&mut reflector, &error(ErrorCode::Network), now) {
            if reflector.is_polling() {
                tried.push(now.saturating_sub(last).as_secs() / 60);
            }
            last = now;
        }
        after_the_wait(&mut reflector, &mut now);
        reflector.step(page(&[], "10", ""), now);
    }
    assert_eq!(tried, [0, 0, 1, 2, 4, 8, 10, 10, 10, 10]);
}

/// Rejects the watch, if it was requested.
fn refuse(reflector: &mut Reflector<Thing>, why: &InformerError, now: Duration) -> bool {
    let was_requested = matches!(reflector.state, State::OpeningStream(_) | State::OpeningWatch(..));
    reflector.step(Input::Failed(why.clone()), now);
    was_requested
}

#[test]
fn retry_after_pause_is_kept_while_polling() {
    let (mut reflector, mut now) = (opening(), T0);
    let pause = Duration::from_secs(200);
    let busy = error(ErrorCode::Throttled).with_retry_after(pause);
    let mut refusals = 0;
    while refusals < 12 {
        let rejected_at = now;
        let refused = refuse(&mut reflector, &busy, now);
        after_the_wait(&mut reflector, &mut now);
        assert!(!refused || now >= rejected_at + pause, "{refusals}");
        refusals += u32::from(refused);
        reflector.step(page(&[], "10", ""), now);
    }
    assert!(reflector.is_polling());
}

#[test]
fn replacement_and_heartbeat_do_not_shorten_the_pause_of_a_polled_resource() {
    let (mut reflector, mut now) = (opening(), T0);
    let busy = error(ErrorCode::Throttled).with_retry_after(Duration::from_secs(200));
    loop {
        let refused = refuse(&mut reflector, &busy, now);
        if refused && reflector.is_polling() {
            break;
        }
        after_the_wait(&mut reflector, &mut now);
        reflector.step(page(&[], "10", ""), now);
    }
    let next = reflector.next_attempt();
    let step = reflector.step(Input::Replaced { since: now, certain: true }, now);
    assert_eq!((step.command, reflector.next_attempt()), (None, next));
    assert!(matches!(step.call, Some(StoreCall::Replace { .. })), "what the other cluster had goes at once");
    // Nor does a heartbeat that fails and succeeds again.
    reflector.step(Input::Unreachable(error(ErrorCode::Network)), now);
    assert_eq!((reflector.step(Input::Reachable, now).command, reflector.next_attempt()), (None, next));
    assert_eq!(reflector.current_error(), None);
}

#[test]
fn resource_polled_for_failing_watches_is_watched_at_once_after_an_outage() {
    let mut reflector = opening();
    let mut now = T0;
    for _ in 0..12 {
        refuse(&mut reflector, &error(ErrorCode::Network), now);
        after_the_wait(&mut reflector, &mut now);
        reflector.step(page(&[], "10", ""), now);
    }
    assert!(reflector.is_polling() && reflector.next_attempt().is_some());
    after_the_wait(&mut reflector, &mut now);
    reflector.step(Input::Failed(error(ErrorCode::Network)), now);
    assert_eq!(after_the_wait(&mut reflector, &mut now), "list 10");
    assert_eq!(commands(&mut reflector, [page(&[], "10", ""), Input::Opened], now), "watch 10, -");
    assert!(!reflector.is_polling());
}

#[test]
fn progress_inside_a_failing_cycle_does_not_reset_backoff() {
    let failures: [fn() -> Input<Thing>; 3] =
        [|| in_stream(ErrorCode::Expired), || in_stream(ErrorCode::Internal), || in_stream(ErrorCode::Decode)];
    for failure in failures {
        let (mut reflector, mut now, mut version) = (watching(), T0, 10);
        let mut waits = Vec::new();
        for _ in 0..8 {
            version += 1;
            reflector.step(bookmark(&version.to_string()), now);
            reflector.step(failure(), now);
            let began = now;
            assert!(after_the_wait(&mut reflector, &mut now).starts_with("list"));
            waits.push(now.checked_sub(began).unwrap().as_secs_f64());
            version += 1;
            reflector.step(page(&[], &version.to_string(), ""), now);
            reflector.step(Input::Opened, now);
        }
        assert!(waits[0] < 1.6 && waits[6..].iter().all(|wait| *wait >= 30.0), "{waits:?}");
    }
}

#[test]
fn lists_that_expire_repeatedly_back_off() {
    // Seed 891388170 of the simulation: their pauses must not be counted from a list of long ago.
    let (mut reflector, mut now) = (watching(), seconds(600));
    reflector.step(in_stream(ErrorCode::Expired), now);
    let mut waits = Vec::new();
    for _ in 0..8 {
        let began = now;
        after_the_wait(&mut reflector, &mut now);
        waits.push(now.checked_sub(began).unwrap().as_secs_f64());
        // Refused at the version that was seen, and then as the newest.
        while !matches!(reflector.state, State::Paused(_)) {
            reflector.step(Input::Failed(error(ErrorCode::Expired)), now);
        }
    }
    assert!(waits[0] < 1.6 && waits[6..].iter().all(|wait| *wait >= 30.0), "{waits:?}");
}

#[test]
fn watch_that_expires_after_each_slow_list_backs_off() {
    let (mut reflector, mut now) = (watching(), seconds(600));
    let mut waits = Vec::new();
    for version in 0..8 {
        reflector.step(in_stream(ErrorCode::Expired), now);
        let began = now;
        after_the_wait(&mut reflector, &mut now);
        waits.push(now.checked_sub(began).unwrap().as_secs_f64());
        // The list takes a minute, which must not count as a pause.
        now += Duration::from_secs(60);
        reflector.step(page(&[], &format!("{}", 1_000 + version), ""), now);
        reflector.step(Input::Opened, now);
    }
    assert!(waits[0] < 1.6 && waits[6..].iter().all(|wait| *wait >= 30.0), "{waits:?}");
}

#[test]
fn healthy_period_spans_resumed_watches() {
    // Something on the way ends every watch after a minute: that is health all the same.
    let mut reflector = waiting_to_watch();
    let mut now = T0;
    for _ in 0..6 {
        reflector.step(Input::Wake, now);
        reflector.step(Input::Failed(error(ErrorCode::Network)), now);
    }
    reflector.step(Input::Wake, now);
    reflector.step(page(&[], "10", ""), now);
    reflector.step(Input::Opened, now);
    for _ in 0..3 {
        now += Duration::from_secs(50);
        reflector.step(bookmark("10"), now);
        reflector.step(Input::Ended(None), now);
        reflector.step(Input::Opened, now);
    }
    reflector.step(in_stream(ErrorCode::Internal), now);
    let wait = reflector.next_attempt().expect("waiting").checked_sub(now).expect("later");
    assert!(wait < Duration::from_millis(1_600), "{wait:?}");
}
