//! The operator against differences of the residual, and the preconditioners against the assembled matrix.

use super::*;
use crate::linear::{Operator, Preconditioner};
use crate::yarn::energy::YarnEnergies;
use crate::yarn::material::{CrimpMaterial, YarnMaterial};
use crate::yarn::model::{Sheet, Weave};
use crate::yarn::options::{Damping, Inertia};
use crate::yarn::self_contact::SheetContact;
use crate::yarn::state::State;
use nalgebra::{DMatrix, DVector, Vector3};
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::random::Random;

const STEP: f64 = 1e-3;

fn weave(warps: usize, wefts: usize) -> Weave {
    // Looser than at contact: parallel contact switches at its border.
    let material = YarnMaterial { radius: 0.2e-3, ..Default::default() };
    Sheet::new(warps, wefts, Draft::parse("10/01").unwrap(), material).weave().unwrap()
}

/// Positions, arc coordinates and velocities moved at random.
fn rough(weave: &Weave, size: f64, speed: f64) -> State {
    let mut random = Random::new(5);
    let mut r = || 2.0 * random.unit() - 1.0;
    let mut state = State::at_rest(weave);
    let l = weave.material.spacing;
    for x in &mut state.positions {
        *x += Vector3::new(r(), r(), r()) * (size * l);
    }
    for (i, s) in state.arcs.iter_mut().enumerate() {
        if weave.kinds[i].is_crossing() {
            *s = s.map(|s| s + 0.3 * size * l * r());
        }
    }
    state.velocities.iter_mut().flatten().for_each(|v| *v = speed * r());
    state.compression.fill(5e-3);
    state
}

fn data<'a>(
    weave: &'a Weave,
    bands: &'a Bands,
    k: &'a crate::yarn::material::Stiffness,
    start: &'a State,
    damping: Damping,
) -> StepData<'a> {
    let gravity = Vector3::new(0.3, -9.0, 1.0);
    StepData {
        weave,
        bands,
        k,
        start,
        h: STEP,
        gravity,
        damping,
        inertia: Inertia::Momentum,
        contacts: &[],
        blend: None,
    }
}

fn evaluated(data: &StepData<'_>, at: Evaluation<'_, f64>) -> (Rows<f64>, Vec<[f64; 5]>) {
    let (mut rows, mut r) = (Rows::default(), Vec::new());
    data.evaluate(at, &mut rows, &mut r);
    (rows, r)
}

fn dense(operator: &RowOperator<'_, f64>) -> DMatrix<f64> {
    let n = 5 * operator.weave.node_count();
    let mut a = DMatrix::zeros(n, n);
    for k in 0..n {
        let mut e = DVector::zeros(n);
        e[k] = 1.0;
        Operator::apply(operator, e.as_slice(), a.column_mut(k).as_mut_slice());
    }
    a
}

#[test]
fn the_operator_is_the_derivative_of_the_residual_at_rest() {
    let weave = weave(3, 4);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let start = State { compression: vec![5e-3; weave.node_count()], ..State::at_rest(&weave) };
    let slots: Vec<bool> = (0..weave.node_count())
        .flat_map(|i| {
            let used =
                [0, 1].map(|c| weave.links[i][2 * c].node().is_some() || weave.links[i][2 * c + 1].node().is_some());
            [true, true, true, used[0], used[1]]
        })
        .collect();
    for damping in [Damping::Strain, Damping::Lagged] {
        let data = data(&weave, &bands, &k, &start, damping);
        let n = 5 * weave.node_count();
        let v = vec![[0.0; 5]; weave.node_count()];
        let (rows, _) = evaluated(&data, Evaluation::End(&v));
        let a = dense(&RowOperator::new(&weave, &bands, &rows));
        let e = 1e-6;
        for j in (0..n).filter(|j| slots[*j]) {
            let at = |sign: f64| {
                let mut v = v.clone();
                v[j / 5][j % 5] += sign * e;
                DVector::from_column_slice(evaluated(&data, Evaluation::End(&v)).1.as_flattened())
            };
            let numeric = (at(1.0) - at(-1.0)) / (2.0 * e);
            let error = (&numeric - a.column(j)).amax();
            assert!(error < 1e-6 * a.amax(), "{damping:?} column {j}: {error} of {}", a.amax());
            // The soft rows too: each entry against the diagonal.
            let own = (numeric[j] - a[(j, j)]).abs() / a[(j, j)];
            assert!(own < 1e-4, "{damping:?} diagonal {j}: {own}");
        }
    }
}

#[test]
fn the_matrix_is_symmetric_positive_and_the_same_in_two_precisions() {
    let weave = weave(4, 5);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let start = rough(&weave, 0.2, 0.1);
    let data = data(&weave, &bands, &k, &start, Damping::Strain);
    let (rows, _) = evaluated(&data, Evaluation::Start);
    let a = dense(&RowOperator::new(&weave, &bands, &rows));
    assert!((&a - a.transpose()).amax() < 1e-14 * a.amax());
    let values = a.clone().symmetric_eigenvalues();
    assert!(values.min() > -1e-12 * values.max(), "{} {}", values.min(), values.max());
    let mut single = Rows::<f32>::default();
    data.evaluate(Evaluation::Start, &mut single, &mut Vec::new());
    let operator = RowOperator::new(&weave, &bands, &single);
    let x: Vec<[f64; 5]> = start.velocities.clone();
    let mut y = vec![0.0_f32; 5 * x.len()];
    let narrow: Vec<f32> = x.as_flattened().iter().map(|x| *x as f32).collect();
    Operator::apply(&operator, &narrow, &mut y);
    let y = DVector::from_iterator(y.len(), y.iter().map(|y| f64::from(*y)));
    let expected = &a * DVector::from_column_slice(x.as_flattened());
    let error = (y - &expected).amax();
    assert!(error < 1e-6 * expected.amax() && error > 0.0, "{error}");
}

#[test]
fn blocks_and_lines_are_parts_of_the_matrix() {
    let weave = weave(4, 5);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let start = rough(&weave, 0.1, 0.1);
    let data = data(&weave, &bands, &k, &start, Damping::Strain);
    let (rows, _) = evaluated(&data, Evaluation::Start);
    let operator = RowOperator::new(&weave, &bands, &rows);
    let a = dense(&operator);
    let n = a.nrows();
    let mut filter =
        NodeFilter { nodes: vec![NodeConstraint::default(); weave.node_count()], partial: Default::default() };
    filter.nodes[3].insert(NodeConstraint::POSITION | NodeConstraint::V);
    filter.nodes[8].insert(NodeConstraint::PARTIAL);
    let tilted = Vector3::new(1.0, -2.0, 2.0) / 3.0;
    filter.partial.insert(8, crate::linear::Constraint::Plane(tilted));
    let mut s = DMatrix::<f64>::identity(n, n);
    s.column_iter_mut().for_each(|mut c| crate::linear::Filter::apply(&filter, c.as_mut_slice()));
    let identity = DMatrix::<f64>::identity(n, n);
    let constrained = &s * &a * &s + &identity - &s;
    let masked = |same: &dyn Fn(usize, usize) -> bool| {
        DMatrix::from_fn(n, n, |i, j| if same(i / 5, j / 5) { constrained[(i, j)] } else { 0.0 })
    };
    let b = DVector::from_fn(n, |i, _| (i as f64 * 0.7).sin() * 1e-6);
    let apply = |p: &dyn Preconditioner<f64>| {
        let mut h = DVector::zeros(n);
        p.apply_inverse(b.as_slice(), h.as_mut_slice());
        h
    };
    let close = |found: DVector<f64>, expected: DVector<f64>, what: &str| {
        let error = (&found - &expected).norm() / expected.norm();
        assert!(error < 1e-8, "{what}: {error}");
    };
    let blocks = masked(&|i, j| i == j);
    close(apply(&NodeBlocks::new(&operator, &filter)), blocks.lu().solve(&b).unwrap(), "blocks");
    let yarn = |slot: usize| {
        let yarns = &weave.yarns_of;
        let of = move |i: usize| yarns[i][slot];
        let family = if slot == 0 { 0..4 } else { 4..9 };
        move |i: usize, j: usize| i == j || (of(i) == of(j) && family.contains(&of(i)))
    };
    let (w, f) = (masked(&yarn(0)), masked(&yarn(1)));
    let (w_lu, f_lu) = (w.lu(), f.lu());
    let order = LineOrder::new(&weave);
    let additive = (w_lu.solve(&b).unwrap() + f_lu.solve(&b).unwrap()) * 0.5;
    close(apply(&Lines::new(&order, &operator, &filter, false)), additive, "lines");
    // One after the other, with lines of their own.
    let b = &s * &b;
    let lines = Lines::new(&order, &operator, &filter, true);
    let solve = |set: usize, r: &DVector<f64>| {
        let mut h = DVector::zeros(n);
        lines.solve_set(set, r.as_slice(), h.as_mut_slice());
        h
    };
    let mut z = solve(0, &b);
    z += solve(1, &(&b - &s * (&a * &z)));
    z += solve(0, &(&b - &s * (&a * &z)));
    let mut h = DVector::zeros(n);
    Preconditioner::apply_inverse(&lines, b.as_slice(), h.as_mut_slice());
    close(h, z, "warps, wefts, warps");
}

/// The least and the largest eigenvalue of P⁻¹A for a matrix A = C Cᵀ: those of Cᵀ P⁻¹ C.
fn spectrum(a: &DMatrix<f64>, inverse: &dyn Fn(&[f64], &mut [f64])) -> [f64; 2] {
    let c = a.clone().cholesky().expect("A is positive definite").unpack();
    let mut columns = c.clone();
    let mut h = vec![0.0; a.nrows()];
    for mut column in columns.column_iter_mut() {
        inverse(column.as_slice(), &mut h);
        column.copy_from_slice(&h);
    }
    let product = c.transpose() * columns;
    let skew = (&product - product.transpose()).amax() / product.amax();
    // Products with A in P⁻¹ lose the digits of its condition number.
    assert!(skew < 1e-4, "P is not symmetric: {skew}");
    let values = ((&product + product.transpose()) * 0.5).symmetric_eigenvalues();
    [values.min(), values.max()]
}

#[test]
fn lines_one_after_the_other_hold_half_of_the_matrix_and_are_positive_definite() {
    let weave = weave(7, 8);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let nodes = vec![NodeConstraint::default(); weave.node_count()];
    let filter = NodeFilter { nodes, partial: Default::default() };
    let order = LineOrder::new(&weave);
    // A contact as stiff as the cloth is along its yarns.
    let contact = SheetContact { nodes: [3, 30, 31, 38], weights: [1.0, -0.2, -0.3, -0.5], normal: Vector3::z() };
    let push = (contact, STEP * STEP * k.stretch / weave.material.spacing, 0.0);
    for damping in [Damping::Strain, Damping::Lagged] {
        for roughness in [0.003, 0.1, 0.3] {
            let start = rough(&weave, roughness, 0.1);
            let data = data(&weave, &bands, &k, &start, damping);
            let (mut rows, _) = evaluated(&data, Evaluation::Start);
            rows.contacts.update(weave.node_count(), std::iter::once(push));
            let operator = RowOperator::new(&weave, &bands, &rows);
            let a = dense(&operator);
            let lines = Lines::new(&order, &operator, &filter, true);
            let what = format!("{damping:?}, {roughness}");
            for set in 0..2 {
                let [_, largest] = spectrum(&a, &|r, h| lines.solve_set(set, r, h));
                assert!(largest <= 2.0 + 1e-12, "{what}, set {set}: W⁻¹A has the eigenvalue {largest}");
            }
            let [least, largest] = spectrum(&a, &|r, h| Preconditioner::apply_inverse(&lines, r, h));
            assert!(least > 0.0 && largest < 2.0, "{what}: P⁻¹A has eigenvalues from {least} to {largest}");
            // Negative control: diagonal blocks of A alone.
            let plain = Lines::new(&order, &operator, &filter, false);
            let [_, largest] = spectrum(&a, &|r, h| plain.solve_set(0, r, h));
            assert!(largest > 2.1, "{what}: {largest} with diagonal blocks");
        }
    }
}

#[test]
fn a_coarse_correction_is_symmetric_positive_and_saves_iterations() {
    let weave = weave(24, 24);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let start = rough(&weave, 0.02, 0.01);
    let data = data(&weave, &bands, &k, &start, Damping::Lagged);
    let (rows, r) = evaluated(&data, Evaluation::Start);
    let operator = RowOperator::new(&weave, &bands, &rows);
    let mut filter =
        NodeFilter { nodes: vec![NodeConstraint::default(); weave.node_count()], partial: Default::default() };
    for i in [0, 23] {
        filter.nodes[i].insert(NodeConstraint::POSITION);
    }
    let lattices = Lattices::new(&weave);
    let blocks = || NodeBlocks::new(&operator, &filter);
    let (fine, matrices) = (blocks(), CoarseMatrices::new(&lattices, &operator, &filter));
    let coarse = Coarse { fine: &fine, lattices: &lattices, coarse: &matrices, filter: &filter };
    let n = 5 * weave.node_count();
    let vector = |frequency: f64| {
        let mut v: Vec<f64> = (0..n).map(|i| (i as f64 * frequency).sin()).collect();
        crate::linear::Filter::apply(&filter, &mut v);
        v
    };
    let apply = |x: &[f64]| {
        let mut y = vec![0.0; n];
        coarse.apply_inverse(x, &mut y);
        y
    };
    let (x, y) = (vector(0.7), vector(1.9));
    let (xy, yx) = (crate::linear::dot(&x, &apply(&y)), crate::linear::dot(&y, &apply(&x)));
    assert!((xy - yx).abs() < 1e-9 * crate::linear::dot(&x, &apply(&x)), "{xy} {yx}");
    assert!(crate::linear::dot(&x, &apply(&x)) > 0.0);
    let rule = crate::linear::StoppingRule {
        tolerance_squared: 1e-12,
        plain_residual: true,
        negligible: 0.0,
        max_iterations: 5000,
    };
    let iterations = |p: &dyn Preconditioner<f64>| {
        let (z, mut x) = (vec![0.0; n], vec![0.0; n]);
        let report = crate::linear::mpcg(&operator, &filter, p, r.as_flattened(), &z, &mut x, &rule);
        assert!(report.converged);
        report.iterations
    };
    let (plain, corrected) = (iterations(&blocks()), iterations(&coarse));
    assert!(2 * corrected < plain, "{corrected} iterations with, {plain} without");
}

#[test]
fn the_residual_of_the_start_has_the_product_in_it() {
    let weave = weave(5, 6);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let start = rough(&weave, 0.2, 0.1);
    for damping in [Damping::Strain, Damping::Lagged] {
        let data = StepData { inertia: Inertia::Dropped, ..data(&weave, &bands, &k, &start, damping) };
        let still = vec![[0.0; 5]; weave.node_count()];
        let (rows, r) = evaluated(&data, Evaluation::Start);
        let resting = State { velocities: still, ..start.clone() };
        let (_, without) = evaluated(&StepData { start: &resting, ..data }, Evaluation::Start);
        let a = dense(&RowOperator::new(&weave, &bands, &rows));
        let product = a * DVector::from_column_slice(start.velocities.as_flattened());
        let difference =
            DVector::from_column_slice(r.as_flattened()) - DVector::from_column_slice(without.as_flattened());
        assert!((&difference - &product).amax() < 1e-12 * product.amax() && product.amax() > 0.0);
    }
}

#[test]
fn bands_of_any_size_give_the_same_bits() {
    let weave = weave(13, 19);
    let k = weave.material.stiffness();
    let start = rough(&weave, 0.2, 0.1);
    let of_size = |size: usize| {
        let bands = Bands::of_size(&weave, size);
        let data = data(&weave, &bands, &k, &start, Damping::Strain);
        let (rows, r) = evaluated(&data, Evaluation::End(&start.velocities));
        let mut y = vec![0.0; 5 * weave.node_count()];
        Operator::apply(&RowOperator::new(&weave, &bands, &rows), start.velocities.as_flattened(), &mut y);
        (r, y)
    };
    let whole = of_size(1024);
    assert!(whole == of_size(8) && whole == of_size(64));
}

#[test]
fn coarse_matrices_are_those_of_interpolated_motions() {
    let weave = weave(30, 37);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 64));
    let start = rough(&weave, 0.2, 0.1);
    let data = data(&weave, &bands, &k, &start, Damping::Strain);
    let (rows, _) = evaluated(&data, Evaluation::Start);
    let operator = RowOperator::new(&weave, &bands, &rows);
    let a = dense(&operator);
    let mut filter =
        NodeFilter { nodes: vec![NodeConstraint::default(); weave.node_count()], partial: Default::default() };
    filter.nodes[0].insert(NodeConstraint::POSITION);
    filter.nodes[40].insert(NodeConstraint::PARTIAL);
    filter.partial.insert(40, crate::linear::Constraint::Plane(Vector3::new(1.0, -2.0, 2.0) / 3.0));
    let lattices = Lattices::new(&weave);
    let matrices = CoarseMatrices::new(&lattices, &operator, &filter);
    let n = weave.node_count();
    let mut q = DMatrix::<f64>::identity(5 * n, 5 * n);
    q.column_iter_mut().for_each(|mut c| crate::linear::Filter::apply(&filter, c.as_mut_slice()));
    for level in 0..lattices.count() {
        let fine = if level == 0 { 5 } else { 3 };
        q *= lattices.interpolation(level, fine);
        let expected = q.transpose() * &a * &q;
        let found = matrices.matrix(level);
        let error = (&found - &expected).amax();
        assert!(error < 1e-12 * expected.amax() && expected.amax() > 0.0, "level {level}: {error}");
    }
    assert!(lattices.count() >= 1);
    // Negative control: without what is prescribed.
    filter.nodes[0] = NodeConstraint::default();
    let free = CoarseMatrices::new(&lattices, &operator, &filter).matrix(0);
    assert!((free - matrices.matrix(0)).amax() > 1e-3 * matrices.matrix(0).amax());
}

/// Limp yarns with crimp in a 2/2 twill, stretched so that all are pulled.
fn pulled_crimp(size: f64) -> (Weave, State) {
    let crimp = CrimpMaterial { rest_length: [1.08e-3, 1.1e-3], contact: 0.4, exponent: 1.9, bend: Some(0.0) };
    let material = YarnMaterial {
        radius: 0.2e-3,
        crimp: Some(crimp),
        friction: 0.0,
        stiffness_damping: 0.0,
        mass_damping: 0.0,
        ..Default::default()
    };
    let draft = Draft::preset("twill").unwrap();
    let weave = Sheet::new(5, 4, draft, material).weave().unwrap();
    let mut state = rough(&weave, size, 0.1);
    state.positions.iter_mut().for_each(|x| *x *= 1.2);
    state.momenta.fill([0.0; 5]);
    (weave, state)
}

#[test]
fn forces_of_crimp_are_the_change_of_the_energy() {
    let (weave, start) = pulled_crimp(0.05);
    let (k, bands) = (weave.material.stiffness(), Bands::of_size(&weave, 16));
    let still =
        State { velocities: vec![[0.0; 5]; weave.node_count()], compression: vec![0.0; weave.node_count()], ..start };
    let none = Vector3::zeros();
    let data = StepData { gravity: none, ..data(&weave, &bands, &k, &still, Damping::Strain) };
    let v = vec![[0.0; 5]; weave.node_count()];
    let (_, residual) = evaluated(&data, Evaluation::End(&v));
    let energy = |state: &State| YarnEnergies::of(&weave, &k, None, state, &none).internal();
    let largest = residual.iter().flatten().fold(0.0_f64, |m, r| m.max(r.abs()));
    let mut compared = 0;
    for i in (0..weave.node_count()).filter(|i| weave.kinds[*i].is_crossing()) {
        for c in 0..5 {
            let at = |e: f64| {
                let mut state = still.clone();
                if c < 3 {
                    state.positions[i][c] += e
                } else {
                    state.arcs[i][c - 3] += e
                }
                energy(&state)
            };
            let e = 1e-7;
            let force = (8.0 * (at(e) - at(-e)) - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e);
            let error = (force * STEP - residual[i][c]).abs() / largest;
            assert!(error < 1e-8, "node {i} {c}: {} {}", force * STEP, residual[i][c]);
            compared += 1;
        }
    }
    assert_eq!(compared, 100);
}

#[test]
fn the_operator_of_pulled_crimp_is_the_derivative_of_the_residual() {
    // Flat but for sliding, without bending and with tension everywhere the positive stiffness is all of it.
    let (weave, mut start) = pulled_crimp(0.0);
    let mut random = Random::new(8);
    for (i, s) in start.arcs.iter_mut().enumerate().filter(|(i, _)| weave.kinds[*i].is_crossing()) {
        *s = s.map(|s| s + 2e-5 * (random.unit() - 0.5 + 1e-3 * i as f64));
    }
    start.velocities.fill([0.0; 5]);
    let k = weave.material.stiffness();
    let bands = Bands::of_size(&weave, 16);
    let data = data(&weave, &bands, &k, &start, Damping::Strain);
    let n = 5 * weave.node_count();
    let v = vec![[0.0; 5]; weave.node_count()];
    let (rows, _) = evaluated(&data, Evaluation::End(&v));
    let operator = RowOperator::new(&weave, &bands, &rows);
    let a = dense(&operator);
    for i in 0..weave.node_count() {
        let block = operator_block(&operator, i) + rows.crimp_block(&weave, i);
        let expected = a.fixed_view::<5, 5>(5 * i, 5 * i);
        assert!((block - expected).amax() < 1e-12 * a.amax(), "block {i}");
    }
    assert!((&a - a.transpose()).amax() < 1e-12 * a.amax());
    let mut without = rows.clone();
    without.crimps.clear();
    let b = dense(&RowOperator::new(&weave, &bands, &without));
    let mut coupled = 0.0_f64;
    let crossings = || (0..n).filter(|j| weave.kinds[j / 5].is_crossing());
    // Where there is no yarn the diagonal is 1.
    let scale = crossings().fold(0.0_f64, |most, j| most.max(a[(j, j)]));
    for j in crossings() {
        let at = |e: f64| {
            let mut v = v.clone();
            v[j / 5][j % 5] += e;
            DVector::from_column_slice(evaluated(&data, Evaluation::End(&v)).1.as_flattened())
        };
        let e = 1e-6;
        let numeric = (at(e) - at(-e)) / (2.0 * e);
        let error = (&numeric - a.column(j)).amax() / scale;
        assert!(error < 1e-6, "column {j}: {error}");
        coupled = coupled.max((numeric - b.column(j)).amax() / scale);
    }
    assert!(coupled > 0.02, "otherwise nothing is shown: {coupled}");
}

#[test]
fn with_crimp_the_matrix_is_positive_and_linearized_in_the_first_iteration() {
    for size in [0.05, 0.15] {
        let (weave, start) = pulled_crimp(size);
        let k = weave.material.stiffness();
        let bands = Bands::of_size(&weave, 16);
        let data = data(&weave, &bands, &k, &start, Damping::Strain);
        let (rows, _) = evaluated(&data, Evaluation::Start);
        let a = dense(&RowOperator::new(&weave, &bands, &rows));
        let values = a.clone().symmetric_eigenvalues();
        assert!(values.min() > 0.0, "{}", values.min());
        // r(v) = r(0) + A v, but for the change of the kinetic energy.
        let still = State { velocities: vec![[0.0; 5]; weave.node_count()], ..start.clone() };
        let dropped = StepData { inertia: Inertia::Dropped, ..data };
        let (_, r) = evaluated(&dropped, Evaluation::Start);
        let (_, r0) = evaluated(&StepData { start: &still, ..dropped }, Evaluation::Start);
        let v = DVector::from_iterator(5 * weave.node_count(), start.velocities.iter().flatten().copied());
        let expected = &a * v;
        let found = DVector::from_column_slice(r.as_flattened()) - DVector::from_column_slice(r0.as_flattened());
        assert!((found - &expected).amax() < 1e-10 * expected.amax());
    }
}
