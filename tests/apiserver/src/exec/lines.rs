//! Output of an attached container whose stdin is not connected: a stream of its lines from now on.

use super::session::{Failure, ProcessResult};
use super::terminal::Terminal;
use crate::log::Tail;

/// Copies the output of a container until it ends.
pub(super) async fn copy(mut tail: Tail, terminal: &mut Terminal) -> ProcessResult {
    while let Some(bytes) = tail.next().await {
        match bytes {
            Ok(bytes) => terminal.copy(bytes).await,
            Err(error) => return Err(Failure::Container(format!("error attaching to container: {error}"))),
        }
    }
    Ok(0)
}
