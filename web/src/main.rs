//! The dashboard. 
fn main() {}
