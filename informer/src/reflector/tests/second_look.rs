//! Second look of a request: if its deadline fires late, because the thread was stalled, its response has one more
//! second. The timer's task may run before the task of a response that has arrived.

use super::*;

#[test]
fn request_that_a_stalled_thread_finds_overdue_gets_another_second() {
    let cases = [(opening(), Input::Opened), (probing(), page(&[], "10", "")), (opening_stream(), Input::Opened)];
    for (mut reflector, response) in cases {
        let due = reflector.deadline().expect("a request is in flight");
        let late = due + Duration::from_secs(2);
        assert_eq!(reflector.step(Input::Timer, late), Step::none());
        assert_eq!((reflector.deadline(), reflector.current_error()), (Some(late + Duration::from_secs(1)), None));
        reflector.step(response, late);
        assert_eq!(reflector.current_error(), None);
    }
}

#[test]
fn request_is_overdue_at_once_on_time_and_at_the_second_look() {
    for mut reflector in [opening(), probing(), listing()] {
        let due = reflector.deadline().expect("a request is in flight");
        let late = due + Duration::from_secs(2);
        reflector.step(Input::Timer, late);
        let step = reflector.step(Input::Timer, late + Duration::from_secs(2));
        assert_eq!(step.report.map(|error| error.code()), Some(ErrorCode::Timeout));
    }
    let mut reflector = opening();
    let due = reflector.deadline().expect("a request is in flight");
    assert!(reflector.step(Input::Timer, due + Duration::from_millis(500)).report.is_some());
}
