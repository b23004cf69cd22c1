//! Timers of a page: one for the next frame, one for the next change of a view, however much happens.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::transport::scripted::Reply;
use informer_engine::message::{InformerOptions, ToEngine, ViewOptions};

use super::{Page, change};
use crate::harness::{Feed, list, send};

/// Clock that counts its sleeps.
struct CountingClock {
    inner: Rc<dyn Clock>,
    sleeps: Rc<Cell<usize>>,
}

impl Clock for CountingClock {
    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn unix_ms(&self) -> f64 {
        self.inner.unix_ms()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.sleeps.set(self.sleeps.get() + 1);
        self.inner.sleep(duration)
    }

    fn seed(&self) -> u64 {
        self.inner.seed()
    }
}

/// Opens a page with a view of a pod. Returns also the count of its sleeps.
fn page() -> (Page, Feed, Rc<Cell<usize>>) {
    let sleeps = Rc::<Cell<usize>>::default();
    let count = Rc::clone(&sleeps);
    let page = Page::with_clock(|http, _| http, |inner| Rc::new(CountingClock { inner, sleeps: count }));
    page.world.clock.advance(Duration::from_secs(1_000));
    let born = r#""uid-a","creationTimestamp":"1970-01-01T00:10:00Z""#;
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"]).replace(r#""uid-a""#, born)));
    let feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    page.received();
    (page, feed, sleeps)
}

#[test]
fn view_with_a_due_change_has_one_timer() {
    let (page, _feed, _) = page();
    page.send(change(2, "age<30d"));
    page.received();
    let before = page.world.clock.sleepers();
    for days in 1..20 {
        page.send(change(2 + days, &format!("age<{days}d")));
        page.received();
    }
    assert!(page.world.clock.sleepers() <= before, "{} timers, {before} before", page.world.clock.sleepers());
}

#[test]
fn view_that_changes_in_days_has_no_earlier_timer() {
    let (page, feed, sleeps) = page();
    page.send(change(2, "age<30d"));
    page.received();
    send(&feed, &["bookmark@11"]);
    page.received();
    sleeps.set(0);
    page.world.pass(Duration::from_secs(20));
    assert!(sleeps.get() < 20, "{} sleeps in twenty seconds", sleeps.get());
}

#[test]
fn changes_in_one_frame_share_a_timer() {
    let (page, feed, _) = page();
    let before = page.world.clock.sleepers();
    for version in 20..70 {
        send(&feed, &[&format!("~n/a@{version}")]);
        page.world.settle();
    }
    assert!(page.world.clock.sleepers() <= before + 5, "{} timers, {before} before", page.world.clock.sleepers());
}
