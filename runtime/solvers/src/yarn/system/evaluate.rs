//! The elements of a state: their rows, and what Newton's method brings to zero,
//!
//!   r(v) = M v − p_n − h [F(q_n + h v) − ∇V_d − αM v − βK v − D_f v + ∇T]
//!
//! with F, V_d of the end of the step; M, F_n and anchors of its start. The first iteration has F linearized at the start, F(q_n) − hK v.

use super::bands::{Band, LANES, take};
use super::crimp_rows::CrimpRow;
use super::element::NodeElements;
use super::rows::{Coefficients, Rows};
use super::shares::{Planes, Pool, SHARES, gather};
use super::step_data::{Evaluation, StepData};
use crate::linear::Scalar;
use crate::yarn::self_contact::SheetContact;
use nalgebra::Vector3;
use rayon::prelude::*;

/// The rows of a band, to be written.
struct BandRows<'a, T> {
    directions: [&'a mut [T]; 8],
    coefficients: &'a mut [Coefficients<T>],
    residual: &'a mut [[T; 5]],
}

impl StepData<'_> {
    /// Evaluates the elements of every node: rows, and the residual in kg m/s.
    pub fn evaluate<T: Scalar>(&self, at: Evaluation<'_, T>, rows: &mut Rows<T>, residual: &mut Vec<[T; 5]>) {
        let n = self.weave.node_count();
        rows.resize(n);
        rows.mass_factor = (1.0 + self.h * self.weave.material.mass_damping) * self.k.density / 6.0;
        residual.resize(n, [T::ZERO; 5]);
        rows.contacts.update(n, self.contacts.iter().map(|contact| self.push(contact, at)));
        let crimps = self.crimps(at);
        match &crimps {
            Some(crimps) => rows.crimps.update(crimps, self.h * self.h),
            None => rows.crimps.clear(),
        }
        let Rows { directions, coefficients, contacts, .. } = &mut *rows;
        let mut planes = directions.each_mut().map(|d| d.as_mut_slice());
        let whole = residual;
        let (mut coefficients, mut residual) = (coefficients.as_mut_slice(), whole.as_mut_slice());
        let mut pieces = Vec::with_capacity(self.bands.bands.len());
        for band in &self.bands.bands {
            let out = BandRows {
                directions: planes.each_mut().map(|p| take(p, LANES * band.own_packs())),
                coefficients: take(&mut coefficients, band.own_packs()),
                residual: take(&mut residual, band.count),
            };
            pieces.push((band, out));
        }
        let pool = Pool::<f64>::default();
        pieces.into_par_iter().for_each(|(band, mut out)| {
            pool.with(|scratch| self.evaluate_band(at, crimps.as_deref(), band, &mut scratch.shares, &mut out));
            for (k, r) in out.residual.iter_mut().enumerate() {
                for (row, entry) in contacts.of(band.first + k) {
                    (0..3).for_each(|c| r[c] += T::from_f64(entry[c] * contacts.stress(row)));
                }
            }
        });
        if crimps.is_some() && matches!(at, Evaluation::Start) {
            self.add_couplings(at, rows, &mut *whole);
        }
    }

    /// Crossings with crimp, by node; none where yarns lie flat.
    fn crimps<T: Scalar>(&self, at: Evaluation<'_, T>) -> Option<Vec<Option<CrimpRow>>> {
        let law = self.k.crimp.as_ref()?;
        let mut rows = vec![None; self.weave.node_count()];
        rows.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, row)| {
            if self.weave.kinds[i].is_crossing() {
                *row = CrimpRow::new(law, NodeElements::new(self, at, None, i).sides());
            }
        });
        Some(rows)
    }

    /// Adds what the couplings of crossings give with the velocities of the start, where all is linearized there.
    fn add_couplings<T: Scalar>(&self, at: Evaluation<'_, T>, rows: &Rows<T>, residual: &mut [[T; 5]]) {
        let velocity = |i: usize| at.velocity(self.start, i).map(T::from_f64);
        let stresses = rows.crimp_stresses(self.weave, &velocity);
        residual.par_iter_mut().enumerate().with_min_len(512).for_each(|(i, r)| {
            let share = rows.crimp_share(self.weave, &stresses, i);
            (0..5).for_each(|k| r[k] += share[k]);
        });
    }

    fn evaluate_band<T: Scalar>(
        &self,
        at: Evaluation<'_, T>,
        crimps: Option<&[Option<CrimpRow>]>,
        band: &Band,
        shares: &mut Planes<f64>,
        out: &mut BandRows<'_, T>,
    ) {
        shares.resize(SHARES, band.len());
        let nothing = [0.0; SHARES];
        let mut put = |local: usize, given: &[f64; SHARES]| {
            (0..SHARES).for_each(|k| shares.plane_mut(k)[local] = given[k]);
        };
        for local in 0..LANES * band.pack_count() {
            let Some(i) = band.global(local) else {
                put(local, &nothing);
                if local < LANES * band.own_packs() {
                    out.coefficients[local / LANES].iter_mut().for_each(|c| c[local % LANES] = T::ZERO);
                }
                continue;
            };
            let elements = NodeElements::new(self, at, crimps, i).evaluate();
            put(local, &elements.shares);
            if local < band.count {
                for (plane, value) in out.directions.iter_mut().zip(elements.directions) {
                    plane[local] = T::from_f64(value);
                }
                for (lanes, value) in out.coefficients[local / LANES].iter_mut().zip(elements.coefficients) {
                    lanes[local % LANES] = T::from_f64(value);
                }
            }
        }
        put(band.len() - 1, &nothing);
        gather(band, shares, |k, sum| out.residual[k] = sum.map(T::from_f64));
    }

    /// D and stress of a contact of the cloth with itself.
    fn push<T: Scalar>(&self, contact: &SheetContact, at: Evaluation<'_, T>) -> (SheetContact, f64, f64) {
        let StepData { weave, k, start, h, .. } = *self;
        let velocity = |i: usize| {
            let v = at.velocity(start, i);
            Vector3::new(v[0], v[1], v[2])
        };
        let way = h * contact.gap(velocity);
        let mut gap = contact.gap(|i| start.positions[i]);
        if matches!(at, Evaluation::End(_)) {
            gap += way;
        }
        let depth = weave.material.contact_distance() - gap;
        if depth <= 0.0 {
            return (*contact, 0.0, 0.0);
        }
        let linear = if matches!(at, Evaluation::Start) { way } else { 0.0 };
        let stiffness = k.stretch / (10.0 * weave.material.spacing);
        (*contact, h * h * stiffness, h * stiffness * (linear - depth))
    }
}
