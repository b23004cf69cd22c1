//! The informer through its public surface, on virtual time and scripted answers.

mod architecture;
mod engine;
mod factory;
mod faults;
mod handlers;
mod harness;
mod watching;
