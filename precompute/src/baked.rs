//! A database as a model of fabric: what its samples know, and nothing in between.

use crate::cell::Stiffness;
use crate::fabric::{Fabric, Parameter, Response, Sensitivity};
use crate::{Error, Result};
use yarnwise_shared::pattern::Yarn;
use yarnwise_shared::table::Displacement;
use yarnwise_shared::table::database::{Database, SampleRecord, SampleStatus};
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::strain::Strain;

/// Two strains that differ by no more than this on each axis are the same sample.
const SAME_STRAIN: f64 = 1e-9;

/// At most this many samples are named beside a strain that has none.
const NAMED: usize = 4;

/// What a database may know of its samples beside displacements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Energy densities.
    Energies,
    /// Energies by kind.
    Kinds,
    /// Stresses.
    Stress,
}

impl Knowledge {
    fn name(self) -> &'static str {
        match self {
            Knowledge::Energies => "energies",
            Knowledge::Kinds => "energies by kind",
            Knowledge::Stress => "stresses",
        }
    }

    fn is_known(self, record: &SampleRecord) -> bool {
        match self {
            Knowledge::Energies => record.energy_density.is_some(),
            Knowledge::Kinds => record.kinds.is_some(),
            Knowledge::Stress => record.stress.is_some(),
        }
    }
}

/// Refuses a database none of whose samples in the plane has what is needed, with the cure. `origin` names it.
pub fn require(database: &Database, origin: &str, needed: Knowledge) -> Result<()> {
    let known = database.samples().iter().any(|r| needed.is_known(r));
    if known { Ok(()) } else { Err(lacking(database, origin, needed)) }
}

fn lacking(database: &Database, origin: &str, needed: Knowledge) -> Error {
    let cure = if needed == Knowledge::Energies || database.material().is_none() {
        "bake its pattern with this program"
    } else {
        "bake it again with this program, or add them with 'yarnwise-bake db complete'"
    };
    data(origin, format!("this database has no {}: {cure}", needed.name()))
}

fn data(origin: &str, problem: String) -> Error {
    yarnwise_shared::Error::invalid(origin, problem).into()
}

/// A baked database as a model of fabric: it answers at the samples of its grid in the plane, with what is stored there.
#[derive(Clone, Debug)]
pub struct BakedFabric {
    database: Database,
    origin: String,
    stiffness: Stiffness,
}

impl BakedFabric {
    /// The fabric of a database; refused without a material or energies. `origin` names it in messages.
    pub fn new(database: Database, origin: &str) -> Result<Self> {
        let material = database.material().ok_or_else(|| {
            let problem =
                "this database has no material, so nothing is known of its yarn: bake its pattern with this program";
            data(origin, problem.to_owned())
        })?;
        require(&database, origin, Knowledge::Energies)?;
        let stiffness = Stiffness::new(material, database.pattern().radius());
        Ok(BakedFabric { origin: origin.to_owned(), stiffness, database })
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// All samples in the plane that may serve as data, in the order of the grid.
    pub fn samples(&self) -> Vec<Response> {
        let all = (0..self.database.samples().len()).filter_map(|i| self.response(i));
        all.filter(Response::is_sound).collect()
    }

    /// What is stored of a sample; none where its energy is not known.
    fn response(&self, sample: usize) -> Option<Response> {
        let table = self.database.table();
        let record = &self.database.samples()[sample];
        let converged = record.status == SampleStatus::Converged;
        Some(Response {
            strain: table.grid().coordinates(sample),
            energy_density: record.energy_density?,
            kinds: record.kinds,
            stress: record.stress,
            heights: heights(&self.database, table.sample(sample)),
            normal_force: None,
            converged,
            // A bake descends in energy; where it comes to rest at a saddle, it looks further.
            stable: converged,
        })
    }

    fn sample_at(&self, strain: Strain<f64>) -> Result<usize> {
        let grid = self.database.table().grid();
        let at: [f64; 3] = strain.into();
        let index = |k: usize| grid.0[k].values().iter().position(|v| (v - at[k]).abs() <= SAME_STRAIN);
        match (index(0), index(1), index(2)) {
            (Some(sx), Some(sa), Some(sy)) => Ok(grid.sample([sx, sa, sy])),
            _ => {
                let nearest = nearest(grid, at).into_iter().map(|s| place(grid.coordinates(s)));
                let nearest: Vec<String> = nearest.collect();
                let problem = format!(
                    "has no sample at {}, and nothing is known in between: ask at a sample, the nearest are {}",
                    place(at),
                    nearest.join(", ")
                );
                Err(data(&self.origin, problem))
            }
        }
    }
}

/// A strain in words.
fn place([sx, sa, sy]: [f64; 3]) -> String {
    format!("(sx {sx}, sa {sa}, sy {sy})")
}

/// The samples around a strain, the nearest first.
fn nearest(grid: &StrainGrid, at: [f64; 3]) -> Vec<usize> {
    let mut around = Vec::new();
    grid.corners(at, |sample, weight| {
        if weight > 0.0 {
            around.push((sample, weight));
        }
    });
    around.sort_by(|a, b| b.1.total_cmp(&a.1));
    around.truncate(NAMED);
    around.into_iter().map(|(sample, _)| sample).collect()
}

/// Half of how far yarns rise and fall, m: the mean of those along x and of those along y; none unless there are both.
fn heights(database: &Database, displacements: &[Displacement]) -> Option<[f64; 2]> {
    let pattern = database.pattern();
    let z = |v: &u32| pattern.vertices()[*v as usize].position[2] + f64::from(displacements[*v as usize][2]);
    let height = |yarn: &Yarn| {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = yarn.vertices.iter().map(z).fold(start, |(low, high), z| (low.min(z), high.max(z)));
        0.5 * (high - low)
    };
    let mean = |axis: usize| {
        let runs = |yarn: &&Yarn| yarn.shift[axis] != 0 && yarn.shift[1 - axis] == 0;
        let of: Vec<f64> = pattern.yarns().iter().filter(runs).map(height).collect();
        (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
    };
    Some([mean(0)?, mean(1)?])
}

impl Fabric for BakedFabric {
    fn model(&self) -> &'static str {
        "database"
    }

    /// Stretch ks, bend B, twist C, contact kc of its yarn. Energies are of degree one in them; the shear modulus is in C alone.
    fn parameters(&self) -> Vec<Parameter> {
        let Stiffness { stretch, bend, twist, contact } = self.stiffness;
        vec![
            Parameter::new("stretch", "N", stretch),
            Parameter::new("bend", "N m^2", bend),
            Parameter::new("twist", "N m^2", twist),
            Parameter::new("contact", "N/m", contact),
        ]
    }

    fn with_values(&self, _values: &[f64]) -> Result<Box<dyn Fabric>> {
        let problem = "a database cannot be made of other values: bake its pattern anew with another material";
        Err(data(&self.origin, problem.to_owned()))
    }

    fn respond(&self, strain: Strain<f64>) -> Result<Response> {
        let sample = self.sample_at(strain)?;
        self.response(sample).ok_or_else(|| {
            let at = place(self.database.table().grid().coordinates(sample));
            data(&self.origin, format!("the energy of the sample at {at} is not known"))
        })
    }

    /// Energies by the envelope theorem: d psi / d ln p_k = psi_k, the energy of that kind. How stress changes is not stored.
    fn respond_with_sensitivity(&self, strain: Strain<f64>) -> Result<(Response, Sensitivity)> {
        let response = self.respond(strain)?;
        let Some(kinds) = response.kinds else {
            require(&self.database, &self.origin, Knowledge::Kinds)?;
            let at = place(response.strain);
            return Err(data(&self.origin, format!("energies by kind of the sample at {at} are not known")));
        };
        let energy_density = kinds.values().to_vec();
        Ok((response, Sensitivity { energy_density, stress: Vec::new(), heights: Vec::new() }))
    }
}
