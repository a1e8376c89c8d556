//! Contacts as rows of the system.

use crate::linear::Scalar;
use nalgebra::Vector3;

/// A node near a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetContact {
    /// The node, then the three of the triangle.
    pub nodes: [u32; 4],
    /// Weights of their positions: 1, and the negative barycentric coordinates of the nearest point.
    pub weights: [f64; 4],
    /// n, from the triangle to the node.
    pub normal: Vector3<f64>,
}

impl SheetContact {
    /// n·(x − Σ b_k x_k), meters; of velocities, m/s.
    pub fn gap(&self, x: impl Fn(usize) -> Vector3<f64>) -> f64 {
        let terms = self.nodes.iter().zip(self.weights);
        self.normal.dot(&terms.fold(Vector3::zeros(), |sum, (n, w)| sum + x(*n as usize) * w))
    }
}

/// The contacts of an iteration that push: row, D and stress of each, and which of them each node is in.
#[derive(Clone, Debug, Default)]
pub struct ContactRows<T> {
    rows: Vec<Row<T>>,
    /// Where the entries of each node begin in `of_node`, and the end. Empty without contacts.
    starts: Vec<u32>,
    /// Row, and which of its nodes.
    of_node: Vec<(u32, u8)>,
}

#[derive(Clone, Copy, Debug)]
struct Row<T> {
    nodes: [u32; 4],
    /// Weight times normal, by node.
    entries: [[T; 3]; 4],
    stiffness: T,
    stress: f64,
}

impl<T: Scalar> ContactRows<T> {
    /// From contacts with a stiffness D and a stress each; those without stiffness are left out.
    pub fn update(&mut self, node_count: usize, contacts: impl Iterator<Item = (SheetContact, f64, f64)>) {
        self.rows.clear();
        for (contact, stiffness, stress) in contacts.filter(|(_, stiffness, _)| *stiffness > 0.0) {
            let entries = contact.weights.map(|w| (contact.normal * w).map(T::from_f64).into());
            self.rows.push(Row { nodes: contact.nodes, entries, stiffness: T::from_f64(stiffness), stress });
        }
        self.index(node_count);
    }

    fn index(&mut self, node_count: usize) {
        self.starts.clear();
        self.of_node.clear();
        if self.rows.is_empty() {
            return;
        }
        self.starts.resize(node_count + 1, 0);
        let nodes = || {
            self.rows
                .iter()
                .enumerate()
                .flat_map(|(r, row)| row.nodes.into_iter().zip(0_u8..).map(move |(n, k)| (r, n, k)))
        };
        nodes().for_each(|(_, n, _)| self.starts[n as usize + 1] += 1);
        for n in 0..node_count {
            self.starts[n + 1] += self.starts[n];
        }
        let mut next = self.starts.clone();
        self.of_node.resize(4 * self.rows.len(), (0, 0));
        for (r, n, k) in nodes() {
            let place = &mut next[n as usize];
            self.of_node[*place as usize] = (r as u32, k);
            *place += 1;
        }
    }

    /// Whether nothing touches.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// D (row·x) of every row.
    pub fn products<S: Scalar>(&self, x: &[[S; 5]]) -> Vec<S> {
        let product = |row: &Row<T>| {
            let terms = row.nodes.iter().zip(&row.entries);
            let sum = terms.fold(0.0, |sum, (n, e)| {
                let x = &x[*n as usize];
                sum + (0..3).map(|k| e[k].to_f64() * x[k].to_f64()).sum::<f64>()
            });
            S::from_f64(row.stiffness.to_f64() * sum)
        };
        self.rows.iter().map(product).collect()
    }

    /// What a node takes part in: the entries of its rows, with the number of each row.
    pub fn of(&self, node: usize) -> impl Iterator<Item = (usize, Vector3<f64>)> + '_ {
        let range =
            if self.starts.is_empty() { 0..0 } else { self.starts[node] as usize..self.starts[node + 1] as usize };
        self.of_node[range].iter().map(|(r, k)| {
            let entries = self.rows[*r as usize].entries[usize::from(*k)];
            (*r as usize, Vector3::from(entries.map(T::to_f64)))
        })
    }

    /// Stress of a row, N s.
    pub fn stress(&self, row: usize) -> f64 {
        self.rows[row].stress
    }

    /// D of a row.
    pub fn stiffness(&self, row: usize) -> f64 {
        self.rows[row].stiffness.to_f64()
    }
}
