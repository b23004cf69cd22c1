//! Page headers: the headers of a user, which a page provides for each request. Only the page can renew a token, and a worker
//! cannot call its function, so the engine asks by message. Deferred code.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::{Either, LocalBoxFuture, select};
use informer::clock::Clock;
use informer::transport::user_headers::{HeaderSource, UserHeaders};
use informer::{ErrorCode, InformerError, Result};

use super::header_pages::HeaderPages;
use crate::message::FromEngine;

/// Time limit of a page's answer. It may have to log the user in again, without a dialog.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Time limit of a page's answer while another one can be asked.
const TURN: Duration = Duration::from_secs(2);

type Send = Rc<dyn Fn(FromEngine)>;

/// Pages that provide the headers of one user.
pub(super) struct PageHeaders {
    clock: Rc<dyn Clock>,
    /// Sessions and their ports. The last one is asked first.
    pages: RefCell<Vec<(u32, Send)>>,
    pending: RefCell<Vec<Pending>>,
    last_request: Cell<u32>,
}

/// Question that a page has not answered yet.
struct Pending {
    request: u32,
    session: u32,
    answer: oneshot::Sender<Result<UserHeaders>>,
}

impl PageHeaders {
    pub(super) fn new(clock: Rc<dyn Clock>) -> Self {
        let (pages, pending, last_request) = Default::default();
        Self { clock, pages, pending, last_request }
    }

    /// The last page that is not among these.
    fn next(&self, asked: &[u32]) -> Option<(u32, Send)> {
        self.pages.borrow().iter().rev().find(|(session, _)| !asked.contains(session)).cloned()
    }

    /// Asks a page.
    fn ask(&self, (session, send): (u32, Send)) -> oneshot::Receiver<Result<UserHeaders>> {
        let request = self.last_request.get().wrapping_add(1);
        self.last_request.set(request);
        let (answer, answered) = oneshot::channel();
        self.pending.borrow_mut().push(Pending { request, session, answer });
        send(FromEngine::AskHeaders { request });
        answered
    }

    /// Puts a page that does not answer behind the others: a browser may have frozen it.
    fn put_last(&self, session: u32) {
        let mut pages = self.pages.borrow_mut();
        if let Some(at) = pages.iter().position(|(other, _)| *other == session) {
            let page = pages.remove(at);
            pages.insert(0, page);
        }
    }
}

impl HeaderPages for PageHeaders {
    fn join(&self, session: u32, send: Send) {
        self.pages.borrow_mut().push((session, send));
    }

    fn leave(&self, session: u32) {
        self.pages.borrow_mut().retain(|(other, _)| *other != session);
        // Dropped without a borrow: that wakes the tasks that wait.
        let left: Vec<Pending> = {
            let mut pending = self.pending.borrow_mut();
            let (left, kept) = pending.drain(..).partition(|question| question.session == session);
            *pending = kept;
            left
        };
        drop(left);
    }

    fn answer(&self, request: u32, headers: Result<UserHeaders>) {
        let question = {
            let mut pending = self.pending.borrow_mut();
            let at = pending.iter().position(|question| question.request == request);
            at.map(|at| pending.remove(at))
        };
        if let Some(question) = question {
            let _ = question.answer.send(headers);
        }
    }

    fn source(self: Rc<Self>) -> Rc<dyn HeaderSource> {
        Rc::new(AskedPages(self))
    }
}

/// Source that asks these pages.
struct AskedPages(Rc<PageHeaders>);

impl HeaderSource for AskedPages {
    fn headers(&self) -> LocalBoxFuture<'static, Result<UserHeaders>> {
        let this = Rc::clone(&self.0);
        async move {
            // Each page is asked once; pages may join and leave meanwhile.
            let mut asked = Vec::new();
            let mut last_error = None;
            loop {
                let Some(page) = this.next(&asked) else {
                    let none = || {
                        InformerError::new(ErrorCode::Unauthorized, "no open page provides the headers of this request")
                    };
                    return Err(last_error.unwrap_or_else(none));
                };
                let session = page.0;
                asked.push(session);
                let has_others = this.next(&asked).is_some();
                let answered = this.ask(page);
                let limit = if has_others { TURN } else { ANSWER_TIMEOUT };
                last_error = match select(answered, this.clock.sleep(limit)).await {
                    Either::Left((Ok(Ok(headers)), _)) => return Ok(headers),
                    // One page may be logged out, or have left, and another one not.
                    Either::Left((Ok(Err(error)), _)) => Some(error),
                    Either::Left((Err(_), _)) => last_error,
                    Either::Right(_) => {
                        this.put_last(session);
                        let message =
                            "the `headers` function has not answered within 10 seconds; it must resolve or reject";
                        Some(InformerError::new(ErrorCode::Timeout, message))
                    }
                };
            }
        }
        .boxed_local()
    }
}
