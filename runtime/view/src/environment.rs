//! What graphics drivers look for in the environment.

/// Starts the program once more, in place of itself, where there is no `XDG_RUNTIME_DIR`.
///
/// A layer of Mesa's Vulkan drivers asks the Wayland library for a display, which prints "error: XDG_RUNTIME_DIR is invalid
/// or not set" where the variable is missing, as in containers and batch jobs. No Wayland display can be there then; a
/// folder that does not exist says so without a message. A process cannot change its own environment safely once it runs,
/// so it is replaced before it has done anything.
#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) fn prepare_for_graphics() {
    use std::os::unix::process::CommandExt;
    const NAME: &str = "XDG_RUNTIME_DIR";
    if std::env::var_os(NAME).is_some_and(|folder| std::path::Path::new(&folder).is_absolute()) {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        // Returns only where it fails: then the program runs as it is, with the driver's message.
        let _ = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(NAME, "/nonexistent").exec();
    }
}

/// Other systems' drivers ask for nothing.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(crate) fn prepare_for_graphics() {}
