//! Where the cloth of a scene is yarns.

use super::mask;
use crate::error::{Error, Result};
use crate::scene::check::{PLACE, all_between};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::mesh::Mesh;

/// The most corners of a polygon, and the most polygons.
const MAX_CORNERS: usize = 4_000;

/// Which triangles are yarns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionSpec {
    /// All of them.
    All,
    /// None.
    None,
    /// Those whose centers are in the half of smaller u.
    Half,
    /// Those whose centers are inside one of these polygons of the material plane, meters.
    Polygons(Vec<Vec<[f64; 2]>>),
    /// Those with these numbers, from 1 in the order of the mesh.
    Faces(Vec<u32>),
    /// Those whose numbers are in a text file, relative to the scene's folder.
    File(PathBuf),
}

impl RegionSpec {
    /// The one that a word alone names, if it does: `all`, `none` or `half`.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "all" => Some(RegionSpec::All),
            "none" => Some(RegionSpec::None),
            "half" => Some(RegionSpec::Half),
            _ => None,
        }
    }

    /// One flag a triangle. `origin` names the scene in messages.
    pub fn flags(&self, mesh: &Mesh, origin: &str, folder: &Path) -> Result<Vec<bool>> {
        let count = mesh.faces().len();
        let flags = match self {
            RegionSpec::All => return Ok(vec![true; count]),
            RegionSpec::None => return Ok(vec![false; count]),
            RegionSpec::Half => {
                let centers: Vec<[f64; 2]> = (0..count).map(|f| center(mesh, f)).collect();
                let bound = |start: f64, pick: fn(f64, f64) -> f64| {
                    mesh.uv_faces().iter().flatten().map(|v| f64::from(mesh.uvs()[*v as usize][0])).fold(start, pick)
                };
                let middle = 0.5 * (bound(f64::INFINITY, f64::min) + bound(f64::NEG_INFINITY, f64::max));
                centers.iter().map(|c| c[0] < middle).collect()
            }
            RegionSpec::Polygons(polygons) => {
                let inside = |f: usize| polygons.iter().any(|polygon| contains(polygon, center(mesh, f)));
                let flags: Vec<bool> = (0..count).map(inside).collect();
                if !flags.contains(&true) {
                    let problem = "region: no triangle has its center inside of the polygons: they are in the plane of the UVs, in \
                                   meters; make them larger than a triangle, or use \"none\"";
                    return Err(Error::invalid(origin, problem));
                }
                flags
            }
            RegionSpec::Faces(faces) => mask::flags(mesh, faces, &format!("{origin}: region"))?,
            RegionSpec::File(name) => mask::read(&folder.join(name), mesh)?,
        };
        Ok(flags)
    }

    /// What is wrong, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        match self {
            RegionSpec::Polygons(polygons) => {
                if polygons.is_empty() || polygons.len() > MAX_CORNERS {
                    return Some(format!("{} polygons, 1 to {MAX_CORNERS} are possible", polygons.len()));
                }
                let fault = |(i, p): (usize, &Vec<[f64; 2]>)| {
                    let number = i + 1;
                    if !(3..=MAX_CORNERS).contains(&p.len()) {
                        return Some(format!(
                            "polygon {number} has {} corners, 3 to {MAX_CORNERS} are possible",
                            p.len()
                        ));
                    }
                    let corner = |(k, c): (usize, &[f64; 2])| all_between(&format!("corner {}", k + 1), c, PLACE);
                    p.iter().enumerate().find_map(corner).map(|problem| format!("polygon {number}: {problem}"))
                };
                polygons.iter().enumerate().find_map(fault)
            }
            RegionSpec::Faces(faces) if faces.is_empty() => Some("faces is empty: use \"none\"".into()),
            RegionSpec::Faces(faces) if faces.contains(&0) => {
                Some("faces are counted from 1, there is no face 0".into())
            }
            _ => None,
        }
    }
}

/// The center of a triangle in the material plane, meters.
pub(super) fn center(mesh: &Mesh, face: usize) -> [f64; 2] {
    let corners = mesh.uv_corners(face);
    [0, 1].map(|k| corners.iter().map(|c| f64::from(c[k])).sum::<f64>() / 3.0)
}

/// Whether a point is inside a polygon, by the even-odd rule.
pub fn contains(polygon: &[[f64; 2]], p: [f64; 2]) -> bool {
    let mut inside = false;
    for (i, a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
            inside = !inside;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_in_a_command_line_what_they_mean_in_a_file() {
        for word in ["all", "none", "half"] {
            let read: RegionSpec = serde_json::from_str(&format!("\"{word}\"")).unwrap();
            assert_eq!(RegionSpec::named(word), Some(read));
        }
        assert_eq!(RegionSpec::named("mask.txt"), None);
    }

    #[test]
    fn a_concave_polygon_has_its_inside_and_not_its_notch() {
        let arrow = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 1.0], [0.0, 2.0]];
        for (p, inside) in [([0.5, 0.5], true), ([1.0, 1.5], false), ([1.9, 1.8], true), ([-0.1, 1.0], false)] {
            assert_eq!(contains(&arrow, p), inside, "{p:?}");
        }
    }
}
