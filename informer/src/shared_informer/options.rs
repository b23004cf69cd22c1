//! Options of an informer.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::error::Result;
use crate::queue::QueueKind;
use crate::reflector::ReflectorOptions;

/// Changes an object before it is cached, to store less of it (client-go's `TransformFunc`). It must not change key,
/// uid and resourceVersion.
///
/// It is called once for each state of each object, and its result goes to the store, the indexes and the handlers. An
/// error is reported and keeps that state out of the cache; the previous state stays, also in a relist. A deletion
/// takes effect regardless of its result. A panic ends the informer.
pub type TransformFunc<T> = Rc<dyn Fn(&mut T) -> Result<()>>;

/// Options of a [`crate::SharedInformer`].
pub struct SharedInformerOptions<T> {
    /// Limits and intervals of the reflector.
    pub reflector: ReflectorOptions,
    /// The order in which changes are applied.
    pub queue: QueueKind,
    /// Default resync period of handlers. Zero, the default, disables resyncs. A resync delivers all cached objects
    /// again. It sends no request, and repairs only a handler's own mistakes.
    pub resync_period: Duration,
    /// Transform of objects before they are cached.
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
