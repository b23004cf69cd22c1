//! Request timeout that a stalled thread does not trigger: a late timer says nothing about the server.
//!
//! After a stall a browser may run the timer's task before that of a response which arrived long ago. So the time is
//! measured in slices. A slice that ends late shows a stall, and the response gets [`SECOND_LOOK`] more from there, as
//! a silent watch does.

use std::pin::Pin;
use std::time::Duration;

use futures::future::{Either, select};
use informer::Result;
use informer::clock::Clock;
use informer::deadlines::{LATE_TIMER, SECOND_LOOK, SECOND_LOOKS};

/// Length of a slice. A stall that is longer than this and [`LATE_TIMER`] together is always noticed.
const SLICE: Duration = Duration::from_millis(250);

/// Awaits a response; `None` after the timeout.
pub(super) async fn with_timeout(
    clock: &dyn Clock,
    timeout: Duration,
    mut response: Pin<&mut dyn Future<Output = Result<Option<String>>>>,
) -> Option<Result<Option<String>>> {
    let (mut end, mut remaining_looks) = (clock.now().saturating_add(timeout), SECOND_LOOKS);
    loop {
        let due = clock.now().saturating_add(SLICE).min(end);
        let sleep = clock.sleep(due.saturating_sub(clock.now()));
        if let Either::Left((response, _)) = select(response.as_mut(), sleep).await {
            return Some(response);
        }
        let now = clock.now();
        let second_look = now.saturating_add(SECOND_LOOK);
        if now.saturating_sub(due) > LATE_TIMER && second_look > end && remaining_looks > 0 {
            remaining_looks -= 1;
            end = second_look;
        } else if now >= end {
            return None;
        }
    }
}
