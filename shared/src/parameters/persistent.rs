//! Yarns with persistent contacts \[Cirio14\]: nodes at crossings.

use super::value::{BEND, DENSITY, EXPONENT, FORCE, FRICTION, LENGTH, RATIO, Take, Value, none};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A weave of two families of yarns. `V` is [`Value`] in a file, and `f64` where every number is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersistentParameters<V = Value> {
    /// Yarns along x.
    pub weft: Family<V>,
    /// Yarns along y.
    pub warp: Family<V>,
    /// Whether crossings have heights of their own, so that yarns exchange crimp; without it yarns are flat.
    pub crimp: bool,
    /// How crossings resist being pressed; with crimp it is needed, without it means nothing.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub contact: Option<CrossingContact<V>>,
    /// How corners between yarns resist being sheared.
    pub shear: ShearStiffness<V>,
    /// Friction of yarn on yarn, where it is known.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub friction: Option<V>,
    /// Radius of the yarns, m.
    pub radius: V,
    /// Density of the yarns, kg/m^3, where it is known.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub density: Option<V>,
}

/// Yarns of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family<V = Value> {
    /// Stretch stiffness ks, N.
    pub stretch: V,
    /// Bending stiffness kb, N m^2.
    pub bend: V,
    /// Length of yarn from crossing to crossing, m.
    pub rest_length: V,
    /// Distance of crossings along these yarns at rest, m.
    pub spacing: V,
}

/// Contact of two yarns whose axes are 2 r delta apart: E = K r ks (1 - delta)^n a crossing, with ks the mean of both families.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossingContact<V = Value> {
    /// K, without unit.
    pub stiffness: V,
    /// n, without unit.
    pub exponent: V,
}

/// k_x of the corners of a crossing [Cirio14, Eq. 11].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShearStiffness<V = Value> {
    /// The same for every compression, N.
    Constant(V),
    /// By how hard the yarns press on each other.
    Table(ShearTable),
}

/// k_x by F_n, piecewise linear, constant beyond the ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShearTable {
    /// F_n, N, ascending.
    pub normal_force: Vec<f64>,
    /// k_x, N.
    pub stiffness: Vec<f64>,
}

/// The most entries of a table.
const MOST: usize = 1000;

impl<V: Copy> PersistentParameters<V> {
    pub(super) fn each<W>(&self, take: Take<V, W>) -> Result<PersistentParameters<W>> {
        let contact = self.contact.map(|c| c.each(take)).transpose()?;
        Ok(PersistentParameters {
            weft: self.weft.each("weft", take)?,
            warp: self.warp.each("warp", take)?,
            crimp: self.crimp,
            contact,
            shear: match &self.shear {
                ShearStiffness::Constant(v) => ShearStiffness::Constant(take("shear.constant", *v, FORCE)?),
                ShearStiffness::Table(table) => ShearStiffness::Table(table.clone()),
            },
            friction: self.friction.map(|v| take("friction", v, FRICTION)).transpose()?,
            radius: take("radius", self.radius, LENGTH)?,
            density: self.density.map(|v| take("density", v, DENSITY)).transpose()?,
        })
    }

    /// Faults beyond the ranges of single numbers; `at` is the place in the file.
    pub(super) fn check(&self, origin: &str, at: &str) -> Result<()> {
        if self.crimp && self.contact.is_none() {
            let problem = format!("{at}.contact is missing: with \"crimp\": true crossings need it");
            return Err(Error::invalid(origin, problem));
        }
        match &self.shear {
            ShearStiffness::Constant(_) => Ok(()),
            ShearStiffness::Table(table) => {
                table.fault().map_or(Ok(()), |f| Err(Error::invalid(origin, format!("{at}.shear.table{f}"))))
            }
        }
    }
}

impl<V: Copy> Family<V> {
    fn each<W>(&self, name: &str, take: Take<V, W>) -> Result<Family<W>> {
        let named = |field: &str| format!("{name}.{field}");
        Ok(Family {
            stretch: take(&named("stretch"), self.stretch, FORCE)?,
            bend: take(&named("bend"), self.bend, BEND)?,
            rest_length: take(&named("rest_length"), self.rest_length, LENGTH)?,
            spacing: take(&named("spacing"), self.spacing, LENGTH)?,
        })
    }
}

impl<V: Copy> CrossingContact<V> {
    fn each<W>(&self, take: Take<V, W>) -> Result<CrossingContact<W>> {
        Ok(CrossingContact {
            stiffness: take("contact.stiffness", self.stiffness, RATIO)?,
            exponent: take("contact.exponent", self.exponent, EXPONENT)?,
        })
    }
}

impl ShearStiffness<f64> {
    /// k_x at a compression, N.
    pub fn at(&self, normal_force: f64) -> f64 {
        match self {
            ShearStiffness::Constant(v) => *v,
            ShearStiffness::Table(table) => table.at(normal_force),
        }
    }
}

impl ShearTable {
    /// k_x at a compression, N. The table is a checked one.
    pub fn at(&self, normal_force: f64) -> f64 {
        let (f, k) = (&self.normal_force, &self.stiffness);
        let next = f.partition_point(|x| *x <= normal_force);
        if next == 0 || next == f.len() {
            return k[next.min(k.len() - 1)];
        }
        let t = (normal_force - f[next - 1]) / (f[next] - f[next - 1]);
        k[next - 1] + t * (k[next] - k[next - 1])
    }

    /// What is wrong, beginning with the field.
    fn fault(&self) -> Option<String> {
        let (f, k) = (&self.normal_force, &self.stiffness);
        if f.len() != k.len() || f.is_empty() || f.len() > MOST {
            let (n, m) = (f.len(), k.len());
            return Some(format!(": {n} normal forces and {m} stiffnesses, both must be as many, from 1 to {MOST}"));
        }
        if !f.iter().all(|v| (0.0..=FORCE.range[1]).contains(v)) || f.windows(2).any(|w| w[0] >= w[1]) {
            return Some(".normal_force must ascend strictly, from 0 N or more".into());
        }
        let bad = k.iter().position(|v| !(FORCE.range[0]..=FORCE.range[1]).contains(v))?;
        Some(format!(
            ".stiffness[{bad}] is {} N, it must be from {:e} to {:e} N",
            k[bad], FORCE.range[0], FORCE.range[1]
        ))
    }
}
