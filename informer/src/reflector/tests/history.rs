//! History: the steps for an inspector.

use super::*;

fn described_history(reflector: &Reflector<Thing>) -> String {
    let describe = |entry: &HistoryEntry| {
        let count = if entry.count > 0 { format!(" {}", entry.count) } else { String::new() };
        let code = entry.code.map_or(String::new(), |code| format!(" {}", code.as_str()));
        format!("{}{count}{code}", entry.what.as_str())
    };
    reflector.history().iter().map(describe).collect::<Vec<_>>().join(", ")
}

#[test]
fn steps_are_recorded_in_order_and_events_are_counted() {
    let mut reflector = new();
    reflector.set_epoch(5_000.0);
    let inputs = [
        Input::Start,
        Input::Queued(true),
        Input::Queued(false),
        page(&[Thing("a", "1")], "10", "c"),
        page(&[Thing("b", "1")], "10", ""),
        Input::Opened,
        added("c", "11"),
        added("d", "12"),
        bookmark("12"),
        bookmark("13"),
        added("e", "14"),
        Input::Slept,
        Input::Ended(None),
        page(&[], "9", ""),
        Input::Failed(error(ErrorCode::Forbidden)),
        Input::Stop,
    ];
    for (second, input) in inputs.into_iter().enumerate() {
        reflector.step(input, Duration::from_secs(second as u64));
    }
    let pause = reflector.history().iter().find(|entry| entry.what == ProtocolStep::Pause).expect("it waits").count;
    let expected = format!(
        "list, queued, page 1, page 1, watch, opened, events 2, bookmarks 2, events 1, slept, suspected, ended-early, probe, \
         page, went-back, relist, refused forbidden, pause {pause} forbidden, stopped"
    );
    assert_eq!(described_history(&reflector), expected);
    let burst = reflector.history()[6];
    assert_eq!((burst.at, burst.until), (5_000.0 + 6_000.0, 5_000.0 + 7_000.0));
}

#[test]
fn last_two_hundred_steps_are_kept_beside_the_events_of_a_busy_watch() {
    let mut reflector = watching();
    for _ in 0..100_000 {
        reflector.step(added("a", "11"), T0);
    }
    assert!(described_history(&reflector).ends_with("opened, events 100000"));
    for _ in 0..1_000 {
        reflector.step(bookmark("12"), T0);
        reflector.step(added("a", "11"), T0);
    }
    assert_eq!(reflector.history().len(), 200);
    assert!(size_of::<HistoryEntry>() <= 40, "{}", size_of::<HistoryEntry>());
}

#[test]
fn polling_records_its_reason() {
    assert!(
        described_history(&polling()).contains("watch, refused forbidden, polling 3"),
        "{}",
        described_history(&polling())
    );
    assert!(described_history(&polling()).ends_with(" forbidden"));
}

#[test]
fn an_overdue_message_is_recorded() {
    let mut reflector = watching();
    let due = reflector.deadline().expect("a silence that is due");
    reflector.step(Input::Timer, due);
    assert!(described_history(&reflector).contains("overdue"), "{}", described_history(&reflector));
}
