//! Whether a finished database is that of a bake.

use super::Bake;
use yarnwise_shared::table::database::{DatabaseHead, Encoding};
use yarnwise_shared::table::grid::AXIS_NAMES;

impl Bake {
    /// By what a database that was written with `encoding` differs from the one that this bake would write, in words; none where
    /// it is the same job.
    pub fn difference_from(&self, head: &DatabaseHead, encoding: &Encoding) -> Option<String> {
        if head.pattern.data() != self.pattern.data() {
            return Some("its pattern is a different one".to_owned());
        }
        let texts = [
            ("name", &head.name, &self.name),
            ("origin", &head.origin, &self.origin),
            ("tool", &head.tool, &self.tool),
        ];
        if let Some((what, there, here)) = texts.into_iter().find(|(_, there, here)| there != here) {
            return Some(format!("its {what} is '{there}', here it is '{here}'"));
        }
        if head.material != Some(self.material) {
            return Some("its material is a different one".to_owned());
        }
        let mut axes = head.grid.0.iter().zip(&self.grid.0).zip(AXIS_NAMES);
        if let Some((_, name)) = axes.find(|((there, here), _)| there != here) {
            return Some(format!("its axis {name} is a different one"));
        }
        match (&head.curvatures, &self.curvatures) {
            (there, here) if there == here => {}
            (Some(_), None) => return Some("it is bent, here fabric is not".to_owned()),
            (None, Some(_)) => return Some("it is not bent, here fabric is".to_owned()),
            _ => return Some("its curvatures are different ones".to_owned()),
        }
        for (name, here) in self.named_settings() {
            match head.settings.get(&name) {
                Some(there) if *there == here => {}
                Some(there) => return Some(format!("its {name} is {there}, here it is {here}")),
                None => return Some(format!("it has no {name}")),
            }
        }
        let stored = "its displacements are stored with another tolerance".to_owned();
        (!head.is_stored_as(encoding)).then_some(stored)
    }
}
