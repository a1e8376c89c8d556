//! The window.

use crate::Result;
use crate::cli::WindowArgs;

/// Opens a window and shows what the arguments name, until it is closed.
pub fn run(_args: &WindowArgs) -> Result<()> {
    Ok(())
}
