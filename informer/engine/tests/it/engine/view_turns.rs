//! View opening: latency in turns of the event loop, idle and under load.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures::channel::oneshot;
use informer_engine::message::{FromEngine, ToEngine, ViewOptions};

use super::Page;
use super::views::TurnClock;

/// Number of turns after which a view opens, if `between` runs before each.
fn turns_until_it_opens(between: impl Fn(&Page)) -> usize {
    let waiting = Rc::<RefCell<VecDeque<oneshot::Sender<()>>>>::default();
    let turns = Rc::clone(&waiting);
    let page = Page::with_clock(|http, _| http, |inner| Rc::new(TurnClock { inner, waiting }));
    let one_turn = || {
        page.world.settle();
        let next = turns.borrow_mut().pop_front();
        next.map(|turn| {
            let _ = turn.send(());
            page.world.settle();
        })
    };
    let _feed = page.pods(&["n/a@1", "n/b@2"]);
    while one_turn().is_some() {}
    page.inbox.take();
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    for turn in 1..200 {
        between(&page);
        one_turn().expect("it waits for a turn");
        if page.inbox.take().iter().any(|message| matches!(message, FromEngine::Columns { view: 5, .. })) {
            return turn;
        }
    }
    panic!("messages keep it from opening");
}

#[test]
fn a_view_opens_after_three_turns_without_a_message() {
    assert_eq!(turns_until_it_opens(|_| {}), 3);
}

#[test]
fn messages_delay_a_view_by_fifty_turns_at_most() {
    assert_eq!(turns_until_it_opens(|page| page.send(ToEngine::Visible { visible: false })), 53);
}
