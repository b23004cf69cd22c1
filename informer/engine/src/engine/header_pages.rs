//! Header pages: interface of the pages that provide the headers of one user. `page_headers` implements it; its code is
//! loaded on demand.

use std::rc::Rc;

use informer::Result;
use informer::transport::user_headers::{HeaderSource, UserHeaders};

use crate::message::FromEngine;

/// Pages that provide the headers of one user.
pub(super) trait HeaderPages {
    /// Adds a page, by the number of its session.
    fn join(&self, session: u32, send: Rc<dyn Fn(FromEngine)>);

    /// Removes a page. What it was asked, another page is asked.
    fn leave(&self, session: u32);

    /// Takes a page's answer. A late one has no effect.
    fn answer(&self, request: u32, headers: Result<UserHeaders>);

    /// Source of headers that asks these pages.
    fn source(self: Rc<Self>) -> Rc<dyn HeaderSource>;
}
