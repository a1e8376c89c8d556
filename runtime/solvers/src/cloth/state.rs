//! Where the cloth is and how it moves.

use crate::contact::Contacts;
use nalgebra::Vector3;

/// What a step changes.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Meters.
    pub(super) positions: Vec<Vector3<f64>>,
    /// m/s.
    pub(super) velocities: Vec<Vector3<f64>>,
    /// Of the last step, m/s: the guess of the next solve.
    pub(super) velocity_changes: Vec<Vector3<f64>>,
    /// The bodies that each particle is on.
    pub(super) contacts: Vec<Contacts>,
    /// Seconds.
    pub(super) time: f64,
}

impl State {
    /// At rest at time zero.
    pub(super) fn at_rest(positions: Vec<Vector3<f64>>) -> Self {
        let n = positions.len();
        let zero = vec![Vector3::zeros(); n];
        State {
            positions,
            velocities: zero.clone(),
            velocity_changes: zero,
            contacts: vec![Default::default(); n],
            time: 0.0,
        }
    }
}
