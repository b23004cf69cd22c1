//! Next request after a list that failed, and after watches that ended on time, early or without a message.

use super::*;

fn with(options: ReflectorOptions, inputs: impl IntoIterator<Item = Input<Thing>>) -> (Reflector<Thing>, Step<Thing>) {
    let mut reflector = Reflector::new(options, 3);
    let mut last = Step::none();
    for input in inputs {
        last = reflector.step(input, T0);
    }
    (reflector, last)
}

#[test]
fn items_before_an_expired_page_token_do_not_count_towards_the_byte_limit() {
    let things = || [Thing("a", "1"), Thing("b", "2")];
    let expired = || Input::Failed(error(ErrorCode::Expired));
    for (max_bytes, fits) in [(20, true), (19, false)] {
        let options = ReflectorOptions { max_bytes, ..ReflectorOptions::default() };
        let inputs = [Input::Start, page(&things()[..1], "10", "c"), expired(), page(&things(), "12", "")];
        let (reflector, step) = with(options, inputs);
        let expected = fits.then(|| replace(things().to_vec(), "12".into()));
        assert_eq!(step.call, expected, "{max_bytes} bytes");
        assert_eq!(reflector.phase() == Phase::Failed, !fits, "{max_bytes} bytes");
    }
}

#[test]
fn second_expired_page_token_leads_to_a_list_of_the_newest() {
    let expired = || Input::Failed(error(ErrorCode::Expired));
    let mut reflector = listing();
    let inputs = [page(&[], "10", "c"), expired(), page(&[], "10", "d"), expired(), page(&[], "12", "")];
    assert_eq!(commands(&mut reflector, inputs, T0), "page, list 0, page, list newest, watch 12");
}

#[test]
fn bad_request_for_a_version_is_retried_once_with_the_newest() {
    let bad = || Input::Failed(error(ErrorCode::BadRequest));
    let mut reflector = watching();
    let inputs = [in_stream(ErrorCode::Expired), Input::Wake, bad(), Input::Wake, bad()];
    assert_eq!(commands(&mut reflector, inputs, seconds(10)), "wait, list 10, wait, list newest, wait");
    assert_eq!(reflector.phase(), Phase::Failed);
    // In the plainest form it is wrong at once.
    let mut reflector = listing();
    assert_eq!((commands(&mut reflector, [bad()], T0).as_str(), reflector.phase()), ("wait", Phase::Failed));
    // For a following page the error does not concern the request itself.
    let mut reflector = listing();
    let inputs = [page(&[], "10", "c"), bad(), Input::Wake];
    assert_eq!(commands(&mut reflector, inputs, T0), "page, wait, list newest");
}

/// Timeout of the requested watch.
fn asked_for(reflector: &mut Reflector<Thing>) -> Duration {
    match reflector.step(page(&[], "10", ""), T0).command {
        Some(Command::Watch(options)) => options.timeout,
        other => panic!("{other:?}"),
    }
}

#[test]
fn watch_that_ends_more_than_two_seconds_before_its_timeout_is_early() {
    let two = Duration::from_secs(2);
    let millisecond = Duration::from_millis(1);
    for (before_its_time, early) in [(two + millisecond, 1), (two, 0), (Duration::ZERO, 0)] {
        let mut reflector = listing();
        let timeout = asked_for(&mut reflector);
        reflector.step(Input::Opened, T0);
        reflector.step(Input::Ended(None), T0 + timeout.saturating_sub(before_its_time));
        assert_eq!(reflector.metrics().early_ends, early, "{before_its_time:?} before its time");
    }
    // Within a second it is early only after a message; otherwise it is a failure.
    for (has_message, lived, early) in [(true, 10, 1), (false, 999, 0), (false, 1_000, 1)] {
        let mut reflector = opening();
        reflector.step(Input::Opened, T0);
        if has_message {
            reflector.step(bookmark("10"), T0);
        }
        reflector.step(Input::Ended(None), T0 + Duration::from_millis(lived));
        assert_eq!(reflector.metrics().early_ends, early, "message: {has_message}, after {lived} ms");
    }
}

/// Ends watches of these durations in seconds one after the other, each with or without a message. Returns the request
/// after each.
fn ended(watches: &[(u64, bool)]) -> String {
    let mut reflector = watching();
    let mut now = T0;
    let mut words = Vec::new();
    for (lived, has_message) in watches {
        now += Duration::from_secs(*lived);
        if *has_message {
            reflector.step(bookmark("10"), now);
        }
        let step = reflector.step(Input::Ended(None), now);
        let mut command = word(step.command.as_ref());
        if command == "probe" {
            command = word(reflector.step(page(&[], "10", ""), now).command.as_ref());
        }
        words.push(command.split(' ').next().unwrap_or_default().to_owned());
        if command.starts_with("list") {
            reflector.step(page(&[], "10", ""), now);
        }
        reflector.step(Input::Opened, now);
    }
    words.join(" ")
}

#[test]
fn two_long_watches_in_a_row_without_a_message_lead_to_a_list() {
    assert_eq!(ended(&[(60, false), (60, false), (60, false), (60, false)]), "watch list watch list");
    assert_eq!(ended(&[(60, false), (60, true), (60, false), (60, false)]), "watch watch watch list");
    assert_eq!(ended(&[(60, true), (60, true), (60, true), (60, true)]), "watch watch watch watch");
}

#[test]
fn five_short_watches_in_a_row_without_progress_lead_to_a_list() {
    assert_eq!(ended(&[(30, true); 6]), "watch watch watch watch watch wait");
    assert_eq!(ended(&[(59, false); 6]), "watch watch watch watch watch wait");
}

#[test]
fn deadline_of_a_queued_request_starts_when_it_is_sent() {
    type Make = fn() -> Reflector<Thing>;
    for (make, allowed) in [(listing as Make, 60), (opening, 15), (probing, 15), (opening_stream, 15)] {
        let mut reflector = make();
        let before = reflector.deadline();
        assert!(before.is_some());
        reflector.step(Input::Queued(true), seconds(1));
        assert_eq!(reflector.deadline(), None, "it has not been sent");
        reflector.step(Input::Queued(false), seconds(100));
        assert_eq!(reflector.deadline(), Some(seconds(100 + allowed)));
        let early = seconds(100 + allowed).saturating_sub(Duration::from_millis(1));
        assert_eq!(commands(&mut reflector, [Input::Timer], early), "-");
        assert_ne!(commands(&mut reflector, [Input::Timer], seconds(100 + allowed)), "-");
    }
}

#[test]
fn streaming_list_with_a_revoked_connection_restarts() {
    let mut reflector = staging();
    reflector.step(added("a", "5"), T0);
    assert_eq!(commands(&mut reflector, [Input::Revoked], seconds(1)), "stream newest");
    assert_eq!(reflector.staged(), 0);
    assert_eq!(commands(&mut watching(), [Input::Revoked], seconds(1)), "watch 10");
}

#[test]
fn rejected_list_of_the_newest_is_retried_after_backoff() {
    for code in [ErrorCode::Expired, ErrorCode::TooLargeResourceVersion] {
        let mut reflector = watching();
        let refused = || Input::Failed(error(code));
        let inputs = [in_stream(ErrorCode::Expired), Input::Wake, refused(), refused()];
        assert_eq!(commands(&mut reflector, inputs, seconds(10)), "wait, list 10, list newest, wait", "{code:?}");
    }
}

#[test]
fn timeout_of_a_later_page_keeps_the_requested_version() {
    let late = || Input::Failed(error(ErrorCode::Timeout));
    let mut reflector = listing();
    assert_eq!(commands(&mut reflector, [page(&[], "10", "c"), late(), Input::Wake], T0), "page, wait, list 0");
    let mut reflector = listing();
    assert_eq!(commands(&mut reflector, [late(), Input::Wake], T0), "wait, list newest", "but a first one is");
}
