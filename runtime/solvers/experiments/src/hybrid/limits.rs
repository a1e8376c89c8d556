//! What the hybrid must be where it is nothing but one of its parts, and what it must conserve.

use super::options::{stuck_sheet, undamped};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use nalgebra::Vector3;
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_solvers::cloth::model::{ClothMaterial, ClothModel};
use yarnwise_solvers::cloth::{ClothOptions, Pin, Simulation};
use yarnwise_solvers::hybrid::{
    HybridCloth, HybridModel, HybridOptions, HybridSheet, HybridSimulation, Region, TriangleModel,
};
use yarnwise_solvers::yarn::{Blend, YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    /// Crossings along a side
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(12..=200))]
    size: u16,
    /// Crossings along the side of a mesh square
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(4..=100))]
    cell: u16,
    /// Steps of 1 ms of the comparisons
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Undamped steps of 1 ms whose energy is looked at
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    energy_steps: u32,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// What was found.
#[derive(Serialize)]
pub(super) struct Limits {
    /// Whether a region of all triangles gives every bit of the yarn solver's positions, and one of none with springs those of the cloth solver's.
    bits: [bool; 2],
    /// Largest distance of the hybrid with all yarns, solved as a hybrid, from the yarn solver, spacings.
    all_yarns: f64,
    /// The same where every node is enriched [Casafranca20, Fig. 3].
    enriched: f64,
    /// How far nodes moved, spacings.
    motion: [f64; 2],
    /// Largest gain of energy from one step to the next, and the energy that was there, J.
    largest_gain: f64,
    first_energy: f64,
    last_energy: f64,
    /// Momentum in free flight against its closed form, as a part of it.
    momentum: f64,
    #[serde(skip)]
    energies: Vec<[f64; 2]>,
}

pub(super) fn run(args: &Args) -> Result<Limits> {
    // All parts have the same sheet: one that is impossible is reported before the first.
    stuck_sheet(args.size.into(), args.cell.into(), undamped())?;
    let bar = progress_of("limit", 5);
    let bits = [all_yarns_bits(args)?, no_yarns_bits(args)?];
    bar.inc(1);
    let (all_yarns, first) = all_yarns(args)?;
    bar.inc(1);
    let (enriched, second) = enriched(args)?;
    bar.inc(1);
    let energies = energies(args)?;
    bar.inc(1);
    let momentum = free_flight(args)?;
    bar.finish_and_clear();
    let gains = energies.windows(2).map(|w| w[1][1] - w[0][1]);
    Ok(Limits {
        bits,
        all_yarns,
        enriched,
        motion: [first, second],
        largest_gain: gains.fold(f64::NEG_INFINITY, f64::max),
        first_energy: energies.first().map_or(0.0, |e| e[1]),
        last_energy: energies.last().map_or(0.0, |e| e[1]),
        momentum,
        energies,
    })
}

/// Solves as exact as they get.
fn exact() -> HybridOptions {
    HybridOptions {
        newton_iterations: 20,
        newton_tolerance: 1e-11,
        tolerance: 1e-13,
        max_iterations: 20_000,
        ..Default::default()
    }
}

fn exact_yarns() -> YarnOptions {
    let HybridOptions { newton_iterations, newton_tolerance, tolerance, max_iterations, .. } = exact();
    YarnOptions {
        newton_iterations,
        newton_tolerance,
        tolerance,
        max_iterations,
        changes: false,
        ..YarnOptions::default()
    }
}

/// Steps a hybrid and yarns that are held at the same nodes; the largest distance and how far they moved, spacings.
fn compare(
    args: &Args,
    sheet: &HybridSheet,
    mut hybrid: HybridSimulation,
    mut yarns: YarnSimulation,
) -> Result<(f64, f64)> {
    let (end, l) = (sheet.extent()[0], sheet.build.material.spacing);
    let pin = hybrid.points_in(|[u, _]| u > end - l);
    yarns.pins.push(YarnPin::still(pin.nodes.clone()));
    hybrid.pin(pin)?;
    hybrid.gravity = Vector3::new(0.0, 0.0, -9.81);
    yarns.gravity = hybrid.gravity;
    for _ in 0..args.steps {
        hybrid.step(1e-3)?;
        yarns.step(1e-3)?;
    }
    let far =
        |a: &[Vector3<f64>], b: &[Vector3<f64>]| a.iter().zip(b).map(|(a, b)| (a - b).norm() / l).fold(0.0, f64::max);
    let positions = &hybrid.state().yarns.positions;
    Ok((far(positions, &yarns.state().positions), far(positions, &yarns.weave().positions)))
}

/// Two ways to the same motion, side by side: whether all positions are the same to the last bit.
fn all_yarns_bits(args: &Args) -> Result<bool> {
    let sheet = HybridSheet::new([usize::from(args.size / args.cell); 2], args.cell.into(), YarnMaterial::default())?;
    let model = sheet.model(|_, _| true)?;
    let (end, l) = (sheet.extent()[0], sheet.build.material.spacing);
    let options = YarnOptions { changes: false, ..YarnOptions::default() };
    let mut yarns = YarnSimulation::new(model.weave().clone(), options);
    let mut cloth = HybridCloth::new(model, &TriangleModel::Matched, HybridOptions::default(), "sheet")?;
    let pin = cloth.points_in(|[u, _]| u > end - l);
    yarns.pins.push(YarnPin::still(pin.nodes.clone()));
    cloth.pin(pin)?;
    for _ in 0..args.steps {
        yarns.advance(1e-3)?;
        cloth.advance(1e-3)?;
    }
    Ok(yarns.state().positions == cloth.node_positions() && yarns.state().positions != yarns.weave().positions)
}

fn no_yarns_bits(args: &Args) -> Result<bool> {
    let mut sheet =
        HybridSheet::new([usize::from(args.size / args.cell); 2], args.cell.into(), YarnMaterial::default())?;
    let triangles = TriangleModel::Springs(ClothMaterial::default());
    sheet.build.triangles = triangles.clone();
    let model = sheet.model(|_, _| false)?;
    let springs = ClothModel::from_mesh(model.mesh(), &ClothMaterial::default(), "sheet")?;
    let start = springs.rest_positions.clone();
    let options = HybridOptions::default();
    let own = ClothOptions {
        step: options.step,
        smallest_step: options.smallest_step,
        max_iterations: options.max_iterations,
        ..ClothOptions::default()
    };
    let mut alone = Simulation::new(springs, own);
    let mut cloth = HybridCloth::new(model, &triangles, options, "sheet")?;
    let end = sheet.extent()[0];
    let pin = cloth.points_in(|[u, _]| u > end - 1e-6);
    alone.pins.push(Pin { particles: pin.vertices.clone(), motion: Default::default(), until: None });
    cloth.pin(pin)?;
    for _ in 0..args.steps {
        alone.advance(1e-3)?;
        cloth.advance(1e-3)?;
    }
    Ok(alone.positions() == cloth.mesh_positions() && alone.positions() != start)
}

fn all_yarns(args: &Args) -> Result<(f64, f64)> {
    let sheet = HybridSheet::new(
        [usize::from(args.size / args.cell); 2],
        args.cell.into(),
        YarnMaterial { stiffness_damping: 0.0, ..YarnMaterial::default() },
    )?;
    let model = sheet.model(|_, _| true)?;
    let mut yarns = YarnSimulation::new(model.weave().clone(), exact_yarns());
    yarns.set_blend(model.blend().clone());
    compare(args, &sheet, HybridSimulation::new(model, exact()), yarns)
}

fn enriched(args: &Args) -> Result<(f64, f64)> {
    let sheet = stuck_sheet(args.size.into(), args.cell.into(), undamped())?;
    let mesh = sheet.mesh()?;
    let region = Region::enriched(mesh.faces(), mesh.positions().len());
    let model = HybridModel::new(mesh, region, &sheet.build, "sheet")?;
    let mut yarns = YarnSimulation::new(model.weave().clone(), exact_yarns());
    yarns.set_blend(Blend::stuck(model.blend().mass.clone()));
    compare(args, &sheet, HybridSimulation::new(model, exact()), yarns)
}

/// Time (s) and energy (J) of a half sheet that swings without damping.
fn energies(args: &Args) -> Result<Vec<[f64; 2]>> {
    let sheet = stuck_sheet(args.size.into(), args.cell.into(), undamped())?;
    let half = (sheet.cells[0] / 2) as f64;
    let options =
        HybridOptions { newton_iterations: 20, newton_tolerance: 1e-8, tolerance: 1e-9, ..Default::default() };
    let mut simulation = HybridSimulation::new(sheet.model(|x, _| x < half)?, options);
    simulation.gravity = Vector3::new(0.0, 0.0, -9.81);
    let end = sheet.extent()[0];
    let pin = simulation.points_in(|[u, _]| u > end - 1e-6);
    simulation.pin(pin)?;
    let mut out = vec![[0.0, simulation.energies().total()]];
    while simulation.time() < 1e-3 * (f64::from(args.energy_steps) - 0.5) {
        simulation.step(1e-3)?;
        out.push([simulation.time(), simulation.energies().total()]);
    }
    Ok(out)
}

/// The momentum of a sheet that flies, turns and waves, against that of a point.
fn free_flight(args: &Args) -> Result<f64> {
    let sheet = stuck_sheet(args.size.into(), args.cell.into(), undamped())?;
    let half = (sheet.cells[0] / 2) as f64;
    let mut simulation = HybridSimulation::new(sheet.model(|x, _| x < half)?, HybridOptions::default());
    let mut state = simulation.state().clone();
    let velocity = |x: &Vector3<f64>| Vector3::new(0.3, -0.2, 0.5) + Vector3::new(1.0, -2.0, 0.5).cross(x) * 3.0;
    for (v, x) in state.yarns.velocities.iter_mut().zip(&state.yarns.positions) {
        v[..3].copy_from_slice(velocity(x).as_slice());
    }
    for (v, x) in state.vertex_velocities.iter_mut().zip(&state.vertices) {
        *v = velocity(x);
    }
    simulation.set_state(state);
    let first = simulation.momentum();
    let before = simulation.time();
    for _ in 0..args.steps {
        simulation.step(1e-3)?;
    }
    let expected = first + simulation.gravity * (simulation.mass() * (simulation.time() - before));
    Ok((simulation.momentum() - expected).norm() / expected.norm())
}

impl Outcome for Limits {
    fn table(&self) -> String {
        let same = |same: bool| String::from(if same { "every bit the same" } else { "NOT the same" });
        let rows = [
            ("all yarns, against the yarn solver", same(self.bits[0])),
            ("no yarns, springs, against the cloth solver", same(self.bits[1])),
            ("all yarns, solved as a hybrid, against the yarn solver, L", format!("{:.1e}", self.all_yarns)),
            ("every node enriched, against the yarn solver, L", format!("{:.1e}", self.enriched)),
            ("motion until then, L", format!("{:.2}, {:.2}", self.motion[0], self.motion[1])),
            ("momentum in free flight, relative error", format!("{:.1e}", self.momentum)),
            ("largest gain of energy in a step, J", format!("{:.1e}", self.largest_gain)),
            ("energy at first and last, J", format!("{:.6e}, {:.6e}", self.first_energy, self.last_energy)),
        ];
        rows.iter().map(|(name, value)| format!("  {name:<64}{value}\n")).collect()
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let plot = Plot::new("Energy without damping", "s", "J").line("total", &self.energies);
        vec![("energy".into(), plot)]
    }
}
