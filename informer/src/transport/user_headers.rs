//! User headers: the headers that authenticate a user, added to each request.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, select};
use serde::{Deserialize, Serialize};

use super::connection_slot::ConnectionSlot;
use super::connections::Connections;
use super::{Request, Response, Transport};
use crate::clock::Clock;
use crate::error::Result;

/// Time after which a request that waits for its headers counts as queued: it says nothing about the server.
const SLOW: Duration = Duration::from_secs(1);

/// Names and values of the headers of a user. Values are credentials: no debug output contains them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserHeaders(pub Vec<(String, String)>);

impl fmt::Debug for UserHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Source of the headers of a user.
pub trait HeaderSource {
    /// Returns the headers of the next request. Called before each request.
    ///
    /// # Errors
    /// If there are none. The request is not sent, and fails with this error.
    fn headers(&self) -> LocalBoxFuture<'static, Result<UserHeaders>>;

    /// Whether a second call may return newer headers. Then a request that is answered by 401 is sent once more.
    fn is_renewable(&self) -> bool {
        true
    }
}

/// Headers that never change.
impl HeaderSource for UserHeaders {
    fn headers(&self) -> LocalBoxFuture<'static, Result<UserHeaders>> {
        std::future::ready(Ok(self.clone())).boxed_local()
    }

    fn is_renewable(&self) -> bool {
        false
    }
}

/// Transport that adds the headers of a user to each request. After a 401 it asks a renewable source again and repeats the
/// request, once: a token may have expired since the source handed it out.
#[derive(Clone)]
pub struct Authenticated {
    /// Sends the requests.
    pub transport: Rc<dyn Transport>,
    /// Provides the headers.
    pub source: Rc<dyn HeaderSource>,
    /// Measures how long the source takes.
    pub clock: Rc<dyn Clock>,
}

impl Authenticated {
    async fn headers(&self, connection: &ConnectionSlot) -> Result<UserHeaders> {
        match select(self.source.headers(), self.clock.sleep(SLOW)).await {
            Either::Left((headers, _)) => headers,
            Either::Right(((), headers)) => {
                let _queued = connection.queue();
                headers.await
            }
        }
    }
}

impl Transport for Authenticated {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let this = self.clone();
        async move {
            let user_headers = this.headers(&request.connection).await?;
            let mut request = Request { user_headers, ..request };
            let response = this.transport.send(request.clone()).await?;
            if response.status != 401 || !this.source.is_renewable() {
                return Ok(response);
            }
            drop(response);
            request.user_headers = this.headers(&request.connection).await?;
            this.transport.send(request).await
        }
        .boxed_local()
    }

    fn is_multiplexed(&self) -> bool {
        self.transport.is_multiplexed()
    }

    fn accepts_protobuf(&self) -> bool {
        self.transport.accepts_protobuf()
    }

    fn sharing(&self, http: &Rc<dyn Transport>) -> Option<Rc<dyn Transport>> {
        self.transport.sharing(http)
    }

    fn connections(&self) -> Option<Connections> {
        self.transport.connections()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::clock::virtual_time::VirtualClock;
    use crate::error::{ErrorCode, InformerError};
    use crate::transport::scripted::{Reply, ScriptedTransport};

    /// Source that returns a new token at each call, and fails once there are none left.
    struct Tokens {
        returned: Cell<u32>,
        last: u32,
    }

    impl HeaderSource for Tokens {
        fn headers(&self) -> LocalBoxFuture<'static, Result<UserHeaders>> {
            self.returned.set(self.returned.get() + 1);
            let number = self.returned.get();
            let headers = UserHeaders(vec![("Authorization".into(), format!("Bearer {number}"))]);
            let none_left = || InformerError::new(ErrorCode::Unauthorized, "the user has logged out");
            std::future::ready((number <= self.last).then_some(headers).ok_or_else(none_left)).boxed_local()
        }
    }

    fn authenticated(statuses: &[u16], source: Rc<dyn HeaderSource>) -> (ScriptedTransport, Authenticated) {
        let script = ScriptedTransport::new();
        for status in statuses {
            script.reply(Reply::status(*status, "{}"));
        }
        let clock = Rc::new(VirtualClock::new());
        (script.clone(), Authenticated { transport: Rc::new(script), source, clock })
    }

    fn sent(transport: &Authenticated) -> Result<u16> {
        let sending = transport.send(Request::get("/version"));
        sending.now_or_never().expect("the script responds at once").map(|response| response.status)
    }

    fn tokens(script: &ScriptedTransport) -> Vec<String> {
        script.requests().into_iter().flat_map(|request| request.user_headers.0).map(|(_, value)| value).collect()
    }

    #[test]
    fn each_request_has_the_headers_of_its_own_call() {
        let (script, transport) = authenticated(&[200, 200], Rc::new(Tokens { returned: Cell::new(0), last: 9 }));
        assert_eq!((sent(&transport).ok(), sent(&transport).ok()), (Some(200), Some(200)));
        assert_eq!(tokens(&script), ["Bearer 1", "Bearer 2"]);
    }

    #[test]
    fn a_401_asks_once_more_and_no_more_than_that() {
        let (script, transport) = authenticated(&[401, 200], Rc::new(Tokens { returned: Cell::new(0), last: 9 }));
        assert_eq!(sent(&transport).ok(), Some(200));
        assert_eq!(tokens(&script), ["Bearer 1", "Bearer 2"]);

        let (script, transport) = authenticated(&[401, 401, 200], Rc::new(Tokens { returned: Cell::new(0), last: 9 }));
        assert_eq!(sent(&transport).ok(), Some(401));
        assert_eq!(tokens(&script), ["Bearer 1", "Bearer 2"]);

        let (_, transport) = authenticated(&[401], Rc::new(Tokens { returned: Cell::new(0), last: 1 }));
        assert_eq!(sent(&transport).expect_err("no second token").code(), ErrorCode::Unauthorized);
    }

    #[test]
    fn only_a_401_asks_again_and_only_a_renewable_source() {
        let (script, transport) = authenticated(&[403, 200], Rc::new(Tokens { returned: Cell::new(0), last: 9 }));
        assert_eq!((sent(&transport).ok(), script.requests().len()), (Some(403), 1));
        let constant = UserHeaders(vec![("Authorization".into(), "Bearer x".into())]);
        let (script, transport) = authenticated(&[401, 200], Rc::new(constant));
        assert_eq!((sent(&transport).ok(), script.requests().len()), (Some(401), 1));
    }

    #[test]
    fn a_request_is_not_sent_without_its_headers() {
        let (script, transport) = authenticated(&[200], Rc::new(Tokens { returned: Cell::new(0), last: 0 }));
        assert_eq!(sent(&transport).expect_err("no token").code(), ErrorCode::Unauthorized);
        assert!(script.requests().is_empty());
    }

    /// Source that never answers.
    struct Silent;

    impl HeaderSource for Silent {
        fn headers(&self) -> LocalBoxFuture<'static, Result<UserHeaders>> {
            std::future::pending().boxed_local()
        }
    }

    #[test]
    fn a_request_whose_headers_take_long_counts_as_queued() {
        let (clock, request) = (VirtualClock::new(), Request::get("/version"));
        let connection = request.connection.clone();
        let transport: Rc<dyn Transport> = Rc::new(ScriptedTransport::new());
        let slow = Authenticated { transport, source: Rc::new(Silent), clock: Rc::new(clock.clone()) };
        let mut sending = slow.send(request);
        assert!(sending.as_mut().now_or_never().is_none() && !connection.is_queued());
        clock.advance(SLOW);
        assert!(sending.as_mut().now_or_never().is_none() && connection.is_queued());
        drop(sending);
        assert!(!connection.is_queued());
    }

    #[test]
    fn debug_output_has_names_and_no_values() {
        let request = Request {
            user_headers: UserHeaders(vec![("Authorization".into(), "Bearer s3cret".into())]),
            ..Request::get("/version")
        };
        let text = format!("{request:?} {request}");
        assert!(text.contains("Authorization") && !text.contains("s3cret"), "{text}");
    }
}
