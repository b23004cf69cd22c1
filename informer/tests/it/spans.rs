//! Log output of list, watch and relist.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use informer::transport::scripted::Reply;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use informer::{HandlerOptions, SharedInformerOptions};

use crate::harness::{World, list, send};
use crate::source::{DeliveryLog, empty_source, informer};

/// Subscriber that records each span with its fields, and each event.
#[derive(Clone, Default)]
struct RecordingSubscriber(Arc<Mutex<Vec<String>>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = format!(" {}={value:?}", field.name());
        self.0.push_str(&text);
    }
}

impl Subscriber for RecordingSubscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("informer")
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = span.metadata().name().to_owned();
        span.record(&mut Fields(&mut text));
        let mut written = self.0.lock().expect("not poisoned");
        written.push(text);
        Id::from_u64(written.len() as u64)
    }
    fn event(&self, event: &Event<'_>) {
        let mut text = event.metadata().level().to_string();
        event.record(&mut Fields(&mut text));
        self.0.lock().expect("not poisoned").push(text);
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn listed_watched_and_relisted() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["error@500"]);
    world.settle();
    world.transport.reply(Reply::json(list(20, &["n/a@1"])));
    let _next = world.watch();
    world.retry(&pods);
}

#[test]
fn list_watch_and_relist_have_spans_that_contain_their_errors() {
    let written = RecordingSubscriber::default();
    tracing::subscriber::with_default(written.clone(), || {
        // Whether a span has a subscriber is cached for the whole process at its first use, and other tests without a
        // subscriber may use it at the same time. After the first round all spans have been used.
        listed_watched_and_relisted();
        tracing::callsite::rebuild_interest_cache();
        written.0.lock().expect("not poisoned").clear();
        listed_watched_and_relisted();
    });
    let written = written.0.lock().expect("not poisoned");
    let begins = |start: &str| written.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((begins("list source"), begins("relist source"), begins("watch source")), (1, 1, 2), "{written:#?}");
    assert!(written.iter().any(|line| line.starts_with("WARN") && line.contains("no more")), "{written:#?}");
    assert!(written[0].contains(r#"source="/api/v1/pods" version="0""#), "{written:#?}");
}

/// A handler that is added with a resync period gets it, or one that the informer can check.
fn resynced_each(world: &World, requested: u64) {
    let resync_period = Duration::from_secs(60);
    let informer = informer(world, SharedInformerOptions { resync_period, ..SharedInformerOptions::default() });
    empty_source().run(world, &informer);
    let resync_period = Some(Duration::from_secs(requested));
    let options = HandlerOptions { resync_period, ..HandlerOptions::default() };
    informer.add_event_handler_with_options(DeliveryLog::default(), options).expect("not stopped");
}

#[test]
fn a_resync_period_that_was_changed_is_a_warning() {
    let (written, world) = (RecordingSubscriber::default(), World::new());
    let warnings = tracing::subscriber::with_default(written.clone(), || {
        resynced_each(&world, 30);
        tracing::callsite::rebuild_interest_cache();
        [60, 30].map(|requested| {
            written.0.lock().expect("not poisoned").clear();
            resynced_each(&world, requested);
            let lines = written.0.lock().expect("not poisoned");
            lines.iter().filter(|line| line.contains("resync period was changed")).cloned().collect::<Vec<_>>()
        })
    });
    assert_eq!(warnings[0], Vec::<String>::new());
    assert!(warnings[1].len() == 1 && warnings[1][0].contains("30s") && warnings[1][0].contains("60s"), "{warnings:?}");
}
