//! The viewer. Nothing to see yet.

fn main() {}
