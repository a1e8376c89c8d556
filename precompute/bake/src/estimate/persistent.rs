//! Woven yarns with persistent contacts.

use super::data::Data;
use super::search::{Searched, search};
use super::{Command, Done, Outcome};
use anyhow::Context;
use std::sync::atomic::AtomicBool;
use yarnwise_lab::persistent::{Persistent, woven};
use yarnwise_precompute::estimate::{Estimated, Observations, Verdict, listed};
use yarnwise_shared::parameters::Model;

/// The name of the stiffness of corners.
const SHEAR: &str = "shear";

/// What a crossing with crimp has; shear is sought where fabric is sheared.
const CRIMPED: [&str; 6] = ["stretch", "bend", "contact", "exponent", "rest_length_x", "rest_length_y"];

pub(super) fn estimate(command: &Command, data: &Data, stop: &AtomicBool) -> anyhow::Result<Done> {
    let origin = command.data.display().to_string();
    let states = data.states(&origin, &command.selection.selection())?;
    let material = data.material(&origin, command.search.material()?)?;
    let weave = woven(&data.pattern(&origin)?, &material).with_context(|| origin.clone())?;
    let model = if command.search.flat() { weave.flat() } else { weave.crimped() };
    // Data without shear say nothing of it, but solvers need it: it may be given.
    let shear = states.iter().any(|s| s.strain[1] != 0.0) || command.search.fixes(SHEAR);
    let mut names = if command.search.flat() { vec!["stretch"] } else { CRIMPED.to_vec() };
    names.extend(shear.then_some(SHEAR));
    let fabric = Persistent::new(&weave.draft, model)?.only(&names)?;
    let observations = Observations::new(&origin, &states, &command.search.quantities(), data.radius())?;
    let mut identity = data.identity(&origin)?;
    identity.1 += &format!("\n{model:?}");
    match search(command, &fabric, observations, identity, stop)? {
        Searched::Stopped => Ok(Done::Stopped),
        Searched::Finished(found, journal) => {
            let unknown = unknown(&found, shear);
            let parameters = fabric.made_of(&found.best)?.to_parameters(&unknown);
            let mut outcome = Outcome::new(Model::Persistent(parameters));
            outcome.listed = listed(&found);
            outcome.states = found.steps.last().map_or(0, |s| s.states);
            (outcome.estimated, outcome.journal) = (Some(*found), Some(journal));
            Ok(Done::Finished(Box::new(outcome)))
        }
    }
}

/// What the data do not determine; where shear is neither sought nor given, nothing is known of it.
fn unknown(found: &Estimated, shear: bool) -> Vec<&str> {
    let open = found.parameters.iter().filter(|p| p.verdict == Verdict::NotDetermined).map(|p| p.name.as_str());
    open.chain((!shear).then_some(SHEAR)).collect()
}
