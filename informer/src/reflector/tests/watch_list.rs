//! The streaming list (scenarios WL).

use super::*;

fn modified(key: &'static str, version: &'static str) -> Input<Thing> {
    Input::Event(Ok(WatchEvent::Modified(Thing(key, version))))
}

fn deleted(key: &'static str, version: &'static str) -> Input<Thing> {
    Input::Event(Ok(WatchEvent::Deleted(Thing(key, version))))
}

/// Commands of a series of inputs, and the calls of the queue.
fn run(
    reflector: &mut Reflector<Thing>,
    inputs: impl IntoIterator<Item = Input<Thing>>,
) -> (String, Vec<StoreCall<Thing>>) {
    let (mut words, mut calls) = (Vec::new(), Vec::new());
    for input in inputs {
        let step = reflector.step(input, seconds(10));
        words.extend(step.command.as_ref().map(|command| word(Some(command))));
        calls.extend(step.call);
    }
    (words.join(", "), calls)
}

#[test]
fn wl_01_wl_06_wl_11_initial_events_are_staged_and_replace_the_cache_at_once() {
    let mut reflector = opening_stream();
    let (words, calls) = run(
        &mut reflector,
        [
            Input::Opened,
            added("p1", "1"),
            added("p2", "7"),
            modified("p1", "3"),
            added("p3", "4"),
            bookmark("6"),
            deleted("p3", "5"),
        ],
    );
    assert_eq!((words.as_str(), calls, reflector.staged()), ("", vec![], 2));
    assert_eq!((reflector.phase(), reflector.last_sync_resource_version()), (Phase::Listing, ""));
    let (words, calls) = run(&mut reflector, [end_bookmark("5"), added("p4", "8")]);
    let items = vec![Thing("p1", "3"), Thing("p2", "7")];
    assert_eq!(calls, [replace(items, "5".into()), StoreCall::Add(Thing("p4", "8"))]);
    assert_eq!((words.as_str(), reflector.phase()), ("", Phase::Watching), "the same stream goes on");
}

#[test]
fn wl_01_request_of_a_stream() {
    let options = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    match Reflector::<Thing>::new(options, 3).step(Input::Start, T0).command {
        Some(Command::Watch(WatchOptions { resource_version: None, timeout, initial_events: true })) => {
            assert!((300..600).contains(&timeout.as_secs()));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn wl_08_synced_stream_resumes_as_a_plain_watch() {
    let (words, _) = run(&mut staging(), [end_bookmark("3"), Input::Ended(None)]);
    assert_eq!(words, "watch 3");
}

#[test]
fn wl_20_empty_collection_is_one_empty_replace() {
    let (words, calls) = run(&mut staging(), [end_bookmark("3")]);
    assert_eq!((words.as_str(), calls), ("", vec![replace(vec![], "3".into())]));
}

#[test]
fn wl_15_wl_16_unavailable_version_is_dropped() {
    for code in [ErrorCode::Expired, ErrorCode::TooLargeResourceVersion] {
        let mut reflector = staging();
        let inputs = [end_bookmark("3"), in_stream(ErrorCode::Expired), Input::Wake, Input::Failed(error(code))];
        let (words, _) = run(&mut reflector, inputs);
        assert_eq!(words, "wait, stream 3, stream newest");
        // If even the newest is rejected, the list reports why.
        assert_eq!(run(&mut reflector, [Input::Failed(error(code))]).0, "list newest");
    }
}

#[test]
fn wl_28_error_before_the_end_bookmark_discards_staged_objects() {
    let mut reflector = staging();
    let inputs = [end_bookmark("3"), in_stream(ErrorCode::Expired), Input::Wake, Input::Opened, added("p", "4")];
    run(&mut reflector, inputs);
    assert_eq!(reflector.staged(), 1);
    let (words, calls) = run(&mut reflector, [in_stream(ErrorCode::Expired)]);
    assert_eq!((words.as_str(), calls, reflector.staged()), ("stream newest", vec![], 0));
    let (_, calls) = run(&mut reflector, [Input::Opened, added("q", "5"), end_bookmark("6")]);
    assert_eq!(calls, [replace(vec![Thing("q", "5")], "6".into())]);
}

#[test]
fn krs_21_broken_stream_discards_staged_objects_and_is_retried() {
    let mut reflector = staging();
    let broken = Input::Ended(Some(error(ErrorCode::Network)));
    let inputs = [added("p", "1"), broken, Input::Wake, Input::Opened, added("q", "2"), end_bookmark("3")];
    let (words, calls) = run(&mut reflector, inputs);
    assert_eq!(words, "wait, stream newest");
    assert_eq!(calls, [replace(vec![Thing("q", "2")], "3".into())]);
}

#[test]
fn wl_29_server_without_an_end_bookmark_falls_back_to_list() {
    // No end bookmark: initial events extend the deadline, later changes do not.
    let mut reflector = staging();
    reflector.step(added("p", "1"), seconds(20));
    assert_eq!(reflector.deadline(), Some(seconds(50)));
    reflector.step(modified("p", "2"), seconds(40));
    assert_eq!(reflector.deadline(), Some(seconds(50)));
    let step = reflector.step(Input::Timer, seconds(50));
    assert_eq!(word(step.command.as_ref()), "list 0");
    assert_eq!(step.report.map(|error| error.code()), Some(ErrorCode::Timeout));
    let (words, _) =
        run(&mut reflector, [page(&[], "9", ""), Input::Opened, in_stream(ErrorCode::Expired), Input::Wake]);
    assert_eq!(words, "watch 9, wait, list 9", "the fallback is remembered");
    assert_eq!(reflector.watch_list_paused_until(), Some(seconds(650)));
    // The same if the watch ends at its timeout, with initial events until then.
    let mut reflector = staging();
    for second in (10..60).step_by(10) {
        reflector.step(added("p", "1"), seconds(second));
    }
    assert_eq!(word(reflector.step(Input::Ended(None), seconds(60)).command.as_ref()), "list 0");
    assert_eq!(reflector.watch_list_paused_until(), Some(seconds(660)));
    // The behaviour of the new cluster is unknown.
    let step = reflector.step(Input::Replaced { since: seconds(60), certain: true }, seconds(61));
    assert_eq!(word(step.command.as_ref()), "stream newest");
    assert_eq!(reflector.watch_list_paused_until(), None);
}

#[test]
fn wl_29_missed_end_bookmark_pauses_streams_and_a_rejection_ends_them() {
    // Minutes of pause after each miss.
    let mut reflector = staging();
    let mut now = T0;
    for minutes in [10, 20, 40, 60, 60] {
        now = reflector.deadline().expect("the end bookmark is due");
        reflector.step(Input::Timer, now);
        let until = now + Duration::from_secs(minutes * 60);
        assert_eq!(reflector.watch_list_paused_until(), Some(until));
        let expire = || [page(&[], "9", ""), Input::Opened, bookmark("9"), in_stream(ErrorCode::Expired), Input::Wake];
        assert!(commands(&mut reflector, expire(), now).ends_with("list 9"), "as long as it lasts");
        let early = until.saturating_sub(Duration::from_millis(1));
        assert!(commands(&mut reflector, expire(), early).ends_with("list 9"));
        assert!(commands(&mut reflector, expire(), until).ends_with("stream 9"));
        reflector.step(Input::Opened, until);
    }
    // A stream that succeeds resets the pause.
    let at = reflector.deadline().expect("the end bookmark is due");
    assert!(at > now);
    commands(&mut reflector, [end_bookmark("10"), in_stream(ErrorCode::Expired), Input::Wake, Input::Opened], at);
    let at = reflector.deadline().expect("the end bookmark is due");
    reflector.step(Input::Timer, at);
    assert_eq!(reflector.watch_list_paused_until(), Some(at + Duration::from_secs(600)));
    // An invalid request stays invalid.
    let mut reflector = opening_stream();
    reflector.step(Input::Failed(error(ErrorCode::BadRequest)), T0);
    assert_eq!(reflector.watch_list_paused_until(), Some(Duration::MAX));
    // What another informer found is no shorter than what this one finds.
    let mut reflector = staging();
    reflector.pause_watch_list(seconds(2_000));
    reflector.step(Input::Timer, seconds(30));
    assert_eq!(reflector.watch_list_paused_until(), Some(seconds(2_000)));
}

#[test]
fn stream_that_ends_cleanly_before_the_end_bookmark_is_retried() {
    let closed = || Input::Ended(None);
    let mut reflector = staging();
    let (words, calls) = run(&mut reflector, [added("p", "1"), closed()]);
    assert_eq!((words.as_str(), calls, reflector.staged()), ("wait", vec![], 0));
    assert!(reflector.last_error().is_some_and(|error| error.code() == ErrorCode::Network));
    let (words, calls) = run(&mut reflector, [Input::Wake, Input::Opened, added("q", "2"), end_bookmark("3")]);
    assert_eq!((words.as_str(), calls), ("stream newest", vec![replace(vec![Thing("q", "2")], "3".into())]));
    assert_eq!(reflector.watch_list_paused_until(), None);
}

#[test]
fn repeated_stream_failures_fall_back_to_one_list() {
    let broken = || Input::Ended(Some(error(ErrorCode::Network)));
    for end in [|| Input::Ended(None), broken] {
        let mut reflector = staging();
        let (words, _) =
            run(&mut reflector, [end(), Input::Wake, Input::Opened, end(), Input::Wake, Input::Opened, end()]);
        assert_eq!(words, "wait, stream newest, wait, stream newest, list 0");
        let again =
            [page(&[], "9", ""), Input::Opened, in_stream(ErrorCode::Expired), Input::Wake, Input::Opened, end()];
        assert_eq!(run(&mut reflector, again).0, "watch 9, wait, stream 9, list 9");
        assert_eq!(reflector.watch_list_paused_until(), None);
        // A completed stream resets the count.
        let one_that_succeeds = [
            page(&[], "10", ""),
            Input::Opened,
            in_stream(ErrorCode::Expired),
            Input::Wake,
            Input::Opened,
            end_bookmark("11"),
            in_stream(ErrorCode::Expired),
            Input::Wake,
            Input::Opened,
            end(),
        ];
        assert_eq!(run(&mut reflector, one_that_succeeds).0, "watch 10, wait, stream 10, wait, stream 11, wait");
    }
    // A proxy rejects streams but forwards lists: one request per attempt.
    for code in [ErrorCode::Network, ErrorCode::Throttled] {
        let failed = || Input::Failed(error(code));
        let mut reflector = opening_stream();
        let inputs = [failed(), Input::Wake, failed(), Input::Wake, failed(), Input::Wake, failed(), Input::Wake];
        let (words, _) = run(&mut reflector, inputs);
        assert_eq!(words, "wait, stream newest, wait, stream newest, wait, list 0, wait, list 0");
        let listed = [page(&[], "9", ""), Input::Opened, in_stream(ErrorCode::Expired), Input::Wake];
        assert_eq!(run(&mut reflector, listed).0, "watch 9, wait, stream 9");
    }
}

#[test]
fn wl_03_wl_04_rejected_stream_falls_back_to_list() {
    // BadRequest is remembered: the server has no streaming lists. Forbidden is not.
    for (code, again) in [(ErrorCode::BadRequest, "list 9"), (ErrorCode::Forbidden, "stream 9")] {
        let mut reflector = opening_stream();
        let inputs =
            [Input::Failed(error(code)), page(&[], "9", ""), Input::Opened, in_stream(ErrorCode::Expired), Input::Wake];
        let (words, _) = run(&mut reflector, inputs);
        assert_eq!(words, format!("list 0, watch 9, wait, {again}"));
    }
}

#[test]
fn wl_05_wl_17_throttled_or_unreachable_server_retries_the_stream() {
    for code in [ErrorCode::Throttled, ErrorCode::Network] {
        let failed = || Input::Failed(error(code));
        let (words, _) = run(&mut opening_stream(), [failed(), Input::Wake, failed(), Input::Wake, Input::Opened]);
        assert_eq!(words, "wait, stream newest, wait, stream newest");
    }
}

#[test]
fn wl_12_unsupported_source_uses_list() {
    let mut reflector = streaming([]);
    reflector.decline_watch_list();
    assert_eq!(run(&mut reflector, [Input::Start]).0, "list 0");
}

#[test]
fn end_bookmark_without_a_version_is_ignored() {
    let (words, calls) = run(&mut staging(), [end_bookmark(""), end_bookmark("0")]);
    assert_eq!((words.as_str(), calls), ("", vec![]));
}

#[test]
fn undecodable_initial_events_are_reported() {
    let unread = |key: &str| Input::Event(Err(error(ErrorCode::Decode).with_object(key)));
    let (_, calls) = run(&mut staging(), [unread("a"), unread("b"), deleted("b", "2"), end_bookmark("3")]);
    let resource_version = "3".to_owned();
    assert_eq!(
        calls,
        [StoreCall::Replace { items: vec![], unchanged: vec![], resource_version, unread: vec!["a".into()] }]
    );
}

#[test]
fn wl_22_versions_of_a_list_and_of_the_stream_instead() {
    // The requested version of the list, and of the stream instead: never "0".
    for (consistent_lists, page_size, list, first, again) in [
        (false, None, "list 0", "stream newest", "stream 9"),
        (false, Some(4), "list 0", "stream newest", "stream 9"),
        (true, None, "list newest", "stream newest", "stream newest"),
    ] {
        let options = ReflectorOptions { page_size, consistent_lists, ..ReflectorOptions::default() };
        assert_eq!(run(&mut Reflector::new(options.clone(), 3), [Input::Start]).0, list);
        let mut reflector = Reflector::new(ReflectorOptions { watch_list: true, ..options }, 3);
        let inputs = [
            Input::Start,
            Input::Opened,
            end_bookmark("9"),
            in_stream(ErrorCode::Internal),
            Input::Wake,
            Input::Opened,
        ];
        assert_eq!(run(&mut reflector, inputs).0, format!("{first}, wait, {again}"));
    }
}

#[test]
fn streaming_list_above_the_byte_limit_fails() {
    let options = ReflectorOptions { watch_list: true, max_bytes: 20, ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 3);
    let up_to_limit = [
        Input::Start,
        Input::Opened,
        added("a", "1"),
        added("b", "2"),
        modified("a", "3"),
        deleted("b", "4"),
        added("c", "5"),
    ];
    let (words, _) = run(&mut reflector, up_to_limit);
    assert_eq!((words.as_str(), reflector.phase()), ("stream newest", Phase::Listing));
    let step = reflector.step(added("d", "6"), T0);
    assert_eq!(step.report.map(|error| error.code()), Some(ErrorCode::BadRequest));
    assert_eq!((word(step.command.as_ref()).as_str(), reflector.phase()), ("wait", Phase::Failed));
}

#[test]
fn met_02_streaming_lists_and_their_bookmarks_are_counted() {
    let mut reflector = staging();
    run(&mut reflector, [added("a", "1"), bookmark("2"), bookmark("3"), end_bookmark("3")]);
    let metrics = reflector.metrics();
    assert_eq!((metrics.watch_lists, metrics.relists, metrics.bookmarks), (1, 0, 3));
    run(&mut reflector, [in_stream(ErrorCode::Expired), Input::Wake]);
    assert_eq!((reflector.metrics().watch_lists, reflector.metrics().relists), (2, 1));
}
