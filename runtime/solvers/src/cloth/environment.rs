//! Gravity and air.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// What surrounds the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    /// Acceleration, m/s².
    pub gravity: [f64; 3],
    /// Damping of every particle's motion through the air, N s/m: the `air damping` of the thesis's experiments.
    pub air_damping: f64,
    /// Density of the air, kg/m³.
    pub air_density: f64,
    /// Resistance coefficient c_w of [Boxerman03, Eq. 3.17]; 0 switches this force off.
    pub air_resistance: f64,
    /// Velocity of the wind, m/s.
    pub wind: [f64; 3],
    /// How much the wind rises and falls, as a part of its speed.
    pub gusts: f64,
    /// Seconds from gust to gust.
    pub gust_period: f64,
}

impl Default for Environment {
    fn default() -> Self {
        Environment {
            gravity: [0.0, -9.81, 0.0],
            air_damping: 0.0,
            air_density: 1.2,
            air_resistance: 0.0,
            wind: [0.0; 3],
            gusts: 0.0,
            gust_period: 2.0,
        }
    }
}

impl Environment {
    /// The wind at a time and place, m/s.
    pub fn wind_at(&self, time: f64, position: &Vector3<f64>) -> Vector3<f64> {
        let wind = Vector3::from(self.wind);
        if self.gusts == 0.0 {
            return wind;
        }
        let phase = TAU * time / self.gust_period;
        // A slow swell and a faster one that travels across the cloth; their periods have no common multiple in sight.
        let place = position.x + 0.7 * position.y + 1.3 * position.z;
        wind * (1.0 + self.gusts * (0.6 * phase.sin() + 0.4 * (2.37 * phase - 3.0 * place).sin()))
    }

    /// The coefficient c of the air's force c (wind − v) on a particle, N s/m.
    ///
    /// [Boxerman03, Eq. 3.17] is ½ ρ c_w A (n·v_rel) v_rel; its sign is taken so that it always opposes the relative
    /// motion, and c is kept during a step, so that the force can be implicit and never overshoots.
    pub fn air_coefficient(&self, area: f64, normal: &Vector3<f64>, relative: &Vector3<f64>) -> f64 {
        self.air_damping + 0.5 * self.air_density * self.air_resistance * area * normal.dot(relative).abs()
    }

    /// Whether air acts through the normals of the cloth.
    pub fn needs_normals(&self) -> bool {
        self.air_resistance > 0.0
    }
}

/// Unit normals of the particles: the faces' normals weighted by area.
pub fn normals(positions: &[Vector3<f64>], faces: &[[u32; 3]]) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); positions.len()];
    for f in faces {
        let [a, b, c] = f.map(|i| positions[i as usize]);
        let normal = (b - a).cross(&(c - a));
        for i in f {
            sums[*i as usize] += normal;
        }
    }
    sums.par_iter_mut().with_min_len(4096).for_each(|n| *n = n.try_normalize(1e-30).unwrap_or(Vector3::zeros()));
    sums
}
