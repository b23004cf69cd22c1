//! Undecodable events about an unknown object.

use super::*;

fn lost() -> Input<Thing> {
    Input::Event(Err(error(ErrorCode::Decode)))
}

/// From a watch whose relist is due, through that list.
fn relist(reflector: &mut Reflector<Thing>, now: Duration) {
    assert_eq!(reflector.deadline(), Some(now));
    assert!(commands(reflector, [Input::Timer], now).starts_with("list "));
    let inputs = [page(&[], "20", ""), Input::Opened];
    assert_eq!(commands(reflector, inputs, now), "watch 20, -");
    assert!(reflector.last_error().is_none());
}

#[test]
fn undecodable_event_leads_to_a_list_and_is_stale_until_then() {
    let mut reflector = watching();
    assert_eq!(commands(&mut reflector, [lost(), added("a", "11"), lost()], seconds(10)), "-, -, -");
    assert_eq!(reflector.last_error().map(InformerError::code), Some(ErrorCode::Decode));
    relist(&mut reflector, seconds(10));
    assert_eq!((reflector.metrics().dropped, reflector.metrics().relists), (2, 1));
    assert_eq!(reflector.deadline(), Some(seconds(10 + 90)), "and all is as before");
}

#[test]
fn lists_for_undecodable_events_back_off() {
    let options = ReflectorOptions { silence_timeout: Duration::from_secs(3_600), ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 1);
    commands(&mut reflector, [Input::Start, page(&[], "10", ""), Input::Opened], seconds(0));
    let mut at = Vec::new();
    let mut now = seconds(0);
    for _ in 0..8 {
        reflector.step(lost(), now);
        now = reflector.deadline().expect("a list is owed");
        relist(&mut reflector, now);
        at.push(now.saturating_sub(T0).as_secs());
        now += Duration::from_secs(1);
    }
    assert_eq!(at, [0, 10, 30, 70, 150, 310, 610, 910]);
    // Ten minutes after the earliest time of the next list, the pauses are reset.
    let calm = seconds(910 + 300 + 600);
    commands(&mut reflector, [added("a", "21"), Input::Ended(None), Input::Opened, lost()], calm);
    relist(&mut reflector, calm);
    reflector.step(lost(), calm);
    assert_eq!(reflector.deadline(), Some(calm + Duration::from_secs(10)));
}

#[test]
fn list_stays_due_while_the_watch_is_resumed() {
    let mut reflector = watching();
    reflector.step(lost(), seconds(0));
    relist(&mut reflector, seconds(0));
    reflector.step(lost(), seconds(2));
    let inputs = [added("a", "21"), Input::Ended(None), Input::Opened];
    assert_eq!(commands(&mut reflector, inputs, seconds(3)), "-, watch 21, -");
    assert!(reflector.last_error().is_some(), "it is as stale as before");
    relist(&mut reflector, seconds(10));
}

#[test]
fn list_for_another_reason_satisfies_the_due_one() {
    let mut reflector = watching();
    reflector.step(lost(), seconds(0));
    relist(&mut reflector, seconds(0));
    reflector.step(lost(), seconds(2));
    reflector.step(in_stream(ErrorCode::Expired), seconds(3));
    let inputs = [Input::Timer, page(&[], "30", ""), Input::Opened];
    assert_eq!(commands(&mut reflector, inputs, seconds(9)), "list 20, watch 30, -");
    assert_eq!(reflector.deadline(), Some(seconds(9 + 90)));
}

#[test]
fn paged_list_after_an_undecodable_event_requests_the_newest() {
    for input in [lost, || in_stream(ErrorCode::Decode), || Input::Ended(Some(error(ErrorCode::Decode)))] {
        let options = ReflectorOptions { page_size: Some(10), ..ReflectorOptions::default() };
        let mut reflector = Reflector::new(options, 1);
        commands(&mut reflector, [Input::Start, page(&[], "10", ""), Input::Opened], seconds(0));
        reflector.step(added("a", "11"), seconds(1));
        reflector.step(input(), seconds(2));
        let due = reflector.deadline().expect("a list is due");
        assert_eq!(commands(&mut reflector, [Input::Timer], due), "list newest");
    }
}

#[test]
fn undecodable_event_of_a_named_object_leads_to_no_list() {
    let mut reflector = watching();
    let step = reflector.step(Input::Event(Err(error(ErrorCode::Decode).with_object("n/a"))), seconds(10));
    assert!(step.report.is_some());
    assert_eq!((reflector.last_error(), reflector.metrics().dropped), (None, 1));
    assert_eq!(reflector.deadline(), Some(seconds(10 + 90)));
}

#[test]
fn undecodable_initial_event_leads_to_a_list_after_the_streaming_list() {
    let mut reflector = staging();
    reflector.step(lost(), seconds(1));
    assert_ne!(reflector.deadline(), Some(seconds(1)), "it is gone on with");
    assert_eq!(commands(&mut reflector, [end_bookmark("3")], seconds(2)), "-");
    assert!(reflector.last_error().is_some());
    assert_eq!(commands(&mut reflector, [Input::Timer], seconds(2)), "stream 3");
    // One that never ends is still one that never ends.
    let mut reflector = staging();
    reflector.step(lost(), seconds(1));
    let due = reflector.deadline().expect("its end is due");
    assert_eq!(commands(&mut reflector, [Input::Timer], due), "list 0");
}
