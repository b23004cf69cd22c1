//! Filtering handler: receives only the objects that pass a filter (client-go's `FilteringResourceEventHandler`).

use std::sync::Arc;

use super::handler::ResourceEventHandler;

/// client-go's `FilteringResourceEventHandler`: its handler sees only the objects that pass the filter.
///
/// An update after which an object passes becomes an addition, never one of the initial list. An update after which it
/// no longer passes becomes a deletion of the last state that passed. The filter also tests old states, so its result
/// must depend on the object alone.
///
/// ```
/// # use std::{cell::Cell, rc::Rc, sync::Arc};
/// # use informer::{FilteringResourceEventHandler, Keyed, Object, ResourceEventHandler, KubeObject};
/// struct Count(Rc<Cell<u32>>);
/// impl ResourceEventHandler<Object> for Count {
///     fn on_add(&mut self, _: &Arc<Object>, _: bool) {
///         self.0.set(self.0.get() + 1);
///     }
/// }
/// let count = Rc::new(Cell::new(0));
/// let mut shop = FilteringResourceEventHandler::new(|object: &Object| object.namespace() == "shop", Count(count.clone()));
/// # for json in [r#"{"metadata":{"name":"a","namespace":"shop"}}"#, r#"{"metadata":{"name":"a"}}"#] {
/// #     shop.on_add(&Arc::new(Object::from_json(json, None)?), false);
/// # }
/// # assert_eq!(count.get(), 1);
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FilteringResourceEventHandler<F, H> {
    filter: F,
    handler: H,
}

impl<F, H> FilteringResourceEventHandler<F, H> {
    /// Creates a handler that forwards the objects that pass `filter`.
    pub fn new(filter: F, handler: H) -> Self {
        Self { filter, handler }
    }
}

impl<T, F: Fn(&T) -> bool, H: ResourceEventHandler<T>> ResourceEventHandler<T> for FilteringResourceEventHandler<F, H> {
    fn on_add(&mut self, object: &Arc<T>, is_in_initial_list: bool) {
        if (self.filter)(object) {
            self.handler.on_add(object, is_in_initial_list);
        }
    }

    fn on_update(&mut self, old: &Arc<T>, new: &Arc<T>) {
        match ((self.filter)(old), (self.filter)(new)) {
            (true, true) => self.handler.on_update(old, new),
            (false, true) => self.handler.on_add(new, false),
            (true, false) => self.handler.on_delete(old, false),
            (false, false) => {}
        }
    }

    fn on_delete(&mut self, object: &Arc<T>, final_state_unknown: bool) {
        if (self.filter)(object) {
            self.handler.on_delete(object, final_state_unknown);
        }
    }

    fn on_synced(&mut self) {
        self.handler.on_synced();
    }
}
