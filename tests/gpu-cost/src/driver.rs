//! Where Mesa's driver for AMD cards is, and the environment that makes it compile for a card that is not there.

use anyhow::{Context, Result, bail};
use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The Debian package of the driver; it brings the loader, `libvulkan1`.
pub(crate) const PACKAGE: &str = "mesa-vulkan-drivers";

/// Set in the process that has the environment below.
const CHOSEN: &str = "YARNWISE_GPU_COST";

/// Variables that would bring another driver, a layer, or options of the compiler into the figures.
const CLEARED: [&str; 6] = [
    "VK_DRIVER_FILES",
    "VK_ADD_DRIVER_FILES",
    "VK_INSTANCE_LAYERS",
    "VK_LOADER_LAYERS_ENABLE",
    "RADV_DEBUG",
    "RADV_PERFTEST",
];

/// Whether this process was started by [`restart`].
pub(crate) fn is_chosen() -> bool {
    env::var_os(CHOSEN).is_some()
}

/// Runs this program again with the same arguments, in an environment in which the driver offers one card of `family`.
///
/// In a process of its own, because the driver ends the process where it does not know the family.
pub(crate) fn restart(family: &str) -> Result<ExitCode> {
    let manifest = manifest()
        .with_context(|| format!("the Vulkan driver for AMD cards is missing: install the Debian package {PACKAGE}"))?;
    let mut command = Command::new(env::current_exe().context("the program cannot find itself")?);
    CLEARED.iter().for_each(|name| _ = command.env_remove(name));
    let status = command
        .args(env::args_os().skip(1))
        .env(CHOSEN, "1")
        .env("VK_ICD_FILENAMES", manifest)
        .env("RADV_FORCE_FAMILY", family)
        // A layer that chooses among devices, and complains where there is no desktop.
        .env("NODEVICE_SELECT", "1")
        // Nothing compiled earlier is taken, and nothing is left behind.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .status()
        .context("the program cannot start itself")?;
    match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(code) => Ok(ExitCode::from(code)),
        None => bail!("the driver crashed ({status}); does it know the family '{family}'?"),
    }
}

/// The driver's manifest: the one for this processor if there are several.
fn manifest() -> Option<PathBuf> {
    let names = [format!("radeon_icd.{}.json", env::consts::ARCH), "radeon_icd.json".to_owned()];
    folders().iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|path| path.is_file())
}

/// Where drivers announce themselves.
fn folders() -> Vec<PathBuf> {
    let own = env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".local/share")));
    let system = ["/usr/share", "/usr/local/share", "/etc", "/usr/local/etc"].map(PathBuf::from);
    system.into_iter().chain(own).map(|folder| folder.join("vulkan/icd.d")).collect()
}
