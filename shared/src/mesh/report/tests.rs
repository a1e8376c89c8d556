use super::*;
use crate::mesh::MeshData;
use crate::mesh::clip::make::{Sheet, Skirt, Tube};
use proptest::prelude::*;

fn sheet() -> MeshData {
    Sheet { size: [0.3, 0.2], cells: [6, 4] }.mesh().unwrap().into_data()
}

fn report(change: impl FnOnce(&mut MeshData)) -> Report {
    report_of(sheet(), change)
}

fn report_of(mut data: MeshData, change: impl FnOnce(&mut MeshData)) -> Report {
    change(&mut data);
    let mesh = Mesh::new(data).unwrap();
    Report::new(&mesh, [mesh.positions()])
}

/// The finding of this kind, which must be the only one.
fn only(report: &Report, kind: FindingKind) -> &Finding {
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    report.find(kind).unwrap_or_else(|| panic!("{:?}", report.findings))
}

#[test]
fn a_sound_mesh_has_no_findings() {
    let report = report(|_| ());
    assert_eq!(report.findings, []);
    assert_eq!((report.island_count, report.seam_edges, report.border_edges), (1, 0, 20));
    let island = report.islands[0];
    assert_eq!((island.faces, island.bounds), (48, [[0.0, 0.0], [0.3, 0.2]]));
    assert!((island.uv_area - 0.06).abs() < 1e-7 && (island.stretch() - 1.0).abs() < 1e-5 && !island.mirrored);
}

#[test]
fn faces_without_uv_area_are_errors() {
    let report = report(|d| {
        // Face 5 collapses to a line: its third corner gets a UV of its own, on its first one.
        let at = d.uvs[d.uv_faces[5][0] as usize];
        d.uv_faces[5][2] = d.uvs.len() as u32;
        d.uvs.push(at);
    });
    let finding = report.find(FindingKind::DegenerateUvFace).unwrap();
    assert_eq!(finding.elements, [Element::Face(6)]);
    assert!(report.has_errors());
}

#[test]
fn the_minority_of_an_island_is_flipped_and_mirrored_islands_are_information() {
    let flipped = report(|d| {
        // A corner of the sheet is folded over the diagonal of its cell.
        let corner = d.uv_faces[0][1] as usize;
        assert_eq!(d.uvs[corner], [0.05, 0.0]);
        d.uvs[corner] = [0.02, 0.06];
    });
    let finding = flipped.find(FindingKind::FlippedUvFace).unwrap();
    assert!(finding.elements.contains(&Element::Face(1)), "{finding}");
    assert!(finding.count < 4 && flipped.has_errors());

    let mirrored = report(|d| d.uvs.iter_mut().for_each(|uv| uv[0] = -uv[0]));
    let finding = only(&mirrored, FindingKind::MirroredIsland);
    assert_eq!((finding.severity, &finding.elements[..]), (Severity::Information, &[Element::Island(0)][..]));
    assert!(!mirrored.has_errors());
}

#[test]
fn faces_that_collapse_in_a_frame_are_told_once_with_the_frame() {
    let mesh = Mesh::new(sheet()).unwrap();
    let mut collapsed = mesh.positions().to_vec();
    let [a, b, _] = mesh.faces()[7];
    collapsed[a as usize] = collapsed[b as usize];
    let report = Report::new(&mesh, [mesh.positions(), &collapsed, &collapsed]);
    let finding = only(&report, FindingKind::DegenerateFace);
    assert!(finding.elements.contains(&Element::FaceInFrame { face: 8, frame: 1 }), "{finding}");
    assert_eq!(finding.count, 2, "the two faces at the edge that vanished");
}

#[test]
fn edges_of_three_faces_are_told_in_the_world_and_in_the_uv_plane() {
    let extra_face = |d: &mut MeshData| {
        let [a, b, _] = d.faces[0];
        d.positions.push([0.0, 0.0, 0.05]);
        d.uvs.extend([[1.0, 0.0], [1.05, 0.0], [1.0, 0.05]]);
        d.faces.push([b, a, d.positions.len() as u32 - 1]);
    };
    let world = report(|d| {
        extra_face(d);
        let n = d.uvs.len() as u32;
        d.uv_faces.push([n - 3, n - 2, n - 1]);
        let [b, c] = [d.faces[0][1], d.faces[0][2]];
        d.faces[48] = [c, b, 35];
    });
    let finding = world.find(FindingKind::NonManifoldEdge).unwrap();
    assert_eq!(finding.elements, [Element::Edge([2, 9])]);
    assert!(world.find(FindingKind::NonManifoldUvEdge).is_none());
    let uv = report(|d| {
        extra_face(d);
        let [_, b, c] = d.uv_faces[0];
        d.uv_faces.push([c, b, d.uvs.len() as u32 - 1]);
    });
    assert_eq!(uv.find(FindingKind::NonManifoldUvEdge).unwrap().elements, [Element::UvEdge([2, 9])]);
}

#[test]
fn neighbors_with_opposite_winding_are_errors() {
    let report = report(|d| {
        d.faces[16].swap(0, 1);
        d.uv_faces[16].swap(0, 1);
    });
    let finding = report.find(FindingKind::DiscordantWinding).unwrap();
    assert_eq!(finding.count, 3, "all sides of the face: {finding}");
    assert!(report.has_errors());
}

#[test]
fn unused_vertices_are_information() {
    let report = report(|d| {
        d.positions.push([0.0; 3]);
        d.uvs.extend([[0.0; 2]; 20]);
    });
    assert_eq!(report.find(FindingKind::UnusedVertex).unwrap().elements, [Element::Vertex(36)]);
    let uvs = report.find(FindingKind::UnusedUv).unwrap();
    assert_eq!((uvs.count, uvs.elements.len()), (20, NAMED), "a report stays short");
    assert!(
        uvs.to_string().contains("20 UV vertices belong to no face (UV 36, ") && uvs.to_string().contains(", ...)")
    );
    assert!(!report.has_errors());
}

#[test]
fn seams_that_are_open_in_the_mesh_are_told() {
    let tube = Tube { cells: [8, 3], ..Default::default() }.mesh().unwrap();
    let open = report_of(tube.into_data(), |d| {
        // Each corner gets the world vertex of its UV: the seam's vertices are doubled.
        let mut positions = vec![[0.0; 3]; d.uvs.len()];
        for (vertex, uv) in d.faces.as_flattened().iter().zip(d.uv_faces.as_flattened()) {
            positions[*uv as usize] = d.positions[*vertex as usize];
        }
        d.positions = positions;
        d.faces = d.uv_faces.clone();
    });
    assert_eq!(only(&open, FindingKind::OpenSeam).count, 4);
    assert_eq!(open.seam_edges, 0);
}

#[test]
fn overlapping_islands_are_told() {
    let skirt = || Skirt { cells: [6, 5], ..Default::default() }.mesh().unwrap().into_data();
    assert_eq!(report_of(skirt(), |_| ()).findings, []);
    let shifted = report_of(skirt(), |d| {
        let half = d.uvs.len() / 2;
        d.uvs[half..].iter_mut().for_each(|uv| uv[0] -= 0.4);
    });
    let finding = only(&shifted, FindingKind::OverlappingUvs);
    assert!(matches!(finding.elements[0], Element::Faces([a, b]) if a <= 60 && b > 60), "{finding}");
    assert_eq!(finding.severity, Severity::Warning);
}

#[test]
fn uvs_for_textures_are_told_with_the_factor() {
    // A garment of 1 m in UVs of 0..1: nothing wrong, one unit of UV is one meter.
    let square = |w: f64, h: f64| Sheet { size: [w, h], cells: [6, 6] }.mesh().unwrap().into_data();
    assert_eq!(report_of(square(1.0, 1.0), |_| ()).findings, []);
    // 1.3 m by 1.3 m in UVs of 0..1.
    let unit = |d: &mut MeshData, w: f32, h: f32| d.uvs.iter_mut().for_each(|uv| *uv = [uv[0] / w, uv[1] / h]);
    let report = report_of(square(1.3, 1.3), |d| unit(d, 1.3, 1.3));
    let finding = only(&report, FindingKind::UvUnits);
    assert!(finding.message.contains("fill the unit square"), "{finding}");
    assert_eq!(finding.cure, "multiply the UVs by 1.3000 (--uv-scale 1.3000)");
    // Width and height made one each.
    let report = report_of(square(0.9, 0.6), |d| unit(d, 0.9, 0.6));
    assert_eq!(
        only(&report, FindingKind::UvUnits).cure,
        "multiply u by 0.9000 and v by 0.6000 (--uv-scale 0.9000,0.6000)"
    );
    // UVs in centimeters.
    let report = report_of(square(0.5, 0.5), |d| unit(d, 0.01, 0.01));
    assert!(only(&report, FindingKind::UvUnits).cure.contains("by 0.01000 (--uv-scale 0.01000)"));
    // Stretched by half on the body: knitwear, not a mistake.
    assert_eq!(report_of(square(0.5, 0.5), |d| unit(d, 1.5, 1.5)).findings, []);
}

#[test]
fn unequal_islands_and_other_units_of_the_world_are_told() {
    let report = report_of(Skirt::default().mesh().unwrap().into_data(), |d| {
        let half = d.uvs.len() / 2;
        d.uvs[half..].iter_mut().for_each(|uv| *uv = [uv[0] * 2.0 + 1.0, uv[1] * 2.0]);
    });
    let finding = only(&report, FindingKind::UnequalIslands);
    assert!(finding.message.contains("on island 1 and") && finding.message.contains("on island 0"), "{finding}");
    let scaled = |s: f32| {
        let mesh = Sheet::default().mesh().unwrap().scaled(s).unwrap();
        Report::new(&mesh, [mesh.positions()])
    };
    assert!(only(&scaled(100.0), FindingKind::WorldUnits).cure.contains("--scale 0.01"));
    assert!(only(&scaled(5000.0), FindingKind::WorldUnits).cure.contains("--scale 0.001"));
    assert_eq!(only(&scaled(0.01), FindingKind::WorldUnits).severity, Severity::Warning);
}

#[test]
fn a_uv_plane_in_pieces_is_told_and_the_report_stays_short() {
    let report = report(|d| {
        // A UV for each corner, each face moved away.
        let corners: Vec<[f32; 2]> = d
            .uv_faces
            .as_flattened()
            .iter()
            .enumerate()
            .map(|(i, c)| {
                let [u, v] = d.uvs[*c as usize];
                [u + (i / 3) as f32, v]
            })
            .collect();
        d.uvs = corners;
        d.uv_faces = (0..48).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let (faces, uv_faces) = (d.faces.clone(), d.uv_faces.clone());
        d.faces.extend(faces);
        d.uv_faces.extend(uv_faces.iter().map(|f| f.map(|i| i + 144)));
        let uvs = d.uvs.clone();
        d.uvs.extend(uvs.iter().map(|uv| [uv[0], uv[1] + 1.0]));
    });
    assert_eq!((report.island_count, report.islands.len()), (96, DESCRIBED_ISLANDS));
    assert!(report.find(FindingKind::FragmentedUvs).unwrap().message.contains("96 pieces for 96 faces"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any valid mesh, however senseless, has a report of bounded size.
    #[test]
    fn any_mesh_has_a_short_report(
        positions in prop::collection::vec(prop::array::uniform3(prop_oneof![-1.0f32..1.0, -1e6f32..1e6, Just(0.0)]), 6),
        uvs in prop::collection::vec(prop::array::uniform2(prop_oneof![-1.0f32..1.0, -1e6f32..1e6, Just(0.0)]), 6),
        faces in prop::collection::vec((prop::array::uniform3(0u32..6), prop::array::uniform3(0u32..6)), 1..40),
    ) {
        let (faces, uv_faces) = faces.into_iter().unzip();
        let mesh = Mesh::new(MeshData { positions, uvs, faces, uv_faces }).unwrap();
        let report = Report::new(&mesh, [mesh.positions()]);
        let text: String = report.findings.iter().map(Finding::to_string).collect();
        prop_assert!(text.len() < 10_000);
        prop_assert!(report.islands.iter().all(|i| i.uv_area >= 0.0 && i.area >= 0.0));
    }
}
