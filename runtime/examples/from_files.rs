//! Yarns of a database on a mesh or clip, both read from files:
//! `cargo run --release -p yarnwise-runtime --no-default-features --example from_files -- DATABASE CLIP`.
//!
//! Prints how many yarns each frame has and how high they reach; a program of your own would draw them.

use yarnwise_runtime::shared::mesh::clip::Clip;
use yarnwise_runtime::shared::table::database;
use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, YarnLayout, YarnVertex};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(knit), Some(garment)) = (arguments.next(), arguments.next()) else {
        return Err("a database (.ydb) and a mesh or clip (.obj, .bin, .pc2 or a folder) are expected".into());
    };
    let database = database::read(knit.as_ref())?;
    let clip = Clip::open(garment.as_ref())?;

    // Once per garment.
    let layout = YarnLayout::new(clip.mesh(), database.pattern(), &LayoutOptions::default())?;
    let mut yarns = CpuYarns::new(layout, &database)?;

    // Each frame: positions of the mesh's vertices, from wherever the host's cloth comes.
    for frame in 0..clip.frame_count() {
        yarns.update(&FrameParams { positions: clip.positions(frame), ..Default::default() })?;
        let starts = yarns.layout().yarn_starts().windows(2);
        let polylines = starts.map(|yarn| &yarns.vertices()[yarn[0] as usize..yarn[1] as usize]);
        draw(frame, polylines);
    }
    Ok(())
}

/// Where your renderer would take over: a run of vertices for each yarn.
#[allow(clippy::print_stdout, reason = "an example shows what it does")]
fn draw<'a>(frame: usize, yarns: impl Iterator<Item = &'a [YarnVertex]>) {
    let (count, top) = yarns
        .fold((0, f32::MIN), |(count, top), yarn| (count + 1, yarn.iter().map(|v| v.position[1]).fold(top, f32::max)));
    println!("frame {frame}: {count} yarns, top at {top:.3} m");
}
