//! The watch, its silences and its ends (scenarios WAT and BKO).

use super::*;
use crate::backoff::BackoffOptions;

#[test]
fn wat_09_wat_19_every_event_sets_the_version_verbatim() {
    let mut reflector = watching();
    for (input, version) in [
        (added("a", "20"), "20"),
        (Input::Event(Ok(WatchEvent::Modified(Thing("a", "99999999999999999999999")))), "99999999999999999999999"),
        (bookmark("30"), "30"),
        (Input::Event(Ok(WatchEvent::Deleted(Thing("a", "7")))), "7"),
    ] {
        reflector.step(input, T0);
        assert_eq!(reflector.last_sync_resource_version(), version);
    }
    let step = reflector.step(Input::Ended(None), T0);
    assert_eq!(word(step.command.as_ref()), "watch 7");
}

#[test]
fn wat_05_a_very_short_watch_relists_after_backoff() {
    let mut reflector = watching();
    let step = reflector.step(Input::Ended(None), T0 + Duration::from_millis(999));
    assert_eq!(word(step.command.as_ref()), "wait");
    assert!(step.report.is_some());
    assert_eq!(word(reflector.step(Input::Wake, seconds(1)).command.as_ref()), "list 10");
    // Its lifetime begins with the request, not with the response.
    let mut reflector = after([Input::Start, page(&[], "10", "")]);
    reflector.step(Input::Opened, T0 + Duration::from_millis(600));
    let step = reflector.step(Input::Ended(None), T0 + Duration::from_millis(1_100));
    assert_eq!(word(step.command.as_ref()), "watch 10");
    // A bookmark counts as an event.
    let mut reflector = watching();
    reflector.step(bookmark("11"), T0);
    assert_eq!(word(reflector.step(Input::Ended(None), T0).command.as_ref()), "watch 11");
}

#[test]
fn err_16_watch_broken_at_once_is_resumed_after_backoff() {
    let mut reflector = watching();
    let step = reflector.step(Input::Ended(Some(error(ErrorCode::Network))), T0);
    assert_eq!(word(step.command.as_ref()), "wait");
    assert_eq!(word(reflector.step(Input::Wake, T0).command.as_ref()), "probe");
    assert_eq!(word(reflector.step(page(&[], "10", ""), T0).command.as_ref()), "watch 10");
}

#[test]
fn wat_16_every_watch_draws_its_own_timeout_of_five_minutes_or_more() {
    for (requested, range) in [(300, 300..600), (1, 300..600), (1_800, 1_800..3_600)] {
        let min_watch_timeout = Duration::from_secs(requested);
        let mut reflector = Reflector::new(ReflectorOptions { min_watch_timeout, ..ReflectorOptions::default() }, 3);
        reflector.step(Input::Start, T0);
        reflector.step(page(&[], "10", ""), T0);
        let mut timeouts: Vec<u64> = (0..200u64)
            .map(|round| {
                reflector.step(Input::Opened, seconds(round * 400));
                reflector.step(bookmark("10"), seconds(round * 400 + 398));
                match reflector.step(Input::Ended(None), seconds(round * 400 + 399)).command {
                    Some(Command::Watch(options)) => options.timeout.as_secs(),
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        timeouts.sort_unstable();
        let middle = u64::midpoint(range.start, range.end);
        assert!(timeouts[0] < middle && timeouts[199] >= middle, "spread: {timeouts:?}");
        timeouts.dedup();
        assert!(timeouts.len() > 100 && timeouts.iter().all(|t| range.contains(t)), "{timeouts:?}");
    }
}

#[test]
fn wat_26_a_silent_watch_is_cut_and_resumed() {
    let mut reflector = watching();
    assert_eq!(reflector.deadline(), Some(seconds(90)));
    reflector.step(bookmark("12"), seconds(60));
    assert_eq!(reflector.deadline(), Some(seconds(150)));
    assert_eq!(word(reflector.step(Input::Timer, seconds(149)).command.as_ref()), "-");
    let step = reflector.step(Input::Timer, seconds(150));
    assert_eq!(word(step.command.as_ref()), "probe");
    assert_eq!(step.report.map(|e| e.code()), Some(ErrorCode::Timeout));
    assert_eq!(word(reflector.step(page(&[], "12", ""), seconds(150)).command.as_ref()), "watch 12");
}

#[test]
fn watch_without_a_message_is_checked_by_a_list() {
    // The cluster was restored: the server accepts a version that it has not reached, and stays silent (WIRE 0.4).
    let mut reflector = watching();
    assert_eq!(word(reflector.step(Input::Timer, seconds(90)).command.as_ref()), "list 10");
    let step = reflector.step(Input::Failed(error(ErrorCode::TooLargeResourceVersion)), seconds(91));
    assert_eq!(word(step.command.as_ref()), "list newest");
    let step = reflector.step(page(&[Thing("a", "2")], "5", ""), seconds(92));
    assert_eq!(step.call, Some(replace(vec![Thing("a", "2")], "5".into())));
    // And as the versions went back, it was no server without bookmarks.
    reflector.step(Input::Opened, seconds(92));
    assert_eq!(reflector.deadline(), Some(seconds(92 + 90)));
}

#[test]
fn wat_28_watches_without_messages_lead_to_a_list() {
    let mut reflector = watching();
    let mut words = Vec::new();
    for round in 1..=6 {
        reflector.step(bookmark("10"), seconds(round * 2));
        words.push(word(reflector.step(Input::Ended(None), seconds(round * 2)).command.as_ref()));
        reflector.step(Input::Opened, seconds(round * 2));
    }
    assert_eq!(words[..5], ["watch 10"; 5]);
    assert_eq!(words[5], "wait");
    assert_eq!(word(reflector.step(Input::Wake, seconds(20)).command.as_ref()), "list 10");
}

#[test]
fn undecodable_line_leads_to_a_list() {
    let mut reflector = watching();
    let step = reflector.step(Input::Ended(Some(error(ErrorCode::Decode))), seconds(30));
    assert_eq!(word(step.command.as_ref()), "wait");
    assert_eq!(step.report.map(|e| e.code()), Some(ErrorCode::Decode));
    assert_eq!(word(reflector.step(Input::Wake, seconds(30)).command.as_ref()), "list 10");
}

#[test]
fn event_without_a_version_keeps_the_last_one() {
    let mut reflector = watching();
    reflector.step(added("a", ""), T0);
    reflector.step(bookmark("0"), T0);
    assert_eq!(reflector.last_sync_resource_version(), "10");
}

#[test]
fn busy_watch_is_cut_after_its_timeout() {
    let mut reflector = watching();
    for second in (0..600).step_by(30) {
        reflector.step(bookmark("12"), seconds(second));
    }
    let due = reflector.deadline().expect("a deadline");
    assert!((seconds(310)..seconds(610)).contains(&due), "{due:?}");
}

#[test]
fn bko_04_backoff_grows_through_an_outage_and_resets_after_half_a_minute_of_events() {
    let mut reflector = watching();
    let mut now = seconds(10);
    reflector.step(Input::Ended(Some(error(ErrorCode::Network))), now);
    let mut waits = Vec::new();
    for _ in 0..8 {
        reflector.step(Input::Failed(error(ErrorCode::Network)), now);
        let until = reflector.next_attempt().expect("waiting");
        waits.push(until.checked_sub(now).unwrap().as_secs_f64());
        now = until;
        reflector.step(Input::Timer, now);
    }
    assert!(waits[0] < 1.6 && waits[7] >= 30.0, "{waits:?}");
    // An accepted watch alone is no evidence of health: a server that accepts and drops watches would cause a tight
    // loop.
    reflector.step(page(&[], "10", ""), now);
    reflector.step(Input::Opened, now);
    reflector.step(Input::Ended(Some(error(ErrorCode::Network))), now);
    assert!(reflector.next_attempt().expect("waiting").checked_sub(now).unwrap() >= Duration::from_secs(30));
    // Nor is an event: a cycle that fails behind its first event would be as tight.
    let mut version = 10;
    for (lived, anew) in [(0, false), (29, false), (30, true)] {
        let opened = now;
        reflector.step(Input::Wake, opened);
        reflector.step(page(&[], "10", ""), opened);
        reflector.step(Input::Opened, opened);
        version += 1;
        reflector.step(bookmark(&version.to_string()), opened);
        now = opened + Duration::from_secs(lived);
        reflector.step(in_stream(ErrorCode::Throttled), now);
        let wait = reflector.next_attempt().expect("waiting").checked_sub(now).unwrap();
        assert_eq!(wait < Duration::from_millis(1600), anew, "{wait:?} after {lived} s");
        now += wait;
    }
}

#[test]
fn short_watch_timeout_does_not_shorten_the_silence_timeout() {
    let options = ReflectorOptions { min_watch_timeout: Duration::from_secs(1), ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 3);
    for input in [Input::Start, page(&[], "10", ""), Input::Opened] {
        reflector.step(input, T0);
    }
    for input in [Input::Timer, page(&[], "10", ""), Input::Opened] {
        reflector.step(input, seconds(90));
    }
    assert_eq!(reflector.deadline(), Some(seconds(90 + 180)));
}

#[test]
fn bko_08_krs_16_long_quiet_watch_resets_backoff() {
    let ended = || Input::Ended(Some(error(ErrorCode::Network)));
    for (lived, last, anew) in
        [(121, ended(), true), (121, in_stream(ErrorCode::Internal), true), (119, ended(), false)]
    {
        let mut reflector = waiting_to_watch();
        for _ in 0..6 {
            reflector.step(Input::Wake, T0);
            reflector.step(Input::Failed(error(ErrorCode::Network)), T0);
        }
        reflector.step(Input::Wake, T0);
        reflector.step(page(&[], "10", ""), T0);
        reflector.step(Input::Opened, T0);
        for second in (0..lived).step_by(60) {
            reflector.step(bookmark("10"), seconds(second));
        }
        let now = seconds(lived);
        reflector.step(last, now);
        reflector.step(Input::Failed(error(ErrorCode::Network)), now);
        let wait = reflector.next_attempt().expect("waiting").checked_sub(now).expect("later");
        assert_eq!(wait < Duration::from_secs(4), anew, "{wait:?} after {lived} s");
    }
}

#[test]
fn overdue_watch_without_a_message_is_checked_by_a_list() {
    // Without bookmarks the silence timeout exceeds the duration of a watch; the check must still happen.
    let mut reflector = watching();
    let mut now = T0;
    for round in 0..8 {
        now = reflector.deadline().expect("a deadline");
        let step = reflector.step(Input::Timer, now);
        assert_eq!(word(step.command.as_ref()), "list 10", "round {round}");
        assert_eq!(step.report.map(|e| e.code()), Some(ErrorCode::Timeout));
        reflector.step(page(&[], "10", ""), now);
        reflector.step(Input::Opened, now);
    }
    assert!(reflector.deadline().expect("a deadline").checked_sub(now).unwrap() >= Duration::from_secs(300));
}

#[test]
fn infinite_deadline_never_expires() {
    let never = Duration::MAX;
    let options = ReflectorOptions {
        watch_list: true,
        initial_events_timeout: never,
        min_watch_timeout: never,
        silence_timeout: never,
        open_timeout: never,
        page_timeout: never,
        backoff: BackoffOptions { initial: never, max: never, factor: 2.0 },
        ..ReflectorOptions::default()
    };
    let mut reflector = Reflector::new(options, 3);
    let inputs = [
        (Input::Start, never),
        (Input::Opened, never),
        (added("a", "1"), never),
        (Input::Ended(Some(error(ErrorCode::Decode))), never),
        (page(&[], "10", "c"), never),
        (page(&[], "10", ""), never),
        (Input::Opened, seconds(2 << 30)),
        (in_stream(ErrorCode::Internal), never),
    ];
    for (input, due) in inputs {
        reflector.step(input, T0);
        let deadline = reflector.deadline().expect("every state has one");
        assert!(deadline == due || (deadline < due && due != never), "{deadline:?}");
    }
}

#[test]
fn two_long_watches_without_a_message_are_checked_by_a_list() {
    // On a server without bookmarks, whose watches end before their silence is noticed.
    let mut reflector = watching();
    let ended = |reflector: &mut Reflector<Thing>, second| {
        let mut step = reflector.step(Input::Ended(None), seconds(second));
        if step.command == Some(Command::Probe) {
            step = reflector.step(page(&[], "10", ""), seconds(second));
        }
        reflector.step(Input::Opened, seconds(second));
        word(step.command.as_ref())
    };
    assert_eq!(ended(&mut reflector, 85), "watch 10");
    reflector.step(bookmark("10"), seconds(90));
    assert_eq!(ended(&mut reflector, 170), "watch 10", "a word is a word");
    assert_eq!(ended(&mut reflector, 255), "watch 10");
    assert_eq!(ended(&mut reflector, 340), "list 10");
}

#[test]
fn raised_silence_timeout_resets_when_versions_go_back_and_at_a_bookmark() {
    // A restored cluster looks like a server without bookmarks until a list shows that its versions went back.
    let mut reflector = watching();
    let mut opened = T0;
    for (silence, version) in [(90, "9"), (90, "8"), (90, "7"), (90, "70"), (180, "71"), (360, "71")] {
        let due = opened + Duration::from_secs(silence);
        let deadline = reflector.deadline().expect("watched");
        assert!(deadline == due || silence == 360 && deadline < due, "{silence} {version}");
        assert!(word(reflector.step(Input::Timer, due).command.as_ref()).starts_with("list"), "{silence} {version}");
        reflector.step(page(&[], version, ""), due);
        reflector.step(Input::Opened, due);
        opened = due;
    }
    // And at the first bookmark.
    reflector.step(bookmark("71"), opened);
    assert_eq!(reflector.deadline(), Some(opened + Duration::from_secs(90)));
}

#[test]
fn raised_silence_timeout_resets_when_a_list_shows_missed_events() {
    let mut reflector = watching();
    // Objects older than the watch are no evidence about it, nor are versions that cannot be compared.
    for (items, version, timeout) in [
        (vec![], "10", 180),
        (vec![Thing("a", "9"), Thing("b", "11")], "12", 90),
        (vec![Thing("a", "9"), Thing("b", "12")], "12", 180),
        (vec![Thing("a", "13"), Thing("b", "12")], "13", 90),
        (vec![Thing("a", "14-x")], "13", 180),
    ] {
        let now = reflector.deadline().expect("watched");
        let command = commands(&mut reflector, [Input::Timer], now);
        assert!(command.starts_with("list"), "it said nothing: {command}");
        // Two pages, because the missed object may be on either.
        for input in [page(&items, version, "t"), page(&[], version, ""), Input::Opened] {
            reflector.step(input, now);
        }
        assert_eq!(reflector.deadline(), Some(now + Duration::from_secs(timeout)), "{items:?}");
    }
}

#[test]
fn watches_cut_after_their_first_event_back_off() {
    let mut reflector = watching();
    let mut words = Vec::new();
    for version in ["11", "12", "13", "14", "15", "16"] {
        reflector.step(bookmark(version), T0);
        words.push(word(reflector.step(Input::Ended(None), T0).command.as_ref()));
        reflector.step(Input::Opened, T0);
    }
    assert_eq!(words, ["watch 11", "watch 12", "watch 13", "watch 14", "watch 15", "wait"]);
    assert_eq!(word(reflector.step(Input::Wake, seconds(1)).command.as_ref()), "probe");
    assert_eq!(word(reflector.step(page(&[], "16", ""), seconds(1)).command.as_ref()), "watch 16", "where it was");
    // A watch that stays open shows that watches work.
    reflector.step(Input::Opened, seconds(1));
    reflector.step(bookmark("17"), seconds(2));
    reflector.step(Input::Ended(None), seconds(3));
    reflector.step(Input::Opened, seconds(3));
    reflector.step(bookmark("18"), seconds(3));
    assert_eq!(word(reflector.step(Input::Ended(None), seconds(3)).command.as_ref()), "watch 18");
}
