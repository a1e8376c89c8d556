//! Yarns as splines: stretch, bending, contact; friction from a yarn that was pulled out.

use super::data::Data;
use super::search::{Searched, search};
use super::{Command, Done, Outcome};
use std::sync::atomic::AtomicBool;
use yarnwise_precompute::estimate::{Observations, Quantity, listed, pulled_friction, yarn_parameters};
use yarnwise_precompute::fabric::Response;
use yarnwise_shared::parameters::{Estimated as Listed, Model, YarnParameters};

pub(super) fn estimate(command: &Command, data: &Data, stop: &AtomicBool) -> anyhow::Result<Done> {
    let origin = command.data.display().to_string();
    let states = data.states(&origin, &command.selection.selection())?;
    let material = data.material(&origin, command.search.material()?)?;
    let cell = data.cell(&origin, material)?;
    let mut outcome = Outcome::new(Model::Yarn(YarnParameters::from(material)));
    let mut yarn = YarnParameters::from(material);
    if !states.is_empty() || data.pulls().is_none() {
        let quantities = compared(command, data, &states);
        let observations = Observations::new(&origin, &states, &quantities, data.radius())?;
        match search(command, &cell, observations, data.identity(&origin)?, stop)? {
            Searched::Stopped => return Ok(Done::Stopped),
            Searched::Finished(found, journal) => {
                yarn = yarn_parameters(&found, data.radius(), material.shear, None);
                outcome.listed = listed(&found);
                outcome.states = found.steps.last().map_or(0, |s| s.states);
                (outcome.estimated, outcome.journal) = (Some(*found), Some(journal));
            }
        }
    }
    if let Some(pulls) = data.pulls() {
        let found = pulled_friction(&cell, &origin, pulls, command.search.friction_bounds(), stop)?;
        let error = found.standard_error.filter(|_| !found.at_bound).unwrap_or(f64::INFINITY);
        let entry = Listed::new("friction", "", found.value, error);
        yarn.friction = Some(entry.value);
        outcome.states += pulls.len();
        outcome.listed.push(entry);
        outcome.friction = Some(found);
    }
    outcome.model = Model::Yarn(yarn);
    Ok(Done::Finished(Box::new(outcome)))
}

/// What is compared unless the user says so: of a bake the energies, which are exact to the square of the forces that are left in it.
fn compared(command: &Command, data: &Data, states: &[Response]) -> Vec<Quantity> {
    let given = command.search.quantities();
    match data {
        Data::Database(_) if given.is_empty() && !states.is_empty() => vec![Quantity::Energy],
        _ => given,
    }
}
