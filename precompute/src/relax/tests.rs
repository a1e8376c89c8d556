//! The presets at rest.

use super::*;
use crate::physics_tests::nan_or_larger;
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
use yarnwise_shared::pattern::linking::linking_numbers;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};

fn preset(name: &str) -> (Pattern, YarnMaterial) {
    match Draft::preset(name) {
        Ok(draft) => (weave(&draft, &WeaveOptions::default()).unwrap(), YarnMaterial::preset("woven").unwrap()),
        Err(_) => {
            let chart = KnitChart::preset(name).unwrap();
            (knit(&chart, &KnitOptions::default()).unwrap(), YarnMaterial::preset("knit").unwrap())
        }
    }
}

/// It comes to rest, stays the same fabric, and then does not move any more.
fn assert_rests(name: &str, period: Period) {
    let (given, material) = preset(name);
    let settings = SolverSettings::default();
    let relaxed = relax(&given, &material, period, &settings).unwrap();
    assert!(relaxed.is_sound(), "{name} {period:?}: {:e}", relaxed.residual);
    assert!(relaxed.energy_after.total() < relaxed.energy_before.total(), "{name} {period:?}");
    assert_eq!(linking_numbers(&given).unwrap(), linking_numbers(&relaxed.pattern).unwrap(), "{name} {period:?}");
    let cell = Cell::new(&relaxed.pattern, &material).unwrap();
    let rest = solve(&strained(&cell, [0.0; 2]), Start::Cold, &settings);
    let moved = rest.displacements.iter().flatten().map(|d| d.abs()).fold(0.0, nan_or_larger);
    assert!(rest.converged && moved < 1e-9 * given.radius(), "{name} {period:?}: {moved:e}");
    match period {
        Period::Fixed => assert_eq!(relaxed.pattern.period(), given.period()),
        Period::Free => assert!(relaxed.pattern.period() != given.period()),
    }
}

#[test]
fn presets_come_to_rest_with_their_period_fixed() {
    for name in ["stockinette", "garter", "rib1x1", "rib2x2", "seed", "plain", "twill", "satin", "basket"] {
        assert_rests(name, Period::Fixed);
    }
}

#[test]
fn presets_come_to_rest_with_their_period_free() {
    for name in ["stockinette", "plain", "twill", "basket"] {
        assert_rests(name, Period::Free);
    }
}

/// The others, which take half a minute: `cargo test -p yarnwise-precompute --lib -- --ignored large_presets`.
#[test]
#[ignore = "takes half a minute"]
fn large_presets_come_to_rest_with_their_period_free() {
    for name in ["garter", "rib1x1", "rib2x2", "seed", "satin"] {
        assert_rests(name, Period::Free);
    }
}
