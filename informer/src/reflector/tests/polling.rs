//! Polling: resources that may be listed and not watched.

use super::*;

/// Command of the next due timer, and the time until then.
fn after_the_wait(reflector: &mut Reflector<Thing>, now: &mut Duration) -> (String, u64) {
    let until = reflector.next_attempt().expect("waiting");
    let waited = until.saturating_sub(*now);
    *now = until;
    (word(reflector.step(Input::Timer, until).command.as_ref()), waited.as_secs())
}

#[test]
fn unwatchable_resource_is_polled_and_its_watch_is_retried_after_ten_minutes_and_longer() {
    for code in [ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::BadRequest, ErrorCode::Decode] {
        let (mut reflector, mut now) = (opening(), T0);
        // The first refusal may be that of a server that has just started.
        reflector.step(Input::Failed(error(code)), now);
        assert!(reflector.is_polling());
        let (command, waited) = after_the_wait(&mut reflector, &mut now);
        assert!(command == "list 10" && waited < 2, "{command} after {waited} s");
        let (mut tried, mut last) = (Vec::new(), now);
        while now < seconds(3_600) {
            let step = reflector.step(page(&[Thing("a", "1")], "10", ""), now);
            assert!(matches!(step.call, Some(StoreCall::Replace { .. })) && reflector.is_polling());
            if word(step.command.as_ref()) == "watch 10" {
                tried.push(now.saturating_sub(last).as_secs() / 60);
                last = now;
                let step = reflector.step(Input::Failed(error(code)), now);
                assert_eq!(step.report.map(|error| error.code()), Some(code));
            }
            assert!(reflector.is_polling(), "{code:?} at {now:?}");
            assert_eq!(
                (reflector.current_error(), reflector.last_error().map(InformerError::code)),
                (None, Some(code))
            );
            let (command, waited) = after_the_wait(&mut reflector, &mut now);
            assert!(command == "list 10" && (30..=36).contains(&waited), "{command} after {waited} s");
        }
        assert_eq!(tried, [0, 10, 20], "{code:?}");
    }
}

#[test]
fn permitted_watch_ends_the_polling() {
    let mut reflector = polling();
    assert_eq!(word(reflector.step(Input::Wake, seconds(1)).command.as_ref()), "list 10");
    assert_eq!(word(reflector.step(page(&[], "12", ""), seconds(1)).command.as_ref()), "watch 12");
    assert!(reflector.is_polling(), "until it is accepted");
    reflector.step(Input::Opened, seconds(1));
    assert!(!reflector.is_polling() && reflector.last_error().is_none());
}

#[test]
fn polling_of_an_undecodable_watch_ends_with_a_decoded_event() {
    let useless = || Input::Event(Ok(WatchEvent::Error(error(ErrorCode::Decode))));
    let mut reflector = watching();
    assert_eq!(word(reflector.step(useless(), T0).command.as_ref()), "wait");
    assert!(!reflector.is_polling(), "once is not always");
    for input in [Input::Wake, page(&[], "10", ""), Input::Opened, useless()] {
        reflector.step(input, seconds(1));
    }
    assert!(reflector.is_polling());
    for input in [Input::Wake, page(&[], "10", ""), Input::Opened] {
        reflector.step(input, seconds(2));
    }
    assert!(reflector.is_polling());
    reflector.step(Input::Ended(Some(error(ErrorCode::Decode))), seconds(2));
    let wait = reflector.next_attempt().expect("waiting").saturating_sub(seconds(2));
    assert!(wait >= Duration::from_secs(30), "{wait:?}");
    for input in [Input::Wake, page(&[], "10", ""), Input::Opened, bookmark("10")] {
        reflector.step(input, seconds(3));
    }
    assert!(!reflector.is_polling() && reflector.phase() == Phase::Watching);
    // Nor is one that was silent for long: that is silence's own matter.
    let mut reflector = watching();
    for input in [useless(), Input::Wake, page(&[], "10", ""), Input::Opened, useless(), Input::Wake] {
        reflector.step(input, T0);
    }
    for (input, polls) in [(page(&[], "10", ""), true), (Input::Opened, true), (Input::Timer, false)] {
        let now = if polls { T0 } else { seconds(90) };
        reflector.step(input, now);
        assert_eq!(reflector.is_polling(), polls);
    }
    assert!(reflector.last_error().is_some_and(|error| error.code() == ErrorCode::Timeout));
    let mut reflector = watching();
    reflector.step(bookmark("10"), seconds(3));
    // One bad line in a watch that brought something is not that.
    reflector.step(useless(), seconds(4));
    assert!(!reflector.is_polling());
    assert_eq!(reflector.current_error().map(InformerError::code), Some(ErrorCode::Decode));
}

#[test]
fn failed_list_of_a_polled_resource_shows_its_own_error() {
    let mut reflector = polling();
    reflector.step(Input::Wake, T0);
    reflector.step(Input::Failed(error(ErrorCode::Network)), T0);
    assert!(!reflector.is_polling());
    assert_eq!(reflector.last_error().map(InformerError::code), Some(ErrorCode::Network));
    assert_eq!(word(reflector.step(Input::Wake, T0).command.as_ref()), "list 10", "and no probe");
    reflector.step(page(&[], "10", ""), T0);
    assert_eq!(reflector.last_error().map(InformerError::code), Some(ErrorCode::Forbidden));
}

#[test]
fn rejected_watch_without_a_list_before_it_is_listed_first() {
    let mut reflector = watching();
    reflector.step(bookmark("10"), T0);
    reflector.step(Input::Ended(None), seconds(70));
    reflector.step(Input::Failed(error(ErrorCode::Forbidden)), seconds(70));
    assert!(!reflector.is_polling(), "the list may be forbidden as well");
    reflector.step(Input::Wake, seconds(70));
    reflector.step(page(&[], "10", ""), seconds(70));
    reflector.step(Input::Failed(error(ErrorCode::Forbidden)), seconds(70));
    assert!(reflector.is_polling());
    // A list from before an hour of sleep is outdated.
    reflector.step(Input::Slept, seconds(70));
    assert!(!reflector.is_polling() && reflector.current_error().is_none());
}

#[test]
fn list_without_a_version_is_applied_and_polled() {
    for version in ["", "0"] {
        let (mut reflector, mut now) = (listing(), T0);
        for round in 0..5 {
            let step = reflector.step(page(&[Thing("a", "")], version, ""), now);
            assert_eq!(step.call, Some(replace(vec![Thing("a", "")], String::new())));
            assert_eq!((word(step.command.as_ref()).as_str(), step.report), ("wait", None));
            assert!(reflector.is_polling() && reflector.current_error().is_none());
            assert_eq!(reflector.last_error().map(InformerError::code), Some(ErrorCode::Decode));
            let (command, waited) = after_the_wait(&mut reflector, &mut now);
            assert!(command == "list newest" && (30..=36).contains(&waited), "{command} after {waited} s");
            assert_eq!((reflector.metrics().relists, reflector.metrics().watches), (round + 1, 0));
        }
        // A failed list shows its own error.
        reflector.step(Input::Failed(error(ErrorCode::Network)), now);
        assert!(!reflector.is_polling() && reflector.current_error().is_some());
        after_the_wait(&mut reflector, &mut now);
        // The server has versions from now on.
        assert_eq!(commands(&mut reflector, [page(&[], "7", ""), Input::Opened], now), "watch 7, -");
        assert!(!reflector.is_polling() && reflector.last_error().is_none());
    }
}

#[test]
fn pages_without_a_version_form_one_list() {
    let mut reflector = listing();
    assert_eq!(commands(&mut reflector, [page(&[Thing("a", "")], "", "c")], T0), "page");
    let step = reflector.step(page(&[Thing("b", "")], "", ""), T0);
    assert_eq!(step.call, Some(replace(vec![Thing("a", ""), Thing("b", "")], String::new())));
    // A token that expired is one here, too.
    let mut reflector = listing();
    let inputs = [page(&[], "", "c"), Input::Failed(error(ErrorCode::Expired)), page(&[], "", "")];
    assert_eq!(commands(&mut reflector, inputs, T0), "page, list 0, wait");
    assert!(reflector.is_polling());
}

#[test]
fn relist_without_a_version_is_rejected_and_a_replaced_cluster_empties_a_cache_without_one() {
    for version in ["", "0"] {
        let mut reflector = watching();
        reflector.step(in_stream(ErrorCode::Expired), T0);
        reflector.step(Input::Wake, T0);
        let step = reflector.step(page(&[], version, ""), T0);
        assert_eq!((step.call, step.report.map(|error| error.code())), (None, Some(ErrorCode::Decode)));
        assert_eq!(reflector.last_sync_resource_version(), "10");
    }
    let mut reflector = listing();
    reflector.step(page(&[Thing("a", "")], "", ""), T0);
    let step = reflector.step(Input::Replaced { since: seconds(1), certain: true }, seconds(2));
    assert_eq!(step.call, Some(replace(Vec::new(), String::new())));
}

#[test]
fn resuming_without_a_version_starts_with_a_list() {
    for version in ["", "0"] {
        let mut reflector = new();
        reflector.resume_from(Some(version.to_owned()));
        assert_eq!(commands(&mut reflector, [Input::Start], T0), "list 0", "{version:?}");
    }
}
