//! The copies of control points and contact points that those of a bent cell meet.
//!
//! With copies in the list as points of their own the yarns are those of a fabric without a period, and all its energies serve. Forces on
//! a copy are then turned back to the point that it is a copy of.

use super::super::contacts::{Contacts, SpanPair};
use super::super::curve::Station;
use super::super::yarns::{ContactPoint, ElasticPoint, Yarns};
use crate::cell::kinematics::{Image, LargeScale};
use crate::newton::Blocks;
use nalgebra::{Matrix3, Vector3};
use std::collections::HashMap;

/// Control points of a cell followed by copies, and the yarns and contacts among them.
pub(super) struct CellCopies {
    /// The yarns, in the numbers of the list.
    pub(super) yarns: Yarns,
    /// What may touch, in the numbers of the list.
    pub(super) contacts: Contacts,
    /// The control point that each one is a copy of, and where the copy is.
    owners: Vec<(usize, Image)>,
}

/// The list in the making.
struct Lister<'a> {
    yarns: &'a Yarns,
    deformation: &'a LargeScale,
    owners: Vec<(usize, Image)>,
    numbers: HashMap<(u32, [i32; 2]), u32>,
}

impl Lister<'_> {
    /// The number of the copy of a control point `shift` periods away.
    fn number(&mut self, point: u32, shift: [i32; 2]) -> u32 {
        if shift == [0, 0] {
            return point;
        }
        let owners = &mut self.owners;
        let deformation = self.deformation;
        *self.numbers.entry((point, shift)).or_insert_with(|| {
            owners.push((point as usize, deformation.image(shift)));
            (owners.len() - 1) as u32
        })
    }

    /// The copy of a station `shift` periods away.
    fn station(&mut self, station: &Station, curve: usize, shift: [i32; 2]) -> Station {
        let curve = self.yarns.curves[curve];
        let mut out = Station { turns: [0.0; 3], ..*station };
        for (a, point) in out.point.iter_mut().enumerate() {
            // The four splines of a span of a closed curve begin one before it.
            let along = (station.span + a) as i32 - 1;
            let turns = if curve.closed { along.div_euclid(curve.count as i32) } else { 0 };
            *point = self.number(*point, [0, 1].map(|k| shift[k] + turns * curve.shift[k]));
        }
        out
    }
}

impl CellCopies {
    /// Of a cell whose contact points may touch as `found` says.
    pub(super) fn new(yarns: &Yarns, deformation: &LargeScale, found: &Contacts) -> Self {
        let points = yarns.point_count();
        let owners = (0..points).map(|p| (p, Image::IDENTITY)).collect();
        let mut lister = Lister { yarns, deformation, owners, numbers: HashMap::new() };
        let elastic = yarns
            .elastic
            .iter()
            .map(|p| ElasticPoint { station: lister.station(&p.station, p.curve, [0, 0]), ..*p })
            .collect();
        let mut contact: Vec<ContactPoint> = yarns
            .contact
            .iter()
            .map(|p| ContactPoint { station: lister.station(&p.station, p.curve, [0, 0]), ..*p })
            .collect();
        let mut spans = yarns.contact.last().map_or(0, |p| p.span_of_all);
        let mut copied: HashMap<(u32, usize), usize> = HashMap::new();
        let mut contacts = Contacts { shifts: vec![[0, 0]], ..Contacts::default() };
        for pair in &found.pairs {
            let shift = found.shifts[pair.image as usize];
            let span = yarns.contact[pair.points[0][1] as usize].span_of_all;
            let first = yarns.contact.partition_point(|p| p.span_of_all < span);
            let start = if shift == [0, 0] {
                first
            } else {
                *copied.entry((pair.image, span)).or_insert_with(|| {
                    // Two on: a copy's span follows on no other one.
                    spans += 2;
                    let start = contact.len();
                    for p in yarns.contact[first..].iter().take_while(|p| p.span_of_all == span) {
                        let station = lister.station(&p.station, p.curve, shift);
                        contact.push(ContactPoint { station, span_of_all: spans, ..*p });
                    }
                    start
                })
            };
            let points = pair.points.iter().map(|[a, b]| [*a, b - first as u32 + start as u32]).collect();
            contacts.pairs.push(SpanPair { image: 0, points });
        }
        let yarns = Yarns { elastic, contact, ..yarns.clone() };
        CellCopies { yarns, contacts, owners: lister.owners }
    }

    /// Where the control points and their copies are, m.
    pub(super) fn places(&self, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.owners.iter().map(|(point, image)| image.point(&q[*point])).collect()
    }

    /// Adds forces on the control points and their copies to those on the control points.
    pub(super) fn fold(&self, forces: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        for ((point, image), force) in self.owners.iter().zip(forces) {
            out[*point] += image.inverse_vector(force);
        }
    }

    /// Calls `pair` for all control points that share an entry of the stiffness matrix.
    pub(super) fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        self.yarns.couplings(&self.contacts, &mut |a, b| pair(self.owners[a].0, self.owners[b].0));
    }

    /// Where second derivatives by control points and their copies are added to those by control points.
    pub(super) fn folded<'a, B: Blocks>(&'a self, blocks: &'a mut B) -> Folded<'a, B> {
        Folded { owners: &self.owners, blocks }
    }
}

/// Second derivatives by copies, turned back.
pub(super) struct Folded<'a, B> {
    owners: &'a [(usize, Image)],
    blocks: &'a mut B,
}

impl<B: Blocks> Blocks for Folded<'_, B> {
    fn add(&mut self, i: usize, j: usize, block: &Matrix3<f64>) {
        let ((a, from), (b, to)) = (&self.owners[i], &self.owners[j]);
        self.blocks.add(*a, *b, &turned(from, block, to));
    }

    fn add_diagonal(&mut self, i: usize, block: &Matrix3<f64>) {
        let (point, image) = &self.owners[i];
        self.blocks.add_diagonal(*point, &turned(image, block, image));
    }
}

/// A^T block B for the rotations of two copies.
fn turned(a: &Image, block: &Matrix3<f64>, b: &Image) -> Matrix3<f64> {
    let left = a.rotation.map_or(*block, |r| r.transpose() * block);
    b.rotation.map_or(left, |r| left * r)
}
