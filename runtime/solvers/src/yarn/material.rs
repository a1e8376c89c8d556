//! What woven yarns are made of, and the stiffnesses that follow.

use super::crimp::{CrimpLaw, Crossing, Side};
use crate::scene::check::short;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A yarn and how it is woven. The default is the tank top of [Cirio14, Table 1]; what the paper leaves open is ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct YarnMaterial {
    /// L: distance of neighboring yarns, meters.
    pub spacing: f64,
    /// R: radius of the yarns, meters.
    pub radius: f64,
    /// Y: Young's modulus, Pa.
    pub young: f64,
    /// B: bending modulus, N. The paper prints Pa, with which its energy is none: k_b = B π R² has to be N m².
    pub bending: f64,
    /// S: shear modulus, Pa.
    pub shear: f64,
    /// μ: friction of yarn on yarn.
    pub friction: f64,
    /// α: damping of the material velocity, 1/s.
    pub mass_damping: f64,
    /// β: damping of the strain rate, s.
    pub stiffness_damping: f64,
    /// Density of the yarns, kg/m³.
    pub density: f64,
    /// k_c: stiffness of contact between parallel yarns, Pa.
    pub parallel_contact: f64,
    /// c_n: growth of the shear stiffness with compression, without unit.
    pub shear_compression: f64,
    /// c_j: growth of the shear stiffness where yarns jam, without unit.
    pub jamming: f64,
    /// Part of the stretch stiffness that is left in compression, 0 to 1.
    pub compression_ratio: f64,
    /// Part of L by which a yarn slides before its friction is used up.
    pub sliding_slip: f64,
    /// Damping of sliding, as a part of 2 times the critical one.
    pub sliding_damping: f64,
    /// Angle by which a corner turns before its friction is used up, radians.
    pub shear_slip: f64,
    /// Friction of turning crossings, as a multiple of μ R / 6; 0 for none.
    pub shear_friction: f64,
    /// Tension at which a yarn breaks, N; none where yarns never break.
    pub strength: Option<f64>,
    /// Crimp as an unknown of each crossing; none where yarns lie flat, as the paper has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crimp: Option<CrimpMaterial>,
}

/// How warps and wefts bend around each other where crossings have heights of their own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrimpMaterial {
    /// Length of yarn between crossings on opposite sides of the cloth, of wefts and of warps, meters: more than their distance.
    pub rest_length: [f64; 2],
    /// K: energy of contact at a crossing over R k_s where the yarns would coincide, without unit.
    pub contact: f64,
    /// n: by which power of the overlap contact grows, above 1.
    pub exponent: f64,
    /// k_b of turns at crossings, N m²; that of the yarns where none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
}

impl Default for YarnMaterial {
    fn default() -> Self {
        YarnMaterial {
            spacing: 1e-3,
            radius: 0.25e-3,
            young: 1e7,
            bending: 1e-2,
            shear: 1e4,
            friction: 0.3,
            mass_damping: 10.0,
            stiffness_damping: 0.05,
            density: 500.0,
            parallel_contact: 1e6,
            shear_compression: 1.0,
            jamming: 100.0,
            compression_ratio: 1.0,
            sliding_slip: 0.01,
            sliding_damping: 0.2,
            shear_slip: 0.02,
            shear_friction: 1.0,
            strength: None,
            crimp: None,
        }
    }
}

/// The coefficients of the forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// ρ: mass per length, kg/m.
    pub density: f64,
    /// k_s = Y π R², N.
    pub stretch: f64,
    /// k_b = B π R², N m².
    pub bend: f64,
    /// k_x = S R², N.
    pub shear: f64,
    /// φ_j = 2 asin(R / L): the angle below which a corner jams, radians.
    pub jamming_angle: f64,
    /// F_0: compression of a crossing of flat plain weave at rest, N.
    pub rest_compression: f64,
    /// k_f: stiffness of sliding friction while it sticks, N/m.
    pub sliding: f64,
    /// d_f: damping of sliding, N s/m.
    pub sliding_damping: f64,
    /// k_φ: stiffness of shear friction while it sticks, N m/rad.
    pub turning: f64,
    /// μ_φ: limit of shear friction over F_n, m.
    pub turning_friction: f64,
    /// Crimp of crossings, where they have it.
    pub crimp: Option<CrimpLaw>,
}

impl YarnMaterial {
    /// The sheet of a million crossings of [Cirio14, Fig. 11].
    pub fn fine_sheet() -> Self {
        YarnMaterial {
            spacing: 0.254e-3,
            radius: 0.06e-3,
            shear: 3e5,
            mass_damping: 35.0,
            stiffness_damping: 0.01,
            ..YarnMaterial::default()
        }
    }

    /// The crimp angle of flat plain weave, a = atan(2 R / L), radians.
    pub fn crimp_angle(&self) -> f64 {
        (2.0 * self.radius).atan2(self.spacing)
    }

    /// Distance of two layers of cloth that touch, 4 R, meters: each is two yarns thick.
    pub fn contact_distance(&self) -> f64 {
        4.0 * self.radius
    }

    /// The coefficients of the forces.
    pub fn stiffness(&self) -> Stiffness {
        let Self { spacing: l, radius: r, .. } = *self;
        let section = PI * r * r;
        let (density, bend) = (self.density * section, self.bending * section);
        let a = self.crimp_angle();
        let stretch = self.young * section;
        let crimp = self.crimp.map(|crimp| CrimpLaw {
            stretch,
            bend: crimp.bend.unwrap_or(bend),
            contact: crimp.contact,
            exponent: crimp.exponent,
            radius: r,
        });
        // F_0 = 4 k_b θ cos a / (L sqrt(L² + 4 R²)) with θ = 2 a.
        let flat = 8.0 * bend * a * a.cos() / (l * l.hypot(2.0 * r));
        let rest_compression = crimp.and_then(|law| self.crimped_compression(&law)).unwrap_or(flat);
        // Without friction the springs of the anchors stay, and carry nothing: their limit is zero.
        let sliding = self.friction.max(1e-9) * rest_compression / (self.sliding_slip * l);
        let turning_friction = self.shear_friction * self.friction * r / 6.0;
        Stiffness {
            density,
            stretch,
            bend,
            shear: self.shear * r * r,
            jamming_angle: 2.0 * (r / l).min(1.0).asin(),
            rest_compression,
            sliding,
            sliding_damping: self.sliding_damping * (sliding * density * l).sqrt(),
            turning: turning_friction * rest_compression / self.shear_slip,
            turning_friction,
            crimp,
        }
    }

    /// F_n of flat plain weave with crimp at rest, N, where its yarns touch.
    fn crimped_compression(&self, law: &CrimpLaw) -> Option<f64> {
        let [weft, warp] = self.crimp?.rest_length;
        let yarn = |rest: f64| [Some(Side { length: self.spacing, rest, crosses: true }); 2];
        let force = Crossing { law, yarns: [yarn(warp), yarn(weft)] }.solve()?.normal_force();
        (force > 0.0).then_some(force)
    }

    /// The first field that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        let positive = [
            ("spacing", self.spacing, 1.0),
            ("radius", self.radius, 1.0),
            ("young", self.young, 1e15),
            ("density", self.density, 1e6),
            ("sliding_slip", self.sliding_slip, 1.0),
            ("shear_slip", self.shear_slip, 1.0),
            ("strength", self.strength.unwrap_or(1.0), 1e12),
        ];
        let not_negative = [
            ("bending", self.bending, 1e9),
            ("shear", self.shear, 1e15),
            ("friction", self.friction, 100.0),
            ("mass_damping", self.mass_damping, 1e6),
            ("stiffness_damping", self.stiffness_damping, 1e3),
            ("parallel_contact", self.parallel_contact, 1e15),
            ("shear_compression", self.shear_compression, 1e6),
            ("jamming", self.jamming, 1e6),
            ("compression_ratio", self.compression_ratio, 1.0),
            ("sliding_damping", self.sliding_damping, 1e3),
            ("shear_friction", self.shear_friction, 1e3),
        ];
        let bad = |(name, value, most): &(&str, f64, f64), least: f64| {
            let fine = *value >= least && *value <= *most;
            (!fine).then(|| {
                format!("{name} is {}, it must be between {} and {}", short(*value), short(least), short(*most))
            })
        };
        positive.iter().find_map(|f| bad(f, 1e-12)).or_else(|| not_negative.iter().find_map(|f| bad(f, 0.0))).or_else(
            || {
                let room = self.spacing > 2.0 * self.radius;
                let crimp = self.crimp.as_ref().and_then(|crimp| self.crimp_fault(crimp));
                if room && crimp.is_some() {
                    return crimp;
                }
                (!room).then(|| {
                    format!(
                        "spacing is {} and radius {}: yarns that are thicker than their distance cannot be woven",
                        self.spacing, self.radius
                    )
                })
            },
        )
    }

    /// What of crimp cannot be together with the rest of the material, and why.
    pub(crate) fn crimp_conflict(&self) -> Option<String> {
        let crimp = self.crimp?;
        if self.strength.is_some() {
            return Some("strength is given with crimp: yarns with crimp cannot break, leave one of them out".into());
        }
        // Below the first the middle plane is stretched, above the second a crossing rises by more than yarns are apart.
        let [least, most] = [0.5 * self.spacing, 3.0 * self.spacing];
        let length = crimp.rest_length.into_iter().find(|l| !(least..=most).contains(l))?;
        let [length, least, most] = [length, least, most].map(short);
        Some(format!("crimp.rest_length is {length}, it must be between {least} and {most}"))
    }

    fn crimp_fault(&self, crimp: &CrimpMaterial) -> Option<String> {
        let between = |name: &str, value: f64, [least, most]: [f64; 2]| {
            let fine = value >= least && value <= most;
            (!fine).then(|| {
                let [value, least, most] = [value, least, most].map(short);
                format!("crimp.{name} is {value}, it must be between {least} and {most}")
            })
        };
        (crimp.rest_length.iter().find_map(|l| between("rest_length", *l, [1e-12, 1.0])))
            .or_else(|| between("contact", crimp.contact, [1e-9, 1e9]))
            .or_else(|| between("exponent", crimp.exponent, [1.001, 10.0]))
            .or_else(|| between("bend", crimp.bend.unwrap_or(0.0), [0.0, 1e6]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tank_top_has_the_stiffnesses_of_the_specification() {
        let k = YarnMaterial::default().stiffness();
        let expected = [
            (k.stretch, 1.963495),
            (k.bend, 1.963495e-9),
            (k.shear, 6.25e-4),
            (k.jamming_angle.to_degrees(), 28.9550),
            (k.rest_compression, 5.8260e-3),
            (k.density, 9.8175e-5),
            (k.sliding, 174.78),
            (k.sliding_damping, 8.285e-4),
            (k.turning_friction, 1.25e-5),
            (k.turning, 3.6415e-6),
        ];
        for (i, (value, expected)) in expected.into_iter().enumerate() {
            assert!((value / expected - 1.0).abs() < 1e-4, "{i}: {value} instead of {expected}");
        }
    }

    #[test]
    fn faults_are_named() {
        let fault = |m: YarnMaterial| m.fault().unwrap_or_default();
        assert_eq!(fault(YarnMaterial::default()), "");
        assert!(fault(YarnMaterial { radius: 0.6e-3, ..Default::default() }).contains("thicker"));
        assert!(fault(YarnMaterial { young: f64::NAN, ..Default::default() }).contains("young"));
        let crimp = CrimpMaterial { rest_length: [1.1e-3; 2], contact: 0.5, exponent: 2.0, bend: None };
        let with = |crimp: CrimpMaterial| fault(YarnMaterial { crimp: Some(crimp), ..Default::default() });
        assert_eq!(with(crimp), "");
        assert!(with(CrimpMaterial { exponent: 1.0, ..crimp }).contains("crimp.exponent is 1"));
        assert!(with(CrimpMaterial { rest_length: [1.1e-3, 1.1], ..crimp }).contains("crimp.rest_length"));
        assert!(with(CrimpMaterial { contact: f64::NAN, ..crimp }).contains("crimp.contact"));
        let strong = YarnMaterial { crimp: Some(crimp), strength: Some(1.0), ..Default::default() };
        assert!(strong.crimp_conflict().unwrap_or_default().contains("strength"));
        assert!(fault(YarnMaterial { friction: -0.1, ..Default::default() }).contains("friction"));
    }
}
