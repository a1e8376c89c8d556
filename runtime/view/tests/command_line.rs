//! The reference of the command line shows what the program prints.
#![cfg(feature = "window")] // The help of a program without a window is another one.

#[test]
fn the_reference_shows_every_command_and_option() {
    yarnwise_tests::command_line::check_reference(env!("CARGO_BIN_EXE_yarnwise-view"), "yarnwise-view");
}
