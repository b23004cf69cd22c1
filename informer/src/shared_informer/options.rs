//! Options of an informer.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::error::Result;
use crate::queue::QueueKind;
use crate::reflector::ReflectorOptions;

/// Changes an object before it is cached, to keep less of it (client-go's `TransformFunc`). It must leave key, uid and
/// resourceVersion alone.
///
/// It is called once for each state of each object, and what it makes is what the store, the indexes and the handlers
/// get. An error keeps that state out of the cache and is reported: the state before it stays, also in a relist. A
/// deletion counts whatever it says. If it panics the informer ends.
pub type TransformFunc<T> = Rc<dyn Fn(&mut T) -> Result<()>>;

/// How a [`crate::SharedInformer`] works.
pub struct SharedInformerOptions<T> {
    /// The numbers of the protocol.
    pub reflector: ReflectorOptions,
    /// The order in which changes are applied.
    pub queue: QueueKind,
    /// How often handlers are resynced that do not say otherwise; zero, the default, is never. A resync tells everything
    /// that is cached again, asks the server for nothing, and repairs nothing but a handler's own mistakes.
    pub resync_period: Duration,
    /// What is done to objects before they are cached.
    pub transform: Option<TransformFunc<T>>,
}

impl<T> Default for SharedInformerOptions<T> {
    fn default() -> Self {
        ReflectorOptions::default().into()
    }
}

impl<T> From<ReflectorOptions> for SharedInformerOptions<T> {
    fn from(reflector: ReflectorOptions) -> Self {
        Self { reflector, queue: QueueKind::default(), resync_period: Duration::ZERO, transform: None }
    }
}

impl<T> Clone for SharedInformerOptions<T> {
    fn clone(&self) -> Self {
        let (reflector, transform) = (self.reflector.clone(), self.transform.clone());
        Self { reflector, transform, queue: self.queue, resync_period: self.resync_period }
    }
}

impl<T> fmt::Debug for SharedInformerOptions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerOptions")
            .field("reflector", &self.reflector)
            .field("queue", &self.queue)
            .field("resync_period", &self.resync_period)
            .field("transform", &self.transform.is_some())
            .finish()
    }
}
