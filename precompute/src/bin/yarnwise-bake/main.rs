//! The command `yarnwise-bake`. Nothing to do yet.

fn main() {}
