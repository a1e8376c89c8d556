//! The presets at rest.

use super::*;
use crate::equilibrium::{Start, solve};
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
    let rest = solve(&unstrained(&cell), Start::Cold, &settings);
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

/// Twice as long a float of purl as of knit: its wales fold over each other, and the period's stiffness changes all the time.
#[test]
fn a_rib_of_two_and_three_comes_to_rest_within_a_thousand_steps() {
    let chart = KnitChart::parse("KKPPP").unwrap();
    let (given, material) = (knit(&chart, &KnitOptions::default()).unwrap(), YarnMaterial::preset("knit").unwrap());
    let settings = SolverSettings::default();
    let watch = Watch { max_steps: 1000, ..Watch::default() };
    let relaxed = relax_watched(&given, &material, Period::Free, &settings, &watch).unwrap();
    assert!(relaxed.is_sound(), "{:?} after {:?}: {:e}", relaxed.ended, relaxed.work, relaxed.residual);
    assert_eq!(linking_numbers(&given).unwrap(), linking_numbers(&relaxed.pattern).unwrap());
    let [px, _] = relaxed.pattern.period();
    assert!(px < 0.6 * given.period()[0], "ribs pull in: {px}");
    // The pull vanishes: energy is stationary in the period, by differences of solves that know nothing of its derivatives.
    let cell = Cell::new(&relaxed.pattern, &material).unwrap();
    let rest = solve(&unstrained(&cell), Start::Cold, &settings);
    let stress = rest.stress.unwrap().map(|s| s.abs() * cell.area() / rest.energy.total());
    assert!(stress[0] < 1e-4 && stress[2] < 1e-4, "{stress:?}");
}

#[test]
fn a_search_is_stopped_and_followed_and_a_pattern_at_rest_stays() {
    let (given, material) = preset("stockinette");
    let settings = SolverSettings::default();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let kept = seen.clone();
    let follower: Follower = Rc::new(RefCell::new(move |s: &Seen| kept.borrow_mut().push(*s)));
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: Some(&stop), follower: Some(follower), ..Watch::default() };
    let relaxed = relax_watched(&given, &material, Period::Free, &settings, &watch).unwrap();
    assert!(relaxed.is_sound() && seen.borrow().len() > relaxed.work.steps);
    assert!(seen.borrow().windows(2).all(|w| w[0].factorizations <= w[1].factorizations));
    stop.store(true, Ordering::Relaxed);
    let stopped = relax_watched(&given, &material, Period::Free, &settings, &watch).unwrap();
    assert!(stopped.ended == Ended::Stopped && !stopped.is_sound());
    let again = relax(&relaxed.pattern, &material, Period::Free, &settings).unwrap();
    assert!(again.is_sound() && again.work.steps == 0 && again.pattern == relaxed.pattern);
}

/// The others, which take half a minute: `cargo test -p yarnwise-precompute --lib -- --ignored large_presets`.
#[test]
#[ignore = "takes half a minute"]
fn large_presets_come_to_rest_with_their_period_free() {
    for name in ["garter", "rib1x1", "rib2x2", "seed", "satin"] {
        assert_rests(name, Period::Free);
    }
}
