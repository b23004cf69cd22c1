//! Custom lister-watcher whose lists have no version to watch from.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use futures::stream::{self, StreamExt};
use informer::{
    ErrorCode, Freshness, ListOptions, ListPage, ListerWatcher, Result, SharedInformerOptions, WatchEvent,
    WatchOptions, WatchStream,
};

use crate::harness::World;
use crate::source::{Thing, cached, informer};

/// Source whose lists have the version that a test sets. Its watches begin with all objects, as watches without a
/// version do.
#[derive(Clone)]
struct Unversioned {
    version: Rc<RefCell<&'static str>>,
    things: Rc<RefCell<Vec<Thing>>>,
    requests: Rc<RefCell<Vec<String>>>,
}

impl ListerWatcher for Unversioned {
    type Object = Thing;

    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Thing>>> {
        self.requests.borrow_mut().push(format!("list {}", options.resource_version.as_deref().unwrap_or("newest")));
        let page = ListPage {
            items: self.things.borrow().clone(),
            unchanged: Vec::new(),
            resource_version: (*self.version.borrow()).to_owned(),
            continue_token: String::new(),
            unreadable: Vec::new(),
        };
        ready(Ok(page)).boxed_local()
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Thing>>> {
        self.requests.borrow_mut().push(format!("watch {}", options.resource_version.as_deref().unwrap_or("newest")));
        let events = self.things.borrow().iter().cloned().map(|thing| Ok(WatchEvent::Added(thing))).collect();
        ready(Ok(stream::iter([Ok(events)]).chain(stream::pending()).boxed_local())).boxed_local()
    }
}

#[test]
fn a_source_without_versions_is_listed_from_time_to_time_and_never_watched() {
    for version in ["", "0"] {
        let world = World::new();
        let informer = informer(&world, SharedInformerOptions::default());
        let source = Unversioned {
            version: Rc::new(RefCell::new(version)),
            things: Rc::new(RefCell::new(vec![Thing::new("n/a", 5, 1, ""), Thing::new("n/b", 6, 2, "")])),
            requests: Rc::default(),
        };
        let (running, lister_watcher) = (informer.clone(), source.clone());
        (world.runtime.spawn)(async move { running.run(lister_watcher).await }.boxed_local());
        world.settle();
        let status = informer.status();
        assert!(status.has_synced && status.resource_version.is_empty(), "{status:?}");
        assert_eq!((status.freshness, cached(&informer)), (Freshness::Polling, vec!["n/a@5".into(), "n/b@6".into()]));
        assert_eq!(status.last_error.map(|error| error.code), Some(ErrorCode::Decode));
        // The next list deletes the object that was removed meanwhile.
        source.things.borrow_mut().remove(0);
        world.pass(Duration::from_secs(37));
        assert_eq!(cached(&informer), ["n/b@6"]);
        world.pass(Duration::from_secs(3_600));
        let requests = source.requests.take();
        assert!(
            (100..=121).contains(&requests.len()) && requests.iter().all(|request| request.starts_with("list")),
            "{requests:?}"
        );
        assert_eq!(requests[..2], ["list 0", "list newest"]);
        // The source has versions from now on.
        *source.version.borrow_mut() = "7";
        world.pass(Duration::from_secs(37));
        assert_eq!(source.requests.take(), ["list newest", "watch 7"]);
        assert_eq!((informer.status().freshness, informer.status().last_error), (Freshness::Live, None));
    }
}
