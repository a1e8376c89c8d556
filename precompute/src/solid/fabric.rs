//! Solid yarns as a model of fabric.

use super::cell::{SolidCell, SolidState, moved};
use super::law::SolidMaterial;
use super::surface::SkinTouch;
use crate::Result;
use crate::fabric::{Fabric, Parameter, Response, Sensitivity};
use crate::newton::Newton;
use crate::spline::{Place, rates};
use nalgebra::{Matrix2, Vector3};
use yarnwise_shared::Error;
use yarnwise_shared::table::strain::Strain;

impl SolidCell {
    /// d psi / d(sx, sa, sy), N/m.
    pub fn stress(&self, state: &SolidState) -> [f64; 3] {
        let virial = self.assembly_near(state).virial(&state.x);
        let plane: Matrix2<f64> = virial.fixed_view::<2, 2>(0, 0).into_owned();
        rates(state.strain).map(|d| d.dot(&plane) / self.area())
    }

    /// The yarns with lists of what touches near a state.
    fn assembly_near(&self, state: &SolidState) -> super::SolidBody {
        let mut assembly = self.assembly_at(state.strain);
        crate::newton::Objective::refresh(&mut assembly, &state.x);
        assembly
    }

    /// Half of how far the center lines rise and fall, m: of yarns along x and along y, where there are both.
    pub fn heights(&self, state: &SolidState) -> Option<[f64; 2]> {
        self.heights_of(&state.x)
    }

    fn heights_of(&self, x: &[Vector3<f64>]) -> Option<[f64; 2]> {
        let mut found = [(0.0, 0.0); 2];
        for (axis, closing) in self.axes.iter().zip(&self.closing) {
            let family = match closing {
                Some([_, 0]) => 0,
                Some([0, _]) => 1,
                _ => continue,
            };
            let z: Vec<f64> = axis.iter().map(|p| x[*p].z).collect();
            let negative: Vec<f64> = z.iter().map(|z| -z).collect();
            found[family].0 += 0.5 * (peak(&z) + peak(&negative));
            found[family].1 += 1.0;
        }
        found.iter().all(|(_, count)| *count > 0.0).then(|| found.map(|(sum, count)| sum / count))
    }

    /// How hard two yarns press on each other at a crossing, across the fabric, the mean of all places where yarns touch, N.
    pub fn normal_force(&self, state: &SolidState) -> Option<f64> {
        let assembly = self.assembly_near(state);
        let contact = assembly.contact.as_ref()?;
        let (skin, places) = (&assembly.mesh.skin, assembly.skin(&state.x));
        let touches = contact.touches(skin, &places);
        let sum: f64 = touches.iter().map(|t| contact.force(skin, t).z.abs()).sum();
        let crossings = self.crossings(&touches, &places, state.strain);
        (crossings > 0).then(|| sum / crossings as f64)
    }

    /// How many separate places there are where two yarns touch: touches of the same two yarns within a diameter are one.
    fn crossings(&self, touches: &[SkinTouch], places: &[Vector3<f64>], strain: Strain<f64>) -> usize {
        let skin = &self.assembly.mesh.skin;
        let pair = |t: &SkinTouch| {
            let [a, b] = [t.vertex, skin.triangles[t.triangle][0]].map(|v| skin.vertices[v].strand);
            [a.min(b), a.max(b)]
        };
        let place = Place::strained(strain, self.period);
        let Some([a, b]) = place.lattice else { return 0 };
        let Some(inverse) = Matrix2::from_columns(&[a.xy(), b.xy()]).try_inverse() else { return 0 };
        let near = |s: &SkinTouch, t: &SkinTouch| {
            let d = places[s.vertex] - places[t.vertex];
            let cells = inverse * d.xy();
            let d = d - a * cells.x.round() - b * cells.y.round();
            pair(s) == pair(t) && d.norm() < 2.0 * self.radius
        };
        let mut group: Vec<usize> = (0..touches.len()).collect();
        for i in 0..touches.len() {
            for j in 0..i {
                if group[i] != group[j] && near(&touches[i], &touches[j]) {
                    let (from, to) = (group[i].max(group[j]), group[i].min(group[j]));
                    group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
                }
            }
        }
        (0..touches.len()).filter(|i| group[*i] == *i).count()
    }

    /// The surface as it is: vertices (m), triangles, and the stress of von Mises at each vertex, Pa.
    pub fn surface(&self, state: &SolidState) -> Surface {
        let assembly = self.assembly_at(state.strain);
        let stress = assembly.von_mises(&state.x);
        let skin = &assembly.mesh.skin;
        let value = |v: &super::mesh::SkinVertex| v.parts.iter().map(|(n, w)| stress[n.point] * w).sum::<f64>();
        Surface {
            positions: assembly.skin(&state.x),
            triangles: skin.triangles.iter().map(|t| t.map(|v| v as u32)).collect(),
            von_mises: skin.vertices.iter().map(|v| value(v).max(0.0)).collect(),
        }
    }

    fn response(&self, state: &SolidState) -> Response {
        Response {
            strain: [state.strain.sx, state.strain.sa, state.strain.sy],
            energy_density: state.energy.total() / self.area(),
            // The energy of a solid is not one of stretch and one of bending.
            kinds: None,
            stress: Some(self.stress(state)),
            heights: self.heights(state),
            normal_force: self.normal_force(state),
            converged: state.converged,
            stable: state.stable,
        }
    }

    /// ElementDerivatives of energy density, stress and heights by ln E_f: those of the energy stay with it, those of the others follow
    /// the motion that the equilibrium answers with, H dx/dz = -dU_f/dx.
    fn by_fiber(&self, state: &SolidState) -> (f64, [f64; 3], [f64; 2]) {
        let mut assembly = self.assembly_near(state);
        let (force, virial) = assembly.fibers(&state.x);
        let plane: Matrix2<f64> = virial.fixed_view::<2, 2>(0, 0).into_owned();
        let held = rates(state.strain).map(|d| d.dot(&plane) / self.area());
        let by_strain = self.by_strain(state);
        let mut newton = Newton::new(&mut assembly, state.x.clone(), self.holds().clone(), &self.settings.newton);
        if !newton.factorize() {
            return (state.energy.fiber / self.area(), held, [0.0; 2]);
        }
        let change: Vec<Vector3<f64>> = newton.solve(&force).into_iter().map(|v| -v).collect();
        let carried = |k: usize| by_strain[k].iter().zip(&change).map(|(a, b)| a.dot(b)).sum::<f64>() / self.area();
        let heights = self.heights_of(&state.x).zip(self.heights_of(&plus(&state.x, &change, STEP)));
        let heights = heights.map_or([0.0; 2], |(a, b)| [0, 1].map(|k| (b[k] - a[k]) / STEP));
        (state.energy.fiber / self.area(), [0, 1, 2].map(|k| held[k] + carried(k)), heights)
    }

    /// How the gradient changes (N) when space is deformed by each strain component and all points move along: central differences.
    fn by_strain(&self, state: &SolidState) -> [Vec<Vector3<f64>>; 3] {
        let near = self.assembly_near(state);
        rates(state.strain).map(|rate| {
            let side = |h: f64| {
                let f = Matrix2::identity() + rate * h;
                let mut assembly = near.clone();
                let lattice = Place::strained(state.strain, self.period).lattice;
                let lattice = lattice.map(|l| l.map(|v| moved(&[v], &f)[0]));
                self.set_lattice(&mut assembly, &Place { lattice });
                assembly.gradient(&moved(&state.x, &f))
            };
            let (plus, minus) = (side(STEP), side(-STEP));
            plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * STEP)).collect()
        })
    }
}

/// A surface to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Vertices, m.
    pub positions: Vec<Vector3<f64>>,
    /// Triangles, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Stress of von Mises at each vertex, Pa.
    pub von_mises: Vec<f64>,
}

fn plus(x: &[Vector3<f64>], change: &[Vector3<f64>], step: f64) -> Vec<Vector3<f64>> {
    x.iter().zip(change).map(|(x, c)| x + c * step).collect()
}

/// Step of differences by strain: errors of h^2 and of rounding over h are about equal.
const STEP: f64 = 1e-6;

/// The largest value of a periodic row, between its points by the parabola through the largest one and its neighbors.
fn peak(z: &[f64]) -> f64 {
    let n = z.len();
    let k = (0..n).max_by(|a, b| z[*a].total_cmp(&z[*b])).unwrap_or(0);
    let [a, b, c] = [z[(k + n - 1) % n], z[k], z[(k + 1) % n]];
    let bend = 2.0 * b - a - c;
    if bend > 0.0 { b + (a - c) * (a - c) / (8.0 * bend) } else { b }
}

impl Fabric for SolidCell {
    fn model(&self) -> &'static str {
        "solid"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut out = vec![Parameter::new("transverse", "Pa", self.material.transverse)];
        if self.material.fiber > 0.0 {
            out.push(Parameter::new("fiber", "Pa", self.material.fiber));
        }
        out
    }

    fn with_values(&self, values: &[f64]) -> Result<Box<dyn Fabric>> {
        let count = self.parameters().len();
        if values.len() != count {
            let problem = format!("{} values for {count} parameters", values.len());
            return Err(Error::invalid("solid yarns", problem).into());
        }
        let fiber = values.get(1).copied().unwrap_or(0.0);
        let material = SolidMaterial { transverse: values[0], fiber, ..self.material };
        material.check()?;
        Ok(Box::new(self.made_of(&material)))
    }

    fn respond(&self, strain: Strain<f64>) -> Result<Response> {
        Ok(self.response(&self.solve(strain)))
    }

    fn respond_with_sensitivity(&self, strain: Strain<f64>) -> Result<(Response, Sensitivity)> {
        let state = self.solve(strain);
        let response = self.response(&state);
        // All energy but that of fibers is proportional to E_T: both derivatives together are the response itself.
        let whole = (response.energy_density, response.stress.unwrap_or_default());
        let (energy, stress, heights) =
            if self.material.fiber > 0.0 { self.by_fiber(&state) } else { Default::default() };
        let heights = response.heights.map(|_| heights);
        let mut out = Sensitivity::default();
        out.energy_density.push(whole.0 - energy);
        out.stress.push([0, 1, 2].map(|k| whole.1[k] - stress[k]));
        out.heights.extend(heights.map(|h| h.map(|h| -h)));
        if self.material.fiber > 0.0 {
            out.energy_density.push(energy);
            out.stress.push(stress);
            out.heights.extend(heights);
        }
        Ok((response, out))
    }
}
