//! Connection of a page: its apiserver, the headers that it provides, and whether it is visible.

use std::rc::Rc;

use super::Inner;
use crate::engine::cluster::Cluster;
use crate::message::{FromEngine, PROTOCOL_VERSION, ServerOptions};
use informer::transport::user_headers::UserHeaders;
use informer::{ErrorCode, InformerError, Result};

impl Inner {
    pub(super) fn connect(&self, version: u32, server: ServerOptions, persist: bool) -> Result<()> {
        if version != PROTOCOL_VERSION {
            let message = format!(
                "the page has protocol version {version}, the running worker {PROTOCOL_VERSION}; close all tabs of \
                 this origin, or reload them together"
            );
            return Err(InformerError::new(ErrorCode::BadRequest, message));
        }
        let cluster = self.engine.cluster(server, self.fetch, self.number);
        let known = self.state.borrow().cluster.clone();
        if known.as_ref().is_some_and(|known| !Rc::ptr_eq(known, &cluster)) {
            return Err(InformerError::new(
                ErrorCode::BadRequest,
                "this port is already connected to another apiserver; open a new port",
            ));
        }
        if let (Some(pages), None) = (&cluster.header_pages, known) {
            pages.join(self.number, Rc::clone(&self.send));
        }
        let mut state = self.state.borrow_mut();
        (state.cluster, state.persist) = (Some(cluster), persist);
        drop(state);
        self.send(FromEngine::Connected { version: PROTOCOL_VERSION });
        Ok(())
    }

    /// Takes the page's headers of a request.
    pub(super) fn headers(&self, request: u32, headers: UserHeaders, error: Option<String>) -> Result<()> {
        let headers = match error {
            None => Ok(headers),
            Some(error) => {
                Err(InformerError::new(ErrorCode::Unauthorized, format!("the `headers` function failed: {error}")))
            }
        };
        if let Some(pages) = &self.cluster()?.header_pages {
            pages.answer(request, headers);
        }
        Ok(())
    }

    pub(super) fn set_visible(&self, visible: bool) {
        let mut state = self.state.borrow_mut();
        let Some(cluster) = state.cluster.clone() else { return };
        if std::mem::replace(&mut state.visible, visible) != visible {
            drop(state);
            cluster.set_page_visible(visible);
        }
    }

    pub(super) fn cluster(&self) -> Result<Rc<Cluster>> {
        let cluster = self.state.borrow().cluster.clone();
        cluster.ok_or_else(|| InformerError::new(ErrorCode::BadRequest, "the first message must be connect"))
    }
}
