//! Recording transport: records the requests of informers, and can be cut.

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::stream::{self, AbortHandle};
use futures::{FutureExt, StreamExt};
use informer::transport::{Body, Request, Response, Transport};
use informer::{ErrorCode, InformerError, Result};

/// Transport that records requests, and breaks on command at the client's end: it works with any apiserver, and affects
/// no other client.
#[derive(Clone)]
pub(crate) struct RecordingTransport(Rc<Inner>);

struct Inner {
    transport: Rc<dyn Transport>,
    headers: Vec<(&'static str, &'static str)>,
    requests: RefCell<Vec<String>>,
    bodies: RefCell<Vec<AbortHandle>>,
    open: Cell<usize>,
    down: Cell<bool>,
}

impl RecordingTransport {
    /// Creates a transport whose requests carry these headers.
    pub(crate) fn new(transport: Rc<dyn Transport>, headers: &[(&'static str, &'static str)]) -> Self {
        Self(Rc::new(Inner {
            transport,
            headers: headers.to_vec(),
            requests: RefCell::default(),
            bodies: RefCell::default(),
            open: Cell::default(),
            down: Cell::default(),
        }))
    }

    /// Returns the paths and queries of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.0.requests.borrow().clone()
    }

    /// Returns the requests of watches.
    pub(crate) fn watches(&self) -> Vec<String> {
        self.requests().into_iter().filter(|path| path.contains("watch=true")).collect()
    }

    /// Returns the number of responses that are being read: the open watches, if no other request is in flight.
    pub(crate) fn open(&self) -> usize {
        self.0.open.get()
    }

    /// Breaks off all responses in flight.
    pub(crate) fn cut(&self) {
        self.0.bodies.take().iter().for_each(AbortHandle::abort);
    }

    /// Breaks off all responses, and rejects all requests until [`RecordingTransport::up`].
    pub(crate) fn down(&self) {
        self.0.down.set(true);
        self.cut();
    }

    pub(crate) fn up(&self) {
        self.0.down.set(false);
    }

    fn body(&self, body: Body) -> Body {
        let (body, handle) = stream::abortable(body);
        self.0.bodies.borrow_mut().push(handle.clone());
        let end = stream::once(async move { handle.is_aborted() });
        let broken_off = end.filter_map(|cut| ready(cut.then(|| Err(broken("the transport was cut")))));
        let open = Open::new(&self.0);
        let counted = body.chain(broken_off).map(move |chunk| {
            let _until_dropped = &open;
            chunk
        });
        counted.boxed_local()
    }
}

/// Counts a response until it is dropped.
struct Open(Rc<Inner>);

impl Open {
    fn new(inner: &Rc<Inner>) -> Self {
        inner.open.set(inner.open.get() + 1);
        Self(Rc::clone(inner))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get() - 1);
    }
}

fn broken(why: &str) -> InformerError {
    InformerError::new(ErrorCode::Network, why)
}

impl Transport for RecordingTransport {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let this = self.clone();
        this.0.requests.borrow_mut().push(request.path.clone());
        if this.0.down.get() {
            return ready(Err(broken("the transport is down"))).boxed_local();
        }
        request.headers.extend(&this.0.headers);
        let response = this.0.transport.send(request);
        async move {
            let response = response.await?;
            Ok(Response { body: this.body(response.body), ..response })
        }
        .boxed_local()
    }
}
