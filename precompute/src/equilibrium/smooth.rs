//! Contact that is softer than the yarn's, so that yarns slide smoothly while an equilibrium is looked for.
//!
//! Contact acts between the quadrature nodes of two segments. Where a yarn is pressed in by d, nodes up to a = sqrt(4r^2 - (2r - d)^2)
//! beside the nearest place touch. With a much smaller than the distance h of the nodes, sliding yarns lose one pair of nodes after the
//! other and meet the next: the energy has a dent every h, and a descent creeps from dent to dent with steps of a small part of h, an
//! order of magnitude smaller than where a is at least h (docs/results/bake.md). Forces in equilibrium change little with the stiffness
//! of contact, and a^2 is proportional to force over stiffness: what is softer by (a / h)^2 has patches as wide as the nodes are apart.

use crate::cell::energy::Problem;
use crate::cell::pairs::{Pair, Pairs};
use nalgebra::Vector3;
use yarnwise_shared::table::Displacements;

/// Factor on the stiffness of contact from one stage of a search to the next. Contact that is softer than the next stage's by less
/// than its root is no stage of its own.
pub(crate) const STIFFER: f64 = 10.0;

/// The stiffness of contact (N/m) with which a search that starts from these displacements of `problem`, an equilibrium, is to begin; none
/// where contact is smooth already, and where nothing touches.
pub fn smooth_contact(problem: &Problem, displacements: &Displacements) -> Option<f64> {
    let x = problem.displaced_positions(displacements);
    let pairs = problem.pairs(&x, 0.0);
    let mut patches: Vec<f64> = pairs.pairs.iter().filter_map(|pair| patch(problem, &x, pair, &pairs)).collect();
    if patches.is_empty() {
        return None;
    }
    let middle = patches.len() / 2;
    let median = *patches.select_nth_unstable_by(middle, f64::total_cmp).1;
    let stiffness = problem.contact.stiffness;
    (median < STIFFER.sqrt().recip()).then(|| stiffness * median.max(STIFFER.recip()))
}

/// (a / h)^2 of a pair of segments; none where they do not touch.
fn patch(problem: &Problem, x: &[Vector3<f64>], pair: &Pair, pairs: &Pairs) -> Option<f64> {
    let rule = problem.contact.rule(problem.cell, pair.first as usize, pair.second as usize);
    let segments = problem.segments(x, pair, pairs);
    let a2 = 1.0 / rule.inverse_diameter2 - segments.nearest(&rule);
    let spacing = |[from, to]: [Vector3<f64>; 2], nodes: usize| (to - from).norm() / (nodes - 1) as f64;
    let h2 = spacing(segments.p, rule.first.node.len()) * spacing(segments.q, rule.second.node.len());
    (a2 > 0.0).then(|| a2 / h2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Cell;
    use crate::equilibrium::settings::SolverSettings;
    use crate::equilibrium::{Solved, Start, solve};
    use crate::relax::{Period, relax};
    use yarnwise_shared::pattern::Pattern;
    use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
    use yarnwise_shared::pattern::material::YarnMaterial;
    use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
    use yarnwise_shared::table::strain::Strain;

    fn at_rest(pattern: &Pattern, material: &str) -> Cell {
        let material = YarnMaterial::preset(material).unwrap();
        let relaxed = relax(pattern, &material, Period::Free, &SolverSettings::default()).unwrap();
        assert!(relaxed.is_sound());
        Cell::new(&relaxed.pattern, &material).unwrap()
    }

    fn loose_knit() -> Cell {
        let options = KnitOptions { vertices_per_loop: 24, ..KnitOptions::default() };
        at_rest(&knit(&KnitChart::parse("PK/PP").unwrap(), &options).unwrap(), "knit")
    }

    fn still(cell: &Cell) -> Displacements {
        vec![[0.0; 4]; cell.vertex_count()].into()
    }

    fn strained(cell: &Cell, sx: f64, sa: f64, sy: f64) -> Problem<'_> {
        Problem::planar(cell, Strain::new(sx, sa, sy))
    }

    #[test]
    fn loose_knits_are_searched_with_softer_contact_and_tight_weaves_are_not() {
        let knit = loose_knit();
        let soft = smooth_contact(&strained(&knit, 0.0, 0.0, 0.0), &still(&knit)).unwrap();
        let own = knit.stiffness.contact;
        assert!((0.1 * own..0.32 * own).contains(&soft), "{soft} of {own}");
        let weave = at_rest(&weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap(), "woven");
        assert_eq!(smooth_contact(&strained(&weave, 0.0, 0.0, 0.0), &still(&weave)), None);
        // Pulled taut, the yarns of the knit are pressed together.
        let taut = strained(&knit, 1.0, 0.0, 1.0);
        let solved = solve(&taut, Start::From(&still(&knit)), &SolverSettings::default());
        assert_eq!(smooth_contact(&taut, &solved.displacements), None);
    }

    #[test]
    fn yarns_that_do_not_touch_need_no_softer_contact() {
        let options =
            WeaveOptions { warps_per_meter: Some(100.0), wefts_per_meter: Some(100.0), ..WeaveOptions::default() };
        let pattern = weave(&Draft::parse("1").unwrap(), &options).unwrap();
        let cell = Cell::new(&pattern, &YarnMaterial::preset("woven").unwrap()).unwrap();
        let mut apart = still(&cell).to_vec();
        pattern.yarns()[0].vertices.iter().for_each(|v| apart[*v as usize][2] = -pattern.radius());
        assert_eq!(smooth_contact(&strained(&cell, 0.0, 0.0, 0.0), &apart.into()), None);
    }

    #[test]
    fn a_search_that_begins_softly_ends_in_equilibrium_after_fewer_factorizations() {
        let cell = loose_knit();
        let settings = SolverSettings { tolerance: 1e-3, ..SolverSettings::default() };
        let soft = smooth_contact(&strained(&cell, 0.0, 0.0, 0.0), &still(&cell)).unwrap();
        let strains =
            [[0.3, 0.0, 0.0], [0.0, 0.0, 0.3], [-0.15, 0.0, 0.0], [0.0, 0.2, 0.0], [0.2, -0.2, 0.1], [0.1, 0.1, -0.1]];
        let work = |start: fn(&Displacements, f64) -> Start<'_>| -> usize {
            let solved = |[sx, sa, sy]: [f64; 3]| -> Solved {
                solve(&strained(&cell, sx, sa, sy), start(&still(&cell), soft), &settings)
            };
            let solved = strains.map(solved);
            assert!(solved.iter().all(|s| s.is_sound() && s.residual <= 1e-3));
            solved.iter().map(|s| s.work.factorizations).sum()
        };
        let (hard, soft) = (work(|d, _| Start::From(d)), work(|d, k| Start::Softly(d, k)));
        assert!(4 * soft < 3 * hard, "{soft} and {hard}");
    }

    #[test]
    fn where_soft_contact_does_not_hold_the_search_begins_again_without_it() {
        let cell = loose_knit();
        let problem = strained(&cell, 0.8, 0.0, 0.8);
        let settings = SolverSettings { tolerance: 1e-3, ..SolverSettings::default() };
        let solved = solve(&problem, Start::Softly(&still(&cell), 1e-6 * cell.stiffness.contact), &settings);
        let hard = solve(&problem, Start::From(&still(&cell)), &settings);
        assert!(solved.is_sound() && solved.work.factorizations > hard.work.factorizations);
        assert_eq!(solved.displacements, hard.displacements);
    }
}
