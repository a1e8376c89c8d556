//! One period of fabric made of solid yarns.

use super::assembly::{SolidBody, SolidEnergy};
use super::gauge::{self, Grip};
use super::law::SolidMaterial;
use super::mesh::Mesh;
use super::surface::{Contact, Copies};
use super::yarn::{Bar, CenterLine, SolidMesh};
use crate::Result;
use crate::cell::kinematics::Image;
use crate::newton::{Holds, Minimum, Newton, NewtonOptions, NewtonWork};
use crate::spline::{Place, SplineCell, stretch_of};
use nalgebra::{Matrix2, Vector3};
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, range};

/// How solid yarns are cut into elements, touch and are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidSettings {
    /// The mesh.
    pub mesh: SolidMesh,
    /// k_n r / E_T: stiffness of surfaces over that of what is below them.
    pub penalty: f64,
    /// The strain is reached in steps of this at most.
    pub increment: f64,
    /// When forces count as balanced.
    pub newton: NewtonOptions,
}

impl Default for SolidSettings {
    fn default() -> Self {
        SolidSettings {
            mesh: SolidMesh::default(),
            penalty: 10.0,
            increment: 0.05,
            newton: NewtonOptions { tolerance: 1e-8, ..NewtonOptions::default() },
        }
    }
}

impl SolidSettings {
    fn check(&self) -> yarnwise_shared::Result<()> {
        let within = |name: &str, value: f64, limits: [f64; 2]| range::check("solid yarns", name, value, limits, "");
        within("the number of rings", self.mesh.rings as f64, [1.0, 8.0])?;
        within("the length of elements in radii", self.mesh.element_length, [0.05, 4.0])?;
        within("the spacing of skins in radii", self.mesh.skin_spacing, [0.02, 1.0])?;
        within("the penalty", self.penalty, [0.1, 1e5])?;
        within("the increment of strain", self.increment, [1e-4, 1.0])
    }
}

/// How deep a vertex inside another yarn is looked for, in radii: less than half of what is below its surface.
const REACH: f64 = 0.45;

/// One period of fabric.
#[derive(Clone, Debug)]
pub struct SolidCell {
    pub(super) assembly: SolidBody,
    pub(super) material: SolidMaterial,
    pub(super) settings: SolidSettings,
    /// Yarn radius, m.
    pub(super) radius: f64,
    /// Period at rest, m.
    pub period: [f64; 2],
    /// Copies that skins may touch, in the order of the contact's images.
    around: Vec<[i32; 2]>,
    holds: Holds,
    /// Points of each yarn's axis in order.
    pub(super) axes: Vec<Vec<usize>>,
    /// How many periods each yarn is long.
    pub(super) closing: Vec<Option<[i32; 2]>>,
    /// Where the points are without strain, m.
    rest: Vec<Vector3<f64>>,
}

/// A cell under strain.
#[derive(Clone, Debug)]
pub struct SolidState {
    /// The strain.
    pub strain: Strain<f64>,
    /// Where the points are, m.
    pub x: Vec<Vector3<f64>>,
    /// Energy by kind, J.
    pub energy: SolidEnergy,
    /// Norm of unbalanced forces over E_L pi r^2.
    pub residual: f64,
    /// Whether forces balance.
    pub converged: bool,
    /// Whether all resist: no direction is unstable.
    pub stable: bool,
    /// Work done on the way.
    pub work: NewtonWork,
}

impl SolidCell {
    /// Yarns of `radius` (m) on these center lines in a cell of `period` (m), come to rest there.
    ///
    /// Fails for lines, materials and settings that make no sense, and where no equilibrium is found.
    pub fn new(
        lines: &[CenterLine],
        radius: f64,
        period: [f64; 2],
        material: &SolidMaterial,
        settings: &SolidSettings,
    ) -> Result<Self> {
        let mut cell = Self::placed(lines, radius, period, material, settings)?;
        let state = cell.search(cell.rest.clone(), Strain::new(0.0, 0.0, 0.0), &settings.newton);
        if !state.converged {
            let problem = format!(
                "no equilibrium from these center lines: {:.1e} of the stretch stiffness is left; begin with relaxed lines",
                state.residual
            );
            return Err(Error::invalid("solid yarns", problem).into());
        }
        cell.rest = state.x;
        Ok(cell)
    }

    /// The yarns of a relaxed cell of splines as solids. `material` has its own stiffness; that of the splines is not used.
    pub fn from_spline(cell: &SplineCell, material: &SolidMaterial, settings: &SolidSettings) -> Result<Self> {
        Self::new(&lines_of(cell), cell.yarns.radius, cell.period, material, settings)
    }

    /// The same as they are placed, before anything moves: the start of [`SolidCell::new`].
    pub fn placed(
        lines: &[CenterLine],
        radius: f64,
        period: [f64; 2],
        material: &SolidMaterial,
        settings: &SolidSettings,
    ) -> Result<Self> {
        material.check()?;
        settings.check()?;
        check_lines(lines, radius, period)?;
        let place = Place::strained(Strain::new(0.0, 0.0, 0.0), period);
        let lattice = [place.translation([1, 0]), place.translation([0, 1])];
        let mut mesh = Mesh::empty(settings.mesh.brick);
        let (mut rest, mut axes, mut grips) = (Vec::new(), Vec::new(), Vec::new());
        for (strand, line) in lines.iter().enumerate() {
            let bar = Bar::new(&settings.mesh, radius, line.rest_length);
            let bar = match line.closing {
                Some(closing) => bar.closed(closing),
                None => bar.with_caps(),
            };
            let first = rest.len();
            mesh.append(&bar.mesh, strand);
            rest.extend(bar.placed(line, &lattice));
            let turn = line.closing.map_or(Vector3::zeros(), |c| place.translation(c));
            grips.push(Grip { axis: bar.axis[0] + first, side: bar.side + first, turn });
            axes.push(bar.axis.iter().map(|p| p + first).collect());
        }
        let holds = gauge::holds(&grips, &rest);
        let closing: Vec<Option<[i32; 2]>> = lines.iter().map(|l| l.closing).collect();
        let around = copies_around(&rest, radius, period);
        let mut assembly = SolidBody::new(mesh, material, radius);
        let stiffness = settings.penalty * material.transverse / radius;
        assembly.contact = Some(Contact::new(stiffness, Copies::periodic(&around, &closing), REACH * radius));
        Ok(SolidCell {
            assembly,
            material: *material,
            settings: *settings,
            radius,
            period,
            around,
            holds,
            axes,
            closing,
            rest,
        })
    }

    /// Area of a period at rest, m^2.
    pub fn area(&self) -> f64 {
        self.period[0] * self.period[1]
    }

    /// Yarn radius, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.assembly.mesh
    }

    /// Energy by kind where the searches begin, J.
    pub fn begin(&self) -> SolidEnergy {
        let mut a = self.assembly_at(Strain::new(0.0, 0.0, 0.0));
        crate::newton::Objective::refresh(&mut a, &self.rest);
        a.energy(&self.rest)
    }

    /// The same yarns made of another material. They begin where these are.
    pub(super) fn made_of(&self, material: &SolidMaterial) -> Self {
        let mut assembly = SolidBody::new(self.assembly.mesh.clone(), material, self.radius);
        assembly.contact.clone_from(&self.assembly.contact);
        if let Some(contact) = &mut assembly.contact {
            contact.stiffness = self.settings.penalty * material.transverse / self.radius;
        }
        SolidCell { assembly, material: *material, ..self.clone() }
    }

    /// The yarns under this lattice.
    pub(super) fn assembly_at(&self, strain: Strain<f64>) -> SolidBody {
        let mut assembly = self.assembly.clone();
        self.set_lattice(&mut assembly, &Place::strained(strain, self.period));
        assembly
    }

    /// Moves the copies to a lattice.
    pub(super) fn set_lattice(&self, assembly: &mut SolidBody, place: &Place) {
        assembly.offsets = assembly.mesh.shifts.iter().map(|s| place.translation(*s)).collect();
        if let Some(contact) = &mut assembly.contact {
            let image = |s: &[i32; 2]| Image { rotation: None, translation: place.translation(*s) };
            contact.copies.images = self.around.iter().map(image).collect();
        }
    }

    /// The equilibrium under `strain`, from rest by even increments.
    pub fn solve(&self, strain: Strain<f64>) -> SolidState {
        let largest = strain.sx.abs().max(strain.sa.abs()).max(strain.sy.abs());
        let increments = ((largest / self.settings.increment - 1e-9).ceil() as usize).max(1);
        let at = |k: usize| {
            let part = k as f64 / increments as f64;
            Strain::new(part * strain.sx, part * strain.sa, part * strain.sy)
        };
        let mut state = None;
        let mut work = NewtonWork::default();
        for k in 1..=increments {
            let x = state.as_ref().map_or(&self.rest, |s: &SolidState| &s.x);
            let inverse = stretch_of(at(k - 1)).try_inverse().unwrap_or_else(Matrix2::identity);
            let start = moved(x, &(stretch_of(at(k)) * inverse));
            let tolerance = self.settings.newton.tolerance;
            let on_the_way = if k < increments { tolerance.max(TOLERANCE_ON_THE_WAY) } else { tolerance };
            let next = self.search(start, at(k), &NewtonOptions { tolerance: on_the_way, ..self.settings.newton });
            work += next.work;
            state = Some(SolidState { work, ..next });
        }
        state.unwrap_or_else(|| self.search(self.rest.clone(), strain, &self.settings.newton))
    }

    /// The equilibrium near `start`.
    fn search(&self, start: Vec<Vector3<f64>>, strain: Strain<f64>, options: &NewtonOptions) -> SolidState {
        let mut assembly = self.assembly_at(strain);
        let mut newton = Newton::new(&mut assembly, start, self.holds.clone(), options);
        let Minimum { residual, converged, work, .. } = newton.run();
        let stable = newton.factorize();
        let x = newton.into_x();
        let energy = assembly.energy(&x);
        let converged = converged && energy.total().is_finite();
        SolidState { strain, energy, residual, converged, stable, work, x }
    }

    /// What is held.
    pub(super) fn holds(&self) -> &Holds {
        &self.holds
    }
}

/// States on the way to a strain need not be balanced better than this.
const TOLERANCE_ON_THE_WAY: f64 = 1e-5;

/// Points moved along with space.
pub(super) fn moved(x: &[Vector3<f64>], f: &Matrix2<f64>) -> Vec<Vector3<f64>> {
    let along = |p: &Vector3<f64>| {
        let xy = f * p.xy();
        Vector3::new(xy.x, xy.y, p.z)
    };
    x.iter().map(along).collect()
}

/// Points that a span of a spline is sampled at: an element is a few of them long.
const SAMPLES: usize = 16;

/// The center lines of a cell of splines.
pub(super) fn lines_of(cell: &SplineCell) -> Vec<CenterLine> {
    let zero = Strain::new(0.0, 0.0, 0.0);
    let (place, q) = (cell.place(zero), &cell.rest);
    let line = |curve: &crate::spline::Curve| {
        let turn = place.turn(curve);
        let count = SAMPLES * curve.spans() + usize::from(!curve.closed);
        let at = |i: usize| curve.station(i as f64 / SAMPLES as f64).value(&turn, q);
        CenterLine {
            points: (0..count).map(at).collect(),
            closing: curve.closed.then_some(curve.shift),
            rest_length: curve.rest_length(),
        }
    };
    cell.yarns.curves.iter().map(line).collect()
}

/// All shifts at which a copy of the cell can come near it.
fn copies_around(x: &[Vector3<f64>], radius: f64, period: [f64; 2]) -> Vec<[i32; 2]> {
    let (low, high) = x.iter().fold((x[0], x[0]), |(a, b), p| (a.inf(p), b.sup(p)));
    // Half as far again: yarns move.
    let reach = [0, 1].map(|k| (1.5 * (high[k] - low[k] + 2.0 * radius) / period[k]).ceil() as i32);
    let [m, n] = reach;
    (-m..=m).flat_map(|a| (-n..=n).map(move |b| [a, b])).collect()
}

fn check_lines(lines: &[CenterLine], radius: f64, period: [f64; 2]) -> yarnwise_shared::Result<()> {
    let sizes = [("the radius", radius), ("the period along x", period[0]), ("the period along y", period[1])];
    for (name, value) in sizes {
        range::check("solid yarns", name, value, [1e-9, 1e3], " m")?;
    }
    if lines.is_empty() {
        return Err(Error::invalid("solid yarns", "there is no center line; give one at least".to_owned()));
    }
    for (k, line) in lines.iter().enumerate() {
        let origin = format!("center line {}", k + 1);
        range::check(&origin, "its rest length in radii", line.rest_length / radius, [1.0, 1e5], "")?;
        if line.points.len() < 4 || !line.points.iter().all(|p| p.iter().all(|c| c.is_finite())) {
            let problem = format!("has {} points; give 4 or more, all finite", line.points.len());
            return Err(Error::invalid(origin, problem));
        }
        if line.points.windows(2).any(|p| p[0] == p[1]) {
            return Err(Error::invalid(origin, "has two equal points in a row; remove one".to_owned()));
        }
        if line.closing == Some([0, 0]) {
            return Err(Error::invalid(origin, "is a ring; solid yarns are open or lead around the cell".to_owned()));
        }
    }
    Ok(())
}
