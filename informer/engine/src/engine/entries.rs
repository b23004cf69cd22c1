//! Entries of the code that is loaded on demand. With the feature `split`, each is the only call from the first wasm
//! file into another one.

#[cfg(not(feature = "split"))]
mod linkage {
    use futures::FutureExt;
    use futures::future::ready;

    use crate::engine::{deferred, extras, loading};

    /// Installs the code. It is linked in, so objects carry the cells of their columns from the start, and protobuf is
    /// requested from the start.
    pub(in crate::engine) fn install() {
        deferred::provide();
        extras::provide();
        loading::install(
            || ready(Ok(deferred::provide())).boxed_local(),
            || ready(Ok(extras::provide())).boxed_local(),
        );
        informer::provide_protobuf();
    }
}

#[cfg(feature = "split")]
mod linkage {
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use crate::engine::loading::{self, Deferred, Extras};
    use crate::engine::{deferred, extras};

    /// Installs the loaders of the code in the other files. Until the second one is loaded, objects carry no cells.
    pub(in crate::engine) fn install() {
        loading::install(
            || Box::pin(async { deferred_code().await.map_err(|_: SplitLoaderError| loading::load_error()) }),
            || Box::pin(async { extra_code().await.map_err(|_: SplitLoaderError| loading::extras_load_error()) }),
        );
    }

    /// Entry of the second file: code that is reachable only from here and from the third and fourth file goes into it.
    #[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
    #[allow(clippy::unnecessary_wraps, reason = "that it could not be loaded comes in by the macro")]
    #[wasm_split(deferred, fallible)]
    fn deferred_code() -> std::result::Result<&'static dyn Deferred, SplitLoaderError> {
        Ok(deferred::provide())
    }

    /// Entry of the third file. It reaches all of the second one, so that the splitter finds nothing that only the
    /// second one needs.
    #[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
    #[allow(clippy::unnecessary_wraps, reason = "that it could not be loaded comes in by the macro")]
    #[wasm_split(extras, fallible)]
    fn extra_code() -> std::result::Result<&'static dyn Extras, SplitLoaderError> {
        deferred::provide();
        Ok(extras::provide())
    }

    /// Loads the converter of protobuf. Without it lists stay JSON; the loader of the files writes the cause to the console.
    pub(crate) async fn load_protobuf() {
        protobuf_code().await.unwrap_or_default();
    }

    /// Entry of the fourth file: the converter of protobuf, with its schema. It reaches all of the second one as well, for the
    /// same reason.
    #[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
    #[allow(clippy::unnecessary_wraps, reason = "that it could not be loaded comes in by the macro")]
    #[wasm_split(protobuf, fallible)]
    fn protobuf_code() -> std::result::Result<(), SplitLoaderError> {
        deferred::provide();
        informer::provide_protobuf();
        Ok(())
    }
}

pub(super) use linkage::install;
#[cfg(all(feature = "split", target_arch = "wasm32"))]
pub(crate) use linkage::load_protobuf;
