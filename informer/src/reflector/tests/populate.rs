//! The first list, page by page.

use super::*;

fn by_page() -> Reflector<Thing> {
    let options = ReflectorOptions { populate_by_page: true, consistent_lists: true, ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 3);
    reflector.step(Input::Start, T0);
    reflector
}

fn part(items: &[Thing], version: Option<&str>) -> StoreCall<Thing> {
    StoreCall::Populate { items: items.to_vec(), resource_version: version.map(str::to_owned) }
}

#[test]
fn pages_of_the_first_list_are_applied_on_arrival() {
    let mut reflector = by_page();
    let (a, b, c) = (Thing("a", "1"), Thing("b", "2"), Thing("c", "3"));
    assert_eq!(reflector.step(page(&[a, b], "10", "t"), T0).call, Some(part(&[a, b], None)));
    assert_eq!((reflector.staged(), reflector.last_sync_resource_version()), (2, ""));
    assert_eq!(reflector.step(page(&[], "10", "u"), T0).call, Some(part(&[], None)));
    let last = reflector.step(page(&[c], "10", ""), T0);
    assert_eq!(last.call, Some(part(&[c], Some("10"))));
    assert_eq!(word(last.command.as_ref()), "watch 10");
}

#[test]
fn single_page_is_a_complete_list() {
    let a = Thing("a", "1");
    assert_eq!(by_page().step(page(&[a], "10", ""), T0).call, Some(replace(vec![a], "10".into())));
}

#[test]
fn relist_is_staged_until_it_is_complete() {
    let (a, b) = (Thing("a", "1"), Thing("b", "2"));
    let mut reflector = by_page();
    for input in [page(&[a], "10", ""), Input::Opened, in_stream(ErrorCode::Expired)] {
        reflector.step(input, T0);
    }
    reflector.step(Input::Wake, T0);
    assert_eq!(reflector.step(page(&[a], "20", "t"), T0).call, None);
    assert_eq!(reflector.step(page(&[b], "20", ""), T0).call, Some(replace(vec![a, b], "20".into())));
}

#[test]
fn list_after_a_partial_first_list_is_staged() {
    let (a, b) = (Thing("a", "1"), Thing("b", "2"));
    for broken in [ErrorCode::Network, ErrorCode::Expired, ErrorCode::Forbidden] {
        let mut reflector = by_page();
        reflector.step(page(&[a], "10", "t"), T0);
        let step = reflector.step(Input::Failed(error(broken)), T0);
        if broken != ErrorCode::Expired {
            assert_eq!(word(step.command.as_ref()), "wait");
            reflector.step(Input::Wake, T0);
        }
        assert_eq!(reflector.step(page(&[a], "20", "t"), T0).call, None, "{broken:?}");
        assert_eq!(reflector.step(page(&[b], "20", ""), T0).call, Some(replace(vec![a, b], "20".into())));
    }
}

#[test]
fn list_after_a_failure_without_a_page_is_a_first_list() {
    let a = Thing("a", "1");
    let mut reflector = by_page();
    reflector.step(Input::Failed(error(ErrorCode::Network)), T0);
    reflector.step(Input::Wake, T0);
    assert_eq!(reflector.step(page(&[a], "10", "t"), T0).call, Some(part(&[a], None)));
}

#[test]
fn arriving_page_extends_its_deadline_up_to_a_maximum() {
    let mut reflector = by_page();
    let limit = ReflectorOptions::default().page_timeout.as_secs();
    let mut at = 0;
    while at < 9 * limit {
        at += limit - 1;
        assert_eq!(reflector.step(Input::Timer, seconds(at)).command, None, "after {at} s");
        reflector.step(Input::Progress, seconds(at));
    }
    assert_eq!(reflector.deadline(), Some(seconds(10 * limit).min(seconds(at + limit))));
    while at < 10 * limit {
        reflector.step(Input::Progress, seconds(at));
        at += 10;
    }
    assert_eq!(reflector.step(Input::Timer, seconds(10 * limit)).report.map(|e| e.code()), Some(ErrorCode::Timeout));
}

#[test]
fn list_above_the_byte_limit_fails_with_advice() {
    let (a, b, c) = (Thing("a", "1"), Thing("b", "2"), Thing("c", "3"));
    for populate_by_page in [false, true] {
        let options =
            ReflectorOptions { populate_by_page, consistent_lists: true, max_bytes: 20, ..ReflectorOptions::default() };
        let mut reflector = Reflector::new(options, 3);
        reflector.step(Input::Start, T0);
        assert_eq!(
            word(reflector.step(page(&[a, b], "10", "t"), T0).command.as_ref()),
            "page",
            "as much as there may be"
        );
        let step = reflector.step(page(&[c], "10", ""), T0);
        let error = step.report.expect("reported");
        assert_eq!((step.call, error.code(), reflector.phase()), (None, ErrorCode::BadRequest, Phase::Failed));
        assert!(error.message().contains("selector"), "{error}");
        assert_eq!(reflector.deadline(), None, "it is not tried again by itself");
    }
}

#[test]
fn applied_pages_are_not_replaced_by_an_older_state() {
    // At "0" a server may respond with an older state.
    let mut reflector = after([]);
    reflector.options.populate_by_page = true;
    for input in [Input::Start, page(&[Thing("a", "1")], "10", "t")] {
        reflector.step(input, T0);
    }
    let step = reflector.step(Input::Failed(error(ErrorCode::Expired)), T0);
    assert_eq!(word(step.command.as_ref()), "list 10");
}

#[test]
fn list_after_a_stop_is_not_older_than_the_pages_before_it() {
    // Nor after a failure: at "0" a server may respond with an older state.
    let broken = |code| vec![Input::Failed(error(code)), Input::Wake];
    for (end, expected_command) in [
        (vec![Input::Stop, Input::Start], "list 10"),
        (broken(ErrorCode::Network), "list 10"),
        (broken(ErrorCode::Forbidden), "list 10"),
        // The list at once that takes the place of the pages may fail in its turn.
        (
            vec![Input::Failed(error(ErrorCode::Expired)), Input::Failed(error(ErrorCode::Network)), Input::Wake],
            "list 10",
        ),
        // Unless the server no longer has that version, or the cluster was replaced.
        (vec![Input::Stop, Input::Start, Input::Failed(error(ErrorCode::Expired))], "list newest"),
        (vec![Input::Replaced { since: seconds(1), certain: true }], "list newest"),
    ] {
        let mut reflector = after([]);
        reflector.options.populate_by_page = true;
        for input in [Input::Start, page(&[Thing("a", "1")], "10", "t")] {
            reflector.step(input, T0);
        }
        let command = commands(&mut reflector, end, seconds(1));
        assert!(command.ends_with(expected_command), "{command}");
        assert!(!reflector.has_listed(), "a part of a list is none");
        reflector.step(page(&[], "11", ""), seconds(2));
        assert_eq!(reflector.list_version().as_deref(), Some("11"), "the list that is whole counts from now on");
    }
}

#[test]
fn pages_without_a_version_allow_a_list_of_any_version() {
    let mut reflector = after([]);
    reflector.options.populate_by_page = true;
    let inputs = [Input::Start, page(&[Thing("a", "1")], "", "t"), Input::Stop, Input::Start];
    assert_eq!(commands(&mut reflector, inputs, T0), "list 0, page, halt, list 0");
}
