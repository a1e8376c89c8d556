//! Springs in pieces that are evaluated as one.

use super::{Spring, SpringKind};
use std::ops::Range;

/// Springs in a group at most: a piece of work for one thread.
const LARGEST: usize = 4096;

/// Springs of one kind that follow each other, and what is known of all of them.
#[derive(Clone, Debug)]
pub(crate) struct SpringGroup {
    pub(crate) range: Range<usize>,
    pub(crate) kind: SpringKind,
    /// Least and largest k_s / m, 1/s².
    stiffness: [f64; 2],
    /// Least and largest k_d / m, 1/s.
    damping: [f64; 2],
}

impl SpringGroup {
    /// Between which numbers κ lies for a step of k seconds. On a regular grid both are the same, so that the question
    /// whether springs are implicit is asked once for all [Boxerman03, §4.4.1].
    pub(crate) fn kappa(&self, k: f64) -> [f64; 2] {
        [0, 1].map(|end| k * (self.stiffness[end] * k + 2.0 * self.damping[end]))
    }
}

/// Cuts sorted springs into groups.
pub(super) fn spring_groups(springs: &[Spring], masses: &[f64]) -> Vec<SpringGroup> {
    let mut groups = Vec::new();
    for kind in [SpringKind::Stretch, SpringKind::Shear, SpringKind::Bend] {
        let begin = springs.partition_point(|s| s.kind < kind);
        let end = springs.partition_point(|s| s.kind <= kind);
        for start in (begin..end).step_by(LARGEST) {
            let range = start..end.min(start + LARGEST);
            let mut group = SpringGroup {
                range: range.clone(),
                kind,
                stiffness: [f64::INFINITY, 0.0],
                damping: [f64::INFINITY, 0.0],
            };
            for s in &springs[range] {
                let mass = masses[s.i as usize].min(masses[s.j as usize]);
                widen(&mut group.stiffness, s.largest_stiffness() / mass);
                widen(&mut group.damping, s.damping / mass);
            }
            groups.push(group);
        }
    }
    groups
}

fn widen(bounds: &mut [f64; 2], value: f64) {
    *bounds = [bounds[0].min(value), bounds[1].max(value)];
}

#[cfg(test)]
mod tests {
    use super::super::{ClothMaterial, ClothModel, Grid};

    #[test]
    fn groups_hold_every_spring_once_and_bound_its_kappa() {
        let material = ClothMaterial { weft_stiffness: Some(20.0), ..ClothMaterial::default() };
        let model = ClothModel::from_grid(&Grid::horizontal(60, 0.01), &material);
        let mut next = 0;
        for group in model.groups() {
            assert_eq!(group.range.start, next);
            next = group.range.end;
            let [low, high] = group.kappa(0.01);
            for s in &model.springs[group.range.clone()] {
                let kappa = s.kappa_mass(0.01) / model.masses[0];
                assert_eq!(s.kind, group.kind);
                assert!(low * (1.0 - 1e-12) <= kappa && kappa <= high * (1.0 + 1e-12), "{kappa} not in {low}..{high}");
            }
        }
        assert_eq!(next, model.springs.len());
        let [low, high] = model.groups()[0].kappa(0.01);
        assert!(high > 10.0 * low, "warp and weft differ");
    }
}
