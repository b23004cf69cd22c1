//! Tasks that run beside requests: on tokio's runtime natively, and on the browser's event loop in WebAssembly.

/// Where tasks run.
#[derive(Debug, Clone)]
pub(crate) struct Tasks {
    #[cfg(not(target_family = "wasm"))]
    runtime: tokio::runtime::Handle,
}

#[cfg(not(target_family = "wasm"))]
impl Tasks {
    /// Returns the current runtime. Panics outside one.
    pub(crate) fn current() -> Self {
        Self { runtime: tokio::runtime::Handle::current() }
    }

    /// Starts a task.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }
}

#[cfg(target_family = "wasm")]
impl Tasks {
    /// Returns the event loop.
    pub(crate) const fn current() -> Self {
        Self {}
    }

    /// Starts a task.
    #[expect(clippy::unused_self, reason = "natively there is a runtime")]
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        wasm_bindgen_futures::spawn_local(task);
    }
}
