//! Request timeout that a stalled thread does not trigger: a late timer says nothing about the server.
//!
//! After a stall a browser may run the timer's task before that of a response which arrived long ago. So the time is
//! measured in slices: one that ends late shows a stall, and the response gets [`SECOND_LOOK`] from there, as the silence of
//! a watch does.

use std::pin::Pin;
use std::time::Duration;

use futures::future::{Either, select};
use informer::Result;
use informer::clock::Clock;
use informer::deadlines::{LATE_TIMER, SECOND_LOOK, SECOND_LOOKS};

/// Length of a slice. A stall that is longer than this and [`LATE_TIMER`] together is always noticed.
const SLICE: Duration = Duration::from_millis(250);

/// Returns the output of a request, or `None` after the timeout.
pub(super) async fn within(
    clock: &dyn Clock,
    timeout: Duration,
    mut answer: Pin<&mut dyn Future<Output = Result<Option<String>>>>,
) -> Option<Result<Option<String>>> {
    let (mut end, mut looks) = (clock.now().saturating_add(timeout), SECOND_LOOKS);
    loop {
        let due = clock.now().saturating_add(SLICE).min(end);
        let sleep = clock.sleep(due.saturating_sub(clock.now()));
        if let Either::Left((answer, _)) = select(answer.as_mut(), sleep).await {
            return Some(answer);
        }
        let now = clock.now();
        let second_look = now.saturating_add(SECOND_LOOK);
        if now.saturating_sub(due) > LATE_TIMER && second_look > end && looks > 0 {
            looks -= 1;
            end = second_look;
        } else if now >= end {
            return None;
        }
    }
}
