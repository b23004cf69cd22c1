//! Runtime of an informer: transport, clock and task spawner.

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use crate::clock::Clock;
use crate::transport::Transport;

/// Starts a task on the thread that it is called on.
pub type Spawn = Rc<dyn Fn(LocalBoxFuture<'static, ()>)>;

/// Network, time and tasks. In the browser `fetch`, timers and microtasks; in tests scripts and virtual time.
#[derive(Clone)]
pub struct Runtime {
    /// Sends requests.
    pub transport: Rc<dyn Transport>,
    /// Clock and timers.
    pub clock: Rc<dyn Clock>,
    /// Starts tasks.
    pub spawn: Spawn,
}
