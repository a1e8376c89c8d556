//! Whether sets can be compared, and over which strains.

use super::set::Set;
use crate::Result;
use yarnwise_shared::Error;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::table::grid::AXIS_NAMES;
use yarnwise_shared::words::vertices;

/// Patterns whose vertices are closer than this many radii are the same.
const SAME: f64 = 1e-4;

/// The strains that all sets cover (sx, sa, sy from and to), or why the sets cannot be compared.
pub fn check(sets: &[Set]) -> Result<[[f64; 2]; 3]> {
    let Some((first, others)) = sets.split_first() else {
        return Err(Error::invalid("comparison", "there is nothing to compare: name one database or more").into());
    };
    for other in others {
        if let Some(difference) = pattern_difference(first.database.pattern(), other.database.pattern()) {
            let problem = format!(
                "cannot be compared with {}: {difference}. Compare sample sets of one pattern",
                first.path.display()
            );
            return Err(Error::invalid(other.path.display().to_string(), problem).into());
        }
    }
    let mut range = [[f64::NEG_INFINITY, f64::INFINITY]; 3];
    for set in sets {
        for (k, axis) in set.database.table().grid().0.iter().enumerate() {
            let (low, high) = (axis.values()[0], axis.values()[axis.len() - 1]);
            let common = [range[k][0].max(low), range[k][1].min(high)];
            if common[0] >= common[1] {
                let problem = format!(
                    "its axis {} goes from {low} to {high}, which has nothing in common with the other sets' ({} to {}): \
                     there is no strain at which they can be compared",
                    AXIS_NAMES[k], range[k][0], range[k][1]
                );
                return Err(Error::invalid(set.path.display().to_string(), problem).into());
            }
            range[k] = common;
        }
    }
    Ok(range)
}

/// In what two patterns differ, if they do.
fn pattern_difference(a: &Pattern, b: &Pattern) -> Option<String> {
    let (n, m) = (a.vertices().len(), b.vertices().len());
    if n != m {
        return Some(format!("its pattern has {}, the other {n}", vertices(m)));
    }
    let radius = a.radius();
    let off = |x: f64, y: f64| (x - y).abs() > SAME * radius;
    if off(radius, b.radius()) {
        return Some(format!("its yarn radius is {} m, the other {radius} m", b.radius()));
    }
    let (p, q) = (a.period(), b.period());
    if off(p[0], q[0]) || off(p[1], q[1]) {
        return Some(format!("its period is {} x {} m, the other {} x {} m", q[0], q[1], p[0], p[1]));
    }
    for (i, (v, w)) in a.vertices().iter().zip(b.vertices()).enumerate() {
        if v.edge != w.edge {
            return Some(format!("vertex {i} of its pattern is joined to another vertex"));
        }
        let distance = (0..3).map(|k| (v.position[k] - w.position[k]).powi(2)).sum::<f64>().sqrt() / radius;
        if distance > SAME {
            return Some(format!("vertex {i} of its pattern lies {distance:.2e} radii away from the other's"));
        }
    }
    None
}
