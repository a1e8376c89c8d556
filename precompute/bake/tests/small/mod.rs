//! A bake that takes a second, for tests of how bakes are run.

use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_tests::program::Program;

/// The program at `path` in a folder with a small woven pattern `plain.pyp` and a grid `axes.txt` of 5 x 5 x 5 strains.
pub(crate) fn bake(path: &'static str) -> Program {
    let bake = Program::new(path);
    let options = WeaveOptions { radius: 1e-3, vertices_per_crossing: 4, ..WeaveOptions::default() };
    let pattern = weave(&Draft::preset("plain").unwrap(), &options).unwrap();
    yarnwise_shared::pattern::write(&pattern, &bake.folder.path("plain.pyp")).unwrap();
    bake.folder.write("axes.txt", "-0.1 -0.05 0 0.1 0.2\n-0.4 -0.2 0 0.2 0.4\n-0.1 -0.05 0 0.1 0.2\n");
    bake
}

/// Bakes it.
pub(crate) const BAKE: &str = "bake plain.pyp --grid axes.txt --material woven";
