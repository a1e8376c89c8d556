//! The reference of the command line shows what the program prints.

#[test]
fn the_reference_shows_every_command_and_option() {
    yarnwise_tests::command_line::check_reference(env!("CARGO_BIN_EXE_yarnwise-experiments"), "yarnwise-experiments");
}
