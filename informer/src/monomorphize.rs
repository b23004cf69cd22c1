//! Forces monomorphization of the informer's generic code for [`Object`] in this crate, so that dependent crates do not
//! compile it again: shorter builds, and 3 KB less in the npm package, where standard library code was duplicated.

use std::time::Duration;

use crate::controller::ChangeBatch;
use crate::error::{ErrorCode, InformerError, Result};
use crate::informer_options::InformerOptions;
use crate::label_selector::LabelSelector;
use crate::object::Object;
use crate::processor::{ChangeBatchHandler, HandlerOptions};
use crate::reflector::ReflectorOptions;
use crate::resource::GroupVersionResource;
use crate::runtime::Runtime;
use crate::shared_informer_factory::SharedInformerFactory;

/// A static is always a codegen root; the linker removes it.
#[allow(dead_code)]
static CODEGEN_ROOT: fn(Runtime, GroupVersionResource) -> Result<()> = uses_all;

struct NoopHandler;

impl ChangeBatchHandler<Object> for NoopHandler {
    fn on_changes(&mut self, _: &ChangeBatch<Object>) {}
}

/// Never called.
fn uses_all(runtime: Runtime, resource: GroupVersionResource) -> Result<()> {
    let error = || InformerError::new(ErrorCode::Aborted, "");
    let factory = SharedInformerFactory::<Object>::new(runtime, ReflectorOptions::default());
    let (key, informer) = factory.for_resource(resource, InformerOptions::default())?;
    factory.start_one(&key);
    drop((factory.informers(), informer.status(), informer.metrics(), informer.history(), informer.traffic()));
    informer.wake();
    informer.others_refused();
    informer.reachable();
    informer.unreachable(error());
    informer.replaced(Duration::ZERO, informer.has_synced() && informer.is_stopped() && informer.is_synced_and_empty());
    informer.set_namespace_missing(informer.take_namespace_due() && informer.has_sent_nothing());
    informer.end_namespace_check(false);
    informer.add_index_funcs(Vec::new())?;
    informer.warm_up(Box::pin(async { None }));
    informer.report(error());
    let registration = informer.add_batch_handler(NoopHandler, HandlerOptions::default())?;
    registration.resume();
    registration.remove();
    let (lister, selector) = (informer.lister().namespace(""), LabelSelector::default());
    drop((lister.list(&selector), lister.get("")?, registration.has_synced()));
    let indexer = informer.indexer();
    drop((indexer.by_index("", "")?, indexer.index_keys("", "")?, indexer.list_index_func_values("")?));
    drop((indexer.get_by_key(""), indexer.list_keys()));
    factory.release(&key);
    Ok(())
}
