//! Connection slots of a page, for requests that it sends itself.

use std::rc::Rc;

use super::Inner;
use crate::engine::loading::Deferred;
use informer::Result;

impl Inner {
    /// Requests a slot. It is stored as a pending request, and returned by `cancel` or when the page ends.
    pub(super) fn lease(self: &Rc<Self>, request: u32, stream: bool, deferred: &dyn Deferred) -> Result<()> {
        let (cluster, session) = (self.cluster()?, Rc::downgrade(self));
        let reply = move |result| {
            if let Some(session) = session.upgrade() {
                session.reply(request, result);
            }
        };
        let abort = deferred.lease(&cluster, stream, Box::new(reply));
        self.add_pending(request, abort);
        Ok(())
    }
}
