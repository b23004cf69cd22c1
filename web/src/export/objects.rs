//! Objects by key, read from the cache in portions, as the text that the server sent.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::cluster::{FollowedObject, Informer};

/// Number of objects that are read at once.
pub(super) const PORTION: usize = 200;

/// Pending requests. Dropping the reader ends them.
pub(super) struct ObjectReader(Rc<RefCell<Vec<FollowedObject>>>);

impl Drop for ObjectReader {
    fn drop(&mut self) {
        close(&self.0);
    }
}

/// Ends the requests in a later task, because a callback that is running must not be dropped.
fn close(objects: &RefCell<Vec<FollowedObject>>) {
    let objects = objects.take();
    wasm_bindgen_futures::spawn_local(async move { drop(objects) });
}

/// Calls back once with the objects, in the order of the keys. Those that were deleted meanwhile are left out.
pub(super) fn read(informer: &Informer, keys: &[String], then: impl FnOnce(Vec<String>) + 'static) -> ObjectReader {
    let texts = Rc::new(RefCell::new(vec![None::<Option<String>>; keys.len()]));
    let remaining = Rc::new(Cell::new(keys.len()));
    let then = Rc::new(RefCell::new(Some(then)));
    let open = Rc::new(RefCell::new(Vec::with_capacity(keys.len())));
    for (at, key) in keys.iter().enumerate() {
        let (texts, remaining, then, pending) =
            (Rc::clone(&texts), Rc::clone(&remaining), Rc::clone(&then), Rc::clone(&open));
        let object = informer.object(key, move |text| {
            if texts.borrow_mut()[at].replace(text).is_some() {
                return;
            }
            remaining.set(remaining.get() - 1);
            if remaining.get() == 0
                && let Some(then) = then.take()
            {
                close(&pending);
                then(texts.take().into_iter().flatten().flatten().collect());
            }
        });
        open.borrow_mut().extend(object);
    }
    ObjectReader(open)
}
