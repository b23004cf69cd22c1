//! Lists in transit: page by page, slow, and repeated.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorCode, HandlerOptions, Object, ReflectorOptions, SharedInformer,
    SharedInformerOptions, TransformFunc,
};

use crate::harness::{Log, World, cached, errors, list, page, send};

/// A world in which first lists are shown page by page, and its pods with a handler from the start.
fn by_page() -> (World, SharedInformer<Object>, Log) {
    let options = ReflectorOptions { consistent_lists: true, populate_by_page: true, ..ReflectorOptions::default() };
    let world = World::with(options);
    let pods = world.pods();
    let log = Log::default();
    pods.add_event_handler(log.clone()).expect("not stopped");
    (world, pods, log)
}

#[test]
fn pages_of_the_first_list_are_shown_as_they_come_and_synced_comes_with_the_last() {
    let (world, pods, log) = by_page();
    let mut feeds: Vec<_> = (0..3).map(|_| world.watch()).collect();
    world.watch();
    world.settle();
    let mut give = |body: String| {
        let feed = feeds.remove(0);
        feed.unbounded_send(Ok(body.into_bytes())).expect("open");
        drop(feed);
        world.settle();
    };
    give(page(9, &["n/a@1", "n/b@7"], "t"));
    assert_eq!(
        (cached(&pods), log.take()),
        (vec!["n/a@1".into(), "n/b@7".into()], vec!["+n/a@1!".into(), "+n/b@7!".into()])
    );
    // The incomplete list is no basis for a watch or a reader.
    assert!(!pods.has_synced() && pods.indexer().resource_version().is_empty(), "{:?}", pods.status());
    assert_eq!((pods.status().listed, pods.status().objects), (2, 2));
    give(page(9, &["n/c@3"], "u"));
    assert_eq!(log.take(), ["+n/c@3!"]);
    // A handler that is added in between receives the cached objects, and is not synced either.
    let late = Log::default();
    let registration = pods.add_event_handler(late.clone()).expect("not stopped");
    world.settle();
    assert_eq!((late.take().len(), registration.has_synced()), (3, false));
    give(page(9, &["n/d@4"], ""));
    assert_eq!(
        (log.take(), late.take()),
        (vec!["+n/d@4!".into(), "synced".into()], vec!["+n/d@4!".into(), "synced".into()])
    );
    assert!(pods.has_synced() && registration.has_synced());
    assert_eq!(
        (pods.indexer().resource_version().to_owned(), pods.status().resource_version),
        ("9".into(), "9".into())
    );
    assert_eq!(world.requests().last().map(String::as_str), Some("watch pods resourceVersion=9"));
}

#[test]
fn a_first_list_that_breaks_off_leaves_what_came_and_the_next_tells_the_difference() {
    let (world, pods, log) = by_page();
    world.transport.reply(Reply::json(page(9, &["n/a@1", "n/b@2"], "t")));
    world.transport.reply(Reply::Refused);
    world.settle();
    assert_eq!((cached(&pods), log.take().len(), pods.has_synced()), (vec!["n/a@1".into(), "n/b@2".into()], 2, false));
    let kept = Arc::clone(pods.indexer().get_by_key("n/b").expect("there"));
    // Meanwhile a was deleted and c created; the difference is delivered when the list is complete.
    world.transport.reply(Reply::json(page(20, &["n/b@2"], "t")));
    let feed = world.watch();
    world.watch();
    world.retry(&pods);
    assert_eq!((log.take(), pods.status().listed), (Vec::<String>::new(), 1));
    feed.unbounded_send(Ok(page(20, &["n/c@11"], "").into_bytes())).expect("open");
    drop(feed);
    world.settle();
    assert_eq!(log.take(), ["-n/a@1?", "+n/c@11!", "synced"]);
    assert!(Arc::ptr_eq(&kept, pods.indexer().get_by_key("n/b").expect("there")), "the instance stays");
    assert!(pods.has_synced());
}

#[test]
fn a_relist_is_never_shown_by_halves() {
    let (world, pods, log) = by_page();
    world.transport.reply(Reply::json(page(9, &["n/a@1"], "")));
    let feed = world.watch();
    world.settle();
    log.take();
    send(&feed, &["error@410"]);
    world.transport.reply(Reply::json(page(20, &["n/b@12"], "t")));
    let second = world.watch();
    world.settle();
    world.retry(&pods);
    assert_eq!((cached(&pods), log.take()), (vec!["n/a@1".into()], vec![]));
    second.unbounded_send(Ok(page(20, &["n/c@13"], "").into_bytes())).expect("open");
    drop(second);
    world.settle();
    assert_eq!(log.take(), ["-n/a@1?", "+n/b@12", "+n/c@13"]);
}

#[test]
fn a_relist_gives_back_what_is_cached_and_transforms_it_no_second_time() {
    let world = World::new();
    let transformed = Rc::new(Cell::new(0));
    let count = Rc::clone(&transformed);
    let transform: TransformFunc<Object> = Rc::new(move |_| {
        count.set(count.get() + 1);
        Ok(())
    });
    let options = SharedInformerOptions { transform: Some(transform), ..SharedInformerOptions::default() };
    world.transport.reply(Reply::json(list(10, &["n/a@1", "n/b@2", "n/c@3"])));
    let feed = world.watch();
    let pods = world.pods_with(options);
    world.settle();
    let before: Vec<Arc<Object>> =
        ["n/a", "n/b"].map(|key| pods.indexer().get_by_key(key).cloned().expect("there")).into();
    assert_eq!(transformed.get(), 3);
    send(&feed, &["error@410"]);
    world.transport.reply(Reply::json(list(20, &["n/a@1", "n/b@2", "n/c@13", "n/d@14"])));
    world.watch();
    world.settle();
    world.retry(&pods);
    assert_eq!(cached(&pods), ["n/a@1", "n/b@2", "n/c@13", "n/d@14"]);
    for known in before {
        assert!(Arc::ptr_eq(&known, pods.indexer().get(&known).expect("there")), "{}", known.json());
    }
    assert_eq!(transformed.get(), 5, "c and d are new states, a and b are not");
}

#[test]
fn a_page_that_keeps_coming_is_waited_for_and_a_silent_one_is_not() {
    let world = World::new();
    let feed = world.watch();
    let pods = world.pods();
    let (_observer, errors) = errors(&pods);
    world.settle();
    // Five minutes in all: far beyond the minute that a page may be silent for.
    let body = list(10, &["n/a@1"]);
    let pieces: Vec<_> = body.as_bytes().chunks(body.len() / 6).collect();
    for piece in &pieces {
        world.pass(Duration::from_secs(50));
        feed.unbounded_send(Ok(piece.to_vec())).expect("open");
        world.settle();
    }
    drop(feed);
    let _watch = world.watch();
    world.settle();
    assert_eq!((cached(&pods), errors.take()), (vec!["n/a@1".into()], vec![]));

    let world = World::new();
    let feed = world.watch();
    let pods = world.pods();
    let (_observer, errors) = crate::harness::errors(&pods);
    world.pass(Duration::from_secs(50));
    feed.unbounded_send(Ok(b"{".to_vec())).expect("open");
    world.pass(Duration::from_secs(59));
    assert_eq!(errors.take(), vec![]);
    world.pass(Duration::from_secs(2));
    assert_eq!(errors.take().iter().map(informer::InformerError::code).collect::<Vec<_>>(), [ErrorCode::Timeout]);
    assert!(feed.is_closed(), "what is given up is aborted");
}

/// Records the number of changes of each batch, its version, and whether it is of a list.
#[derive(Clone, Default)]
struct Batches(Rc<RefCell<Vec<(usize, String, bool)>>>);

impl ChangeBatchHandler<Object> for Batches {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        self.0.borrow_mut().push((batch.changes.len(), batch.resource_version.clone(), batch.relist));
    }
}

#[test]
fn each_page_of_the_first_list_is_a_batch_of_a_list() {
    let (world, pods, _log) = by_page();
    let batches = Batches::default();
    pods.add_batch_handler(batches.clone(), HandlerOptions::default()).expect("not stopped");
    for answer in [page(9, &["n/a@1", "n/b@7"], "t"), page(9, &["n/c@3"], "u"), page(9, &["n/d@4"], "")] {
        world.transport.reply(Reply::json(answer));
    }
    let feed = world.watch();
    world.settle();
    send(&feed, &["~n/a@10", "~n/b@11"]);
    world.settle();
    let batches = batches.0.take();
    assert!(batches.iter().take(batches.len() - 1).all(|(_, _, relist)| *relist), "{batches:?}");
    assert_eq!(batches.last(), Some(&(2, "11".to_owned(), false)));
}
