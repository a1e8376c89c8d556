//! What the default layout promises: no holes, no jumps, islands each with a pattern the right way round, closed yarns,
//! no scraps; and what happens to bad input.

use yarnwise_runtime::{
    Bending, CpuYarns, Error, FrameOptions, FrameParams, LayoutOptions, Placement, YarnLayout, compat,
};
use yarnwise_shared::mesh::{Mesh, MeshData};
use yarnwise_shared::pattern::{Edge, Pattern, PatternData, Vertex};
use yarnwise_shared::table::database::Database;
use yarnwise_tests::parity::raise;
use yarnwise_tests::sheet;

/// A way to lay a pattern.
type Lay = fn(&Mesh, &Pattern, &LayoutOptions) -> yarnwise_runtime::Result<YarnLayout>;

fn lay(mesh: &Mesh, options: &LayoutOptions) -> YarnLayout {
    YarnLayout::new(mesh, &sheet::pattern(), options).unwrap()
}

/// Yarns as they lie on the rest mesh, not displaced.
fn at_rest(mesh: &Mesh, database: &Database, options: &LayoutOptions) -> CpuYarns {
    let layout = YarnLayout::new(mesh, database.pattern(), options).unwrap();
    let mut yarns = CpuYarns::new(layout, database).unwrap();
    let frame =
        FrameParams { positions: mesh.positions(), options: FrameOptions { displacement: 0.0, ..Default::default() } };
    yarns.update(&frame).unwrap();
    yarns
}

/// Two meshes side by side in the world as one; the second keeps its UVs.
fn both(a: &Mesh, b: &Mesh, apart: f32) -> Mesh {
    let (n, m) = (a.positions().len() as u32, a.uvs().len() as u32);
    let mut data = MeshData {
        positions: a.positions().to_vec(),
        uvs: a.uvs().to_vec(),
        faces: a.faces().to_vec(),
        uv_faces: a.uv_faces().to_vec(),
    };
    data.positions.extend(b.positions().iter().map(|p| [p[0] + apart, p[1], p[2]]));
    data.uvs.extend(b.uvs());
    data.faces.extend(b.faces().iter().map(|f| f.map(|v| v + n)));
    data.uv_faces.extend(b.uv_faces().iter().map(|f| f.map(|v| v + m)));
    Mesh::new(data).unwrap()
}

fn lengths(layout: &YarnLayout) -> Vec<usize> {
    layout.yarn_starts().windows(2).map(|w| (w[1] - w[0]) as usize).collect()
}

/// Every tenth pattern vertex lies exactly on an edge between triangles, many on corners and on diagonals.
#[test]
fn vertices_on_shared_edges_are_not_lost() {
    let mesh = sheet::sheet(20, 15, [0.08, 0.06]);
    let layout = lay(&mesh, &LayoutOptions::default());
    assert_eq!(layout.yarn_count(), 20, "two yarns in each of ten rows, none of them cut");
    assert!(lengths(&layout).iter().all(|n| (200..=201).contains(n)), "{:?}", lengths(&layout));
    assert_eq!(layout.counts().dropped, 0);
    let compat = compat::layout(&mesh, &sheet::pattern(), &LayoutOptions::default()).unwrap();
    assert!(
        compat.counts().live < layout.counts().live,
        "the reference program loses them, so there is something to lose"
    );
}

/// A slit narrower than a yarn segment, open at one side.
#[test]
fn no_yarn_jumps_over_a_slit() {
    let whole = sheet::sheet(20, 10, [0.08, 0.06]);
    // Faces of the right half get corners of their own, 0.2 mm away, but for the lowest row, which holds both together.
    let (mut data, middle) = (whole.clone().into_data(), 0.04);
    let split: Vec<u32> = (0..whole.uvs().len() as u32)
        .filter(|v| (whole.uvs()[*v as usize][0] - middle).abs() < 1e-6 && whole.uvs()[*v as usize][1] > 7e-3)
        .collect();
    for v in split {
        let [u, w] = data.uvs[v as usize];
        let new = data.uvs.len() as u32;
        data.uvs.push([u + 2e-4, w]);
        data.positions.push([u + 2e-4, w, 0.0]);
        for f in 0..data.faces.len() {
            let right = data.faces[f].iter().map(|c| data.uvs[*c as usize][0]).sum::<f32>() / 3.0 > middle;
            for k in 0..3 {
                if right && data.faces[f][k] == v {
                    data.faces[f][k] = new;
                }
            }
        }
    }
    data.uv_faces = data.faces.clone();
    let mesh = Mesh::new(data).unwrap();
    let layout = lay(&mesh, &LayoutOptions::default());
    assert_eq!(layout.islands().len(), 1);
    let database = sheet::database();
    let yarns = at_rest(&mesh, &database, &LayoutOptions::default());
    let mut crossing = [0, 0];
    for yarn in layout.yarn_starts().windows(2) {
        for pair in yarns.vertices()[yarn[0] as usize..yarn[1] as usize].windows(2) {
            let (a, b) = (pair[0].position, pair[1].position);
            if (a[0] < 0.0401) != (b[0] < 0.0401) {
                crossing[usize::from(a[1] > 8e-3)] += 1;
            }
        }
    }
    assert!(crossing[0] > 0, "where the cloth is connected, yarns continue");
    assert_eq!(crossing[1], 0, "yarns jump over the slit");
}

#[test]
fn yarns_are_cut_at_the_border_and_scraps_dropped() {
    let database = sheet::database();
    let triangle = Mesh::new(MeshData {
        positions: vec![[0.0, 0.0, 0.0], [0.06, 0.01, 0.0], [0.02, 0.05, 0.0]],
        uvs: vec![[0.0, 0.0], [0.06, 0.01], [0.02, 0.05]],
        faces: vec![[0, 1, 2]],
        uv_faces: vec![[0, 1, 2]],
    })
    .unwrap();
    let all =
        YarnLayout::new(&triangle, database.pattern(), &LayoutOptions { min_yarn_length: 0.0, ..Default::default() });
    let (all, kept) = (all.unwrap(), lay(&triangle, &LayoutOptions::default()));
    let tolerance = 1e-3;
    for site in all.sites() {
        assert!(site.b.min(site.c).min(1.0 - site.b - site.c) > -tolerance, "{site:?} is off the cloth");
    }
    assert!(all.yarn_count() > kept.yarn_count(), "nothing was too short: nothing is tested");
    assert!(lengths(&all).iter().all(|n| *n >= 4));
    let limit = 16.0 * kept.radius();
    for yarn in kept.yarn_starts().windows(2) {
        assert!(kept.arcs()[yarn[1] as usize - 1] >= limit);
    }
}

/// Laying nothing is an error that gives the reason, the sizes and the cure.
#[test]
fn a_mesh_without_a_single_yarn_is_an_error_that_says_why() {
    let problem = |size: [f32; 2], options: &LayoutOptions| {
        let error = YarnLayout::new(&sheet::sheet(1, 1, size), &sheet::pattern(), options).unwrap_err();
        assert!(matches!(error, Error::Layout(_)), "{error}");
        error.to_string()
    };
    let none = problem([1e-5, 1e-5], &LayoutOptions::default());
    for part in ["no vertex of the pattern", "0.010 mm x 0.010 mm", "in meters?", "scale"] {
        assert!(none.contains(part), "no '{part}' in: {none}");
    }
    let short = problem([0.04, 0.03], &LayoutOptions { min_yarn_length: 1e5, ..Default::default() });
    for part in ["pieces of yarn are shorter than 100000 radii", "40.000 mm x 30.000 mm", "min_yarn_length"] {
        assert!(short.contains(part), "no '{part}' in: {short}");
    }
}

/// UVs that are far too large are refused before anything is reserved: long ones without an area, too.
#[test]
fn a_layout_of_absurd_size_is_an_error() {
    for size in [[1e5, 1e5], [1e6, 1e-4]] {
        let mesh = sheet::sheet(1, 1, size);
        let error = YarnLayout::new(&mesh, &sheet::pattern(), &LayoutOptions::default()).unwrap_err().to_string();
        assert!(error.contains("yarn vertices") && error.contains("max_vertices"), "{error}");
    }
}

#[test]
fn mirrored_islands_show_the_same_side_and_the_same_pattern() {
    let plain = sheet::sheet(8, 8, [0.08, 0.06]);
    let mut data = plain.clone().into_data();
    data.uvs.iter_mut().for_each(|uv| uv[0] = -uv[0]);
    let mirrored = Mesh::new(data).unwrap();
    let database = sheet::database();
    let mesh = both(&plain, &mirrored, 0.1);
    let yarns = at_rest(&mesh, &database, &LayoutOptions::default());
    let layout = yarns.layout();
    assert_eq!(layout.islands().iter().map(|i| i.mirrored).collect::<Vec<_>>(), [false, true]);
    // The mirrored island, turned over, is the plain one: each vertex has a twin 0.1 m beside it.
    let half = layout.vertex_count() / 2;
    assert!(half > 3000 && layout.vertex_count() == 2 * half);
    for (a, b) in yarns.vertices()[..half].iter().zip(&yarns.vertices()[half..]) {
        let moved = [a.position[0] + 0.1, a.position[1], a.position[2]];
        assert!((0..3).all(|k| (moved[k] - b.position[k]).abs() < 1e-6), "{a:?} {b:?}");
    }
}

#[test]
fn each_island_has_its_own_orientation_scale_and_offset() {
    let plain = sheet::sheet(8, 8, [0.08, 0.08]);
    let mesh = both(&plain, &plain, 0.1);
    let turned = Placement { angle: std::f64::consts::FRAC_PI_2, scale: 2.0, offset: [3e-3, 0.0] };
    let options = LayoutOptions { islands: vec![(1, turned)], ..Default::default() };
    let yarns = at_rest(&mesh, &sheet::database(), &options);
    let layout = yarns.layout();
    let radius = layout.radius();
    let (mut counts, mut along) = ([0usize; 2], [[0.0f32; 2]; 2]);
    for yarn in layout.yarn_starts().windows(2) {
        let island = layout.surface().links()[layout.sites()[yarn[0] as usize].face as usize].island as usize;
        let (first, last) = (&yarns.vertices()[yarn[0] as usize], &yarns.vertices()[yarn[1] as usize - 1]);
        counts[island] += (yarn[1] - yarn[0]) as usize;
        for k in 0..2 {
            along[island][k] += (last.position[k] - first.position[k]).abs();
        }
        let factor = first.radius / (radius * [1.0, 2.0][island]);
        assert!((0.8..1.2).contains(&factor), "island {island}: {factor}");
    }
    assert!(along[0][0] > 10.0 * along[0][1] && along[1][1] > 10.0 * along[1][0], "{along:?}");
    let ratio = counts[0] as f32 / counts[1] as f32;
    assert!((3.4..4.6).contains(&ratio), "twice as large in both directions: {counts:?}");
    let none = LayoutOptions { islands: vec![(2, turned)], ..Default::default() };
    assert!(matches!(YarnLayout::new(&mesh, &sheet::pattern(), &none), Err(Error::Layout(_))));
}

/// A tube: closed in the world, cut open in the UV plane.
fn tube(columns: usize, rows: usize) -> Mesh {
    let flat = sheet::sheet(columns, rows, [0.1, 0.05]);
    let mut data = flat.into_data();
    let radius = 0.1 / std::f32::consts::TAU;
    for (p, uv) in data.positions.iter_mut().zip(&data.uvs) {
        let angle = uv[0] / radius;
        *p = [radius * angle.sin(), uv[1], radius * angle.cos()];
    }
    // The last column of the world is the first.
    for corner in data.faces.as_flattened_mut() {
        if *corner as usize % (columns + 1) == columns {
            *corner -= columns as u32;
        }
    }
    Mesh::new(data).unwrap()
}

#[test]
fn strains_and_normals_go_on_over_a_seam_that_is_closed_in_the_world() {
    let mesh = tube(24, 6);
    let off = |lay: Lay| {
        let layout = lay(&mesh, &sheet::pattern(), &LayoutOptions::default()).unwrap();
        let mut yarns = CpuYarns::new(layout, &sheet::database()).unwrap();
        yarns.update(&FrameParams { positions: mesh.positions(), ..Default::default() }).unwrap();
        // Both sides of the seam: material vertices of one vertex of the world.
        let mut worst = 0.0f32;
        let links = yarns.layout().surface().links();
        let mut side = std::collections::BTreeMap::new();
        for link in links {
            for k in 0..3 {
                let forms = yarns.vertex_forms()[link.material[k] as usize];
                let other = side.entry(link.corners[k]).or_insert(forms);
                for (a, b) in forms.normal().iter().zip(other.normal()) {
                    raise(&mut worst, (a - b).abs());
                }
                raise(&mut worst, (forms.second[0] - other.second[0]).abs() * 0.1 / std::f32::consts::TAU);
            }
        }
        worst
    };
    assert!(off(YarnLayout::new) < 1e-3, "{}", off(YarnLayout::new));
    assert!(off(compat::layout) > 1e-2, "the reference program stops at seams: {}", off(compat::layout));
}

/// A straight yarn along x whose directors all point along y.
fn straight_database() -> Database {
    let base = sheet::database().into_data();
    let straight = |(i, v): (usize, &Vertex)| Vertex {
        position: [0.4e-3 * (i % 20) as f64, 1.5e-3 + 3e-3 * (i / 20) as f64, 0.0],
        rest_length: 0.4e-3,
        reference_director: [0.0, 1.0, 0.0],
        ..*v
    };
    let vertices = base.pattern.vertices().iter().enumerate().map(straight).collect();
    let pattern = Pattern::new(PatternData { period: base.pattern.period(), radius: base.pattern.radius(), vertices });
    Database::new(yarnwise_shared::table::database::DatabaseData { pattern: pattern.unwrap(), ..base }).unwrap()
}

/// How much directors change from vertex to vertex: where a yarn crosses from one triangle into the next, over what they
/// change within triangles.
fn jump_at_borders(lay: Lay) -> f32 {
    let (mesh, database) = (sheet::sheet(10, 10, [0.161, 0.121]), straight_database());
    let bend = |[u, v]: &[f32; 2]| [u + 3.0 * v * v, v + 2.0 * u * u, 0.03 * (20.0 * u).sin()];
    let positions: Vec<[f32; 3]> = mesh.uvs().iter().map(bend).collect();
    let layout = lay(&mesh, database.pattern(), &LayoutOptions::default()).unwrap();
    let mut yarns = CpuYarns::new(layout, &database).unwrap();
    let frame =
        FrameParams { positions: &positions, options: FrameOptions { displacement: 0.0, ..Default::default() } };
    yarns.update(&frame).unwrap();
    let (layout, vertices) = (yarns.layout(), yarns.vertices());
    let mut changes = [(0.0, 0.0); 2];
    for yarn in layout.yarn_starts().windows(2) {
        for i in yarn[0] as usize..yarn[1] as usize - 1 {
            let (a, b) = (vertices[i].unpack_director(), vertices[i + 1].unpack_director());
            let change = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt();
            let crosses = layout.sites()[i].face != layout.sites()[i + 1].face;
            let (sum, count) = &mut changes[usize::from(crosses)];
            (*sum, *count) = (*sum + change, *count + 1.0);
        }
    }
    let [within, across] = changes.map(|(sum, count)| sum / count);
    across / within
}

#[test]
fn directors_do_not_jump_where_a_yarn_crosses_into_the_next_triangle() {
    let (ours, reference) = (jump_at_borders(YarnLayout::new), jump_at_borders(compat::layout));
    assert!(ours < 1.5, "at borders directors change {ours} times as much as within triangles");
    assert!(reference > 3.0, "the reference program's jump {reference} times, so there is something to see");
}

/// A pattern with a ring beside a straight yarn.
fn ring_database() -> Database {
    let base = sheet::database().into_data();
    let mut vertices: Vec<Vertex> = base.pattern.vertices()[..20].to_vec();
    for i in 0..20usize {
        let t = std::f64::consts::TAU * i as f64 / 20.0;
        vertices.push(Vertex {
            position: [4e-3 + 1.5e-3 * t.cos(), 4e-3 + 1.5e-3 * t.sin(), 0.0],
            twist: 0.0,
            edge: Edge { to: (20 + (i + 1) % 20) as u32, shift: [0, 0] },
            rest_length: 3e-3 * (std::f64::consts::PI / 20.0).sin(),
            rest_curvature: [0.0; 2],
            rest_twist: 0.0,
            reference_director: [0.0, 0.0, 1.0],
            reference_twist: 0.0,
        });
    }
    let pattern = Pattern::new(PatternData { period: base.pattern.period(), radius: base.pattern.radius(), vertices });
    Database::new(yarnwise_shared::table::database::DatabaseData { pattern: pattern.unwrap(), ..base }).unwrap()
}

#[test]
fn closed_yarns_are_kept_and_closed() {
    let (database, mesh) = (ring_database(), sheet::sheet(5, 5, [0.08, 0.06]));
    let yarns = at_rest(&mesh, &database, &LayoutOptions::default());
    let layout = yarns.layout();
    assert_eq!(layout.closed_yarns().len(), 100, "a ring in each cell");
    for ring in layout.closed_yarns() {
        let ends = [layout.yarn_starts()[*ring as usize], layout.yarn_starts()[*ring as usize + 1] - 1];
        let [first, last] = ends.map(|i| yarns.vertices()[i as usize].position);
        assert_eq!(first, last);
        assert_eq!(ends[1] - ends[0], 20);
    }
    assert_eq!(compat::layout(&mesh, database.pattern(), &LayoutOptions::default()).unwrap().closed_yarns().len(), 0);
}

#[test]
fn bad_positions_are_errors_and_collapsed_cloth_is_finite() {
    let (database, mesh) = (sheet::database(), sheet::sheet(8, 8, [0.08, 0.06]));
    let mut yarns = CpuYarns::new(lay(&mesh, &LayoutOptions::default()), &database).unwrap();
    let mut broken = mesh.positions().to_vec();
    broken[7][1] = f32::NAN;
    let mut far = mesh.positions().to_vec();
    far[3][0] = f32::INFINITY;
    for positions in [&mesh.positions()[1..], &broken, &far] {
        let error = yarns.update(&FrameParams { positions, ..Default::default() }).unwrap_err();
        assert!(matches!(error, Error::Positions(_)), "{error}");
    }
    // Folded sharply, collapsed to a line, to a point; without the clamp.
    let fold: Vec<[f32; 3]> = mesh.uvs().iter().map(|[u, v]| [(u - 0.04).abs() * 1e-3, *v, (u - 0.04).abs()]).collect();
    let line: Vec<[f32; 3]> = mesh.uvs().iter().map(|[u, _]| [*u, 0.0, 0.0]).collect();
    let point = vec![[1.0, 2.0, 3.0]; mesh.positions().len()];
    for positions in [&fold, &line, &point] {
        for bending in [Bending::None, Bending::Linearized, Bending::Quadratic] {
            for portable in [false, true] {
                yarns.set_portable(portable);
                let frame = FrameParams {
                    positions,
                    options: FrameOptions { bending, min_eigenvalue: 0.0, ..Default::default() },
                };
                yarns.update(&frame).unwrap();
                for v in yarns.vertices() {
                    assert!(v.position.iter().chain(&[v.twist, v.radius]).all(|c| c.is_finite()), "{v:?}");
                }
            }
        }
    }
}
