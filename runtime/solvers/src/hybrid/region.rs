//! Where cloth is yarns, where triangles, and where both [Casafranca20, §4.1].
//!
//! α is 1 at the corners of the triangles that are yarns entirely, 0 at all other vertices, and linear in between: the hybrid region is
//! the ring of triangles around the yarns.

/// What a triangle, a vertex or a yarn node takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Yarns alone.
    Yarns,
    /// Both, blended.
    Hybrid,
    /// Triangles alone.
    Triangles,
}

/// The classes of a mesh and the blending field.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// α of each vertex, 0 to 1.
    pub alpha: Vec<f64>,
    /// Of each triangle.
    pub triangles: Vec<Class>,
    /// Of each vertex: hybrid where it is a corner of a hybrid triangle, else that of its triangles.
    pub vertices: Vec<Class>,
}

impl Region {
    /// From the triangles that are to be yarns. One whose corners all touch yarns would be hybrid without being blended: it becomes yarns.
    ///
    /// # Panics
    /// Where `full` has not one entry a face.
    pub fn new(faces: &[[u32; 3]], vertices: usize, full: &[bool]) -> Self {
        assert_eq!(faces.len(), full.len());
        let mut full = full.to_vec();
        let alpha = loop {
            let mut alpha = vec![0.0; vertices];
            for (face, _) in faces.iter().zip(&full).filter(|(_, full)| **full) {
                face.iter().for_each(|v| alpha[*v as usize] = 1.0);
            }
            let notch = |(face, full): (&[u32; 3], &bool)| !full && face.iter().all(|v| alpha[*v as usize] == 1.0);
            let notches: Vec<bool> = faces.iter().zip(&full).map(notch).collect();
            if !notches.contains(&true) {
                break alpha;
            }
            full.iter_mut().zip(notches).for_each(|(full, notch)| *full |= notch);
        };
        let class = |(face, full): (&[u32; 3], &bool)| match face.iter().any(|v| alpha[*v as usize] > 0.0) {
            _ if *full => Class::Yarns,
            true => Class::Hybrid,
            false => Class::Triangles,
        };
        let triangles: Vec<Class> = faces.iter().zip(&full).map(class).collect();
        let vertices = vertex_classes(faces, vertices, &triangles);
        Region { alpha, triangles, vertices }
    }

    /// Every triangle hybrid and every yarn of full weight: triangles only carry the yarns along [Casafranca20, Fig. 3].
    pub fn enriched(faces: &[[u32; 3]], vertices: usize) -> Self {
        let triangles = vec![Class::Hybrid; faces.len()];
        Region { alpha: vec![1.0; vertices], vertices: vertex_classes(faces, vertices, &triangles), triangles }
    }

    /// Number of triangles of a class.
    pub fn count(&self, class: Class) -> usize {
        self.triangles.iter().filter(|c| **c == class).count()
    }

    /// α inside a triangle, from its corners and barycentric coordinates.
    pub fn alpha_in(&self, face: &[u32; 3], beta: &[f64; 3]) -> f64 {
        face.iter().zip(beta).map(|(v, b)| b * self.alpha[*v as usize]).sum()
    }
}

fn vertex_classes(faces: &[[u32; 3]], vertices: usize, triangles: &[Class]) -> Vec<Class> {
    // A vertex without faces takes part in nothing that yarns do.
    let mut classes: Vec<Option<Class>> = vec![None; vertices];
    for (face, class) in faces.iter().zip(triangles) {
        for v in face {
            let at = &mut classes[*v as usize];
            *at = Some(match *at {
                Some(other) if other != *class => Class::Hybrid,
                _ => *class,
            });
        }
    }
    classes.into_iter().map(|c| c.unwrap_or(Class::Triangles)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares cut by their diagonals, `n` a side, with the faces whose centers `inside` accepts as yarns.
    fn region(n: usize, inside: impl Fn(f64, f64) -> bool) -> (Vec<[u32; 3]>, Region) {
        let id = |i: usize, j: usize| (i * (n + 1) + j) as u32;
        let mut faces = Vec::new();
        let mut full = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let (x, y) = (i as f64, j as f64);
                faces.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
                full.push(inside(x + 2.0 / 3.0, y + 1.0 / 3.0));
                faces.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
                full.push(inside(x + 1.0 / 3.0, y + 2.0 / 3.0));
            }
        }
        let region = Region::new(&faces, (n + 1) * (n + 1), &full);
        (faces, region)
    }

    fn counts(region: &Region) -> [usize; 3] {
        [Class::Yarns, Class::Hybrid, Class::Triangles].map(|c| region.count(c))
    }

    #[test]
    fn a_straight_border_has_one_row_of_hybrid_triangles() {
        let (_, region) = region(6, |x, _| x < 3.0);
        assert_eq!(counts(&region), [36, 12, 24]);
        assert_eq!(region.vertices.iter().filter(|c| **c == Class::Hybrid).count(), 2 * 7);
    }

    #[test]
    fn islands_have_rings_and_two_near_ones_share_theirs() {
        let (_, one) = region(8, |x, y| (x - 4.0).abs() < 1.0 && (y - 4.0).abs() < 1.0);
        // A ring of 12 cells, without the two triangles that touch no corner.
        assert_eq!(counts(&one), [8, 22, 98]);
        let (_, edge) = region(8, |x, y| x < 2.0 && (y - 4.0).abs() < 1.0);
        assert_eq!(edge.count(Class::Yarns), 8);
        let (faces, two) = region(8, |x, y| (y - 4.0).abs() < 1.0 && !(2.0..=3.0).contains(&x));
        // Between them all corners touch yarns: the gap closes.
        assert_eq!(two.count(Class::Yarns), 4 * 8);
        assert!(faces.iter().zip(&two.triangles).all(|(f, c)| {
            let sum: f64 = f.iter().map(|v| two.alpha[*v as usize]).sum();
            (*c == Class::Yarns) == (sum == 3.0) && (*c == Class::Triangles) == (sum == 0.0)
        }));
    }

    #[test]
    fn nothing_and_everything_have_no_ring() {
        assert_eq!(counts(&region(3, |_, _| false).1), [0, 0, 18]);
        assert_eq!(counts(&region(3, |_, _| true).1), [18, 0, 0]);
    }
}
