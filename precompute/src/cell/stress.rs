//! Stress: the derivative of a cell's energy by the strain.

use super::Cell;
use super::energy::Problem;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::strain::Strain;

/// dE/ds along `direction` at the strain `at`, J, by central differences of `step` times the direction.
///
/// Material displacements are held: the energy of an equilibrium does not change by them to first order. The quadrature of contact
/// is held too, or else its jumps would be taken for forces.
pub(crate) fn energy_slope(
    cell: &Cell,
    at: Strain<f64>,
    direction: Strain<f64>,
    step: f64,
    displacements: &Displacements,
) -> f64 {
    let contact = Problem::planar(cell, at).contact;
    let energy = |s: f64| {
        let Strain { sx, sa, sy } = direction;
        let mut near = Problem::planar(cell, Strain::new(at.sx + s * sx, at.sa + s * sa, at.sy + s * sy));
        near.contact.clone_from(&contact);
        let state = near.displaced_state(displacements);
        near.energy(&state, &near.pairs(&state.position, 0.0)).total()
    };
    (energy(step) - energy(-step)) / (2.0 * step)
}
