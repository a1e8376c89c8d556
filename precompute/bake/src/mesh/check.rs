//! `yarnwise-bake mesh check`.

use super::Input;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::mesh::report::{Report, Severity};

/// How many islands are listed.
const LISTED_ISLANDS: usize = 12;

pub(super) fn run(input: &Input) -> anyhow::Result<()> {
    let clip = input.open()?;
    let report = clip.report();
    println!("{}", input.file.display());
    print_counts(&clip);
    print_islands(&report);
    print_strains(&clip);
    for finding in &report.findings {
        println!("{finding}");
    }
    let count = |severity: Severity| report.findings.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    anyhow::ensure!(errors == 0, "{}: {}", input.file.display(), verdict(errors, warnings));
    println!("{}", verdict(errors, warnings));
    Ok(())
}

fn verdict(errors: usize, warnings: usize) -> String {
    let number = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, 0) => "nothing is wrong".to_owned(),
        _ => format!("{}, {}", number(errors, "error"), number(warnings, "warning")),
    }
}

fn print_counts(clip: &Clip) {
    let mesh = clip.mesh();
    match clip.frame_count() {
        1 => println!("  frames    1"),
        n => println!("  frames    {n}, one every {:.2} ms", 1e3 * clip.frame_time()),
    }
    println!("  vertices  {} in the world, {} in the UV plane", mesh.positions().len(), mesh.uvs().len());
    println!("  faces     {}", mesh.faces().len());
    let size: [f32; 3] = std::array::from_fn(|k| {
        let range = clip.positions(0).iter().fold([f32::MAX, f32::MIN], |r, p| [r[0].min(p[k]), r[1].max(p[k])]);
        range[1] - range[0]
    });
    println!("  size      {:.3} x {:.3} x {:.3} m in the first frame", size[0], size[1], size[2]);
    for (i, obstacle) in clip.obstacles().iter().enumerate() {
        println!("  obstacle  {i}: {} vertices, {} faces", obstacle.shape(0).len(), obstacle.faces().len());
    }
}

fn print_islands(report: &Report) {
    println!("  islands   {} in the UV plane", report.island_count);
    for (i, island) in report.islands.iter().take(LISTED_ISLANDS).enumerate() {
        let [low, high] = island.bounds;
        println!(
            "    {i:>4}    {} faces, {:.3} x {:.3} m from ({:.3}, {:.3}), {:.4} m2, in the world {:.4} m2{}",
            island.faces,
            high[0] - low[0],
            high[1] - low[1],
            low[0],
            low[1],
            island.uv_area,
            island.area,
            if island.mirrored { ", mirrored" } else { "" }
        );
    }
    if report.island_count > LISTED_ISLANDS {
        println!("     ...    {} more", report.island_count - LISTED_ISLANDS);
    }
    println!(
        "  edges     {} at borders, {} at seams that are closed in the world",
        report.border_edges, report.seam_edges
    );
}

fn print_strains(clip: &Clip) {
    let Some(range) = clip.strain_range() else { return };
    println!("  strains   over all faces and frames:");
    for (name, [low, high], what) in [
        ("sx", range.sx, "stretch along u - 1"),
        ("sa", range.sa, "shear: cosine of the angle between u and v"),
        ("sy", range.sy, "stretch along v - 1"),
    ] {
        // A collapsed face has no angle: then no value was seen at all.
        if low <= high {
            // No "-0.000".
            let [low, high] = [low, high].map(|x| if x.abs() < 5e-4 { 0.0 } else { x });
            println!("      {name}    {low:>7.3} .. {high:<7.3} {what}");
        }
    }
    let [low, high] = range.eigenvalues;
    println!("      I     {low:>7.2e} .. {high:<7.3} eigenvalues of the first fundamental form");
}
