//! What Yarnwise's programs share: how they start, print, fail, and check the names of their outputs.
//!
//! - [`run`]: parses the command line, runs the program, reports an error as one line.
//! - [`say!`], [`note!`], [`print_json`], [`print_report`]: what a program prints. A reader that closes its end (`| head`) is no error.
//! - [`output::check`]: refuses outputs that cannot be written or that are inputs, before work begins.
//! - [`interrupt::stop_on_interrupt`]: Ctrl-C that lets work come to a good end.
//! - [`memory::check`]: refuses work that does not fit into memory, before the system does; [`disk::free`]: room on the disk.
//! - [`number`]: numbers of the command line, threads, singular and plural.
//! - [`Extra`]: the commands `completions` and `man`, for every program.

pub mod disk;
mod extra;
pub mod interrupt;
pub mod memory;
pub mod number;
pub mod output;
mod print;
mod start;

pub use extra::Extra;
pub use print::{print, print_json, print_note, print_report};
pub use start::{TEMPORARY, Temporary, run};
