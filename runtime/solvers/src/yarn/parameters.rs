//! Yarns made of estimated parameters.

use super::material::{CrimpMaterial, YarnMaterial};
use crate::{Error, Result};
use std::f64::consts::PI;
use std::path::Path;
use yarnwise_shared::file;
use yarnwise_shared::parameters::{Family, Parameters, PersistentParameters, ShearStiffness};

/// Families of one yarn may differ by this part.
const ALIKE: f64 = 1e-9;

/// Distances of warps and of wefts may differ by this part: cloth is laid with their mean.
const SQUARE: f64 = 0.01;

impl YarnMaterial {
    /// This material with what a parameters file says in place of its own spacing, radius, stiffnesses and crimp, and, where the file
    /// has them, of friction and density.
    pub fn read_parameters(&self, path: &Path) -> Result<Self> {
        let origin = file::origin(path);
        let parameters = Parameters::read(path)?.persistent(&origin)?;
        self.with_parameters(&parameters).map_err(|problem| Error::invalid(origin, problem))
    }

    /// The same of parameters that have been read, or why there are no such yarns.
    pub fn with_parameters(&self, p: &PersistentParameters<f64>) -> std::result::Result<Self, String> {
        let both = |of: fn(&Family<f64>) -> f64| [of(&p.weft), of(&p.warp)];
        let mean = |name: &str, [weft, warp]: [f64; 2], part: f64| {
            let alike = (weft - warp).abs() <= part * weft.max(warp);
            alike.then_some(0.5 * (weft + warp)).ok_or_else(|| {
                format!("{name} is {weft} for wefts and {warp} for warps: scenes have yarns of one kind, estimate one value for both")
            })
        };
        let spacing = mean("spacing", both(|f| f.spacing), SQUARE)?;
        let section = PI * p.radius * p.radius;
        let rest_length = both(|f| f.rest_length);
        let crimp = match (p.crimp, p.contact) {
            (true, Some(c)) => {
                Some(CrimpMaterial { rest_length, contact: c.stiffness, exponent: c.exponent, bend: None })
            }
            _ => {
                if let Some(rest) = rest_length.into_iter().find(|l| (l - spacing).abs() > SQUARE * spacing) {
                    return Err(format!(
                        "rest_length is {rest} m and spacing {spacing} m without crimp: flat yarns are laid at their rest length"
                    ));
                }
                None
            }
        };
        let ShearStiffness::Constant(shear) = p.shear else {
            return Err("shear is a table: scenes need a constant".into());
        };
        let material = YarnMaterial {
            spacing,
            radius: p.radius,
            young: mean("stretch", both(|f| f.stretch), ALIKE)? / section,
            bending: mean("bend", both(|f| f.bend), ALIKE)? / section,
            shear: shear / (p.radius * p.radius),
            // The estimate holds for the compression of its data.
            shear_compression: 0.0,
            friction: p.friction.unwrap_or(self.friction),
            density: p.density.unwrap_or(self.density),
            crimp,
            ..*self
        };
        material.fault().or_else(|| material.crimp_conflict()).map_or(Ok(material), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::parameters::{CrossingContact, ShearTable};

    fn parameters() -> PersistentParameters<f64> {
        let family = Family { stretch: 256.0, bend: 3.5e-8, rest_length: 4.56e-3, spacing: 4.16e-3 };
        PersistentParameters {
            weft: family,
            warp: Family { rest_length: 4.57e-3, ..family },
            crimp: true,
            contact: Some(CrossingContact { stiffness: 0.53, exponent: 1.97 }),
            shear: ShearStiffness::Constant(0.5),
            friction: Some(0.2),
            radius: 1e-3,
            density: None,
        }
    }

    #[test]
    fn stiffnesses_are_those_of_the_file() {
        let own = YarnMaterial { density: 700.0, friction: 0.9, ..Default::default() };
        let material = own.with_parameters(&parameters()).unwrap();
        let k = material.stiffness();
        let law = k.crimp.unwrap();
        for (value, expected) in [(k.stretch, 256.0), (k.bend, 3.5e-8), (k.shear, 0.5), (law.bend, 3.5e-8)] {
            assert!((value / expected - 1.0).abs() < 1e-12, "{value} {expected}");
        }
        assert_eq!((law.contact, law.exponent, law.radius), (0.53, 1.97, 1e-3));
        assert_eq!(material.crimp.unwrap().rest_length, [4.56e-3, 4.57e-3]);
        assert_eq!((material.density, material.friction, material.spacing), (700.0, 0.2, 4.16e-3));
        assert!(k.rest_compression > 0.0);
    }

    #[test]
    fn flat_yarns_have_no_crimp_and_lie_at_their_rest_length() {
        let mut flat = PersistentParameters { crimp: false, contact: None, ..parameters() };
        let problem = YarnMaterial::default().with_parameters(&flat).unwrap_err();
        assert!(problem.contains("rest_length is 0.00456"), "{problem}");
        (flat.weft.rest_length, flat.warp.rest_length) = (4.16e-3, 4.16e-3);
        assert!(YarnMaterial::default().with_parameters(&flat).unwrap().crimp.is_none());
    }

    #[test]
    fn what_scenes_cannot_have_is_refused() {
        let refused = |change: fn(&mut PersistentParameters<f64>)| {
            let mut p = parameters();
            change(&mut p);
            YarnMaterial::default().with_parameters(&p).unwrap_err()
        };
        assert!(refused(|p| p.warp.stretch = 200.0).contains("stretch is 256 for wefts and 200"));
        assert!(refused(|p| p.warp.spacing = 5e-3).contains("spacing"));
        let table = |p: &mut PersistentParameters<f64>| {
            p.shear = ShearStiffness::Table(ShearTable { normal_force: vec![0.0], stiffness: vec![1.0] });
        };
        assert!(refused(table).contains("table"));
        assert!(refused(|p| p.radius = 3e-3).contains("thicker"));
    }
}
