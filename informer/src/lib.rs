//! client-go's informer machinery in Rust: natively, and compiled to WebAssembly in the browser.
//!
//! A [`SharedInformer`] lists a resource of an apiserver, watches it from there on, keeps its objects in an indexed cache
//! and notifies handlers of changes; its documentation has the guarantees. A [`SharedInformerFactory`] returns the same
//! informer to all users of the same resource, scope and selectors. The crate is client-go's `tools/cache`; the crate
//! `informer-engine` serves pages with it.
//!
//! A [`Runtime`] provides network, clock and tasks: `fetch` and timers in the browser (`transport::fetch`,
//! `clock::browser`), reqwest and tokio natively (feature `native`), scripts and virtual time in tests (feature
//! `testing`), as here:
//!
//! ```
//! use std::rc::Rc;
//! use futures::{executor::LocalPool, task::LocalSpawnExt};
//! use informer::clock::virtual_time::VirtualClock;
//! use informer::transport::scripted::{Reply, ScriptedTransport};
//! use informer::{InformerOptions, Object, ReflectorOptions, Runtime, SharedInformerFactory};
//!
//! let transport = ScriptedTransport::new();
//! transport.reply(Reply::json(
//!     r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},
//!         "items":[{"metadata":{"name":"web","namespace":"shop","resourceVersion":"5"}}]}"#,
//! ));
//! let mut pool = LocalPool::new();
//! let spawner = pool.spawner();
//! let runtime = Runtime {
//!     transport: Rc::new(transport),
//!     clock: Rc::new(VirtualClock::new()),
//!     spawn: Rc::new(move |task| spawner.spawn_local(task).expect("the pool lives")),
//! };
//!
//! let factory = SharedInformerFactory::<Object>::new(runtime, ReflectorOptions::default());
//! let (_key, pods) = factory.for_resource("v1/pods".parse()?, InformerOptions::default())?;
//! factory.start();
//! pool.run_until_stalled();
//!
//! assert!(pods.has_synced());
//! let web = pods.lister().namespace("shop").get("web")?;
//! assert!(web.json().starts_with(r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web""#));
//! # Ok::<(), informer::InformerError>(())
//! ```

mod api_status;
mod backoff;
mod cache_sync;
mod cell;
pub mod clock;
pub mod cluster;
mod controller;
pub mod deadlines;
mod decoder;
#[cfg(feature = "delta-fifo")]
mod delta_fifo;
mod discovery;
mod error;
mod field_selector;
mod freshness;
mod indexer;
mod informer_options;
mod json_path;
mod key;
mod label_selector;
mod list;
pub mod list_watch;
mod lister;
mod metrics;
mod monomorphize;
mod object;
mod packer;
mod phase;
mod processor;
mod protobuf;
mod queue;
mod real_fifo;
pub mod reflector;
mod resource;
pub mod rows;
mod runtime;
mod shared_informer;
mod shared_informer_factory;
mod sorted;
mod status;
pub mod syntax_error;
mod time;
mod trace;
mod transform;
pub mod transport;
mod watch;
pub mod workqueue;

pub use backoff::{Backoff, BackoffOptions};
pub use cache_sync::{CacheSync, Unsynced, wait_for_cache_sync};
pub use cell::{Cell, ReadCells};
pub use cluster::ClusterIdentity;
pub use controller::{Change, ChangeBatch};
pub use decoder::LineDecoder;
#[cfg(feature = "delta-fifo")]
pub use delta_fifo::DeltaFifo;
pub use discovery::discover;
pub use error::{ErrorCode, InformerError, Result};
pub use field_selector::{FieldRequirement, FieldSelector};
pub use freshness::Freshness;
pub use indexer::{IndexFunc, Indexer, Indexers, NAMESPACE_INDEX};
pub use informer_options::{InformerMode, InformerOptions};
pub use json_path::JsonPath;
pub use key::{meta_namespace_key, split_meta_namespace_key};
pub use label_selector::{LabelSelector, Labels, Operator, Requirement};
pub use list::ListPage;
pub use list_watch::{Cached, ListOptions, ListerWatcher, ResourceListerWatcher, WatchOptions, WatchStream};
pub use lister::{Lister, NamespaceLister};
pub use metrics::{FactoryMetrics, HandlerMetrics, InformerMetrics, Traffic};
pub use object::{Keyed, KubeObject, LabelSet, Object, Owner, Reading, TypeMeta};
pub use packer::{Carry, Packer, PackerOptions, carry_cells};
pub use phase::Phase;
pub use processor::{
    ChangeBatchHandler, FilteringResourceEventHandler, HandlerOptions, PredicateResourceEventHandler, Registration,
    ResourceEventHandler,
};
pub use protobuf::{LoadProtobuf, load_protobuf_with, provide_protobuf};
pub use queue::{Delta, Popped, Queue, QueueKind};
pub use real_fifo::RealFifo;
pub use reflector::{HistoryEntry, ProtocolStep, Reflector, ReflectorOptions};
pub use resource::{GroupVersionResource, ResourceInfo};
pub use runtime::{Runtime, Spawn};
pub use shared_informer::{
    InformerEvent, Observer, SharedInformer, SharedInformerOptions, TransformFunc, Verdict, WarmStart, WarmUp,
};
pub use shared_informer_factory::{InformerKey, SharedInformerFactory};
pub use status::{ErrorReport, InformerStatus};
pub use time::parse_rfc3339;
pub use transform::{DroppedFields, TransformOptions, provide_transforms};
pub use watch::WatchEvent;
