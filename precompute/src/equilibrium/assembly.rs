//! Gradient and second derivatives of a cell's energy, assembled.

use crate::cell::energy::Problem;
use crate::cell::kinematics::Image;
use crate::cell::pairs::Pairs;
use crate::cell::state::State;
use crate::contact::pair::PairDerivatives;
use crate::equilibrium::statistics::{Observer, Part};
use crate::rod::joint::JointMatrix;
use crate::rod::{bend, stretch, twist};
use crate::sparse::BlockMatrix;
use nalgebra::{Matrix3, Matrix4, Vector3};

/// Gradient of the elastic and of the contact energy by (x, r theta), N.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gradient {
    /// Of stretch, bend and twist.
    pub elastic: Vec<f64>,
    /// Of contact.
    pub contact: Vec<f64>,
}

impl Gradient {
    /// Their sum.
    pub(crate) fn total(&self) -> Vec<f64> {
        self.elastic.iter().zip(&self.contact).map(|(a, b)| a + b).collect()
    }
}

/// A block matrix with the places where the parts of a problem go.
pub(crate) struct Assembly {
    /// The matrix.
    pub matrix: BlockMatrix,
    joints: Vec<[usize; 6]>,
    /// Blocks of each pair of segments; none for pairs that did not touch when the pattern was made.
    pairs: Vec<Option<[usize; 10]>>,
    /// Pairs in touch, with the squared distance of the nearest node of the first segment to the second one over 4r^2.
    pub touching: Vec<(usize, f64)>,
}

/// Local vertex pairs of a joint (previous, own, next), in the order of its blocks.
const JOINT_PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// Local vertex pairs of two segments, in the order of [`PairDerivatives::hessian`].
const SEGMENT_PAIRS: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];

fn joint_vertices(problem: &Problem, i: usize) -> [usize; 3] {
    [problem.cell.previous[i], i, problem.cell.next[i]]
}

fn pair_vertices(problem: &Problem, pairs: &Pairs, k: usize) -> [usize; 4] {
    let (i, j) = (pairs.pairs[k].first as usize, pairs.pairs[k].second as usize);
    [i, problem.cell.next[i], j, problem.cell.next[j]]
}

impl Assembly {
    /// A matrix for the joints of `problem` and those of `pairs` for which `wanted` holds.
    pub(crate) fn new(problem: &Problem, pairs: &Pairs, wanted: &[bool]) -> Self {
        let n = problem.cell.vertex_count();
        let of_joints = (0..n).flat_map(|i| {
            let v = joint_vertices(problem, i);
            JOINT_PAIRS.map(|(a, b)| (v[a], v[b]))
        });
        let of_pairs = (0..pairs.pairs.len()).filter(|k| wanted[*k]).flat_map(|k| {
            let v = pair_vertices(problem, pairs, k);
            SEGMENT_PAIRS.map(|(a, b)| (v[a], v[b]))
        });
        let matrix = BlockMatrix::new(n, of_joints.chain(of_pairs));
        let mut out = Assembly { matrix, joints: Vec::new(), pairs: Vec::new(), touching: Vec::new() };
        out.joints = (0..n)
            .map(|i| {
                let v = joint_vertices(problem, i);
                JOINT_PAIRS.map(|(a, b)| out.matrix.slot(v[a], v[b]).unwrap_or(usize::MAX))
            })
            .collect();
        out.rename_pairs(problem, pairs);
        out
    }

    /// Finds the blocks of a new list of pairs in the same pattern.
    pub(crate) fn rename_pairs(&mut self, problem: &Problem, pairs: &Pairs) {
        self.pairs = (0..pairs.pairs.len())
            .map(|k| {
                let v = pair_vertices(problem, pairs, k);
                let mut slots = [0; 10];
                for (slot, (a, b)) in slots.iter_mut().zip(SEGMENT_PAIRS) {
                    *slot = self.matrix.slot(v[a], v[b])?;
                }
                Some(slots)
            })
            .collect();
    }

    /// Fills matrix and gradient at `state`. False when a pair touches that the pattern has no place for.
    pub(crate) fn assemble(
        &mut self,
        problem: &Problem,
        state: &State,
        pairs: &Pairs,
        gradient: &mut Gradient,
        observer: &mut impl Observer,
    ) -> bool {
        let size = 4 * state.position.len();
        for g in [&mut gradient.elastic, &mut gradient.contact] {
            g.clear();
            g.resize(size, 0.0);
        }
        self.matrix.clear();
        observer.begin(Part::Rods);
        self.add_rods(problem, state, &mut gradient.elastic);
        observer.end();
        observer.begin(Part::Contact);
        let complete = self.add_contacts(problem, state, pairs, &mut gradient.contact);
        observer.end();
        complete
    }

    fn add_rods(&mut self, problem: &Problem, state: &State, gradient: &mut [f64]) {
        let cell = problem.cell;
        let edges = problem.links.edges(cell, &state.position);
        let vertices = cell.pattern.vertices();
        let k = &cell.stiffness;
        for i in 0..edges.len() {
            let (joint, m) = problem.joint(state, &edges, i);
            let l = cell.voronoi_length[i];
            let (bend, twist) = (k.bend / l, k.twist / l);
            let (rest_curvature, rest_twist) = (vertices[i].rest_curvature, vertices[i].rest_twist);
            let (edge, rest) = (&edges[i], cell.rest_length[i]);
            let g = bend::gradient(&joint, bend, rest_curvature) + twist::gradient(&joint, m, twist, rest_twist);
            let pull = stretch::gradient(k.stretch, edge.length, rest, &edge.tangent);
            problem.add_joint_gradient(i, &g, &pull, gradient);
            let mut h = bend::hessian(&joint, bend, rest_curvature) + twist::hessian(&joint, m, twist, rest_twist);
            let mut own = h.fixed_view_mut::<3, 3>(3, 3);
            own += stretch::hessian(k.stretch, edge.length, rest, &edge.tangent);
            self.add_joint(problem, i, &h);
        }
    }

    /// Turns derivatives by edges into derivatives by vertices, e0 = x_i - x_p and e1 = x_n - x_i, and adds them.
    fn add_joint(&mut self, problem: &Problem, i: usize, h: &JointMatrix) {
        let r = problem.cell.radius();
        let e00 = h.fixed_view::<3, 3>(0, 0).into_owned();
        let e01 = h.fixed_view::<3, 3>(0, 3).into_owned();
        let e11 = h.fixed_view::<3, 3>(3, 3).into_owned();
        let column = |row: usize, c: usize| h.fixed_view::<3, 1>(row, c).into_owned() / r;
        let (e0_t0, e0_t1, e1_t0, e1_t1) = (column(0, 6), column(0, 7), column(3, 6), column(3, 7));
        let t = |a: usize, b: usize| h[(a, b)] / (r * r);
        let zero = Vector3::zeros();
        let none = 0.0;
        let symmetric = e00 - e01 - e01.transpose() + e11;
        let blocks = [
            block(&e00, &-e0_t0, &-e0_t0, t(6, 6)),
            block(&(e01 - e00), &-e0_t1, &(e0_t0 - e1_t0), t(6, 7)),
            block(&-e01, &zero, &e1_t0, none),
            block(&symmetric, &(e0_t1 - e1_t1), &(e0_t1 - e1_t1), t(7, 7)),
            block(&(e01 - e11), &zero, &e1_t1, none),
            block(&e11, &zero, &zero, none),
        ];
        let v = joint_vertices(problem, i);
        let images = [Some(&problem.links.incoming[i]), None, Some(&problem.links.outgoing[i])];
        for (k, (a, b)) in JOINT_PAIRS.into_iter().enumerate() {
            let turned = turned4(&blocks[k], images[a], images[b]);
            if a == b {
                self.matrix.add_diagonal(self.joints[i][k], &turned);
            } else {
                self.matrix.add_mixed(self.joints[i][k], v[a], v[b], &turned);
            }
        }
    }

    fn add_contacts(&mut self, problem: &Problem, state: &State, pairs: &Pairs, gradient: &mut [f64]) -> bool {
        let mut complete = true;
        self.touching.clear();
        for (k, pair) in pairs.pairs.iter().enumerate() {
            let rule = problem.contact.rule(problem.cell, pair.first as usize, pair.second as usize);
            let Some(d) = problem.segments(&state.position, pair, pairs).derivatives(&rule) else { continue };
            problem.add_pair_gradient(pair, pairs, &d.gradient, gradient);
            self.touching.push((k, d.nearest));
            match self.pairs[k] {
                Some(slots) => self.add_pair(problem, pairs, k, &slots, &d),
                None => complete = false,
            }
        }
        complete
    }

    fn add_pair(&mut self, problem: &Problem, pairs: &Pairs, k: usize, slots: &[usize; 10], d: &PairDerivatives) {
        let v = pair_vertices(problem, pairs, k);
        let image = &pairs.images[pairs.pairs[k].image as usize];
        let (out_i, out_j) = (&problem.links.outgoing[v[0]], &problem.links.outgoing[v[2]]);
        let planar = [image, out_i, out_j].iter().all(|m| m.rotation.is_none());
        for (n, (a, b)) in SEGMENT_PAIRS.into_iter().enumerate() {
            let h = if planar {
                d.hessian[n]
            } else {
                let rotations = [
                    None,
                    out_i.rotation,
                    image.rotation,
                    Some(
                        image.rotation.unwrap_or_else(Matrix3::identity)
                            * out_j.rotation.unwrap_or_else(Matrix3::identity),
                    ),
                ];
                turned3(&d.hessian[n], rotations[a].as_ref(), rotations[b].as_ref())
            };
            if a == b {
                self.matrix.add_diagonal_positions(slots[n], &h);
            } else {
                self.matrix.add_mixed_positions(slots[n], v[a], v[b], &h);
            }
        }
    }
}

fn block(xx: &Matrix3<f64>, x_theta: &Vector3<f64>, theta_x: &Vector3<f64>, theta: f64) -> Matrix4<f64> {
    let mut out = Matrix4::zeros();
    out.fixed_view_mut::<3, 3>(0, 0).copy_from(xx);
    out.fixed_view_mut::<3, 1>(0, 3).copy_from(x_theta);
    out.fixed_view_mut::<1, 3>(3, 0).copy_from(&theta_x.transpose());
    out[(3, 3)] = theta;
    out
}

/// Derivatives by copies of two vertices, turned into derivatives by the vertices.
fn turned3(m: &Matrix3<f64>, row: Option<&Matrix3<f64>>, column: Option<&Matrix3<f64>>) -> Matrix3<f64> {
    let left = row.map_or(*m, |r| r.transpose() * m);
    column.map_or(left, |r| left * r)
}

fn turned4(m: &Matrix4<f64>, row: Option<&Image>, column: Option<&Image>) -> Matrix4<f64> {
    let rotation = |i: Option<&Image>| i.and_then(|i| i.rotation).map(|r| r.to_homogeneous());
    let left = rotation(row).map_or(*m, |r| r.transpose() * m);
    rotation(column).map_or(left, |r| left * r)
}
