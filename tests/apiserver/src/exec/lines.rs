//! attach to a container without stdin: its output, from now on.

use super::session::{Ended, Failure};
use super::terminal::Terminal;
use crate::log::Tail;

/// Copies the output of a container until it ends.
pub(super) async fn copy(mut tail: Tail, terminal: &mut Terminal) -> Ended {
    while let Some(bytes) = tail.next().await {
        match bytes {
            Ok(bytes) => terminal.out(&bytes).await,
            Err(error) => return Err(Failure::Container(format!("error attaching to container: {error}"))),
        }
    }
    Ok(0)
}
