//! Actions: what can be done to an object, the right each one needs, and the request it makes.
//!
//! All of it is pure, and tested natively; `drawer/actions.rs` shows it and sends the requests.

pub(crate) mod body;
pub(crate) mod failure;
pub(crate) mod request;
pub(crate) mod table;
