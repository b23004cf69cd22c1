//! Heartbeats that fail and succeed, in each state.

use super::*;

fn unreachable() -> Input<Thing> {
    Input::Unreachable(error(ErrorCode::Timeout))
}

fn code(reflector: &Reflector<Thing>) -> Option<ErrorCode> {
    reflector.last_error().map(InformerError::code)
}

#[test]
fn failed_heartbeat_is_an_error_at_once_in_every_state() {
    for make in [listing, opening, watching, probing, polling, opening_stream, staging] {
        let mut reflector = make();
        let step = reflector.step(unreachable(), seconds(1));
        assert_eq!((step.command, step.call), (None, None), "what is open stays open");
        assert_eq!(step.report.map(|error| error.code()), Some(ErrorCode::Timeout));
        assert_eq!((code(&reflector), reflector.is_polling()), (Some(ErrorCode::Timeout), false));
        assert_eq!(reflector.step(unreachable(), seconds(2)).report, None, "it is told once");
    }
    // A reflector in a pause has an error already, and a stopped one needs none.
    for make in [new, waiting_to_list, waiting_to_watch, stopped, failed] {
        let mut reflector = make();
        let before = code(&reflector);
        assert_eq!(reflector.step(unreachable(), seconds(1)).report, None);
        assert_eq!(code(&reflector), before);
    }
}

#[test]
fn watch_with_a_message_is_live_again_and_a_silent_one_is_resumed() {
    let mut reflector = watching();
    reflector.step(unreachable(), seconds(20));
    assert!(reflector.is_unverified());
    reflector.step(bookmark("11"), seconds(21));
    assert!(!reflector.is_unverified() && reflector.last_error().is_none());

    let mut reflector = watching();
    reflector.step(unreachable(), seconds(20));
    let due = reflector.deadline().expect("suspect");
    assert!((seconds(25)..=seconds(30)).contains(&due), "{due:?}");
    assert_eq!(commands(&mut reflector, [Input::Timer], due), "probe");
    assert_eq!(code(&reflector), Some(ErrorCode::Timeout), "it is not said to catch up");
    // Behind an outage the watch has to catch up.
    assert_eq!(commands(&mut reflector, [page(&[], "60", ""), Input::Opened], due), "watch 10, -");
    assert!(reflector.is_unverified() && reflector.last_error().is_none());
}

#[test]
fn heartbeat_does_not_extend_the_silence_timeout_of_a_busy_watch() {
    for late in [0, 1, 5] {
        let mut reflector = watching();
        for second in 1..=5 {
            reflector.step(added("a", "11"), seconds(second));
        }
        let due = reflector.deadline().expect("busy");
        assert_eq!(due, seconds(15));
        let at = due.saturating_sub(Duration::from_secs(2)).saturating_add(Duration::from_secs(late));
        reflector.step(unreachable(), at);
        assert_eq!(reflector.deadline(), Some(due));
        assert_eq!(commands(&mut reflector, [Input::Timer], due.max(at)), "probe");
        assert_eq!(code(&reflector), Some(ErrorCode::Timeout));
    }
}

#[test]
fn recovered_heartbeat_ends_backoff_and_resumes_silent_watches() {
    let mut reflector = watching();
    reflector.step(unreachable(), seconds(20));
    assert_eq!(commands(&mut reflector, [Input::Reachable], seconds(21)), "probe");
    assert!(reflector.last_error().is_none());
    // Pauses that are unrelated to the server's absence do not end early.
    for (failure, expected) in [
        (ErrorCode::Network, "probe"),
        (ErrorCode::Timeout, "probe"),
        (ErrorCode::Throttled, "-"),
        (ErrorCode::Internal, "-"),
    ] {
        let mut reflector = opening();
        reflector.step(Input::Failed(error(failure)), seconds(1));
        assert_eq!(commands(&mut reflector, [Input::Reachable], seconds(1)), expected, "{failure:?}");
    }
    // Requests that were sent during the outage are sent again.
    for make in [probing, opening] {
        let mut reflector = make();
        assert_eq!(commands(&mut reflector, [Input::Reachable], seconds(2)), "-");
        assert_eq!(commands(&mut reflector, [unreachable(), Input::Reachable], seconds(2)), "-, probe");
    }
    // A polled resource is listed.
    let mut reflector = polling();
    reflector.step(unreachable(), seconds(1));
    assert_eq!(commands(&mut reflector, [Input::Reachable], seconds(2)), "list 10");
}

#[test]
fn bytes_of_a_page_clear_the_error_of_a_heartbeat() {
    let mut reflector = listing();
    reflector.step(unreachable(), seconds(1));
    reflector.step(Input::Progress, seconds(2));
    assert!(reflector.last_error().is_none());
}

#[test]
fn recovered_heartbeat_does_not_end_a_retry_after_pause() {
    let mut reflector = opening();
    reflector.step(unreachable(), seconds(1));
    let busy = error(ErrorCode::Throttled).with_retry_after(seconds(46));
    reflector.step(Input::Failed(busy), seconds(2));
    assert_eq!(commands(&mut reflector, [Input::Reachable], seconds(2)), "-");
    assert_eq!(reflector.last_error().map(InformerError::code), Some(ErrorCode::Throttled));
    // Another cluster is no reason either.
    reflector.step(Input::Replaced { since: seconds(2), certain: true }, seconds(2));
    assert!(reflector.next_attempt() >= Some(seconds(48)), "{:?}", reflector.next_attempt());
}

#[test]
fn recovered_heartbeat_does_not_clear_a_final_error() {
    let mut reflector = listing();
    reflector.step(unreachable(), seconds(1));
    reflector.step(Input::Failed(error(ErrorCode::BadRequest)), seconds(2));
    assert_eq!((reflector.phase(), code(&reflector)), (Phase::Failed, Some(ErrorCode::BadRequest)));
    reflector.step(Input::Reachable, seconds(3));
    assert_eq!(code(&reflector), Some(ErrorCode::BadRequest));
}
